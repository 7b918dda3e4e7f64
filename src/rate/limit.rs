//! At most so many in any window: the limiter of a windowed quota.
//!
//! Contract: S12, R2. A sample begins with its first event, and counts whole until its last event has left the window: from the
//! safe side, so that no window of the span, wherever it begins, holds more than the limit. The price is that what comes evenly
//! waits up to one sample longer: from N/(N+1) of the rate to all of it passes.
//!
//! State: one immutable value behind a snapshot cell, `{ samples, frozen }`, a sample being the time of its last event and a count. A
//! charge that takes publishes the next value by compare-and-swap, so check and count are one step: of racers for the last place
//! one gets it, and none is counted in a sample that has gone. A refused charge writes nothing, so a flood costs reads
//! alone; what is taken, and with it what is allocated, is bounded by the quota itself.
//!
//! A limiter that takes over from another carries its samples as they are: what was admitted stays counted until it has left
//! the new window, however often the quota changes.
//!
//! Ordering: the one of its cell (O2). Frozen is never taken off: a charge either comes before the freeze, and is in
//! the samples handed over, or it meets a frozen value (O5; loom-tests: `o5_windowed_charge_against_quota_change`,
//! `s12_racers_for_the_last_place_in_a_window`).

use super::gcra::Charge;
use crate::sync::{Arc, Snapshot};

/// N: samples in a span where events come evenly.
const SAMPLES: u64 = 8;
/// And the one that is partly out.
pub(crate) const HELD: usize = SAMPLES as usize + 1;
/// Spans are in ticks of 2^-20 ms, so that a third of a millisecond more or less does not shift the rate.
const TICKS_PER_MS: u64 = 1 << 20;
/// The longest time between two moments; two hundred years and more count as that.
const LONGEST_MS: u64 = (1 << 43) - 1;

/// A limit, and the span in which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    limit: u32,
    /// In ticks.
    length: u64,
}

impl Span {
    /// `capacity` (at least 1, whole) in the time in which as many come at `per_hour`; but a sample is a millisecond at least,
    /// and as many more may come as come in that.
    pub(crate) fn new(per_hour: f64, capacity: f64) -> Self {
        let per_tick = per_hour / (3_600_000.0 * TICKS_PER_MS as f64);
        // More than is counted is cut, and the time with it.
        let whole = capacity.clamp(1.0, u32::MAX.into()).floor();
        // Float to integer conversion saturates.
        let length = ((whole / per_tick).round() as u64).clamp(SAMPLES * TICKS_PER_MS, u64::MAX / 2);
        let limit = whole.max((per_tick * length as f64).floor()) as u32;
        Self { limit, length }
    }

    pub(crate) fn limit(self) -> u32 {
        self.limit
    }

    /// Milliseconds in which, on the mean, one place comes free, rounded up.
    pub(crate) fn interval_ms(self) -> u64 {
        (self.length / u64::from(self.limit)).div_ceil(TICKS_PER_MS)
    }

    fn has_passed(self, from_ms: u64, now_ms: u64) -> bool {
        ticks(from_ms, now_ms) >= self.length
    }

    fn is_one_sample(self, from_ms: u64, now_ms: u64) -> bool {
        ticks(from_ms, now_ms) < self.length / SAMPLES
    }
}

fn ticks(from_ms: u64, to_ms: u64) -> u64 {
    to_ms.saturating_sub(from_ms).min(LONGEST_MS) * TICKS_PER_MS
}

/// What came within a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) last_ms: u64,
    pub(crate) count: u32,
}

#[derive(Clone, Copy, Default)]
struct Samples {
    /// The oldest first; the rest is empty.
    places: [Taken; HELD],
    held: u8,
    frozen: bool,
    /// When the newest began.
    newest_ms: u64,
}

impl Samples {
    fn live(&self) -> &[Taken] {
        &self.places[..self.held.into()]
    }

    /// Without those that have left the span.
    fn at(mut self, span: Span, now_ms: u64) -> Self {
        let gone = self.live().iter().take_while(|sample| span.has_passed(sample.last_ms, now_ms)).count();
        self.drop_oldest(gone);
        self
    }

    fn drop_oldest(&mut self, gone: usize) {
        self.places.copy_within(gone.., 0);
        self.held -= gone as u8;
    }

    fn sum(&self) -> u64 {
        self.live().iter().map(|sample| u64::from(sample.count)).sum()
    }

    /// Adds a sample that is newer than all. The oldest two become one where there is no place: the later one's time holds.
    fn push(&mut self, sample: Taken) {
        if usize::from(self.held) == HELD {
            let oldest = self.places[0].count;
            self.drop_oldest(1);
            self.places[0].count = self.places[0].count.saturating_add(oldest);
        }
        self.places[usize::from(self.held)] = sample;
        self.held += 1;
        self.newest_ms = sample.last_ms;
    }

