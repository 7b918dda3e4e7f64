//! The part of docs/dispatch.md that is measured: two tables and what is to be seen in them.

use std::fmt::Write;

use super::consumer::{Estimate, PACE, QUEUE};
use super::scenario::{Report, DEFAULT_READ_BATCH, KINDS, READ_BATCH, SECONDS};
use crate::markdown::table;
use crate::text::thousands;

pub fn generated(report: &Report) -> String {
    let mut text = format!(
        "Four consumers of one broker for {SECONDS} seconds, at most {READ_BATCH} entries a read. Each has a queue of {} messages and \
         handles {} a second. \"Beyond\" are messages in a push above the permits.\n\n",
        thousands(QUEUE),
        thousands(PACE * 1000),
    );
    text += &table(
        &[
            "entries hold",
            "estimate",
            "messages sent",
            "reads",
            "beyond, first push",
            "most in a later one",
            "mean of all",
            "most held at once",
            "without work",
        ],
        2,
        &runs(report),
    );
    let waits = report.runs.iter().flat_map(|run| &run.tallies).map(|tally| tally.longest_wait);
    let wait = waits.max().unwrap_or(0);
    let default_first = report.default_read_batch.tallies[2].first_beyond;
    let _ = write!(
        text,
        "\n\"Without work\" is the time that a consumer's messages would have filled and did not, after its first ones. Nobody \
         starves: a consumer with permits never waited longer than {wait} ms for its turn, with those below zero beside it (D5). \
         With Pulsar's default of {DEFAULT_READ_BATCH} entries a read, the first push of 1000 per entry without the estimate is {} \
         beyond.\n\nOne consumer alone, whose entries change after each hundredth push:\n\n",
        thousands(default_first),
    );
    text += &table(
        &[
            "average, then the entries",
            "pushes until within 10 %",
            "most beyond in a push",
            "pushes of more than an entry beyond",
            "pushes of less than half the permits",
            "without work",
        ],
        1,
        &changes(report),
    );
    text
}

fn runs(report: &Report) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (index, kind) in KINDS.iter().enumerate() {
        for estimate in Estimate::ALL {
            let tally = report.tally(index, estimate);
            lines.push(vec![
                kind.name.to_owned(),
                estimate.name().to_owned(),
                thousands(tally.sent),
                thousands(tally.reads),
                thousands(tally.first_beyond),
                thousands(tally.most_beyond_later),
                thousands(tally.mean_beyond().round() as u64),
                thousands(tally.most_held),
                format!("{} ms", thousands(tally.idle_ms())),
            ]);
        }
    }
    lines
}

fn changes(report: &Report) -> Vec<Vec<String>> {
    let line = |change: super::scenario::Change| {
        vec![
            change.what.to_owned(),
            change.settled.map_or("not within these".to_owned(), |pushes| pushes.to_string()),
            thousands(change.most_beyond),
            change.too_much.to_string(),
            change.too_little.to_string(),
            format!("{} ms", thousands(change.idle_ms)),
        ]
    };
    report.changes().into_iter().map(line).collect()
}
