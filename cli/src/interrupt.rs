//! Ctrl-C (and SIGTERM), of which a program can have one handler: for commands that look whether they are to stop, and for files
//! in the making.

use std::io::{self, IsTerminal, StderrLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

use crate::unfinished;

/// The exit status of a command that was stopped: 128 and the number of SIGINT, as shells say it.
pub const STATUS: u8 = 130;

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

/// Says that the command was stopped, in place of a progress bar on a terminal. While the lock is held, no bar is drawn after it.
pub fn say() -> StderrLock<'static> {
    let mut stderr = io::stderr().lock();
    // To the line's beginning, and all of the line erased: the bar, and the terminal's own ^C.
    let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
    // Whom could a failure be told?
    let _ = writeln!(stderr, "{clear}tollgate: stopped; nothing was written");
    stderr
}
