//! Who is new: the memory of one principal.
//!
//! Contract: S2 (no false negative within the window), S4 (false positives), S5 (adaptive capacity), S6 (expiry), S7 (small
//! principals), S10 (ghosts).
//!
//! How: one [`Ring`] behind a snapshot cell. Readers load it and look; who sees that a layer must be added or dropped
//! builds the next ring and swaps it by compare-and-swap, and whoever loses that race uses the winner's.
//!
//! Orderings
//! - O2: the ring is published by compare-and-swap (release) and loaded with acquire: who sees a layer sees it whole.
//! - O3: an insert or a refresh writes its entry of the small set, then a sequentially consistent fence, then loads the ring again, and
//!   repeats unless the set is still open; who prunes a ring loads it, then such a fence, then reads the entries. One of the
//!   two sees the other, so neither ends in a set that is dropped as spent (loom-tests:
//!   `o3_insert_against_growth_and_pruning`, `o3_refresh_against_growth_and_pruning`).

mod hash;
mod layer;
mod portrait;
mod ring;
mod shape;
mod small;

pub(crate) use hash::{Hasher, PidHash};
pub(crate) use ring::{Found, Ring};
pub(crate) use shape::{rate_of_load, Sizing};

use crate::memory::Room;
use crate::sync::{fence, Arc, Guard, Ordering::SeqCst, SnapshotOption, Wait};
use layer::Layer;
use small::SmallSet;

/// Evicted bytes are free once their last reader is through, a matter of nanoseconds; a reservation that fails this often
/// fails because nothing is left to evict.
const RESERVE_TRIES: u32 = 8;

/// W and W/L, and what an age means under them. Ages saturate at 0: a time ahead of `now` is now (S9).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) window_ms: u64,
    /// W/L rounded up: whole milliseconds then satisfy S2's bound exactly.
    pub(crate) period_ms: u64,
}

impl Window {
    pub(crate) fn is_live(self, start_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(start_ms) < self.window_ms
    }

    pub(crate) fn is_recent(self, start_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(start_ms) < self.period_ms
    }

    pub(crate) fn is_ghost(self, start_ms: u64, now_ms: u64) -> bool {
        let age = now_ms.saturating_sub(start_ms);
        age >= self.window_ms && age - self.window_ms < self.period_ms
    }
}

/// What a filter needs to know to grow.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    pub(crate) window: Window,
    pub(crate) sizing: &'a Sizing,
    /// S5's N under the principal's quota.
    pub(crate) start_capacity: u64,
}

/// Gauges of one filter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterStats {
    pub(crate) live_pids: u64,
    pub(crate) layers: u64,
    pub(crate) bytes: u64,
    pub(crate) fill: f64,
    pub(crate) false_positive_rate: f64,
}

/// What one try to record an id came to.
enum Insert {
    Done,
    /// The ring has changed meanwhile.
    Again,
    NoRoom,
}

/// What one look at an id to be recorded again came to.
enum Renew {
    Done,
    /// To be inserted where new ids go.
    Insert,
    /// Not found in that place any more.
    Changed,
}

/// See the module's head. Owner and ring stand in one snapshot, so that one load gives a call both; calls name the owner
/// they mean, and change nothing once another has moved in.
pub(crate) struct Filter<O> {
    ring: SnapshotOption<Ring<O>>,
}

impl<O> Filter<O> {
    /// Without an owner.
    pub(crate) fn vacant() -> Self {
        Self { ring: SnapshotOption::empty() }
    }

    pub(crate) fn move_in(&self, ring: Ring<O>) {
        self.ring.store(Some(Arc::new(ring)));
    }

    pub(crate) fn move_out(&self) {
        self.ring.store(None);
    }

    /// The owner and its ring, or none. Wait-free.
    #[inline]
    pub(crate) fn load(&self) -> Guard<Option<Arc<Ring<O>>>> {
        self.ring.load()
    }

    /// Runs `look` on the owner's ring; `None` when the owner has moved out.
    fn with<T>(&self, owner: &Arc<O>, look: impl FnOnce(&Arc<Ring<O>>) -> T) -> Option<T> {
        self.load().as_ref().filter(|ring| Arc::ptr_eq(ring.owner(), owner)).map(look)
    }

    /// What the exact set of a small principal takes.
    pub(crate) fn small_bytes() -> u64 {
        SmallSet::bytes()
    }

    /// Wait-free.
    pub(crate) fn find(&self, owner: &Arc<O>, pid: u64, hash: PidHash, now_ms: u64, window: Window) -> Found {
        self.with(owner, |ring| ring.find(pid, hash, now_ms, window)).unwrap_or(Found::Absent)
    }

    pub(crate) fn is_ghost(
        &self,
        owner: &Arc<O>,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        window: Window,
    ) -> bool {
        self.with(owner, |ring| ring.is_ghost(pid, hash, now_ms, window)).unwrap_or(false)
    }

