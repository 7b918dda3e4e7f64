//! The numbers.

use serde::Serialize;
use tollgate::{Config, FilterSize, Quota};

use crate::heap::MOST_ENTRY_BYTES;

/// Between two looks of the broker's for what has expired: `producer.id.expiration.check.interval.ms`.
const EXPIRATION_CHECK_MS: f64 = 600_000.0;
const HOUR_MS: f64 = 3_600_000.0;

/// Who comes, and what a broker does with it.
pub struct Load {
    /// Producers of one principal that write all the time.
    pub active: u64,
    pub principals: u64,
    /// That one producer ID writes to.
    pub partitions: u64,
    pub expiration_ms: u64,
}

/// What a quota means. In JSON as it stands here.
#[derive(Serialize)]
pub struct Answer {
    pub rate_per_hour: f64,
    pub window_ms: u64,
    pub layers: u32,
    pub false_positive_rate: f64,
    pub burst: f64,
    pub active: u64,
    pub principals: u64,
    pub partitions: u64,
    pub expiration_ms: u64,
    /// How long an ID is remembered after it was last seen.
    pub remembered_least_ms: u64,
    pub remembered_most_ms: u64,
    /// New IDs that may come in one moment after a time without any.
    pub burst_pids: f64,
    /// Between two further ones, milliseconds.
    pub refill_ms: f64,
    /// New IDs of one principal that a window can see at most.
    pub most_new_pids_per_window: f64,
    pub layer_pids: u64,
    pub layer_bits: u64,
    pub layer_bytes: u64,
    /// Held at once: one more than `layers`, for the ghosts.
    pub layers_held: u64,
    pub principal_bytes: u64,
    pub all_principals_bytes: u64,
    /// Of that shape when all its layers are full.
    pub false_positive_rate_when_full: f64,
    /// Producer IDs of all principals that a broker holds at most.
    pub broker_pids: f64,
    /// The same by partition.
    pub broker_entries: f64,
    pub broker_heap_bytes: f64,
}

impl Answer {
    pub fn of(config: &Config, quota: Quota, load: &Load) -> Self {
        let window_ms = config.window_ms();
        let rate = quota.rate_per_hour();
        let burst_pids = quota.capacity(window_ms);
        let most_new = burst_pids + rate * (window_ms as f64 / HOUR_MS);
        let FilterSize { layer_pids, layer_bits, layer_bytes, layers, bytes, false_positive_rate } =
            config.size_of_filter(pids(most_new, load.active, config.layers()));
        let kept_hours = (load.expiration_ms as f64 + EXPIRATION_CHECK_MS) / HOUR_MS;
        let broker_pids = load.principals as f64 * (burst_pids + rate * kept_hours + load.active as f64);
        let broker_entries = broker_pids * load.partitions as f64;
        Self {
            rate_per_hour: rate,
            window_ms,
            layers: config.layers(),
            false_positive_rate: config.false_positive_rate(),
            burst: quota.burst(),
            active: load.active,
            principals: load.principals,
            partitions: load.partitions,
            expiration_ms: load.expiration_ms,
            remembered_least_ms: config.layer_period_ms() * u64::from(config.layers() - 1),
            remembered_most_ms: config.layer_period_ms() * u64::from(config.layers()),
            burst_pids,
            refill_ms: HOUR_MS / rate,
            most_new_pids_per_window: most_new,
            layer_pids,
            layer_bits,
            layer_bytes,
            layers_held: layers,
            principal_bytes: bytes,
            all_principals_bytes: bytes.saturating_mul(load.principals),
            false_positive_rate_when_full: false_positive_rate,
            broker_pids,
            broker_entries,
            broker_heap_bytes: broker_entries * MOST_ENTRY_BYTES,
        }
    }
}

/// A filter is asked for by the IDs that it remembers, spread over its layers; one that writes all the time stands in each.
fn pids(most_new: f64, active: u64, layers: u32) -> u64 {
    (most_new.ceil() as u64).saturating_add(active.saturating_mul(u64::from(layers)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rate: f64, load: &Load) -> Answer {
        let config = Config::builder().seed(0).build().unwrap();
        Answer::of(&config, Quota::per_hour(rate, 1.0).unwrap(), load)
    }

    #[test]
    fn the_heap_is_quota_by_expiration_by_partitions_by_entry() {
        let day_less_check = 24 * 3_600_000 - 600_000;
        let load = Load { active: 10, principals: 2, partitions: 50, expiration_ms: day_less_check };
        let answer = answer(100.0, &load);
        assert!((answer.broker_pids - 2.0 * (100.0 + 2_400.0 + 10.0)).abs() < 1e-6, "{}", answer.broker_pids);
        assert!((answer.broker_entries - 50.0 * 5_020.0).abs() < 1e-6);
        assert!((answer.broker_heap_bytes - 440.0 * 251_000.0).abs() < 1e-3);
    }

    #[test]
    fn s12_a_window_sees_a_burst_and_what_comes_after_it() {
        let load = Load { active: 0, principals: 1, partitions: 1, expiration_ms: 1 };
        let answer = answer(1_000.0, &load);
        assert_eq!((answer.burst_pids, answer.most_new_pids_per_window), (1_000.0, 2_000.0));
        assert_eq!(answer.refill_ms, 3_600.0);
        assert_eq!((answer.remembered_least_ms, answer.remembered_most_ms), (2_700_000, 3_600_000));
        assert!(answer.layer_pids >= 500 && answer.layer_pids < 550, "{}", answer.layer_pids);
    }

    #[test]
    fn s2_an_active_producer_stands_in_each_layer() {
        let load = |active| Load { active, principals: 1, partitions: 1, expiration_ms: 1 };
        let (none, some) = (answer(100.0, &load(0)), answer(100.0, &load(10_000)));
        assert!(
            none.layer_pids < 100 && some.layer_pids >= 10_050,
            "{} {}",
            none.layer_pids,
            some.layer_pids
        );
        assert_eq!(pids(f64::MAX, u64::MAX, 64), u64::MAX);
    }
}
