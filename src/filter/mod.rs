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
mod ring;
mod shape;
mod small;

pub(crate) use hash::{Hasher, PidHash};
pub(crate) use ring::Found;
pub(crate) use shape::Sizing;

use crate::memory::Room;
use crate::snapshot::FilterPortrait;
use crate::sync::{fence, Arc, Ordering::SeqCst, Snapshot, Wait};
use layer::Layer;
use ring::Ring;
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

/// See the module's head.
pub(crate) struct Filter {
    ring: Snapshot<Ring>,
}

impl Filter {
    /// An empty filter; the small set comes with the first id.
    pub(crate) fn new() -> Self {
        Self { ring: Snapshot::new(Arc::new(Ring::default())) }
    }

    pub(crate) fn portrait(&self) -> FilterPortrait {
        let ring = self.ring.load();
        FilterPortrait {
            open: ring.open,
            small: ring.small.as_ref().map_or_else(Vec::new, |small| small.entries()),
            layers: ring.layers.iter().map(|layer| layer.portrait()).collect(),
        }
    }

    /// The filter of a portrait, with the layers that are of use at `now_ms` and fit the budget, newest first; and how many
    /// those are.
    pub(crate) fn from_portrait(
        portrait: &FilterPortrait,
        now_ms: u64,
        window: Window,
        room: &impl Room,
    ) -> (Self, u64) {
        let of_use = |start: u64| window.is_live(start, now_ms) || window.is_ghost(start, now_ms);
        let mut layers: Vec<_> = portrait
            .layers
            .iter()
            .rev()
            .take_while(|layer| of_use(layer.start_ms))
            .map_while(|layer| {
                let bytes = room.reserve(Layer::bytes_for(Layer::shape_of(layer)))?;
                Some(Arc::new(Layer::from_portrait(layer, bytes)))
            })
            .collect();
        layers.reverse();
        let kept = layers.len() as u64;
        let entries: Vec<_> = portrait.small.iter().filter(|(_, recorded_ms)| of_use(*recorded_ms)).collect();
        let bytes = if portrait.open || !entries.is_empty() { room.reserve(SmallSet::bytes()) } else { None };
        let small = bytes.map(|bytes| {
            let small = SmallSet::new(bytes);
            for &&(pid, recorded_ms) in &entries {
                // A portrait holds no more entries than a set; one that was made up may, and loses the rest.
                let _ = small.insert(pid, recorded_ms, window);
            }
            Arc::new(small)
        });
        let ring = Ring { open: portrait.open && small.is_some(), small, layers };
        (Self { ring: Snapshot::new(Arc::new(ring)) }, kept)
    }

    /// What the exact set of a small principal takes.
    pub(crate) fn small_bytes() -> u64 {
        SmallSet::bytes()
    }

    /// Wait-free.
    #[inline]
    pub(crate) fn find(&self, pid: u64, hash: PidHash, now_ms: u64, window: Window) -> Found {
        self.ring.load().find(pid, hash, now_ms, window)
    }

    pub(crate) fn is_ghost(&self, pid: u64, hash: PidHash, now_ms: u64, window: Window) -> bool {
        self.ring.load().is_ghost(pid, hash, now_ms, window)
    }

    /// Records again an id that was found in an older place. False: the place has changed, find again. Lock-free.
    #[must_use]
    pub(crate) fn renew(
        &self,
        pid: u64,
        hash: PidHash,
        now_ms: u64,
        plan: Plan<'_>,
        room: &impl Room,
    ) -> bool {
        let ring = self.ring.load();
        match ring.find(pid, hash, now_ms, plan.window) {
            Found::Recent => {}
            Found::Absent => return false,
            Found::OlderLayer(index) => {
                ring.layers[index].move_one();
                // Not held while inserting: an eviction to make room could free none of this ring's layers.
                drop(ring);
                self.insert(pid, hash, now_ms, plan, room);
            }
            Found::OlderEntry { entry, recorded_ms } => {
                let Some(small) = &ring.small else { return false };
                if ring.open {
                    if !small.refresh(entry, recorded_ms, now_ms) {
                        return false;
                    }
                    fence(SeqCst); // O3
                    if self.still_open(small) {
                        return true;
                    }
                } else {
                    small.move_one(entry);
                }
                drop(ring);
                self.insert(pid, hash, now_ms, plan, room);
            }
        }
        true
    }

