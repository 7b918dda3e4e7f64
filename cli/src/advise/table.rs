//! The report for people, on a terminal.

use std::fmt::Write;

use super::recommend::{makes_short_lived, short_lived_share, Recommendation};
use super::report::{Group, PartitionRow, PauseBin, Report};
use crate::text::{
    bar, bytes, count, duration, number, printable, share, sparkline, thousands, time, wrapped,
};

/// Of principals, and of partitions; the page and JSON have all.
const ROWS: usize = 10;
/// Of findings.
const FINDINGS: usize = 20;
const LABEL: usize = 28;
const SPARKLINE: usize = 60;
const BAR: usize = 30;

pub fn text(report: &Report) -> String {
    let mut out = String::new();
    head(&mut out, report);
    totals(&mut out, report);
    principals(&mut out, report);
    partitions(&mut out, report);
    if let Some(recommended) = &report.recommendation {
        candidates(&mut out, report, recommended);
        recommendation(&mut out, report, recommended);
    } else {
        out.push_str("\nNo producer ID was read: there is nothing to recommend a quota by.\n");
    }
    findings(&mut out, report);
    out
}

fn line(out: &mut String, label: &str, value: &str) {
    let _ = writeln!(out, "  {label:<LABEL$}{value}");
}

fn head(out: &mut String, report: &Report) {
    let read = &report.read;
    let speed = read.bytes as f64 / read.seconds.max(1e-3);
    let _ = writeln!(
        out,
        "Read {} and {} of {}: {} of log in {}, {}/s{}",
        count(read.segments, "segment"),
        count(read.snapshots, "producer snapshot"),
        count(report.partitions.len() as u64, "partition"),
        bytes(read.bytes as f64),
        duration(read.seconds * 1e3),
        bytes(speed),
        match report.skipped {
            0 => String::new(),
            1 => "; one thing was skipped (below)".to_owned(),
            many => format!("; {} things were skipped (below)", thousands(many)),
        }
    );
    if let (Some(from), Some(to)) = (report.from_ms, report.to_ms) {
        let _ = writeln!(
            out,
            "Batches from {} to {} UTC, {}",
            time(from),
            time(to),
            duration((to - from) as f64)
        );
    }
    if report.sampled_one_in > 1 {
        let _ = writeln!(
            out,
            "More producer IDs than --memory has room for: one in {} was kept, and stands for the others",
            thousands(report.sampled_one_in)
        );
    }
}

fn totals(out: &mut String, report: &Report) {
    let (batches, counts) = (&report.total.batches, &report.total.counts);
    out.push_str("\nProducer IDs\n");
    let of_ids = |count: u64| {
        format!("{} ({})", thousands(count), share(count as f64 / counts.producer_ids.max(1) as f64))
    };
    line(
        out,
        "in the log",
        &format!(
            "{} in {} batches of {} records",
            thousands(counts.producer_ids),
            thousands(batches.batches),
            thousands(batches.records)
        ),
    );
    if batches.batches_without_producer_id > 0 {
        line(out, "", &format!("{} batches have none", thousands(batches.batches_without_producer_id)));
    }
    if batches.batches_without_time > 0 {
        line(
            out,
            "",
            &format!(
                "{} batches have no time, or one in the future",
                thousands(batches.batches_without_time)
            ),
        );
    }
    line(out, "new in that time", &of_ids(counts.new));
    if counts.older_than_log > 0 {
        line(out, "older than the log", &of_ids(counts.older_than_log));
    }
    line(out, "transactional", &of_ids(counts.transactional));
    line(out, "sent one batch, no more", &of_ids(counts.seen_once));
    let late = match counts.too_young {
        0 => String::new(),
        some => format!("; {} came too late to tell", thousands(some)),
    };
    line(
        out,
        "gone within a minute",
        &format!("{} ({}){late}", thousands(counts.short_lived), share(short_lived_share(counts))),
    );
    line(
        out,
        &format!("alive at {}", time(report.as_of_ms)),
        &format!(
            "{}, {} entries in partitions, {} of broker heap",
            thousands(counts.alive),
            thousands(report.total.held.entries),
            bytes(report.total.held.heap_bytes)
        ),
    );
    let per_hour = &counts.new_per_hour;
    let new = if per_hour.hours < 2 {
        format!("{}, all in one clock hour", thousands(per_hour.most))
    } else {
        format!(
            "{} at the median, {} in 95 % of hours at most, {} in the busiest",
            thousands(per_hour.median),
            thousands(per_hour.p95),
            thousands(per_hour.most)
        )
    };
    line(out, "new per hour", &new);
    if report.new_by_hour.new.len() > 1 {
        let hours: Vec<f64> = report.new_by_hour.new.iter().map(|new| f64::from(*new)).collect();
        line(out, "", &sparkline(&hours, SPARKLINE));
    }
    let returns = &counts.returns;
    if returns.count == 0 {
        line(out, "come back after a minute", "none");
        return;
    }
    let pause = |seconds: u32| duration(f64::from(seconds) * 1e3);
    line(
        out,
        "come back after a minute",
        &format!(
            "{} times; after {} at the median, {} in 95 % at most, {} at the longest",
            thousands(returns.count),
            pause(returns.median_s),
            pause(returns.p95_s),
            pause(returns.most_s)
        ),
    );
    for bin in &report.return_histogram {
        if bin.count > 0 {
            let part = bin.count as f64 / returns.count as f64;
            line(
                out,
                &format!("  {}", pause_label(bin)),
                &format!("{:<BAR$} {}", bar(part, BAR), thousands(bin.count)),
            );
        }
    }
}

