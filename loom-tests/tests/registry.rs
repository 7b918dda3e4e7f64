//! The whole engine around its registry: names, slots and handles, quotas by name, memory for all. Each test is named after
//! the rule it holds.
#![cfg(all(tollgate_loom, not(tollgate_shuttle)))]

use loom::sync::Arc;
use loom::thread;
use tollgate::model::{free_replaced, PERIOD, WINDOW};
use tollgate::Decision::{self, Admitted, Known, Stale};
use tollgate::{Config, ConfigBuilder, Engine, PrincipalId, Quota};
use tollgate_loom_tests::explore;

fn quota(tokens: u32) -> Option<Quota> {
    // A window's worth of that many tokens.
    Some(Quota::per_hour(f64::from(tokens) * 3_600_000.0 / WINDOW as f64, 1.0).unwrap())
}

fn config(max_principals: u32) -> ConfigBuilder {
    Config::builder().seed(1).window_ms(WINDOW).max_principals(max_principals).max_memory_bytes(1 << 16)
}

fn engine(builder: ConfigBuilder) -> Arc<Engine> {
    free_replaced(false);
    Arc::new(Engine::new(builder.build().unwrap()))
}

type Racer<T> = Box<dyn FnOnce(&Engine) -> T>;

/// Runs the racers at once, each in a thread of its own.
fn race<T: 'static, const N: usize>(engine: &Arc<Engine>, racers: [Racer<T>; N]) -> [T; N] {
    racers
        .map(|racer| {
            let engine = Arc::clone(engine);
            thread::spawn(move || racer(&engine))
        })
        .map(|thread| thread.join().unwrap())
}

fn tokens(engine: &Engine, id: PrincipalId, now_ms: u64) -> f64 {
    engine.stats(id, now_ms).unwrap().tokens
}

/// A caller with the handle of one that is swept away meanwhile, and whose only slot another name takes.
#[test]
fn s6_a_stale_handle_never_reaches_the_slots_next_tenant() {
    explore(3, || {
        let engine = engine(config(1).default_quota(quota(4)));
        let alice = engine.intern("alice", 0);
        let [(decision, _), (answer, bob)] = race(
            &engine,
            [
                Box::new(move |engine| (engine.track(alice, 8, WINDOW), alice)),
                Box::new(move |engine| {
                    engine.sweep(WINDOW);
                    let bob = engine.intern("bob", WINDOW);
                    (engine.track(bob, 7, WINDOW), bob)
                }),
            ],
        );
        assert_eq!(answer, Admitted);
        let stayed = bob == PrincipalId::OVERFLOW;
        assert_eq!(decision, if stayed { Admitted } else { Stale });
        // Each has what was answered in its name, and nothing else.
        let stats = engine.stats(bob, WINDOW).unwrap();
        assert_eq!((stats.admitted, stats.tokens), (1, 3.0));
        assert!(engine.contains(bob, 7, WINDOW) && !engine.contains(bob, 8, WINDOW));
        assert_eq!(engine.contains(alice, 8, WINDOW), stayed);
        assert_eq!(engine.stats(alice, WINDOW).map(|stats| stats.admitted), stayed.then_some(1));
        assert_eq!(engine.totals(WINDOW).principals, 1);
    });
}

#[test]
fn o7_two_callers_intern_one_name() {
    explore(3, || {
        let engine = engine(config(2).default_quota(quota(4)));
        let call = |engine: &Engine| {
            let alice = engine.intern("alice", 0);
            (alice, engine.track(alice, 7, 0))
        };
        let [(one, first), (other, second)] = race(&engine, [Box::new(call), Box::new(call)]);
        assert_eq!(one, other);
        assert!([(Admitted, Known), (Known, Admitted)].contains(&(first, second)), "{first:?}, {second:?}");
        assert_eq!(tokens(&engine, one, 0), 3.0);
        // The loser's slot is free again.
        let bob = engine.intern("bob", 0);
        assert!(bob != PrincipalId::OVERFLOW && bob != one);
        assert_eq!(engine.track(bob, 7, 0), Admitted);
        assert_eq!(engine.totals(0).principals, 2);
    });
}

