//! S5 and S8 at size: a million ids of one principal, a million principals.

use super::{admitted, builder, engine, most_wrong, remember, HOUR, PERIOD};
use tollgate::{Config, Decision, Engine, PrincipalId};

const MILLION: u64 = 1_000_000;

/// A principal with a hundred ids that keep coming, one period each; `burst` more come once, at time 1000. Looks after each
/// period. The engine's bytes two windows after the burst's period.
fn bytes_two_windows_after(burst: u64) -> u64 {
    let engine = engine(builder());
    let alice = engine.intern("alice", 0);
    assert_eq!(admitted(&engine, alice, 0..100, 0), 100);
    let start = engine.stats(alice, 0).unwrap();
    remember(&engine, alice, 1000..1000 + burst, 1000);
    let peak = engine.stats(alice, 1000).unwrap();
    // Without a quota N is 1.
    let most = 4.0 + ((100 + burst) as f64).log2() + 1.0;
    assert!(peak.layers as f64 <= most, "{} layers, {most} allowed", peak.layers);
    assert!(peak.false_positive_rate <= 0.001, "{}", peak.false_positive_rate);
    assert!((1000..1000 + burst).all(|pid| engine.contains(alice, pid, 1000)));
    // To the last moment that S2 promises: the layer began at 0.
    assert!((1000..1000 + burst).all(|pid| engine.contains(alice, pid, 3 * PERIOD)));
    for step in 1..=8 {
        let now = step * PERIOD;
        (0..100).for_each(|pid| assert_eq!(engine.track(alice, pid, now), Decision::Known));
        engine.sweep(now);
        let stats = engine.stats(alice, now).unwrap();
        assert!(stats.layers as f64 <= most, "{} layers at step {step}", stats.layers);
    }
    let (after, totals) = (engine.stats(alice, 8 * PERIOD).unwrap(), engine.totals(8 * PERIOD));
    assert_eq!((after.live_pids, totals.evicted_layers), (100, 0));
    if burst > 0 {
        assert!(peak.bytes > 1000 * start.bytes, "{} to {} bytes", start.bytes, peak.bytes);
    }
    totals.memory_bytes
}

/// The same load for two windows, with and without a burst before it: the same bytes, to the last one.
#[test]
fn s5_b15_two_windows_after_a_burst_of_a_million_memory_is_that_of_the_new_load() {
    assert_eq!(bytes_two_windows_after(MILLION), bytes_two_windows_after(0));
}

/// Each principal with an id of its own, which it asks for twice. What is in the overflow gate's filter may be called known wrongly.
fn a_million_principals(config: Config) -> Engine {
    let engine = Engine::new(config);
    let limit = engine.config().max_memory_bytes();
    let mut wrong = 0;
    for n in 0..MILLION {
        let id = engine.intern(&format!("user-{n}"), 0);
        match engine.track(id, n, 0) {
            Decision::Admitted => {}
            Decision::Known => wrong += u64::from(id == PrincipalId::OVERFLOW),
            other => panic!("principal {n}: {other:?}"),
        }
        assert_eq!(engine.track(id, n, 0), Decision::Known, "principal {n}");
        if n % (MILLION / 20) == 0 {
            assert!(engine.totals(0).memory_bytes <= limit);
        }
    }
    let totals = engine.totals(0);
    assert!(totals.memory_bytes <= limit);
    assert_eq!((totals.stats.admitted, totals.stats.known), (MILLION - wrong, MILLION + wrong));
    assert!(wrong <= most_wrong(totals.overflow_interns, 0.001), "{wrong} called known wrongly");
    assert_eq!(totals.principals + totals.overflow_interns, MILLION);
    assert_eq!(totals.evicted_layers, 0);
    engine
}

#[test]
fn s8_a_million_principals_at_the_default_limits() {
    let engine = a_million_principals(builder().build().unwrap());
    let totals = engine.totals(0);
    assert_eq!((totals.principals, totals.overflow_interns), (10_000, 990_000));
    // A window later the ten thousand are gone, and the gate's ids with its layers another period on.
    engine.sweep(HOUR + PERIOD);
    let after = engine.totals(HOUR + PERIOD);
    assert_eq!((after.principals, after.stats.layers, after.stats.live_pids), (0, 0, 0));
    assert_eq!(after.memory_bytes, Engine::new(builder().build().unwrap()).totals(0).memory_bytes);
}

/// S7 too: each takes at most 1.5 KiB, and its place in the registry.
#[test]
#[ignore = "a million principals in 2 GB; make slow runs it"]
fn s8_s7_a_million_principals_with_room_for_all() {
    let config = builder().max_principals(MILLION as u32).max_memory_bytes(1 << 32);
    let empty = Engine::new(config.clone().build().unwrap()).totals(0).memory_bytes;
    let engine = a_million_principals(config.build().unwrap());
    let totals = engine.totals(0);
    assert_eq!((totals.principals, totals.overflow_interns), (MILLION, 0));
    let each = (totals.memory_bytes - empty) / MILLION;
    println!("{each} bytes a principal; {} in all, {empty} of them before the first", totals.memory_bytes);
    assert!(each <= 1536, "{each} bytes a principal");
    assert_eq!(engine.sweep(HOUR).principals, MILLION as u32);
    assert_eq!(engine.totals(HOUR).stats.admitted, MILLION);
}
