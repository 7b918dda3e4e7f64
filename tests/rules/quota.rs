//! The quota, its changes and its waits: S11, S12, S13.

use super::{admitted, builder, engine, quota, InStep, HOUR};
use std::collections::HashSet;
use tollgate::Decision;

#[test]
fn s11_changes_hold_from_the_next_call() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert_eq!(admitted(&engine, alice, 0..50, 0), 50);
    engine.set_quota("alice", quota(10.0, 1.0), 0).unwrap();
    assert_eq!(admitted(&engine, alice, 100..200, 0), 10);
    engine.set_quota("alice", quota(20.0, 1.0), 0).unwrap();
    assert_eq!(admitted(&engine, alice, 200..300, 0), 0, "raising keeps the tokens, of which there are none");
    engine.set_quota("alice", None, 0).unwrap();
    assert_eq!(admitted(&engine, alice, 300..310, 0), 10);
    engine.set_default_quota(quota(5.0, 1.0), 0);
    assert_eq!(admitted(&engine, alice, 310..320, 0), 10, "its own setting, no limit, counts");
    engine.clear_quota("alice", 0);
    assert_eq!(admitted(&engine, alice, 320..340, 0), 5);
}

/// O8: the quota that was set last holds, whoever was interning or setting at the same time.
#[test]
fn s11_a_quota_set_while_its_name_is_interned_holds() {
    const NAMES: usize = 20_000;
    let engine = engine(
        builder().max_principals(NAMES as u32).max_memory_bytes(1 << 28).default_quota(quota(5.0, 1.0)),
    );
    let names: Vec<String> = (0..NAMES).map(|n| format!("user-{n}")).collect();
    let together = InStep::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (step, name) in (0..).zip(&names) {
                together.wait(step);
                engine.intern(name, 0);
            }
        });
        scope.spawn(|| {
            for (step, name) in (0..).zip(&names) {
                together.wait(step);
                (0..step % 64 * 4).for_each(|_| std::hint::spin_loop());
                engine.set_quota(name, quota(77.0, 1.0), 0).unwrap();
            }
        });
    });
    for name in &names {
        let stats = engine.stats(engine.intern(name, 0), 0).unwrap();
        assert_eq!(stats.quota_per_hour, 77.0, "{name}");
    }
}

#[test]
fn s11_a_quota_outlives_its_principal_and_may_come_first() {
    let engine = engine(builder());
    engine.set_quota("alice", quota(3.0, 1.0), 0).unwrap();
    assert_eq!(admitted(&engine, engine.intern("alice", 0), 0..10, 0), 3);
    engine.sweep(2 * HOUR);
    assert_eq!(admitted(&engine, engine.intern("alice", 2 * HOUR), 0..10, 2 * HOUR), 3);
}

#[test]
fn s11_no_quota_throttles_nothing_and_counts_all() {
    let engine = engine(builder().max_memory_bytes(1 << 20).max_principals(10));
    let alice = engine.intern("alice", 0);
    for pid in 0..200_000 {
        assert!(!matches!(engine.track(alice, pid, pid), Decision::Throttled { .. }));
    }
    let stats = engine.stats(alice, 0).unwrap();
    assert_eq!(stats.admitted + stats.known, 200_000);
    assert!(stats.tokens.is_nan() && stats.quota_per_hour.is_nan());
    assert!(engine.totals(0).memory_bytes <= 1 << 20);
}

#[test]
fn s12_b16_a_windows_worth_may_come_at_once() {
    let engine = engine(builder().default_quota(quota(1000.0, 1.0)));
    let alice = engine.intern("alice", 0);
    for day in 0..30u64 {
        let now = day * 24 * HOUR;
        let alice = if engine.is_live(alice) { alice } else { engine.intern("alice", now) };
        (0..1000).for_each(|n| {
            let decision = engine.track(alice, day * 1000 + n, now + n);
            assert!(!matches!(decision, Decision::Throttled { .. }), "day {day}, {n}");
        });
    }
}

#[test]
fn s13_retry_after_leads_to_a_token_and_differs_between_ids() {
    let engine = engine(builder().default_quota(quota(3600.0, 0.0)).max_throttle_ms(5000));
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 0, 0), Decision::Admitted);
    let retries: Vec<u32> = (1..200)
        .map(|pid| match engine.track(alice, pid, 0) {
            Decision::Throttled { retry_after_ms } => retry_after_ms,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(retries.iter().all(|&retry| (1000..=2000).contains(&retry)), "{retries:?}");
    assert!(retries.iter().collect::<HashSet<_>>().len() > 100);
    assert_eq!(engine.track(alice, 1, u64::from(retries[0])), Decision::Admitted);
}

#[test]
fn s15_the_wait_behind_others_comes_true() {
    let engine = engine(builder().default_quota(quota(3_600.0, 0.0)));
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.wait_ms(alice, 0, 0), Some(0));
    assert_eq!(admitted(&engine, alice, 0..5, 0), 1);
    let foretold: Vec<_> = (0..4).map(|ahead| engine.wait_ms(alice, ahead, 0).unwrap()).collect();
    assert_eq!(foretold, [1_000, 2_000, 3_000, 4_000]);
    let counted = engine.stats(alice, 0).unwrap().throttled;
    assert_eq!(counted, 4, "asking is not counted");
    for (pid, at) in (10..).zip(foretold) {
        assert_eq!(admitted(&engine, alice, pid..pid + 1, at - 1), 0);
        assert_eq!(admitted(&engine, alice, pid..pid + 1, at), 1);
    }
    engine.set_quota("alice", None, 9_000).unwrap();
    assert_eq!(engine.wait_ms(alice, 1_000, 9_000), Some(0), "no quota, no wait");
    engine.clear_quota("alice", 9_000);
    engine.sweep(3 * HOUR);
    assert_eq!(engine.wait_ms(alice, 0, 3 * HOUR), None);
}
