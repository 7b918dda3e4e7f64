//! How many new ids an hour, and the gate that keeps it.
//!
//! Contract: S11 (a change applies to the next call: lowering clamps the tokens, raising keeps them; no quota throttles nothing)
//! and S12 (shape).
//!
//! How: a principal's gate is one immutable value behind a snapshot cell: `{ quota, bucket, previous bucket }`. A change
//! publishes a gate whose bucket is unset; whoever comes next freezes the previous bucket, which tells everyone the same
//! remaining tokens, and fills the new one with them. So no token is lost or made, and nobody waits.
//!
//! Orderings
//! - O5: a bucket's word is only changed by read-modify-writes, and FROZEN is never taken off: a charge either
//!   comes before the freeze, and is in the level handed over, or it meets FROZEN and goes to the new gate
//!   (loom-tests: `o5_charge_against_quota_change`).
//! - Who follows the default replaces only a gate that follows it too, by compare-and-swap: a quota set for the name meanwhile
//!   stays (loom-tests: `s11_a_quota_set_while_the_default_is_followed_holds`).

use crate::config::{ConfigError, Double};
use crate::rate::bucket::{Bucket, Charge, Refill};
use crate::sync::{Arc, Snapshot};

/// New ids per hour, and how many of them may come at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota {
    per_hour: f64,
    burst: f64,
}

impl Quota {
    /// `rate` new ids per hour; fractions work (0.5 is one every two hours). `burst` is the share of a window's
    /// worth that may come at once: 1 all of it (Kafka's habit), 0 one at a time, evenly spaced.
    ///
    /// # Errors
    /// A rate that is not finite and above 0, a burst outside 0 to 1.
    pub fn per_hour(rate: f64, burst: f64) -> Result<Self, ConfigError> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(ConfigError {
                field: "quota",
                value: Double(rate).to_string(),
                range: "a finite number above 0 (new ids per hour)".to_owned(),
            });
        }
        if !(0.0..=1.0).contains(&burst) {
            return Err(ConfigError {
                field: "burst",
                value: Double(burst).to_string(),
                range: "0 to 1 (share of a window's worth)".to_owned(),
            });
        }
        Ok(Self { per_hour: rate, burst })
    }

    /// New ids per hour.
    #[must_use]
    pub fn rate_per_hour(&self) -> f64 {
        self.per_hour
    }

    /// The share of a window's worth that may come at once.
    #[must_use]
    pub fn burst(&self) -> f64 {
        self.burst
    }

    /// Ids that may come at once under a window: at least 1.
    #[must_use]
    pub fn capacity(&self, window_ms: u64) -> f64 {
        (self.per_hour * (window_ms as f64 / 3_600_000.0) * self.burst).clamp(1.0, f64::MAX)
    }

    fn refill(&self, window_ms: u64) -> Refill {
        Refill::new(self.per_hour, self.capacity(window_ms))
    }
}

/// Where a principal's quota comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// The engine's default, in the version that was copied.
    Default { version: u64 },
    /// Set for this principal.
    Own,
}

impl Source {
    /// A default that was replaced since it was read must not come back.
    fn is_older_than(self, held: Self) -> bool {
        matches!((self, held), (Self::Default { version: new }, Self::Default { version: held }) if new < held)
    }
}

/// The engine's default quota; the version tells principals that they hold an old one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultQuota {
    pub(crate) quota: Option<Quota>,
    pub(crate) version: u64,
    /// When it was set: the old refill ends there, however late a principal notices.
    pub(crate) since_ms: u64,
}

impl DefaultQuota {
    /// The quota of a name: its own, if one is set, or this.
    pub(crate) fn unless(&self, own: Option<Option<Quota>>) -> (Option<Quota>, Source) {
        match own {
            Some(quota) => (quota, Source::Own),
            None => (self.quota, Source::Default { version: self.version }),
        }
    }
}

struct State {
    quota: Option<Quota>,
    source: Source,
    bucket: Option<Arc<Bucket>>,
    previous: Option<Arc<Bucket>>,
}

/// What the gate says to one new id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Pass {
    Admitted,
    /// A token comes after `wait_ms`, and another each `interval_ms`.
    Refused {
        wait_ms: u64,
        interval_ms: u64,
    },
}

/// See the module's head.
pub(crate) struct Gate {
    state: Snapshot<State>,
}

impl Gate {
    pub(crate) fn new(quota: Option<Quota>, source: Source, window_ms: u64, now_ms: u64) -> Self {
        let bucket = quota.map(|quota| Arc::new(Bucket::full(quota.refill(window_ms), now_ms)));
        Self { state: Snapshot::new(Arc::new(State { quota, source, bucket, previous: None })) }
    }

