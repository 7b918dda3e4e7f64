//! The gate in front of a principal: its quota, and the limiter that keeps it.
//!
//! Contract: S11 (a change applies to the next call: lowering clamps the tokens, raising keeps them; no quota throttles nothing).
//! Under a window what was admitted stays counted, and the tokens are what the new quota leaves beside it: another reading
//! would let a window hold more than the rate.
//!
//! S15: how long a new id would wait, behind others or not, is said without charging: for hosts that let it wait.
//!
//! How: a principal's gate is one immutable value behind a snapshot cell: `{ quota, limiter }`. A change publishes one whose
//! limiter is still to be made of the previous one; whoever comes next freezes the previous limiter, which tells everyone
//! the same counts, and publishes the new one with what they leave. So no token is lost or made, and nobody waits.
//!
//! Orderings
//! - O5: a limiter is only changed by read-modify-writes, and a frozen one stays frozen: a charge either comes before the
//!   freeze, and is in the level handed over, or it meets the freeze and goes to the new limiter
//!   (loom-tests: `o5_charge_against_quota_change`, `o5_windowed_charge_against_quota_change`).
//! - Who follows the default replaces only a gate that follows it too, by compare-and-swap: a quota set for the name meanwhile
//!   stays (loom-tests: `s11_a_quota_set_while_the_default_is_followed_holds`).

use crate::meter::{Left, Meter};
use crate::quota::{DefaultQuota, Quota, Source, Terms};
use crate::rate::Charge;
use crate::sync::{Arc, Snapshot};

/// What keeps the quota.
enum Keeper {
    /// No quota.
    Nobody,
    Meter(Arc<Meter>),
    /// To be made of what this one has left.
    After(Arc<Meter>),
}

impl Keeper {
    fn new(quota: Option<Quota>, terms: Terms, now_ms: u64, restored: Option<&Left>) -> Self {
        let Some(quota) = quota else { return Self::Nobody };
        let meter = match restored {
            Some(left) => Meter::with(quota, terms, left),
            None => Meter::full(quota, terms, now_ms),
        };
        Self::Meter(Arc::new(meter))
    }
}

struct State {
    quota: Option<Quota>,
    source: Source,
    keeper: Keeper,
    /// Of before a restore, until a quota is set for the name: that one's limiter goes on from there (S14).
    restored: Option<Arc<Left>>,
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
    /// Full, where nothing is known of before.
    pub(crate) fn new(
        quota: Option<Quota>,
        source: Source,
        terms: Terms,
        now_ms: u64,
        restored: Option<Left>,
    ) -> Self {
        let restored = restored.map(Arc::new);
        let keeper = Keeper::new(quota, terms, now_ms, restored.as_deref());
        Self { state: Snapshot::new(Arc::new(State { quota, source, keeper, restored })) }
    }

    pub(crate) fn quota(&self) -> Option<Quota> {
        self.state.load().quota
    }

    /// Runs `call` on the meter in force, which is made of the previous one where that is still to be done; `None` without a
    /// quota.
    fn with_meter<T>(&self, terms: Terms, now_ms: u64, call: impl FnOnce(&Meter) -> T) -> Option<T> {
        loop {
            let state = self.state.load();
            match (&state.keeper, state.quota) {
                (Keeper::Meter(meter), _) => return Some(call(meter)),
                (Keeper::After(previous), Some(quota)) => {
                    let keeper = Keeper::Meter(Arc::new(previous.next(quota, terms, now_ms)));
                    let restored = state.restored.clone();
                    let next = State { quota: Some(quota), source: state.source, keeper, restored };
                    // Losing means that another thread has made one, or the quota was changed again.
                    let _ = self.state.replace(&state, Arc::new(next));
                }
                (Keeper::Nobody | Keeper::After(_), _) => return None,
            }
        }
    }

    /// Charges one token. Lock-free.
    pub(crate) fn charge(&self, terms: Terms, now_ms: u64) -> Pass {
        let charge = |meter: &Meter| {
            // Frozen, the next loop finds what came after it.
            Some(match meter.charge_unless_replaced(now_ms)? {
                Charge::Taken => Pass::Admitted,
                Charge::Refused { wait_ms } => Pass::Refused { wait_ms, interval_ms: meter.interval_ms() },
            })
        };
        loop {
            if let Some(pass) = self.with_meter(terms, now_ms, charge).unwrap_or(Some(Pass::Admitted)) {
                return pass;
            }
        }
    }

