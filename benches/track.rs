//! track and contains, path by path, each beside its peers in the same run.
//!
//! Every answer is checked: a benchmark that measures another path than its name says panics. The report (benches/report)
//! names the targets.

mod common;

use common::{fastbloom, fastbloom_xxh3, group, roomy, shuffled, Gate, PointerChase, Round};
use common::{Random, LAYERS, PERIOD, RATE, STRANGERS};
use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use std::hint::black_box;
use tollgate::{Config, Decision, Quota};

/// Hits in the newest and in the oldest of four full layers.
fn known(c: &mut Criterion) {
    for per_layer in [1_000u64, 250_000, 4_000_000] {
        let gate = Gate::full(per_layer);
        let before = gate.stats();
        let newest = shuffled(0..per_layer);
        let oldest = shuffled((LAYERS - 1) * per_layer..LAYERS * per_layer);

        let mut benches = group(c, "newest");
        let mut pids = Round::new(&newest);
        benches.bench_function(BenchmarkId::new("tollgate", per_layer), |b| {
            b.iter(|| gate.known(black_box(pids.next())));
        });
        {
            let peer = fastbloom(per_layer * LAYERS);
            benches.bench_function(BenchmarkId::new("fastbloom", per_layer), |b| {
                b.iter(|| assert!(peer.contains(&black_box(pids.next()))));
            });
        }
        {
            let peer = fastbloom_xxh3(per_layer * LAYERS);
            benches.bench_function(BenchmarkId::new("fastbloom_xxh3", per_layer), |b| {
                b.iter(|| assert!(peer.contains(&black_box(pids.next()))));
            });
        }
        let newest_bytes = gate.stats().bytes / (LAYERS + 1);
        let mut chase = PointerChase::new(newest_bytes);
        benches.bench_function(BenchmarkId::new("pointer_chase", per_layer), |b| b.iter(|| chase.step()));
        benches.finish();

        let after = gate.stats();
        assert_eq!(after.admitted + after.throttled, 0);
        assert_eq!(after.re_recorded, before.re_recorded, "hits that were recorded again");

        let mut benches = group(c, "oldest");
        let mut pids = Round::new(&oldest);
        // track would record the id again, and the next time find it in the newest layer.
        benches.bench_function(BenchmarkId::new("tollgate", per_layer), |b| {
            b.iter(|| assert!(gate.engine.contains(gate.alice, black_box(pids.next()), gate.now)));
        });
        let peer = fastbloom(per_layer * LAYERS);
        benches.bench_function(BenchmarkId::new("fastbloom", per_layer), |b| {
            b.iter(|| assert!(peer.contains(&black_box(pids.next()))));
        });
        benches.finish();
    }
}

/// New ids over a spent quota: the flood.
fn throttled(c: &mut Criterion) {
    let per_layer = 250_000;
    let gate = Gate::full(per_layer);
    let quota = Quota::per_hour(0.001, 1.0).unwrap();
    gate.engine.set_quota("alice", Some(quota), gate.now).unwrap();
    let strangers: Vec<u64> = (STRANGERS..STRANGERS + 1_000_000)
        .filter(|&pid| !gate.engine.contains(gate.alice, pid, gate.now))
        .collect();
    let wrong = 1_000_000 - strangers.len();
    assert!(wrong as f64 <= RATE * 1e6 * 1.2, "{wrong} of 1,000,000 strangers are called known");
    let admitted = (STRANGERS - 2_000..STRANGERS).filter(|&pid| gate.track(pid) == Decision::Admitted);
    assert_eq!(admitted.count(), 1, "lowering the quota leaves one token");

    let mut benches = group(c, "throttled");
    let mut pids = Round::new(&strangers);
    benches.bench_function(BenchmarkId::new("tollgate", per_layer), |b| {
        b.iter(|| assert!(matches!(gate.track(black_box(pids.next())), Decision::Throttled { .. })));
    });
    let peer = fastbloom(per_layer * LAYERS);
    let strangers: Vec<u64> = strangers.into_iter().filter(|pid| !peer.contains(pid)).collect();
    let mut pids = Round::new(&strangers);
    benches.bench_function(BenchmarkId::new("fastbloom", per_layer), |b| {
        b.iter(|| assert!(!peer.contains(&black_box(pids.next()))));
    });
    benches.finish();
}