    /// As [`new`](Self::new), with the tokens that were left at `since_ms`; full where there was no quota then.
    pub(crate) fn with_tokens(
        quota: Option<Quota>,
        source: Source,
        window_ms: u64,
        since_ms: u64,
        tokens: Option<f64>,
    ) -> Self {
        let (Some(limit), Some(tokens)) = (quota, tokens) else {
            return Self::new(quota, source, window_ms, since_ms);
        };
        let bucket = Bucket::unset(limit.refill(window_ms), since_ms);
        bucket.fill(tokens.max(0.0), since_ms);
        let bucket = Some(Arc::new(bucket));
        Self { state: Snapshot::new(Arc::new(State { quota, source, bucket, previous: None })) }
    }

    pub(crate) fn quota(&self) -> Option<Quota> {
        self.state.load().quota
    }

    /// Charges one token. Lock-free.
    pub(crate) fn charge(&self, now_ms: u64) -> Pass {
        loop {
            let state = self.state.load();
            let Some(bucket) = &state.bucket else { return Pass::Admitted };
            state.settle(now_ms);
            match bucket.charge_unless_replaced(now_ms) {
                Some(Charge::Taken) => return Pass::Admitted,
                Some(Charge::Refused { wait_ms }) => {
                    return Pass::Refused { wait_ms, interval_ms: bucket.refill().interval_ms() };
                }
                None => {}
            }
        }
    }

    /// S11. Setting what is set changes nothing.
    pub(crate) fn change(&self, quota: Option<Quota>, source: Source, window_ms: u64, now_ms: u64) {
        self.change_if(|_| true, quota, source, window_ms, now_ms);
    }

    /// As [`change`](Self::change), as long as `goes` says so of where the quota in force comes from.
    fn change_if(
        &self,
        goes: impl Fn(Source) -> bool,
        quota: Option<Quota>,
        source: Source,
        window_ms: u64,
        now_ms: u64,
    ) {
        loop {
            let state = self.state.load();
            let is_set = state.quota == quota && state.source == source;
            if is_set || source.is_older_than(state.source) || !goes(state.source) {
                return;
            }
            state.settle(now_ms);
            let bucket = match (&state.bucket, quota) {
                (_, None) => None,
                (Some(bucket), Some(_)) if state.quota == quota => Some(Arc::clone(bucket)),
                (Some(_), Some(quota)) => Some(Arc::new(Bucket::unset(quota.refill(window_ms), now_ms))),
                (None, Some(quota)) => Some(Arc::new(Bucket::full(quota.refill(window_ms), now_ms))),
            };
            let handed_over = state.bucket.clone().filter(|_| bucket.as_ref().is_some_and(|b| b.is_unset()));
            let next = Arc::new(State { quota, source, bucket, previous: handed_over });
            if self.state.replace(&state, Arc::clone(&next)) {
                // At once, so that the old refill ends at this moment and not at the next call.
                next.settle(now_ms);
                return;
            }
        }
    }

    /// Takes the default's newest version, where this gate follows the default.
    pub(crate) fn follow(&self, default: &DefaultQuota, window_ms: u64) {
        // Asked of each state that is replaced: a quota of its own that was set meanwhile stays.
        let follows = |source| match source {
            Source::Default { version } => version != default.version,
            Source::Own => false,
        };
        if follows(self.state.load().source) {
            let source = Source::Default { version: default.version };
            self.change_if(follows, default.quota, source, window_ms, default.since_ms);
        }
    }

    /// Tokens now, or none without a quota.
    pub(crate) fn tokens(&self, now_ms: u64) -> Option<f64> {
        let state = self.state.load();
        state.settle(now_ms);
        state.bucket.as_ref().map(|bucket| bucket.tokens(now_ms))
    }

    /// A gate that a new one would equal: forgetting it hands out no token.
    pub(crate) fn is_as_new(&self, now_ms: u64) -> bool {
        let state = self.state.load();
        state.settle(now_ms);
        state.bucket.as_ref().is_none_or(|bucket| bucket.is_full(now_ms))
    }
}

