//! `tollgate demo-report`: the demo's numbers as one self-contained HTML page, and its three plots as one SVG.
//!
//! The way of the data is the order of the modules: [`data`] (what the demo wrote) -> [`plot`] (drawn with
//! `plotters` in plain colours) -> [`theme`] (colours become light and dark) -> [`page`] (the HTML around it).

mod data;
mod page;
mod plot;
mod scale;
mod theme;

use std::fs;
use std::path::{Path, PathBuf};

use self::data::Demo;

/// Files in and out.
#[derive(clap::Args)]
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
    write(&arguments.html, &page::render(&demo)?)?;
    if let Some(svg) = &arguments.svg {
        write(svg, &plot::picture(&demo)?)?;
    }
    Ok(())
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("can't read {}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{} is not what the demo writes: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("can't write {}: {e}", path.display()))
}
