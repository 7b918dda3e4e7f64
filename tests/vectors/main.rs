//! What rates, buckets, limiters and the dispatch estimator answer, step by step, in two files that every language's tests
//! read: rates.json and dispatch.json. Their numbers come from plain models, never from what they are to check.
//! `TOLLGATE_BLESS=1 cargo test --test vectors` writes them anew.
//!
//! A step's event comes first, its readings after; a step without an event only reads. Doubles are equal to 1e-9 of the expected
//! one (or of 1, where that is less), integers exactly.

mod buckets;
mod dispatch;
mod limiter;
#[path = "../rates/model.rs"]
#[allow(dead_code, reason = "its list of events serves tests/rates")]
mod model;
#[path = "../shared/random.rs"]
mod random;
mod replay;
mod windowed;

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// One sequence.
pub struct Case {
    /// What it is called; one of its kind.
    pub name: String,
    /// The fields after the name, such as `"samples": 2`.
    pub made: String,
    /// Each as a JSON object.
    pub steps: Vec<String>,
}

/// A file: each kind of thing with its cases, a line for each step.
fn written(kinds: &[(&str, Vec<Case>)]) -> String {
    let case = |case: &Case| {
        let steps = case.steps.join(",\n      ");
        format!("    {{ \"name\": \"{}\", {}, \"steps\": [\n      {steps} ] }}", case.name, case.made)
    };
    let kind = |(name, cases): &(&str, Vec<Case>)| {
        let cases: Vec<_> = cases.iter().map(case).collect();
        format!("  \"{name}\": [\n{} ]", cases.join(",\n"))
    };
    format!("{{\n{}\n}}\n", kinds.iter().map(kind).collect::<Vec<_>>().join(",\n"))
}

fn rates() -> String {
    written(&[
        ("windowed_rate", windowed::cases()),
        ("token_bucket", buckets::token_bucket_cases()),
        ("gcra", buckets::gcra_cases()),
        ("limiter", limiter::cases()),
    ])
}

fn dispatch() -> String {
    written(&[("dispatch_estimator", dispatch::cases())])
}

/// Each file is written once, whatever tests run at the same time.
static RATES: LazyLock<Value> = LazyLock::new(|| committed("rates.json", &rates()));
static DISPATCH: LazyLock<Value> = LazyLock::new(|| committed("dispatch.json", &dispatch()));

/// The committed file, which is the generated one.
fn committed(name: &str, generated: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name);
    if std::env::var_os("TOLLGATE_BLESS").is_some() {
        fs::write(&path, generated).expect("the file can be written");
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == generated,
        "{name} is not what the models say; TOLLGATE_BLESS=1 cargo test --test vectors writes it anew"
    );
    serde_json::from_str(&text).expect("JSON")
}

/// Runs `replay` on each case of a kind; at least `least` steps, or the file was cut.
fn each(file: &Value, kind: &str, least: usize, replay: fn(&Value)) {
    let cases = file[kind].as_array().expect("cases");
    cases.iter().for_each(replay);
    let steps: usize = cases.iter().map(|case| case["steps"].as_array().expect("steps").len()).sum();
    assert!(steps >= least, "{kind}: {steps} steps");
}

#[test]
fn r1_r2_r4_windowed_rates_are_the_models() {
    each(&RATES, "windowed_rate", 1800, replay::windowed_rate);
}

#[test]
fn r3_token_buckets_are_the_models() {
    each(&RATES, "token_bucket", 800, replay::token_bucket);
}

#[test]
fn r3_gcras_are_the_models() {
    each(&RATES, "gcra", 600, replay::gcra);
}

#[test]
fn s12_limiters_decide_as_the_models() {
    each(&RATES, "limiter", 800, replay::limiter);
}

#[test]
fn d1_d2_d3_d4_estimators_are_the_models() {
    each(&DISPATCH, "dispatch_estimator", 900, replay::dispatch_estimator);
}

/// What the public cases say, read back from the file: a wrong model would be right about itself.
#[test]
fn c1_c4_c7_d2_the_files_hold_the_published_numbers() {
    let last = |file: &Value, kind: &str, name: &str, field: &str| {
        let cases = file[kind].as_array().expect("cases");
        let case = cases.iter().find(|case| case["name"] == name).expect(name);
        case["steps"].as_array().expect("steps").last().expect("a step")[field].as_f64().expect("a number")
    };
    for (name, per_second) in [("c1_grid", 1.980), ("c1_overlap", 2.488), ("c3_grid", 10.0091)] {
        let held = last(&RATES, "windowed_rate", name, "per_second");
        assert!((held - per_second).abs() < 5e-4, "{name}: {held}");
    }
    assert_eq!(last(&RATES, "windowed_rate", "c4_grid", "throttle_ms"), 2_100.0);
    assert_eq!(last(&RATES, "token_bucket", "c7_strict", "wait_ms"), 3_000.0);
    assert_eq!(last(&DISPATCH, "dispatch_estimator", "d2", "entries_to_read"), 100.0);
}
