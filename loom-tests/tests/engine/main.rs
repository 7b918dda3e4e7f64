//! Whole engines under random schedules. Each scenario draws its calls from the schedule's own seed, and asserts what must
//! hold whichever way they fell.
#![cfg(tollgate_shuttle)]

mod record;

use record::Record;
use shuttle::rand::{thread_rng, Rng};
use shuttle::thread;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use tollgate::model::{PERIOD, WINDOW};
use tollgate::Decision::{self, Admitted, Known, Stale};
use tollgate::{Config, ConfigBuilder, Engine, PrincipalId, Quota};
use tollgate_loom_tests::shuffle;

const NAMES: [&str; 3] = ["alice", "bob", "carol"];

fn quota(tokens: u32) -> Option<Quota> {
    // A window's worth of that many tokens.
    Some(Quota::per_hour(f64::from(tokens) * 3_600_000.0 / WINDOW as f64, 1.0).unwrap())
}

fn config(max_principals: u32) -> ConfigBuilder {
    Config::builder()
        .seed(7)
        .window_ms(WINDOW)
        .false_positive_rate(1e-6)
        .max_principals(max_principals)
        .max_memory_bytes(1 << 16)
}

fn record(builder: ConfigBuilder) -> Arc<Record> {
    Arc::new(Record::new(Engine::new(builder.build().unwrap())))
}

type Racer = Box<dyn FnOnce(&Record) + Send>;

