//! One principal under the model checker: the engine's heart without what loom cannot see (the map of names, arc-swap).
//!
//! Exists only under the private cfg `tollgate_loom`; loom-tests/ is its one user.

use crate::claim::Claims;
use crate::config::Config;
use crate::decision::{Decision, Touch};
use crate::filter::{Hasher, Sizing, Window};
use crate::memory::Budget;
use crate::principal::{Principal, PrincipalId, Shared};
use crate::quota::{DefaultQuota, Gate, Quota, Source};
use crate::registry::Held;
use crate::sync::{Arc, Snapshot};

/// Window of the model, in its own milliseconds.
pub const WINDOW: u64 = 1000;
/// Layer period of the model.
pub const PERIOD: u64 = 250;

/// A principal with what it needs to be called.
pub struct Model {
    principal: Principal,
    shared: Shared,
    budget: Arc<Budget>,
}

fn quota(tokens: Option<u32>) -> Option<Quota> {
    // A window's worth of that many tokens.
    tokens.map(|n| Quota::per_hour(f64::from(n) * 3_600_000.0 / WINDOW as f64, 1.0).unwrap())
}

impl Model {
    /// With a bucket of `tokens`, or no quota.
    pub fn new(tokens: Option<u32>) -> Self {
        let config = Config::builder().seed(1).window_ms(WINDOW).build().unwrap();
        let budget = Arc::new(Budget::new(1 << 20));
        let held = Held::outside(Budget::reserve(&budget, Principal::bytes_for("p")).unwrap());
        let gate = Gate::new(quota(tokens), Source::Own, WINDOW, 0);
        let default = DefaultQuota { quota: None, version: 0, since_ms: 0 };
        let model = Self {
            principal: Principal::new(PrincipalId::from_raw(0), "p".into(), gate, 0, 0, held),
            shared: Shared {
                window: Window { window_ms: WINDOW, period_ms: PERIOD },
                sizing: Sizing::new(0.001, 4, 1 << 16),
                hasher: Hasher::new(config.seed()),
                claims: Claims::new(),
                default_quota: Snapshot::new(Arc::new(default)),
                config,
            },
            budget,
        };
        model.principal.activate();
        model
    }

    /// As `Engine::track`.
    pub fn track(&self, pid: u64, now_ms: u64) -> Decision {
        self.principal.track(pid, now_ms, &self.shared, &self.budget)
    }

    /// As `Engine::touch`.
    pub fn touch(&self, pid: u64, now_ms: u64) -> Touch {
        self.principal.touch(pid, now_ms, &self.shared, &self.budget)
    }

    /// As `Engine::contains`.
    pub fn contains(&self, pid: u64, now_ms: u64) -> bool {
        self.principal.contains(pid, now_ms, &self.shared)
    }

    /// As `Engine::set_quota`, for a window's worth of `tokens`.
    pub fn set_quota(&self, tokens: Option<u32>, now_ms: u64) {
        self.principal.set_quota(quota(tokens), Source::Own, &self.shared, now_ms);
    }

    /// Tokens left.
    pub fn tokens(&self, now_ms: u64) -> f64 {
        self.principal.stats(0, now_ms, &self.shared).tokens
    }

    /// A sweep's first half.
    pub fn prune(&self, now_ms: u64) {
        self.principal.filter().prune(now_ms, self.shared.window);
    }

    /// A sweep's second half; whether the principal is retired now.
    pub fn retire(&self, now_ms: u64) -> bool {
        self.principal.retire_if_idle(now_ms, &self.shared)
    }

    /// S8's eviction of one layer.
    pub fn evict(&self) -> bool {
        self.principal.filter().evict_oldest() > 0
    }

    /// Ids admitted so far.
    pub fn admitted(&self, now_ms: u64) -> u64 {
        self.principal.stats(0, now_ms, &self.shared).admitted
    }
}
