//! Faults that others reported in their rates, and the values that are right.

use crate::{assert_close, rate};
use tollgate::rate::Policy::{self, Grid, Overlap, Sliding};
use tollgate::rate::WindowedRate;

/// The rate after each event of pull request 12045's example, events of `amount`.
fn worked_example(policy: Policy, amount: u64) -> (WindowedRate, Vec<f64>) {
    let rate = rate(policy, 2, 1000);
    let measured = [0, 30, 995, 1020, 2010].map(|now| {
        rate.record(amount, now);
        rate.per_second(now)
    });
    (rate, measured.to_vec())
}

#[test]
fn c1_grid_gives_the_pull_requests_numbers() {
    let (_, measured) = worked_example(Grid, 1);
    let expected = [1.0, 2.0 / 1.03, 3.0 / 1.995, 4.0 / 1.02, 2.0 / 1.01];
    assert_eq!(measured, expected);
    [1.0, 1.942, 1.504, 3.922, 1.980]
        .iter()
        .zip(measured)
        .for_each(|(&right, rate)| assert_close(rate, right));
}

#[test]
fn c1_overlap_still_counts_the_first_sample_at_the_fifth_event() {
    let (_, measured) = worked_example(Overlap, 1);
    [1.0, 1.942, 1.504, 3.922, 2.488]
        .iter()
        .zip(measured)
        .for_each(|(&right, rate)| assert_close(rate, right));
}

#[test]
fn c1_two_seconds_later() {
    for (policy, expected) in [(Grid, 990.099), (Overlap, 1000.0)] {
        let (rate, _) = worked_example(policy, 1000);
        rate.record(1000, 4010);
        assert_close(rate.per_second(4010), expected);
    }
}

#[test]
fn c2_one_sample_of_no_time_is_a_millisecond() {
    for policy in [Grid, Overlap] {
        let rate = rate(policy, 1, 1000);
        assert_eq!(rate.per_second(0), 0.0);
        rate.record(50, 0);
        assert_eq!((rate.per_second(0), rate.window_ms(0)), (50_000.0, 1));
        assert_eq!(rate.per_second(999), 50.0 / 0.999);
        assert_close(rate.per_second(999), 50.05005);
        assert_eq!(rate.per_second(1000), 0.0);
    }
    let rate = rate(Sliding, 1, 1000);
    rate.record(50, 0);
    assert_eq!(rate.per_second(0), 50.0);
}

#[test]
fn c3_ten_a_second_are_about_ten_a_second() {
    for (policy, expected) in [(Overlap, 10.4812), (Grid, 10.0091)] {
        let rate = rate(policy, 2, 1000);
        let first = std::iter::once(0).chain((1..=10).map(|n| n * 100 - 1));
        let second = std::iter::once(1100).chain((1..=10).map(|n| 1099 + n * 100));
        first.chain(second).for_each(|now| rate.record(1, now));
        assert_close(rate.per_second(2099), expected);
    }
}

#[test]
fn c4_the_throttle_time_brings_the_rate_to_the_quota() {
    for policy in [Grid, Overlap] {
        let rate = rate(policy, 11, 1000);
        (0..10).for_each(|second| rate.record(400, second * 1000));
        assert_eq!(rate.throttle_ms(500.0, 9000), 0);
        rate.record(2300, 10_500);
        assert_eq!(rate.per_second(10_500), 600.0);
        assert_eq!(rate.throttle_ms(500.0, 10_500), 2_100);
    }
}

#[test]
fn c5_throttle_times_are_never_negative() {
    // 200 within two seconds are 100 a second.
    let rate = rate(Overlap, 3, 1000);
    rate.record(200, 0);
    assert_eq!((rate.per_second(0), rate.window_ms(0)), (100.0, 2000));
    assert_eq!(rate.throttle_ms(50.0, 0), 2_000);
    assert_eq!(rate.throttle_ms(100.0, 0), 0);
    assert_eq!(rate.throttle_ms(500.0, 0), 0);
    assert_eq!([0.0, -0.0, -1.0, f64::NEG_INFINITY].map(|limit| rate.throttle_ms(limit, 0)), [u64::MAX; 4]);
    assert_eq!(rate.throttle_ms(f64::NAN, 0), 0);
}

#[test]
fn c5_without_events_the_rate_is_zero_and_not_minus_zero() {
    for policy in [Grid, Overlap, Sliding] {
        assert_eq!(rate(policy, 2, 1000).per_second(5).to_string(), "0");
    }
}

#[test]
fn c6_two_events_in_an_hour_are_two_per_hour() {
    const MINUTE: u64 = 60_000;
    let rate = rate(Sliding, 60, MINUTE);
    rate.record(1, MINUTE);
    rate.record(1, 59 * MINUTE);
    assert_eq!(rate.per_second(59 * MINUTE) * 3600.0, 2.0);
}

#[test]
fn c11_a_reader_finds_no_old_count_in_a_new_window() {
    for policy in [Grid, Overlap, Sliding] {
        let rate = rate(policy, 2, 500);
        (0..3).for_each(|n| rate.record(1_000_000, n * 500));
        // The next sample takes a slot that held a million.
        rate.record(1, 10_000);
        let measured = rate.per_second(10_000);
        assert!(measured <= 2.0, "{policy:?}: {measured}");
    }
}

#[test]
fn c12_sliding_never_rises_without_an_event_and_the_others_do() {
    let rises = |policy| -> Vec<u64> {
        let rate = rate(policy, 2, 1000);
        rate.record(1, 0);
        (1..4000).filter(|&now| rate.per_second(now) > rate.per_second(now - 1)).collect()
    };
    assert_eq!(rises(Sliding), [0; 0]);
    // The second before the first event counts until a whole sample has passed: 1 in 1.999 s, then 1 in 1 s.
    assert_eq!(rises(Grid), [1000]);
    assert_eq!(rises(Overlap), [1000]);
}

/// R4, and what Kafka's own class does not keep: its reading moves the samples it finds purged to the time of the reading.
#[test]
fn r4_a_reading_changes_no_later_one() {
    for policy in [Grid, Overlap, Sliding] {
        let (read, unread) = (rate(policy, 2, 1000), rate(policy, 2, 1000));
        for now in [0, 700, 2900, 3100, 9000, 9999] {
            [&read, &unread].iter().for_each(|rate| rate.record(1, now));
            for later in (now..now + 900).step_by(50) {
                assert_eq!(read.per_second(later), read.per_second(later), "{policy:?} at {later}");
            }
            assert_eq!(read.per_second(now), unread.per_second(now), "{policy:?} at {now}");
        }
    }
}

/// Kafka's formula takes the window to grow while nothing comes; samples that leave it whole come later.
#[test]
fn c4_the_rate_can_be_above_the_limit_when_the_throttle_time_is_over() {
    for (policy, limit, wait) in [(Grid, 100.0, 1_000), (Overlap, 100.0, 1_000), (Sliding, 60.0, 1_333)] {
        let rate = rate(policy, 2, 1000);
        rate.record(200, 0);
        assert_eq!(rate.throttle_ms(limit, 0), wait, "{policy:?}");
        assert!(rate.per_second(wait) > limit, "{policy:?}");
        assert!(rate.per_second(3_000) <= limit, "{policy:?}");
    }
}
