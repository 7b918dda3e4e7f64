//! The slowest calls of track while layers rotate: 250,000 ids per layer, one thread, every call timed.
//!
//! In each layer period 125,000 ids that stay are called three times, the first of which records them again, and 125,000
//! new ones once, in between. So half of all calls write. The same ids are then looked up in a fastbloom filter, which
//! neither rotates nor writes, and then nothing at all is done between the two readings of the timer: what those loops
//! show as slowest calls is the machine's own.

mod common;

use common::{fastbloom, median, publish, quick, roomy, shuffled, Gate, LAYERS, PERIOD, RATE};
use hdrhistogram::Histogram;
use std::hint::black_box;
use std::time::Instant;
use tollgate::{Decision, Quota};

const PER_LAYER: u64 = 250_000;
const STAYING: u64 = PER_LAYER / 2;
const CALLS: u64 = 4 * STAYING;
/// A rotation's own costs fall within so many calls.
const AFTER_ROTATION: u64 = 1_000;

/// Times each call of `work`, in nanoseconds; gives the slowest of those just after the rotation.
fn time(into: &mut Histogram<u64>, pids: &[u64], mut work: impl FnMut(u64, u64)) -> u64 {
    let mut slowest = 0;
    for (call, &pid) in (0..).zip(pids) {
        let start = Instant::now();
        work(call, black_box(pid));
        let took = start.elapsed().as_nanos() as u64;
        into.saturating_record(took);
        if call < AFTER_ROTATION {
            slowest = slowest.max(took);
        }
    }
    slowest
}

/// The ids of one layer period in the order of its calls.
fn calls_of(period: u64, staying: &[u64]) -> Vec<u64> {
    let fresh = (period + 1) * 10 * PER_LAYER..;
    let mut stay = staying.iter().cycle();
    let mut calls = Vec::with_capacity(CALLS as usize);
    for pid in fresh.take(STAYING as usize) {
        calls.extend(stay.by_ref().take(3).copied());
        calls.push(pid);
    }
    calls
}

fn main() {
    let periods = if quick() { 2 } else { 40 };
    let staying = shuffled(0..STAYING);
    let quota = Quota::per_hour((PER_LAYER * LAYERS) as f64, 1.0).unwrap();
    let mut gate = Gate::new(roomy().default_quota(Some(quota)));
    let peer = fastbloom(PER_LAYER * LAYERS);
    let [mut tollgate, mut fastbloom, mut timer] =
        [(); 3].map(|()| Histogram::<u64>::new_with_bounds(1, 10_000_000_000, 3).unwrap());
    let mut rotations = Vec::new();
    // The first periods bring the engine to where it is after hours.
    let warm_up = LAYERS + 2;
    for period in 0..warm_up + periods {
        let pids = calls_of(period, &staying);
        let before = gate.stats();
        let mut round = |call: u64, pid: u64| {
            gate.now = period * PERIOD + call * PERIOD / CALLS;
            let decision = gate.track(pid);
            let right = decision == Decision::Known || decision == Decision::Admitted && pid >= PER_LAYER;
            assert!(right || period == 0, "{pid} in period {period}: {decision:?}");
        };
        if period < warm_up {
            (0..).zip(&pids).for_each(|(call, &pid)| round(call, pid));
            continue;
        }
        rotations.push(time(&mut tollgate, &pids, &mut round) as f64);
        let after = gate.stats();
        let admitted = after.admitted - before.admitted;
        assert!(STAYING - admitted <= (2.0 * RATE * STAYING as f64) as u64, "{admitted} admitted");
        let again = after.re_recorded - before.re_recorded;
        assert!(STAYING.abs_diff(again) <= (4.0 * RATE * STAYING as f64) as u64, "{again} recorded again");
        assert_eq!(after.layers, LAYERS);

        time(&mut fastbloom, &pids, |_, pid| assert!(peer.contains(&(pid % PER_LAYER))));
        time(&mut timer, &pids, |_, pid| {
            black_box(pid);
        });
    }
    let mut values = Vec::new();
    for (name, histogram) in [("tollgate", &tollgate), ("fastbloom", &fastbloom), ("timer", &timer)] {
        assert_eq!(histogram.len(), periods * CALLS);
        for (label, quantile) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("p99.99", 0.9999)] {
            let ns = histogram.value_at_quantile(quantile);
            values.push((format!("{name}_{label}_us"), ns as f64 / 1e3));
        }
        values.push((format!("{name}_max_us"), histogram.max() as f64 / 1e3));
    }
    values.push(("tollgate_rotation_us".to_owned(), median(&mut rotations) / 1e3));
    publish("latency", &values);
}
