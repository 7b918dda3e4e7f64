//! A trace's course: the real engine beside the exact set, and both beside a plain model.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use tollgate_cli::replay::course::{Course, Outcome, Setting};

const HOUR: u64 = 3_600_000;

type Sight = (u64, u32, u64);

fn outcomes(settings: &[Setting], sights: impl IntoIterator<Item = Sight>) -> Vec<Outcome> {
    let mut course = Course::new(settings, 1).unwrap();
    for (time_ms, principal, id) in sights {
        course.sight(time_ms, principal, &format!("user-{principal}"), id);
    }
    course.finish()
}

fn outcome(setting: &Setting, sights: impl IntoIterator<Item = Sight>) -> Outcome {
    let outcome = outcomes(std::slice::from_ref(setting), sights).remove(0);
    assert_eq!(outcome.known + outcome.admitted + outcome.throttled, outcome.sights);
    let in_steps = |count: fn(&tollgate_cli::replay::course::Point) -> u64| -> u64 {
        outcome.over_time.iter().map(count).sum()
    };
    assert_eq!(in_steps(|point| point.new_admitted), outcome.admitted);
    assert_eq!(in_steps(|point| point.throttled), outcome.throttled);
    assert_eq!(outcome.forgotten_against_promise, 0);
    outcome
}

fn rated(rate: f64) -> Setting {
    Setting { rate_per_hour: Some(rate), ..Setting::default() }
}

#[test]
fn a_quota_admits_its_burst_and_throttles_the_rest() {
    let sights = [(0, 0, 7), (1, 0, 7), (2, 0, 8), (3, 0, 9), (4, 0, 9), (5, 0, 10), (6, 1, 9)];
    let outcome = outcome(&rated(2.0), sights);
    assert_eq!((outcome.sights, outcome.known, outcome.admitted, outcome.throttled), (7, 1, 3, 3));
    assert_eq!((outcome.throttled_ids, outcome.principals, outcome.principals_throttled), (2, 2, 1));
    let worst = &outcome.worst[0];
    assert_eq!(
        (worst.principal.as_str(), worst.throttled, worst.throttled_ids, worst.admitted),
        ("user-0", 3, 2, 2)
    );
    assert_eq!(outcome.over_time.len(), 1);
    assert_eq!((outcome.over_time[0].live, outcome.over_time[0].layers), (3, 0));
}

#[test]
fn without_a_rate_nothing_is_throttled_and_all_is_counted() {
    let outcome = outcome(&Setting::default(), (0..100_000).map(|i| (i * 10, (i % 3) as u32, i)));
    assert_eq!((outcome.throttled, outcome.worst.len()), (0, 0));
    assert_eq!(outcome.admitted + outcome.wrongly_known, 100_000);
    assert!(
        outcome.layers_most >= 1 && outcome.bytes_most > 50_000,
        "{} {}",
        outcome.layers_most,
        outcome.bytes_most
    );
}

#[test]
fn s10_an_id_that_comes_back_just_too_late_was_forgotten_too_soon() {
    let setting = Setting { window_ms: 4_000, layers: 4, ..Setting::default() };
    for (back, forgotten) in [(3_000, 0), (4_000, 1), (4_999, 1), (5_000, 0), (9_000, 0)] {
        // Another one keeps the principal awake: a principal that is silent for a window goes with its ghosts.
        let sights = (0..=back).step_by(500).map(|t| (10_000 + t, 0, if t % back == 0 { 7 } else { 8 }));
        let outcome = outcome(&setting, sights.chain([(10_000 + back, 0, 7)]));
        let counted = (outcome.forgotten_too_soon, outcome.forgotten_too_soon_found, outcome.charged_again);
        assert_eq!(counted, (forgotten, forgotten, forgotten), "{back}");
        assert_eq!(outcome.admitted, if back == 3_000 { 2 } else { 3 });
    }
}

