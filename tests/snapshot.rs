//! Snapshot and restore: S14.

use std::fs;
use tollgate::{
    snapshot, Config, ConfigBuilder, Decision, Engine, Limiter, PrincipalId, Quota, Restored, SnapshotError,
};

const HOUR: u64 = 3_600_000;
const PERIOD: u64 = HOUR / 4;

fn builder() -> ConfigBuilder {
    Config::builder().seed(0x7011_6a7e).max_principals(4)
}

fn limited(per_hour: f64) -> ConfigBuilder {
    builder().default_quota(Some(Quota::per_hour(per_hour, 1.0).unwrap()))
}

fn engine(builder: ConfigBuilder) -> Engine {
    Engine::new(builder.build().unwrap())
}

fn restore(builder: ConfigBuilder, bytes: &[u8], now: u64) -> (Engine, Restored) {
    // Another seed: the snapshot's must win.
    Engine::restore(builder.seed(99).build().unwrap(), bytes, now).unwrap()
}

fn admit(engine: &Engine, id: PrincipalId, pids: std::ops::Range<u64>, now: u64) {
    pids.for_each(|pid| assert!(matches!(engine.track(id, pid, now), Decision::Admitted | Decision::Known)));
}

/// Small, grown out of the small set, several periods, and the overflow gate.
fn lived_in() -> Engine {
    let engine = engine(limited(10_000.0));
    admit(&engine, engine.intern("small", 0), 0..40, 0);
    let large = engine.intern("large", 0);
    (0..4).for_each(|period| admit(&engine, large, period * 500..(period + 1) * 500, period * PERIOD));
    let grown = engine.intern("grown", 0);
    admit(&engine, grown, 0..64, 2 * PERIOD);
    admit(&engine, grown, 64..80, 3 * PERIOD);
    let (filler, beyond) = (engine.intern("filler", 3 * PERIOD), engine.intern("beyond", 3 * PERIOD));
    assert!(filler != PrincipalId::OVERFLOW && beyond == PrincipalId::OVERFLOW);
    admit(&engine, PrincipalId::OVERFLOW, 0..100, 3 * PERIOD);
    engine
}

#[test]
fn s14_what_was_known_is_known_and_stays_so_for_what_is_left_of_its_window() {
    let before = lived_in();
    let now = 3 * PERIOD + 5;
    let (after, restored) = restore(limited(10_000.0), &before.snapshot(now), now);
    assert_eq!(restored.principals_left_out + restored.layers_left_out, 0);
    assert_eq!(restored.principals, 4);
    for name in ["small", "large", "grown"] {
        let (old, new) = (before.intern(name, now), after.intern(name, now));
        for later in [now, HOUR - 1, HOUR, HOUR + PERIOD, 2 * HOUR] {
            for pid in 0..2000 {
                let (was, is) = (before.contains(old, pid, later), after.contains(new, pid, later));
                assert_eq!(was, is, "{name}, {pid} at {later}");
            }
        }
    }
    assert!((0..100).all(|pid| after.contains(PrincipalId::OVERFLOW, pid, now)));
    // Going on: known ones cost nothing, new ones are charged.
    let large = after.intern("large", now);
    assert_eq!(after.track(large, 1999, now), Decision::Known);
    assert_eq!(after.track(large, 1 << 40, now), Decision::Admitted);
}

#[test]
fn s14_counters_and_tokens_go_on() {
    let before = engine(limited(10.0));
    let alice = before.intern("alice", 0);
    for pid in (0..15).chain(0..3) {
        assert_ne!(before.track(alice, pid, 0), Decision::Stale);
    }
    let (after, _) = restore(limited(10.0), &before.snapshot(0), 0);
    let alice = after.intern("alice", 0);
    let stats = after.stats(alice, 0).unwrap();
    assert_eq!((stats.known, stats.admitted, stats.throttled, stats.live_pids), (3, 10, 5, 10));
    let totals = after.totals(0).stats;
    assert_eq!((totals.known, totals.admitted, totals.throttled), (3, 10, 5));
    assert!(stats.tokens < 1e-6, "{} tokens", stats.tokens);
    assert!(matches!(after.track(alice, 77, 0), Decision::Throttled { .. }));
    // Half an hour of downtime refills as half an hour of service does.
    let (after, _) = restore(limited(10.0), &before.snapshot(0), HOUR / 2);
    let tokens = after.stats(after.intern("alice", HOUR / 2), HOUR / 2).unwrap().tokens;
    assert!((tokens - 5.0).abs() < 1e-6, "{tokens} tokens");
}

