//! Random events against the plain model, and the sliding policy against an exact list of them.

use crate::model::{Events, Model};
use crate::rate;
use proptest::prelude::*;
use tollgate::rate::{Policy, Sliding};

const POLICIES: [Policy; 3] = [Policy::Grid, Policy::Overlap, Policy::Sliding];

#[derive(Clone, Copy, Debug)]
enum Step {
    Event {
        gap: u64,
        amount: u64,
    },
    Read {
        gap: u64,
    },
    /// An event of a caller whose clock is behind.
    Late {
        back: u64,
        amount: u64,
    },
}

/// Gaps as fractions of a sample: none, some of one, around whole ones, many.
fn a_gap(sample_ms: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => Just(0),
        4 => 0..=sample_ms,
        2 => (0..5u64, 0..3u64).prop_map(move |(whole, off)| (whole * sample_ms + off).saturating_sub(1)),
        1 => 0..sample_ms * 40,
    ]
}

fn a_step(sample_ms: u64) -> impl Strategy<Value = Step> {
    let amount = prop_oneof![4 => 1..10u64, 1 => Just(0), 1 => 0..1_000_000_000u64];
    prop_oneof![
        6 => (a_gap(sample_ms), amount.clone()).prop_map(|(gap, amount)| Step::Event { gap, amount }),
        2 => a_gap(sample_ms).prop_map(|gap| Step::Read { gap }),
        1 => (0..sample_ms * 3, amount).prop_map(|(back, amount)| Step::Late { back, amount }),
    ]
}

fn a_run() -> impl Strategy<Value = (usize, u32, u64, u64, Vec<Step>)> {
    (0..3usize, 1..=12u32, prop_oneof![1..20u64, 1..5_000u64], prop_oneof![Just(0), 0..2_000_000_000_000u64])
        .prop_flat_map(|(policy, samples, sample_ms, start)| {
            (
                Just(policy),
                Just(samples),
                Just(sample_ms),
                Just(start),
                prop::collection::vec(a_step(sample_ms), 1..200),
            )
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// R1, R4: each policy is the plain model, to the last digits, at each step.
    #[test]
    fn r1_each_policy_is_its_plain_model((policy, samples, sample_ms, start, steps) in a_run()) {
        let policy = POLICIES[policy];
        let real = rate(policy, samples, sample_ms);
        let mut model = Model::new(policy, samples.into(), sample_ms);
        let mut now = start;
        for step in steps {
            match step {
                Step::Event { gap, amount } => {
                    now += gap;
                    real.record(amount, now);
                    model.record(amount, now);
                }
                Step::Late { back, amount } => {
                    real.record(amount, now.saturating_sub(back));
                    model.record(amount, now.saturating_sub(back));
                }
                Step::Read { gap } => now += gap,
            }
            let (measured, expected) = (real.per_second(now), model.per_second(now));
            prop_assert!((measured - expected).abs() <= 1e-9 * expected.max(1.0), "{} is not {}", measured, expected);
            prop_assert_eq!(real.per_second(now), measured, "R4: read twice");
            prop_assert_eq!(real.window_ms(now), model.read(now).1);
            let (wait, expected) = (real.throttle_ms(30.0, now), model.throttle_ms(30.0, now));
            // Shares are added in another order, and half a millisecond may be rounded either way.
            let off = u64::from(policy == Policy::Sliding);
            prop_assert!(wait.abs_diff(expected) <= off, "{} is not {}", wait, expected);
        }
    }

    /// R1: the sliding rate is off from the events that are in the window by at most those of the oldest sample, and lies
    /// between what is there without it and with it.
    #[test]
    fn r1_sliding_is_off_by_no_more_than_its_oldest_sample((_, samples, sample_ms, start, steps) in a_run()) {
        let real = rate(Policy::Sliding, samples, sample_ms);
        let mut events = Events::default();
        let mut now = start;
        for step in steps {
            match step {
                Step::Event { gap, amount } => {
                    now += gap;
                    real.record(amount, now);
                    events.record(amount, now);
                }
                Step::Late { .. } => {}
                Step::Read { gap } => now += gap,
            }
            let span = u64::from(samples) * sample_ms;
            let measured = real.per_second(now) * span as f64 / 1000.0;
            let exact = events.between(now.checked_sub(span), now);
            // The sample that the window's start cuts.
            let ends = (now / sample_ms).checked_sub(samples.into()).map(|number| (number + 1) * sample_ms - 1);
            let oldest = ends.map_or(0, |last| events.between((last + 1).checked_sub(sample_ms + 1), last));
            let off = (measured - exact as f64).abs();
            prop_assert!(off <= oldest as f64 + 1e-6 * measured.max(1.0), "{} for {}, oldest {}", measured, exact, oldest);
            let without = events.between(ends, now) as f64;
            prop_assert!(measured >= without * (1.0 - 1e-9) && measured <= (without + oldest as f64) * (1.0 + 1e-9) );
        }
    }

    /// The engine's compact form is the same policy with four samples.
    #[test]
    fn r1_the_compact_sliding_rate_is_the_same_with_four_samples(
        sample_ms in 250..900_000u64,
        steps in prop::collection::vec((0..3_000_000u64, any::<bool>()), 1..200),
    ) {
        let (compact, wide) = (Sliding::new(), rate(Policy::Sliding, 4, sample_ms));
        let mut now = 0;
        for (gap, is_event) in steps {
            now += gap;
            if is_event {
                compact.record(now, sample_ms * 4);
                wide.record(1, now);
            }
            let (compact, wide) = (compact.per_hour(now, sample_ms * 4), wide.per_second(now) * 3600.0);
            prop_assert!((compact - wide).abs() <= 1e-9 * wide.max(1.0), "{} is not {}", compact, wide);
        }
    }
}
