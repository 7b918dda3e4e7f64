//! Ctrl-C, for commands that have something to tidy up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

static STOP: AtomicBool = AtomicBool::new(false);
static WATCHED: OnceLock<Result<(), String>> = OnceLock::new();

/// Set from the first Ctrl-C on (or SIGTERM); a second one ends the program at once.
///
/// # Errors
/// When the system lets no handler be set.
pub fn watch() -> Result<&'static AtomicBool, String> {
    let watched = WATCHED.get_or_init(|| {
        ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .map_err(|e| format!("can't watch for Ctrl-C: {e}"))
    });
    watched.clone().map(|()| &STOP)
}