/// Quotas set for names are the host's to keep, so it sets them again after a restore: that must hand out nothing.
#[test]
fn s14_s11_tokens_of_a_name_with_its_own_quota_go_on() {
    let own = |engine: &Engine| {
        engine.set_quota("alice", Some(Quota::per_hour(10.0, 1.0).unwrap()), 0).unwrap();
        engine.intern("alice", 0)
    };
    for default in [None, Some(Quota::per_hour(1.0, 1.0).unwrap())] {
        for spent in [4, 10] {
            let before = engine(builder().default_quota(default));
            admit(&before, own(&before), 0..spent, 0);
            let (after, _) = restore(builder().default_quota(default), &before.snapshot(0), 0);
            let tokens = after.stats(own(&after), 0).unwrap().tokens;
            assert!((tokens - (10 - spent) as f64).abs() < 1e-6, "{default:?}, {spent} spent: {tokens}");
        }
    }
}

#[test]
fn s14_s12_no_window_across_a_restart_holds_more_than_its_quota() {
    const HOUR: u64 = 3_600_000;
    let windowed = || {
        let quota = Quota::per_hour(10.0, 1.0).unwrap();
        builder().window_ms(HOUR).limiter(Limiter::Windowed).default_quota(Some(quota))
    };
    let before = engine(windowed());
    admit(&before, before.intern("alice", 0), 0..6, 0);
    admit(&before, before.intern("alice", 0), 6..10, HOUR / 2);
    let (after, _) = restore(windowed(), &before.snapshot(HOUR / 2), HOUR / 2);
    let alice = after.intern("alice", HOUR / 2);
    let tokens =
        [HOUR - 1, HOUR, HOUR * 3 / 2 - 1, HOUR * 3 / 2].map(|now| after.stats(alice, now).unwrap().tokens);
    assert_eq!(tokens, [0.0, 6.0, 6.0, 10.0]);
}

/// A small snapshot with one principal of each kind of content.
fn a_small_snapshot() -> Vec<u8> {
    let engine = engine(builder().max_principals(1));
    let alice = engine.intern("a", 0);
    admit(&engine, alice, 0..65, 0);
    engine.snapshot(0)
}

#[test]
fn s14_any_cut_is_refused() {
    let whole = a_small_snapshot();
    for length in 0..whole.len() {
        let refused =
            Engine::restore(builder().build().unwrap(), &whole[..length], 0).map(|_| ()).unwrap_err();
        assert!(
            matches!(refused, SnapshotError::NotASnapshot | SnapshotError::Damaged),
            "{length}: {refused}"
        );
    }
    let longer = [whole.as_slice(), &[0]].concat();
    assert!(Engine::restore(builder().build().unwrap(), &longer, 0).is_err());
}

#[test]
fn s14_any_flipped_bit_is_refused() {
    let whole = a_small_snapshot();
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Engine::restore(builder().build().unwrap(), &flipped, 0).is_err(), "bit {bit}");
    }
    assert!(Engine::restore(builder().build().unwrap(), &whole, 0).is_ok());
}