    /// Records again an id that was found in an older place. False: the place has changed, find again. Lock-free.
    #[must_use]
    pub(crate) fn renew(
        &self,
        owner: &Arc<O>,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        plan: Plan<'_>,
        room: &impl Room,
    ) -> bool {
        let looked = self.with(owner, |ring| match ring.find(pid, hash, now_ms, plan.window) {
            Found::Recent => Renew::Done,
            Found::Absent => Renew::Changed,
            Found::OlderLayer(index) => {
                ring.layers[index].move_one();
                Renew::Insert
            }
            Found::OlderEntry { entry, recorded_ms } => {
                let Some(small) = &ring.small else { return Renew::Changed };
                if !ring.open {
                    small.move_one(entry);
                } else if !small.refresh(entry, recorded_ms, now_ms) {
                    return Renew::Changed;
                } else {
                    fence(SeqCst); // O3
                    if self.still_open(small) {
                        return Renew::Done;
                    }
                }
                Renew::Insert
            }
        });
        match looked {
            Some(Renew::Done) => true,
            // The ring is not held by now: an eviction to make room could free none of its layers.
            Some(Renew::Insert) => {
                self.insert(owner, pid, hash, now_ms, plan, room);
                true
            }
            Some(Renew::Changed) | None => false,
        }
    }

    /// Records an id where new ids go now. Lock-free. Where the budget has nothing left to evict, the id goes to the newest
    /// layer there is, full or not, or is forgotten at once (S8).
    pub(crate) fn insert(
        &self,
        owner: &Arc<O>,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        plan: Plan<'_>,
        room: &impl Room,
    ) {
        let mut starved = 0;
        let wait = Wait::new();
        while starved < RESERVE_TRIES {
            match self.with(owner, |ring| self.insert_once(ring, pid, hash, now_ms, plan, room)) {
                Some(Insert::Done) | None => return,
                Some(Insert::Again) => {}
                Some(Insert::NoRoom) => {
                    starved += 1;
                    wait.pause();
                }
            }
        }
        // Overfull is better than forgotten: more false positives, which let traffic pass.
        self.with(owner, |ring| ring.layers.last().map(|newest| newest.insert(hash)));
    }

    fn insert_once(
        &self,
        ring: &Arc<Ring<O>>,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        plan: Plan<'_>,
        room: &impl Room,
    ) -> Insert {
        let stays = if ring.open {
            let small = ring.small.as_ref().expect("an open ring has a small set");
            small.insert(pid, now_ms, plan.window).then(|| {
                fence(SeqCst); // O3
                self.still_open(small)
            })
        } else {
            ring.writable(now_ms, plan.window).map(|layer| {
                layer.insert(hash);
                // No rule hangs on this look: a layer that expires takes only what has expired. But an eviction (S8)
                // may just have taken this one, and then the id is better recorded once more.
                self.still_holds(layer)
            })
        };
        match stays {
            Some(true) => Insert::Done,
            Some(false) => Insert::Again,
            None if self.extend(ring, now_ms, plan, room) => Insert::Again,
            None => Insert::NoRoom,
        }
    }

    fn still_open(&self, small: &Arc<SmallSet>) -> bool {
        self.load()
            .as_ref()
            .is_some_and(|ring| ring.open && ring.small.as_ref().is_some_and(|now| Arc::ptr_eq(now, small)))
    }

    fn still_holds(&self, layer: &Arc<Layer>) -> bool {
        let ring = self.load();
        ring.as_ref().is_some_and(|ring| ring.layers.iter().rev().any(|held| Arc::ptr_eq(held, layer)))
    }

    /// Adds the small set or the layer that new ids need; false when there was no memory for it.
    #[must_use]
    fn extend(&self, ring: &Arc<Ring<O>>, now_ms: u64, plan: Plan<'_>, room: &impl Room) -> bool {
        fence(SeqCst); // O3
        let mut next = ring.pruned(now_ms, plan.window);
        let quiet =
            !ring.open && next.small.is_none() && next.live_layers(now_ms, plan.window).next().is_none();
        if quiet {
            let Some(bytes) = room.reserve(SmallSet::bytes()) else { return false };
            next.small = Some(Arc::new(SmallSet::new(bytes)));
            next.open = true;
        } else {
            let (start_ms, capacity, growth) = next.next_layer(plan.start_capacity, now_ms, plan.window);
            let shape = plan.sizing.shape(capacity, growth);
            let Some(bytes) = room.reserve(Layer::bytes_for(shape)) else { return false };
            next.layers.push(Arc::new(Layer::new(start_ms, shape, bytes)));
            next.open = false;
        }
        // Losing is fine: the winner's ring is loaded next.
        let _ = self.ring.replace(ring, Arc::new(next));
        true
    }

    /// Drops what has gone by (S6); the number of layers dropped.
    pub(crate) fn prune(&self, now_ms: u64, window: Window) -> u32 {
        let held = self.load();
        let Some(ring) = held.as_ref() else { return 0 };
        fence(SeqCst); // O3
        let next = ring.pruned(now_ms, window);
        let dropped = ring.layers.len() - next.layers.len();
        let changed = dropped > 0 || next.small.is_some() != ring.small.is_some();
        if changed && self.ring.replace(ring, Arc::new(next)) {
            dropped as u32
        } else {
            0
        }
    }

    /// S8: drops the oldest layer before its time, down to and with the last. Gives its bytes, which are free once nobody
    /// reads it any more; 0 when there was none or another thread changed the ring.
    pub(crate) fn evict_oldest(&self) -> u64 {
        let held = self.load();
        let Some(ring) = held.as_ref() else { return 0 };
        let Some(next) = ring.without_oldest() else { return 0 };
        if self.ring.replace(ring, Arc::new(next)) {
            ring.layers[0].bytes()
        } else {
            0
        }
    }
}
