//! The answer for people, on a terminal.

use std::fmt::Write;

use super::answer::Answer;
use super::outcome::Outcome;
use super::over_time::Point;
use super::ranking;
use crate::text::{bytes, count, duration, number, printable, share, sparkline, thousands, time, wrapped};

const NAME: usize = 34;
const SPARKLINE: usize = 48;
const LINE: usize = 100;
/// What a broker's agent may take, unless it is told otherwise.
const BROKERS_BYTES: u64 = 64 << 20;

/// In 1973. A time before is hardly one in milliseconds, and as one in seconds it is up to the year 5138.
const LEAST_TIME_MS: u64 = 100_000_000_000;

/// Times of a trace as signed ones.
fn moment(ms: u64) -> String {
    time(i64::try_from(ms).unwrap_or(i64::MAX))
}

fn paragraph(text: &str) -> String {
    wrapped(text, ("", "  "), LINE) + "\n"
}

pub fn text(answer: &Answer) -> String {
    let mut out = head(answer);
    if let [outcome] = answer.outcomes.as_slice() {
        single(&mut out, outcome);
    } else {
        compared(&mut out, answer);
    }
    for note in &answer.notes {
        out += &paragraph(&format!("Note: {note}"));
    }
    out
}

/// What was read.
pub fn head(answer: &Answer) -> String {
    let principals = answer.outcomes.first().map_or(0, |outcome| outcome.principals);
    let mut out = format!(
        "{} of {}, {} to {} UTC\n",
        count(answer.sights, "sight"),
        count(principals, "principal"),
        moment(answer.from_ms),
        moment(answer.to_ms)
    );
    if answer.skipped_lines > 0 {
        let _ = writeln!(out, "{} skipped", count(answer.skipped_lines, "bad line"));
    }
    out
}

/// What is to be said of a setting as its name.
pub fn title(outcome: &Outcome) -> String {
    let quota = match outcome.setting.rate_per_hour {
        Some(rate) => format!("A quota of {} new producer IDs per hour and principal", number(rate)),
        None => "Without a quota".to_owned(),
    };
    let burst = match (outcome.setting.rate_per_hour, outcome.setting.burst) {
        (None, _) | (_, 1.0) => String::new(),
        (_, burst) => format!(", burst {burst}"),
    };
    format!("{quota}{burst}, {}", ranking::name(outcome))
}

/// Names and values of one outcome.
pub fn rows(outcome: &Outcome) -> Vec<(&'static str, String)> {
    let of_sights = |n: u64| format!("{} ({})", thousands(n), share(n as f64 / outcome.sights.max(1) as f64));
    let throttled = if outcome.setting.rate_per_hour.is_none() {
        "none, as there is no quota".to_owned()
    } else {
        format!(
            "{}: {} of {}",
            of_sights(outcome.throttled),
            count(outcome.throttled_ids, "ID"),
            count(outcome.principals_throttled, "principal")
        )
    };
    let held = (outcome.held > 0).then(|| ("in their partition still", of_sights(outcome.held)));
    let known = [("known", of_sights(outcome.known))].into_iter().chain(held);
    let rest = [
        ("admitted: new, charged", of_sights(outcome.admitted)),
        ("throttled", throttled),
        (
            "wrongly called known",
            format!(
                "{}, {} expected",
                thousands(outcome.wrongly_known),
                number(outcome.wrongly_known_expected)
            ),
        ),
        (
            "forgotten too soon",
            format!(
                "{}, {} by the engine's own count",
                thousands(outcome.forgotten_too_soon_found),
                thousands(outcome.forgotten_too_soon)
            ),
        ),
        ("most layers of one principal", thousands(outcome.layers_most)),
        ("most memory, all principals", bytes(outcome.bytes_most as f64)),
    ];
    known.chain(rest).collect()
}

