//! Expiry, limits and time: S6, S8, S9.

use super::{admitted, builder, engine, quota, remember, InStep, HOUR, PERIOD};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use tollgate::{Decision, PrincipalId};

#[test]
fn s6_sweep_drops_expired_layers_and_idle_principals() {
    let engine = engine(builder());
    let (alice, bob) = (engine.intern("alice", 0), engine.intern("bob", 0));
    admitted(&engine, alice, 0..1000, 0);
    assert_eq!(engine.track(bob, 1, HOUR - 1), Decision::Admitted);
    assert_eq!(engine.sweep(HOUR - 1).principals, 0);
    assert_eq!(engine.sweep(HOUR).principals, 1);
    assert!(!engine.is_live(alice) && engine.is_live(bob));
    assert_eq!(engine.track(alice, 1, HOUR), Decision::Stale);
    assert_eq!(engine.stats(alice, HOUR), None);
    let again = engine.intern("alice", HOUR);
    assert_ne!(again, alice);
    assert_eq!(engine.track(again, 1, HOUR), Decision::Admitted);
    // Counters of dropped principals stay in the totals.
    assert_eq!(engine.totals(HOUR).stats.admitted, 1002);
}

/// B10's prototype had the comparison the wrong way round.
#[test]
fn s6_b10_a_sweep_drops_no_live_layer() {
    let engine = engine(builder().false_positive_rate(1e-6));
    let alice = engine.intern("alice", 0);
    let mut dropped = 0;
    for step in 0..200u64 {
        let now = step * PERIOD / 10;
        // First, or the new layer of a period would take the old ones out.
        dropped += engine.sweep(now).layers;
        assert_eq!(admitted(&engine, alice, step * 100..step * 100 + 100, now), 100);
        // The ids of the last W(L-1)/L.
        let first = step.saturating_sub(30);
        assert!((first * 100..step * 100 + 100).all(|pid| engine.contains(alice, pid, now)), "step {step}");
    }
    assert!(dropped > 10, "{dropped} layers dropped");
}

/// B10's prototype threw: a window of one id over four layers is a quarter of an id each.
#[test]
fn s5_b9_b10_a_quota_of_less_than_an_id_a_layer_works() {
    for rate in [1.0, 0.001, f64::MIN_POSITIVE] {
        let engine = engine(builder().default_quota(quota(rate, 1.0)));
        let alice = engine.intern("alice", 0);
        assert_eq!(admitted(&engine, alice, 0..100, 0), 1, "{rate} an hour");
        // Beyond the exact set, into layers that start with room for one.
        remember(&engine, alice, 0..1000, 0);
        assert!((0..1000).all(|pid| engine.track(alice, pid, 1) == Decision::Known), "{rate} an hour");
    }
}

#[test]
fn s6_reads_never_see_an_expired_layer_though_no_sweep_ran() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    admitted(&engine, alice, 0..1000, 0);
    assert!((0..1000).all(|pid| !engine.contains(alice, pid, HOUR)));
    assert_eq!(engine.stats(alice, HOUR).unwrap().layers, 0);
}

#[test]
fn s6_dropping_hands_out_no_token() {
    // One id every two hours: after an idle hour the bucket is not full yet, so the principal must stay.
    let engine = engine(builder().default_quota(quota(0.5, 1.0)));
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 1, 0), Decision::Admitted);
    assert_eq!(engine.sweep(HOUR).principals, 0);
    assert!(matches!(engine.track(engine.intern("alice", HOUR), 2, HOUR), Decision::Throttled { .. }));
    assert_eq!(engine.sweep(2 * HOUR).principals, 1);
}

#[test]
fn s8_principals_beyond_the_limit_share_the_overflow_gate() {
    let engine = engine(builder().max_principals(3).default_quota(quota(5.0, 1.0)));
    let ids: Vec<_> = (0..10).map(|n| engine.intern(&format!("user-{n}"), 0)).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 4);
    assert!(ids[3..].iter().all(|&id| id == PrincipalId::OVERFLOW));
    assert_eq!(admitted(&engine, ids[0], 0..10, 0), 5);
    // One gate for all seven.
    assert_eq!(
        (3..10).map(|n| admitted(&engine, ids[n], n as u64 * 10..n as u64 * 10 + 10, 0)).sum::<u64>(),
        5
    );
    let totals = engine.totals(0);
    assert_eq!((totals.principals, totals.overflow_interns), (3, 7));
    // A swept principal makes room.
    engine.sweep(HOUR);
    assert_ne!(engine.intern("user-9", HOUR), PrincipalId::OVERFLOW);
}

#[test]
fn s8_memory_stays_under_its_limit_and_evictions_are_counted() {
    let limit = 1 << 20;
    let engine = engine(builder().max_memory_bytes(limit).max_principals(100));
    let ids: Vec<_> = (0..20).map(|n| engine.intern(&format!("user-{n}"), 0)).collect();
    for round in 0..50u64 {
        for (n, &id) in ids.iter().enumerate() {
            for pid in 0..1000 {
                assert_eq!(
                    engine.track(id, round * 1000 + pid + n as u64 * 1_000_000, round).pack() & 0xfe,
                    0
                );
            }
            assert!(engine.totals(round).memory_bytes <= limit);
        }
    }
    let totals = engine.totals(50);
    assert!(totals.evicted_layers > 0);
    assert_eq!(totals.stats.known + totals.stats.admitted, 1_000_000);
}

