//! One owner of keys: its memory, its gate, its counters. The decision is made here.
//!
//! The way of a call (`track`):
//! 1. Recent in the filter: Known. Nothing is written but a counter; wait-free.
//! 2. Live but in an older place: recorded again, Known (S2).
//! 3. Absent: the claim is taken (S3, src/claim.rs), the filter looked at again, the gate charged, the id recorded: Admitted; or
//!    the gate refuses: Throttled, and nothing was written.
//!
//! Life: `NEW -> ACTIVE -> RETIRING -> RETIRED`, with `RETIRING -> ACTIVE` when a call comes in between. The word is
//! `{ turns: 30 bits, state: 2 bits }`; `turns` grows with each way back, so that of two sweeps the slower one cannot finish
//! what a call has since taken back. NEW is one whose name is not in the map yet: sweeps leave it alone. A sweep retires a
//! principal that has had no call for a window and whose bucket is full, so that one made anew equals it (S6).
//!
//! Orderings
//! - O6: a call stamps `last_call`, does its writing, then a sequentially consistent fence, then reads the life; the
//!   sweep sets RETIRING, then such a fence, then reads `last_call`. One of the two sees the other: either the call finds
//!   RETIRING and takes it back, or the sweep finds the stamp and takes it back. So no id that was answered Admitted goes
//!   down with its principal (loom-tests: `o6_admission_against_retirement`, `o6_two_sweeps_against_an_admission`). Step 1 needs no look at the life: what
//!   is recent keeps the principal from being idle for a window.

use crate::claim::Claims;
use crate::config::Config;
use crate::decision::{Decision, Touch};
use crate::filter::{Filter, FilterStats, Found, Hasher, PidHash, Plan, Sizing, Window};
use crate::memory::Room;
use crate::quota::{DefaultQuota, Gate, Pass, Quota, Source};
use crate::rate::windowed::Sliding;
use crate::registry::Held;
use crate::retry::retry_after;
use crate::snapshot::Portrait;
use crate::stats::Stats;
use crate::sync::{
    fence, Arc, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
    Snapshot,
};

/// A principal's handle: the slot it stands in and the slot's generation, in one number that a host can hold.
///
/// It is good until the principal has had no call for a window and was swept; then calls answer
/// [`Decision::Stale`]. Of the 32 bits as many as `max_principals` needs are the slot, the rest the generation: 18 bits at
/// the default 10,000, 12 at 1,000,000. A principal holds its slot for a window at least, so an old handle could be taken for
/// another principal's only when its holder kept it unused for 2^18 (2^12) windows. Threads that intern one new name at once
/// use up a generation each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PrincipalId(pub(crate) u32);

impl PrincipalId {
    /// The gate that all principals beyond `max_principals` share, under the default quota. Never stale.
    pub const OVERFLOW: Self = Self(u32::MAX);

    /// The number for a host to hold.
    #[must_use]
    pub const fn raw(self) -> u32 {
        self.0
    }

    /// A handle from a number that [`raw`](Self::raw) gave; any other number is a stale handle.
    #[must_use]
    pub const fn from_raw(raw: u32) -> Self {
        Self(raw)
    }
}

/// What all principals of one engine share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) window: Window,
    pub(crate) sizing: Sizing,
    pub(crate) hasher: Hasher,
    pub(crate) claims: Claims,
    pub(crate) default_quota: Snapshot<DefaultQuota>,
}

const NEW: u32 = 0;
const ACTIVE: u32 = 1;
const RETIRING: u32 = 2;
const RETIRED: u32 = 3;
const STATE: u32 = 3;
const TURN: u32 = 4;

/// The life word after a call or a sweep took RETIRING back.
fn active_again(life: u32) -> u32 {
    (life & !STATE).wrapping_add(TURN) | ACTIVE
}

/// See the module's head.
pub(crate) struct Principal {
    id: PrincipalId,
    name: Arc<str>,
    life: AtomicU32,
    last_call: AtomicU64,
    filter: Filter,
    gate: Gate,
    admitted: AtomicU64,
    throttled: AtomicU64,
    re_recorded: AtomicU64,
    ghost_hits: AtomicU64,
    rate: Sliding,
    /// What the slot's Known counter stood at when this principal moved in.
    known_before: u64,
    held: Held,
}

impl Principal {
    /// What a principal takes besides its filter: itself; its empty ring, its gate and bucket with their counts (about 200
    /// bytes) and its place in the map of names; its name, twice, since the map keeps a removed key for its last readers.
    pub(crate) fn bytes_for(name: &str) -> u64 {
        const SNAPSHOTS: u64 = 256;
        size_of::<Self>() as u64 + SNAPSHOTS + 2 * name.len() as u64
    }