fn single(out: &mut String, outcome: &Outcome) {
    let _ = writeln!(out, "{}", title(outcome));
    for (name, value) in rows(outcome) {
        let _ = writeln!(out, "  {name:<NAME$}{value}");
    }
    if outcome.over_time.len() > 1 {
        let columns = outcome.over_time.len().div_ceil(SPARKLINE).max(1) as f64;
        let _ = writeln!(out, "Over time, {} a column", duration(columns * outcome.step_ms as f64));
        let mut line = |name: &str, value: fn(&Point) -> u64, is_rate: bool| {
            let values: Vec<_> = outcome.over_time.iter().map(|point| value(point) as f64).collect();
            let most = outcome.over_time.iter().map(value).max().unwrap_or(0);
            let most = if is_rate {
                format!("{} in {}", number(most as f64), duration(outcome.step_ms as f64))
            } else {
                number(most as f64)
            };
            let _ = writeln!(out, "  {name:<16}{}  most: {most}", sparkline(&values, SPARKLINE));
        };
        line("new, admitted", |point| point.new_admitted, true);
        if outcome.throttled > 0 {
            line("throttled", |point| point.throttled, true);
        }
        line("remembered", |point| point.live, false);
    }
    if !outcome.worst.is_empty() {
        let _ = writeln!(out, "Throttled most");
        let names: Vec<_> = outcome.worst.iter().map(|worst| printable(&worst.principal)).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (worst, name) in outcome.worst.iter().zip(names) {
            let _ = writeln!(
                out,
                "  {name:<width$}  {} of {}; {} admitted",
                count(worst.throttled, "call"),
                count(worst.throttled_ids, "ID"),
                count(worst.admitted, "ID")
            );
        }
    }
}

/// The head of a comparison.
const COLUMNS: [&str; 11] = [
    "quota",
    "window",
    "layers",
    "admitted",
    "throttled",
    "IDs",
    "principals",
    "charged again",
    "wrongly known",
    "expected",
    "memory",
];
/// How many of them are the setting.
const SETTING: usize = 3;

/// A comparison's head and cells, in the order of the ranking.
fn cells(answer: &Answer) -> Vec<Vec<String>> {
    let row = |o: &Outcome| {
        vec![
            ranking::wish(o),
            duration(o.setting.window_ms as f64),
            o.setting.layers.to_string(),
            thousands(o.admitted),
            thousands(o.throttled),
            thousands(o.throttled_ids),
            thousands(o.principals_throttled),
            thousands(o.charged_again),
            thousands(o.wrongly_known),
            number(o.wrongly_known_expected),
            bytes(o.bytes_most as f64),
        ]
    };
    answer.ranked().map(|(_, outcome)| row(outcome)).collect()
}

/// The same where there is less room: the setting in one column, without the quota where it is the same for all, and no principals.
pub fn narrow(answer: &Answer) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let several = answer.taken.len() > 1;
    let numbers = || COLUMNS.into_iter().enumerate().skip(SETTING).filter(|(_, name)| *name != "principals");
    let rows = answer.ranked().zip(cells(answer)).map(|((_, outcome), cells)| {
        let quota = if several { format!("{}, ", ranking::wish(outcome)) } else { String::new() };
        // Lines break after a comma only.
        let name = (quota + &ranking::name(outcome)).replace(' ', "\u{a0}").replace(",\u{a0}", ", ");
        let numbers = numbers().filter_map(|(column, _)| cells.get(column).cloned());
        [name].into_iter().chain(numbers).collect()
    });
    let head = numbers().map(|(_, name)| if name == "wrongly known" { "wrong" } else { name });
    (["setting"].into_iter().chain(head).collect(), rows.collect())
}

