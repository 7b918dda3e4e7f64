//! `tollgate man`: the manual pages, from the same definitions as `--help`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::roff::{roman, Roff};
use clap_mangen::Man;

use crate::{commands, files};

const SECTION: &str = "1";

#[derive(Args)]
#[command(after_help = "Examples:
  tollgate man | man -l -
  tollgate man ~/.local/share/man/man1")]
pub struct Arguments {
    /// Where to write tollgate.1 and a page for each command; without it, tollgate.1 is printed
    dir: Option<PathBuf>,
}

/// Prints the main page, or writes them all.
///
/// # Errors
/// A sentence that names the file and the reason.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let mut main = commands::shown().disable_help_subcommand(true);
    main.build();
    let main_page = page(&main, EXIT_STATUS).map_err(|e| e.to_string())?;
    let Some(dir) = &arguments.dir else {
        return files::print(&main_page);
    };
    files::create_directory(dir)?;
    files::write(&dir.join(format!("{}.{SECTION}", commands::NAME)), &main_page)?;
    for command in main.get_subcommands() {
        let page = page(command, &[]).map_err(|e| e.to_string())?;
        files::write(&dir.join(format!("{}-{}.{SECTION}", commands::NAME, command.get_name())), &page)?;
    }
    Ok(())
}

const EXIT_STATUS: &[(&str, &str)] = &[
    ("0", "The command did all that it was asked for."),
    ("1", "It could not; a message says why. Also for a wrong command line."),
    ("2", "It did, but had to skip some of what it read, and names it."),
];

fn page(command: &Command, exit_status: &[(&str, &str)]) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .section(SECTION)
        .source(format!("{} {}", commands::NAME, env!("CARGO_PKG_VERSION")))
        .manual("Tollgate");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    // clap_mangen puts these under EXTRA and fills the lines, which examples must keep.
    if let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        examples(&text.to_string(), &mut out)?;
    }
    if !exit_status.is_empty() {
        let mut roff = Roff::new();
        roff.control("SH", ["EXIT STATUS"]);
        for (status, meaning) in exit_status {
            roff.control("TP", []).text([roman(*status)]).text([roman(*meaning)]);
        }
        roff.to_writer(&mut out)?;
    }
    Ok(out)
}

/// `Examples:` and the lines below it, as they stand there.
fn examples(text: &str, out: &mut impl Write) -> io::Result<()> {
    let (head, lines) = text.split_once(":\n").unwrap_or(("Notes", text));
    let mut roff = Roff::new();
    roff.control("SH", [head.to_uppercase().as_str()]).control("nf", []);
    for line in lines.lines() {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
    roff.to_writer(out)
}