    pub(crate) fn new(
        id: PrincipalId,
        name: Arc<str>,
        gate: Gate,
        known_before: u64,
        now_ms: u64,
        held: Held,
    ) -> Self {
        Self {
            id,
            name,
            life: AtomicU32::new(NEW),
            last_call: AtomicU64::new(now_ms),
            filter: Filter::new(),
            gate,
            admitted: AtomicU64::new(0),
            throttled: AtomicU64::new(0),
            re_recorded: AtomicU64::new(0),
            ghost_hits: AtomicU64::new(0),
            rate: Sliding::new(),
            known_before,
            held,
        }
    }

    /// Takes over what a portrait says; its gate was made with [`Gate::with_tokens`].
    pub(crate) fn restore(&mut self, portrait: &Portrait, filter: Filter) {
        let [known, admitted, throttled, re_recorded, ghost_hits] = portrait.counts;
        self.filter = filter;
        self.last_call = AtomicU64::new(portrait.last_call);
        self.known_before = self.known_before.wrapping_sub(known);
        self.admitted = AtomicU64::new(admitted);
        self.throttled = AtomicU64::new(throttled);
        self.re_recorded = AtomicU64::new(re_recorded);
        self.ghost_hits = AtomicU64::new(ghost_hits);
    }

    pub(crate) fn portrait(&self, known: u64, now_ms: u64, shared: &Shared) -> Portrait {
        let stats = self.stats(known, now_ms, shared);
        Portrait {
            name: self.name.as_ref().to_owned(),
            is_overflow: self.id == PrincipalId::OVERFLOW,
            last_call: self.last_call.load(Relaxed),
            counts: [stats.known, stats.admitted, stats.throttled, stats.re_recorded, stats.ghost_hits],
            tokens: Some(stats.tokens).filter(|tokens| tokens.is_finite()),
            filter: self.filter.portrait(),
        }
    }