/// A slot that one thread empties and another fills.
#[test]
fn o7_a_slot_goes_from_sweep_to_intern_whole() {
    explore(3, || {
        let engine = engine(config(1));
        engine.intern("alice", 0);
        let [_, (bob, decision)] = race(
            &engine,
            [
                Box::new(|engine| {
                    engine.sweep(WINDOW);
                    (PrincipalId::OVERFLOW, Known)
                }),
                Box::new(|engine| {
                    let bob = engine.intern("bob", WINDOW);
                    (bob, engine.track(bob, 7, WINDOW))
                }),
            ],
        );
        assert_eq!(decision, Admitted);
        assert!(engine.is_live(bob) && engine.contains(bob, 7, WINDOW));
        assert_eq!(engine.intern("bob", WINDOW) == bob, bob != PrincipalId::OVERFLOW);
    });
}

/// Time jumps while a name is interned: what a sweep takes then, it takes out of the map too.
#[test]
fn o7_no_sweep_comes_before_the_name() {
    explore(3, || {
        let engine = engine(config(1));
        race(
            &engine,
            [
                Box::new(|engine| {
                    engine.intern("alice", 0);
                }),
                Box::new(|engine| {
                    engine.sweep(WINDOW);
                }),
            ],
        );
        let alice = engine.intern("alice", WINDOW);
        assert_eq!(engine.track(alice, 7, WINDOW), Admitted);
    });
}

#[test]
fn o8_a_quota_set_while_its_name_is_interned_holds() {
    explore(3, || {
        let engine = engine(config(1).default_quota(quota(4)));
        race(
            &engine,
            [
                Box::new(|engine| {
                    engine.intern("alice", 0);
                }),
                Box::new(|engine| engine.set_quota("alice", quota(2), 0).unwrap()),
            ],
        );
        let alice = engine.intern("alice", 0);
        assert_eq!(tokens(&engine, alice, 0), 2.0);
    });
}

/// The thread that makes the principal has read the old quota; another sets the new one, finds the name, and calls at once.
#[test]
fn o8_a_quota_set_before_a_name_is_found_holds() {
    explore(3, || {
        let engine = engine(config(1).default_quota(quota(4)));
        let [_, decisions] = race(
            &engine,
            [
                Box::new(|engine| {
                    engine.intern("alice", 0);
                    [Known; 2]
                }),
                Box::new(|engine| {
                    engine.set_quota("alice", quota(1), 0).unwrap();
                    let alice = engine.intern("alice", 0);
                    [engine.track(alice, 7, 0), engine.track(alice, 8, 0)]
                }),
            ],
        );
        // One slot: a thread that loses the race for it shares the overflow gate for a moment, under the default quota.
        if engine.totals(0).overflow_interns == 0 {
            assert_eq!(decisions[0], Admitted);
            assert!(matches!(decisions[1], Decision::Throttled { .. }), "{decisions:?}");
        }
    });
}

#[test]
fn o8_a_quota_cleared_while_its_name_is_interned_is_gone() {
    explore(3, || {
        let engine = engine(config(1).default_quota(quota(4)));
        engine.set_quota("alice", quota(2), 0).unwrap();
        race(
            &engine,
            [
                Box::new(|engine| {
                    engine.intern("alice", 0);
                }),
                Box::new(|engine| engine.clear_quota("alice", 0)),
            ],
        );
        let alice = engine.intern("alice", 0);
        assert_eq!(engine.stats(alice, 0).unwrap().quota_per_hour, quota(4).unwrap().rate_per_hour());
    });
}

