//! The rates alone: an event into a windowed rate of each policy, a charge of each bucket beside governor's limiter.
//!
//! Kafka's Sensor, the rates' peer, is measured by JMH (java/bench, RateRecord) with the same window and the same
//! clock, a count of calls. governor gets its FakeRelativeClock, the cheapest of its clocks: reading the time is one
//! relaxed load, and neither side pays for asking the system.

mod common;

use common::group;
use criterion::{criterion_group, criterion_main, Criterion};
use governor::clock::FakeRelativeClock;
use governor::RateLimiter;
use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tollgate::rate::{Charge, Gcra, Policy, Refill, Sliding, TokenBucket, WindowedRate};

/// Eleven samples of a second, as Kafka's client quotas have it.
const WINDOW_MS: u64 = 11_000;
const SAMPLES: u32 = 11;
/// Per hour: no sample of a measurement spends the burst.
const RATE: u32 = 1_000_000_000;
const BURST: u32 = 4_000_000_000;

fn sliding(c: &mut Criterion) {
    let mut benches = group(c, "sliding_record");
    let rate = Sliding::new();
    let mut calls = 0u64;
    benches.bench_function("tollgate", |b| {
        b.iter(|| {
            rate.record(black_box(calls >> 10), WINDOW_MS);
            calls += 1;
        });
    });
    // 1,024 events a millisecond, as soon as they fill a window.
    let per_hour = rate.per_hour(calls >> 10, WINDOW_MS);
    let expected = 1_024.0 * 3.6e6;
    let full = calls >> 10 > 2 * WINDOW_MS;
    assert!(!full || (per_hour / expected - 1.0).abs() < 0.001, "{per_hour} per hour, not {expected}");
    assert!(calls == 0 || per_hour > 0.0); // a filter may have left it out
    benches.finish();
}

fn windowed(c: &mut Criterion) {
    let mut benches = group(c, "windowed_record");
    for (name, policy) in [("grid", Policy::Grid), ("overlap", Policy::Overlap), ("sliding", Policy::Sliding)]
    {
        let rate = WindowedRate::new(policy, SAMPLES, WINDOW_MS / u64::from(SAMPLES)).unwrap();
        let mut calls = 0u64;
        benches.bench_function(name, |b| {
            b.iter(|| {
                rate.record(1, black_box(calls >> 10));
                calls += 1;
            });
        });
        // 1,024 events a millisecond.
        let per_second = rate.per_second(calls >> 10);
        let full = calls >> 10 > 2 * WINDOW_MS;
        assert!(!full || (per_second / 1_024_000.0 - 1.0).abs() < 0.001, "{name}: {per_second} a second");
        assert!(calls == 0 || per_second > 0.0); // a filter may have left it out
    }
    benches.finish();
}

fn bucket(c: &mut Criterion) {
    let number = |n| NonZeroU32::new(n).unwrap();
    // What governor's fake clock costs: one relaxed load.
    let clock = black_box(AtomicU64::new(0));
    let mut benches = group(c, "bucket_charge");
    let ours = Gcra::full(Refill::per_hour(f64::from(RATE), f64::from(BURST)).unwrap(), 0);
    benches.bench_function("tollgate", |b| {
        b.iter(|| assert_eq!(ours.charge(clock.load(Relaxed)), Charge::Taken));
    });
    let amounts = TokenBucket::full(f64::from(RATE) / 3600.0, f64::from(BURST), 0).unwrap();
    benches.bench_function("tollgate_amounts", |b| {
        b.iter(|| assert_eq!(amounts.charge(1.0, clock.load(Relaxed)), 0));
    });
    let quota = governor::Quota::per_hour(number(RATE)).allow_burst(number(BURST));
    let theirs = RateLimiter::direct_with_clock(quota, FakeRelativeClock::default());
    benches.bench_function("governor", |b| b.iter(|| assert!(theirs.check().is_ok())));
    benches.finish();

    let mut benches = group(c, "bucket_refuse");
    let ours = Gcra::full(Refill::per_hour(1.0, 1.0).unwrap(), 0);
    assert_eq!(ours.charge(0), Charge::Taken);
    benches.bench_function("tollgate", |b| {
        b.iter(|| assert_ne!(ours.charge(clock.load(Relaxed)), Charge::Taken));
    });
    let quota = governor::Quota::per_hour(number(1));
    let theirs = RateLimiter::direct_with_clock(quota, FakeRelativeClock::default());
    assert!(theirs.check().is_ok());
    benches.bench_function("governor", |b| b.iter(|| assert!(theirs.check().is_err())));
    benches.finish();
}

criterion_group!(benches, sliding, windowed, bucket);
criterion_main!(benches);
