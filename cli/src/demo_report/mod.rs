//! `tollgate demo-report`: the demo's numbers as one self-contained HTML page, and its three plots as one SVG.
//!
//! The way of the data is the order of the modules: [`data`] (what the demo wrote) -> [`plot`] (drawn with
//! `plotters`, see [`crate::picture`]) -> [`page`] (the HTML around it).

mod data;
mod page;
mod plot;

use std::path::{Path, PathBuf};

use self::data::Demo;
use crate::files;

/// Files in and out.
#[derive(clap::Args)]
#[command(after_help = "Example, after `make demo`:
  tollgate demo-report target/demo/samples.json target/demo/report.json --html report.html")]
pub struct Arguments {
    /// The demo's readings over time
    #[arg(value_name = "SAMPLES.json")]
    samples: PathBuf,
    /// The demo's results
    #[arg(value_name = "REPORT.json")]
    report: PathBuf,
    /// Where to write the page
    #[arg(long, value_name = "OUT.html")]
    html: PathBuf,
    /// Where to write the three plots as one picture
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
}

/// Reads both files and writes what was asked for.
///
/// # Errors
/// A sentence that names the file and what is wrong with it.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let demo = Demo { series: parse(&arguments.samples)?, results: parse(&arguments.report)? };
    files::write(&arguments.html, &page::render(&demo)?)?;
    if let Some(svg) = &arguments.svg {
        files::write(svg, &plot::picture(&demo)?)?;
    }
    Ok(())
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    serde_json::from_str(&files::read(path)?)
        .map_err(|e| format!("{} is not what the demo writes: {e}", path.display()))
}