    fn count_one(&mut self, span: Span, now_ms: u64) {
        match usize::from(self.held).checked_sub(1).map(|newest| &mut self.places[newest]) {
            Some(newest) if span.is_one_sample(self.newest_ms, now_ms) => {
                newest.count += 1;
                newest.last_ms = now_ms;
            }
            _ => self.push(Taken { last_ms: now_ms, count: 1 }),
        }
    }
}

/// See the module's head.
pub(crate) struct SlidingLimit {
    span: Span,
    samples: Snapshot<Samples>,
}

impl SlidingLimit {
    /// With what was taken before it, the oldest first.
    pub(crate) fn after(span: Span, taken: &[Taken]) -> Self {
        let mut samples = Samples::default();
        taken.iter().for_each(|&sample| samples.push(sample));
        Self { span, samples: Snapshot::new(Arc::new(samples)) }
    }

    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Takes one place, or refuses; `None` when frozen. Lock-free.
    pub(crate) fn charge_unless_replaced(&self, now_ms: u64) -> Option<Charge> {
        loop {
            let held = self.samples.load();
            if held.frozen {
                return None;
            }
            // Time does not go back (S9).
            let now_ms = held.live().last().map_or(now_ms, |newest| newest.last_ms.max(now_ms));
            let mut next = held.at(self.span, now_ms);
            if next.sum() >= u64::from(self.span.limit) {
                return Some(Charge::Refused { wait_ms: self.until_free(&next, 0, now_ms) });
            }
            next.count_one(self.span, now_ms);
            if self.samples.replace(&held, Arc::new(next)) {
                return Some(Charge::Taken);
            }
        }
    }

    /// Milliseconds until one more fits beside `ahead` others: until so many of the oldest samples are out.
    fn until_free(&self, samples: &Samples, ahead: u32, now_ms: u64) -> u64 {
        let mut sum = samples.sum();
        let frees = |sample: &&Taken| {
            sum -= u64::from(sample.count);
            sum + u64::from(ahead) < u64::from(self.span.limit)
        };
        // Without others one fits when all is out: a limit is at least 1. More others than the limit take a span at least.
        let last = samples.live().iter().find(frees).map_or(now_ms, |sample| sample.last_ms);
        (self.span.length - ticks(last, now_ms).min(self.span.length)).div_ceil(TICKS_PER_MS).max(1)
    }

    /// Milliseconds until there is a place that `ahead` others leave, 0 if there is one now. Takes none. Wait-free.
    pub(crate) fn wait_ms(&self, ahead: u32, now_ms: u64) -> u64 {
        let samples = self.samples.load().at(self.span, now_ms);
        if samples.sum() + u64::from(ahead) < u64::from(self.span.limit) {
            return 0;
        }
        self.until_free(&samples, ahead, now_ms)
    }

    /// Places left at `now_ms`. Wait-free.
    pub(crate) fn tokens(&self, now_ms: u64) -> f64 {
        let taken = self.samples.load().at(self.span, now_ms).sum();
        u64::from(self.span.limit).saturating_sub(taken) as f64
    }

    /// What counts at `now_ms`, the oldest first. Wait-free.
    pub(crate) fn taken(&self, now_ms: u64) -> Vec<Taken> {
        self.samples.load().at(self.span, now_ms).live().to_vec()
    }