/// New ids without a quota, 250,000 a period, rotations included; memory stays what it is.
fn admitted(c: &mut Criterion) {
    let per_layer = 250_000;
    let mut gate = Gate::new(Config::builder().seed(42).false_positive_rate(RATE));
    let mut pid = 0;
    let mut admit = move || {
        pid += 1;
        gate.now = pid / per_layer * PERIOD;
        let decision = gate.track(black_box(pid));
        if pid.is_multiple_of(per_layer) {
            let (stats, totals) = (gate.stats(), gate.engine.totals(gate.now));
            assert!(stats.known as f64 <= 2.0 * RATE * pid as f64, "{} of {pid} known", stats.known);
            assert_eq!(stats.admitted + stats.known, pid);
            assert_eq!(totals.evicted_layers, 0);
        }
        decision
    };
    (0..2 * LAYERS * per_layer).for_each(|_| {
        let _ = admit();
    });
    let mut benches = group(c, "admitted");
    benches.bench_function(BenchmarkId::new("tollgate", per_layer), |b| b.iter(&mut admit));
    // Emptied when it is full, which costs next to nothing per id.
    let all = LAYERS * per_layer;
    let peer = fastbloom::AtomicBloomFilter::with_false_pos(RATE).expected_items(all as usize);
    let (mut pid, mut seen) = (0u64, 0u64);
    benches.bench_function(BenchmarkId::new("fastbloom", per_layer), |b| {
        b.iter(|| {
            if pid.is_multiple_of(all) {
                peer.clear();
            }
            pid += 1;
            seen += u64::from(peer.insert(&black_box(pid)));
        });
    });
    assert!(seen as f64 <= 2.0 * RATE * pid as f64, "{seen} of {pid} seen");
    benches.finish();
}

/// 10,000 principals with four ids each, called in no order: what the registry and the small sets cost.
fn many_principals(c: &mut Criterion) {
    let gate = Gate::new(roomy());
    let ids: Vec<_> = (0..10_000).map(|n| gate.engine.intern(&format!("user-{n}"), 0)).collect();
    let mut random = Random(1);
    let pairs = shuffled(ids.iter().flat_map(|&id| [0; 4].map(|_| (id, random.below(1 << 40)))));
    let mut distinct = pairs.iter().map(|(id, _)| id.raw()).collect::<Vec<_>>();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len(), "principals in overflow");
    let exact = papaya::HashMap::new();
    for &(id, pid) in &pairs {
        assert_eq!(gate.engine.track(id, pid, 0), Decision::Admitted);
        exact.pin().insert((id, pid), 0u64);
    }
    let mut benches = group(c, "principals");
    let mut calls = Round::new(&pairs);
    benches.bench_function(BenchmarkId::new("tollgate", 10_000), |b| {
        b.iter(|| {
            let (id, pid) = black_box(calls.next());
            assert_eq!(gate.engine.track(id, pid, 0), Decision::Known);
        });
    });
    benches.bench_function(BenchmarkId::new("papaya", 10_000), |b| {
        b.iter(|| assert!(exact.pin().contains_key(&black_box(calls.next()))));
    });
    benches.finish();
}

/// Hits in the exact set of one principal, filled to a quarter and to the full.
fn small(c: &mut Criterion) {
    let mut benches = group(c, "small");
    for count in [16u64, 64] {
        let gate = Gate::new(roomy());
        let pids = shuffled((0..count).map(|n| n * 1_000));
        for &pid in &pids {
            assert_eq!(gate.track(pid), Decision::Admitted);
        }
        assert_eq!((gate.stats().layers, gate.stats().live_pids), (0, count));
        let mut pids = Round::new(&pids);
        benches.bench_function(BenchmarkId::new("tollgate", count), |b| {
            b.iter(|| gate.known(black_box(pids.next())));
        });
    }
    benches.finish();
}

/// S5: 10,000 long-lived ids under 100 new ones an hour, and without a quota.
fn long_lived(c: &mut Criterion) {
    let count = 10_000;
    let pids = shuffled(0..count);
    let mut benches = group(c, "long_lived");
    for (name, quota) in [("quota_100", Quota::per_hour(100.0, 1.0).ok()), ("no_quota", None)] {
        let mut gate = Gate::new(roomy().default_quota(quota));
        gate.remember(pids.iter().copied());
        for _ in 0..2 * LAYERS {
            gate.now += PERIOD;
            pids.iter().for_each(|&pid| gate.known(pid));
        }
        let before = gate.stats();
        let start = if quota.is_some() { 25.0 } else { 1.0 };
        let most = LAYERS as f64 + (count as f64 / start).log2() + 1.0;
        assert!(before.layers as f64 <= most, "{} layers", before.layers);
        let mut pids = Round::new(&pids);
        benches.bench_function(BenchmarkId::new(name, count), |b| {
            b.iter(|| gate.known(black_box(pids.next())));
        });
        assert_eq!(gate.stats().re_recorded, before.re_recorded, "hits that were recorded again");
    }
    benches.finish();
}

criterion_group!(benches, known, throttled, admitted, many_principals, small, long_lived);
criterion_main!(benches);
