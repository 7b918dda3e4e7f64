//! What the benchmarks share: engines with full layers, orders without pattern, a filter that never forgets, a pointer
//! chase, and where results go.
#![allow(dead_code, reason = "each benchmark uses its part")]

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::PathBuf;
use std::time::Duration;
use tollgate::{Config, ConfigBuilder, Decision, Engine, PrincipalId, Quota, Stats};

/// P.
pub const RATE: f64 = 0.001;
/// L.
pub const LAYERS: u64 = 4;
/// W/L under the default window.
pub const PERIOD: u64 = 3_600_000 / LAYERS;
/// Ids from here on were never recorded.
pub const STRANGERS: u64 = 1 << 40;

/// A smoke run: whether it all works, not how fast.
pub fn quick() -> bool {
    std::env::var_os("QUICK").is_some_and(|value| value != "0" && !value.is_empty())
}

/// A Criterion group with this project's times.
pub fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    if quick() {
        group.warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(200));
        group.sample_size(10);
    } else {
        group.warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
        group.sample_size(40);
    }
    group
}

/// The default settings with a seed and room for anything measured here.
pub fn roomy() -> ConfigBuilder {
    Config::builder().seed(42).false_positive_rate(RATE).max_memory_bytes(1 << 33)
}

/// One principal and a moment of its time.
pub struct Gate {
    pub engine: Engine,
    pub alice: PrincipalId,
    pub now: u64,
}

impl Gate {
    pub fn new(config: ConfigBuilder) -> Self {
        let engine = Engine::new(config.build().unwrap());
        let alice = engine.intern("alice", 0);
        Self { engine, alice, now: 0 }
    }

    /// `per_layer` ids in each of the four layers, as it is after some hours: the exact set of the first 64 ids is gone.
    /// Layer `i`, counted from the newest, holds the ids from `i * per_layer` on.
    pub fn full(per_layer: u64) -> Self {
        let quota = Quota::per_hour((per_layer * LAYERS) as f64, 1.0).unwrap();
        let mut gate = Self::new(roomy().default_quota(Some(quota)));
        gate.outgrow_the_small_set();
        for layer in (0..LAYERS).rev() {
            gate.remember(layer * per_layer..(layer + 1) * per_layer);
            gate.now += PERIOD;
        }
        gate.now -= PERIOD;
        assert_eq!(gate.stats().layers, LAYERS);
        gate
    }

    /// Comes to the first period in which nothing is left of the small set.
    pub fn outgrow_the_small_set(&mut self) {
        for _ in 0..=LAYERS {
            self.remember(STRANGERS - 65..STRANGERS);
            self.now += PERIOD;
        }
    }

    pub fn remember(&self, pids: impl IntoIterator<Item = u64>) {
        for pid in pids {
            assert_eq!(self.engine.remember(self.alice, pid, self.now), Decision::Known);
        }
    }

    #[inline]
    pub fn track(&self, pid: u64) -> Decision {
        self.engine.track(self.alice, pid, self.now)
    }

    /// Measures hits that write nothing: recording an id again would be another path.
    #[inline]
    pub fn known(&self, pid: u64) {
        assert_eq!(self.track(pid), Decision::Known);
    }

    pub fn stats(&self) -> Stats {
        self.engine.stats(self.alice, self.now).unwrap()
    }
}

/// xorshift64.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The same in an order without pattern, so that what does not fit a cache misses it as it does in a host.
pub fn shuffled<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
    items
}

/// The items over and over.
pub struct Round<'a, T> {
    items: &'a [T],
    next: usize,
}

impl<'a, T: Copy> Round<'a, T> {
    pub fn new(items: &'a [T]) -> Self {
        Self { items, next: 0 }
    }

    #[inline]
    pub fn next(&mut self) -> T {
        let item = self.items[self.next];
        self.next += 1;
        if self.next == self.items.len() {
            self.next = 0;
        }
        item
    }
}

/// fastbloom's atomic filter for the ids 0 to `count` at P: the peer that never forgets. With its default hasher.
pub fn fastbloom(count: u64) -> fastbloom::AtomicBloomFilter {
    let filter = fastbloom::AtomicBloomFilter::with_false_pos(RATE).expected_items(count as usize);
    (0..count).for_each(|pid| {
        filter.insert(&pid);
    });
    filter
}

/// The same with the hash that the engine uses, to tell the filter from its hash.
pub fn fastbloom_xxh3(count: u64) -> fastbloom::AtomicBloomFilter<BuildHasherDefault<Xxh3>> {
    let filter = fastbloom::AtomicBloomFilter::with_false_pos(RATE)
        .hasher(BuildHasherDefault::<Xxh3>::default())
        .expected_items(count as usize);
    (0..count).for_each(|pid| {
        filter.insert(&pid);
    });
    filter
}

/// Seeded XXH3 of one u64.
#[derive(Default)]
pub struct Xxh3(u64);

impl Hasher for Xxh3 {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("ids are u64");
    }

    #[inline]
    fn write_u64(&mut self, id: u64) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(&id.to_le_bytes(), 42);
    }
}

/// One cycle through all cache lines of so many bytes: what a dependent cache miss costs here.
pub struct PointerChase {
    lines: Vec<Line>,
    at: u64,
}

#[repr(align(64))]
#[derive(Clone, Default)]
struct Line(u64);

impl PointerChase {
    pub fn new(bytes: u64) -> Self {
        let order = shuffled(0..bytes.div_ceil(64));
        let mut lines = vec![Line::default(); order.len()];
        for (i, &line) in order.iter().enumerate() {
            lines[line as usize].0 = order[(i + 1) % order.len()];
        }
        Self { lines, at: 0 }
    }

    #[inline]
    pub fn step(&mut self) -> u64 {
        self.at = self.lines[self.at as usize].0;
        self.at
    }
}

/// Where cargo builds, and where Criterion writes: CARGO_TARGET_DIR, or three levels above this program.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => dir.into(),
        None => std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned(),
    }
}

/// Leaves what one benchmark measured for the report: `target/bench/<name>.json`, and on the terminal.
pub fn publish(name: &str, values: &[(String, f64)]) {
    let dir = target_dir().join("bench");
    std::fs::create_dir_all(&dir).unwrap();
    let map: serde_json::Map<_, _> =
        values.iter().map(|(key, value)| (key.clone(), (*value).into())).collect();
    let text = serde_json::to_string_pretty(&serde_json::Value::Object(map)).unwrap();
    std::fs::write(dir.join(format!("{name}.json")), text).unwrap();
    for (key, value) in values {
        println!("{name}/{key}: {value:.3}");
    }
}

/// The middle one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
