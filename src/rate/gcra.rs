//! A strict token bucket in one atomic word.
//!
//! Contract: S12, R3. Capacity and refill are fixed when the bucket is made; it starts with what it is given; a charge takes one
//! token or refuses with the time until the next.
//!
//! State: one word, the *empty time*: the moment at which the bucket held (or would have held) no token. Tokens at `now` are
//! `min(capacity, (now - empty) / interval)`, a charge moves the empty time forward by one interval. It is the virtual
//! scheduling form of GCRA (ITU-T I.371), seen from the other end.
//!
//! The word: bit 63 is FROZEN (the bucket has been handed over, see src/gate.rs), bits 0..63 the empty time in ticks of
//! 2^-20 ms since `ORIGIN` ticks before the bucket's first moment.
//!
//! Time going back: a bucket that never owes cannot be empty in the future, so an empty time ahead of `now` is an earlier time
//! given. A caller's thread may have slept a little; but a minute and more than the bucket takes to fill is a clock that was
//! set back, and the bucket is then empty now instead of for hours (C10).
//!
//! Ordering: all hangs on the one word, but for who meets FROZEN: that is set with release and met with acquire, so that a charge
//! which goes back for the bucket that came next finds it there (O5).
//!
//! Limits: an interval is whole ticks: at 10^9 per hour it is exact to 1 in 3,775, above that it gets coarser; at
//! most 2^60 ticks (35 years) long; the bucket refills for 139 years after its first moment and then stands still (S9).

use crate::config::{ConfigError, Double};
use crate::sync::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

const TICKS_PER_MS: u64 = 1 << 20;
const MAX_INTERVAL: u64 = 1 << 60;
const ORIGIN: u64 = 1 << 62;
/// The bucket's time ends here, short of the words below that are no time.
const LAST_MS: u64 = ORIGIN / TICKS_PER_MS - 1;
const FROZEN: u64 = 1 << 63;
/// Further back than that is no thread that slept.
const SET_BACK_MS: u64 = 60_000;

/// What fills a [`Gcra`]: how many tokens an hour, and at most how many at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refill {
    /// Ticks for one token.
    interval: u64,
    /// Ticks for all of them.
    full: u64,
}

impl Refill {
    /// `rate` tokens per hour, at most `capacity` tokens at once; a capacity below 1 is taken as 1. Fractions of a token
    /// work in both. A token takes 35 years to come at most, a bucket 35 years to fill: a lower rate is taken as that, a larger
    /// capacity is cut.
    ///
    /// # Errors
    /// A rate or a capacity that is not finite and above 0.
    pub fn per_hour(rate: f64, capacity: f64) -> Result<Self, ConfigError> {
        checked("rate", rate, "tokens per hour")?;
        checked("capacity", capacity, "tokens")?;
        Ok(Self::new(rate, capacity))
    }

    /// `per_hour` tokens an hour, at most `capacity` (at least 1) at once. Both finite and positive.
    pub(crate) fn new(per_hour: f64, capacity: f64) -> Self {
        // Float to integer conversion saturates.
        let interval = ((3_600_000.0 * TICKS_PER_MS as f64 / per_hour).round() as u64).clamp(1, MAX_INTERVAL);
        // The whole tokens in integers: a double cannot hold them where the interval is long, and the last would be short.
        let capacity = capacity.max(1.0);
        let part = (capacity.fract() * interval as f64).round() as u64;
        let full = (capacity as u64).saturating_mul(interval).saturating_add(part).min(MAX_INTERVAL);
        Self { interval, full }
    }

    pub(crate) fn tokens(self, level: u64) -> f64 {
        level as f64 / self.interval as f64
    }

    /// Milliseconds in which one token comes, rounded up.
    pub(crate) fn interval_ms(self) -> u64 {
        self.interval.div_ceil(TICKS_PER_MS)
    }
}

/// Refuses what is not a finite number above 0.
pub(super) fn checked(field: &'static str, value: f64, unit: &str) -> Result<(), ConfigError> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    let range = format!("a finite number above 0 ({unit})");
    Err(ConfigError { field, value: Double(value).to_string(), range })
}

/// What a charge met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Charge {
    /// One token was taken.
    Taken,
    /// Nothing was taken.
    Refused {
        /// Milliseconds until there is a token, at least 1.
        wait_ms: u64,
    },
}