#[test]
fn s8_eviction_takes_what_is_missing_and_spares_the_smaller() {
    let limit = 4 << 20;
    let engine = engine(builder().max_principals(10).max_memory_bytes(limit));
    let (large, small) = (engine.intern("large", 0), engine.intern("small", 0));
    admitted(&engine, small, 0..20_000, 0);
    let small_before = engine.stats(small, 0).unwrap();
    let mut pid = 0;
    while engine.totals(0).evicted_layers == 0 {
        admitted(&engine, large, pid..pid + 1000, 0);
        pid += 1000;
    }
    let small_after = engine.stats(small, 0).unwrap();
    assert_eq!((small_after.live_pids, small_after.layers), (small_before.live_pids, small_before.layers));
    let after = engine.totals(0);
    assert!(after.memory_bytes > limit / 2, "{} bytes left of {limit}", after.memory_bytes);
    assert!(engine.stats(large, 0).unwrap().live_pids > pid / 3, "the large one lost nearly all");
}

#[test]
fn s8_a_large_neighbour_does_not_keep_new_names_out() {
    let engine = engine(builder().max_principals(100).max_memory_bytes(4 << 20));
    let large = engine.intern("large", 0);
    admitted(&engine, large, 0..600_000, 0);
    assert!(engine.totals(0).memory_bytes > 2 << 20);
    for n in 0..99 {
        let id = engine.intern(&format!("user-{n}"), 0);
        assert_ne!(id, PrincipalId::OVERFLOW, "user {n}");
        assert_eq!(engine.track(id, n, 0), Decision::Admitted);
    }
}

/// Names and their small sets have half of the memory and no more, so there is always a layer to evict.
#[test]
fn s8_a_memory_full_of_small_principals_still_remembers() {
    let engine = engine(builder().max_principals(6_500).max_memory_bytes(4 << 20));
    let ids: Vec<_> = (0..6_500).map(|n| engine.intern(&format!("user-{n}"), 0)).collect();
    let held: Vec<_> = ids.into_iter().filter(|&id| id != PrincipalId::OVERFLOW).collect();
    assert!((500..6_500).contains(&held.len()), "{} principals", held.len());
    for (pid, &id) in (0..).zip(&held) {
        assert_eq!(engine.track(id, pid, 0), Decision::Admitted);
        assert_eq!(engine.track(id, pid, 0), Decision::Known);
    }
    assert!(engine.totals(0).memory_bytes <= 4 << 20);
}

#[test]
fn s8_a_quota_far_above_what_is_used_takes_no_memory_from_others() {
    let engine = engine(builder().default_quota(quota(1e9, 1.0)));
    let ids: Vec<_> = (0..12).map(|n| engine.intern(&format!("user-{n}"), 0)).collect();
    ids.iter().for_each(|&id| assert_eq!(admitted(&engine, id, 0..100, 0), 100));
    assert!(ids.iter().all(|&id| (0..100).all(|pid| engine.track(id, pid, 1) == Decision::Known)));
    assert_eq!(engine.totals(1).evicted_layers, 0);
}

#[test]
fn s8_many_distinct_principals() {
    let engine = engine(builder().max_principals(1000).max_memory_bytes(4 << 20));
    for n in 0..50_000u64 {
        let id = engine.intern(&format!("user-{n}"), n);
        let decision = engine.track(id, n, n);
        assert!(matches!(decision, Decision::Admitted | Decision::Known), "{decision:?}");
    }
    let totals = engine.totals(50_000);
    // 49,000 of them stand in one filter: P, and five standard deviations.
    assert!(totals.stats.known <= 49 + 35, "{} called known wrongly", totals.stats.known);
    assert_eq!(totals.principals, 1000);
    assert_eq!(totals.overflow_interns, 49_000);
    assert!(totals.memory_bytes <= 4 << 20);
}

#[test]
fn s9_time_goes_back_jumps_and_has_ends() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert_eq!(engine.track(alice, 1, 10 * HOUR), Decision::Admitted);
    // Back: the latest time counts, so nothing expires and nothing is younger than it.
    assert_eq!(engine.track(alice, 1, 0), Decision::Known);
    assert_eq!(engine.track(alice, 2, 0), Decision::Admitted);
    assert!(engine.contains(alice, 2, 11 * HOUR - 1));
    // A jump past W forgets all.
    assert_eq!(engine.track(alice, 1, 11 * HOUR), Decision::Admitted);
    assert_eq!(engine.track(alice, 1, u64::MAX), Decision::Admitted);
    assert_eq!(engine.track(alice, 1, u64::MAX), Decision::Known);
    assert_eq!(engine.track(alice, 1, 0), Decision::Known);
    admitted(&engine, alice, 0..1000, u64::MAX);
    assert!(engine.stats(alice, 0).unwrap().layers > 0);
    engine.sweep(u64::MAX);
}

