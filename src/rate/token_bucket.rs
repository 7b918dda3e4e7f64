//! A token bucket for amounts that may owe, in one atomic word: KIP-599's.
//!
//! Contract: R3. Tokens come at a steady rate up to the capacity. The permissive charge always takes, and the level may go
//! below zero; the answer is the time until it is zero again. The strict one refuses while the level is below zero, and takes
//! nothing then. Kafka's own class counts the same (java/engine, KafkaTokenBucketTest): its capacity is N x W x Q for N samples of
//! W under a quota of Q, its throttle time -level / Q.
//!
//! State: one word, the bits of a double: *used*, the tokens taken since the first moment, counting those that ran over as taken.
//! The level at `now` is `capacity + come - used`, where `come = rate x (now - first)` is reckoned anew each time, so that no
//! rounding adds up; `used` is never below `come`, or the level would be above the capacity. Nothing else hangs on the word, so all is
//! relaxed.
//!
//! Limits: exact to 1e-16 of what has come since the first moment; a smaller amount is taken as that (a gigabyte a second after a
//! year: four bytes, or 4 ns of it). A time before the latest gives a lower level, as Kafka's does,
//! and takes nothing away.

use super::gcra::{checked, Charge};
use crate::config::ConfigError;
use crate::sync::{AtomicU64, Ordering::Relaxed};

/// Whole numbers up to here are exact in a double. A larger amount is taken as this.
const MAX_AMOUNT: f64 = (1_u64 << 53) as f64;

/// A token bucket for amounts, which may owe: KIP-599's permissive and strict quota. One atomic word.
///
/// Any number of threads; all calls but the charges are wait-free, those are lock-free. Times are milliseconds from any
/// origin; one before the bucket's first counts as the first, one before the latest finds as many tokens fewer as came in between.
/// Amounts below zero give tokens back; what is no number is taken as zero, what is beyond 2^53 as that.
///
/// ```
/// use tollgate::rate::TokenBucket;
///
/// // Kafka's: 5 a second, a hundred samples of a second.
/// let bucket = TokenBucket::full(5.0, 500.0, 0)?;
/// assert_eq!(bucket.charge(560.0, 0), 12_000);
/// assert_eq!(bucket.tokens(0), -60.0);
/// # Ok::<(), tollgate::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct TokenBucket {
    per_second: f64,
    capacity: f64,
    first_ms: u64,
    used: AtomicU64,
}

impl TokenBucket {
    /// `per_second` tokens a second, at most `capacity`, all of them there at `now_ms`.
    ///
    /// # Errors
    /// A rate or a capacity that is not finite and above 0.
    pub fn full(per_second: f64, capacity: f64, now_ms: u64) -> Result<Self, ConfigError> {
        checked("rate", per_second, "tokens per second")?;
        checked("capacity", capacity, "tokens")?;
        Ok(Self { per_second, capacity, first_ms: now_ms, used: AtomicU64::new(0.0_f64.to_bits()) })
    }

    /// Tokens that have come since the first moment, those that ran over included.
    fn come(&self, now_ms: u64) -> f64 {
        // Signed, since that is one instruction to convert.
        let elapsed = now_ms.saturating_sub(self.first_ms).min(i64::MAX as u64) as i64;
        // Finite, or the bucket would owe without end at any earlier time.
        (elapsed as f64 / 1000.0 * self.per_second).min(f64::MAX)
    }

    fn level(&self, used: f64, come: f64) -> f64 {
        (self.capacity + (come - used)).min(self.capacity)
    }

