//! The answer as a page with plots.

use std::fmt::Write;

use super::answer::Answer;
use super::outcome::Outcome;
use super::over_time::Point;
use super::{ranking, table};
use crate::page::chart::{Comparison, Line, Measure, TimeChart};
use crate::page::{self, Page};
use crate::text::{count, duration, escape, printable, share, thousands};

/// Lines in one plot over time.
const MOST_LINES: usize = 4;
const HOUR_MS: u64 = 3_600_000;

/// The whole file.
///
/// # Errors
/// What can't be drawn.
pub fn html(answer: &Answer) -> Result<String, String> {
    let is_compared = answer.outcomes.len() > 1;
    let mut page = Page::new("A quota on new producer IDs, replayed").lede(&lede(answer));
    if is_compared {
        page = page.section("Settings compared", &comparison(answer)?);
    }
    page = page.section("Over time", &over_time(answer)?);
    for taken in &answer.taken {
        let Some(outcome) = answer.outcomes.get(taken.outcome) else { continue };
        let rows: Vec<_> =
            table::rows(outcome).into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
        page = page.section(&table::title(outcome), &(page::table(&["", ""], 2, &rows) + &worst(outcome)));
    }
    Ok(page.section("How to read it", &method(answer)).render())
}

fn lede(answer: &Answer) -> String {
    let mut text = table::head(answer).trim_end().replace('\n', "; ") + ".";
    if let [outcome] = answer.outcomes.as_slice() {
        let part = |n: u64| share(n as f64 / outcome.sights.max(1) as f64);
        let _ = write!(
            text,
            " {}: {} admitted, {} throttled ({}).",
            table::title(outcome),
            count(outcome.admitted, "ID"),
            count(outcome.throttled, "call"),
            part(outcome.throttled)
        );
    }
    for sentence in table::choices(answer) {
        text += " ";
        text += &sentence;
    }
    escape(&printable(&text))
}

fn measure(name: &str, unit: &str) -> Measure {
    Measure { name: name.to_owned(), unit: unit.to_owned() }
}

fn comparison(answer: &Answer) -> Result<String, String> {
    let measures = || {
        vec![
            measure("throttled", "calls"),
            measure("charged again", "IDs"),
            measure("wrongly known", "calls"),
            measure("memory", "bytes"),
        ]
    };
    let values = |o: &Outcome| {
        vec![o.throttled as f64, o.charged_again as f64, o.wrongly_known as f64, o.bytes_most as f64]
    };
    let mut html = String::new();
    let mut draw = |title: String, rows, marked| {
        let chart = Comparison { title, measures: measures(), rows, marked };
        html += &page::figure(&chart.svg()?, "");
        Ok::<_, String>(())
    };
    let of = |index: &usize| answer.outcomes.get(*index);
    if answer.taken.iter().all(|taken| taken.ranking.len() == 1) {
        // Rates alone: nothing is ranked.
        let rows = answer.outcomes.iter().map(|outcome| (ranking::wish(outcome), values(outcome))).collect();
        draw("Each quota, per hour and principal".to_owned(), rows, None)?;
    } else {
        for taken in &answer.taken {
            let title = of(&taken.outcome).map_or(String::new(), |o| format!("Quota: {}", ranking::wish(o)));
            let outcomes = taken.ranking.iter().filter_map(of);
            let marked = taken.reason.as_ref().map(|_| 0);
            draw(title, outcomes.map(|o| (ranking::name(o), values(o))).collect(), marked)?;
        }
    }
    let (head, rows) = table::narrow(answer);
    html += &page::table(&head, 1, &rows);
    let rule =
        answer.ranked_by.as_ref().map_or(String::new(), |rule| format!(" Ranked by: {}.", escape(rule)));
    let _ = writeln!(
        html,
        "<p>Throttled are calls, of so many IDs. Charged again are IDs that were seen less than {} before. Wrong are calls of new IDs \
         that were called known, expected are as many by chance.{rule}</p>",
        duration(ranking::horizon_ms(&answer.outcomes) as f64)
    );
    Ok(html)
}

fn points(outcome: &Outcome, value: impl Fn(&Point) -> f64) -> Vec<(i64, f64)> {
    let at = |point: &Point| i64::try_from(point.time_ms).unwrap_or(i64::MAX);
    outcome.over_time.iter().map(|point| (at(point), value(point))).collect()
}

/// The unit of what is counted by steps: a burst within a short one, scaled to an hour, would look like a quota that fails.
fn in_a_step(outcome: &Outcome) -> String {
    format!("in {}", duration(outcome.step_ms as f64))
}

/// What one principal may bring in a step, beside its burst; none where a step is too short for a burst to be small in it.
fn quota_of_a_step(outcome: &Outcome) -> Option<(String, f64)> {
    let rate = outcome.setting.rate_per_hour.filter(|_| outcome.step_ms >= HOUR_MS)?;
    Some(("quota of one principal".to_owned(), rate * (outcome.step_ms as f64 / HOUR_MS as f64)))
}

fn steps(name: &str, outcome: &Outcome, value: impl Fn(&Point) -> f64) -> Line {
    Line { name: name.to_owned(), points: points(outcome, value), is_step: true }
}

