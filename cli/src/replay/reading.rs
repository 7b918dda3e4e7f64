//! Reads a trace through the course, and shows how far it is.

use std::path::Path;

use super::course::{Course, Outcome};
use crate::progress;
use crate::trace::{TraceError, TraceReader};

/// Sights between two looks at the clock.
const STRIDE: u64 = 1 << 12;

/// What was read, and what came of it.
pub struct Reading {
    /// As the command line has it.
    pub trace: String,
    pub bytes: u64,
    pub sights: u64,
    pub from_ms: u64,
    pub to_ms: u64,
    pub skipped_lines: u64,
    /// What was said of it.
    pub first_bad_line: Option<String>,
    /// The course's.
    pub longest_pause_ms: u64,
    /// In the order of the settings.
    pub outcomes: Vec<Outcome>,
}

impl Reading {
    /// Reads the trace to its end.
    ///
    /// # Errors
    /// What can't be read, a trace without a sight, and a bad line unless these are skipped.
    pub fn of(trace: &Path, mut course: Course, skips: bool) -> Result<Self, String> {
        let mut reader = TraceReader::open(trace)?;
        // A pipe has no end that could be known.
        let bar = reader.bytes().map_or_else(|| progress::steps("sights replayed"), progress::bytes);
        let (mut sights, mut skipped_lines, mut first_bad_line) = (0_u64, 0, None);
        let (mut from_ms, mut to_ms) = (0, 0);
        while let Some(read) = reader.next() {
            match read {
                Ok(sight) => {
                    if sights == 0 {
                        from_ms = sight.time_ms;
                    }
                    to_ms = sight.time_ms;
                    sights += 1;
                    let name = reader.principals().get(sight.principal as usize).map_or("", String::as_str);
                    let see = if sight.is_held { Course::held } else { Course::sight };
                    see(&mut course, sight.time_ms, sight.principal, name, sight.producer_id);
                }
                Err(TraceError::BadLine(said)) if skips => {
                    skipped_lines += 1;
                    first_bad_line.get_or_insert(said);
                }
                Err(TraceError::BadLine(said)) => {
                    bar.finish_and_clear();
                    return Err(format!("{said} (--skip-bad-lines counts such lines and goes on)"));
                }
                Err(TraceError::Unreadable(said)) => {
                    bar.finish_and_clear();
                    return Err(said);
                }
            }
            if (sights + skipped_lines).is_multiple_of(STRIDE) {
                bar.set_position(reader.bytes().map_or(sights, |_| reader.bytes_read()));
            }
        }
        bar.finish_and_clear();
        if sights == 0 {
            let skipped = if skipped_lines > 0 { " that can be read" } else { "" };
            return Err(format!("{}: has no sight{skipped}", trace.display()));
        }
        Ok(Self {
            trace: trace.display().to_string(),
            bytes: reader.bytes_read(),
            sights,
            from_ms,
            to_ms,
            skipped_lines,
            first_bad_line,
            longest_pause_ms: course.longest_pause_ms(),
            outcomes: course.finish(),
        })
    }
}