/// Where a bin of pauses ends.
pub fn pause_label(bin: &PauseBin) -> String {
    match bin.up_to_s {
        Some(seconds) => format!("up to {}", duration(f64::from(seconds) * 1e3)),
        None => "longer".to_owned(),
    }
}

/// Columns that line up; the first is text.
fn columns(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(head.get(column).map(|cell| cell.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut write = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::from(" ");
        for (column, (cell, width)) in cells.zip(&widths).enumerate() {
            let _ =
                if column == 0 { write!(text, " {cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    write(&mut head.iter().copied());
    rows.iter().for_each(|row| write(&mut row.iter().map(String::as_str)));
}

fn left_off(out: &mut String, rows: usize) {
    if rows > ROWS {
        let _ = writeln!(out, "  and {} more: --json has all", thousands((rows - ROWS) as u64));
    }
}

fn principals(out: &mut String, report: &Report) {
    out.push_str("\nPrincipals that make most (by itself each topic counts as one: --principals)\n");
    let row = |row: &super::report::PrincipalRow| {
        let counts = &row.counts;
        let short = share(short_lived_share(counts));
        let mark = if makes_short_lived(counts) { " !" } else { "" };
        vec![
            format!("{}{mark}", printable(&row.name)),
            thousands(counts.new),
            thousands(counts.new_per_hour.median),
            thousands(counts.new_per_hour.p95),
            thousands(counts.new_per_hour.most),
            short,
            thousands(counts.alive),
        ]
    };
    let rows: Vec<_> = report.principals.iter().take(ROWS).map(row).collect();
    columns(out, &["", "new", "median hour", "95 %", "busiest", "gone in a minute", "alive"], &rows);
    left_off(out, report.principals.len());
    if report.principals.iter().any(|row| makes_short_lived(&row.counts)) {
        out.push_str("  ! makes producers that it soon throws away\n");
    }
}

fn partitions(out: &mut String, report: &Report) {
    out.push_str("\nPartitions that hold most\n");
    let largest = report.largest_partitions();
    let row = |row: &&PartitionRow| {
        vec![
            format!("{}-{}", printable(&row.topic), row.partition),
            thousands(row.measured.counts.alive),
            bytes(row.measured.held.heap_bytes),
            thousands(row.measured.counts.new),
            thousands(row.measured.counts.new_per_hour.most),
            thousands(row.measured.counts.transactional),
            thousands(row.measured.counts.returns.count),
        ]
    };
    let rows: Vec<_> = largest.iter().take(ROWS).map(row).collect();
    columns(out, &["", "alive", "heap", "new", "busiest hour", "transactional", "returns"], &rows);
    left_off(out, largest.len());
}

fn candidates(out: &mut String, report: &Report, recommended: &Recommendation) {
    out.push_str("\nWhat a quota would have throttled, by principal and hour\n");
    let row = |candidate: &super::candidates::Candidate| {
        let is_recommended = candidate.rate_per_hour == recommended.producer_ids_rate;
        vec![
            format!("{}{}", number(candidate.rate_per_hour), if is_recommended { " *" } else { "" }),
            thousands(candidate.throttled_ids),
            share(candidate.throttled_share),
            thousands(candidate.principals_throttled),
            bytes(candidate.worst_heap_bytes),
        ]
    };
    let rows: Vec<_> = report.candidates.iter().map(row).collect();
    columns(out, &["producer_ids_rate", "IDs", "of new ones", "principals", "heap if all use it up"], &rows);
    out.push_str("  * recommended\n");
}

fn recommendation(out: &mut String, report: &Report, recommended: &Recommendation) {
    let _ = writeln!(out, "\nRecommended: {}", recommended.summary());
    for reason in &recommended.reasons {
        let _ = writeln!(out, "{}", wrapped(&printable(reason), ("  - ", "    "), 100));
    }
    out.push_str("\n  In server.properties, beside the agent (docs/kafka.md):\n");
    for property in recommended.properties() {
        let _ = writeln!(out, "    {property}");
    }
    let _ = writeln!(out, "  What it costs:\n    {}", report.size_command(recommended));
}

fn findings(out: &mut String, report: &Report) {
    if report.findings.is_empty() {
        return;
    }
    let kinds: Vec<String> =
        report.findings_by_kind.iter().map(|(kind, count)| format!("{kind} {}", thousands(*count))).collect();
    let _ = writeln!(out, "\nFound on the way: {}", kinds.join(", "));
    let (skipped, ignored): (Vec<Group<'_>>, Vec<Group<'_>>) =
        report.finding_groups().into_iter().partition(|group| group.first.skipped);
    for group in skipped.iter().take(FINDINGS) {
        let _ = writeln!(out, "  skipped: {}", group.text());
    }
    if skipped.len() > FINDINGS || report.skipped > 1_000 {
        out.push_str("  and more were skipped: --json has the first 1,000\n");
    }
    for group in ignored.iter().take(FINDINGS) {
        let _ = writeln!(out, "  {}", group.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_have_no_trailing_spaces() {
        let mut out = String::new();
        columns(
            &mut out,
            &["", "n"],
            &[vec!["a".to_owned(), "1,000".to_owned()], vec!["bcd".to_owned(), "1".to_owned()]],
        );
        assert_eq!(out, "           n\n  a    1,000\n  bcd      1\n");
    }
}