    /// Takes `amount` where `may` says so of the level before it; gives the level at the end, and whether it was taken.
    #[inline]
    fn take_if(&self, amount: f64, now_ms: u64, may: impl Fn(f64) -> bool) -> (f64, bool) {
        let amount = if amount.is_nan() { 0.0 } else { amount.clamp(-MAX_AMOUNT, MAX_AMOUNT) };
        let come = self.come(now_ms);
        let mut bits = self.used.load(Relaxed);
        loop {
            let used = f64::from_bits(bits);
            let level = self.level(used, come);
            if !may(level) {
                return (level, false);
            }
            // The bits of doubles from 0 on are in the order of the doubles, and quicker to compare.
            let from = f64::from_bits(bits.max(come.to_bits()));
            // Kafka cuts at the capacity after the charge too, where an amount below zero gives tokens back.
            let next = if amount >= 0.0 { from + amount } else { (from + amount).max(come) };
            // Too small beside what has come: the least that is more, or such amounts would be free.
            let next = if amount > 0.0 && next == from {
                f64::from_bits(from.to_bits() + 1).min(f64::MAX)
            } else {
                next
            };
            match self.used.compare_exchange_weak(bits, next.to_bits(), Relaxed, Relaxed) {
                Ok(_) => return (self.level(next, come), true),
                Err(held) => bits = held,
            }
        }
    }

    /// Milliseconds until a level below zero is zero, rounded as Kafka does; 0 for others.
    fn debt_ms(&self, level: f64) -> u64 {
        if level >= 0.0 {
            return 0;
        }
        // Float to integer conversion saturates.
        (-level / self.per_second * 1000.0).round() as u64
    }

    /// Takes `amount`, whatever the level; gives the milliseconds until the level is zero again, 0 where it is not below.
    #[inline]
    pub fn charge(&self, amount: f64, now_ms: u64) -> u64 {
        self.debt_ms(self.take_if(amount, now_ms, |_| true).0)
    }

    /// Takes `amount` unless the level is below zero: then it takes nothing and says when the level is zero again. What is
    /// taken may bring the level below zero.
    #[inline]
    pub fn charge_strict(&self, amount: f64, now_ms: u64) -> Charge {
        match self.take_if(amount, now_ms, |level| level >= 0.0) {
            (_, true) => Charge::Taken,
            (level, false) => Charge::Refused { wait_ms: self.debt_ms(level).max(1) },
        }
    }