/// A strict token bucket: a charge takes one token or is refused and told when to come back. One atomic word, the virtual
/// scheduling form of GCRA (ITU-T I.371). [`TokenBucket`](super::TokenBucket) takes amounts and may owe.
///
/// Times are milliseconds from any origin. A time before the bucket's first counts as the first; at one before the latest
/// there are as many tokens fewer as would have come in between, and none is lost by it; one that is further back than a
/// minute and than the bucket takes to fill is a clock set back, and an empty bucket fills from there. Threads must not
/// differ by as much: they would fill it at each turn.
///
/// ```
/// use tollgate::rate::{Gcra, Charge, Refill};
///
/// let bucket = Gcra::full(Refill::per_hour(3600.0, 2.0)?, 0);
/// assert_eq!(bucket.charge(0), Charge::Taken);
/// assert_eq!(bucket.charge(0), Charge::Taken);
/// assert_eq!(bucket.charge(400), Charge::Refused { wait_ms: 600 });
/// assert_eq!(bucket.charge(1000), Charge::Taken);
/// # Ok::<(), tollgate::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct Gcra {
    refill: Refill,
    first_ms: u64,
    word: AtomicU64,
}

impl Gcra {
    /// A full bucket; its time begins at `first_ms`.
    #[must_use]
    pub fn full(refill: Refill, first_ms: u64) -> Self {
        Self { refill, first_ms, word: AtomicU64::new(ORIGIN - refill.full) }
    }

    /// One with `tokens`, cut to 0 and the capacity.
    pub(crate) fn holding(refill: Refill, tokens: f64, first_ms: u64) -> Self {
        // Float to integer conversion saturates at 0 and above.
        let level = ((tokens * refill.interval as f64).round() as u64).min(refill.full);
        Self { refill, first_ms, word: AtomicU64::new(ORIGIN - level) }
    }

    pub(crate) fn refill(&self) -> Refill {
        self.refill
    }

    fn ticks(&self, now_ms: u64) -> u64 {
        ORIGIN + now_ms.saturating_sub(self.first_ms).min(LAST_MS) * TICKS_PER_MS
    }

    fn level(&self, empty: u64, now_ms: u64) -> u64 {
        self.ticks(now_ms).saturating_sub(empty).min(self.refill.full)
    }

    /// Takes one token. Lock-free.
    #[inline]
    pub fn charge(&self, now_ms: u64) -> Charge {
        // Only a gate replaces a bucket, and only its own; such a one would have no token ever.
        self.charge_unless_replaced(now_ms).unwrap_or(Charge::Refused { wait_ms: u64::MAX })
    }

    /// [`charge`](Self::charge), or `None` when the bucket was replaced: ask the quota for the new one.
    #[inline]
    pub(crate) fn charge_unless_replaced(&self, now_ms: u64) -> Option<Charge> {
        let Refill { interval, full } = self.refill;
        let now = self.ticks(now_ms);
        let mut word = self.word.load(Acquire);
        // A frozen word is after any `now`.
        while word + interval <= now {
            // A bucket cannot have been empty longer ago than it takes to fill. Two ways and not a maximum: what is swapped in then
            // waits for one addition alone.
            let swapped = if word >= now - full {
                self.word.compare_exchange_weak(word, word + interval, Relaxed, Acquire)
            } else {
                self.word.compare_exchange_weak(word, now - full + interval, Relaxed, Acquire)
            };
            match swapped {
                Ok(_) => return Some(Charge::Taken),
                Err(held) => word = held,
            }
        }
        (word & FROZEN == 0).then(|| self.refuse(word, now))
    }

    /// What a charge is told that found the bucket empty until after `now`.
    fn refuse(&self, word: u64, now: u64) -> Charge {
        let Refill { interval, full } = self.refill;
        let mut empty = word.max(now - full);
        if empty - now.min(empty) > full.max(SET_BACK_MS * TICKS_PER_MS) {
            // Losing means that another thread has set it.
            let _ = self.word.compare_exchange(word, now, Relaxed, Relaxed);
            empty = now;
        }
        Charge::Refused { wait_ms: (empty + interval - now).min(interval).div_ceil(TICKS_PER_MS) }
    }

    /// Tokens at `now_ms`, fractions included: at least 0, at most the capacity. Takes none. Wait-free.
    #[must_use]
    pub fn tokens(&self, now_ms: u64) -> f64 {
        self.refill.tokens(self.level(self.word.load(Relaxed) & !FROZEN, now_ms))
    }

