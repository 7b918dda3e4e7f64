//! `tollgate rates-report`: what the experiment of Kafka's pull request 12045 saw (java/bench), as the table of docs/rates.md
//! and a picture.
//!
//! The way of the data is the order of the modules: [`data`] (what the experiment wrote) -> [`plot`] and [`page`].

mod data;
mod page;
mod plot;

use std::path::PathBuf;

use self::data::Report;
use crate::{files, markdown};

const COMMAND: &str = "make rates";

/// Files in and out.
#[derive(clap::Args)]
pub struct Arguments {
    /// What the experiment saw
    #[arg(value_name = "RATES.json")]
    rates: PathBuf,
    /// The page, whose part between the two markers is replaced
    #[arg(value_name = "PAGE.md")]
    page: PathBuf,
    /// Where to write the plots
    #[arg(long, value_name = "OUT.svg")]
    svg: PathBuf,
}

/// Reads the experiment's file, and writes page and picture.
///
/// # Errors
/// A sentence that names the file and what is wrong with it.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let wrong = |e: &str| format!("{} is not what the experiment writes: {e}", arguments.rates.display());
    let report: Report =
        serde_json::from_str(&files::read(&arguments.rates)?).map_err(|e| wrong(&e.to_string()))?;
    report.check().map_err(|e| wrong(&e))?;
    let page = files::read(&arguments.page)?;
    let page = markdown::replace(&page, COMMAND, &page::generated(&report))
        .map_err(|e| format!("{} {e}", arguments.page.display()))?;
    files::write(&arguments.svg, &plot::picture(&report)?)?;
    files::write(&arguments.page, &page)
}