#[test]
fn s14_refusals_say_what_to_do() {
    let refused = |bytes: &[u8]| {
        Engine::restore(builder().build().unwrap(), bytes, 0).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(refused(b"{}"), "these bytes are no snapshot of Tollgate");
    let mut damaged = a_small_snapshot();
    damaged[40] ^= 1;
    assert_eq!(refused(&damaged), "the snapshot is cut or damaged: its checksum does not fit; start empty");
}

#[test]
fn s14_a_shorter_window_keeps_what_is_live_in_it() {
    let before = lived_in();
    let now = 3 * PERIOD;
    let (after, restored) = restore(limited(10_000.0).window_ms(HOUR / 2), &before.snapshot(now), now);
    assert!(restored.layers_left_out >= 1, "{restored:?}");
    let large = after.intern("large", now);
    assert!((1000..2000).all(|pid| after.contains(large, pid, now)));
    assert!(!after.contains(large, 0, now));
}

#[test]
fn s14_another_layer_count_and_rate_keep_all() {
    let before = lived_in();
    let now = 3 * PERIOD;
    let config = limited(10_000.0).layers(12).false_positive_rate(0.01);
    let (after, restored) = restore(config, &before.snapshot(now), now);
    assert_eq!(restored.layers_left_out, 0);
    let large = after.intern("large", now);
    assert!((0..2000).all(|pid| after.track(large, pid, now) == Decision::Known));
}

#[test]
fn s14_what_does_not_fit_is_left_out_and_counted() {
    let before = lived_in();
    let now = 3 * PERIOD;
    let (after, restored) = restore(limited(10_000.0).max_principals(2), &before.snapshot(now), now);
    assert_eq!((restored.principals, restored.principals_left_out), (2, 2));
    assert_eq!(after.totals(now).principals, 2);

    let before = engine(builder());
    let alice = before.intern("alice", 0);
    admit(&before, alice, 0..1_000_000, 0);
    let (after, restored) = restore(builder().max_memory_bytes(1 << 20), &before.snapshot(0), 0);
    assert!(restored.layers_left_out > 0, "{restored:?}");
    assert!(after.totals(0).memory_bytes <= 1 << 20);
}

#[test]
fn s14_a_file_is_replaced_whole_or_not_at_all() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("snapshot-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tollgate.snapshot");
    let first = a_small_snapshot();
    snapshot::write_file(&file, &first).unwrap();
    snapshot::write_file(&file, &lived_in().snapshot(3 * PERIOD)).unwrap();
    let read = fs::read(&file).unwrap();
    assert!(read.len() > first.len());
    assert_eq!(restore(limited(10_000.0), &read, 3 * PERIOD).1.principals, 4);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "something was left beside it");
    // A name that cannot be replaced: a folder stands there.
    let taken = folder.join("taken");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), "x").unwrap();
    assert!(snapshot::write_file(&taken, &first).is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "something was left beside it");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn s14_a_snapshot_taken_under_calls_is_whole() {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    let mut among_calls = 0;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| admit(&engine, alice, 0..300_000, 0));
        while !writer.is_finished() {
            let before = engine.stats(alice, 0).unwrap().admitted;
            among_calls += u64::from((1..300_000).contains(&before));
            let (after, _) = restore(builder(), &engine.snapshot(0), 0);
            let alice = after.intern("alice", 0);
            assert!((0..before).all(|pid| after.contains(alice, pid, 0)), "an id admitted before is missing");
        }
    });
    assert!(among_calls > 0, "no snapshot was taken under calls: the test showed nothing");
}

/// The overflow gate's layers had nearly all of the memory; more principals need a larger part of it now.
#[test]
fn s14_s8_a_restore_with_less_room_for_layers_leaves_some_out() {
    let before = engine(builder().max_memory_bytes(4 << 20).max_principals(1));
    assert_ne!(before.intern("alice", 0), PrincipalId::OVERFLOW);
    admit(&before, before.intern("bob", 0), 0..900_000, 0);
    assert!(before.totals(0).memory_bytes > 3 << 20, "{} bytes", before.totals(0).memory_bytes);
    let (after, kept) =
        restore(builder().max_memory_bytes(4 << 20).max_principals(6_500), &before.snapshot(0), 0);
    assert!(kept.layers_left_out > 0 && kept.layers > 0, "{kept:?}");
    assert!(after.totals(0).memory_bytes <= 4 << 20);
    // Two windows later nothing of it is kept, the overflow gate's neither.
    let (_, kept) = restore(builder(), &before.snapshot(0), 2 * HOUR);
    assert_eq!(kept.layers, 0, "{kept:?}");
}
