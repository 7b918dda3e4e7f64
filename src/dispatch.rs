//! How much to read: messages per entry, so that a dispatcher reads what its permits allow.
//!
//! A broker reads *entries*, each a batch of messages, but a consumer's permits count messages. Who reads as many entries as
//! there are permits sends a thousand times too much when an entry holds a thousand messages (Pulsar's pull request 6719).
//!
//! Contract
//! - D1: the average becomes 0.9 average + 0.1 (messages / entries) with each push. It is unknown until the first push, which
//!   sets it. A push without messages or entries changes nothing.
//! - D2: entries to read are `ceil(permits / max(average, 1))`, at most the read batch; 0 without permits, at least 1 with.
//! - D3: only where `precise` is on; off, and while the average is unknown, as many entries as permits, at most the read batch.
//! - D4: the average can be read at any time, for a consumer's statistics.
//!
//! State: one word, the bits of the average; NaN while it is unknown. It is changed by compare-and-swap alone, so no push is
//! lost; nothing else hangs on it, so all is relaxed.

use crate::config::{ConfigError, Double};
use crate::sync::{AtomicU64, Ordering::Relaxed};

/// The weight of what was before a push; Pulsar's own.
const KEPT: f64 = 0.9;

/// An average that rises comes to rest a few roundings below the real one; a share of an entry as small as that is none.
const AT_REST: f64 = 1e-9;

/// Messages per entry of one consumer, as its pushes show it. Any number of threads; `record_push` is lock-free, the
/// others wait-free but for `to_json`, which allocates.
///
/// ```
/// use tollgate::DispatchEstimator;
///
/// let estimator = DispatchEstimator::new(true);
/// assert_eq!(estimator.entries_to_read(1000, 500), 500);
/// estimator.record_push(1000, 1);
/// assert_eq!(estimator.entries_to_read(1000, 500), 1);
/// ```
#[derive(Debug)]
pub struct DispatchEstimator {
    average: AtomicU64,
    precise: bool,
}

impl DispatchEstimator {
    /// Knows nothing yet. `precise` is D3's switch; Pulsar's default is off.
    #[must_use]
    pub fn new(precise: bool) -> Self {
        Self { average: AtomicU64::new(f64::NAN.to_bits()), precise }
    }

    /// Starts from an average, as the pull request did from 1000: cautious before anything was pushed.
    ///
    /// # Errors
    /// An average that is not finite, or below 1: an entry holds a message at least.
    pub fn starting_at(precise: bool, messages_per_entry: f64) -> Result<Self, ConfigError> {
        if !(messages_per_entry.is_finite() && messages_per_entry >= 1.0) {
            return Err(ConfigError {
                field: "messages_per_entry",
                value: Double(messages_per_entry).to_string(),
                range: "a finite number from 1".to_owned(),
            });
        }
        Ok(Self { average: AtomicU64::new(messages_per_entry.to_bits()), precise })
    }

    /// Notes that `entries` with `messages` in all were sent to the consumer.
    pub fn record_push(&self, messages: u64, entries: u64) {
        if messages == 0 || entries == 0 {
            return;
        }
        let pushed = messages as f64 / entries as f64;
        // It has no refusal: the closure always gives a next value.
        let _ = self.average.fetch_update(Relaxed, Relaxed, |bits| {
            let average = f64::from_bits(bits);
            let next = if average.is_nan() { pushed } else { KEPT * average + (1.0 - KEPT) * pushed };
            Some(next.to_bits())
        });
    }

    /// Messages per entry; `None` while it is unknown.
    #[must_use]
    pub fn average(&self) -> Option<f64> {
        Some(f64::from_bits(self.average.load(Relaxed))).filter(|average| !average.is_nan())
    }

    /// Whether the average decides how much is read (D3).
    #[must_use]
    pub fn is_precise(&self) -> bool {
        self.precise
    }

    /// What a consumer's statistics say of it (D4): `{"avgMessagesPerEntry":12.5,"precise":true}`, by Pulsar's own name;
    /// `null` while the average is unknown.
    ///
    /// ```
    /// let estimator = tollgate::DispatchEstimator::new(false);
    /// assert_eq!(estimator.to_json(), r#"{"avgMessagesPerEntry":null,"precise":false}"#);
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let average = self.average().map_or_else(|| "null".to_owned(), |average| Double(average).to_string());
        format!(r#"{{"avgMessagesPerEntry":{average},"precise":{}}}"#, self.precise)
    }

