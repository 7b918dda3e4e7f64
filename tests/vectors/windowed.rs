//! Cases of windowed rates, by the model of tests/rates.

use crate::model::Model;
use crate::random::Random;
use crate::Case;
use tollgate::rate::Policy;

const POLICIES: [(Policy, &str); 3] =
    [(Policy::Grid, "grid"), (Policy::Overlap, "overlap"), (Policy::Sliding, "sliding")];

/// A rate of the model's, and what was written down of it.
struct Run {
    model: Model,
    case: Case,
}

impl Run {
    fn new(name: &str, (policy, policy_name): (Policy, &str), samples: u64, sample_ms: u64) -> Self {
        let made = format!(r#""policy": "{policy_name}", "samples": {samples}, "sample_ms": {sample_ms}"#);
        let case = Case { name: format!("{name}_{policy_name}"), made, steps: Vec::new() };
        Self { model: Model::new(policy, samples, sample_ms), case }
    }

    fn step(&mut self, at: u64, record: Option<u64>, limit: f64) {
        if let Some(amount) = record {
            self.model.record(amount, at);
        }
        let (per_second, (_, window_ms)) = (self.model.per_second(at), self.model.read(at));
        let throttle_ms = self.model.throttle_ms(limit, at);
        let record = record.map_or(String::new(), |amount| format!(r#""record": {amount}, "#));
        self.case.steps.push(format!(
            r#"{{ "at": {at}, {record}"per_second": {per_second:?}, "window_ms": {window_ms}, "limit": {limit:?}, "throttle_ms": {throttle_ms} }}"#
        ));
    }

    fn events(mut self, events: &[u64], amount: u64, limit: f64) -> Self {
        events.iter().for_each(|&at| self.step(at, Some(amount), limit));
        self
    }

    fn reads(mut self, reads: &[u64], limit: f64) -> Self {
        reads.iter().for_each(|&at| self.step(at, None, limit));
        self
    }
}

fn public(policy: (Policy, &str)) -> Vec<Run> {
    let worked_example = [0, 30, 995, 1020, 2010];
    let ten_a_second: Vec<u64> = std::iter::once(0)
        .chain((1..=10).map(|n| n * 100 - 1))
        .chain(std::iter::once(1100))
        .chain((1..=10).map(|n| 1099 + n * 100))
        .collect();
    let each_second: Vec<u64> = (0..10).map(|second| second * 1000).collect();
    let mut c5 = Run::new("c5", policy, 3, 1000).events(&[0], 200, 50.0);
    [100.0, 500.0].iter().for_each(|&limit| c5.step(0, None, limit));
    vec![
        Run::new("c1", policy, 2, 1000).events(&worked_example, 1, 0.5),
        Run::new("c1_later", policy, 2, 1000).events(&worked_example, 1000, 500.0).events(
            &[4010],
            1000,
            500.0,
        ),
        Run::new("c2", policy, 1, 1000)
            .reads(&[0], 50.0)
            .events(&[0], 50, 50.0)
            .reads(&[500, 999, 1000], 50.0),
        Run::new("c3", policy, 2, 1000).events(&ten_a_second, 1, 10.0),
        Run::new("c4", policy, 11, 1000).events(&each_second, 400, 500.0).events(&[10_500], 2300, 500.0),
        c5,
        Run::new("c12", policy, 2, 1000)
            .events(&[0], 1, 0.25)
            .reads(&[1, 500, 999, 1000, 1001, 1500, 1999, 2000, 2500, 2999, 3000], 0.25),
    ]
}

/// Bursts, gaps around whole samples and long ones, readings, and callers whose clock is behind.
fn random(name: &str, policy: (Policy, &str), samples: u64, sample_ms: u64, random: &mut Random) -> Run {
    let mut run = Run::new(name, policy, samples, sample_ms);
    let mut at = random.below(2_000_000_000_000);
    for _ in 0..200 {
        at += match random.below(10) {
            0..=2 => 0,
            3..=6 => random.below(sample_ms + 1),
            7 | 8 => (random.below(5) * sample_ms + random.below(3)).saturating_sub(1),
            _ => random.below(sample_ms * 40),
        };
        let amount = match random.below(6) {
            0 => None,
            1 => Some(random.below(100_000)),
            _ => Some(1 + random.below(9)),
        };
        let late = if random.below(12) == 0 { random.below(sample_ms * 3) } else { 0 };
        let limit = [0.5, 7.0, 1000.0][random.below(3) as usize];
        run.step(at.saturating_sub(late), amount, limit);
    }
    run
}

pub fn cases() -> Vec<Case> {
    let mut seeded = Random::new(0x0077_696e_646f_7765);
    let mut runs: Vec<Run> = POLICIES.into_iter().flat_map(public).collect();
    for policy in POLICIES {
        let shapes =
            [(1, 1 + seeded.below(10_000)), (2 + seeded.below(10), 1 + seeded.below(10_000)), (12, 1)];
        for (n, (samples, sample_ms)) in (1..).zip(shapes) {
            runs.push(random(&format!("random_{n}"), policy, samples, sample_ms, &mut seeded));
        }
    }
    runs.into_iter().map(|run| run.case).collect()
}