/// The engine's count is a lower bound: found by the exact set, lost with the principal's layers by the engine.
#[test]
fn a_principal_that_is_silent_for_a_window_takes_its_ghosts_along() {
    let setting = Setting { window_ms: 4_000, layers: 4, ..Setting::default() };
    let outcome = outcome(&setting, [(10_000, 0, 7), (14_999, 0, 7)]);
    assert_eq!((outcome.forgotten_too_soon, outcome.forgotten_too_soon_found), (0, 1));
}

#[test]
fn an_id_that_is_refused_after_it_was_forgotten_counts_once() {
    let setting = Setting { window_ms: 4_000, ..rated(1.0) };
    // The one token of an hour is spent on it.
    let outcome = outcome(&setting, [(0, 0, 7), (4_100, 0, 7), (4_200, 0, 7), (4_300, 0, 7)]);
    assert_eq!((outcome.admitted, outcome.throttled, outcome.throttled_ids), (1, 3, 1));
    // Never charged, so the engine counts none.
    assert_eq!(
        (outcome.forgotten_too_soon, outcome.forgotten_too_soon_found, outcome.charged_again),
        (0, 1, 1)
    );
}

#[test]
fn settings_are_compared_by_the_longest_of_their_windows() {
    let setting = |window_ms| Setting { window_ms, ..Setting::default() };
    let settings = [setting(HOUR / 2), setting(HOUR), setting(2 * HOUR)];
    // Three IDs that come every 70 minutes, and one that is there all the time.
    let sights = (0..=630).flat_map(|minute| {
        let returning = (0..3).filter(move |_| minute % 70 == 0);
        returning.chain([3]).map(move |id| (minute * 60_000, 0, id))
    });
    let outcomes = outcomes(&settings, sights);
    let counts: Vec<_> =
        outcomes.iter().map(|o| (o.admitted, o.forgotten_too_soon, o.charged_again)).collect();
    // Half an hour does not see that it forgets: that was longer ago than its ghosts are kept.
    assert_eq!(counts, [(31, 0, 27), (31, 27, 27), (4, 0, 0)]);
}

#[test]
fn s4_wrongly_known_ids_are_as_many_as_expected() {
    for (false_positive_rate, rate_per_hour) in [(0.05, None), (0.01, None), (0.01, Some(20_000.0))] {
        let setting = Setting { false_positive_rate, rate_per_hour, ..Setting::default() };
        // New ones all the time for three hours, half of which ask three times.
        let sights = (0..300_000_u64).map(|i| (i * 36, 0, i / 4 * 2 + i % 2));
        let outcome = outcome(&setting, sights);
        let (found, expected) = (outcome.wrongly_known as f64, outcome.wrongly_known_expected);
        assert!(expected > 100.0, "{expected}");
        assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found} found, {expected} expected");
    }
}

#[test]
fn each_of_many_principals_has_its_own_quota() {
    let sights = (0..25_000_u32).flat_map(|user| (0..3).map(move |id| (u64::from(user), user, id)));
    let outcome = outcome(&rated(2.0), sights);
    assert_eq!((outcome.admitted, outcome.throttled), (50_000, 25_000));
    assert_eq!((outcome.principals, outcome.principals_throttled), (25_000, 25_000));
    let names: Vec<_> = outcome.worst.iter().map(|worst| worst.principal.as_str()).collect();
    assert_eq!(names.len(), 10);
    assert_eq!(names[..2], ["user-0", "user-1"]);
}

#[test]
fn after_a_long_silence_the_steps_show_that_all_was_forgotten() {
    let burst = |at: u64| (0..5_000).map(move |id| (at + id, 0, id));
    let outcome = outcome(&Setting::default(), burst(0).chain(burst(24 * HOUR)));
    let points = &outcome.over_time;
    assert!((256..=512).contains(&points.len()), "{}", points.len());
    assert!(points[0].live > 4_900 && points[0].bytes > 5_000, "{:?}", points[0]);
    let middle = &points[points.len() / 2];
    // What shares the overflow gate has a few bytes, too.
    assert_eq!((middle.live, middle.layers, middle.bytes < 500), (0, 0, true));
    assert!(points.last().unwrap().live > 4_900);
    assert_eq!(points.iter().map(|point| point.bytes).max().unwrap(), outcome.bytes_most);
}

