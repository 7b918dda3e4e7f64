//! The part of docs/rates.md that is measured.

use super::data::{Contender, Distribution, Report};
use crate::markdown;
use crate::text::thousands;

pub fn generated(report: &Report) -> String {
    let head = [
        "limited by",
        "average of the run",
        "read at the end",
        "read at a random moment",
        "most in 1 s",
        "after 8 s",
        "all at once",
        "seconds",
    ];
    let lines: Vec<_> = report.contenders.iter().map(line).collect();
    format!(
        "{} events at {} a second under a limit of {} a second, {} phases, Kafka {}: least to most, the random moment with \
         its median. \"Most in 1 s\" is counted from the times at which events passed.\n\n{}",
        thousands(report.events.into()),
        report.offered_per_second,
        report.limit,
        thousands(report.phases.into()),
        report.kafka_version,
        markdown::table(&head, 1, &lines)
    )
}

fn line(contender: &Contender) -> Vec<String> {
    let once = &contender.measured_once;
    vec![
        contender.name.text().to_owned(),
        tenths(&contender.per_second),
        tenths(&contender.measured_at_end),
        format!("{:.1}, {:.1}, {:.1}", once.least(), once.median(), once.most()),
        whole(&contender.most_in_a_second),
        whole(&contender.most_in_a_second_later),
        whole(&contender.most_in_a_second_at_once),
        tenths(&contender.seconds),
    ]
}

fn tenths(distribution: &Distribution) -> String {
    range(&format!("{:.1}", distribution.least()), &format!("{:.1}", distribution.most()))
}

fn whole(distribution: &Distribution) -> String {
    range(&format!("{:.0}", distribution.least()), &format!("{:.0}", distribution.most()))
}

fn range(least: &str, most: &str) -> String {
    if least == most {
        most.to_owned()
    } else {
        format!("{least} to {most}")
    }
}
