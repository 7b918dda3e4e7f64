//! `tollgate`, the operator's tool. This file only reads the command line; each subcommand is a module.

mod advise;
mod calendar;
mod commands;
mod completions;
mod demo_report;
mod dispatch_report;
mod files;
mod heap;
mod interrupt;
pub mod kafka_log;
mod man;
mod markdown;
mod options;
mod page;
mod picture;
mod progress;
mod rates_report;
pub mod replay;
mod size;
mod text;
pub mod trace;
mod unfinished;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// How a command ended that could do its work.
enum Outcome {
    /// With all of it.
    Complete,
    /// It had to skip something, and has named it.
    Skipped,
}

/// The exit status of [`Outcome::Skipped`].
const SKIPPED: u8 = 2;

#[derive(Parser)]
#[command(name = "tollgate", version, about)]
#[command(after_help = "Examples:
  tollgate size --rate 1000 --principals 200 --partitions 50
  tollgate advise /var/lib/kafka/data --html report.html --trace trace.csv
  tollgate replay trace.csv --rate 50 --compare layers=4,8 window=30m,1h")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What a quota costs before it is set: the filter's memory, and the broker's heap in the worst case
    Size(size::Arguments),
    /// Which quota to set, and whom it would have hit: from what a broker has already written to its log directories
    Advise(advise::Arguments),
    /// What a quota would have done to a trace of producer IDs, by the real engine, under one setting or several
    Replay(replay::Arguments),
    /// Render what the demo measured as a page and as a picture
    #[command(hide = true)]
    DemoReport(demo_report::Arguments),
    /// Print what a shell needs to complete commands and options
    Completions(completions::Arguments),
    /// Print or write the manual pages
    Man(man::Arguments),
    /// Simulate a dispatcher with and without the estimate of messages per entry, for docs/dispatch.md
    #[command(hide = true)]
    DispatchReport(dispatch_report::Arguments),
    /// Render what the experiment of docs/rates.md saw
    #[command(hide = true)]
    RatesReport(rates_report::Arguments),
}

/// Runs what the command line asks for.
#[must_use]
pub fn run() -> ExitCode {
    let command = match Cli::try_parse() {
        Ok(Cli { command }) => command,
        Err(said) => {
            // Not clap's own status for a wrong command line: 2 is for what a command had to skip.
            let status = if said.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
            let _ = said.print();
            return status;
        }
    };
    let done = match command {
        Command::Size(arguments) => size::run(&arguments).map(|()| Outcome::Complete),
        Command::Advise(arguments) => advise::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::DemoReport(arguments) => demo_report::run(&arguments).map(|()| Outcome::Complete),
        Command::Completions(arguments) => completions::run(&arguments).map(|()| Outcome::Complete),
        Command::Man(arguments) => man::run(&arguments).map(|()| Outcome::Complete),
        Command::DispatchReport(arguments) => dispatch_report::run(&arguments).map(|()| Outcome::Complete),
        Command::RatesReport(arguments) => rates_report::run(&arguments).map(|()| Outcome::Complete),
    };
    match done {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Skipped) => ExitCode::from(SKIPPED),
        Err(message) => {
            eprintln!("tollgate: {message}");
            ExitCode::FAILURE
        }
    }
}
