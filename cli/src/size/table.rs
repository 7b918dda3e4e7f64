//! The numbers for people.

use std::fmt::Write;

use super::answer::Answer;
use crate::text::{bytes, count, duration, number};

const WIDTH: usize = 34;

/// IDs and their entries: there is no part of one.
fn whole(value: f64) -> String {
    number(value.round())
}

pub fn text(answer: &Answer) -> String {
    let mut out = String::new();
    let mut section = |title: String, rows: &[(&str, String)]| {
        let _ = writeln!(out, "{title}");
        for (name, value) in rows {
            let _ = writeln!(out, "  {name:<WIDTH$}{value}");
        }
    };
    section(
        format!("A quota of {} new producer IDs per hour and principal", number(answer.rate_per_hour)),
        &[
            ("at once, after a time without any", whole(answer.burst_pids)),
            ("then one more every", duration(answer.refill_ms)),
            ("within any window at most", whole(answer.most_new_pids_per_window)),
            (
                "a producer ID is remembered for",
                format!(
                    "{} to {} after it was last seen",
                    duration(answer.remembered_least_ms as f64),
                    duration(answer.remembered_most_ms as f64)
                ),
            ),
        ],
    );
    section(
        format!("Its filter, with {} layers (outside the Java heap)", answer.layers),
        &[
            (
                "one layer",
                format!(
                    "{} IDs, {} bits, {}",
                    number(answer.layer_pids as f64),
                    number(answer.layer_bits as f64),
                    bytes(answer.layer_bytes as f64)
                ),
            ),
            (
                "one principal",
                format!(
                    "{} ({} layers: one more, to tell what was forgotten too soon)",
                    bytes(answer.principal_bytes as f64),
                    answer.layers_held
                ),
            ),
            (
                "all principals",
                format!(
                    "{} ({})",
                    bytes(answer.all_principals_bytes as f64),
                    number(answer.principals as f64)
                ),
            ),
            (
                "new IDs that pass uncharged",
                format!(
                    "{:.6} of them when all layers are full (asked for: {})",
                    answer.false_positive_rate_when_full, answer.false_positive_rate
                ),
            ),
        ],
    );
    section(
        format!(
            "A broker's heap in the worst case: all quotas used up, {} of expiration",
            duration(answer.expiration_ms as f64)
        ),
        &[
            ("producer IDs", whole(answer.broker_pids)),
            (
                "entries",
                format!(
                    "{} (each ID in {})",
                    whole(answer.broker_entries),
                    count(answer.partitions, "partition")
                ),
            ),
            ("heap", bytes(answer.broker_heap_bytes)),
        ],
    );
    out
}