impl State {
    /// Hands the previous bucket's tokens to an unset one.
    fn settle(&self, now_ms: u64) {
        if let (Some(bucket), Some(previous)) = (&self.bucket, &self.previous) {
            if bucket.is_unset() {
                bucket.fill(previous.freeze(now_ms), now_ms);
            }
        }
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;
    const DEFAULT: Source = Source::Default { version: 0 };

    fn quota(rate: f64, burst: f64) -> Option<Quota> {
        Some(Quota::per_hour(rate, burst).unwrap())
    }

    fn gate(rate: f64) -> Gate {
        Gate::new(quota(rate, 1.0), DEFAULT, HOUR, 0)
    }

    #[test]
    fn s12_refused_rates_are_named() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let said = Quota::per_hour(rate, 1.0).unwrap_err().to_string();
            assert_eq!(said, format!("quota = {rate}: must be a finite number above 0 (new ids per hour)"));
        }
        for burst in [-0.1, 1.1, f64::NAN] {
            let said = Quota::per_hour(1.0, burst).unwrap_err().to_string();
            assert_eq!(said, format!("burst = {burst}: must be 0 to 1 (share of a window's worth)"));
        }
    }

    #[test]
    fn s12_burst_0_spaces_evenly() {
        let gate = Gate::new(quota(3600.0, 0.0), DEFAULT, HOUR, 0);
        let mut passed = Vec::new();
        for now in 0..10_000 {
            if gate.charge(now) == Pass::Admitted {
                passed.push(now);
            }
        }
        assert_eq!(passed, (0..10).map(|n| n * 1000).collect::<Vec<_>>());
    }

    #[test]
    fn s12_burst_1_lets_a_window_come_at_once() {
        let gate = gate(100.0);
        assert_eq!((0..200).filter(|_| gate.charge(0) == Pass::Admitted).count(), 100);
    }

    #[test]
    fn s11_lowering_clamps_raising_keeps() {
        let gate = gate(100.0);
        (0..40).for_each(|_| assert_eq!(gate.charge(0), Pass::Admitted));
        assert_eq!(gate.tokens(0), Some(60.0));
        gate.change(quota(1000.0, 1.0), Source::Own, HOUR, 0);
        assert!((gate.tokens(0).unwrap() - 60.0).abs() < 1e-6);
        gate.change(quota(10.0, 1.0), Source::Own, HOUR, 0);
        assert_eq!(gate.tokens(0), Some(10.0));
        assert_eq!((0..50).filter(|_| gate.charge(0) == Pass::Admitted).count(), 10);
    }

    #[test]
    fn s11_none_throttles_nothing_and_comes_back_full() {
        let gate = gate(1.0);
        assert_eq!(gate.charge(0), Pass::Admitted);
        assert!(matches!(gate.charge(0), Pass::Refused { .. }));
        gate.change(None, Source::Own, HOUR, 0);
        (0..1000).for_each(|_| assert_eq!(gate.charge(0), Pass::Admitted));
        gate.change(quota(2.0, 1.0), Source::Own, HOUR, 0);
        assert_eq!(gate.tokens(0), Some(2.0));
    }

    #[test]
    fn s11_two_changes_without_a_call_between_keep_the_tokens() {
        let gate = gate(100.0);
        (0..90).for_each(|_| assert_eq!(gate.charge(0), Pass::Admitted));
        gate.change(quota(200.0, 1.0), Source::Own, HOUR, 0);
        gate.change(quota(300.0, 1.0), Source::Own, HOUR, 0);
        assert!((gate.tokens(0).unwrap() - 10.0).abs() < 1e-6);
    }

    #[test]
    fn s11_a_gate_with_its_own_quota_does_not_follow_the_default() {
        let own = Gate::new(quota(5.0, 1.0), Source::Own, HOUR, 0);
        let follower = gate(5.0);
        let default = DefaultQuota { quota: quota(50.0, 1.0), version: 1, since_ms: 0 };
        own.follow(&default, HOUR);
        follower.follow(&default, HOUR);
        assert_eq!(own.quota(), quota(5.0, 1.0));
        assert_eq!(follower.quota(), quota(50.0, 1.0));
    }

    #[test]
    fn s11_a_late_caller_does_not_bring_a_replaced_default_back() {
        let gate = gate(10.0);
        (0..10).for_each(|_| assert_eq!(gate.charge(0), Pass::Admitted));
        let v0 = DefaultQuota { quota: None, version: 0, since_ms: 0 };
        let v1 = DefaultQuota { quota: quota(10.0, 1.0), version: 1, since_ms: HOUR };
        gate.follow(&v1, HOUR);
        (0..10).for_each(|_| assert_eq!(gate.charge(HOUR), Pass::Admitted));
        gate.follow(&v0, HOUR);
        gate.follow(&v1, HOUR);
        assert_eq!(gate.quota(), quota(10.0, 1.0));
        assert!(matches!(gate.charge(HOUR), Pass::Refused { .. }), "paid twice for one hour");
    }

    #[test]
    fn s11_charges_against_changes_on_real_threads_make_no_token() {
        let gate = gate(1000.0);
        let taken: usize = std::thread::scope(|scope| {
            let charges: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| (0..2000).filter(|_| gate.charge(0) == Pass::Admitted).count()))
                .collect();
            // Every quota here holds at least what is left, so none clamps.
            (0..500u32).for_each(|n| gate.change(quota(f64::from(1000 + n % 2), 1.0), Source::Own, HOUR, 0));
            charges.into_iter().map(|charge| charge.join().unwrap()).sum()
        });
        // Each hand-over rounds to a tick; 500 of them cannot lose a whole token.
        assert!((999..=1000).contains(&taken), "{taken}");
    }
}
