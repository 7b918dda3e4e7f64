//! A place for one principal at a time, and the way of a call through it. The decision is made here.
//!
//! State: `{ generation, (principal, ring) or nobody }`. Principal and ring stand in one snapshot, so that a call loads one
//! thing (src/filter/mod.rs).
//!
//! The way of a call (`track`):
//! 1. Recent in the ring: Known. Nothing is written but the time of the call (and src/known.rs's count); wait-free.
//! 2. Live but in an older place: recorded again, Known (S2).
//! 3. Absent: the claim is taken (S3, src/claim.rs), the ring looked at again, the gate charged, the id recorded: Admitted; or
//!    the gate refuses: Throttled, and nothing was written.
//!
//! Before it writes or charges, a call asks whether its principal still lives (O6, src/principal.rs). If not it answers Stale,
//! and has changed nothing.

use crate::decision::{Decision, Touch};
use crate::filter::{Filter, Found, PidHash, Ring};
use crate::gate::Pass;
use crate::memory::Room;
use crate::principal::{Principal, PrincipalId, Shared};
use crate::retry::retry_after;
use crate::sync::{Arc, AtomicU32, Ordering::Relaxed};

/// See the module's head.
pub(crate) struct Slot {
    generation: AtomicU32,
    filter: Filter<Principal>,
}

/// What the first look of a call found.
enum Look {
    Stale,
    Recent,
    /// With the principal, since the ring is not held any longer: an eviction to make room could free none of its layers.
    Other(Arc<Principal>, Found),
}

impl Slot {
    pub(crate) fn vacant() -> Self {
        Self { generation: AtomicU32::new(0), filter: Filter::vacant() }
    }

    /// The generation of the slot's next principal.
    pub(crate) fn next_generation(&self) -> u32 {
        self.generation.fetch_add(1, Relaxed).wrapping_add(1)
    }

    pub(crate) fn filter(&self) -> &Filter<Principal> {
        &self.filter
    }

    /// Runs `call` on the handle's principal; `None` when the handle is stale. Wait-free.
    #[inline]
    pub(crate) fn with<T>(&self, id: PrincipalId, call: impl FnOnce(&Ring<Principal>) -> T) -> Option<T> {
        self.filter.load().as_ref().filter(|ring| ring.owner().id() == id).map(|ring| call(ring))
    }

    #[inline]
    fn look(&self, id: PrincipalId, pid: u64, hash: PidHash, now_ms: u64, shared: &Shared) -> Look {
        self.with(id, |ring| {
            ring.owner().note_call(now_ms);
            match ring.find(pid, hash, now_ms, shared.window) {
                Found::Recent => Look::Recent,
                found => Look::Other(Arc::clone(ring.owner()), found),
            }
        })
        .unwrap_or(Look::Stale)
    }

    /// S1. Known is wait-free where the id stands in the last layer period, lock-free where it is recorded again; a new
    /// id waits for racers on its claim.
    #[inline]
    pub(crate) fn track(
        &self,
        id: PrincipalId,
        pid: u64,
        now_ms: u64,
        shared: &Shared,
        room: &impl Room,
    ) -> Decision {
        let hash = shared.hasher.hash(pid);
        match self.look(id, pid, hash, now_ms, shared) {
            Look::Recent => Decision::Known,
            Look::Stale => Decision::Stale,
            Look::Other(principal, found) => {
                let call = Call { slot: self, principal, pid, hash, now_ms, shared };
                call.track(found, room)
            }
        }
    }

    /// `track` without admission.
    #[inline]
    pub(crate) fn touch(
        &self,
        id: PrincipalId,
        pid: u64,
        now_ms: u64,
        shared: &Shared,
        room: &impl Room,
    ) -> Touch {
        let hash = shared.hasher.hash(pid);
        match self.look(id, pid, hash, now_ms, shared) {
            Look::Recent => Touch::Known,
            Look::Stale => Touch::Stale,
            Look::Other(_, Found::Absent) => Touch::New,
            Look::Other(principal, _) => {
                Call { slot: self, principal, pid, hash, now_ms, shared }.touch(room)
            }
        }
    }

    /// Records an id without a charge: the host knows it already.
    pub(crate) fn remember(
        &self,
        id: PrincipalId,
        pid: u64,
        now_ms: u64,
        shared: &Shared,
        room: &impl Room,
    ) -> Decision {
        let hash = shared.hasher.hash(pid);
        let Some(principal) = self.with(id, |ring| Arc::clone(ring.owner())) else { return Decision::Stale };
        principal.note_call(now_ms);
        Call { slot: self, principal, pid, hash, now_ms, shared }.remember(room)
    }

    pub(crate) fn contains(&self, id: PrincipalId, pid: u64, now_ms: u64, shared: &Shared) -> bool {
        let hash = shared.hasher.hash(pid);
        self.with(id, |ring| ring.find(pid, hash, now_ms, shared.window) != Found::Absent).unwrap_or(false)
    }
}

/// A call that the first look did not answer.
struct Call<'a> {
    slot: &'a Slot,
    principal: Arc<Principal>,
    pid: u64,
    hash: PidHash,
    now_ms: u64,
    shared: &'a Shared,
}

impl Call<'_> {
    #[cold]
    fn track(&self, found: Found, room: &impl Room) -> Decision {
        if !self.principal.is_alive() {
            return Decision::Stale;
        }
        if found != Found::Absent && self.is_known(room) {
            return Decision::Known;
        }
        let _claim = self.shared.claims.claim(self.principal.id().0, self.hash);
        if self.is_known(room) {
            return Decision::Known;
        }
        if let Pass::Refused { wait_ms, interval_ms } = self.principal.charge(self.now_ms, self.shared) {
            let most = self.shared.config.max_throttle_ms();
            return Decision::Throttled {
                retry_after_ms: retry_after(wait_ms, interval_ms, self.hash.spread(), most),
            };
        }
        self.record(room);
        self.principal.count_admitted(self.now_ms, self.shared);
        Decision::Admitted
    }

    #[cold]
    fn touch(&self, room: &impl Room) -> Touch {
        if !self.principal.is_alive() {
            Touch::Stale
        } else if self.is_known(room) {
            Touch::Known
        } else {
            Touch::New
        }
    }

    fn remember(&self, room: &impl Room) -> Decision {
        if !self.principal.is_alive() {
            return Decision::Stale;
        }
        let _claim = self.shared.claims.claim(self.principal.id().0, self.hash);
        if !self.is_known(room) {
            self.record(room);
            self.principal.count_re_recorded();
        }
        Decision::Known
    }

    /// Whether the id is live; an older record is renewed on the way.
    fn is_known(&self, room: &impl Room) -> bool {
        let Self { slot, principal, pid, hash, now_ms, shared } = self;
        loop {
            match slot.filter.find(principal, *pid, *hash, *now_ms, shared.window) {
                Found::Recent => return true,
                Found::Absent => return false,
                Found::OlderLayer(_) | Found::OlderEntry { .. } => {
                    if slot.filter.renew(principal, *pid, *hash, *now_ms, principal.plan(shared), room) {
                        principal.count_re_recorded();
                        return true;
                    }
                }
            }
        }
    }

    /// Records an id that is not live.
    fn record(&self, room: &impl Room) {
        let Self { slot, principal, pid, hash, now_ms, shared } = self;
        if slot.filter.is_ghost(principal, *pid, *hash, *now_ms, shared.window) {
            principal.count_ghost();
        }
        slot.filter.insert(principal, *pid, *hash, *now_ms, principal.plan(shared), room);
    }
}