/// Interning races with sweeps under a clock that jumps past the window each time: no name may end with a dead handle.
#[test]
fn s6_a_name_interned_while_time_jumps_can_be_used() {
    let engine = engine(builder().window_ms(1000).max_principals(8));
    let clock = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let interners: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    (0..60_000).for_each(|n| {
                        engine.intern(["x", "y", "z"][n % 3], clock.load(SeqCst));
                    });
                })
            })
            .collect();
        while interners.iter().any(|thread| !thread.is_finished()) {
            engine.sweep(clock.fetch_add(1001, SeqCst));
        }
    });
    let now = clock.into_inner() + 5000;
    for name in ["x", "y", "z"] {
        assert_eq!(engine.track(engine.intern(name, now), 1, now), Decision::Admitted, "{name}");
    }
    assert_eq!(engine.totals(now).principals, 3);
}

#[test]
fn handles_that_were_never_given_are_stale() {
    let engine = engine(builder().max_principals(5));
    let alice = engine.intern("alice", 0);
    for raw in (0..2000).chain(u32::MAX - 2000..u32::MAX) {
        let id = PrincipalId::from_raw(raw);
        if id != alice && id != PrincipalId::OVERFLOW {
            assert_eq!(engine.track(id, 1, 0), Decision::Stale, "{raw:#x}");
            assert_eq!(engine.stats(id, 0), None, "{raw:#x}");
        }
    }
}

/// Sweeps, interns and admissions race; an id answered Admitted is there afterwards, and none is admitted twice.
#[test]
fn s6_s3_sweeping_loses_no_admitted_id() {
    let engine = engine(builder().window_ms(1000).false_positive_rate(1e-6));
    let (clock, done) = (AtomicU64::new(1), AtomicBool::new(false));
    let dropped = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3u64)
            .map(|worker| {
                let (engine, clock) = (&engine, &clock);
                scope.spawn(move || {
                    let name = format!("user-{}", worker % 2);
                    let mut id = engine.intern(&name, clock.load(SeqCst));
                    for n in 0..20_000u64 {
                        let pid = worker << 32 | n;
                        // Every 50th call comes a window later, so that sweeps find the principal idle.
                        let step = if n % 50 == 0 { 1000 } else { 1 };
                        let now = clock.fetch_add(step, SeqCst) + step;
                        let decision = loop {
                            match engine.track(id, pid, now) {
                                Decision::Stale => id = engine.intern(&name, now),
                                other => break other,
                            }
                        };
                        // Other workers may have moved time by up to a window by now; then nothing can be said.
                        let known = engine.contains(id, pid, now);
                        if decision == Decision::Admitted && clock.load(SeqCst) < now + 700 {
                            assert!(known, "worker {worker}, {n}: forgotten at once");
                        }
                    }
                })
            })
            .collect();
        let sweeper = scope.spawn(|| {
            let mut dropped = 0;
            while !done.load(SeqCst) {
                dropped += engine.sweep(clock.load(SeqCst)).principals;
            }
            dropped
        });
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        done.store(true, SeqCst);
        sweeper.join().unwrap()
    });
    assert!(dropped > 0, "no principal was dropped: the test showed nothing");
}

/// Calls race with the drop of their principal, which takes along what they write. None may be told Known about an id that nobody
/// was told Admitted of.
#[test]
fn s6_s1_known_is_never_said_of_what_went_down_with_its_principal() {
    const ROUNDS: u64 = 20_000;
    let engine = engine(builder().window_ms(1000).max_principals(2));
    let handle = AtomicU32::new(0);
    // Two threads' answers of the last rounds: Known, Admitted.
    let said: [[AtomicU64; 2]; 4] = Default::default();
    let (known_of_nothing, together) = (AtomicU64::new(0), InStep::new(3));
    let sweep = || {
        for round in 0..ROUNDS {
            handle.store(engine.intern("alice", round * 2000).raw(), SeqCst);
            together.wait(2 * round);
            engine.sweep((round + 1) * 2000);
            together.wait(2 * round + 1);
            let [known, admitted] = &said[round as usize % 4];
            let (known, admitted) = (known.swap(0, SeqCst), admitted.swap(0, SeqCst));
            known_of_nothing.fetch_add(u64::from(known > 0 && admitted == 0), SeqCst);
        }
    };
    let track = |thread: u64| {
        for round in 0..ROUNDS {
            together.wait(2 * round);
            let alice = PrincipalId::from_raw(handle.load(SeqCst));
            (0..(round * 7 + thread * 13) % 300).for_each(|_| std::hint::spin_loop());
            let [known, admitted] = &said[round as usize % 4];
            match engine.track(alice, round, round * 2000) {
                Decision::Known => known.fetch_add(1, SeqCst),
                Decision::Admitted => admitted.fetch_add(1, SeqCst),
                _ => 0,
            };
            together.wait(2 * round + 1);
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(sweep), scope.spawn(|| track(0)), scope.spawn(|| track(1))];
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    assert_eq!(known_of_nothing.into_inner(), 0);
}
