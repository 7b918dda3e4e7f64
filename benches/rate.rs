//! The rates alone: an event into the sliding window, a charge of the token bucket beside governor's limiter.
//!
//! Kafka's Sensor, the sliding window's peer, is measured by JMH (java/bench, RateRecord) with the same window and the same
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
use tollgate::rate::{Charge, Gcra, Refill, Sliding};

/// Eleven samples of a second, as Kafka's client quotas have it.
const WINDOW_MS: u64 = 11_000;
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

fn bucket(c: &mut Criterion) {
    let number = |n| NonZeroU32::new(n).unwrap();
    // What governor's fake clock costs: one relaxed load.
    let clock = black_box(AtomicU64::new(0));
    let mut benches = group(c, "bucket_charge");
    let ours = Gcra::full(Refill::per_hour(f64::from(RATE), f64::from(BURST)).unwrap(), 0);
    benches.bench_function("tollgate", |b| {
        b.iter(|| assert_eq!(ours.charge(clock.load(Relaxed)), Charge::Taken));
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

criterion_group!(benches, sliding, bucket);
criterion_main!(benches);