fn compared(out: &mut String, answer: &Answer) {
    let rows = cells(answer);
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([COLUMNS[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..COLUMNS.len()).map(width).collect();
    let mut line = |mark: &str, cells: &[&str]| {
        let mut text = String::from(mark);
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let width = *width;
            let _ =
                if column == 0 { write!(text, "{cell:<width$}") } else { write!(text, "  {cell:>width$}") };
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line("  ", &COLUMNS);
    for ((taken, outcome), row) in answer.ranked().zip(&rows) {
        // Where something was chosen.
        let best = answer.outcomes.get(taken.outcome).filter(|_| taken.reason.is_some());
        let is_taken = best.is_some_and(|best| std::ptr::eq(best, outcome));
        let cells: Vec<_> = row.iter().map(String::as_str).collect();
        line(if is_taken { "> " } else { "  " }, &cells);
    }
    *out += &paragraph(&legend(answer));
    if let Some(rule) = &answer.ranked_by {
        *out += &paragraph(&format!("Ranked by: {rule}."));
    }
    for sentence in choices(answer) {
        *out += &paragraph(&sentence);
    }
}

/// What the columns of a comparison are.
fn legend(answer: &Answer) -> String {
    let mark = if answer.taken.iter().any(|taken| taken.reason.is_some()) { ">: the best. " } else { "" };
    format!(
        "{mark}Throttled: calls, of so many IDs and principals. Charged again: though seen less than {} before. Wrongly known: new, \
         and passed uncharged; expected: by chance.",
        duration(ranking::horizon_ms(&answer.outcomes) as f64)
    )
}

/// What would be taken, or why nothing can be, a sentence for each rate and burst.
pub fn choices(answer: &Answer) -> Vec<String> {
    let several = answer.taken.len() > 1;
    let sentences = answer.taken.iter().filter_map(|taken| {
        let outcome = answer.outcomes.get(taken.outcome)?;
        let under = if several { format!(" for {}", ranking::wish(outcome)) } else { String::new() };
        match (&taken.reason, &taken.undecided) {
            (Some(reason), _) => Some(format!("Take{under}: {}; {reason}.", ranking::name(outcome))),
            (None, Some(undecided)) => Some(format!("No choice{under}: {undecided}.")),
            (None, None) => None,
        }
    });
    sentences.collect()
}

/// What an operator has to know beside the numbers.
pub fn notes(from_ms: u64, outcomes: &[Outcome]) -> Vec<String> {
    let mut notes = Vec::new();
    if from_ms < LEAST_TIME_MS {
        notes.push(format!(
            "the trace begins at {}: are its times seconds? They must be milliseconds.",
            moment(from_ms)
        ));
    }
    let broken: u64 = outcomes.iter().map(|outcome| outcome.forgotten_against_promise).sum();
    if broken > 0 {
        notes.push(format!(
            "{} forgotten within the time in which the engine promises to know them: a fault in Tollgate, please report it.",
            count(broken, "ID")
        ));
    }
    let most = outcomes.iter().map(|outcome| outcome.bytes_most).max().unwrap_or(0);
    if most > BROKERS_BYTES {
        notes.push(format!(
            "a broker's agent takes at most {} unless producer.id.quota.max.memory.bytes says more; beyond, it forgets the \
             oldest layers early.",
            bytes(BROKERS_BYTES as f64)
        ));
    }
    let mistakes = outcomes.iter().any(|outcome| ranking::beyond_chance(outcome) > 0);
    if mistakes {
        notes.push("more IDs were called known wrongly than chance allows.".to_owned());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::ranking::tests::outcome;
    use crate::replay::reading::Reading;

    fn answer(outcomes: Vec<Outcome>) -> Answer {
        Answer::of(Reading {
            trace: "trace.csv".to_owned(),
            bytes: 1,
            sights: 1,
            from_ms: LEAST_TIME_MS,
            to_ms: u64::MAX,
            skipped_lines: 0,
            first_bad_line: None,
            longest_pause_ms: u64::MAX,
            outcomes,
        })
    }

    #[test]
    fn a_paragraph_is_wrapped_and_loses_no_word() {
        let (text, mut out) = ("word ".repeat(60) + &"x".repeat(150), String::new());
        out += &paragraph(&text);
        let lines: Vec<_> = out.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= LINE || line.trim().len() == 150), "{out}");
        assert_eq!(lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "), text);
    }

    #[test]
    fn what_an_operator_has_to_know_is_noted() {
        let outcomes = vec![
            Outcome { forgotten_against_promise: 1, ..outcome(None, 4, 0, 65 << 20) },
            Outcome { wrongly_known: 50, wrongly_known_expected: 1.0, ..outcome(None, 8, 0, 0) },
        ];
        let notes = answer(outcomes).notes;
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert!(notes[0].starts_with("1 ID forgotten within the time"), "{notes:?}");
        assert!(notes[1].contains("67.1 MB unless producer.id.quota.max.memory.bytes"), "{notes:?}");
        let fine = [outcome(None, 4, 9, 9)];
        assert!(super::notes(LEAST_TIME_MS, &fine).is_empty());
        assert_eq!(
            super::notes(1_796_063_100, &fine),
            ["the trace begins at 1970-01-21 18:54: are its times seconds? They must be milliseconds."]
        );
    }

    #[test]
    fn each_quota_has_its_choice_and_the_taken_ones_are_marked() {
        let text = text(&answer(vec![
            outcome(Some(50.0), 4, 3, 10),
            outcome(Some(50.0), 8, 1, 20),
            outcome(None, 4, 0, 10),
            outcome(None, 8, 0, 20),
        ]));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[2].starts_with("> 50 an hour      1h       8 "), "{text}");
        assert!(lines[3].starts_with("  50 an hour      1h       4 "), "{text}");
        assert!(lines[4].starts_with("> no quota        1h       4 "), "{text}");
        assert!(text.contains("\nTake for 50 an hour: window 1h, 8 layers; it charges the fewest again, 1 ID; the next one 3.\n"), "{text}");
        assert!(
            text.contains(
                "\nTake for no quota: window 1h, 4 layers; 2 of 2 charge no ID again, and it takes"
            ),
            "{text}"
        );
    }
}
