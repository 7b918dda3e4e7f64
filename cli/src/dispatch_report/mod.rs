//! `tollgate dispatch-report`: what the estimate of messages per entry saves, simulated, as the tables of docs/dispatch.md and a
//! picture. No clock and seeded randomness: every run writes the same.
//!
//! The way of the data is the order of the modules: [`batches`] (what entries hold) -> [`consumer`] (permits and messages) ->
//! [`broker`] (turns and time) -> [`scenario`] (the runs) -> [`plot`] and [`page`].

mod batches;
mod broker;
mod consumer;
mod page;
mod plot;
mod scenario;

use std::path::PathBuf;

use self::scenario::Report;
use crate::{files, markdown};

const COMMAND: &str = "make dispatch";

/// Files to write.
#[derive(clap::Args)]
pub struct Arguments {
    /// The page, whose part between the two markers is replaced
    #[arg(value_name = "PAGE.md")]
    page: PathBuf,
    /// Where to write the plots
    #[arg(long, value_name = "OUT.svg")]
    svg: PathBuf,
}

/// Simulates, and writes both files.
///
/// # Errors
/// A sentence that names the file and what is wrong with it.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let report = Report::new();
    let page = files::read(&arguments.page)?;
    let page = markdown::replace(&page, COMMAND, &page::generated(&report))
        .map_err(|e| format!("{} {e}", arguments.page.display()))?;
    files::write(&arguments.svg, &plot::picture(&report)?)?;
    files::write(&arguments.page, &page)
}
