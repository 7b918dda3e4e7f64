//! S8 against the allocator: what the engine says it holds is what it holds. In a program of its own, so that no other
//! test's memory is counted.

use stats_alloc::{StatsAlloc, INSTRUMENTED_SYSTEM};
use std::alloc::System;
use tollgate::{Config, Decision, Engine, Limiter, Quota};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn allocated() -> u64 {
    let stats = ALLOCATOR.stats();
    (stats.bytes_allocated - stats.bytes_deallocated) as u64
}

#[test]
fn s8_the_bytes_counted_are_those_allocated() {
    let quota = |per_hour| Some(Quota::per_hour(per_hour, 1.0).unwrap());
    fill("no quota", Limiter::TokenBucket, None);
    // Above what comes here: nobody is throttled.
    fill("a token bucket", Limiter::TokenBucket, quota(1e9));
    fill("a window", Limiter::Windowed, quota(1e9));
}

fn fill(kind: &str, limiter: Limiter, quota: Option<Quota>) {
    const LIMIT: u64 = 16 << 20;
    let before = allocated();
    let config = Config::builder().seed(1).max_memory_bytes(LIMIT).max_principals(5_000);
    let config = config.limiter(limiter).default_quota(quota);
    let engine = Engine::new(config.build().unwrap());
    let check = |what: &str, now: u64| {
        let (counted, real) = (engine.totals(now).memory_bytes, allocated() - before);
        println!("{kind}, {what}: {counted} bytes counted, {real} allocated");
        assert!(counted <= LIMIT, "{kind}, {what}: {counted} bytes counted, {LIMIT} allowed");
        assert!(real <= counted, "{kind}, {what}: {real} bytes allocated, {counted} counted");
        // Nor is much more counted than held.
        assert!(
            real + real / 10 + (1 << 19) >= counted,
            "{kind}, {what}: {counted} bytes counted, {real} allocated"
        );
    };
    check("empty", 0);
    let ids: Vec<_> = (0..5_000).map(|n| engine.intern(&format!("a principal's name, {n}"), 0)).collect();
    check("principals", 0);
    for &id in &ids {
        assert!(matches!(engine.track(id, 7, 0), Decision::Admitted | Decision::Known));
    }
    check("small sets", 0);
    for round in 0..200u64 {
        for pid in 0..20_000 {
            let _ = engine.track(ids[round as usize % 3], round << 32 | pid, round * 1000);
        }
        if round % 20 == 19 {
            check("layers", round * 1000);
        }
    }
    assert!(engine.totals(0).evicted_layers > 0, "the limit was never met");
    engine.sweep(10 * 3_600_000);
    check("swept", 10 * 3_600_000);
}
