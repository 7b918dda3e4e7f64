//! The report as a page: what the terminal's has, with plots.

use super::bins::{points, Bins};
use super::candidates::Candidate;
use super::counts::HOUR_S;
use super::recommend::{makes_short_lived, short_lived_share, Recommendation};
use super::report::{Group, PrincipalRow, Report, DRAWN};
use super::table::pause_label;
use crate::page::chart::{BarChart, Line, TimeChart};
use crate::page::{self, Page};
use crate::text::{bytes, count, duration, escape, number, share, thousands, time};

/// Rows of a table.
const ROWS: usize = 50;

/// # Errors
/// What can't be drawn.
pub fn render(report: &Report) -> Result<String, String> {
    let mut page = Page::new("Tollgate: which quota to set").lede(&lede(report));
    if let Some(recommended) = &report.recommendation {
        page = page.section("Recommended", &recommendation(report, recommended));
    }
    page = page.section("New producer IDs", &new_ids(report)?);
    if let Some(recommended) = &report.recommendation {
        page = page.section("What a quota would have throttled", &candidates(report, recommended)?);
    }
    page = page
        .section("Producer IDs that a broker held", &live(report)?)
        .section("How long until an ID comes back", &returns(report)?)
        .section("Principals", &principals(report))
        .section("Partitions that hold most", &partitions(report));
    if !report.findings.is_empty() {
        page = page.section("Found on the way", &findings(report));
    }
    Ok(page.render())
}

fn lede(report: &Report) -> String {
    let counts = &report.total.counts;
    let span = match (report.from_ms, report.to_ms) {
        (Some(from), Some(to)) => format!("Between {} and {} UTC, ", time(from), time(to)),
        _ => String::new(),
    };
    let sampled = match report.sampled_one_in {
        1 => String::new(),
        many => format!(" The counts are estimates from one in {} IDs.", thousands(many)),
    };
    let skipped = match report.skipped {
        0 => String::new(),
        many => format!(" {} skipped: see the end.", count(many, "thing")),
    };
    escape(&format!(
        "{span}{} wrote {}; {} are alive, and cost the broker {} of heap.{sampled}{skipped}",
        count(counts.producer_ids, "producer ID"),
        if report.total.batches.batches == 1 {
            "1 batch".to_owned()
        } else {
            format!("{} batches", thousands(report.total.batches.batches))
        },
        thousands(counts.alive),
        bytes(report.total.held.heap_bytes),
    ))
}

fn recommendation(report: &Report, recommended: &Recommendation) -> String {
    let reasons: Vec<String> = recommended.reasons.iter().map(|reason| escape(reason)).collect();
    format!(
        "<p><strong>{}</strong></p>\n<ul>\n<li>{}</li>\n</ul>\n<p>In server.properties, beside the agent:</p>\n<pre>{}</pre>\n\
         <p>What it costs:</p>\n<pre>{}</pre>\n",
        escape(&recommended.summary()),
        reasons.join("</li>\n<li>"),
        escape(&recommended.properties().join("\n")),
        escape(&report.size_command(recommended))
    )
}

fn new_ids(report: &Report) -> Result<String, String> {
    let line = |name: &str, bins: &Bins| Line {
        name: name.to_owned(),
        points: points(bins.first, bins.size_s, bins.new.iter().map(|new| f64::from(*new))),
        is_step: true,
    };
    let drawn: Vec<_> = report.principals.iter().take(DRAWN).collect();
    // A quota by the hour has no place among minutes.
    let is_hourly = drawn.iter().all(|row| row.drawn.size_s == HOUR_S);
    let quota =
        report.recommendation.as_ref().filter(|_| is_hourly).map(|recommended| recommended.producer_ids_rate);
    let per_hour = &report.total.counts.new_per_hour;
    let each = if is_hourly { "hour" } else { "minute" };
    let chart = TimeChart {
        title: format!("New producer IDs per {each}, by principal"),
        unit: format!("in each {each}"),
        lines: drawn.iter().map(|row| line(&row.name, &row.drawn)).collect(),
        limit: quota.map(|quota| ("recommended quota".to_owned(), quota)),
        is_log: quota.is_some_and(|quota| per_hour.most as f64 > 20.0 * quota),
    };
    let caption = format!(
        "The {} that made most. In all: {} at the median of {}, {} in the busiest.",
        if report.principals.len() > DRAWN { "three principals" } else { "principals" },
        thousands(per_hour.median),
        count(per_hour.hours, "clock hour"),
        thousands(per_hour.most),
    );
    Ok(page::figure(&chart.svg()?, &caption))
}

