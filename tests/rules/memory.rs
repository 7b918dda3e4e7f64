//! What is remembered, for how long, and what is said of it: S1, S2, S10.

use super::{admitted, builder, engine, quota, remember, HOUR, PERIOD};
use tollgate::{Decision, PrincipalId, Touch};

#[test]
fn s1_new_is_admitted_then_known_and_over_quota_is_throttled_and_not_remembered() {
    let engine = engine(builder().default_quota(quota(2.0, 1.0)));
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    assert_eq!(engine.track(alice, 1, 0), Decision::Known);
    assert_eq!(engine.track(alice, 2, 0), Decision::Admitted);
    assert!(matches!(engine.track(alice, 3, 0), Decision::Throttled { .. }));
    assert!(!engine.contains(alice, 3, 0));
    let stats = engine.stats(alice, 0).unwrap();
    assert_eq!((stats.known, stats.admitted, stats.throttled), (1, 2, 1));
    // Nothing was charged: one token comes in half an hour, and it is pid 3's.
    assert_eq!(engine.track(alice, 3, HOUR / 2), Decision::Admitted);
}

#[test]
fn s1_contains_and_touch_admit_nobody() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert!(!engine.contains(alice, 1, 0));
    assert_eq!(engine.touch(alice, 1, 0), Touch::New);
    assert!(!engine.contains(alice, 1, 0));
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    assert_eq!(engine.touch(alice, 1, 0), Touch::Known);
    assert!(engine.contains(alice, 1, 0));
}

#[test]
fn s1_remember_charges_nothing() {
    let engine = engine(builder().default_quota(quota(1.0, 1.0)));
    let alice = engine.intern("alice", 0);
    for pid in 0..1000 {
        assert_eq!(engine.remember(alice, pid, 0), Decision::Known);
    }
    assert!((0..1000).all(|pid| engine.track(alice, pid, 1) == Decision::Known));
    assert_eq!(engine.stats(alice, 1).unwrap().tokens, 1.0);
}

/// S2 at each size: 10 ids stand in the small set, 1,000 in layers.
#[test]
fn s2_known_to_the_bound_and_forgotten_after_the_window() {
    for pids in [10, 1000] {
        for recorded in [0, 1, PERIOD - 1, PERIOD, PERIOD + 7] {
            let engine = engine(builder().false_positive_rate(1e-6));
            let alice = engine.intern("alice", 0);
            // Something older, so that a layer stands when these come in its middle.
            assert_eq!(admitted(&engine, alice, 5000..5000 + pids, 0), pids);
            assert_eq!(admitted(&engine, alice, 0..pids, recorded), pids);
            let bound = recorded + HOUR * 3 / 4;
            assert!((0..pids).all(|pid| engine.contains(alice, pid, bound)), "{pids} at {recorded}");
            assert!(
                (0..pids).all(|pid| !engine.contains(alice, pid, recorded + HOUR)),
                "{pids} at {recorded}"
            );
        }
    }
}

#[test]
fn s2_b11_an_id_that_keeps_coming_is_never_forgotten_and_never_charged_again() {
    for others in [0, 2000] {
        let engine = engine(builder().default_quota(quota(10_000.0, 1.0)));
        let alice = engine.intern("alice", 0);
        assert_eq!(admitted(&engine, alice, 1000..1000 + others, 0), others);
        assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
        for step in 1..2000u64 {
            // Every 44 minutes, just within W(L-1)/L, for two months.
            assert_eq!(engine.track(alice, 1, step * 44 * 60_000), Decision::Known, "step {step}");
        }
        assert_eq!(engine.stats(alice, u64::MAX).unwrap().admitted, 1 + others);
    }
}

#[test]
fn s2_a_hit_in_the_last_period_writes_nothing() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    (0..PERIOD).step_by(1000).for_each(|now| assert_eq!(engine.track(alice, 1, now), Decision::Known));
    assert_eq!(engine.stats(alice, PERIOD - 1).unwrap().re_recorded, 0);
    assert_eq!(engine.track(alice, 1, PERIOD), Decision::Known);
    assert_eq!(engine.stats(alice, PERIOD).unwrap().re_recorded, 1);
}

#[test]
fn s10_ghost_hits_count_what_was_forgotten_too_soon() {
    for pids in [20, 500] {
        let engine = engine(builder().window_ms(45 * 60_000).false_positive_rate(1e-6));
        let alice = engine.intern("alice", 0);
        admitted(&engine, alice, 0..pids, 0);
        // Back after 50 minutes: expired for 5, a period is 11.25.
        assert_eq!(admitted(&engine, alice, 0..pids, 50 * 60_000), pids);
        assert_eq!(engine.stats(alice, 0).unwrap().ghost_hits, pids);
        // Back after two hours: gone for longer than a period, no ghost.
        assert_eq!(admitted(&engine, alice, 0..pids, 170 * 60_000), pids);
        assert_eq!(engine.stats(alice, 0).unwrap().ghost_hits, pids);
    }
}

#[test]
fn s10_stats_add_up() {
    let engine = engine(builder().default_quota(quota(1000.0, 1.0)));
    let alice = engine.intern("alice", 0);
    admitted(&engine, alice, 0..1200, 0);
    (0..100).for_each(|pid| assert_ne!(engine.track(alice, pid, 1), Decision::Admitted));
    let stats = engine.stats(alice, 1).unwrap();
    assert_eq!(stats.admitted + stats.known + stats.throttled, 1300);
    assert!(stats.admitted >= 998 && stats.throttled >= 198);
    assert!((995..=1000).contains(&stats.live_pids));
    assert!(stats.fill > 0.0 && stats.fill <= 1.0);
    assert!(stats.false_positive_rate > 0.0 && stats.false_positive_rate <= 0.001);
    assert_eq!(stats.rate_per_hour, stats.admitted as f64);
    assert!(stats.tokens < 1.0);
    assert_eq!(stats.quota_per_hour, 1000.0);
    let totals = engine.totals(1);
    assert_eq!((totals.stats.admitted, totals.stats.known), (stats.admitted, stats.known));
    assert!(totals.memory_bytes >= stats.bytes);
}

