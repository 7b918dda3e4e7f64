//! The engine beside an exact model: a map of last-seen times, and a bucket in whole ticks or a list of what was admitted.
//!
//! Random principals, ids, times (forward, back, far), quotas, limiters and layer counts; after each call the engine's answer must be
//! one that the rules allow:
//!
//! | last seen | answer |
//! |---|---|
//! | within W(L-1)/L | Known (S2) |
//! | a window ago or never | Admitted while the model has a token, otherwise Throttled (S1, S12); Known at most `WRONG` times (S4) |
//! | between | any of these |

use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use tollgate::{Config, Decision, Engine, Limiter, PrincipalId, Quota, Touch};

/// Never-seen ids that may be called Known in one run of some thousand calls at P = 1e-6; each may be asked again.
const WRONG: usize = 1;
const TICKS: u128 = 1 << 20;
const HOUR_TICKS: u128 = 3_600_000 * TICKS;

/// Quotas whose interval is a whole number of ticks: `per_hour_halves / 2` an hour, `burst_quarters / 4`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ModelQuota {
    per_hour_halves: u32,
    burst_quarters: u32,
}

impl ModelQuota {
    fn real(self) -> Quota {
        Quota::per_hour(f64::from(self.per_hour_halves) / 2.0, f64::from(self.burst_quarters) / 4.0).unwrap()
    }

    fn interval(self) -> u128 {
        HOUR_TICKS * 2 / u128::from(self.per_hour_halves)
    }

    fn full(self, window_ms: u64) -> u128 {
        (u128::from(window_ms) * TICKS * u128::from(self.burst_quarters) / 4).max(self.interval())
    }
}

/// What a principal may still do.
trait Meter {
    fn set_quota(&mut self, quota: Option<ModelQuota>, now: u64);
    fn refill(&mut self, now: u64);
    fn has_token(&self) -> bool;
    fn charge(&mut self);
    fn is_full(&self) -> bool;
}

struct ModelBucket {
    quota: Option<ModelQuota>,
    window_ms: u64,
    level: u128,
    at_ms: u64,
}

/// Samples of admissions: when each began, its last, how many.
struct ModelWindow {
    quota: Option<ModelQuota>,
    window_ms: u64,
    samples: Vec<(u64, u64, u64)>,
    now: u64,
}

fn meter(limiter: Limiter, quota: Option<ModelQuota>, window_ms: u64, now: u64) -> Box<dyn Meter> {
    let mut meter: Box<dyn Meter> = match limiter {
        Limiter::TokenBucket => Box::new(ModelBucket { quota: None, window_ms, level: 0, at_ms: now }),
        Limiter::Windowed => Box::new(ModelWindow { quota: None, window_ms, samples: Vec::new(), now }),
    };
    meter.set_quota(quota, now);
    meter
}

struct ModelPrincipal {
    last_seen: HashMap<u64, u64>,
    meter: Box<dyn Meter>,
    last_call: u64,
}

impl ModelBucket {
    fn full(&self) -> u128 {
        self.quota.map_or(0, |quota| quota.full(self.window_ms))
    }
}

impl Meter for ModelBucket {
    fn refill(&mut self, now: u64) {
        self.level = (self.level + u128::from(now - self.at_ms) * TICKS).min(self.full());
        self.at_ms = now;
    }

    fn set_quota(&mut self, quota: Option<ModelQuota>, now: u64) {
        self.refill(now);
        let old = std::mem::replace(&mut self.quota, quota);
        self.level = match (old, quota) {
            (old, new) if old == new => self.level,
            (_, None) => 0,
            (None, Some(_)) => self.full(),
            (Some(old), Some(new)) => {
                // To the nearest tick.
                let scaled = (self.level * new.interval() * 2 + old.interval()) / (old.interval() * 2);
                scaled.min(self.full())
            }
        };
    }

    fn has_token(&self) -> bool {
        self.quota.is_none_or(|quota| self.level >= quota.interval())
    }

