//! Puts what the benchmarks left under target/ into one table: target/bench/report.json, docs/benchmarks.md, the terminal.
//!
//! Fails when a target was not measured, unless TOLLGATE_BENCH_PARTIAL=1 or QUICK=1 asks for what there is; then
//! docs/benchmarks.md is left as it is, and the page goes to target/bench/benchmarks.md.

#[path = "../common/mod.rs"]
mod common;
mod machine;
mod results;
mod rows;

use machine::Fact;
use results::{Results, Source};
use rows::{Row, Target, FURTHER, TARGETS, WHY};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

const INTRO: &str = "\
# Benchmarks

Written by `make bench`; what is measured and how stands at the head of each file in `benches/` and `java/bench/`.

Compare rows within this page only: ratios are what counts, and both sides of one come from the same run on the same
machine. The times are this machine's. A time is the median of its samples. Ids come in an order without pattern; every answer
is checked, so that a benchmark which strays from the path that its name says fails.

Four layers at P = 0.001 throughout, the state after some hours: \"4 x 250,000\" has 250,000 ids in each live layer.
fastbloom is an atomic Bloom filter of the same capacity and P in all, which never forgets. \"A dependent cache miss\" is one
step of a pointer chase over as many bytes as the newest layer has. governor reads a clock that costs it one relaxed load.
commons' LayeredBloomFilter is asked as its documentation says, with a Hasher, for which it makes a filter of full size at each
call; the further measurements have it hashed in advance, and its layers walked by hand, which is how one would ask it.

Built as a user builds it, without flags. Nothing is chosen by the processor at run time: `-C target-cpu=native` made Known no
faster (21.4, 19.5 and 82 ns against 17.0, 19.7 and 77 at the three sizes, on the machine below). What a hit costs is its cache
line and the two locked instructions of one arc-swap load.
";

/// A row with its numbers.
struct Measured {
    row: &'static Row,
    ours: Option<f64>,
    peers: Option<f64>,
}

impl Measured {
    fn of(row: &'static Row, results: &Results) -> Self {
        Self { row, ours: results.value(row.ours), peers: results.value(row.peers) }
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.ours? / self.peers?)
    }

    /// `None`: no target, or not measured.
    fn met(&self) -> Option<bool> {
        match self.row.target? {
            Target::TimesPeer(times) => self.ratio().map(|ratio| ratio <= times),
            Target::AtMost(limit) => self.ours.map(|ours| ours <= limit),
            Target::AtLeast(limit) => self.ours.map(|ours| ours >= limit),
        }
    }

    fn target(&self) -> String {
        let unit = self.row.unit;
        match self.row.target {
            None => String::new(),
            Some(Target::TimesPeer(times)) if times < 1.0 => format!("≤ 1/{:.0} x peer", 1.0 / times),
            Some(Target::TimesPeer(times)) => format!("≤ {times} x peer"),
            Some(Target::AtMost(limit)) => format!("≤ {limit} {unit}"),
            Some(Target::AtLeast(limit)) => format!("≥ {limit} {unit}"),
        }
    }

    fn has_peer(&self) -> bool {
        !matches!(self.row.peers, Source::Nothing)
    }

    fn is_whole(&self) -> bool {
        self.ours.is_some() && (self.peers.is_some() || !self.has_peer())
    }

    fn json(&self) -> serde_json::Value {
        let mut value = json!({
            "name": self.row.name,
            "peer": Some(self.row.peer).filter(|_| self.has_peer()),
            "ratio": self.ratio(),
            "target": Some(self.target()).filter(|target| !target.is_empty()),
            "met": self.met(),
        });
        if self.row.unit == "ns" {
            value["ours_ns"] = json!(self.ours);
            value["peer_ns"] = json!(self.peers);
        } else {
            value["unit"] = json!(self.row.unit);
            value["ours"] = json!(self.ours);
            value["peer_value"] = json!(self.peers);
        }
        value
    }

    /// The cells of its line: name, ours, peer, peer's, ratio; with a target that and whether it is met.
    fn cells(&self, with_target: bool) -> Vec<String> {
        let number = |value: Option<f64>| match value {
            Some(value) => format!("{} {}", rounded(value), self.row.unit),
            None => "not measured".to_owned(),
        };
        let peers = if self.has_peer() { number(self.peers) } else { String::new() };
        let ratio = self.ratio().map_or(String::new(), rounded);
        let mut cells =
            vec![self.row.name.to_owned(), number(self.ours), self.row.peer.to_owned(), peers, ratio];
        if with_target {
            cells.push(self.target());
            cells.push(match self.met() {
                Some(true) => "yes".to_owned(),
                Some(false) => "**no**".to_owned(),
                None => "not measured".to_owned(),
            });
        }
        cells
    }
}