    /// The level at `now_ms`: at most the capacity, below zero while the bucket owes.
    #[must_use]
    pub fn tokens(&self, now_ms: u64) -> f64 {
        self.level(f64::from_bits(self.used.load(Relaxed)), self.come(now_ms))
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    #[test]
    fn c7_kafkas_permissive_quota() {
        let bucket = TokenBucket::full(5.0, 500.0, 0).unwrap();
        assert_eq!(bucket.charge(560.0, 0), 12_000);
        assert_eq!(bucket.tokens(0), -60.0);
        assert_eq!(bucket.charge(0.0, 11_999), 1);
        assert_eq!(bucket.charge(0.0, 12_000), 0);
    }

    #[test]
    fn c7_kafkas_strict_quota() {
        let bucket = TokenBucket::full(10.0, 100.0, 0).unwrap();
        assert_eq!(bucket.charge_strict(90.0, 0), Charge::Taken);
        assert_eq!(bucket.charge_strict(90.0, 0), Charge::Taken);
        assert_eq!(bucket.charge_strict(90.0, 0), Charge::Refused { wait_ms: 8_000 });
        assert_eq!(bucket.charge_strict(90.0, 5_000), Charge::Refused { wait_ms: 3_000 });
        assert_eq!(bucket.tokens(5_000), -30.0);
        assert_eq!(bucket.charge_strict(1.0, 8_000), Charge::Taken);
    }

    #[test]
    fn r3_what_runs_over_is_lost_and_what_is_given_back_too() {
        let bucket = TokenBucket::full(10.0, 100.0, 0).unwrap();
        assert_eq!(bucket.charge(30.0, 0), 0);
        assert_eq!(bucket.tokens(60_000), 100.0);
        assert_eq!(bucket.charge(30.0, 60_000), 0);
        assert_eq!(bucket.tokens(60_000), 70.0);
        assert_eq!(bucket.charge(-50.0, 60_000), 0);
        assert_eq!(bucket.tokens(60_000), 100.0);
    }

    #[test]
    fn r3_a_year_idle_a_day_back_and_rates_from_1e_minus_9_to_1e12() {
        const DAY: u64 = 24 * 3_600_000;
        for rate in [1e-9, 5.0, 1e12] {
            let bucket = TokenBucket::full(rate, rate * 10.0, 0).unwrap();
            assert_eq!(bucket.charge(rate * 10.0, 0), 0);
            assert_eq!(bucket.tokens(365 * DAY), rate * 10.0);
            assert_eq!(bucket.charge(rate * 20.0, 365 * DAY), 10_000);
            assert!(bucket.tokens(364 * DAY) < 0.0);
            // Exact to 1e-16 of what has come: half a year's worth of ten seconds' worths.
            let level = bucket.tokens(365 * DAY + 15_000) / rate;
            assert!((level - 5.0).abs() < 1e-7, "{rate}: {level}");
            assert!(bucket.tokens(u64::MAX).is_finite() && bucket.tokens(0).is_finite());
        }
    }

    #[test]
    fn r3_ends_of_time_and_rates_stay_finite() {
        for rate in [1e-300, 1.0, 1e300, f64::MAX] {
            let bucket = TokenBucket::full(rate, rate, 0).unwrap();
            for now in [0, 1, u64::MAX, 0, 1 << 42, u64::MAX] {
                let _ = bucket.charge(1.0, now);
                let _ = bucket.charge_strict(f64::MAX, now);
                assert!(bucket.tokens(now).is_finite(), "{rate} at {now}: {}", bucket.tokens(now));
                assert!(bucket.tokens(0).is_finite(), "{rate} at {now}: {}", bucket.tokens(0));
            }
        }
    }

    #[test]
    fn r3_small_amounts_are_never_free_however_much_has_come() {
        const DAY: u64 = 24 * 3_600_000;
        // 1 GB a second; four bytes are the least after a year.
        let bucket = TokenBucket::full(1e9, 1_000.0, 0).unwrap();
        let taken = (0..10_000).filter(|_| bucket.charge_strict(1.0, 365 * DAY) == Charge::Taken).count();
        assert_eq!(taken, 1_000 / 4 + 1);
        let bucket = TokenBucket::full(1e9, 1_000.0, 0).unwrap();
        let taken = (0..10_000).filter(|_| bucket.charge_strict(4.0, 365 * DAY) == Charge::Taken).count();
        assert_eq!(taken, 1_000 / 4 + 1);
    }

    #[test]
    fn r3_amounts_that_mean_nothing_do_no_harm() {
        let bucket = TokenBucket::full(1.0, 10.0, 0).unwrap();
        assert_eq!(bucket.charge(f64::NAN, 0), 0);
        assert_eq!(bucket.tokens(0), 10.0);
        let most = bucket.charge(f64::INFINITY, 0);
        assert_eq!(most, bucket.charge(0.0, 0));
        assert_eq!(bucket.charge(f64::NEG_INFINITY, 0), 0);
        assert_eq!(bucket.tokens(0), 10.0);
    }

    #[test]
    fn r3_rates_and_capacities_that_mean_nothing_are_refused() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let said = TokenBucket::full(value, 1.0, 0).unwrap_err().to_string();
            assert_eq!(said, format!("rate = {value}: must be a finite number above 0 (tokens per second)"));
            let said = TokenBucket::full(1.0, value, 0).unwrap_err().to_string();
            assert_eq!(said, format!("capacity = {value}: must be a finite number above 0 (tokens)"));
        }
    }

    #[test]
    fn r3_racing_charges_are_all_taken() {
        let bucket = TokenBucket::full(1.0, 1_000.0, 0).unwrap();
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| (0..500).map(|_| bucket.charge(1.0, 0)).max())));
        });
        assert_eq!(bucket.tokens(0), -1_000.0);
    }
}
