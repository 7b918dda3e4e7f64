//! The rules of design.md, one test or more each, named after their numbers.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use tollgate::{Config, ConfigBuilder, Decision, Engine, PrincipalId, Quota, Touch};

const HOUR: u64 = 3_600_000;
const PERIOD: u64 = HOUR / 4;

fn builder() -> ConfigBuilder {
    Config::builder().seed(0x7011_6a7e)
}

fn engine(builder: ConfigBuilder) -> Engine {
    Engine::new(builder.build().unwrap())
}

fn quota(per_hour: f64, burst: f64) -> Option<Quota> {
    Some(Quota::per_hour(per_hour, burst).unwrap())
}

fn admitted(engine: &Engine, id: PrincipalId, pids: std::ops::Range<u64>, now: u64) -> u64 {
    pids.filter(|&pid| engine.track(id, pid, now) == Decision::Admitted).count() as u64
}

fn remember(engine: &Engine, id: PrincipalId, pids: std::ops::Range<u64>, now: u64) {
    pids.for_each(|pid| assert_eq!(engine.remember(id, pid, now), Decision::Known));
}

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

/// Holds threads together, id for id, so that they race: spins, because waking from a lock takes longer than a race.
struct InStep {
    arrived: AtomicU64,
    threads: u64,
}

impl InStep {
    fn new(threads: u64) -> Self {
        Self { arrived: AtomicU64::new(0), threads }
    }

    fn wait(&self, step: u64) {
        self.arrived.fetch_add(1, SeqCst);
        let since = Instant::now();
        while self.arrived.load(SeqCst) < (step + 1) * self.threads {
            assert!(since.elapsed() < Duration::from_secs(60), "another thread has ended early");
            std::thread::yield_now();
        }
    }
}

/// B1: several threads put the same 10,000 ids; the reported fault counted 10,892. Repeated until the threads are seen to have
/// raced: on a loaded machine a round may pass without.
#[test]
fn s3_b1_b2_each_id_is_admitted_once_by_racing_threads() {
    const ROUNDS: u64 = 50;
    let contended = (0..ROUNDS).find(|_| race_for_ten_thousand_ids() > 0);
    assert!(contended.is_some(), "the threads never raced: the test showed nothing");
}

/// Asserts exactly once; gives how often an id was new to a thread and known to it a moment later.
fn race_for_ten_thousand_ids() -> u64 {
    const THREADS: u64 = 3;
    const PIDS: u64 = 10_000;
    let engine = engine(builder().false_positive_rate(1e-6));
    let alice = engine.intern("alice", 0);
    let (contended, admitted) = (AtomicU64::new(0), AtomicU64::new(0));
    let together = InStep::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for pid in 0..PIDS {
                    together.wait(pid);
                    let new = engine.touch(alice, pid, 0) == Touch::New;
                    match engine.track(alice, pid, 0) {
                        Decision::Admitted => admitted.fetch_add(1, SeqCst),
                        Decision::Known => contended.fetch_add(u64::from(new), SeqCst),
                        other => panic!("{other:?}"),
                    };
                }
            });
        }
    });
    // P is 1e-6: of 10,000 ids at most one is expected to be called known wrongly in a hundred runs.
    let admitted = admitted.into_inner();
    assert!((PIDS - 2..=PIDS).contains(&admitted), "{admitted}");
    assert_eq!(engine.stats(alice, 0).unwrap().admitted, admitted);
    contended.into_inner()
}

#[test]
fn s3_exactly_once_and_one_charge_across_rotation() {
    const THREADS: u64 = 4;
    const PIDS: u64 = 4_000;
    let engine = engine(builder().window_ms(4000).false_positive_rate(1e-6).default_quota(quota(1e9, 1.0)));
    let alice = engine.intern("alice", 0);
    // Beyond the small set, so that layers rotate.
    assert_eq!(admitted(&engine, alice, 1_000_000..1_000_200, 0), 200);
    let clock = AtomicU64::new(1);
    let together = InStep::new(THREADS);
    let admitted: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    let mut admitted = 0;
                    for pid in 0..PIDS {
                        together.wait(pid);
                        // Each call moves time: a layer period passes every 1,000 calls, in the middle of races.
                        let now = clock.fetch_add(1, SeqCst) / THREADS;
                        admitted += u64::from(engine.track(alice, pid, now) == Decision::Admitted);
                    }
                    admitted
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!((PIDS - 2..=PIDS).contains(&admitted), "{admitted}");
    let stats = engine.stats(alice, 0).unwrap();
    assert_eq!(stats.admitted, 200 + admitted);
    assert!(stats.layers >= 3, "no rotation happened: {} layers", stats.layers);
}

