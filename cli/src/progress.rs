//! How far long work is, on a terminal's standard error and nowhere else.

use indicatif::{ProgressBar, ProgressStyle};

fn bar(length: u64, template: &str) -> ProgressBar {
    // Hides itself where standard error is no terminal.
    let bar = ProgressBar::new(length);
    // The templates are constants of this file; a wrong one would show the default.
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Bytes done, how fast, and the time left.
pub fn bytes(length: u64) -> ProgressBar {
    bar(length, "{bar:32} {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left")
}

/// Steps of one kind of work.
pub fn steps(what: &'static str) -> ProgressBar {
    bar(0, "{spinner} {human_pos} {msg}, {elapsed}").with_message(what)
}
