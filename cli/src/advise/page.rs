//! The report as a page: what the terminal's has, with plots.

use super::counts::{Hours, HOUR_S};
use super::recommend::makes_short_lived;
use super::report::{PartitionRow, Report, DRAWN};
use super::table::pause_label;
use crate::page::chart::{BarChart, Line, TimeChart};
use crate::page::{self, Page};
use crate::text::{bytes, duration, escape, number, share, thousands, time};

/// Rows of a table.
const ROWS: usize = 50;

/// # Errors
/// What can't be drawn.
pub fn render(report: &Report) -> Result<String, String> {
    let page = Page::new("Tollgate: which quota to set")
        .lede(&lede(report))
        .section("New producer IDs per hour", &new_ids(report)?)
        .section("What a quota would have throttled", &candidates(report)?)
        .section("Producer IDs that a broker held", &live(report)?)
        .section("How long until an ID comes back", &returns(report)?)
        .section("Principals", &principals(report))
        .section("Partitions that hold most", &partitions(report));
    let page =
        if report.findings.is_empty() { page } else { page.section("Found on the way", &findings(report)) };
    Ok(page.render())
}

fn lede(report: &Report) -> String {
    let (counts, recommended) = (&report.total.counts, &report.recommendation);
    let span = match (report.from_ms, report.to_ms) {
        (Some(from), Some(to)) => format!("Between {} and {} UTC, ", time(from), time(to)),
        _ => String::new(),
    };
    let sampled = match report.sampled_one_in {
        1 => String::new(),
        many => format!(" The counts are estimates from one in {} IDs.", thousands(many)),
    };
    escape(&format!(
        "{span}{} producer IDs wrote {} batches; {} are alive, and cost the broker {} of heap. Recommended: producer_ids_rate={}, \
         a window of {} in {} layers.{sampled}",
        thousands(counts.producer_ids),
        thousands(report.total.batches.batches),
        thousands(counts.alive),
        bytes(report.total.held.heap_bytes),
        number(recommended.producer_ids_rate),
        duration(recommended.window_ms as f64),
        recommended.layers,
    ))
}

fn hourly(first_hour: u32, values: impl Iterator<Item = f64>) -> Vec<(i64, f64)> {
    (i64::from(first_hour)..).map(|hour| hour * i64::from(HOUR_S) * 1_000).zip(values).collect()
}

fn new_ids(report: &Report) -> Result<String, String> {
    let line = |name: &str, hours: &Hours| Line {
        name: name.to_owned(),
        points: hourly(hours.first_hour, hours.new.iter().map(|new| f64::from(*new))),
        is_step: true,
    };
    let chart = TimeChart {
        title: "New producer IDs per hour, by principal".to_owned(),
        unit: "an hour".to_owned(),
        lines: report.principals.iter().take(DRAWN).map(|row| line(&row.name, &row.hours)).collect(),
        limit: Some(("recommended quota".to_owned(), report.recommendation.producer_ids_rate)),
        is_log: report.total.counts.new_per_hour.most as f64 > 20.0 * report.recommendation.producer_ids_rate,
    };
    let caption = format!(
        "The {} that made most. In all: {} at the median, {} in the busiest hour.",
        if report.principals.len() > DRAWN { "three principals" } else { "principals" },
        thousands(report.total.counts.new_per_hour.median),
        thousands(report.total.counts.new_per_hour.most),
    );
    Ok(page::figure(&chart.svg()?, &caption))
}

fn candidates(report: &Report) -> Result<String, String> {
    let recommended = report.recommendation.producer_ids_rate;
    let chart = BarChart {
        title: "Producer IDs that would have been throttled, by producer_ids_rate".to_owned(),
        unit: "IDs".to_owned(),
        bars: report
            .candidates
            .iter()
            .map(|candidate| (number(candidate.rate_per_hour), candidate.throttled_ids as f64))
            .collect(),
        marked: report.candidates.iter().position(|candidate| candidate.rate_per_hour == recommended),
    };
    let rows: Vec<Vec<String>> = report
        .candidates
        .iter()
        .map(|candidate| {
            vec![
                number(candidate.rate_per_hour),
                thousands(candidate.throttled_ids),
                share(candidate.throttled_share),
                thousands(candidate.principals_throttled),
                bytes(candidate.worst_heap_bytes),
                bytes(candidate.engine_bytes as f64),
            ]
        })
        .collect();
    let head = [
        "producer_ids_rate",
        "throttled IDs",
        "of new ones",
        "principals",
        "broker heap if all use it up",
        "engine",
    ];
    let reasons: Vec<String> = report.recommendation.reasons.iter().map(|reason| escape(reason)).collect();
    let memory = match &report.outcome {
        Some(outcome) => {
            let chart = TimeChart {
                title: "Memory of the engine under the recommended quota".to_owned(),
                unit: "bytes".to_owned(),
                lines: vec![Line {
                    name: "engine".to_owned(),
                    points: outcome
                        .over_time
                        .iter()
                        .map(|point| (i64::try_from(point.time_ms).unwrap_or(i64::MAX), point.bytes as f64))
                        .collect(),
                    is_step: false,
                }],
                limit: None,
                is_log: false,
            };
            page::figure(&chart.svg()?, "Outside the Java heap.")
        }
        None => String::new(),
    };
    Ok(format!(
        "{}<ul>\n<li>{}</li>\n</ul>\n{}{memory}",
        page::figure(
            &chart.svg()?,
            "The engine itself, over what the log tells; the recommended quota is marked."
        ),
        reasons.join("</li>\n<li>"),
        page::table(&head, 1, &rows)
    ))
}