/// S4 at a real shape: every layer full, ids in Kafka's blocks.
#[test]
fn s4_b10_false_positives_stay_within_p_with_all_layers_full() {
    for (rate, layers) in [(0.01, 4), (0.001, 3), (0.001, 8)] {
        let engine =
            engine(builder().false_positive_rate(rate).layers(layers).default_quota(quota(100_000.0, 1.0)));
        let alice = engine.intern("alice", 0);
        let period = engine.config().layer_period_ms();
        let each = 100_000 / u64::from(layers);
        for layer in 0..u64::from(layers) {
            remember(&engine, alice, layer * each..(layer + 1) * each, layer * period);
        }
        let now = (u64::from(layers) - 1) * period;
        assert_eq!(engine.stats(alice, now).unwrap().layers, u64::from(layers));
        let asked = 400_000u64;
        let wrong =
            (10_000_000..10_000_000 + asked).filter(|&pid| engine.contains(alice, pid, now)).count() as f64;
        let expected = rate * asked as f64;
        assert!(wrong <= expected + 4.0 * expected.sqrt(), "P {rate}, L {layers}: {wrong} of {expected}");
    }
}

/// S5's example: 10,000 long-lived producers under a quota of 100 an hour.
#[test]
fn s5_many_long_lived_ids_under_a_small_quota() {
    let engine = engine(builder().default_quota(quota(100.0, 1.0)));
    let alice = engine.intern("alice", 0);
    remember(&engine, alice, 0..10_000, 0);
    let peak_over_start: f64 = 10_000.0 / 25.0;
    let most = 4.0 + peak_over_start.log2() + 1.0;
    let mut settled = None;
    for minute in 0..600u64 {
        let now = minute * 60_000;
        assert!((0..10_000).step_by(7).all(|pid| engine.track(alice, pid, now) == Decision::Known));
        (0..10_000).for_each(|pid| assert_eq!(engine.track(alice, pid, now), Decision::Known));
        let stats = engine.stats(alice, now).unwrap();
        assert!(stats.layers as f64 <= most, "{} layers at minute {minute}", stats.layers);
        assert!((9_900..=10_100).contains(&stats.live_pids), "{} live", stats.live_pids);
        if minute >= 120 {
            // Two windows on, a period is one layer of what it needs, and memory stays.
            assert!(stats.layers <= 4, "{} layers", stats.layers);
            settled = settled.max(Some(stats.bytes));
            assert!(stats.bytes <= 5 * 2 * 12_800 * 28 / 10 + 4096, "{} bytes", stats.bytes);
        }
    }
    assert!(settled.is_some());
    assert_eq!(engine.stats(alice, 600 * 60_000).unwrap().throttled, 0);
}

#[test]
fn s5_b15_a_burst_grows_the_layers_and_two_windows_later_the_memory_is_small_again() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert_eq!(admitted(&engine, alice, 0..100, 0), 100);
    let quiet = engine.stats(alice, 0).unwrap().bytes;
    let wrong = 21_376 - admitted(&engine, alice, 1000..22_376, 1000);
    assert!(wrong <= 22 + 5 * 5, "{wrong} called known wrongly"); // P, and five standard deviations
    let burst = engine.stats(alice, 1000).unwrap();
    let most = 4.0 + (21_476.0f64).log2() + 1.0;
    assert!(burst.layers as f64 <= most && burst.bytes > 10 * quiet);
    for step in 1..=8u64 {
        let now = 1000 + step * PERIOD;
        (0..100).for_each(|pid| assert_eq!(engine.track(alice, pid, now), Decision::Known));
        engine.sweep(now);
    }
    let after = engine.stats(alice, 1000 + 8 * PERIOD).unwrap();
    assert!(after.bytes <= 4 * quiet, "{} bytes after, {quiet} before", after.bytes);
    assert_eq!(after.live_pids, 100);
}

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
fn s7_small_is_exact_and_growing_forgets_nothing() {
    let engine = engine(builder().false_positive_rate(0.5));
    let alice = engine.intern("alice", 0);
    assert_eq!(admitted(&engine, alice, 0..64, 0), 64);
    assert!((64..100_000).all(|pid| !engine.contains(alice, pid, 0)), "a false positive among 64");
    let stats = engine.stats(alice, 0).unwrap();
    assert_eq!((stats.live_pids, stats.layers), (64, 0));
    assert!(stats.bytes <= 1536, "{} bytes", stats.bytes);
    admitted(&engine, alice, 64..200, 1);
    assert!((0..200).all(|pid| engine.track(alice, pid, 2) == Decision::Known));
    // The exact ones live on in their set, each for its own window, and are renewed from there.
    assert!((0..64).all(|pid| engine.track(alice, pid, PERIOD * 3) == Decision::Known));
    assert!((0..64).all(|pid| engine.track(alice, pid, PERIOD * 6) == Decision::Known));
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
    let engine = engine(builder().max_principals(10_000).max_memory_bytes(4 << 20));
    let ids: Vec<_> = (0..10_000).map(|n| engine.intern(&format!("user-{n}"), 0)).collect();
    let held: Vec<_> = ids.into_iter().filter(|&id| id != PrincipalId::OVERFLOW).collect();
    assert!((500..10_000).contains(&held.len()), "{} principals", held.len());
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