/// Three digits are more than a machine repeats.
fn rounded(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

/// A Markdown table whose columns also line up on a terminal; `left` columns are text.
fn table(out: &mut String, head: &[&str], left: &[bool], lines: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.chain([head[column].chars().count(), 3]).max().unwrap()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut line = |cells: &[String]| {
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            let _ = if left[column] {
                write!(out, "| {cell:<width$} ")
            } else {
                write!(out, "| {cell:>width$} ")
            };
        }
        out.push_str("|\n");
    };
    line(&head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
    let rule = |column: usize| {
        let dashes = "-".repeat(widths[column] - 1);
        if left[column] {
            format!("{dashes}-")
        } else {
            format!("{dashes}:")
        }
    };
    line(&(0..head.len()).map(rule).collect::<Vec<_>>());
    lines.iter().for_each(|cells| line(cells));
}

fn page(machine: &[Fact], targets: &[Measured], further: &[Measured]) -> String {
    let mut out = INTRO.to_owned();
    out.push_str("\n## Targets\n\n");
    let lines: Vec<_> = targets.iter().map(|row| row.cells(true)).collect();
    let head = ["what", "Tollgate", "peer", "peer's", "ratio", "target", "met"];
    table(&mut out, &head, &[true, false, true, false, false, true, true], &lines);
    let missed: Vec<_> = targets.iter().filter(|row| row.met() == Some(false)).collect();
    if !missed.is_empty() {
        out.push_str("\nMissed, and why:\n\n");
        for row in missed {
            let why = WHY.iter().find(|(name, _)| *name == row.row.name);
            let _ = writeln!(out, "- {}: {}.", row.row.name, why.map_or("not explained yet", |why| why.1));
        }
    }
    out.push_str("\n## Further measurements\n\n");
    let lines: Vec<_> = further.iter().map(|row| row.cells(false)).collect();
    table(&mut out, &head[..5], &[true, false, true, false, false], &lines);
    out.push_str("\n## Machine\n\n");
    let lines: Vec<_> = machine.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect();
    table(&mut out, &["what", "is"], &[true, true], &lines);
    out
}

fn main() -> ExitCode {
    for (name, _) in WHY {
        assert!(TARGETS.iter().any(|row| row.name == *name), "a reason for a row that is none: {name}");
    }
    let results = Results::find();
    let partial =
        common::quick() || std::env::var_os("TOLLGATE_BENCH_PARTIAL").is_some_and(|value| value == "1");
    let measured =
        |rows: &'static [Row]| rows.iter().map(|row| Measured::of(row, &results)).collect::<Vec<_>>();
    let (targets, further) = (measured(TARGETS), measured(FURTHER));
    let machine = machine::describe(results.jvm());

    let facts: serde_json::Map<_, _> =
        machine.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let rows: Vec<_> = targets.iter().chain(&further).map(Measured::json).collect();
    let report = json!({ "machine": facts, "quick": common::quick(), "rows": rows });
    std::fs::create_dir_all(results.dir()).unwrap();
    let text = serde_json::to_string_pretty(&report).unwrap();
    std::fs::write(results.dir().join("report.json"), text + "\n").unwrap();

    let page = page(&machine, &targets, &further);
    let missing = targets.iter().filter(|row| !row.is_whole()).count();
    let whole = missing == 0 && !partial;
    let file = if whole {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/benchmarks.md")
    } else {
        results.dir().join("benchmarks.md")
    };
    std::fs::write(&file, &page).unwrap();
    print!("{}", page.strip_prefix(INTRO).unwrap());
    println!("\nwritten: {}", file.display());
    let met = targets.iter().filter(|row| row.met() == Some(true)).count();
    println!("{met} of {} targets met, {missing} not measured", targets.len());
    if missing > 0 && !partial {
        eprintln!(
            "report: {missing} targets were not measured; TOLLGATE_BENCH_PARTIAL=1 reports without them"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
