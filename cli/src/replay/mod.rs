//! `tollgate replay`: a trace under any setting, by the real engine with an exact set beside it.
//!
//! The way of the data is the order of the modules: `settings` (what is tried) -> `reading` (the trace, through the
//! `course`) -> `ranking` -> `answer` (JSON), `table` (for people), `report` (a page).

mod answer;
pub mod course;
mod exact;
mod lane;
mod outcome;
mod over_time;
mod ranking;
mod reading;
mod report;
mod setting;
mod settings;
mod table;
mod tally;

use std::path::PathBuf;

use clap::Args;

use crate::options::milliseconds;
use crate::unfinished::UnfinishedText;
use crate::{files, interrupt, Outcome};
use answer::Answer;
use course::Course;
use reading::Reading;
use settings::Compared;

/// Mixes the producer IDs; always the same, so that two replays of one trace say the same.
const SEED: u64 = 0x7011_6a7e_5eed;

/// The command line.
#[derive(Args)]
#[command(after_help = "Examples:
  tollgate replay trace.csv --rate 50 --compare layers=4,8,16 window=30m,1h --html report.html
  printf 'time_ms,principal,producer_id\\n1796063100000,alice,1\\n1796063100005,alice,2\\n' | tollgate replay - --rate 1

Exit status: 0 all was read, 2 bad lines were skipped (and counted), 1 it could not be done.")]
pub struct Arguments {
    /// Who was seen when, in the order of time; - is the standard input. CSV with the columns time_ms, principal and producer_id, or
    /// a JSON object a line with these fields. Times are milliseconds since 1970, or such as 2026-11-30T18:25:00Z
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    #[command(flatten)]
    single: settings::Single,
    /// Try each value with each of the others, in place of the option's: window, layers, rate, burst
    #[arg(long, value_name = "OPTION=VALUES", num_args = 1.., value_parser = settings::compared)]
    compare: Vec<Compared>,
    /// As on a broker with the agent: an ID that passed within this time (producer.id.expiration.ms; a broker's own is 24h) is
    /// in its partition still, and passes uncharged; without it the engine alone decides
    #[arg(long, value_parser = milliseconds)]
    expiration: Option<u64>,
    /// Count lines that are wrong and go on, where otherwise the first one ends the replay
    #[arg(long)]
    skip_bad_lines: bool,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    /// Write a page with plots
    #[arg(long, value_name = "REPORT.html")]
    html: Option<PathBuf>,
}

/// Replays the trace and prints what came of it.
///
/// # Errors
/// A sentence that names the option or the file, the line, the value and the range.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, String> {
    let settings = settings::all(&arguments.single, &arguments.compare)?;
    for setting in &settings {
        settings::check(setting)?;
    }
    let mut course = Course::new(&settings, SEED)?;
    if let Some(expiration) = arguments.expiration {
        course = course.on_a_broker(expiration);
    }
    // Without a handler the worst is that nothing is said.
    let _ = interrupt::tidy_up();
    // Before the trace is read, which may take an hour.
    let page = arguments.html.as_deref().map(UnfinishedText::create).transpose()?;
    let read = Reading::of(&arguments.trace, course, arguments.skip_bad_lines)?;
    let skipped = read.skipped_lines;
    if let Some(said) = &read.first_bad_line {
        let others = if skipped > 1 { format!(" and {} more", skipped - 1) } else { String::new() };
        eprintln!("tollgate: skipped: {said}{others}");
    }
    let answer = Answer::of(read);
    if let Some(page) = page {
        page.write(&report::html(&answer)?)?;
    }
    if arguments.json {
        files::print_json(&answer)?;
    } else {
        files::print(table::text(&answer))?;
    }
    Ok(if skipped > 0 { Outcome::Skipped } else { Outcome::Complete })
}
