//! Two threads on one principal beside one thread: what they share must not cost them their second processor.
//!
//! Each round measures one thread, then two, each of them doing the same work; the ratio of a round is their throughput
//! over the one's, and the median round counts. The same over a fastbloom filter, whose lookups write nothing, shows what
//! the machine itself gives away.

mod common;

use common::{fastbloom, median, publish, quick, roomy, shuffled, Gate, Round, LAYERS, RATE};
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;
use tollgate::Decision;

/// Nanoseconds from the first start to the last end of `threads` threads that each do `work` once.
fn measure(threads: usize, work: impl Fn(usize) + Sync) -> f64 {
    let barrier = Barrier::new(threads);
    let times: Vec<_> = std::thread::scope(|scope| {
        let run = |thread| {
            barrier.wait();
            let start = Instant::now();
            work(thread);
            (start, Instant::now())
        };
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let start = times.iter().map(|time| time.0).min().unwrap();
    let end = times.iter().map(|time| time.1).max().unwrap();
    (end - start).as_nanos() as f64
}

/// Rounds of one thread and two.
struct Rounds {
    one_ns: Vec<f64>,
    ratio: Vec<f64>,
}

impl Rounds {
    fn new() -> Self {
        Self { one_ns: Vec::new(), ratio: Vec::new() }
    }

    /// `one` and `two` are the times of the same number of calls per thread.
    fn add(&mut self, one: f64, two: f64, calls: u64) {
        self.one_ns.push(one / calls as f64);
        self.ratio.push(2.0 * one / two);
    }

    fn put(mut self, values: &mut Vec<(String, f64)>, name: &str) {
        values.push((format!("{name}_one_ns"), median(&mut self.one_ns)));
        values.push((format!("{name}_ratio"), median(&mut self.ratio)));
    }
}

fn known(per_layer: u64, rounds: usize, calls: u64, values: &mut Vec<(String, f64)>) {
    let gate = Gate::full(per_layer);
    let peer = fastbloom(per_layer * LAYERS);
    let before = gate.stats();
    // Each thread goes its own way through the ids.
    let orders = [shuffled(0..per_layer), shuffled(shuffled(0..per_layer))];
    let ours = |thread: usize| {
        let mut pids = Round::new(&orders[thread]);
        (0..calls).for_each(|_| gate.known(black_box(pids.next())));
    };
    let theirs = |thread: usize| {
        let mut pids = Round::new(&orders[thread]);
        (0..calls).for_each(|_| assert!(peer.contains(&black_box(pids.next()))));
    };
    let (mut tollgate, mut fastbloom) = (Rounds::new(), Rounds::new());
    for _ in 0..rounds {
        tollgate.add(measure(1, ours), measure(2, ours), calls);
        fastbloom.add(measure(1, theirs), measure(2, theirs), calls);
    }
    let after = gate.stats();
    assert_eq!(after.known - before.known, 3 * rounds as u64 * calls, "no call is lost in the count");
    assert_eq!(after.re_recorded, before.re_recorded);
    tollgate.put(values, &format!("known_{per_layer}_tollgate"));
    fastbloom.put(values, &format!("known_{per_layer}_fastbloom"));
}

/// New ids, each thread its own, into a gate that knows none.
fn admitted(rounds: usize, calls: u64, values: &mut Vec<(String, f64)>) {
    let mut tollgate = Rounds::new();
    for _ in 0..rounds {
        let round = |threads: usize| {
            let gate = Gate::new(roomy());
            let time = measure(threads, |thread| {
                let first = thread as u64 * calls;
                for pid in first..first + calls {
                    assert!(matches!(gate.track(black_box(pid)), Decision::Admitted | Decision::Known));
                }
            });
            let stats = gate.stats();
            let all = threads as u64 * calls;
            assert_eq!(stats.admitted + stats.known, all);
            assert!(stats.known as f64 <= 2.0 * RATE * all as f64, "{} of {all} known", stats.known);
            time
        };
        tollgate.add(round(1), round(2), calls);
    }
    tollgate.put(values, "admitted_tollgate");
}

fn main() {
    // Many short rounds: a second processor that a neighbour takes for seconds must not decide the median.
    let (rounds, calls) = if quick() { (3, 500_000) } else { (81, 2_000_000) };
    let mut values = Vec::new();
    for per_layer in [1_000, 250_000] {
        known(per_layer, rounds, calls, &mut values);
    }
    admitted(rounds.min(21), 250_000, &mut values);
    publish("contention", &values);
}
