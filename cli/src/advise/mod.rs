//! `tollgate advise`: which quota to set, from what a broker has already written. Reads producer snapshots and the headers of
//! batches, and writes nothing to the directories.
//!
//! The way of the data is the order of the modules: [`scan`] (files, side by side) -> [`partition`] (a batch becomes a sight) ->
//! [`ids`] (what is known of an ID, within the [`budget`] of memory) -> [`counts`] -> [`recommend`] -> [`candidates`] (the engine over
//! the sights in their [`order`]) -> [`report`] -> [`table`] and [`page`].
//!
//! Memory: the tables of IDs take `--memory` at most, and half as much again while one of them grows; beyond, one in 2, 4, 8 … IDs is
//! kept, and stands for the others. The summing up takes as much once more. Up to 150 kB a partition, and a buffer for each file that is open.

mod activity;
mod ages;
mod bins;
mod budget;
mod candidates;
mod counts;
mod findings;
mod ids;
mod live;
mod order;
mod page;
mod partition;
mod principals;
mod recommend;
mod report;
mod scan;
mod spans;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use tollgate::Quota;

use budget::Budget;
use order::InTimeOrder;
use principals::Principals;
use report::{Question, Report};
use scan::{Options, Scan};

use crate::kafka_log::LogDirectory;
use crate::trace::TraceWriter;
use crate::unfinished::UnfinishedText;
use crate::{files, interrupt, options, progress, text, Outcome};

#[derive(Args)]
#[command(after_help = "Examples:
  tollgate advise /var/lib/kafka/data
  tollgate advise target/demo/stock-data --html report.html --trace trace.csv

Exit status: 0 all was read, 2 something was skipped (and is named), 1 it could not be done.")]
pub struct Arguments {
    /// What log.dirs of one broker names; it may be running
    #[arg(value_name = "LOG_DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Whose each topic is: lines of topic,principal; a topic may end in *. By itself each topic is one principal
    #[arg(long, value_name = "FILE.csv")]
    principals: Option<PathBuf>,
    /// All of the broker is one principal's
    #[arg(long, conflicts_with = "principals")]
    one_principal: bool,
    /// Try this quota too, new producer IDs per hour and principal; may be given several times
    #[arg(long = "rate", value_name = "RATE", value_parser = options::rate)]
    rates: Vec<f64>,
    /// How long the broker keeps a producer ID that is silent (producer.id.expiration.ms)
    #[arg(long, default_value = "24h", value_parser = options::milliseconds)]
    expiration: u64,
    /// Who is alive at this time, as 2026-11-30T18:00:00Z; by itself, at that of the newest batch
    #[arg(long, value_parser = humantime::parse_rfc3339_weak)]
    at: Option<SystemTime>,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
    /// Write a page with plots
    #[arg(long, value_name = "REPORT.html")]
    html: Option<PathBuf>,
    /// Write a trace for `tollgate replay`: time, principal, producer ID, and whether it is older than the log
    #[arg(long, value_name = "TRACE.csv")]
    trace: Option<PathBuf>,
    /// Read the bodies of batches too, and check their CRC
    #[arg(long)]
    check_crc: bool,
    /// Files read at once; by itself one for each processor
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: Option<u64>,
    /// Memory for the tables of producer IDs, MiB; beyond, a part of them stands for all
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    memory: u64,
}