    fn settle(&self, terms: Terms, now_ms: u64) {
        // Without a quota there is nothing to settle.
        let _ = self.with_meter(terms, now_ms, |_| ());
    }

    /// S11. Setting what is set changes nothing.
    pub(crate) fn change(&self, quota: Option<Quota>, source: Source, terms: Terms, now_ms: u64) {
        self.change_if(|_| true, quota, source, terms, now_ms);
    }

    /// As [`change`](Self::change), as long as `goes` says so of where the quota in force comes from.
    fn change_if(
        &self,
        goes: impl Fn(Source) -> bool,
        quota: Option<Quota>,
        source: Source,
        terms: Terms,
        now_ms: u64,
    ) {
        loop {
            let state = self.state.load();
            let is_set = state.quota == quota && state.source == source;
            if is_set || source.is_older_than(state.source) || !goes(state.source) {
                return;
            }
            let is_for_the_name = source == Source::Own;
            let keeper = match (&state.keeper, quota) {
                (_, None) => Keeper::Nobody,
                _ if is_for_the_name && state.restored.is_some() => {
                    Keeper::new(quota, terms, now_ms, state.restored.as_deref())
                }
                (Keeper::Nobody, _) => Keeper::new(quota, terms, now_ms, state.restored.as_deref()),
                (Keeper::Meter(meter), _) if state.quota == quota => Keeper::Meter(Arc::clone(meter)),
                (Keeper::Meter(meter), _) => Keeper::After(Arc::clone(meter)),
                (Keeper::After(_), _) => {
                    self.settle(terms, now_ms);
                    continue;
                }
            };
            let restored = state.restored.clone().filter(|_| !is_for_the_name);
            if self.state.replace(&state, Arc::new(State { quota, source, keeper, restored })) {
                // At once, so that the old refill ends at this moment and not at the next call.
                self.settle(terms, now_ms);
                return;
            }
        }
    }

    /// Takes the default's newest version, where this gate follows the default.
    pub(crate) fn follow(&self, default: &DefaultQuota, terms: Terms) {
        // Asked of each state that is replaced: a quota of its own that was set meanwhile stays.
        let follows = |source| match source {
            Source::Default { version } => version != default.version,
            Source::Own => false,
        };
        if follows(self.state.load().source) {
            let source = Source::Default { version: default.version };
            self.change_if(follows, default.quota, source, terms, default.since_ms);
        }
    }

    /// Milliseconds until a token that `ahead` others leave; 0 without a quota.
    pub(crate) fn wait_ms(&self, ahead: u32, terms: Terms, now_ms: u64) -> u64 {
        self.with_meter(terms, now_ms, |meter| meter.wait_ms(ahead, now_ms)).unwrap_or(0)
    }

    /// Tokens now, or none without a quota.
    pub(crate) fn tokens(&self, terms: Terms, now_ms: u64) -> Option<f64> {
        self.with_meter(terms, now_ms, |meter| meter.tokens(now_ms))
    }

    /// What a snapshot keeps, or none without a quota.
    pub(crate) fn left(&self, terms: Terms, now_ms: u64) -> Option<Left> {
        self.with_meter(terms, now_ms, |meter| meter.left(now_ms))
    }

