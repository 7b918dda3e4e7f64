//! The engine: time that never goes back, names to principals, calls to principals, memory for all of them.

use crate::claim::Claims;
use crate::config::{Config, ConfigError, BYTES_PER_ENGINE, BYTES_PER_PRINCIPAL_SLOT};
use crate::decision::{Decision, Touch};
use crate::filter::{FilterStats, Hasher, Ring, Sizing, Window};
use crate::gate::Gate;
use crate::memory::{Budget, Reservation};
use crate::principal::{Principal, PrincipalId, Shared};
use crate::quota::{DefaultQuota, Quota};
use crate::registry::{Held, Registry, Standing};
use crate::snapshot::{Portrait, Restored};
use crate::stats::{Stats, Swept, Totals};
use crate::sync::{Arc, AtomicU64, Ordering::Relaxed, Snapshot};
use crossbeam_utils::CachePadded;

mod evict;
mod restore;

/// No layer takes more than this part of the memory.
const LARGEST_LAYER: u64 = 8;

/// Decides for every (principal, producer id) whether the id is known, new and admitted, or over the quota.
///
/// All methods take `&self` and may be called from any number of threads. Times are milliseconds from any origin; the
/// latest time seen counts (S9). Nothing here reads a clock, blocks on I/O or fails: a full structure is a counted
/// outcome (S8).
pub struct Engine {
    shared: Shared,
    registry: Registry,
    budget: Arc<Budget>,
    latest_ms: CachePadded<AtomicU64>,
    overflow_interns: AtomicU64,
    evicted_layers: AtomicU64,
    /// Known answers of before a restore; the rows count those since.
    restored_known: AtomicU64,
    /// Counters of principals that were dropped.
    dropped: Dropped,
    /// Held while the engine lives: registry, counters and claims.
    _fixed: Reservation,
}

#[derive(Default)]
struct Dropped {
    admitted: AtomicU64,
    throttled: AtomicU64,
    re_recorded: AtomicU64,
    ghost_hits: AtomicU64,
}

