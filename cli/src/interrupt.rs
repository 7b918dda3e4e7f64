//! Ctrl-C (and SIGTERM), of which a program can have one handler: for commands that look whether they are to stop, and for files
//! in the making.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use crate::unfinished;

/// Somebody looks at [`STOP`].
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(false);
static HANDLER: OnceLock<Result<(), String>> = OnceLock::new();

fn handler() -> Result<(), String> {
    let set = HANDLER.get_or_init(|| {
        ctrlc::set_handler(|| {
            let is_seen_to = IS_WATCHED.load(Ordering::Relaxed) && !STOP.swap(true, Ordering::Relaxed);
            if !is_seen_to {
                unfinished::abandon();
            }
        })
        .map_err(|e| format!("can't watch for Ctrl-C: {e}"))
    });
    set.clone()
}

/// Set from the first Ctrl-C on; a second one ends the program at once, and what it has not finished.
///
/// # Errors
/// When the system lets no handler be set.
pub fn watch() -> Result<&'static AtomicBool, String> {
    IS_WATCHED.store(true, Ordering::Relaxed);
    handler().map(|()| &STOP)
}

/// Lets Ctrl-C remove the files in the making before it ends the program.
///
/// # Errors
/// As [`watch`].
pub fn tidy_up() -> Result<(), String> {
    handler()
}
