//! A sliding count: events of the last window, the oldest sample counted by the share of it still inside.
//!
//! Contract: the `Sliding` policy of R1: no saw-tooth, no jump without an event; R4: two readings at one `now` agree.
//!
//! State: a ring of samples, each one word `{ index: 32 bits, count: 32 bits }`, where the index is the sample's number since time
//! 0, modulo 2^32. A sample that is needed for a newer index is overwritten by the same compare-and-swap that
//! counts its first event, so no event is ever credited to a recycled sample (R2). Counts stop at 2^32 - 1.

use crate::sync::{AtomicU64, Ordering::Relaxed};

/// Whole samples in a window.
const SAMPLES: u64 = 4;
/// One more in part at the old end, and one that is being filled.
const SLOTS: usize = SAMPLES as usize + 2;

/// A sample that is so many ahead of a caller's is a newer one; further, it is one from before a long time without events.
const LATEST: u32 = 1 << 20;

/// How many events come per hour, by a window of time that slides: the oldest sample counts by the share of it that is
/// still inside. No saw-tooth, no jump without an event (the longer-term wish of Kafka's pull request 12045).
///
/// Times are milliseconds from any origin, the window's length is given with each call and must not change. It is cut to a
/// multiple of 4 ms, and 4 at least.
///
/// ```
/// use tollgate::rate::Sliding;
///
/// let rate = Sliding::new();
/// (0..3).for_each(|second| rate.record(second * 1000, 3_600_000));
/// assert_eq!(rate.per_hour(3_000, 3_600_000), 3.0);
/// ```
pub struct Sliding {
    slots: [AtomicU64; SLOTS],
}

fn pack(index: u32, count: u32) -> u64 {
    u64::from(index) << 32 | u64::from(count)
}

fn unpack(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

fn sample_ms(window_ms: u64) -> u64 {
    (window_ms / SAMPLES).max(1)
}

impl Default for Sliding {
    fn default() -> Self {
        Self::new()
    }
}

impl Sliding {
    /// A rate without events.
    #[must_use]
    pub fn new() -> Self {
        Self { slots: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// Counts one event at `now_ms`. Lock-free. An event whose time is a window and more before one counted already may be
    /// left out.
    pub fn record(&self, now_ms: u64, window_ms: u64) {
        let number = now_ms / sample_ms(window_ms);
        let slot = &self.slots[(number % SLOTS as u64) as usize];
        let word = slot.load(Relaxed);
        let (index, count) = unpack(word);
        // Mostly the sample is there, and one more is all.
        let counts = index == number as u32 && (1..u32::MAX).contains(&count);
        if !(counts && slot.compare_exchange(word, word + 1, Relaxed, Relaxed).is_ok()) {
            Self::record_slowly(slot, number as u32);
        }
    }

    #[cold]
    fn record_slowly(slot: &AtomicU64, index: u32) {
        let _ = slot.fetch_update(Relaxed, Relaxed, |word| {
            let (held, count) = unpack(word);
            if held == index && count > 0 {
                return Some(pack(index, count.saturating_add(1)));
            }
            // A caller that slept for a window and more: its sample is gone, and so is its event.
            let is_late = count > 0 && held.wrapping_sub(index) <= LATEST;
            (!is_late).then(|| pack(index, 1))
        });
    }

    /// Events per hour over the window that ends at `now_ms`. Wait-free.
    #[must_use]
    pub fn per_hour(&self, now_ms: u64, window_ms: u64) -> f64 {
        let sample = sample_ms(window_ms);
        let number = now_ms / sample;
        let gone = (now_ms % sample) as f64 / sample as f64;
        let events: f64 = self
            .slots
            .iter()
            .map(|slot| {
                let (index, count) = unpack(slot.load(Relaxed));
                let weight = match u64::from((number as u32).wrapping_sub(index)) {
                    age if age < SAMPLES => 1.0,
                    SAMPLES => 1.0 - gone,
                    _ => 0.0,
                };
                weight * f64::from(count)
            })
            .sum();
        // What the samples span; up to three milliseconds less than a window that is not so many of them.
        events * 3_600_000.0 / (sample * SAMPLES) as f64
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    #[test]
    fn r1_sliding_fades_without_a_jump() {
        let rate = Sliding::new();
        (0..100).for_each(|_| rate.record(0, 4000));
        assert_eq!(rate.per_hour(0, 4000), 90_000.0);
        assert_eq!(rate.per_hour(4000, 4000), 90_000.0);
        assert_eq!(rate.per_hour(4500, 4000), 45_000.0);
        assert_eq!(rate.per_hour(5000, 4000), 0.0);
    }

    #[test]
    fn c6_two_events_an_hour_are_two_per_hour() {
        let rate = Sliding::new();
        rate.record(60_000, 3_600_000);
        rate.record(59 * 60_000, 3_600_000);
        assert_eq!(rate.per_hour(59 * 60_000, 3_600_000), 2.0);
    }

    #[test]
    fn r1_a_window_of_no_whole_samples_has_its_rate() {
        // One event a millisecond, 3,600,000 an hour.
        for window_ms in [1, 2, 3, 4, 5, 6, 7, 8, 1001] {
            let rate = Sliding::new();
            (0..5000).for_each(|now| rate.record(now, window_ms));
            let per_hour = rate.per_hour(4999, window_ms);
            // The newest sample counts whole.
            assert!((3_600_000.0..=4_500_000.0).contains(&per_hour), "{window_ms}: {per_hour}");
        }
    }

    #[test]
    fn r1_an_event_after_a_long_idle_time_counts() {
        const DAY: u64 = 24 * 3_600_000;
        for days in [1, 24, 25, 30, 49, 365] {
            let rate = Sliding::new();
            rate.record(0, 4);
            rate.record(days * DAY, 4);
            assert_eq!(rate.per_hour(days * DAY, 4), 900_000.0, "{days} days");
        }
    }

    #[test]
    fn s9_ends_of_time() {
        let rate = Sliding::new();
        rate.record(u64::MAX, 1000);
        assert_eq!(rate.per_hour(u64::MAX, 1000), 3_600.0);
        rate.record(0, u64::MAX);
        // Sample numbers in the upper half of the 32 bits, as with times since 1970 and a short window.
        let rate = Sliding::new();
        rate.record(1_700_000_000_000, 1000);
        assert_eq!(rate.per_hour(1_700_000_000_000, 1000), 3_600.0);
    }
}