    fn charge(&mut self) {
        self.level -= self.quota.map_or(0, ModelQuota::interval);
    }

    fn is_full(&self) -> bool {
        self.level == self.full()
    }
}

impl ModelWindow {
    /// Whole ids that may come in a span, and its ticks, eight milliseconds at least.
    fn terms(&self, quota: ModelQuota) -> (u64, u128) {
        let whole = quota.full(self.window_ms) / quota.interval();
        let span = whole * quota.interval();
        if span >= 8 * TICKS {
            return (whole as u64, span);
        }
        ((8 * TICKS / quota.interval()).max(whole) as u64, 8 * TICKS)
    }

    fn left(&self, quota: ModelQuota) -> u64 {
        let (limit, span) = self.terms(quota);
        let counts = |&&(_, last, _): &&(u64, u64, u64)| u128::from(self.now - last) * TICKS < span;
        limit.saturating_sub(self.samples.iter().filter(counts).map(|&(_, _, count)| count).sum())
    }
}

impl Meter for ModelWindow {
    fn refill(&mut self, now: u64) {
        self.now = now;
    }

    /// What was admitted stays, but for who had no quota.
    fn set_quota(&mut self, quota: Option<ModelQuota>, now: u64) {
        self.refill(now);
        if quota.is_none() {
            self.samples.clear();
        }
        self.quota = quota;
    }

    fn has_token(&self) -> bool {
        self.quota.is_none_or(|quota| self.left(quota) > 0)
    }

    fn charge(&mut self) {
        let Some(quota) = self.quota else { return };
        let (now, span) = (self.now, self.terms(quota).1);
        // What has left is forgotten, also for a longer window to come.
        self.samples.retain(|&(_, last, _)| u128::from(now - last) * TICKS < span);
        match self.samples.last_mut() {
            Some((began, last, count)) if u128::from(now - *began) * TICKS < span / 8 => {
                (*last, *count) = (now, *count + 1);
            }
            _ => {
                // Nine have a place; then the oldest two become one.
                if self.samples.len() == 9 {
                    let (_, _, oldest) = self.samples.remove(0);
                    self.samples[0].2 += oldest;
                }
                self.samples.push((now, now, 1));
            }
        }
    }

