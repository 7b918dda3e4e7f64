//! At most so many in any window: the limiter of a windowed quota.
//!
//! Contract: S12, R2. The `Sliding` policy read from its safe side: the oldest sample counts whole as long as any of it is in
//! the window, so that no window of the span, wherever it begins, holds more than the limit. The price is that what comes
//! evenly waits up to one sample longer: from N/(N+1) of the rate to all of it passes.
//!
//! State: one immutable value behind a snapshot cell, `{ newest sample's number, counts, frozen }`. A charge that takes
//! publishes the next value by compare-and-swap, so check and count are one step: of racers for the last place one gets it,
//! and none is counted in a sample that has gone. A refused charge writes nothing, so a flood costs reads alone; what is
//! taken, and with it what is allocated, is bounded by the quota itself.
//!
//! Ordering: the one of its cell (O2). Frozen is never taken off: a charge either comes before the freeze, and is in
//! the level handed over, or it meets a frozen value (O5; loom-tests: `o5_windowed_charge_against_quota_change`,
//! `s12_racers_for_the_last_place_in_a_window`).

use super::gcra::Charge;
use crate::sync::{Arc, Snapshot};

/// Whole samples in the span.
const SAMPLES: u64 = 8;
/// And the one that is partly out.
const COUNTED: usize = SAMPLES as usize + 1;

/// Time in here is in ticks of 2^-20 ms, so that a sample of a third of a millisecond more or less does not shift the rate. It
/// ends in the year 2248.
const TICKS_PER_MS: u64 = 1 << 20;
const LAST_MS: u64 = (1 << 43) - 1;

fn ticks(now_ms: u64) -> u64 {
    now_ms.min(LAST_MS) * TICKS_PER_MS
}

/// A limit, and the span in which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    limit: u32,
    /// Ticks of a sample.
    sample: u64,
}

impl Span {
    /// `capacity` (at least 1, whole) in the time in which as many come at `per_hour`; but a sample is a millisecond at least,
    /// and as many more may come as come in that.
    pub(crate) fn new(per_hour: f64, capacity: f64) -> Self {
        let per_tick = per_hour / (3_600_000.0 * TICKS_PER_MS as f64);
        // More than is counted is cut, and the time with it.
        let whole = capacity.clamp(1.0, u32::MAX.into()).floor();
        // Float to integer conversion saturates.
        let sample = (whole / per_tick / SAMPLES as f64).round() as u64;
        let sample = sample.clamp(TICKS_PER_MS, u64::MAX / COUNTED as u64);
        let limit = whole.max((per_tick * (sample * SAMPLES) as f64).floor()) as u32;
        Self { limit, sample }
    }

    pub(crate) fn limit(self) -> u32 {
        self.limit
    }

    /// Milliseconds in which, on the mean, one place comes free, rounded up.
    pub(crate) fn interval_ms(self) -> u64 {
        (self.sample * SAMPLES / u64::from(self.limit)).div_ceil(TICKS_PER_MS)
    }

    /// The sample that holds a moment, counted from time 0.
    fn number(self, now_ms: u64) -> u64 {
        ticks(now_ms) / self.sample
    }
}

#[derive(Clone, Copy)]
struct Counts {
    /// The newest sample's, since time 0.
    number: u64,
    /// The newest sample's first, then back in time.
    taken: [u32; COUNTED],
    frozen: bool,
}

impl Counts {
    /// As they stand in the sample `number`; a number before the newest is taken as that.
    fn at(mut self, number: u64) -> Self {
        let passed = number.saturating_sub(self.number);
        if passed > 0 {
            let kept = COUNTED.saturating_sub(usize::try_from(passed).unwrap_or(COUNTED));
            self.taken.copy_within(..kept, COUNTED - kept);
            self.taken[..COUNTED - kept].fill(0);
            self.number = number;
        }
        self
    }

    fn sum(&self) -> u64 {
        self.taken.iter().copied().map(u64::from).sum()
    }
}

/// See the module's head.
pub(crate) struct SlidingLimit {
    span: Span,
    counts: Snapshot<Counts>,
}