fn candidates(report: &Report, recommended: &Recommendation) -> Result<String, String> {
    let is_recommended = |candidate: &Candidate| candidate.rate_per_hour == recommended.producer_ids_rate;
    let chart = BarChart {
        title: "Producer IDs that would have been throttled, by producer_ids_rate".to_owned(),
        unit: "IDs".to_owned(),
        bars: report
            .candidates
            .iter()
            .map(|candidate| (number(candidate.rate_per_hour), candidate.throttled_ids as f64))
            .collect(),
        marked: report.candidates.iter().position(is_recommended),
    };
    let row = |candidate: &Candidate| {
        vec![
            number(candidate.rate_per_hour),
            thousands(candidate.throttled_ids),
            share(candidate.throttled_share),
            thousands(candidate.principals_throttled),
            bytes(candidate.worst_heap_bytes),
            bytes(candidate.engine_bytes as f64),
        ]
    };
    let rows: Vec<Vec<String>> = report.candidates.iter().map(row).collect();
    let head = [
        "producer_ids_rate",
        "throttled IDs",
        "of new ones",
        "principals",
        "heap if all use it up",
        "engine",
    ];
    Ok(format!(
        "{}{}{}",
        page::figure(
            &chart.svg()?,
            "The engine itself, over what the log tells; the recommended quota is marked."
        ),
        page::table(&head, 1, &rows),
        memory(report)?
    ))
}

fn memory(report: &Report) -> Result<String, String> {
    let Some(outcome) = &report.outcome else { return Ok(String::new()) };
    let points = outcome
        .over_time
        .iter()
        .map(|point| (i64::try_from(point.time_ms).unwrap_or(i64::MAX), point.bytes as f64))
        .collect();
    let chart = TimeChart {
        title: "Memory of the engine under the recommended quota".to_owned(),
        unit: "bytes".to_owned(),
        lines: vec![Line { name: "engine".to_owned(), points, is_step: false }],
        limit: None,
        is_log: false,
    };
    Ok(page::figure(&chart.svg()?, "Outside the Java heap."))
}

fn live(report: &Report) -> Result<String, String> {
    let chart = TimeChart {
        title: "Producer IDs held".to_owned(),
        unit: "IDs".to_owned(),
        lines: vec![Line {
            name: "held".to_owned(),
            points: points(
                report.live.first,
                report.live.size_s,
                report.live.ids.iter().map(|ids| *ids as f64),
            ),
            is_step: false,
        }],
        limit: None,
        is_log: false,
    };
    let caption = format!(
        "At the end of each {}: all that were seen within the {} before.",
        if report.live.size_s == HOUR_S { "hour" } else { "minute" },
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
    let row = |row: &PrincipalRow| {
        let counts = &row.counts;
        vec![
            format!("{}{}", row.name, if makes_short_lived(counts) { " !" } else { "" }),
            thousands(counts.producer_ids),
            thousands(counts.new),
            thousands(counts.new_per_hour.median),
            thousands(counts.new_per_hour.p95),
            thousands(counts.new_per_hour.most),
            share(short_lived_share(counts)),
            thousands(counts.alive),
        ]
    };
    let rows: Vec<Vec<String>> = report.principals.iter().take(ROWS).map(row).collect();
    let head = ["principal", "IDs", "new", "median hour", "95 %", "busiest", "short-lived", "alive"];
    let marked = if report.principals.iter().any(|row| makes_short_lived(&row.counts)) {
        "<p>! makes producers that it soon throws away</p>\n"
    } else {
        ""
    };
    format!("{}{marked}", page::table(&head, 1, &rows))
}

fn partitions(report: &Report) -> String {
    let largest = report.largest_partitions();
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
    let row = |group: &Group<'_>| {
        vec![if group.first.skipped { "skipped" } else { "noted" }.to_owned(), group.text()]
    };
    let rows: Vec<Vec<String>> = report.finding_groups().iter().take(ROWS).map(row).collect();
    page::table(&["", "what"], 2, &rows)
}
