//! Ctrl-C and SIGTERM: what a command has not finished is removed, and it says that it was stopped.

use std::io::{self, IsTerminal, StderrLock, Write};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::unfinished;

/// The exit status of a command that was stopped: 128 and the number of SIGINT, as shells say it.
pub const STATUS: u8 = 130;

static HANDLER: OnceLock<Result<(), String>> = OnceLock::new();

/// Lets Ctrl-C (and SIGTERM) remove the files in the making before it ends the program, and say so.
///
/// # Errors
/// When the system lets no handler be set.
pub fn tidy_up() -> Result<(), String> {
    let set = HANDLER.get_or_init(|| {
        ctrlc::set_handler(|| unfinished::abandon()).map_err(|e| format!("can't watch for Ctrl-C: {e}"))
    });
    set.clone()
}

/// Says that the command was stopped, in place of a progress bar on a terminal. While the lock is held, no bar is drawn after it.
pub fn say(written: &[PathBuf]) -> StderrLock<'static> {
    let mut stderr = io::stderr().lock();
    // To the line's beginning, and all of the line erased: the bar, and the terminal's own ^C.
    let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
    // Whom could a failure be told?
    let _ = writeln!(stderr, "{clear}tollgate: {}", sentence(written));
    stderr
}

fn sentence(written: &[PathBuf]) -> String {
    if written.is_empty() {
        return "stopped; nothing was written".to_owned();
    }
    let names: Vec<_> = written.iter().map(|path| path.display().to_string()).collect();
    format!("stopped; written before: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_finished_before_is_named() {
        assert_eq!(sentence(&[]), "stopped; nothing was written");
        let written = ["trace.csv", "report.html"].map(PathBuf::from);
        assert_eq!(sentence(&written), "stopped; written before: trace.csv, report.html");
    }
}