    /// Records an id where new ids go now. Lock-free. Where the budget has nothing left to evict, the id goes to the newest
    /// layer there is, full or not, or is forgotten at once (S8).
    pub(crate) fn insert(&self, pid: u64, hash: PidHash, now_ms: u64, plan: Plan<'_>, room: &impl Room) {
        let mut starved = 0;
        let wait = Wait::new();
        loop {
            let ring = self.ring.load();
            if ring.open {
                let small = ring.small.as_ref().expect("an open ring has a small set");
                if small.insert(pid, now_ms, plan.window) {
                    fence(SeqCst); // O3
                    if self.still_open(small) {
                        return;
                    }
                    continue;
                }
            } else if let Some(layer) = ring.writable(now_ms, plan.window) {
                layer.insert(hash);
                // No rule hangs on this look: a layer that expires takes only what has expired. But an eviction (S8) may
                // just have taken this one, and then the id is better recorded once more.
                if self.still_holds(layer) {
                    return;
                }
                continue;
            }
            if !self.extend(&ring, now_ms, plan, room) {
                starved += 1;
                if starved == RESERVE_TRIES {
                    // Overfull is better than forgotten: more false positives, which let traffic pass.
                    if let Some(newest) = ring.layers.last() {
                        newest.insert(hash);
                    }
                    return;
                }
                drop(ring);
                wait.pause();
            }
        }
    }

    fn still_open(&self, small: &Arc<SmallSet>) -> bool {
        let ring = self.ring.load();
        ring.open && ring.small.as_ref().is_some_and(|now| Arc::ptr_eq(now, small))
    }

    fn still_holds(&self, layer: &Arc<Layer>) -> bool {
        self.ring.load().layers.iter().rev().any(|held| Arc::ptr_eq(held, layer))
    }

    /// Adds the small set or the layer that new ids need; false when there was no memory for it.
    #[must_use]
    fn extend(&self, ring: &Arc<Ring>, now_ms: u64, plan: Plan<'_>, room: &impl Room) -> bool {
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
        let ring = self.ring.load();
        fence(SeqCst); // O3
        let next = ring.pruned(now_ms, window);
        let dropped = ring.layers.len() - next.layers.len();
        let changed = dropped > 0 || next.small.is_some() != ring.small.is_some();
        if changed && self.ring.replace(&ring, Arc::new(next)) {
            dropped as u32
        } else {
            0
        }
    }

    /// S8: drops the oldest layer before its time, down to and with the last. Gives its bytes, which are free once nobody
    /// reads it any more; 0 when there was none or another thread changed the ring.
    pub(crate) fn evict_oldest(&self) -> u64 {
        let ring = self.ring.load();
        let Some(oldest) = ring.layers.first() else { return 0 };
        let bytes = oldest.bytes();
        let next = Ring { layers: ring.layers[1..].to_vec(), ..Ring::clone(&ring) };
        if self.ring.replace(&ring, Arc::new(next)) {
            bytes
        } else {
            0
        }
    }

    pub(crate) fn layer_bytes(&self) -> u64 {
        self.ring.load().layers.iter().map(|layer| layer.bytes()).sum()
    }

    pub(crate) fn stats(&self, now_ms: u64, window: Window) -> FilterStats {
        let ring = self.ring.load();
        let small_live = ring.small.as_ref().map_or(0, |small| small.live(now_ms, window));
        let mut stats = FilterStats {
            live_pids: small_live,
            bytes: ring.layers.iter().map(|layer| layer.bytes()).sum::<u64>()
                + ring.small.as_ref().map_or(0, |_| SmallSet::bytes()),
            fill: if ring.open { small_live as f64 / small::SMALL_CAPACITY as f64 } else { 0.0 },
            ..FilterStats::default()
        };
        let mut passes = 1.0;
        for layer in ring.live_layers(now_ms, window) {
            stats.layers += 1;
            stats.live_pids += layer.settled();
            stats.fill = layer.recorded() as f64 / layer.shape().capacity as f64;
            passes *= 1.0 - layer.false_positive_rate();
        }
        stats.false_positive_rate = 1.0 - passes;
        stats
    }
}