    fn is_full(&self) -> bool {
        self.quota.is_none_or(|quota| self.left(quota) == self.terms(quota).0)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Track {
        principal: usize,
        pid: u64,
    },
    TrackMany {
        principal: usize,
        first: u64,
        count: u64,
    },
    Touch {
        principal: usize,
        pid: u64,
    },
    Remember {
        principal: usize,
        pid: u64,
    },
    Contains {
        principal: usize,
        pid: u64,
    },
    SetQuota {
        principal: usize,
        quota: Option<ModelQuota>,
    },
    Sweep,
    /// Thousandths of a window.
    Forward(u64),
    Back(u64),
}

fn a_quota() -> impl Strategy<Value = Option<ModelQuota>> {
    let per_hour = prop::sample::select(vec![1u32, 2, 20, 120, 200, 720, 7200, 72_000, 1_800_000]);
    prop_oneof![
        1 => Just(None),
        4 => (per_hour, 0..=4u32).prop_map(|(per_hour_halves, burst_quarters)| Some(ModelQuota {
            per_hour_halves,
            burst_quarters
        })),
    ]
}

fn an_op() -> impl Strategy<Value = Op> {
    let principal = 0..3usize;
    let pid = 0..90u64;
    prop_oneof![
        8 => (principal.clone(), pid.clone()).prop_map(|(principal, pid)| Op::Track { principal, pid }),
        3 => (principal.clone(), 0..400u64, 1..150u64)
            .prop_map(|(principal, first, count)| Op::TrackMany { principal, first, count }),
        2 => (principal.clone(), pid.clone()).prop_map(|(principal, pid)| Op::Touch { principal, pid }),
        2 => (principal.clone(), pid.clone()).prop_map(|(principal, pid)| Op::Remember { principal, pid }),
        2 => (principal.clone(), pid).prop_map(|(principal, pid)| Op::Contains { principal, pid }),
        1 => (principal, a_quota()).prop_map(|(principal, quota)| Op::SetQuota { principal, quota }),
        1 => Just(Op::Sweep),
        6 => (0..400u64).prop_map(Op::Forward),
        1 => (900..1100u64).prop_map(Op::Forward),
        1 => (0..3000u64).prop_map(Op::Back),
    ]
}

struct Run {
    engine: Engine,
    ids: Vec<PrincipalId>,
    limiter: Limiter,
    models: Vec<ModelPrincipal>,
    quotas: Vec<Option<ModelQuota>>,
    window_ms: u64,
    sure_ms: u64,
    given_ms: u64,
    now: u64,
    wrong: HashSet<(usize, u64)>,
}

const NAMES: [&str; 3] = ["alice", "bob", "carol"];

/// What the model demands of one id.
#[derive(PartialEq)]
enum Memory {
    Sure,
    Either,
    Gone,
}

impl Run {
    fn new(limiter: Limiter, window_ms: u64, layers: u32, default: Option<ModelQuota>) -> Self {
        let config = Config::builder()
            .seed(0x0123_4567)
            .window_ms(window_ms)
            .layers(layers)
            .false_positive_rate(1e-6)
            // Evictions forget early (S8); they have tests of their own.
            .max_memory_bytes(1 << 36)
            .limiter(limiter)
            .default_quota(default.map(ModelQuota::real));
        let engine = Engine::new(config.build().unwrap());
        let ids = NAMES.iter().map(|name| engine.intern(name, 0)).collect();
        Self {
            ids,
            limiter,
            models: (0..3)
                .map(|_| ModelPrincipal {
                    last_seen: HashMap::new(),
                    meter: meter(limiter, default, window_ms, 0),
                    last_call: 0,
                })
                .collect(),
            quotas: vec![default; 3],
            window_ms,
            sure_ms: window_ms * u64::from(layers - 1) / u64::from(layers),
            given_ms: 0,
            now: 0,
            wrong: HashSet::new(),
            engine,
        }
    }

    /// Before a call: the principal's handle and model are those of this moment.
    fn enter(&mut self, principal: usize) -> PrincipalId {
        self.now = self.now.max(self.given_ms);
        if !self.engine.is_live(self.ids[principal]) {
            let model = &mut self.models[principal];
            model.meter.refill(self.now);
            assert!(self.now - model.last_call >= self.window_ms, "dropped though not idle");
            assert!(model.meter.is_full(), "dropped with a limiter that is not full");
            model.last_seen.clear();
            model.meter = meter(self.limiter, self.quotas[principal], self.window_ms, self.now);
            self.ids[principal] = self.engine.intern(NAMES[principal], self.given_ms);
        }
        let model = &mut self.models[principal];
        model.meter.refill(self.now);
        model.last_call = self.now;
        self.ids[principal]
    }

    fn memory(&self, principal: usize, pid: u64) -> Memory {
        match self.models[principal].last_seen.get(&pid).map(|&seen| self.now - seen) {
            Some(age) if age <= self.sure_ms => Memory::Sure,
            Some(age) if age < self.window_ms => Memory::Either,
            _ => Memory::Gone,
        }
    }

    fn saw(&mut self, principal: usize, pid: u64) {
        self.models[principal].last_seen.insert(pid, self.now);
    }

    fn called_known_wrongly(&mut self, principal: usize, pid: u64) {
        self.wrong.insert((principal, pid));
        assert!(self.wrong.len() <= WRONG, "more false positives than P allows");
    }

