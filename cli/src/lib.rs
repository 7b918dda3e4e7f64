//! `tollgate`, the operator's tool. This file only reads the command line; each subcommand is a module.

mod calendar;
mod demo_report;
mod dispatch_report;
mod files;
mod heap;
pub mod kafka_log;
mod markdown;
mod page;
mod picture;
mod rates_report;
pub mod replay;
mod size;
mod text;
pub mod trace;
mod unfinished;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "tollgate", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What a quota costs before it is set: the filter's memory, and the broker's heap in the worst case
    Size(size::Arguments),
    /// Render what the demo measured as a page and as a picture
    DemoReport(demo_report::Arguments),
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
        Command::Size(arguments) => size::run(&arguments),
        Command::DemoReport(arguments) => demo_report::run(&arguments),
        Command::DispatchReport(arguments) => dispatch_report::run(&arguments),
        Command::RatesReport(arguments) => rates_report::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("tollgate: {message}");
            ExitCode::FAILURE
        }
    }
}
