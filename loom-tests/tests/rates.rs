//! A rate whose samples roll over while others record and read, and the limiter of a windowed quota.
#![cfg(all(tollgate_loom, not(tollgate_shuttle)))]

use loom::sync::Arc;
use tollgate::model::Model;
use tollgate::rate::Policy::{self, Grid, Overlap, Sliding};
use tollgate::rate::WindowedRate;
use tollgate::Decision::{Admitted, Throttled};
use tollgate::Limiter;
use tollgate_loom_tests::{explore, race};

const SAMPLE: u64 = 10;

/// One that has counted 100 at time 0.
fn rate(policy: Policy, samples: u32) -> Arc<WindowedRate> {
    let rate = WindowedRate::new(policy, samples, SAMPLE).unwrap();
    rate.record(100, 0);
    Arc::new(rate)
}

/// Events that count at `now`.
fn count(rate: &WindowedRate, now: u64) -> u64 {
    (rate.per_second(now) * rate.window_ms(now) as f64 / 1000.0).round() as u64
}

#[test]
fn r1_record_against_roll_over() {
    for policy in [Grid, Overlap, Sliding] {
        explore(3, move || {
            let rate = rate(policy, 2);
            race(&rate, [|rate| rate.record(1, SAMPLE - 1), |rate| rate.record(10, SAMPLE)]);
            assert_eq!(count(&rate, SAMPLE), 111, "{policy:?}");
        });
    }
}

#[test]
fn r1_two_begin_the_same_sample() {
    for policy in [Grid, Overlap, Sliding] {
        explore(3, move || {
            let rate = rate(policy, 2);
            race(&rate, [|rate| rate.record(1, SAMPLE), |rate| rate.record(10, SAMPLE + 1)]);
            assert_eq!(count(&rate, SAMPLE + 1), 111, "{policy:?}");
        });
    }
}

#[test]
fn r1_two_record_and_one_rolls_over() {
    explore(2, || {
        let rate = rate(Overlap, 2);
        race(
            &rate,
            [
                |rate| rate.record(1, SAMPLE - 1),
                |rate| rate.record(2, SAMPLE - 1),
                |rate| rate.record(4, SAMPLE),
            ],
        );
        assert_eq!(count(&rate, SAMPLE), 107);
    });
}

/// One that fell asleep while its sample's slot went to a later one: its event is in that sample, or gone with its own, but
/// never brings back what was there before.
#[test]
fn r2_a_sleeper_records_into_no_recycled_sample() {
    for policy in [Grid, Overlap, Sliding] {
        explore(3, move || {
            let rate = rate(policy, 1);
            race(
                &rate,
                [
                    |rate| rate.record(1, SAMPLE - 1),
                    |rate| {
                        rate.record(10, 2 * SAMPLE);
                        rate.record(10, 4 * SAMPLE);
                    },
                ],
            );
            let counted = count(&rate, 5 * SAMPLE - 1);
            assert!([10, 11].contains(&counted), "{policy:?}: {counted}");
        });
    }
}

/// While the slot of a sample long gone is taken for a new one, nobody reads the old count (Sentinel's issue 2949).
#[test]
fn o10_c11_reader_against_a_recycled_slot() {
    for policy in [Grid, Overlap, Sliding] {
        explore(3, move || {
            let rate = rate(policy, 1);
            rate.record(100, 2 * SAMPLE);
            let [counted, _] = race(
                &rate,
                [
                    |rate| count(rate, 4 * SAMPLE),
                    |rate| {
                        rate.record(1, 4 * SAMPLE);
                        0
                    },
                ],
            );
            assert!([0, 1].contains(&counted), "{policy:?}: {counted}");
        });
    }
}

/// An event brings its sample back into the window: a reader finds both events or none.
#[test]
fn o10_reader_against_a_late_event() {
    explore(3, || {
        let rate = rate(Overlap, 1);
        let now = SAMPLE + 5;
        let [counted, _] = race(
            &rate,
            [
                |rate| count(rate, SAMPLE + 5),
                |rate| {
                    rate.record(1, SAMPLE - 1);
                    0
                },
            ],
        );
        assert!([0, 101].contains(&counted), "{counted}");
        assert_eq!(count(&rate, now), 101);
    });
}

fn windowed(tokens: u32) -> Arc<Model> {
    Arc::new(Model::new(Some(tokens), Limiter::Windowed))
}

#[test]
fn s12_racers_for_the_last_place_in_a_window() {
    explore(3, || {
        let model = windowed(2);
        assert_eq!(model.track(6, 0), Admitted);
        // One still stands in the sample before.
        let decisions = race(&model, [|model: &Model| model.track(7, 124), |model| model.track(8, 125)]);
        let admitted = decisions.iter().filter(|&&decision| decision == Admitted).count();
        assert_eq!(admitted, 1, "{decisions:?}");
        assert!(decisions.iter().any(|decision| matches!(decision, Throttled { .. })));
        assert_eq!(model.tokens(125), 0.0);
    });
}

#[test]
fn o5_windowed_charge_against_quota_change() {
    explore(3, || {
        let model = windowed(2);
        race(&model, [|model| assert_eq!(model.track(7, 0), Admitted), |model| model.set_quota(Some(4), 0)]);
        // What was admitted stays counted.
        assert_eq!(model.tokens(0), 3.0);
    });
}