#[test]
fn s9_times_that_go_back_or_far_ahead_are_legal() {
    let outcome =
        outcome(&rated(5.0), [(50, 0, 1), (10, 0, 1), (u64::MAX, 0, 1), (0, 0, 1), (u64::MAX, 0, 2)]);
    assert_eq!((outcome.known, outcome.admitted), (2, 3));
}

#[test]
fn refused_settings_are_named() {
    let refused = |settings: &[Setting]| Course::new(settings, 0).map(|_| ()).unwrap_err();
    assert_eq!(refused(&[]), "settings = 0: must be 1 to 64");
    assert_eq!(refused(&vec![Setting::default(); 65]), "settings = 65: must be 1 to 64");
    assert_eq!(refused(&[Setting { layers: 65, ..Setting::default() }]), "layers = 65: must be 3 to 64");
}

#[test]
fn the_same_trace_has_the_same_outcome() {
    let sights = || (0..20_000).map(|i| (i * 100, (i % 7) as u32, i * i % 9_973));
    let settings = [rated(50.0), Setting { layers: 8, ..rated(100.0) }];
    assert_eq!(outcomes(&settings, sights()), outcomes(&settings, sights()));
}

/// Tokens in whole ticks of 2^-20 ms, as the engine counts them.
const TICKS: u128 = 1 << 20;

/// One principal as the rules describe it: exact, with a bucket.
struct Model {
    interval: u128,
    full: u128,
    level: u128,
    at_ms: u64,
}

impl Model {
    /// `halves / 2` an hour, which has whole ticks.
    fn new(halves: u32, window_ms: u64, now_ms: u64) -> Self {
        let interval = 2 * u128::from(HOUR) * TICKS / u128::from(halves);
        let full = (u128::from(window_ms) * TICKS).max(interval);
        Self { interval, full, level: full, at_ms: now_ms }
    }

    fn takes(&mut self, now_ms: u64) -> bool {
        self.level = (self.level + u128::from(now_ms - self.at_ms) * TICKS).min(self.full);
        self.at_ms = now_ms;
        let takes = self.level >= self.interval;
        self.level -= if takes { self.interval } else { 0 };
        takes
    }
}

#[derive(Debug, Default, PartialEq)]
struct Counts {
    known: u64,
    admitted: u64,
    throttled: u64,
    throttled_ids: u64,
    wrongly_known: u64,
    charged_again: u64,
}

/// Pauses, principals and IDs: many short pauses, some about as long as a window, few long ones.
fn steps() -> impl Strategy<Value = Vec<(u64, u32, u64)>> {
    let pause = prop_oneof![8 => 0..50_u64, 2 => 0..1_500_u64, 1 => 2_000..7_000_u64, 1 => Just(40_000_u64)];
    proptest::collection::vec((pause, 0..4_u32, 0..120_u64), 1..1_500)
}

