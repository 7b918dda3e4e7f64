//! What the models need besides the engine's own calls: one principal alone, and how replaced values end.
//!
//! One principal is the engine's heart without its registry, short enough for all interleavings. Exists only under the private cfg
//! `tollgate_loom`; loom-tests/ is its one user.

use crate::claim::Claims;
use crate::config::Config;
use crate::decision::{Decision, Touch};
use crate::filter::{FilterStats, Hasher, Ring, Sizing, Window};
use crate::gate::Gate;
use crate::memory::Budget;
use crate::principal::{Principal, PrincipalId, Shared};
use crate::quota::{DefaultQuota, Limiter, Quota, Source};
use crate::registry::Held;
use crate::slot::Slot;
use crate::stats::Stats;
use crate::sync::{self, Arc, Snapshot};

/// Window of the model, in its own milliseconds.
pub const WINDOW: u64 = 1000;
/// Layer period of the model.
pub const PERIOD: u64 = 250;

const ID: PrincipalId = PrincipalId::from_raw(0);

/// Whether what is replaced, as a ring by an eviction, is dropped with its last reader from here on, or kept so that a load may
/// still give it. A model of memory wants the first, a model of orderings the second.
pub fn free_replaced(frees: bool) {
    sync::free_replaced(frees);
}

/// A principal with what it needs to be called.
pub struct Model {
    slot: Slot,
    shared: Shared,
    budget: Arc<Budget>,
}

fn quota(tokens: Option<u32>) -> Option<Quota> {
    // A window's worth of that many tokens.
    tokens.map(|n| Quota::per_hour(f64::from(n) * 3_600_000.0 / WINDOW as f64, 1.0).unwrap())
}

impl Model {
    /// With a limiter of `tokens`, or no quota.
    #[must_use]
    pub fn new(tokens: Option<u32>, limiter: Limiter) -> Self {
        free_replaced(false);
        let config = Config::builder().seed(1).window_ms(WINDOW).limiter(limiter).build().unwrap();
        let budget = Arc::new(Budget::new(1 << 20));
        let held = Held::outside(Budget::reserve(&budget, Principal::bytes_for("p", limiter)).unwrap());
        let gate = Gate::new(quota(tokens), Source::Own, config.terms(), 0, None);
        let default = DefaultQuota { quota: None, version: 0, since_ms: 0 };
        let principal = Arc::new(Principal::new(ID, "p".into(), gate, 0, 0, held));
        principal.settle();
        let slot = Slot::vacant();
        slot.filter().move_in(Ring::new(principal));
        Self {
            slot,
            shared: Shared {
                window: Window { window_ms: WINDOW, period_ms: PERIOD },
                sizing: Sizing::new(0.001, 4, 1 << 16),
                hasher: Hasher::new(config.seed()),
                claims: Claims::new(),
                default_quota: Snapshot::new(Arc::new(default)),
                config,
            },
            budget,
        }
    }

    fn stats(&self, now_ms: u64) -> Stats {
        let stats =
            |ring: &Ring<Principal>| ring.owner().stats(FilterStats::default(), 0, now_ms, &self.shared);
        self.slot.with(ID, stats).expect("nobody else moves in")
    }

    /// As `Engine::track`.
    pub fn track(&self, pid: u64, now_ms: u64) -> Decision {
        self.slot.track(ID, pid, now_ms, &self.shared, &self.budget)
    }

    /// As `Engine::touch`.
    pub fn touch(&self, pid: u64, now_ms: u64) -> Touch {
        self.slot.touch(ID, pid, now_ms, &self.shared, &self.budget)
    }

    /// As `Engine::contains`.
    pub fn contains(&self, pid: u64, now_ms: u64) -> bool {
        self.slot.contains(ID, pid, now_ms, &self.shared)
    }

    /// As `Engine::set_quota`, for a window's worth of `tokens`.
    pub fn set_quota(&self, tokens: Option<u32>, now_ms: u64) {
        let quota = quota(tokens);
        self.slot.with(ID, |ring| ring.owner().set_quota(quota, Source::Own, &self.shared, now_ms));
    }

    /// Tokens left.
    pub fn tokens(&self, now_ms: u64) -> f64 {
        self.stats(now_ms).tokens
    }

    /// A sweep's first half.
    pub fn prune(&self, now_ms: u64) {
        self.slot.filter().prune(now_ms, self.shared.window);
    }

    /// A sweep's second half; whether the principal is retired now.
    pub fn retire(&self, now_ms: u64) -> bool {
        self.slot.with(ID, |ring| ring.owner().retire_if_idle(now_ms, &self.shared)) == Some(true)
    }

    /// S8's eviction of one layer.
    pub fn evict(&self) -> bool {
        self.slot.filter().evict_oldest() > 0
    }

    /// Ids admitted so far.
    pub fn admitted(&self, now_ms: u64) -> u64 {
        self.stats(now_ms).admitted
    }
}