/// Whichever was stored last is the one in force.
#[test]
fn o8_of_two_quotas_set_at_once_the_stored_one_holds() {
    explore(3, || {
        let engine = engine(config(2).default_quota(quota(4)));
        let alice = engine.intern("alice", 0);
        race(
            &engine,
            [
                Box::new(|engine| engine.set_quota("alice", quota(2), 0).unwrap()),
                Box::new(|engine| engine.set_quota("alice", quota(3), 0).unwrap()),
            ],
        );
        let in_force = engine.stats(alice, 0).unwrap().quota_per_hour;
        // A principal made anew takes what is stored.
        assert_eq!(engine.sweep(3 * WINDOW).principals, 1);
        let anew = engine.intern("alice", 3 * WINDOW);
        assert_eq!(engine.stats(anew, 3 * WINDOW).unwrap().quota_per_hour, in_force);
    });
}

/// A call that finds a newer default quota, while its principal gets a quota of its own.
#[test]
fn s11_a_quota_set_while_the_default_is_followed_holds() {
    explore(3, || {
        let engine = engine(config(1).default_quota(quota(4)));
        let alice = engine.intern("alice", 0);
        engine.set_default_quota(quota(5), 0);
        race(
            &engine,
            [
                Box::new(move |engine| assert_eq!(engine.track(alice, 7, 0), Admitted)),
                Box::new(|engine| engine.set_quota("alice", quota(6), 0).unwrap()),
            ],
        );
        let stats = engine.stats(alice, 0).unwrap();
        assert_eq!(stats.quota_per_hour, quota(6).unwrap().rate_per_hour());
        assert!((stats.tokens - 3.0).abs() < 1e-6, "{} tokens", stats.tokens);
    });
}

/// Two principals that have grown, within `max_memory_bytes`.
fn two_grown(max_memory_bytes: u64) -> (Arc<Engine>, [PrincipalId; 2]) {
    free_replaced(true);
    let config = config(2).max_memory_bytes(max_memory_bytes).default_quota(quota(8));
    let engine = Engine::new(config.build().unwrap());
    let ids = ["alice", "bob"].map(|name| {
        let id = engine.intern(name, 0);
        (0..3).for_each(|pid| assert_eq!(engine.track(id, pid, 0), Admitted));
        id
    });
    (Arc::new(engine), ids)
}

/// Two callers need a new period's layer, each for its own principal, and there is room for one.
#[test]
fn s8_two_calls_evict_for_their_layers() {
    explore(1, || {
        let used = two_grown(1 << 16).0.totals(0).memory_bytes;
        let layer = {
            let (roomy, [alice, _]) = two_grown(1 << 16);
            assert_eq!(roomy.track(alice, 9, PERIOD), Admitted);
            roomy.totals(PERIOD).memory_bytes - used
        };
        let limit = used + layer + layer / 4;
        let (engine, [alice, bob]) = two_grown(limit);
        let decisions = race(
            &engine,
            [alice, bob].map(|id| -> Racer<Decision> {
                Box::new(move |engine| {
                    let decision = engine.track(id, 9, PERIOD);
                    assert!(engine.totals(PERIOD).memory_bytes <= limit);
                    decision
                })
            }),
        );
        assert_eq!(decisions, [Admitted, Admitted]);
        let totals = engine.totals(PERIOD);
        assert!(totals.evicted_layers > 0);
        // Every byte that is held is a layer's, and those that lost a race are given back.
        assert_eq!(totals.memory_bytes, used + (totals.stats.layers - 2) * layer);
        for id in [alice, bob] {
            // 8, three taken, two come in a quarter of the window, one taken.
            assert!((tokens(&engine, id, PERIOD) - 6.0).abs() < 1e-6);
            let stats = engine.stats(id, PERIOD).unwrap();
            assert_eq!(stats.admitted, 4);
            // A principal's newest layer, full or not, has the id, unless that one had to go too.
            assert!(engine.contains(id, 9, PERIOD) || stats.layers == 0);
        }
    });
}
