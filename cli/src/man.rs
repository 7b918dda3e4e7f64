//! `tollgate man`: the manual pages, from the same definitions as `--help`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgAction, Args, Command};
use clap_mangen::roff::{bold, italic, roman, Roff};
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
    ("130", "It was stopped by Ctrl-C; a file that was not finished is not left."),
];

fn page(command: &Command, exit_status: &[(&str, &str)]) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone())
        .section(SECTION)
        .source(format!("{} {}", commands::NAME, env!("CARGO_PKG_VERSION")))
        .manual("Tollgate");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    synopsis(command, &mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    // clap_mangen puts it under EXTRA and fills the lines, which examples must keep.
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    let after = after.map(ToString::to_string).unwrap_or_default();
    let (examples, sentences): (Vec<_>, Vec<_>) =
        after.split("\n\n").filter_map(Section::of).partition(|section| section.are_lines);
    for section in sentences {
        section.write(&mut out)?;
    }
    if !exit_status.is_empty() {
        let mut roff = Roff::new();
        roff.control("SH", ["EXIT STATUS"]);
        for (status, meaning) in exit_status {
            roff.control("TP", []).text([roman(*status)]).text([roman(*meaning)]);
        }
        roff.to_writer(&mut out)?;
    }
    for section in examples {
        section.write(&mut out)?;
    }
    Ok(out)
}

/// The command's line, with the options' values and with dots after what may stand there several times, both of which clap_mangen
/// leaves out.
fn synopsis(command: &Command, out: &mut impl Write) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut line = vec![bold(name)];
    let shown = || command.get_arguments().filter(|argument| !argument.is_hide_set());
    let options = shown().filter(|argument| !argument.is_positional());
    for argument in options.chain(shown().filter(|argument| argument.is_positional())) {
        let (open, close) = if argument.is_required_set() { ("", "") } else { ("[", "]") };
        line.push(roman(format!(" {open}")));
        let short = argument.get_short().map(|short| format!("-{short}"));
        let long = argument.get_long().map(|long| format!("--{long}"));
        for (index, flag) in short.into_iter().chain(long).enumerate() {
            line.extend((index > 0).then(|| roman("|")));
            line.push(bold(flag));
        }
        let values = argument.get_num_args().unwrap_or_default();
        if values.takes_values() {
            let space = if argument.is_positional() { "" } else { " " };
            let names = argument.get_value_names().unwrap_or_default().join(" ");
            line.extend([roman(space), italic(names)]);
        }
        let takes_several = values.max_values() > 1;
        line.push(roman(if takes_several { "..." } else { "" }));
        line.push(roman(close));
        let stands_several_times = !takes_several && matches!(argument.get_action(), ArgAction::Append);
        line.push(roman(if stands_several_times { "..." } else { "" }));
    }
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND")]);
    }
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]).text(line);
    roff.to_writer(out)
}

/// A part of what stands below the options in the help.
struct Section<'a> {
    head: &'a str,
    text: &'a str,
    /// `Examples:` and lines below it, which are to stay as they are, not a head and its sentence.
    are_lines: bool,
}

impl<'a> Section<'a> {
    /// None for nothing.
    fn of(part: &'a str) -> Option<Self> {
        let part = part.trim_end();
        let (head, text) = part.split_once(':').unwrap_or(("Notes", part));
        let are_lines = text.starts_with('\n');
        (!part.is_empty()).then_some(Self { head, text: text.trim_start_matches(['\n', ' ']), are_lines })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut roff = Roff::new();
        roff.control("SH", [self.head.to_uppercase().as_str()]);
        if self.are_lines {
            roff.control("nf", []);
        }
        for line in self.text.lines() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        if self.are_lines {
            roff.control("fi", []);
        }
        roff.to_writer(out)
    }
}