impl SlidingLimit {
    /// With room for `tokens` more. What is taken lies evenly over the samples, as if it had come at the limit's rate.
    pub(crate) fn holding(span: Span, tokens: f64, now_ms: u64) -> Self {
        // Float to integer conversion saturates.
        let gone = u64::from(span.limit.saturating_sub(tokens as u32));
        let upto = |samples: u64| (gone * samples / SAMPLES) as u32;
        let mut taken = [0; COUNTED];
        // One for each whole sample: the place of the one partly out stays empty.
        (1..).zip(&mut taken[..SAMPLES as usize]).for_each(|(n, count)| *count = upto(n) - upto(n - 1));
        let counts = Counts { number: span.number(now_ms), taken, frozen: false };
        Self { span, counts: Snapshot::new(Arc::new(counts)) }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Takes one place, or refuses; `None` when frozen. Lock-free.
    pub(crate) fn charge_unless_replaced(&self, now_ms: u64) -> Option<Charge> {
        loop {
            let held = self.counts.load();
            if held.frozen {
                return None;
            }
            let mut next = held.at(self.span.number(now_ms));
            if next.sum() >= u64::from(self.span.limit) {
                return Some(Charge::Refused { wait_ms: self.wait_ms(&next, now_ms) });
            }
            next.taken[0] += 1;
            if self.counts.replace(&held, Arc::new(next)) {
                return Some(Charge::Taken);
            }
        }
    }

    /// Milliseconds until one more fits: until so many of the oldest samples are out.
    fn wait_ms(&self, counts: &Counts, now_ms: u64) -> u64 {
        let mut sum = counts.sum();
        let limit = u64::from(self.span.limit);
        for age in (0..COUNTED).rev() {
            sum -= u64::from(counts.taken[age]);
            if sum < limit {
                // The sample of this age is out when the newest is COUNTED samples after it.
                let out = (counts.number + (COUNTED - age) as u64).saturating_mul(self.span.sample);
                return out.saturating_sub(ticks(now_ms)).div_ceil(TICKS_PER_MS).max(1);
            }
        }
        unreachable!("a limit is at least 1, and without samples the sum is 0")
    }

    /// Places left at `now_ms`. Wait-free.
    pub(crate) fn tokens(&self, now_ms: u64) -> f64 {
        let taken = self.counts.load().at(self.span.number(now_ms)).sum();
        u64::from(self.span.limit).saturating_sub(taken) as f64
    }

    /// Stops all charges for good and says what was left. Any number of callers get the same counts.
    pub(crate) fn freeze(&self, now_ms: u64) -> f64 {
        loop {
            let held = self.counts.load();
            if held.frozen || self.counts.replace(&held, Arc::new(Counts { frozen: true, ..**held })) {
                return self.tokens(now_ms);
            }
        }
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    fn limit(per_hour: f64, capacity: f64) -> SlidingLimit {
        SlidingLimit::holding(Span::new(per_hour, capacity), f64::INFINITY, 0)
    }

    /// Times at which one passes when asked every millisecond.
    fn passed(limit: &SlidingLimit, until_ms: u64) -> Vec<u64> {
        (0..until_ms).filter(|&now| limit.charge_unless_replaced(now) == Some(Charge::Taken)).collect()
    }

    /// The most events in any window of `span` milliseconds.
    fn most_in_a_window(times: &[u64], span: u64) -> usize {
        let within =
            |(first, &start): (usize, &u64)| times[first..].iter().take_while(|&&t| t - start < span).count();
        times.iter().enumerate().map(within).max().unwrap_or(0)
    }

    #[test]
    fn s12_no_window_holds_more_than_the_limit() {
        // 30 a second, a second's worth at once, and 17, which no eighth divides.
        for capacity in [30.0, 17.0, 2.0, 1.0] {
            let limit = limit(30.0 * 3_600.0, capacity);
            // The last millisecond is in the span whole or not at all.
            let span = limit.span.sample * SAMPLES / TICKS_PER_MS;
            let times = passed(&limit, 20_000);
            assert_eq!(most_in_a_window(&times, span), limit.span.limit as usize, "{capacity}");
            // From 8/9 of the rate to all of it, and the start.
            let least = 30.0 * 20.0 * 8.0 / 9.0 * 0.98;
            assert!(times.len() as f64 >= least && times.len() <= 630, "{capacity}: {}", times.len());
        }
    }

    #[test]
    fn s12_the_wait_is_until_one_fits() {
        let limit = limit(3_600.0, 8.0);
        assert_eq!(passed(&limit, 1), [0], "one passes");
        (1..8).for_each(|_| assert_eq!(limit.charge_unless_replaced(500), Some(Charge::Taken)));
        assert_eq!(limit.charge_unless_replaced(999), Some(Charge::Refused { wait_ms: 8_001 }));
        assert_eq!(limit.charge_unless_replaced(8_999), Some(Charge::Refused { wait_ms: 1 }));
        assert_eq!(limit.tokens(8_999), 0.0);
        assert_eq!(limit.tokens(9_000), 8.0);
    }

    #[test]
    fn s12_rates_beyond_a_sample_a_millisecond_keep_their_rate() {
        let span = Span::new(3_600_000_000.0, 1.0);
        assert_eq!(span, Span { limit: 8_000, sample: TICKS_PER_MS });
        assert_eq!(Span::new(0.5, 1.0), Span { limit: 1, sample: 900_000 * TICKS_PER_MS });
    }

    #[test]
    fn s12_rates_beyond_what_is_counted_keep_their_rate() {
        for rate in [1e6, 4e9, 1e10, 1e12] {
            let span = Span::new(rate, rate);
            let per_hour =
                f64::from(span.limit) * 3_600_000.0 * TICKS_PER_MS as f64 / (span.sample * SAMPLES) as f64;
            assert!((per_hour / rate - 1.0).abs() < 1e-3, "{rate}: {per_hour}");
        }
    }

    #[test]
    fn s9_extreme_times_and_rates_do_not_overflow() {
        for rate in [1e-300, 1e-9, 1.0, 1e12, f64::MAX] {
            for first in [0, 1, u64::MAX] {
                let limit = SlidingLimit::holding(Span::new(rate, (rate / 4.0).max(1.0)), 0.0, first);
                for now in [0, 1, 1 << 42, u64::MAX, 0] {
                    assert!(limit.charge_unless_replaced(now).is_some());
                    assert!(limit.tokens(now) >= 0.0);
                }
            }
        }
    }

    #[test]
    fn s11_frozen_hands_its_places_over_once() {
        let old = limit(3_600.0, 10.0);
        assert_eq!(old.charge_unless_replaced(0), Some(Charge::Taken));
        assert_eq!((old.freeze(0), old.freeze(0)), (9.0, 9.0));
        assert_eq!(old.charge_unless_replaced(0), None);
    }

    #[test]
    fn s11_what_is_handed_over_comes_back_evenly() {
        let limit = SlidingLimit::holding(Span::new(3_600.0, 8.0), 2.5, 8_000);
        assert_eq!(limit.tokens(8_000), 2.0);
        let tokens: Vec<_> = (9..18).map(|second| limit.tokens(second * 1_000)).collect();
        assert_eq!(tokens, [2.0, 3.0, 4.0, 5.0, 5.0, 6.0, 7.0, 8.0, 8.0]);
    }
}