    /// Milliseconds until there is a token that `ahead` others leave, 0 if there is one now. Takes none. Wait-free.
    pub(crate) fn wait_ms(&self, ahead: u32, now_ms: u64) -> u64 {
        let level = self.level(self.word.load(Relaxed) & !FROZEN, now_ms);
        let needed = self.refill.interval.saturating_mul(u64::from(ahead) + 1);
        needed.saturating_sub(level).div_ceil(TICKS_PER_MS)
    }

    pub(crate) fn is_full(&self, now_ms: u64) -> bool {
        self.level(self.word.load(Relaxed) & !FROZEN, now_ms) == self.refill.full
    }

    /// Stops all charges for good and says what was left. Any number of callers get the same empty time.
    pub(crate) fn freeze(&self, now_ms: u64) -> f64 {
        let word = self.word.fetch_or(FROZEN, Release);
        self.refill.tokens(self.level(word & !FROZEN, now_ms))
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    #[test]
    fn s12_full_at_start_then_one_per_interval() {
        let bucket = Gcra::full(Refill::new(3600.0, 3.0), 1000);
        for _ in 0..3 {
            assert_eq!(bucket.charge(1000), Charge::Taken);
        }
        assert_eq!(bucket.charge(1000), Charge::Refused { wait_ms: 1000 });
        assert_eq!(bucket.charge(1999), Charge::Refused { wait_ms: 1 });
        assert_eq!(bucket.charge(2000), Charge::Taken);
        assert_eq!(bucket.charge(2000), Charge::Refused { wait_ms: 1000 });
    }

    #[test]
    fn s15_the_wait_is_the_one_that_a_charge_has() {
        let bucket = Gcra::full(Refill::new(3600.0, 3.0), 0);
        assert_eq!([0, 2, 3, 5].map(|ahead| bucket.wait_ms(ahead, 0)), [0, 0, 1000, 3000]);
        (0..3).for_each(|_| assert_eq!(bucket.charge(0), Charge::Taken));
        for now in [0, 1, 400, 999] {
            assert_eq!(bucket.charge(now), Charge::Refused { wait_ms: bucket.wait_ms(0, now) });
        }
        assert_eq!([0, 1].map(|ahead| bucket.wait_ms(ahead, 1000)), [0, 1000]);
        assert_eq!(bucket.charge(1000), Charge::Taken);
        let slow = Gcra::holding(Refill::new(f64::MIN_POSITIVE, 1.0), 0.0, 0);
        assert!(slow.wait_ms(u32::MAX, 0) > 1 << 40, "saturates");
    }

    #[test]
    fn r3_rates_and_capacities_that_mean_nothing_are_refused() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let said = Refill::per_hour(value, 1.0).unwrap_err().to_string();
            assert_eq!(said, format!("rate = {value}: must be a finite number above 0 (tokens per hour)"));
            let said = Refill::per_hour(1.0, value).unwrap_err().to_string();
            assert_eq!(said, format!("capacity = {value}: must be a finite number above 0 (tokens)"));
        }
    }

    #[test]
    fn s12_a_fraction_of_one_per_hour_works() {
        let bucket = Gcra::full(Refill::new(0.5, 1.0), 0);
        assert_eq!(bucket.charge(0), Charge::Taken);
        assert_eq!(bucket.charge(0), Charge::Refused { wait_ms: 7_200_000 });
        assert_eq!(bucket.charge(7_199_999), Charge::Refused { wait_ms: 1 });
        assert_eq!(bucket.charge(7_200_000), Charge::Taken);
    }

    #[test]
    fn c9_idle_fills_to_capacity_and_no_further() {
        let bucket = Gcra::full(Refill::new(5.0 * 3600.0, 5.0), 0);
        (0..5).for_each(|_| assert_eq!(bucket.charge(0), Charge::Taken));
        (0..5).for_each(|_| assert_eq!(bucket.charge(2000), Charge::Taken));
        assert!(matches!(bucket.charge(2000), Charge::Refused { .. }));
    }

    #[test]
    fn r3_a_full_bucket_holds_its_capacity() {
        for rate in [1e-3, 1.7e-4, 1e-4, 3.3e-5, 1e-5, 0.5, 7.0, 1e9] {
            for capacity in [1_u32, 2, 3, 5, 7] {
                let bucket = Gcra::full(Refill::new(rate, capacity.into()), 0);
                if bucket.refill.full == MAX_INTERVAL {
                    continue;
                }
                let taken = (0..capacity).filter(|_| bucket.charge(0) == Charge::Taken).count();
                assert_eq!(taken, capacity as usize, "{rate}");
            }
        }
    }

    #[test]
    fn s9_extreme_times_and_rates_do_not_overflow() {
        for rate in [1e-300, 1e-9, 1.0, 1e12, f64::MAX] {
            for first in [0, 1, u64::MAX] {
                let bucket = Gcra::full(Refill::new(rate, (rate / 4.0).max(1.0)), first);
                for now in [0, 1, 1 << 42, u64::MAX, 0] {
                    let _ = bucket.charge(now);
                    assert!(bucket.tokens(now).is_finite());
                }
            }
        }
    }

    #[test]
    fn s11_frozen_hands_its_level_over_once() {
        let old = Gcra::full(Refill::new(3600.0, 10.0), 0);
        assert_eq!(old.charge(0), Charge::Taken);
        assert_eq!(old.freeze(0), 9.0);
        assert_eq!(old.charge_unless_replaced(0), None);
        assert_eq!(old.freeze(0), 9.0);
        assert_eq!(Gcra::holding(Refill::new(3600.0, 5.0), 9.0, 0).tokens(0), 5.0);
        assert_eq!(Gcra::holding(Refill::new(3600.0, 5.0), 3.5, 0).tokens(0), 3.5);
        assert_eq!(Gcra::holding(Refill::new(3600.0, 5.0), -1.0, 0).tokens(0), 0.0);
    }

    #[test]
    fn c10_a_clock_set_back_does_not_stop_the_refill() {
        const HOUR: u64 = 3_600_000;
        let bucket = Gcra::full(Refill::new(36_000.0, 10.0), 0);
        (0..10).for_each(|_| assert_eq!(bucket.charge(9 * HOUR), Charge::Taken));
        assert_eq!(bucket.charge(HOUR), Charge::Refused { wait_ms: 100 });
        assert_eq!(bucket.charge(HOUR + 99), Charge::Refused { wait_ms: 1 });
        assert_eq!(bucket.charge(HOUR + 100), Charge::Taken);
        assert_eq!(bucket.charge(HOUR + 100), Charge::Refused { wait_ms: 100 });
    }

    #[test]
    fn r3_threads_that_disagree_about_the_time_make_no_token() {
        let bucket = Gcra::full(Refill::new(36_000.0, 10.0), 0);
        (0..10).for_each(|_| assert_eq!(bucket.charge(60_000), Charge::Taken));
        for late in [59_999, 59_000, 30_000, 1, 0] {
            assert!(matches!(bucket.charge(late), Charge::Refused { .. }), "{late}");
            assert!(matches!(bucket.charge(60_000), Charge::Refused { wait_ms: 100 }), "{late}");
        }
    }

    #[test]
    fn c8_three_limits_after_a_night() {
        const MINUTE: f64 = 60.0;
        // 300 a second, 14,500 a minute, 700,000 an hour: the tightest is asked first.
        let limits = [(300.0 * 3600.0, 300.0), (14_500.0 * MINUTE, 14_500.0), (700_000.0, 700_000.0)]
            .map(|(per_hour, capacity)| Gcra::full(Refill::new(per_hour, capacity), 0));
        let now = 12 * 3_600_000;
        let passes = || limits.iter().all(|limit| limit.charge(now) == Charge::Taken);
        assert_eq!((0..300).filter(|_| passes()).count(), 300);
        assert!(!passes());
    }

    #[test]
    fn r3_idle_for_a_year_and_back_a_day() {
        const DAY: u64 = 24 * 3_600_000;
        // At 1e-9 an hour the bucket is taken as one token in 35 years.
        for (rate, capacity, after_a_year) in [(1e-9, 1.0, 1.0 / 34.84), (5.0, 3.0, 3.0), (1e12, 3.0, 3.0)] {
            let bucket = Gcra::full(Refill::new(rate, 3.0), 0);
            assert_eq!(bucket.tokens(0), capacity);
            while bucket.charge(0) == Charge::Taken {}
            let year = 365 * DAY;
            let tokens = bucket.tokens(year);
            assert!((tokens - after_a_year).abs() < 1e-4, "{rate}: {tokens}");
            let _ = bucket.charge(year - DAY);
            let back = bucket.tokens(year - DAY);
            assert!((0.0..=capacity).contains(&back), "{rate}: {back}");
        }
    }
}
