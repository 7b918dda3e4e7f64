//! The engine beside an exact model: a map of last-seen times and a bucket in whole ticks.
//!
//! Random principals, ids, times (forward, back, far), quotas and layer counts; after each call the engine's answer must be
//! one that the rules allow:
//!
//! | last seen | answer |
//! |---|---|
//! | within W(L-1)/L | Known (S2) |
//! | a window ago or never | Admitted while the model has a token, otherwise Throttled (S1, S12); Known at most `WRONG` times (S4) |
//! | between | any of these |

use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use tollgate::{Config, Decision, Engine, PrincipalId, Quota, Touch};

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

struct ModelPrincipal {
    last_seen: HashMap<u64, u64>,
    quota: Option<ModelQuota>,
    level: u128,
    at_ms: u64,
    last_call: u64,
}

impl ModelPrincipal {
    fn new(quota: Option<ModelQuota>, window_ms: u64, now: u64) -> Self {
        let level = quota.map_or(0, |quota| quota.full(window_ms));
        Self { last_seen: HashMap::new(), quota, level, at_ms: now, last_call: now }
    }

    fn refill(&mut self, window_ms: u64, now: u64) {
        if let Some(quota) = self.quota {
            self.level = (self.level + u128::from(now - self.at_ms) * TICKS).min(quota.full(window_ms));
        }
        self.at_ms = now;
    }

    fn set_quota(&mut self, quota: Option<ModelQuota>, window_ms: u64, now: u64) {
        self.refill(window_ms, now);
        self.level = match (self.quota, quota) {
            (old, new) if old == new => self.level,
            (_, None) => 0,
            (None, Some(new)) => new.full(window_ms),
            (Some(old), Some(new)) => {
                // To the nearest tick.
                let scaled = (self.level * new.interval() * 2 + old.interval()) / (old.interval() * 2);
                scaled.min(new.full(window_ms))
            }
        };
        self.quota = quota;
    }

    fn has_token(&self) -> bool {
        self.quota.is_none_or(|quota| self.level >= quota.interval())
    }

    fn charge(&mut self) {
        if let Some(quota) = self.quota {
            self.level -= quota.interval();
        }
    }

    fn is_full(&self, window_ms: u64) -> bool {
        self.quota.is_none_or(|quota| self.level == quota.full(window_ms))
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
    fn new(window_ms: u64, layers: u32, default: Option<ModelQuota>) -> Self {
        let config = Config::builder()
            .seed(0x0123_4567)
            .window_ms(window_ms)
            .layers(layers)
            .false_positive_rate(1e-6)
            // Evictions forget early (S8); they have tests of their own.
            .max_memory_bytes(1 << 36)
            .default_quota(default.map(ModelQuota::real));
        let engine = Engine::new(config.build().unwrap());
        let ids = NAMES.iter().map(|name| engine.intern(name, 0)).collect();
        Self {
            ids,
            models: (0..3).map(|_| ModelPrincipal::new(default, window_ms, 0)).collect(),
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
            model.refill(self.window_ms, self.now);
            assert!(self.now - model.last_call >= self.window_ms, "dropped though not idle");
            assert!(model.is_full(self.window_ms), "dropped with an unfilled bucket");
            *model = ModelPrincipal::new(self.quotas[principal], self.window_ms, self.now);
            self.ids[principal] = self.engine.intern(NAMES[principal], self.given_ms);
        }
        let model = &mut self.models[principal];
        model.refill(self.window_ms, self.now);
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
        let has_token = self.models[principal].has_token();
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
                self.models[principal].charge();
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
                self.models[principal].set_quota(quota, self.window_ms, self.now);
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
        window_ms in prop::sample::select(vec![1000u64, 1001, 60_000, 3_600_000, 86_400_000]),
        layers in prop::sample::select(vec![3u32, 4, 5, 8, 16, 64]),
        default in a_quota(),
        ops in prop::collection::vec(an_op(), 1..120),
    ) {
        let mut run = Run::new(window_ms, layers, default);
        ops.iter().for_each(|op| run.apply(op));
        prop_assert_eq!(run.engine.totals(run.given_ms).evicted_layers, 0);
    }
}
