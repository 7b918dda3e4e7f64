//! One owner of keys: its gate, its counters, its life. What it remembers stands beside it, in a ring (src/filter).
//!
//! Life: `NEW -> ACTIVE -> RETIRING -> RETIRED`, with `RETIRING -> ACTIVE` when a call comes in between. The word is
//! `{ turns: 30 bits, state: 2 bits }`; `turns` grows with each way back, so that of two sweeps the slower one cannot finish
//! what a call has since taken back. NEW is one whose name is not in the map yet, or its quota not
//! applied: sweeps leave it alone. A sweep retires a principal that has had no call for a window and whose bucket is full, so that one made anew equals it (S6).
//!
//! Orderings
//! - O6: a call stamps `last_call`, then a sequentially consistent fence, then reads the life, and only then charges and
//!   writes; the sweep sets RETIRING, then such a fence, then reads `last_call`. One of the two sees the other: either the call
//!   finds RETIRING and takes it back, or the sweep finds the stamp and takes it back. Found alive, the principal lives
//!   for a window from the stamp on, and so do its ids: none that was answered Admitted or Known goes down with it
//!   (loom-tests: `o6_admission_against_retirement`, `o6_two_sweeps_against_an_admission`, `o6_known_against_retirement`). A
//!   Known that wrote nothing needs no look at the life: what is recent was written by a call that looked.

use crate::claim::Claims;
use crate::config::Config;
use crate::filter::{FilterStats, Hasher, Plan, Sizing, Window};
use crate::gate::{Gate, Pass};
use crate::quota::{DefaultQuota, Limiter, Quota, Source, Terms};
use crate::rate::Sliding;
use crate::registry::Held;
use crate::snapshot::{FilterPortrait, Portrait};
use crate::stats::Stats;
use crate::sync::{
    fence, Arc, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, SeqCst},
    Snapshot,
};

/// A principal's handle: the slot it stands in and the slot's generation, in one number that a host can hold.
///
/// It is good until the principal has had no call for a window and was swept; then calls answer
/// [`Decision::Stale`](crate::Decision::Stale). Of the 32 bits as many as `max_principals` needs are the slot, the rest the generation: 18 bits at
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

impl Shared {
    fn terms(&self) -> Terms {
        self.config.terms()
    }
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
    /// What a principal takes besides its layers and small set: itself; its empty ring, its gate and limiter with their counts
    /// (about 200 bytes, and a window's samples 176 more) and its place in the map of names; its name, twice, since the map keeps a removed key for its
    /// last readers.
    pub(crate) fn bytes_for(name: &str, limiter: Limiter) -> u64 {
        const SNAPSHOTS: u64 = 256;
        let samples = if limiter == Limiter::Windowed { 176 } else { 0 };
        size_of::<Self>() as u64 + SNAPSHOTS + samples + 2 * name.len() as u64
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

    /// Takes over what a portrait says; its gate was made with what that has left.
    pub(crate) fn restored(mut self, portrait: &Portrait) -> Self {
        let [known, admitted, throttled, re_recorded, ghost_hits] = portrait.counts;
        self.last_call = AtomicU64::new(portrait.last_call);
        self.known_before = self.known_before.wrapping_sub(known);
        self.admitted = AtomicU64::new(admitted);
        self.throttled = AtomicU64::new(throttled);
        self.re_recorded = AtomicU64::new(re_recorded);
        self.ghost_hits = AtomicU64::new(ghost_hits);
        self
    }

    /// With its ring's part, which `ids` gives between what is left of the quota and the time of the last call: an id that comes meanwhile
    /// may be in it uncharged, but lives for a window from its call.
    pub(crate) fn portrait(
        &self,
        known: u64,
        now_ms: u64,
        shared: &Shared,
        ids: impl FnOnce() -> FilterPortrait,
    ) -> Portrait {
        let stats = self.stats(FilterStats::default(), known, now_ms, shared);
        let left = self.gate.left(shared.terms(), now_ms);
        let filter = ids();
        Portrait {
            name: self.name.as_ref().to_owned(),
            is_overflow: self.id == PrincipalId::OVERFLOW,
            last_call: self.last_call.load(Relaxed),
            counts: [stats.known, stats.admitted, stats.throttled, stats.re_recorded, stats.ghost_hits],
            left,
            filter,
        }
    }

    pub(crate) fn id(&self) -> PrincipalId {
        self.id
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    #[inline]
    pub(crate) fn note_call(&self, now_ms: u64) {
        // A load first: within one millisecond all callers but one only read.
        if self.last_call.load(Relaxed) < now_ms {
            self.last_call.fetch_max(now_ms, Relaxed);
        }
    }

    pub(crate) fn plan<'a>(&self, shared: &'a Shared) -> Plan<'a> {
        let config = &shared.config;
        let rate = self.gate.quota().map(|quota| quota.rate_per_hour());
        Plan {
            window: shared.window,
            sizing: &shared.sizing,
            start_capacity: shared.sizing.start_capacity(rate, config.window_ms(), config.layers()),
        }
    }

    /// S11, S12: charges one new id to the gate; a refusal is counted.
    pub(crate) fn charge(&self, now_ms: u64, shared: &Shared) -> Pass {
        self.gate.follow(&shared.default_quota.load(), shared.terms());
        let pass = self.gate.charge(shared.terms(), now_ms);
        if pass != Pass::Admitted {
            self.throttled.fetch_add(1, Relaxed);
        }
        pass
    }

    /// S15: how long a new id would wait behind `ahead` others.
    pub(crate) fn wait_ms(&self, ahead: u32, now_ms: u64, shared: &Shared) -> u64 {
        self.gate.follow(&shared.default_quota.load(), shared.terms());
        self.gate.wait_ms(ahead, shared.terms(), now_ms)
    }

    pub(crate) fn count_admitted(&self, now_ms: u64, shared: &Shared) {
        self.admitted.fetch_add(1, Relaxed);
        self.rate.record(now_ms, shared.config.window_ms());
    }

    pub(crate) fn count_re_recorded(&self) {
        self.re_recorded.fetch_add(1, Relaxed);
    }

    pub(crate) fn count_ghost(&self) {
        self.ghost_hits.fetch_add(1, Relaxed);
    }

    pub(crate) fn is_new(&self) -> bool {
        self.life.load(Acquire) == NEW
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.life.load(Acquire) & STATE == RETIRED
    }

    /// Its name stands in the map and its quota is applied: from now on a sweep may retire it.
    pub(crate) fn settle(&self) {
        // Losing means that another thread has done it.
        let _ = self.life.compare_exchange(NEW, ACTIVE, AcqRel, Acquire);
    }

    /// Whether it lives for a window from this thread's [`note_call`](Self::note_call) on; a sweep that is about to retire it
    /// is stopped.
    pub(crate) fn is_alive(&self) -> bool {
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
        self.gate.follow(&shared.default_quota.load(), shared.terms());
        let idle = || {
            !shared.window.is_live(self.last_call.load(Relaxed), now_ms)
                && self.gate.is_as_new(shared.terms(), now_ms)
        };
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
        self.gate.change(quota, source, shared.terms(), now_ms);
    }

    /// `filter` is its ring's part, `known` the slot's Known counter.
    pub(crate) fn stats(&self, filter: FilterStats, known: u64, now_ms: u64, shared: &Shared) -> Stats {
        self.gate.follow(&shared.default_quota.load(), shared.terms());
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
            tokens: self.gate.tokens(shared.terms(), now_ms).unwrap_or(f64::NAN),
            quota_per_hour: self.gate.quota().map_or(f64::NAN, |quota| quota.rate_per_hour()),
        }
    }
}