/// The lines of several settings have their names, one alone has the plot's.
fn lines(answer: &Answer, shown: &[&Outcome], title: &str, value: fn(&Point) -> f64) -> Vec<Line> {
    let name = |o: &Outcome| match (answer.outcomes.len(), answer.taken.len()) {
        (1, _) => title.to_owned(),
        (_, 1) => ranking::name(o),
        _ => ranking::wish(o),
    };
    shown.iter().map(|outcome| steps(&name(outcome), outcome, value)).collect()
}

fn over_time(answer: &Answer) -> Result<String, String> {
    let of = |index: &usize| answer.outcomes.get(*index);
    // The best of each quota; of one quota the best settings.
    let shown: Vec<&Outcome> = match answer.taken.as_slice() {
        [only] => only.ranking.iter().filter_map(of).take(MOST_LINES).collect(),
        several => several.iter().filter_map(|taken| of(&taken.outcome)).take(MOST_LINES).collect(),
    };
    let mut html = admitted(answer)?;
    let mut draw = |title: &str, unit: &str, shown: &[&Outcome], value: fn(&Point) -> f64, caption: &str| {
        let lines = lines(answer, shown, title, value);
        let (title, unit) = (title.to_owned(), unit.to_owned());
        let chart = TimeChart { title, unit, lines, limit: None, is_log: false };
        html += &page::figure(&chart.svg()?, caption);
        Ok::<_, String>(())
    };
    let throttled: Vec<_> = shown.iter().copied().filter(|outcome| outcome.throttled > 0).collect();
    // The time is the same for all, and so are the steps.
    if let Some(first) = throttled.first() {
        draw(
            "Calls throttled",
            &in_a_step(first),
            &throttled,
            |point| point.throttled as f64,
            "All principals together. An ID that is throttled and comes again is another call.",
        )?;
    }
    draw(
        "Producer IDs remembered",
        "IDs",
        &shown,
        |point| point.live as f64,
        "All principals together, by the engine\u{2019}s own estimate.",
    )?;
    draw(
        "Memory",
        "bytes",
        &shown,
        |point| point.bytes as f64,
        "What the filters of all principals hold, the most in each step.",
    )?;
    Ok(html)
}

/// New IDs, beside the quota where that tells something; a plot for each quota.
fn admitted(answer: &Answer) -> Result<String, String> {
    let mut html = String::new();
    let taken = answer.taken.iter().filter_map(|taken| answer.outcomes.get(taken.outcome)).take(MOST_LINES);
    for outcome in taken {
        let title = match (answer.outcomes.len(), answer.taken.len()) {
            (1, _) => "New producer IDs admitted".to_owned(),
            (_, 1) => format!("New producer IDs admitted: {}", ranking::name(outcome)),
            _ => format!("New producer IDs admitted: {}, {}", ranking::wish(outcome), ranking::name(outcome)),
        };
        let chart = TimeChart {
            lines: vec![steps(&title, outcome, |point| point.new_admitted as f64)],
            title,
            unit: in_a_step(outcome),
            limit: quota_of_a_step(outcome),
            is_log: false,
        };
        let burst = if chart.limit.is_some() { " A burst may go above the quota." } else { "" };
        html += &page::figure(&chart.svg()?, &format!("All principals together.{burst}"));
    }
    Ok(html)
}

fn worst(outcome: &Outcome) -> String {
    if outcome.worst.is_empty() {
        return String::new();
    }
    let rows = outcome.worst.iter().map(|worst| {
        let numbers = [worst.throttled, worst.throttled_ids, worst.admitted];
        let cells = [worst.principal.clone()].into_iter().chain(numbers.map(thousands));
        cells.collect()
    });
    let head = ["throttled most", "calls throttled", "IDs throttled", "IDs admitted"];
    page::table(&head, 1, &rows.collect::<Vec<_>>())
}

fn method(answer: &Answer) -> String {
    let mut items = vec![
        "Each sight of the trace was asked of Tollgate\u{2019}s own engine, as a broker asks it, with the trace\u{2019}s time as \
         the clock. An exact list of all IDs ran beside it."
            .to_owned(),
        "When the trace begins, the engine knows nobody: all IDs are new in the first window, those in long use too."
            .to_owned(),
        "A client of the trace was not throttled when it was recorded. Under the quota it would have come again later or \
         stayed away; here it goes on as it did."
            .to_owned(),
        "Wrongly called known: a filter takes a new ID for one that it has seen, which then passes uncharged. Expected is what the \
         filters\u{2019} fill at the time lets chance do; those of a few hundred IDs do better."
            .to_owned(),
        "Forgotten too soon: an ID that was charged, or throttled, though it had been seen less than a window and a layer period before. \
         The engine\u{2019}s own count (GhostHits) leaves out the throttled, and principals that were silent for a whole window."
            .to_owned(),
    ];
    items.extend(answer.notes.iter().map(|note| {
        let mut note = escape(note);
        if let Some(first) = note.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        note
    }));
    let list = items.join("</li>\n<li>");
    format!("<ul>\n<li>{list}</li>\n</ul>\n<p>Trace: <code>{}</code></p>", escape(&printable(&answer.trace)))
}