    fn track(&mut self, principal: usize, pid: u64) {
        let id = self.enter(principal);
        let memory = self.memory(principal, pid);
        let decision = self.engine.track(id, pid, self.given_ms);
        let has_token = self.models[principal].meter.has_token();
        match decision {
            Decision::Known => {
                if memory == Memory::Gone {
                    self.called_known_wrongly(principal, pid);
                }
                self.saw(principal, pid);
            }
            Decision::Admitted => {
                assert!(memory != Memory::Sure, "forgot pid {pid} at {}", self.now);
                assert!(has_token, "admitted without a token at {}", self.now);
                self.models[principal].meter.charge();
                self.saw(principal, pid);
            }
            Decision::Throttled { retry_after_ms } => {
                assert!(memory != Memory::Sure, "forgot pid {pid} at {}", self.now);
                assert!(!has_token, "throttled with a token at {}", self.now);
                assert!((1..=30_000).contains(&retry_after_ms));
                // Not remembered: whatever it was before, it is not Known now.
                assert!(!self.engine.contains(id, pid, self.given_ms));
            }
            Decision::Stale => panic!("stale though live a moment ago"),
        }
    }

    fn apply(&mut self, op: &Op) {
        match *op {
            Op::Track { principal, pid } => self.track(principal, pid),
            Op::TrackMany { principal, first, count } => {
                (first..first + count).for_each(|pid| self.track(principal, pid));
            }
            Op::Touch { principal, pid } => {
                let id = self.enter(principal);
                let memory = self.memory(principal, pid);
                let before = self.engine.stats(id, self.given_ms).unwrap();
                match self.engine.touch(id, pid, self.given_ms) {
                    Touch::Known => {
                        if memory == Memory::Gone {
                            self.called_known_wrongly(principal, pid);
                        }
                        self.saw(principal, pid);
                    }
                    Touch::New => assert!(memory != Memory::Sure),
                    Touch::Stale => panic!("stale though live a moment ago"),
                }
                let after = self.engine.stats(id, self.given_ms).unwrap();
                assert_eq!((before.admitted, before.throttled), (after.admitted, after.throttled));
            }
            Op::Remember { principal, pid } => {
                let id = self.enter(principal);
                assert_eq!(self.engine.remember(id, pid, self.given_ms), Decision::Known);
                self.saw(principal, pid);
            }
            Op::Contains { principal, pid } => {
                // Read-only: it does not move the engine's time, so the model asks at the same moment.
                let id = self.enter(principal);
                let known = self.engine.contains(id, pid, self.given_ms);
                match self.memory(principal, pid) {
                    Memory::Sure => assert!(known),
                    Memory::Gone if known => self.called_known_wrongly(principal, pid),
                    _ => {}
                }
                // The model noted a call where the engine did not; make it true.
                let _ = self.engine.touch(id, u64::MAX, self.given_ms);
            }
            Op::SetQuota { principal, quota } => {
                self.enter(principal);
                self.engine.set_quota(NAMES[principal], quota.map(ModelQuota::real), self.given_ms).unwrap();
                self.models[principal].meter.set_quota(quota, self.now);
                self.quotas[principal] = quota;
                let _ = self.engine.touch(self.ids[principal], u64::MAX, self.given_ms);
            }
            Op::Sweep => {
                self.now = self.now.max(self.given_ms);
                self.engine.sweep(self.given_ms);
            }
            Op::Forward(thousandths) => {
                self.given_ms = self.given_ms.max(self.now) + self.window_ms * thousandths / 1000;
            }
            Op::Back(thousandths) => {
                self.given_ms = self.given_ms.saturating_sub(self.window_ms * thousandths / 1000);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s1_s2_s3_s9_s11_s12_the_engine_answers_as_the_model(
        limiter in prop::sample::select(vec![Limiter::TokenBucket, Limiter::Windowed]),
        window_ms in prop::sample::select(vec![1000u64, 1001, 60_000, 3_600_000, 86_400_000]),
        layers in prop::sample::select(vec![3u32, 4, 5, 8, 16, 64]),
        default in a_quota(),
        ops in prop::collection::vec(an_op(), 1..120),
    ) {
        let mut run = Run::new(limiter, window_ms, layers, default);
        ops.iter().for_each(|op| run.apply(op));
        prop_assert_eq!(run.engine.totals(run.given_ms).evicted_layers, 0);
    }
}