    /// A gate that a new one would equal: forgetting it hands out no token.
    pub(crate) fn is_as_new(&self, terms: Terms, now_ms: u64) -> bool {
        self.with_meter(terms, now_ms, |meter| meter.is_full(now_ms)).unwrap_or(true)
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;
    use crate::quota::Limiter;

    const HOUR: u64 = 3_600_000;
    const BUCKET: Terms = Terms { limiter: Limiter::TokenBucket, window_ms: HOUR };
    const WINDOWED: Terms = Terms { limiter: Limiter::Windowed, window_ms: HOUR };
    const DEFAULT: Source = Source::Default { version: 0 };

    fn quota(rate: f64, burst: f64) -> Option<Quota> {
        Some(Quota::per_hour(rate, burst).unwrap())
    }

    fn gate(rate: f64) -> Gate {
        Gate::new(quota(rate, 1.0), DEFAULT, BUCKET, 0, None)
    }

    #[test]
    fn s12_burst_0_spaces_evenly() {
        let gate = Gate::new(quota(3600.0, 0.0), DEFAULT, BUCKET, 0, None);
        let mut passed = Vec::new();
        for now in 0..10_000 {
            if gate.charge(BUCKET, now) == Pass::Admitted {
                passed.push(now);
            }
        }
        assert_eq!(passed, (0..10).map(|n| n * 1000).collect::<Vec<_>>());
    }

    #[test]
    fn s12_burst_1_lets_a_window_come_at_once() {
        let gate = gate(100.0);
        assert_eq!((0..200).filter(|_| gate.charge(BUCKET, 0) == Pass::Admitted).count(), 100);
    }

    #[test]
    fn s12_windowed_burst_1_lets_no_hour_hold_more_than_the_rate() {
        let gate = Gate::new(quota(100.0, 1.0), DEFAULT, WINDOWED, 0, None);
        let passed: Vec<_> = (0..4 * 3600)
            .map(|s| s * 1000)
            .filter(|&now| gate.charge(WINDOWED, now) == Pass::Admitted)
            .collect();
        let within = |start| passed.iter().filter(|&&now| now >= start && now < start + HOUR).count();
        assert_eq!(passed.iter().map(|&start| within(start)).max(), Some(100));
        // The bucket lets twice the rate into the first hour: its burst, and the rate.
        let gate = Gate::new(quota(100.0, 1.0), DEFAULT, BUCKET, 0, None);
        let admitted = (0..3600).filter(|s| gate.charge(BUCKET, s * 1000) == Pass::Admitted).count();
        assert_eq!(admitted, 199);
    }

    #[test]
    fn s12_windowed_burst_0_spaces_evenly() {
        let gate = Gate::new(quota(3600.0, 0.0), DEFAULT, WINDOWED, 0, None);
        let passed: Vec<_> =
            (0..10_000).filter(|&now| gate.charge(WINDOWED, now) == Pass::Admitted).collect();
        assert_eq!(passed, (0..10).map(|n| n * 1000).collect::<Vec<_>>());
    }

    #[test]
    fn s11_windowed_what_was_admitted_stays_counted() {
        let gate = Gate::new(quota(100.0, 1.0), DEFAULT, WINDOWED, 0, None);
        (0..40).for_each(|_| assert_eq!(gate.charge(WINDOWED, 0), Pass::Admitted));
        assert_eq!(gate.tokens(WINDOWED, 0), Some(60.0));
        gate.change(quota(1000.0, 1.0), Source::Own, WINDOWED, 0);
        assert_eq!(gate.tokens(WINDOWED, 0), Some(960.0));
        gate.change(quota(10.0, 1.0), Source::Own, WINDOWED, 0);
        assert_eq!(gate.tokens(WINDOWED, HOUR - 1), Some(0.0));
        assert_eq!(gate.tokens(WINDOWED, HOUR), Some(10.0));
    }

    #[test]
    fn s11_windowed_changes_do_not_stop_what_comes_back() {
        // One a second; a controller sets a rate a little higher or lower each 100 ms.
        let gate = Gate::new(quota(3600.0, 0.0), DEFAULT, WINDOWED, 0, None);
        let mut passed = 0;
        for now in (0..60_000).step_by(100) {
            gate.change(quota(3600.0 + f64::from(now as u32 / 100 % 2), 0.0), Source::Own, WINDOWED, now);
            passed += u32::from(gate.charge(WINDOWED, now) == Pass::Admitted);
        }
        assert!((48..=61).contains(&passed), "{passed} in a minute");
    }

    #[test]
    fn s12_s11_windowed_no_hour_holds_more_than_the_rate_when_the_quota_changes() {
        let gate = Gate::new(quota(100.0, 1.0), DEFAULT, WINDOWED, 0, None);
        (0..100).for_each(|_| assert_eq!(gate.charge(WINDOWED, 0), Pass::Admitted));
        gate.change(quota(101.0, 1.0), Source::Own, WINDOWED, 0);
        let more = (1..3600).filter(|s| gate.charge(WINDOWED, s * 1000) == Pass::Admitted).count();
        assert!(more <= 1, "100, and {more} more within the hour");
    }

    #[test]
    fn s11_lowering_clamps_raising_keeps() {
        let gate = gate(100.0);
        (0..40).for_each(|_| assert_eq!(gate.charge(BUCKET, 0), Pass::Admitted));
        assert_eq!(gate.tokens(BUCKET, 0), Some(60.0));
        gate.change(quota(1000.0, 1.0), Source::Own, BUCKET, 0);
        assert!((gate.tokens(BUCKET, 0).unwrap() - 60.0).abs() < 1e-6);
        gate.change(quota(10.0, 1.0), Source::Own, BUCKET, 0);
        assert_eq!(gate.tokens(BUCKET, 0), Some(10.0));
        assert_eq!((0..50).filter(|_| gate.charge(BUCKET, 0) == Pass::Admitted).count(), 10);
    }

    #[test]
    fn s11_none_throttles_nothing_and_comes_back_full() {
        let gate = gate(1.0);
        assert_eq!(gate.charge(BUCKET, 0), Pass::Admitted);
        assert!(matches!(gate.charge(BUCKET, 0), Pass::Refused { .. }));
        gate.change(None, Source::Own, BUCKET, 0);
        (0..1000).for_each(|_| assert_eq!(gate.charge(BUCKET, 0), Pass::Admitted));
        gate.change(quota(2.0, 1.0), Source::Own, BUCKET, 0);
        assert_eq!(gate.tokens(BUCKET, 0), Some(2.0));
    }

    #[test]
    fn s11_two_changes_without_a_call_between_keep_the_tokens() {
        let gate = gate(100.0);
        (0..90).for_each(|_| assert_eq!(gate.charge(BUCKET, 0), Pass::Admitted));
        gate.change(quota(200.0, 1.0), Source::Own, BUCKET, 0);
        gate.change(quota(300.0, 1.0), Source::Own, BUCKET, 0);
        assert!((gate.tokens(BUCKET, 0).unwrap() - 10.0).abs() < 1e-6);
    }

    #[test]
    fn s11_a_gate_with_its_own_quota_does_not_follow_the_default() {
        let own = Gate::new(quota(5.0, 1.0), Source::Own, BUCKET, 0, None);
        let follower = gate(5.0);
        let default = DefaultQuota { quota: quota(50.0, 1.0), version: 1, since_ms: 0 };
        own.follow(&default, BUCKET);
        follower.follow(&default, BUCKET);
        assert_eq!(own.quota(), quota(5.0, 1.0));
        assert_eq!(follower.quota(), quota(50.0, 1.0));
    }

    #[test]
    fn s11_a_late_caller_does_not_bring_a_replaced_default_back() {
        let gate = gate(10.0);
        (0..10).for_each(|_| assert_eq!(gate.charge(BUCKET, 0), Pass::Admitted));
        let v0 = DefaultQuota { quota: None, version: 0, since_ms: 0 };
        let v1 = DefaultQuota { quota: quota(10.0, 1.0), version: 1, since_ms: HOUR };
        gate.follow(&v1, BUCKET);
        (0..10).for_each(|_| assert_eq!(gate.charge(BUCKET, HOUR), Pass::Admitted));
        gate.follow(&v0, BUCKET);
        gate.follow(&v1, BUCKET);
        assert_eq!(gate.quota(), quota(10.0, 1.0));
        assert!(matches!(gate.charge(BUCKET, HOUR), Pass::Refused { .. }), "paid twice for one hour");
    }

    #[test]
    fn s11_charges_against_changes_on_real_threads_make_no_token() {
        for terms in [BUCKET, WINDOWED] {
            let gate = Gate::new(quota(1000.0, 1.0), DEFAULT, terms, 0, None);
            let taken: usize = std::thread::scope(|scope| {
                let charge = || (0..2000).filter(|_| gate.charge(terms, 0) == Pass::Admitted).count();
                let charges: Vec<_> = (0..3).map(|_| scope.spawn(charge)).collect();
                // Every quota here holds at least what is left, so none clamps.
                (0..500u32)
                    .for_each(|n| gate.change(quota(f64::from(1000 + n % 2), 1.0), Source::Own, terms, 0));
                charges.into_iter().map(|charge| charge.join().unwrap()).sum()
            });
            // Each hand-over of a bucket rounds to a tick; 500 of them cannot lose a whole token. A window leaves what the quota
            // of the moment leaves.
            let most = if terms.limiter == Limiter::Windowed { 1001 } else { 1000 };
            assert!((999..=most).contains(&taken), "{terms:?}: {taken}");
        }
    }
}