fn live(report: &Report) -> Result<String, String> {
    let chart = TimeChart {
        title: "Producer IDs held".to_owned(),
        unit: "IDs".to_owned(),
        lines: vec![Line {
            name: "held".to_owned(),
            points: hourly(report.live.first_hour, report.live.ids.iter().map(|ids| *ids as f64)),
            is_step: false,
        }],
        limit: None,
        is_log: false,
    };
    let caption = format!(
        "At the end of each hour: all that were seen within the {} before.",
        duration(report.expiration_ms as f64)
    );
    Ok(page::figure(&chart.svg()?, &caption))
}

fn returns(report: &Report) -> Result<String, String> {
    let returns = &report.total.counts.returns;
    if returns.count == 0 {
        return Ok("<p>No ID came back after more than a minute.</p>\n".to_owned());
    }
    let chart = BarChart {
        title: "Pauses between two sights of an ID".to_owned(),
        unit: "returns".to_owned(),
        bars: report.return_histogram.iter().map(|bin| (pause_label(bin), bin.count as f64)).collect(),
        marked: None,
    };
    let pause = |seconds: u32| duration(f64::from(seconds) * 1e3);
    let caption = format!(
        "{} returns after more than a minute: {} at the median, {} in 95 % at most, {} at the longest.",
        thousands(returns.count),
        pause(returns.median_s),
        pause(returns.p95_s),
        pause(returns.most_s)
    );
    Ok(page::figure(&chart.svg()?, &caption))
}

fn principals(report: &Report) -> String {
    let rows: Vec<Vec<String>> = report
        .principals
        .iter()
        .take(ROWS)
        .map(|row| {
            let counts = &row.counts;
            vec![
                row.name.clone(),
                if makes_short_lived(counts) { "throws producers away" } else { "" }.to_owned(),
                thousands(counts.producer_ids),
                thousands(counts.new),
                thousands(counts.new_per_hour.median),
                thousands(counts.new_per_hour.p95),
                thousands(counts.new_per_hour.most),
                share(counts.short_lived as f64 / counts.producer_ids.max(1) as f64),
                thousands(counts.alive),
            ]
        })
        .collect();
    let head =
        ["principal", "", "IDs", "new", "an hour, median", "95 %", "most", "gone in a minute", "alive"];
    page::table(&head, 2, &rows)
}

fn partitions(report: &Report) -> String {
    let mut largest: Vec<&PartitionRow> = report.partitions.iter().collect();
    largest
        .sort_by_key(|row| std::cmp::Reverse((row.measured.counts.alive, row.measured.counts.producer_ids)));
    let rows: Vec<Vec<String>> = largest
        .iter()
        .take(ROWS)
        .map(|row| {
            vec![
                format!("{}-{}", row.topic, row.partition),
                thousands(row.measured.batches.batches),
                thousands(row.measured.counts.producer_ids),
                thousands(row.measured.counts.new_per_hour.most),
                thousands(row.measured.counts.transactional),
                thousands(row.measured.counts.alive),
                bytes(row.measured.held.heap_bytes),
            ]
        })
        .collect();
    page::table(
        &["partition", "batches", "IDs", "new, busiest hour", "transactional", "alive", "broker heap"],
        1,
        &rows,
    )
}

fn findings(report: &Report) -> String {
    let row = |finding: &super::report::FindingRow| {
        vec![
            if finding.skipped { "skipped" } else { "read" }.to_owned(),
            finding.file.clone(),
            finding.text.clone(),
            finding.offset.map_or_else(String::new, thousands),
        ]
    };
    let rows: Vec<Vec<String>> = report.findings.iter().take(ROWS).map(row).collect();
    page::table(&["", "file", "what", "at byte"], 3, &rows)
}