    pub(crate) fn id(&self) -> PrincipalId {
        self.id
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    fn note_call(&self, now_ms: u64) {
        // A load first: within one millisecond all callers but one only read.
        if self.last_call.load(Relaxed) < now_ms {
            self.last_call.fetch_max(now_ms, Relaxed);
        }
    }

    fn plan<'a>(&self, shared: &'a Shared) -> Plan<'a> {
        let config = &shared.config;
        let rate = self.gate.quota().map(|quota| quota.rate_per_hour());
        Plan {
            window: shared.window,
            sizing: &shared.sizing,
            start_capacity: shared.sizing.start_capacity(rate, config.window_ms(), config.layers()),
        }
    }

    /// S1. Known is wait-free where the id stands in the last layer period, lock-free where it is recorded again; a new
    /// id waits for racers on its claim.
    #[inline]
    pub(crate) fn track(&self, pid: u64, now_ms: u64, shared: &Shared, room: &impl Room) -> Decision {
        self.note_call(now_ms);
        let hash = shared.hasher.hash(pid);
        match self.filter.find(pid, hash, now_ms, shared.window) {
            Found::Recent => Decision::Known,
            _ => self.track_slowly(pid, hash, now_ms, shared, room),
        }
    }

    #[cold]
    fn track_slowly(
        &self,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        shared: &Shared,
        room: &impl Room,
    ) -> Decision {
        if self.known_again(pid, hash, now_ms, shared, room) {
            return self.answer(Decision::Known);
        }
        let _claim = shared.claims.claim(self.id.0, hash);
        if self.known_again(pid, hash, now_ms, shared, room) {
            return self.answer(Decision::Known);
        }
        self.gate.follow(&shared.default_quota.load(), shared.config.window_ms());
        if let Pass::Refused { wait_ms, interval_ms } = self.gate.charge(now_ms) {
            self.throttled.fetch_add(1, Relaxed);
            let most = shared.config.max_throttle_ms();
            return Decision::Throttled {
                retry_after_ms: retry_after(wait_ms, interval_ms, hash.spread(), most),
            };
        }
        self.count_ghost(pid, hash, now_ms, shared);
        self.filter.insert(pid, hash, now_ms, self.plan(shared), room);
        self.admitted.fetch_add(1, Relaxed);
        self.rate.record(now_ms, shared.config.window_ms());
        self.answer(Decision::Admitted)
    }

    /// `track` without admission.
    pub(crate) fn touch(&self, pid: u64, now_ms: u64, shared: &Shared, room: &impl Room) -> Touch {
        self.note_call(now_ms);
        let hash = shared.hasher.hash(pid);
        match self.filter.find(pid, hash, now_ms, shared.window) {
            Found::Recent => Touch::Known,
            Found::Absent => Touch::New,
            _ if !self.known_again(pid, hash, now_ms, shared, room) => Touch::New,
            _ if self.is_alive() => Touch::Known,
            _ => Touch::Stale,
        }
    }

    /// Records an id without a charge: the host knows it already.
    pub(crate) fn remember(&self, pid: u64, now_ms: u64, shared: &Shared, room: &impl Room) -> Decision {
        self.note_call(now_ms);
        let hash = shared.hasher.hash(pid);
        let _claim = shared.claims.claim(self.id.0, hash);
        if !self.known_again(pid, hash, now_ms, shared, room) {
            self.count_ghost(pid, hash, now_ms, shared);
            self.filter.insert(pid, hash, now_ms, self.plan(shared), room);
            self.re_recorded.fetch_add(1, Relaxed);
        }
        self.answer(Decision::Known)
    }

    pub(crate) fn contains(&self, pid: u64, now_ms: u64, shared: &Shared) -> bool {
        self.filter.find(pid, shared.hasher.hash(pid), now_ms, shared.window) != Found::Absent
    }

    /// Whether the id is live; an older record is renewed on the way.
    fn known_again(&self, pid: u64, hash: PidHash, now_ms: u64, shared: &Shared, room: &impl Room) -> bool {
        loop {
            match self.filter.find(pid, hash, now_ms, shared.window) {
                Found::Recent => return true,
                Found::Absent => return false,
                Found::OlderLayer(_) | Found::OlderEntry { .. } => {
                    if self.filter.renew(pid, hash, now_ms, self.plan(shared), room) {
                        self.re_recorded.fetch_add(1, Relaxed);
                        return true;
                    }
                }
            }
        }
    }

    fn count_ghost(&self, pid: u64, hash: PidHash, now_ms: u64, shared: &Shared) {
        if self.filter.is_ghost(pid, hash, now_ms, shared.window) {
            self.ghost_hits.fetch_add(1, Relaxed);
        }
    }

    /// The answer after writing, or Stale where the writing went down with the principal.
    fn answer(&self, decision: Decision) -> Decision {
        if self.is_alive() {
            decision
        } else {
            Decision::Stale
        }
    }

    /// Its name stands in the map: from now on a sweep may retire it.
    pub(crate) fn activate(&self) {
        // Only the thread that made it calls this, and nothing else changes NEW.
        self.life.store(ACTIVE, Release);
    }

    fn is_alive(&self) -> bool {
        fence(SeqCst); // O6
        let life = self.life.load(Acquire);
        match life & STATE {
            RETIRED => false,
            // Between a sweep's two looks: a call is the proof that it need not look again.
            RETIRING => match self.life.compare_exchange(life, active_again(life), AcqRel, Acquire) {
                Ok(_) => true,
                Err(now) => now & STATE != RETIRED,
            },
            _ => true,
        }
    }

    /// Retires the principal if it has been idle for a window and nothing is lost with it (S6).
    pub(crate) fn retire_if_idle(&self, now_ms: u64, shared: &Shared) -> bool {
        self.gate.follow(&shared.default_quota.load(), shared.config.window_ms());
        let idle =
            || !shared.window.is_live(self.last_call.load(Relaxed), now_ms) && self.gate.is_as_new(now_ms);
        // Before the first look, so that a call which comes after it shows in `turns`.
        let active = self.life.load(Acquire);
        let retiring = active & !STATE | RETIRING;
        if active & STATE != ACTIVE
            || !idle()
            || self.life.compare_exchange(active, retiring, AcqRel, Acquire).is_err()
        {
            return false;
        }
        fence(SeqCst); // O6
        let retires = idle();
        let next = if retires { retiring & !STATE | RETIRED } else { active_again(retiring) };
        self.life.compare_exchange(retiring, next, AcqRel, Acquire).is_ok() && retires
    }

    pub(crate) fn set_quota(&self, quota: Option<Quota>, source: Source, shared: &Shared, now_ms: u64) {
        self.gate.change(quota, source, shared.config.window_ms(), now_ms);
    }

    /// `known` is the slot's Known counter.
    pub(crate) fn stats(&self, known: u64, now_ms: u64, shared: &Shared) -> Stats {
        self.gate.follow(&shared.default_quota.load(), shared.config.window_ms());
        let filter: FilterStats = self.filter.stats(now_ms, shared.window);
        Stats {
            // The counter and what it stood at are both modulo 2^64: a restored count begins below zero.
            known: known.wrapping_sub(self.known_before),
            admitted: self.admitted.load(Relaxed),
            throttled: self.throttled.load(Relaxed),
            re_recorded: self.re_recorded.load(Relaxed),
            ghost_hits: self.ghost_hits.load(Relaxed),
            live_pids: filter.live_pids,
            layers: filter.layers,
            bytes: filter.bytes + self.held.bytes(),
            fill: filter.fill,
            false_positive_rate: filter.false_positive_rate,
            rate_per_hour: self.rate.per_hour(now_ms, shared.config.window_ms()),
            tokens: self.gate.tokens(now_ms).unwrap_or(f64::NAN),
            quota_per_hour: self.gate.quota().map_or(f64::NAN, |quota| quota.rate_per_hour()),
        }
    }
}