/// Reads, and prints the report.
///
/// # Errors
/// A sentence that names the directory, file or option, and what is wrong with it.
pub fn run(arguments: &Arguments) -> Result<Outcome, String> {
    let started = Instant::now();
    interrupt::tidy_up()?;
    let principals = match &arguments.principals {
        Some(path) => Principals::read(path)?,
        None if arguments.one_principal => Principals::One,
        None => Principals::ByTopic,
    };
    for rate in &arguments.rates {
        Quota::per_hour(*rate, 1.0).map_err(|said| options::refused(&said))?;
    }
    let directories = directories(&arguments.directories)?;
    for output in arguments.html.iter().chain(&arguments.trace) {
        check_outside(output, &arguments.directories)?;
    }
    // Before all is read, which may take an hour.
    let html = arguments.html.as_deref().map(UnfinishedText::create).transpose()?;
    let trace = arguments.trace.as_deref().map(TraceWriter::create).transpose()?;
    let budget = Budget::new(usize::try_from(arguments.memory << 20).unwrap_or(usize::MAX));
    let files = directories.iter().flat_map(|directory| &directory.partitions);
    let bytes: u64 = files.flat_map(|partition| &partition.segments).map(|segment| segment.bytes).sum();
    let bar = progress::bytes(bytes);
    let options = Options {
        threads: arguments.threads.map_or_else(processors, |threads| threads as usize),
        check_crc: arguments.check_crc,
        now_ms: milliseconds(SystemTime::now()),
        progress: &bar,
    };
    let mut scan = scan::scan(&directories, &budget, &options);
    bar.finish_and_clear();
    let question = Question {
        directories: directories.iter().map(|directory| directory.path.display().to_string()).collect(),
        principals: &principals,
        rates: &arguments.rates,
        expiration_ms: arguments.expiration,
        at_ms: arguments.at.map(milliseconds),
        memory_mib: arguments.memory,
        seconds: started.elapsed().as_secs_f64(),
    };
    for pattern in principals.unused(&scan.topics) {
        eprintln!("tollgate: --principals: no topic is, or begins as, '{}'", text::printable(pattern));
    }
    if let Some(writer) = trace {
        write_trace(writer, &scan, &principals)?;
    }
    let bar = progress::steps("sights tried under quotas");
    let report = Report::of(&mut scan, question, &bar);
    bar.finish_and_clear();
    let report = report?;
    if let (Some(path), Some(recommended)) = (&arguments.trace, &report.recommendation) {
        if report.sampled_one_in > 1 {
            let many = text::thousands(report.sampled_one_in);
            eprintln!("the trace holds one in {many} IDs: give `tollgate replay` as much less of a rate");
        }
        eprintln!(
            "the trace: tollgate replay {} {} --expiration {}",
            path.display(),
            recommended.options(),
            options::duration(report.expiration_ms)
        );
    }
    if let Some(html) = html {
        html.write(&page::render(&report)?)?;
    }
    if arguments.json {
        files::print_json(&report)?;
    } else {
        files::print(table::text(&report))?;
    }
    Ok(if report.skipped > 0 { Outcome::Skipped } else { Outcome::Complete })
}

/// A reader's panic ends the program anyway: what it left is not looked at again.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn processors() -> usize {
    thread::available_parallelism().map_or(2, usize::from).clamp(2, 16)
}

fn milliseconds(at: SystemTime) -> i64 {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A broker's directories are the broker's.
fn check_outside(output: &Path, directories: &[PathBuf]) -> Result<(), String> {
    // A link leads to where it is written.
    let whole = fs::canonicalize(output).unwrap_or_else(|_| output.to_owned());
    let parent = match whole.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(parent) = fs::canonicalize(parent) else { return Ok(()) };
    let within =
        |directory: &&PathBuf| fs::canonicalize(directory).is_ok_and(|whole| parent.starts_with(whole));
    match directories.iter().find(within) {
        Some(directory) => Err(format!(
            "{} is within {}, to which nothing is written: give another place",
            output.display(),
            directory.display()
        )),
        None => Ok(()),
    }
}

/// All of one broker, or the quota, which each broker has for itself, would be told from several.
fn directories(paths: &[PathBuf]) -> Result<Vec<LogDirectory>, String> {
    let mut directories: Vec<LogDirectory> = Vec::new();
    let mut whole = Vec::new();
    for path in paths {
        let directory = LogDirectory::read(path)?;
        // By links too: what is read twice counts twice.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        if whole.contains(&real) {
            return Err(format!("{} is given twice: once is enough", path.display()));
        }
        whole.push(real);
        let broker = |directory: &LogDirectory| {
            directory.node_id.map(|node_id| (directory.cluster_id.clone().unwrap_or_default(), node_id))
        };
        let ours = broker(&directory);
        let differs = |other: &&LogDirectory| {
            broker(other).is_some_and(|theirs| ours.as_ref().is_some_and(|ours| *ours != theirs))
        };
        if let Some(other) = directories.iter().find(differs) {
            return Err(format!(
                "{} and {} belong to different brokers (meta.properties says so); a quota holds on each broker for itself: run \
                 `tollgate advise` once for each",
                other.path.display(),
                path.display()
            ));
        }
        directories.push(directory);
    }
    Ok(directories)
}

fn write_trace(mut writer: TraceWriter, scan: &Scan<'_>, principals: &Principals) -> Result<(), String> {
    for moment in InTimeOrder::new(scan.ids.iter()) {
        let topic = scan.topics.get(moment.topic as usize).map_or("", String::as_str);
        let (time_ms, producer_id) = (u64::from(moment.at_s) * 1_000, moment.producer_id.unsigned_abs());
        writer.write(time_ms, principals.of(topic), producer_id, moment.is_older)?;
    }
    writer.finish()
}