fn at_times(steps: &[(u64, u32, u64)]) -> Vec<Sight> {
    let mut now = 1_000_000;
    let at = steps.iter().map(|&(pause, principal, id)| {
        now += pause;
        (now, principal, id)
    });
    at.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where no ID comes back at a time at which the engine may say either, it says what the model says.
    #[test]
    fn the_engine_says_what_a_plain_model_says(
        steps in steps(), halves in prop_oneof![1000..40_000_u32, 1..40_000_u32], layers in 3..8_u32
    ) {
        // Divides the ticks of two hours.
        let halves = 1 << halves.ilog2();
        let window_ms = 4_200;
        let period_ms = window_ms / u64::from(layers) + 1;
        let setting = Setting {
            rate_per_hour: Some(f64::from(halves) / 2.0), window_ms, layers, false_positive_rate: 1e-6, ..Setting::default()
        };
        let (mut counts, mut buckets) = (Counts::default(), HashMap::new());
        let mut seen: HashMap<(u32, u64), (u64, bool)> = HashMap::new();
        let mut throttled = HashSet::new();
        let mut sights = Vec::new();
        for (now, principal, id) in at_times(&steps) {
            let key = (principal, id);
            let (ago, was_held) = match seen.get(&key) {
                Some((at, was_held)) => (now - at, *was_held),
                None => (u64::MAX, false),
            };
            // Either answer is right then; and its stay goes on or not.
            if ago > window_ms - period_ms && ago < window_ms + 2 * period_ms {
                continue;
            }
            sights.push((now, principal, id));
            if ago > window_ms {
                throttled.remove(&key);
            }
            let is_known = was_held && ago <= window_ms - period_ms;
            let bucket = buckets.entry(principal).or_insert_with(|| Model::new(halves, window_ms, now));
            let is_held = is_known || bucket.takes(now);
            if is_known {
                counts.known += 1;
            } else if is_held {
                counts.admitted += 1;
            } else {
                counts.throttled += 1;
                counts.throttled_ids += u64::from(throttled.insert(key));
            }
            seen.insert(key, (now, is_held));
        }
        prop_assume!(!sights.is_empty());
        let found = outcome(&setting, sights);
        let found = Counts {
            known: found.known,
            admitted: found.admitted,
            throttled: found.throttled,
            throttled_ids: found.throttled_ids,
            wrongly_known: found.wrongly_known,
            charged_again: found.charged_again,
        };
        prop_assert_eq!(found, counts);
    }

    /// Whatever comes when: no false negative (held in `outcome`), hardly a false positive, and the engine counts no ghost that the
    /// exact set does not know of.
    #[test]
    fn s2_s4_s10_hold_over_any_trace(steps in steps(), rate in proptest::option::of(1.0..100_000.0_f64), layers in 3..8_u32) {
        let setting = Setting {
            rate_per_hour: rate, window_ms: 4_000, layers, false_positive_rate: 1e-6, ..Setting::default()
        };
        let other = Setting { window_ms: 8_000, layers: 16, ..setting.clone() };
        let sights = at_times(&steps);
        let alone = outcome(&setting, sights.iter().copied());
        prop_assert!(alone.wrongly_known <= 1);
        prop_assert!(alone.forgotten_too_soon <= alone.forgotten_too_soon_found);
        prop_assert_eq!(alone.forgotten_too_soon_found, alone.charged_again);
        prop_assert!(rate.is_some() || alone.throttled == 0);
        // Another lane beside it changes nothing but the measure that they share.
        let beside = outcomes(&[other, setting], sights).remove(1);
        prop_assert!(beside.charged_again >= alone.charged_again);
        prop_assert_eq!(Outcome { charged_again: 0, ..beside }, Outcome { charged_again: 0, ..alone });
    }
}

/// K7: what a partition still has passes uncharged, unless it was refused.
#[test]
fn k7_on_a_broker_an_id_that_passed_is_not_charged_until_its_expiration() {
    let setting = Setting { rate_per_hour: Some(1.0), ..Setting::default() };
    let run = |mut course: Course| {
        for (time_ms, producer_id) in
            [(0, 1), (1, 2), (600_000, 2), (3 * HOUR, 1), (3 * HOUR + 1, 3), (26 * HOUR, 1), (51 * HOUR, 1)]
        {
            course.sight(time_ms, 0, "alice", producer_id);
        }
        course.held(51 * HOUR + 1, 0, "alice", 4);
        let outcome = course.finish().remove(0);
        [outcome.held, outcome.known, outcome.admitted, outcome.throttled, outcome.throttled_ids]
    };
    let course = || Course::new(std::slice::from_ref(&setting), 7).unwrap();
    // 1 comes, and again after three hours, 23 and 25; 2 is refused twice; 3 takes the token that 1 needs not; 4 is older.
    assert_eq!(run(course().on_a_broker(24 * HOUR)), [3, 0, 3, 2, 1]);
    // Without a partition only 4 passes uncharged: 1 takes each token, and 3 finds none.
    assert_eq!(run(course()), [1, 0, 4, 3, 2]);
}
