//! Real threads on one rate (R1, R2).

use crate::rate;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use tollgate::rate::Policy;

const THREADS: u64 = 4;
const EVENTS: u64 = 200_000;
/// Few, so that threads stand at a roll-over all the time.
const EVENTS_PER_MS: u64 = 16;

/// All samples fit into the window, so nothing may be missing in the end, and no reader may see more than was recorded.
#[test]
fn r1_no_count_of_racing_threads_is_lost_when_samples_roll_over() {
    for policy in [Policy::Grid, Policy::Overlap, Policy::Sliding] {
        let samples = u32::try_from(THREADS * EVENTS / EVENTS_PER_MS / 100).unwrap() + 2;
        let rate = rate(policy, samples, 100);
        let (ticket, done) = (AtomicU64::new(0), AtomicBool::new(false));
        let last_ms = THREADS * EVENTS / EVENTS_PER_MS;
        let count = || rate.per_second(last_ms) * rate.window_ms(last_ms) as f64 / 1000.0;
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        (0..EVENTS)
                            .for_each(|_| rate.record(1, ticket.fetch_add(1, Relaxed) / EVENTS_PER_MS));
                    })
                })
                .collect();
            let reader = scope.spawn(|| {
                let mut before = 0.0;
                while !done.load(Relaxed) {
                    let seen = count();
                    assert!(seen >= before, "{policy:?}: {before}, then {seen}");
                    assert!(seen <= ticket.load(Relaxed) as f64 + 0.5, "{policy:?}: {seen}");
                    before = seen;
                }
            });
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            done.store(true, Relaxed);
            reader.join().unwrap();
        });
        assert!((count() - (THREADS * EVENTS) as f64).abs() < 0.5, "{policy:?}: {}", count());
    }
}