impl Engine {
    /// An empty engine.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_overflow(config, None, 0, 0).0
    }

    /// An engine whose overflow gate is as in a portrait.
    fn with_overflow(
        config: Config,
        portrait: Option<&Portrait>,
        taken_ms: u64,
        now_ms: u64,
    ) -> (Self, Restored) {
        let window = Window { window_ms: config.window_ms(), period_ms: config.layer_period_ms() };
        let budget = Arc::new(Budget::new(config.max_memory_bytes()));
        let slots = u64::from(config.max_principals()) * BYTES_PER_PRINCIPAL_SLOT;
        let fixed = Claims::bytes() + BYTES_PER_ENGINE + slots;
        let reserve =
            |bytes| Budget::reserve(&budget, bytes).expect("Config checks that the fixed part fits");
        // Before a restored ring takes what it can get.
        let fixed = reserve(fixed);
        let default_quota = DefaultQuota { quota: config.default_quota(), version: 0, since_ms: 0 };
        let hasher = Hasher::new(config.seed());
        let mut restored = Restored::default();
        let mut restored_known = 0;
        let overflow = 'overflow: {
            let (quota, source) = default_quota.unless(None);
            let left = portrait.and_then(|portrait| portrait.left.clone());
            let gate = Gate::new(quota, source, config.terms(), taken_ms, left);
            let held = Held::outside(reserve(Principal::bytes_for("", config.limiter())));
            let overflow = Principal::new(PrincipalId::OVERFLOW, Arc::from(""), gate, 0, 0, held);
            let Some(portrait) = portrait else { break 'overflow Ring::new(Arc::new(overflow)) };
            restored_known = portrait.known();
            let mut ring = Ring::new(Arc::new(overflow.restored(portrait)));
            restored.layers = ring.restore(&portrait.filter, now_ms, window, hasher, &budget);
            restored.layers_left_out = portrait.filter.layers.len() as u64 - restored.layers;
            ring
        };
        let registry = Registry::new(&config, overflow);
        let engine = Self {
            shared: Shared {
                window,
                sizing: Sizing::new(
                    config.false_positive_rate(),
                    config.layers(),
                    config.max_memory_bytes() / LARGEST_LAYER,
                ),
                hasher,
                claims: Claims::new(),
                default_quota: Snapshot::new(Arc::new(default_quota)),
                config,
            },
            registry,
            _fixed: fixed,
            budget,
            latest_ms: CachePadded::new(AtomicU64::new(0)),
            overflow_interns: AtomicU64::new(0),
            evicted_layers: AtomicU64::new(0),
            restored_known: AtomicU64::new(restored_known),
            dropped: Dropped::default(),
        };
        (engine, restored)
    }

    /// The settings it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// S9: the latest time seen, `now_ms` included.
    #[inline]
    fn advance_time(&self, now_ms: u64) -> u64 {
        let latest = self.latest_ms.load(Relaxed);
        if now_ms > latest {
            self.latest_ms.fetch_max(now_ms, Relaxed).max(now_ms)
        } else {
            latest
        }
    }

    /// The handle of a name, made at its first call. Beyond `max_principals`, or their half of the memory, the answer is
    /// [`PrincipalId::OVERFLOW`], whose holders share one gate under the default quota (S8): do not keep that one, ask again.
    pub fn intern(&self, name: &str, now_ms: u64) -> PrincipalId {
        let found = match self.registry.find(name).map(|id| (id, self.registry.standing(id))) {
            Some((id, Standing::Settled)) => return id,
            Some((id, Standing::New)) => Some(id),
            Some((id, Standing::Gone)) => {
                // A sweep that retired it has not come to its name yet; a caller does not wait for that.
                self.registry.forget(name, id);
                None
            }
            None => None,
        };
        let now_ms = self.advance_time(now_ms);
        let Some(id) = found.or_else(|| self.add(name, now_ms)) else {
            self.overflow_interns.fetch_add(1, Relaxed);
            return PrincipalId::OVERFLOW;
        };
        // Before anyone calls with it, also where another thread has made it (O8).
        self.apply_quota(id, name, now_ms);
        self.registry.settle(id);
        id
    }

    fn add(&self, name: &str, now_ms: u64) -> Option<PrincipalId> {
        let shared = &self.shared;
        self.registry.add(name, self, |id, name, known, reservation| {
            let (quota, source) = shared.default_quota.load().unless(self.registry.own_quota(&name));
            let gate = Gate::new(quota, source, shared.config.terms(), now_ms, None);
            Ring::new(Arc::new(Principal::new(id, name, gate, known, now_ms, reservation)))
        })
    }

    /// Whether the handle is good; read-only.
    #[must_use]
    pub fn is_live(&self, id: PrincipalId) -> bool {
        self.registry.with(id, |_| ()).is_some()
    }

    /// S1: decides about one id, remembers it when admitted, and again when it is due (S2).
    ///
    /// Known is wait-free where the id was recorded within the last layer period, lock-free otherwise. A new id waits for
    /// other callers on the same new id, and only for those (S3).
    #[inline]
    pub fn track(&self, id: PrincipalId, pid: u64, now_ms: u64) -> Decision {
        let now_ms = self.advance_time(now_ms);
        let Some(slot) = self.registry.slot(id) else { return Decision::Stale };
        let decision = slot.track(id, pid, now_ms, &self.shared, self);
        if decision == Decision::Known {
            self.registry.count_known(id);
        }
        decision
    }

    /// `track` that admits nobody: for hosts that look elsewhere before an id is charged, with
    /// [`track`](Self::track) or [`remember`](Self::remember) to follow on [`Touch::New`]. Lock-free; wait-free as `track`.
    #[inline]
    pub fn touch(&self, id: PrincipalId, pid: u64, now_ms: u64) -> Touch {
        let now_ms = self.advance_time(now_ms);
        let Some(slot) = self.registry.slot(id) else { return Touch::Stale };
        let touch = slot.touch(id, pid, now_ms, &self.shared, self);
        if touch == Touch::Known {
            self.registry.count_known(id);
        }
        touch
    }

    /// Remembers an id without a charge, because the host knows it already. Answers Known or Stale; counted in
    /// `re_recorded` alone, since it decides nothing.
    pub fn remember(&self, id: PrincipalId, pid: u64, now_ms: u64) -> Decision {
        let now_ms = self.advance_time(now_ms);
        let Some(slot) = self.registry.slot(id) else { return Decision::Stale };
        slot.remember(id, pid, now_ms, &self.shared, self)
    }

    /// Whether `track` would say Known; read-only and wait-free. False for a stale handle.
    #[must_use]
    pub fn contains(&self, id: PrincipalId, pid: u64, now_ms: u64) -> bool {
        let now_ms = self.latest_ms.load(Relaxed).max(now_ms);
        self.registry.slot(id).is_some_and(|slot| slot.contains(id, pid, now_ms, &self.shared))
    }

    /// S15: milliseconds until [`track`](Self::track) would admit a new id, when `ahead` others are admitted before it and nobody
    /// else comes; 0 is at once. Charges and counts nothing. `None` for a stale handle. Lock-free.
    #[must_use]
    pub fn wait_ms(&self, id: PrincipalId, ahead: u32, now_ms: u64) -> Option<u64> {
        let now_ms = self.latest_ms.load(Relaxed).max(now_ms);
        self.registry.with(id, |ring| ring.owner().wait_ms(ahead, now_ms, &self.shared))
    }

    /// S11: sets the quota of a name, whether it is interned or not; `None` is without limit. Holds from the next call.
    ///
    /// # Errors
    /// When quotas of their own are set for `max_principals` names already, or names and principals fill their memory.
    pub fn set_quota(&self, name: &str, quota: Option<Quota>, now_ms: u64) -> Result<(), ConfigError> {
        let now_ms = self.advance_time(now_ms);
        if !self.registry.set_own_quota(name, quota, self) {
            return Err(ConfigError {
                field: "quota names",
                value: "one more".to_owned(),
                range: format!(
                    "at most max_principals = {}, within their half of max_memory_bytes = {}",
                    self.config().max_principals(),
                    self.config().max_memory_bytes()
                ),
            });
        }
        if let Some(id) = self.registry.find(name) {
            self.apply_quota(id, name, now_ms);
        }
        Ok(())
    }

    /// S11: puts a name back under the default quota.
    pub fn clear_quota(&self, name: &str, now_ms: u64) {
        let now_ms = self.advance_time(now_ms);
        self.registry.clear_own_quota(name);
        if let Some(id) = self.registry.find(name) {
            self.apply_quota(id, name, now_ms);
        }
    }

    /// Gives a principal the quota that is set for its name, until that is still the one afterwards: of several callers
    /// the last to apply has seen what was stored last (O8).
    fn apply_quota(&self, id: PrincipalId, name: &str, now_ms: u64) {
        let mut own = self.registry.latest_own_quota(name);
        loop {
            let (quota, source) = self.shared.default_quota.load().unless(own);
            self.registry.with(id, |ring| ring.owner().set_quota(quota, source, &self.shared, now_ms));
            let latest = self.registry.latest_own_quota(name);
            if latest == own {
                return;
            }
            own = latest;
        }
    }

    /// S11: sets the quota of all names without one of their own, and of the overflow gate.
    pub fn set_default_quota(&self, quota: Option<Quota>, now_ms: u64) {
        let since_ms = self.advance_time(now_ms);
        loop {
            let default = self.shared.default_quota.load();
            let next = DefaultQuota {
                quota,
                version: default.version + 1,
                since_ms: since_ms.max(default.since_ms),
            };
            if self.shared.default_quota.replace(&default, Arc::new(next)) {
                return;
            }
        }
    }

    /// S6: drops expired layers and idle principals. Once a layer period is enough.
    pub fn sweep(&self, now_ms: u64) -> Swept {
        let now_ms = self.advance_time(now_ms);
        let mut swept = Swept::default();
        self.registry.for_each(|slot, ring| {
            let principal = ring.owner();
            swept.layers += slot.filter().prune(now_ms, self.shared.window);
            if principal.id() != PrincipalId::OVERFLOW && principal.retire_if_idle(now_ms, &self.shared) {
                self.drop_principal(principal, now_ms);
                swept.principals += 1;
            }
        });
        swept
    }

    fn drop_principal(&self, principal: &Principal, now_ms: u64) {
        let last = principal.stats(FilterStats::default(), 0, now_ms, &self.shared);
        self.dropped.admitted.fetch_add(last.admitted, Relaxed);
        self.dropped.throttled.fetch_add(last.throttled, Relaxed);
        self.dropped.re_recorded.fetch_add(last.re_recorded, Relaxed);
        self.dropped.ghost_hits.fetch_add(last.ghost_hits, Relaxed);
        self.registry.remove(principal);
    }

    fn stats_of(&self, ring: &Ring<Principal>, known: u64, now_ms: u64) -> Stats {
        let filter = ring.stats(now_ms, self.shared.window);
        ring.owner().stats(filter, known, now_ms, &self.shared)
    }

    /// S10: one principal's numbers; `None` for a stale handle.
    #[must_use]
    pub fn stats(&self, id: PrincipalId, now_ms: u64) -> Option<Stats> {
        let now_ms = self.advance_time(now_ms);
        let known = self.registry.known_of(id);
        self.registry.with(id, |ring| self.stats_of(ring, known, now_ms))
    }

    /// S10: the sums, dropped principals included.
    #[must_use]
    pub fn totals(&self, now_ms: u64) -> Totals {
        let now_ms = self.advance_time(now_ms);
        let mut sum = Stats {
            known: self.registry.known_total().saturating_add(self.restored_known.load(Relaxed)),
            admitted: self.dropped.admitted.load(Relaxed),
            throttled: self.dropped.throttled.load(Relaxed),
            re_recorded: self.dropped.re_recorded.load(Relaxed),
            ghost_hits: self.dropped.ghost_hits.load(Relaxed),
            tokens: f64::NAN,
            quota_per_hour: f64::NAN,
            ..Stats::default()
        };
        // A restored count may be any number.
        let add = |sum: &mut u64, count: u64| *sum = sum.saturating_add(count);
        let mut principals = 0;
        self.registry.for_each(|_, ring| {
            let stats = self.stats_of(ring, 0, now_ms);
            add(&mut sum.admitted, stats.admitted);
            add(&mut sum.throttled, stats.throttled);
            add(&mut sum.re_recorded, stats.re_recorded);
            add(&mut sum.ghost_hits, stats.ghost_hits);
            add(&mut sum.live_pids, stats.live_pids);
            add(&mut sum.layers, stats.layers);
            add(&mut sum.bytes, stats.bytes);
            sum.rate_per_hour += stats.rate_per_hour;
            sum.fill = sum.fill.max(stats.fill);
            sum.false_positive_rate = sum.false_positive_rate.max(stats.false_positive_rate);
            principals += u64::from(Self::is_listed(ring));
        });
        Totals {
            stats: sum,
            principals,
            overflow_interns: self.overflow_interns.load(Relaxed),
            evicted_layers: self.evicted_layers.load(Relaxed),
            memory_bytes: self.budget.used(),
        }
    }

    /// The name of a handle; `None` for a stale one.
    #[must_use]
    pub fn name(&self, id: PrincipalId) -> Option<Arc<str>> {
        self.registry.with(id, |ring| Arc::clone(ring.owner().name()))
    }

    /// Calls `visit` with each principal's handle and name, the overflow gate left out.
    pub fn for_each_principal(&self, mut visit: impl FnMut(PrincipalId, &str)) {
        self.registry.for_each(|_, ring| {
            if Self::is_listed(ring) {
                visit(ring.owner().id(), ring.owner().name());
            }
        });
    }

    /// A name has one principal in this sense: that of a thread which loses the race to intern it stays new.
    fn is_listed(ring: &Ring<Principal>) -> bool {
        ring.owner().id() != PrincipalId::OVERFLOW && !ring.owner().is_new()
    }
}
