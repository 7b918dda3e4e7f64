//! Cases of an engine's quotas under both limiters. No retry times: those hang on the seed.

use crate::random::Random;
use crate::Case;

/// Remembered exactly up to 64.
const MOST_IDS: usize = 60;

enum Limiter {
    /// Milliseconds of refill held; a token takes `interval`.
    TokenBucket { interval: u64, full: u64, level: u64, last_ms: u64 },
    /// A sample begins with its first id, is at most an eighth of the span long, and counts until its last has left the span.
    Windowed { most: u64, span_ms: u64, samples: Vec<Sample> },
}

struct Sample {
    first: u64,
    last: u64,
    count: u64,
}

impl Limiter {
    fn admits(&mut self, at: u64) -> bool {
        match self {
            Self::TokenBucket { interval, full, level, last_ms } => {
                *level = (*level + at - *last_ms).min(*full);
                *last_ms = at;
                let admits = *level >= *interval;
                if admits {
                    *level -= *interval;
                }
                admits
            }
            Self::Windowed { most, span_ms, samples } => {
                let counts = |sample: &&Sample| at - sample.last < *span_ms;
                let admits = samples.iter().filter(counts).map(|sample| sample.count).sum::<u64>() < *most;
                if admits {
                    match samples.last_mut() {
                        Some(newest) if (at - newest.first) * 8 < *span_ms => {
                            newest.last = at;
                            newest.count += 1;
                        }
                        _ => samples.push(Sample { first: at, last: at, count: 1 }),
                    }
                }
                admits
            }
        }
    }
}

/// A quota of one each `interval` ms, `most` of them at once, which is `burst` of a window's worth.
struct Terms {
    interval: u64,
    most: u64,
    burst: f64,
    window_ms: u64,
}

struct Run {
    limiter: Limiter,
    window_ms: u64,
    /// Ids and when they were last seen.
    known: Vec<(u64, u64)>,
    case: Case,
}

impl Run {
    fn new(name: &str, is_windowed: bool, terms: &Terms, first_ms: u64) -> Self {
        let &Terms { interval, most, burst, window_ms } = terms;
        let limiter_name = if is_windowed { "windowed" } else { "token_bucket" };
        let full = most * interval;
        let limiter = if is_windowed {
            // The span in which `most` come.
            Limiter::Windowed { most, span_ms: full, samples: Vec::new() }
        } else {
            Limiter::TokenBucket { interval, full, level: full, last_ms: first_ms }
        };
        let per_hour = 3_600_000.0 / interval as f64;
        let made = format!(
            r#""limiter": "{limiter_name}", "per_hour": {per_hour:?}, "burst": {burst:?}, "window_ms": {window_ms}, "layers": 4"#
        );
        let case = Case { name: format!("{name}_{limiter_name}"), made, steps: Vec::new() };
        Self { limiter, window_ms, known: Vec::new(), case }
    }

    fn track(&mut self, pid: u64, at: u64) {
        let decision = match self.known.iter_mut().find(|(known, _)| *known == pid) {
            Some((_, last)) => {
                *last = at;
                "known"
            }
            None if self.limiter.admits(at) => {
                self.known.push((pid, at));
                "admitted"
            }
            None => "throttled",
        };
        self.case.steps.push(format!(r#"{{ "at": {at}, "pid": {pid}, "decision": "{decision}" }}"#));
    }

    /// An id that S2 holds known now, if there is one: three of four layers after it was seen.
    fn a_known(&self, at: u64, random: &mut Random) -> Option<u64> {
        let fresh: Vec<u64> = self
            .known
            .iter()
            .filter(|(_, last)| at - last < self.window_ms / 4 * 3)
            .map(|(pid, _)| *pid)
            .collect();
        (!fresh.is_empty()).then(|| fresh[random.below(fresh.len() as u64) as usize])
    }
}

/// An id each quarter of an interval, for two windows.
fn steady(is_windowed: bool, terms: &Terms) -> Case {
    let mut run = Run::new("s12_steady", is_windowed, terms, 0);
    let mut at = 0;
    while at < 2 * terms.window_ms {
        run.track(at, at);
        at += terms.interval / 4;
    }
    run.case
}

fn random(name: &str, is_windowed: bool, terms: &Terms, random: &mut Random) -> Case {
    let mut at = random.below(2_000_000_000);
    let mut run = Run::new(name, is_windowed, terms, at);
    let mut pid = 0;
    while run.case.steps.len() < 200 && run.known.len() < MOST_IDS {
        at += match random.below(10) {
            0..=4 => random.below(3),
            5..=7 => random.below(terms.interval),
            8 => terms.interval,
            _ => random.below(terms.interval * (terms.most + 1)),
        };
        if let Some(known) = run.a_known(at, random).filter(|_| random.below(4) == 0) {
            run.track(known, at);
        } else {
            pid += 1;
            run.track(pid, at);
        }
    }
    run.case
}

pub fn cases() -> Vec<Case> {
    let mut seeded = Random::new(0x006c_696d_6974_6572);
    let mut cases = Vec::new();
    for is_windowed in [false, true] {
        let terms = [
            Terms { interval: 1000, most: 8, burst: 1.0, window_ms: 8000 },
            Terms { interval: 1000, most: 1, burst: 0.0, window_ms: 8000 },
            Terms { interval: 40_000, most: 5, burst: 0.5, window_ms: 400_000 },
        ];
        cases.push(steady(is_windowed, &terms[0]));
        for (n, terms) in (1..).zip(&terms) {
            cases.push(random(&format!("random_{n}"), is_windowed, terms, &mut seeded));
        }
    }
    cases
}
