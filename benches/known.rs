//! track, Known: a hit in the newest of four full layers, beside fastbloom's AtomicBloomFilter of the same capacity and
//! rate (which never forgets) and a pointer chase over as many bytes (what one dependent cache miss costs here).
//!
//! Ids are visited in a random order, the same for all, so that large filters miss the cache as they do in a host.

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion};
use std::hint::black_box;
use std::time::Duration;
use tollgate::{Config, Decision, Engine, PrincipalId, Quota};

const RATE: f64 = 0.001;
const LAYERS: u64 = 4;
const HOUR: u64 = 3_600_000;

/// An engine whose four layers hold `per_layer` ids each, and a moment in the newest one's period. The newest holds the
/// ids 0 to `per_layer`.
fn full_engine(per_layer: u64) -> (Engine, PrincipalId, u64) {
    let quota = Quota::per_hour((per_layer * LAYERS) as f64, 1.0).unwrap();
    let config = Config::builder().seed(42).false_positive_rate(RATE).max_memory_bytes(1 << 33);
    let engine = Engine::new(config.default_quota(Some(quota)).build().unwrap());
    let id = engine.intern("alice", 0);
    for layer in (0..LAYERS).rev() {
        let now = (LAYERS - 1 - layer) * HOUR / LAYERS;
        for pid in layer * per_layer..(layer + 1) * per_layer {
            assert_eq!(engine.remember(id, pid, now), Decision::Known);
        }
    }
    (engine, id, (LAYERS - 1) * HOUR / LAYERS)
}

/// 0 to `count` in an order without pattern.
fn shuffled(count: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for i in (1..order.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(i, (state % (i as u64 + 1)) as usize);
    }
    order
}

fn known(c: &mut Criterion) {
    let mut group = c.benchmark_group("known");
    group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3)).sample_size(30);
    for per_layer in [1_000u64, 250_000, 4_000_000] {
        let order = shuffled(per_layer);
        let (engine, alice, now) = full_engine(per_layer);
        let mut next = order.iter().cycle();
        group.bench_function(BenchmarkId::new("tollgate track", per_layer), |b| {
            b.iter(|| engine.track(alice, black_box(*next.next().unwrap()), now));
        });
        let peer =
            fastbloom::AtomicBloomFilter::with_false_pos(RATE).expected_items((per_layer * LAYERS) as usize);
        for pid in 0..per_layer * LAYERS {
            peer.insert(&pid);
        }
        let mut next = order.iter().cycle();
        group.bench_function(BenchmarkId::new("fastbloom contains", per_layer), |b| {
            b.iter(|| peer.contains(black_box(next.next().unwrap())));
        });
        // One cycle through all lines that the newest layer's blocks fill.
        let lines = (per_layer as f64 * 2.65 / 64.0).ceil() as u64;
        let order = shuffled(lines);
        let mut chain = vec![[0u64; 8]; lines as usize];
        for pair in order.windows(2) {
            chain[pair[0] as usize][0] = pair[1];
        }
        chain[order[order.len() - 1] as usize][0] = order[0];
        let mut at = 0;
        group.bench_function(BenchmarkId::new("pointer chase", per_layer), |b| {
            b.iter(|| {
                at = chain[at as usize][0];
                at
            });
        });
    }
    group.finish();
}

criterion_group!(benches, known);
criterion_main!(benches);