/// S10: each answer and each event moves its own counter and no other.
#[test]
fn s10_each_outcome_has_its_counter() {
    let engine = engine(builder().max_principals(1).max_memory_bytes(1 << 20).default_quota(quota(2.0, 1.0)));
    let counted = |now| {
        let totals = engine.totals(now);
        let stats = totals.stats;
        [
            stats.known,
            stats.admitted,
            stats.throttled,
            stats.re_recorded,
            stats.ghost_hits,
            totals.overflow_interns,
            totals.evicted_layers,
        ]
    };
    let alice = engine.intern("alice", 0);
    assert_eq!(counted(0), [0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    assert_eq!(counted(0), [0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(engine.track(alice, 1, 0), Decision::Known);
    assert_eq!(counted(0), [1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(engine.track(alice, 2, 0), Decision::Admitted);
    assert!(matches!(engine.track(alice, 3, 0), Decision::Throttled { .. }));
    assert_eq!(counted(0), [1, 2, 1, 0, 0, 0, 0]);
    // A period on it is recorded again.
    assert_eq!(engine.track(alice, 1, PERIOD), Decision::Known);
    assert_eq!(counted(PERIOD), [2, 2, 1, 1, 0, 0, 0]);
    // The other is forgotten a window after it came, and comes back.
    assert_eq!(engine.track(alice, 2, HOUR), Decision::Admitted);
    assert_eq!(counted(HOUR), [2, 3, 1, 1, 1, 0, 0]);
    // No room for a second name.
    assert_eq!(engine.intern("bob", HOUR), PrincipalId::OVERFLOW);
    assert_eq!(counted(HOUR), [2, 3, 1, 1, 1, 1, 0]);
    // One more window: the handle is stale, and nothing is counted of its call.
    assert_eq!(engine.sweep(3 * HOUR).principals, 1);
    assert_eq!(engine.track(alice, 1, 3 * HOUR), Decision::Stale);
    assert_eq!(counted(3 * HOUR), [2, 3, 1, 1, 1, 1, 0]);
    // More ids than a mebibyte holds; `remember` counts what it takes in as recorded again.
    let alice = engine.intern("alice", 3 * HOUR);
    remember(&engine, alice, 0..400_000, 3 * HOUR);
    let [known, admitted, throttled, recorded, ghosts, overflows, evicted] = counted(3 * HOUR);
    assert_eq!([known, admitted, throttled, ghosts, overflows], [2, 3, 1, 1, 1]);
    assert!(recorded > 300_000 && evicted > 0, "{recorded} recorded, {evicted} evicted");
}

#[test]
fn b13_idle_then_back() {
    let engine = engine(builder().default_quota(quota(10.0, 1.0)));
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    assert_eq!(engine.track(alice, 1, 10), Decision::Known);
    assert_eq!(engine.track(alice, 1, 600_000), Decision::Known);
    assert_eq!(engine.track(alice, 1, 600_010), Decision::Known);
    assert_eq!(engine.track(alice, 1, 600_010 + HOUR), Decision::Admitted);
}

#[test]
fn b17_one_id_on_twelve_partitions_is_one_id() {
    let engine = engine(builder().default_quota(quota(1.0, 1.0)));
    let alice = engine.intern("alice", 0);
    let known = (0..12).filter(|_| engine.track(alice, 77, 0) == Decision::Known).count();
    assert_eq!(known, 11);
}

/// 600 ids, one every five seconds, each back after `every_min` minutes, for a day. Ghost hits, and all calls that were
/// admitted after an id's first.
fn returning(window_min: u64, layers: u32, every_min: u64) -> (u64, u64) {
    const PIDS: u64 = 600;
    let minute = 60_000;
    let engine = engine(builder().window_ms(window_min * minute).layers(layers).false_positive_rate(1e-6));
    let alice = engine.intern("alice", 0);
    let period = engine.config().layer_period_ms();
    let mut swept = 0;
    for round in 0..24 * 60 / every_min {
        for pid in 0..PIDS {
            let now = round * every_min * minute + pid * every_min * minute / PIDS;
            if now - swept >= period {
                engine.sweep(now);
                swept = now;
            }
            assert_ne!(engine.track(alice, pid, now), Decision::Stale);
        }
    }
    let stats = engine.stats(alice, 0).unwrap();
    (stats.ghost_hits, stats.admitted - PIDS)
}

/// docs/sizing.md shows these numbers.
#[test]
fn s10_ghosts_tell_that_a_longer_window_or_more_layers_would_help() {
    let (short, short_again) = returning(45, 4, 50);
    let (hour, hour_again) = returning(60, 4, 50);
    let (finer, finer_again) = returning(60, 16, 50);
    let (longer, longer_again) = returning(90, 4, 50);
    println!("45 min, 4 layers: {short} ghosts of {short_again} admitted again");
    println!("60 min, 4 layers: {hour} of {hour_again}; 16 layers: {finer} of {finer_again}");
    println!("90 min, 4 layers: {longer} of {longer_again}");
    assert!(short > hour && hour > 0, "{short}, {hour}");
    assert_eq!((finer, finer_again), (0, 0));
    assert_eq!((longer, longer_again), (0, 0));
}