    /// Stops all charges for good and makes the limiter that comes after it. Any number of callers make the same one.
    pub(crate) fn freeze(&self, span: Span) -> Self {
        loop {
            let held = self.samples.load();
            if held.frozen || self.samples.replace(&held, Arc::new(Samples { frozen: true, ..**held })) {
                let next = Samples { frozen: false, ..**self.samples.load() };
                return Self { span, samples: Snapshot::new(Arc::new(next)) };
            }
        }
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    fn limit(per_hour: f64, capacity: f64) -> SlidingLimit {
        SlidingLimit::after(Span::new(per_hour, capacity), &[])
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
        // 30 a second: a second's worth at once, 17, which no eighth divides, two, and one.
        for capacity in [30.0, 17.0, 2.0, 1.0] {
            let limit = limit(30.0 * 3_600.0, capacity);
            let times = passed(&limit, 20_000);
            // The last millisecond is in the span whole or not at all.
            let most = most_in_a_window(&times, limit.span.length / TICKS_PER_MS);
            assert_eq!(most, limit.span.limit as usize, "{capacity}");
            // All of the rate but what whole milliseconds cost, and what is there at the start.
            assert!((580..=630).contains(&times.len()), "{capacity}: {}", times.len());
        }
    }

    #[test]
    fn s12_what_comes_evenly_gets_eight_ninths_at_least() {
        // Asked at an even pace above the limit, samples are filled from end to end.
        for pace in [20, 25, 30, 33] {
            let limit = limit(30.0 * 3_600.0, 30.0);
            let taken = |&now: &u64| limit.charge_unless_replaced(now) == Some(Charge::Taken);
            let times: Vec<_> = (0..60_000).step_by(pace).filter(taken).collect();
            assert_eq!(most_in_a_window(&times, 1_000), 30, "{pace}");
            // The rest of a sample, and until the next comes.
            let least = 60_000 * 30 / (1_000 + 125 + pace);
            assert!(times.len() >= least, "{pace}: {} of at least {least}", times.len());
        }
    }

    #[test]
    fn s12_the_wait_is_until_one_fits() {
        let limit = limit(3_600.0, 8.0);
        assert_eq!(passed(&limit, 1), [0], "one passes");
        (1..8).for_each(|_| assert_eq!(limit.charge_unless_replaced(500), Some(Charge::Taken)));
        assert_eq!(limit.charge_unless_replaced(999), Some(Charge::Refused { wait_ms: 7_501 }));
        assert_eq!(limit.charge_unless_replaced(8_499), Some(Charge::Refused { wait_ms: 1 }));
        assert_eq!(limit.tokens(8_499), 0.0);
        assert_eq!(limit.tokens(8_500), 8.0);
    }

    #[test]
    fn s15_the_wait_is_the_one_that_a_charge_has() {
        let limit = limit(3_600.0, 8.0);
        assert_eq!(passed(&limit, 1), [0], "one passes");
        (1..8).for_each(|_| assert_eq!(limit.charge_unless_replaced(2_000), Some(Charge::Taken)));
        for now in [2_000, 7_999, 8_000, 9_999] {
            let wait_ms = limit.wait_ms(0, now);
            if now < 8_000 {
                assert_eq!(limit.charge_unless_replaced(now), Some(Charge::Refused { wait_ms }));
            } else {
                assert_eq!(wait_ms, 0, "at {now}");
            }
        }
        // The seven of the second moment leave together; the ninth in a row waits for a span.
        assert_eq!([0, 1, 7].map(|ahead| limit.wait_ms(ahead, 8_000)), [0, 2_000, 2_000]);
        assert_eq!(limit.wait_ms(8, 8_000), 8_000);
    }

    #[test]
    fn s12_rates_beyond_a_sample_a_millisecond_keep_their_rate() {
        assert_eq!(Span::new(3_600_000_000.0, 1.0), Span { limit: 8_000, length: 8 * TICKS_PER_MS });
        assert_eq!(Span::new(0.5, 1.0), Span { limit: 1, length: 7_200_000 * TICKS_PER_MS });
    }

    #[test]
    fn s12_rates_beyond_what_is_counted_keep_their_rate() {
        for rate in [1e6, 4e9, 1e10, 1e12] {
            let span = Span::new(rate, rate);
            let per_hour = f64::from(span.limit) * 3_600_000.0 * TICKS_PER_MS as f64 / span.length as f64;
            assert!((per_hour / rate - 1.0).abs() < 1e-3, "{rate}: {per_hour}");
        }
    }

    #[test]
    fn s9_extreme_times_and_rates_do_not_overflow() {
        for rate in [1e-300, 1e-9, 1.0, 1e12, f64::MAX] {
            let limit = limit(rate, (rate / 4.0).max(1.0));
            for now in [0, 1, 1 << 42, u64::MAX, 0] {
                assert!(limit.charge_unless_replaced(now).is_some());
                assert!(limit.tokens(now) >= 0.0);
            }
        }
    }

    #[test]
    fn s11_frozen_hands_over_what_it_counted() {
        let span = Span::new(3_600.0, 10.0);
        let old = limit(3_600.0, 10.0);
        assert_eq!(old.charge_unless_replaced(0), Some(Charge::Taken));
        for next in [old.freeze(span), old.freeze(span)] {
            assert_eq!((next.tokens(0), next.tokens(9_999), next.tokens(10_000)), (9.0, 9.0, 10.0));
        }
        assert_eq!(old.charge_unless_replaced(0), None);
    }

    #[test]
    fn s11_more_samples_than_have_a_place_leave_late_rather_than_early() {
        let taken: Vec<_> = (0..20).map(|n| Taken { last_ms: n * 100, count: 1 }).collect();
        let limit = SlidingLimit::after(Span::new(3_600.0, 20.0), &taken);
        assert_eq!(limit.tokens(1_900), 0.0);
        // The first twelve leave with the twelfth.
        assert_eq!((limit.tokens(21_099), limit.tokens(21_100), limit.tokens(21_200)), (0.0, 12.0, 13.0));
    }
}