fn race(record: &Arc<Record>, racers: Vec<Racer>) {
    let threads: Vec<_> = racers
        .into_iter()
        .map(|racer| {
            let record = Arc::clone(record);
            thread::spawn(move || racer(&record))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn one_of(count: usize) -> usize {
    thread_rng().gen_range(0..count)
}

fn tokens(record: &Record, id: PrincipalId) -> f64 {
    record.engine.stats(id, record.now()).unwrap().tokens
}

fn is_throttled(decision: Decision) -> bool {
    matches!(decision, Decision::Throttled { .. })
}

/// Counters are the answers' sums, but for calls during which a window passed: their principal may be gone when they count.
fn counters_add_up(record: &Record) {
    if record.calls().iter().any(|call| call.end_ms >= call.begin_ms + WINDOW) {
        return;
    }
    let totals = record.engine.totals(record.now()).stats;
    assert_eq!(
        totals.admitted,
        record.answered(|call| call.answer == Admitted),
        "admitted {}",
        record.story()
    );
    assert_eq!(totals.known, record.answered(|call| call.answer == Known), "known {}", record.story());
    assert_eq!(
        totals.throttled,
        record.answered(|call| is_throttled(call.answer)),
        "throttled {}",
        record.story()
    );
}

/// No id of the scenarios looks like those of others, however many are recorded: what they assert of them is exact.
#[test]
fn the_ids_are_told_apart() {
    shuffle(4, || {
        let other = thread::spawn(|| ());
        for pid in 0..12 {
            let engine = Engine::new(config(1).build().unwrap());
            let alice = engine.intern("alice", 0);
            (0..12)
                .filter(|&other| other != pid)
                .for_each(|other| assert_eq!(engine.track(alice, other, 0), Admitted));
            assert!(!engine.contains(alice, pid, 0));
        }
        other.join().unwrap();
    });
}

/// Racers on the same ids of two principals, while layers come and go: each id once, and then never forgotten.
#[test]
fn s3_each_id_is_admitted_once_while_layers_rotate() {
    shuffle(60_000, || {
        let record = record(config(2));
        let ids = [0, 1].map(|name| record.engine.intern(NAMES[name], 0));
        let tracks = move |record: &Record| {
            for _ in 0..7 {
                let name = one_of(2);
                let _ = record.track(name, ids[name], one_of(5) as u64);
            }
        };
        let time: Racer = Box::new(|record| {
            for _ in 0..5 {
                let now_ms = record.pass([1, 50, 100, 149][one_of(4)]);
                if one_of(2) == 0 {
                    record.engine.sweep(now_ms);
                }
            }
        });
        race(&record, vec![Box::new(tracks), Box::new(tracks), Box::new(tracks), time]);
        record.check(WINDOW, PERIOD, false);
        counters_add_up(&record);
    });
}

/// Few tokens and a rotation in the middle: what was charged was admitted, no more and no less.
#[test]
fn s3_tokens_are_conserved() {
    const TOKENS: u32 = 5;
    shuffle(40_000, || {
        let record = record(config(2).default_quota(quota(TOKENS)));
        let ids = [0, 1].map(|name| record.engine.intern(NAMES[name], 0));
        record.pass(PERIOD - 1);
        (0..3).for_each(|pid| assert_eq!(record.track(0, ids[0], pid), Admitted));
        let tracks = move |record: &Record| {
            for call in 0..6 {
                if call == 3 && one_of(2) == 0 {
                    record.pass(1);
                }
                let name = one_of(2);
                let _ = record.track(name, ids[name], one_of(8) as u64);
            }
        };
        race(&record, vec![Box::new(tracks), Box::new(tracks), Box::new(tracks)]);
        record.check(WINDOW, PERIOD, false);
        counters_add_up(&record);
        for (name, id) in ids.into_iter().enumerate() {
            let admitted = record.answered(|call| call.name == name && call.answer == Admitted);
            // Three milliseconds' refill at most.
            let left = tokens(&record, id) - (f64::from(TOKENS) - admitted as f64);
            assert!(
                (-1e-6..0.02).contains(&left),
                "{left} from nowhere after {admitted}: {}",
                record.story()
            );
            assert_eq!(record.engine.stats(id, record.now()).unwrap().admitted, admitted);
        }
    });
}

/// Three names for two slots, time that jumps, sweeps, and handles kept for longer than they are good.
#[test]
fn s6_slots_change_hands_and_no_call_reaches_another_name() {
    shuffle(60_000, || {
        let record = record(config(2).default_quota(quota(2)));
        let tracks = |record: &Record| {
            let mut ids = [None; 3];
            for _ in 0..6 {
                let name = one_of(3);
                let id = *ids[name].get_or_insert_with(|| record.engine.intern(NAMES[name], record.now()));
                if id == PrincipalId::OVERFLOW {
                    // Not to be kept; whoever gets it shares one gate.
                    ids[name] = None;
                    let _ = record.track(NAMES.len(), id, one_of(3) as u64);
                } else if record.track(name, id, one_of(3) as u64) == Stale {
                    ids[name] = None;
                }
            }
        };
        let time: Racer = Box::new(|record| {
            for _ in 0..4 {
                let now_ms = record.pass([0, PERIOD, WINDOW, WINDOW + PERIOD][one_of(4)]);
                record.engine.sweep(now_ms);
            }
        });
        race(&record, vec![Box::new(tracks), Box::new(tracks), Box::new(tracks), time]);
        record.check(WINDOW, PERIOD, false);
        counters_add_up(&record);
        // Nothing is lost: once all are swept, both slots take names again.
        let late = record.pass(3 * WINDOW);
        record.engine.sweep(late);
        assert_eq!(record.engine.totals(late).principals, 0);
        let ids = [0, 1].map(|name| record.engine.intern(NAMES[name], late));
        assert!(!ids.contains(&PrincipalId::OVERFLOW) && ids[0] != ids[1]);
    });
}

/// Quotas of names and the default change while calls go on, never below what is there: none adds or takes a token.
#[test]
fn s11_quota_changes_make_and_lose_no_token() {
    shuffle(40_000, || {
        let record = record(config(2).default_quota(quota(6)));
        let ids = [0, 1].map(|name| record.engine.intern(NAMES[name], 0));
        let tracks = move |record: &Record| {
            for _ in 0..6 {
                let name = one_of(2);
                let _ = record.track(name, ids[name], one_of(10) as u64);
            }
        };
        // Of one name, and its last is in force.
        let own: Racer = Box::new(|record| {
            for _ in 0..4 {
                match one_of(3) {
                    0 => record.engine.clear_quota("alice", 0),
                    _ => record.engine.set_quota("alice", quota(6 + one_of(3) as u32), 0).unwrap(),
                }
            }
            record.engine.set_quota("alice", quota(9), 0).unwrap();
        });
        let default: Racer = Box::new(|record| {
            (0..4).for_each(|_| record.engine.set_default_quota(quota(6 + one_of(3) as u32), 0));
            record.engine.set_default_quota(quota(10), 0);
        });
        race(&record, vec![Box::new(tracks), Box::new(tracks), own, default]);
        record.check(WINDOW, PERIOD, false);
        counters_add_up(&record);
        for (name, id) in ids.into_iter().enumerate() {
            let stats = record.engine.stats(id, 0).unwrap();
            assert_eq!(stats.quota_per_hour, quota([9, 10][name]).unwrap().rate_per_hour());
            // A hand-over rounds to a tick.
            assert!(
                (stats.tokens + stats.admitted as f64 - 6.0).abs() < 1e-3,
                "{stats:?}: {}",
                record.story()
            );
        }
    });
}

/// Too little memory for the layers of three principals.
#[test]
fn s8_memory_stays_within_its_limit() {
    static EVICTED: AtomicU64 = AtomicU64::new(0);
    shuffle(20_000, || {
        let roomy = Engine::new(config(3).build().unwrap());
        let fixed = {
            let totals = roomy.totals(0);
            totals.memory_bytes - totals.stats.bytes
        };
        let alice = roomy.intern("alice", 0);
        let _ = roomy.track(alice, 0, 0);
        // Principals and small sets may have half of it: just enough.
        let limit = 2 * 3 * (roomy.stats(alice, 0).unwrap().bytes + 8);
        let record = record(config(3).default_quota(quota(50)).max_memory_bytes(limit));
        let ids = [0, 1, 2].map(|name| record.engine.intern(NAMES[name], 0));
        assert!(!ids.contains(&PrincipalId::OVERFLOW));
        let tracks = move |record: &Record| {
            for _ in 0..7 {
                let name = one_of(3);
                if one_of(6) == 0 {
                    record.pass(PERIOD);
                }
                let _ = record.track(name, ids[name], one_of(6) as u64);
                assert!(record.engine.totals(0).memory_bytes <= limit);
            }
        };
        race(&record, vec![Box::new(tracks), Box::new(tracks), Box::new(tracks)]);
        record.check(WINDOW, PERIOD, true);
        counters_add_up(&record);
        // What is held is held by a principal: a layer that lost its race is given back.
        let totals = record.engine.totals(record.now());
        assert_eq!(totals.memory_bytes - totals.stats.bytes, fixed);
        EVICTED.fetch_add(totals.evicted_layers, Relaxed);
    });
    let evicted = EVICTED.load(Relaxed);
    assert!(evicted > 0);
    println!("{evicted} layers evicted");
}

/// A snapshot taken while calls go on: all that was admitted before is in it, and nothing that was not.
#[test]
fn s14_a_snapshot_among_calls_is_whole() {
    shuffle(40_000, || {
        let record = record(config(2).default_quota(quota(20)));
        let ids = [0, 1].map(|name| record.engine.intern(NAMES[name], 0));
        (0..2).for_each(|pid| assert_eq!(record.track(0, ids[0], pid), Admitted));
        let tracks = move |record: &Record| {
            for _ in 0..6 {
                let name = one_of(2);
                if one_of(6) == 0 {
                    record.pass(PERIOD / 2);
                }
                let _ = record.track(name, ids[name], one_of(5) as u64);
            }
        };
        let taken = Arc::new(std::sync::Mutex::new(None));
        let keep = Arc::clone(&taken);
        let snapshots: Racer = Box::new(move |record| {
            (0..one_of(4)).for_each(|_| thread::yield_now());
            let (begin, now_ms) = (record.tick(), record.now());
            let bytes = record.engine.snapshot(now_ms);
            *keep.lock().unwrap() = Some((begin, bytes, record.tick(), record.now()));
        });
        race(&record, vec![Box::new(tracks), Box::new(tracks), snapshots]);
        let (begin, bytes, end, end_ms) = taken.lock().unwrap().take().unwrap();
        let (restored, kept) =
            Engine::restore(config(2).default_quota(quota(20)).build().unwrap(), &bytes, end_ms).unwrap();
        assert_eq!((kept.principals, kept.principals_left_out, kept.layers_left_out), (2, 0, 0));
        for (name, of_name) in NAMES.iter().enumerate().take(2) {
            let id = restored.intern(of_name, end_ms);
            for pid in 0..5 {
                let calls: Vec<_> =
                    record.calls().into_iter().filter(|c| (c.name, c.pid) == (name, pid)).collect();
                let is_in = restored.contains(id, pid, end_ms);
                let before =
                    calls.iter().any(|call| call.end < begin && call.begin_ms + WINDOW - PERIOD >= end_ms);
                let not_after = calls.iter().any(|call| call.begin < end);
                assert!(is_in || !before, "lost: {name} {pid} at {begin}..{end} in {}", record.story());
                assert!(!is_in || not_after, "made up: {name} {pid} at {begin}..{end} in {}", record.story());
            }
            let at_least = record.answered(|c| c.name == name && c.answer == Admitted && c.end < begin);
            let at_most = record.answered(|c| c.name == name && c.answer == Admitted && c.begin < end);
            let admitted = restored.stats(id, end_ms).unwrap().admitted;
            assert!((at_least..=at_most).contains(&admitted), "{at_least} <= {admitted} <= {at_most}");
        }
        record.check(WINDOW, PERIOD, false);
        counters_add_up(&record);
    });
}
