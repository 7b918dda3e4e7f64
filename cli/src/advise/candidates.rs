//! What quotas around the recommended one would have throttled: the engine itself, run over what the log tells.

use indicatif::ProgressBar;
use serde::Serialize;
use tollgate::Quota;

use super::ids::Ids;
use super::order::InTimeOrder;
use super::recommend::{round_up, Recommendation};
use crate::replay::course::{Course, Outcome, Setting};
use crate::size::answer::{Answer, Load};

/// Shares of the recommended rate.
const AROUND: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Where bits lie is no matter of chance here: the same log gives the same report.
const SEED: u64 = 0x5eed;
/// Sights between two looks at the progress.
const SHOWN: usize = 65_536;

#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    pub rate_per_hour: f64,
    pub window_ms: u64,
    pub layers: u32,
    /// Sights that would have met no token.
    pub throttled: u64,
    /// The same by ID.
    pub throttled_ids: u64,
    /// Of all IDs that the quota sees as new.
    pub throttled_share: f64,
    pub principals_throttled: u64,
    /// Of a broker whose principals all use the quota up.
    pub worst_heap_bytes: f64,
    /// Of the engine, at most, bytes.
    pub engine_bytes: u64,
}

/// What the log tells.
pub struct Told<'a> {
    pub ids: &'a Ids<'a>,
    /// By topic.
    pub principal_of: &'a [u32],
    pub principals: &'a [String],
    /// Those that have any ID.
    pub active_principals: u64,
    pub expiration_s: u32,
    /// One in so many IDs is there.
    pub one_in: u64,
    /// That an ID is kept in, on the average.
    pub partitions: u64,
}

/// Rates to try, in order.
pub fn rates(recommended: f64, asked: &[f64]) -> Vec<f64> {
    let around =
        AROUND.map(|share| if share == 1.0 { recommended } else { round_up((share * recommended).floor()) });
    let mut rates: Vec<f64> = around.into_iter().chain(asked.iter().copied()).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    rates
}

fn setting(rate: f64, recommended: &Recommendation) -> Setting {
    Setting {
        rate_per_hour: Some(rate),
        window_ms: recommended.window_ms,
        layers: recommended.layers,
        burst: recommended.burst,
        ..Setting::default()
    }
}

/// Runs the engine with each rate over all, in one pass.
///
/// # Errors
/// A sentence that names the setting that the engine refuses.
pub fn attempt(
    rates: &[f64],
    recommended: &Recommendation,
    told: &Told<'_>,
    progress: &ProgressBar,
) -> Result<Vec<(Candidate, Outcome)>, String> {
    // Of fewer IDs, as much less.
    let settings: Vec<Setting> =
        rates.iter().map(|rate| setting(rate / told.one_in as f64, recommended)).collect();
    let mut course = Course::new(&settings, SEED)?.on_a_broker(u64::from(told.expiration_s) * 1_000);
    for (index, moment) in InTimeOrder::new(told.ids.iter()).enumerate() {
        let Some(&principal) = told.principal_of.get(moment.topic as usize) else { continue };
        let Some(name) = told.principals.get(principal as usize) else { continue };
        let (time_ms, producer_id) = (u64::from(moment.at_s) * 1_000, moment.producer_id.unsigned_abs());
        if moment.is_older {
            course.held(time_ms, principal, name, producer_id);
        } else {
            course.sight(time_ms, principal, name, producer_id);
        }
        if index.is_multiple_of(SHOWN) {
            progress.set_position(index as u64);
        }
    }
    let tried = rates.iter().zip(course.finish());
    tried.map(|(rate, outcome)| Ok((candidate(*rate, &outcome, recommended, told)?, outcome))).collect()
}

fn candidate(
    rate: f64,
    outcome: &Outcome,
    recommended: &Recommendation,
    told: &Told<'_>,
) -> Result<Candidate, String> {
    let scaled = |count: u64| count * told.one_in;
    let seen_as_new = (outcome.admitted + outcome.throttled_ids).max(1) as f64;
    Ok(Candidate {
        rate_per_hour: rate,
        window_ms: recommended.window_ms,
        layers: recommended.layers,
        throttled: scaled(outcome.throttled),
        throttled_ids: scaled(outcome.throttled_ids),
        throttled_share: outcome.throttled_ids as f64 / seen_as_new,
        principals_throttled: outcome.principals_throttled,
        worst_heap_bytes: worst_heap_bytes(rate, recommended, told)?,
        engine_bytes: scaled(outcome.bytes_most),
    })
}

fn worst_heap_bytes(rate: f64, recommended: &Recommendation, told: &Told<'_>) -> Result<f64, String> {
    let config = setting(rate, recommended).config(1, SEED).map_err(|e| e.to_string())?;
    let quota = Quota::per_hour(rate, recommended.burst).map_err(|e| e.to_string())?;
    let load = Load {
        active: 0,
        principals: told.active_principals,
        partitions: told.partitions,
        expiration_ms: u64::from(told.expiration_s) * 1_000,
    };
    Ok(Answer::of(&config, quota, &load).broker_heap_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_around_the_recommended_are_round_and_differ() {
        assert_eq!(rates(200.0, &[]), [50.0, 100.0, 200.0, 500.0, 1_000.0]);
        assert_eq!(rates(10.0, &[7.5, 20.0]), [2.0, 5.0, 7.5, 10.0, 20.0, 50.0]);
    }
}
