//! The implementation, taken through a case.

use serde_json::Value;
use tollgate::rate::{Charge, Gcra, Policy, Refill, TokenBucket, WindowedRate};
use tollgate::{Config, Decision, DispatchEstimator, Engine, Limiter, Quota};

fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("{field} in {value}"))
}

fn double(value: &Value, field: &str) -> f64 {
    value[field].as_f64().unwrap_or_else(|| panic!("{field} in {value}"))
}

/// Runs `run` on each step.
fn steps(case: &Value, mut run: impl FnMut(&Step<'_>)) {
    for (place, said) in case["steps"].as_array().expect("steps").iter().enumerate() {
        run(&Step { case, place, said });
    }
}

struct Step<'a> {
    case: &'a Value,
    place: usize,
    said: &'a Value,
}

impl Step<'_> {
    fn number(&self, field: &str) -> u64 {
        number(self.said, field)
    }

    fn double(&self, field: &str) -> f64 {
        double(self.said, field)
    }

    fn has(&self, field: &str) -> bool {
        !self.said[field].is_null()
    }

    #[track_caller]
    fn is(&self, field: &str, measured: u64) {
        let name = &self.case["name"];
        assert_eq!(measured, self.number(field), "{name}, step {}: {field} in {}", self.place, self.said);
    }

    #[track_caller]
    fn is_close(&self, field: &str, measured: f64) {
        let (name, expected) = (&self.case["name"], self.double(field));
        let is_close = (measured - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        assert!(is_close, "{name}, step {}: {field} is {measured}, not as in {}", self.place, self.said);
    }
}

fn wait_ms(charge: Charge) -> u64 {
    match charge {
        Charge::Taken => 0,
        Charge::Refused { wait_ms } => wait_ms,
    }
}

pub fn windowed_rate(case: &Value) {
    let policy = match case["policy"].as_str().expect("a policy") {
        "grid" => Policy::Grid,
        "overlap" => Policy::Overlap,
        "sliding" => Policy::Sliding,
        other => panic!("no policy: {other}"),
    };
    let rate = WindowedRate::new(policy, number(case, "samples") as u32, number(case, "sample_ms")).unwrap();
    steps(case, |step| {
        let at = step.number("at");
        if step.has("record") {
            rate.record(step.number("record"), at);
        }
        step.is_close("per_second", rate.per_second(at));
        step.is("window_ms", rate.window_ms(at));
        step.is("throttle_ms", rate.throttle_ms(step.double("limit"), at));
    });
}

pub fn token_bucket(case: &Value) {
    let bucket =
        TokenBucket::full(double(case, "per_second"), double(case, "capacity"), number(case, "first_ms"))
            .unwrap();
    steps(case, |step| {
        let at = step.number("at");
        let wait = if step.has("charge") {
            bucket.charge(step.double("charge"), at)
        } else {
            wait_ms(bucket.charge_strict(step.double("charge_strict"), at))
        };
        step.is("wait_ms", wait);
        step.is_close("tokens", bucket.tokens(at));
    });
}

pub fn gcra(case: &Value) {
    let refill = Refill::per_hour(double(case, "per_hour"), double(case, "capacity")).unwrap();
    let gcra = Gcra::full(refill, number(case, "first_ms"));
    steps(case, |step| {
        let at = step.number("at");
        step.is("wait_ms", wait_ms(gcra.charge(at)));
        step.is_close("tokens", gcra.tokens(at));
    });
}

pub fn limiter(case: &Value) {
    let limiter = match case["limiter"].as_str().expect("a limiter") {
        "token_bucket" => Limiter::TokenBucket,
        "windowed" => Limiter::Windowed,
        other => panic!("no limiter: {other}"),
    };
    let quota = Quota::per_hour(double(case, "per_hour"), double(case, "burst")).unwrap();
    // Whatever the hash: an exact set holds all of a case's ids.
    for seed in [0, 1, u64::MAX] {
        let config = Config::builder()
            .seed(seed)
            .limiter(limiter)
            .default_quota(Some(quota))
            .window_ms(number(case, "window_ms"))
            .layers(number(case, "layers") as u32);
        let engine = Engine::new(config.build().unwrap());
        let alice = engine.intern("alice", number(&case["steps"][0], "at"));
        steps(case, |step| {
            let decision = match engine.track(alice, step.number("pid"), step.number("at")) {
                Decision::Admitted => "admitted",
                Decision::Known => "known",
                Decision::Throttled { .. } => "throttled",
                Decision::Stale => "stale",
            };
            let place = step.place;
            assert_eq!(step.said["decision"], decision, "{}, step {place}: {}", case["name"], step.said);
        });
    }
}

pub fn dispatch_estimator(case: &Value) {
    let precise = case["precise"].as_bool().expect("a flag");
    let estimator = match case["starting_at"].as_f64() {
        Some(average) => DispatchEstimator::starting_at(precise, average).unwrap(),
        None => DispatchEstimator::new(precise),
    };
    steps(case, |step| {
        estimator.record_push(step.number("messages"), step.number("entries"));
        match estimator.average() {
            Some(average) => step.is_close("average", average),
            None => assert!(!step.has("average"), "{}, step {}: unknown", case["name"], step.place),
        }
        let permits = step.said["permits"].as_i64().expect("permits");
        let batch = step.number("read_batch_size") as u32;
        step.is("entries_to_read", estimator.entries_to_read(permits, batch).into());
    });
}