    /// Entries to read for `permits` messages, at most `read_batch_size`; a read batch of 0 is taken as 1.
    #[must_use]
    pub fn entries_to_read(&self, permits: i64, read_batch_size: u32) -> u32 {
        if permits <= 0 {
            return 0;
        }
        let each = self.average().filter(|_| self.precise).map_or(1.0, |average| average.max(1.0));
        // Float to integer conversion saturates.
        let entries = (permits as f64 / each - AT_REST).ceil() as u32;
        entries.clamp(1, read_batch_size.max(1))
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    /// The pull request's own numbers: Pulsar starts at 1000.
    fn from_1000() -> DispatchEstimator {
        DispatchEstimator::starting_at(true, 1000.0).unwrap()
    }

    #[test]
    fn d1_a_thousand_messages_an_entry_are_one_entry_and_not_five_hundred() {
        let estimator = DispatchEstimator::new(true);
        assert_eq!(estimator.average(), None);
        estimator.record_push(3000, 3);
        assert_eq!(estimator.average(), Some(1000.0));
        assert_eq!(estimator.entries_to_read(1000, 500), 1);
        assert_eq!(estimator.entries_to_read(1001, 500), 2);
    }

    #[test]
    fn d1_a_push_counts_a_tenth() {
        let estimator = DispatchEstimator::new(true);
        estimator.record_push(10, 1);
        estimator.record_push(40, 2);
        assert_eq!(estimator.average(), Some(11.0));
    }

    #[test]
    fn d2_the_average_comes_down_to_the_real_one() {
        let estimator = from_1000();
        (0..66).for_each(|_| estimator.record_push(1, 1));
        // 999 x 0.9^66 is 0.95: half of it would be rounded away by who keeps whole numbers, and it would stay at 6.
        assert!(estimator.average().unwrap() < 2.0);
        (0..300).for_each(|_| estimator.record_push(1, 1));
        assert!((estimator.average().unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(estimator.entries_to_read(100, 500), 100);
    }

    #[test]
    fn d1_d3_an_average_that_rose_reads_no_entry_too_many() {
        for each in 2..=1000 {
            let estimator = DispatchEstimator::new(true);
            estimator.record_push(1, 1);
            (0..500).for_each(|_| estimator.record_push(each, 1));
            assert_eq!(estimator.entries_to_read(each as i64, 500), 1, "{each}");
            assert_eq!(estimator.entries_to_read(each as i64 + 1, 500), 2, "{each}");
        }
    }

    #[test]
    fn d2_entries_are_within_one_and_the_read_batch() {
        let estimator = DispatchEstimator::new(true);
        estimator.record_push(1_000_000, 1);
        assert_eq!(estimator.entries_to_read(1, 500), 1);
        assert_eq!(estimator.entries_to_read(1, 0), 1);
        assert_eq!(estimator.entries_to_read(i64::MAX, 500), 500);
        assert_eq!(estimator.entries_to_read(i64::MAX, u32::MAX), u32::MAX);
        // More entries than messages: each is taken for one message.
        let estimator = DispatchEstimator::new(true);
        estimator.record_push(1, 4);
        assert_eq!(estimator.entries_to_read(10, 500), 10);
    }

    #[test]
    fn d3_ten_permits_of_ten_an_entry_are_one_entry() {
        let estimator = DispatchEstimator::new(true);
        estimator.record_push(10, 1);
        assert_eq!(estimator.entries_to_read(10, 500), 1);
    }

    #[test]
    fn d3_off_the_average_is_kept_and_does_not_decide() {
        let estimator = DispatchEstimator::new(false);
        estimator.record_push(1000, 1);
        assert_eq!(estimator.average(), Some(1000.0));
        assert_eq!(estimator.entries_to_read(1000, 500), 500);
        assert_eq!(estimator.entries_to_read(30, 500), 30);
    }

    #[test]
    fn d3_off_as_many_entries_as_permits_however_many() {
        for precise in [true, false] {
            let estimator = DispatchEstimator::new(precise);
            for permits in [1, 999_999_999, 1_000_000_001, 2_147_483_647, 4_294_967_294] {
                assert_eq!(i64::from(estimator.entries_to_read(permits, u32::MAX)), permits);
            }
        }
    }

    #[test]
    fn d4_a_push_of_nothing_changes_nothing() {
        for estimator in [DispatchEstimator::new(true), from_1000()] {
            let before = estimator.average();
            estimator.record_push(0, 0);
            estimator.record_push(5, 0);
            estimator.record_push(0, 5);
            assert_eq!(estimator.average(), before);
        }
    }

    #[test]
    fn d4_statistics_are_one_json_object() {
        let estimator = DispatchEstimator::new(true);
        assert_eq!(estimator.to_json(), r#"{"avgMessagesPerEntry":null,"precise":true}"#);
        estimator.record_push(25, 2);
        assert_eq!(estimator.to_json(), r#"{"avgMessagesPerEntry":12.5,"precise":true}"#);
        // The smallest and the largest that pushes can give are JSON numbers too.
        for (messages, entries) in [(1, u64::MAX), (u64::MAX, 1)] {
            let estimator = DispatchEstimator::new(true);
            estimator.record_push(messages, entries);
            let read: serde_json::Value = serde_json::from_str(&estimator.to_json()).unwrap();
            assert_eq!(read["avgMessagesPerEntry"].as_f64(), estimator.average());
        }
    }

    #[test]
    fn d5_permits_below_zero_read_nothing_and_starve_nobody() {
        let estimators = [(); 3].map(|()| DispatchEstimator::new(true));
        estimators.iter().for_each(|estimator| estimator.record_push(10, 1));
        let read: Vec<_> = estimators
            .iter()
            .zip([-43, -8, 100])
            .map(|(each, permits)| each.entries_to_read(permits, 500))
            .collect();
        assert_eq!(read, [0, 0, 10]);
        assert_eq!(estimators[0].entries_to_read(i64::MIN, 500), 0);
    }

    #[test]
    fn d1_an_average_to_start_from_is_checked() {
        for value in [0.0, 0.999, -1.0, f64::NAN, f64::INFINITY] {
            let said = DispatchEstimator::starting_at(true, value).unwrap_err().to_string();
            assert_eq!(said, format!("messages_per_entry = {value}: must be a finite number from 1"));
        }
    }

    #[test]
    fn d1_no_push_of_racing_threads_is_lost() {
        let estimator = from_1000();
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| (0..25).for_each(|_| estimator.record_push(1, 1)))));
        });
        // Equal pushes give the same in any order: 1 + 999 x 0.9^100.
        let expected = (0..100).fold(1000.0, |average: f64, _| 0.9 * average + (1.0 - 0.9) * 1.0);
        assert_eq!(estimator.average(), Some(expected));
    }
}
