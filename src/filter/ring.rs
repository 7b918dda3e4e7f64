//! The layers of one principal at one moment: an immutable value, replaced as a whole.
//!
//! State: `{ small, open, layers }`. Layers stand oldest first and are grouped by layer period (equal `start_ms`).
//!
//! | state | small | open | layers | new ids go to |
//! |---|---|---|---|---|
//! | small | set | true | none live | the small set |
//! | grown | frozen set | false | some | the newest layer |
//! | large | none | false | some | the newest layer |
//!
//! Expiry is by age, so it needs no write: a layer is live while `now - start < W`, then a ghost for one period
//! (S10), then gone at the next change of the ring. All layers of a period expire together: whatever was recorded in
//! one of them at `t < start + W/L` is known until `start + W > t + W(L-1)/L` (S2).

use super::hash::PidHash;
use super::layer::Layer;
use super::shape::Sizing;
use super::small::{SmallFound, SmallSet, SMALL_CAPACITY};
use super::{FilterStats, Window};
use crate::sync::Arc;

/// See the module's head.
pub(crate) struct Ring<O> {
    owner: Arc<O>,
    pub(super) small: Option<Arc<SmallSet>>,
    pub(super) open: bool,
    pub(super) layers: Vec<Arc<Layer>>,
}

/// Where one id stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Recorded within the last layer period: nothing to do.
    Recent,
    /// Live, but its newest record is in an older layer (its index): to be recorded again.
    OlderLayer(usize),
    /// Live, but its newest record is an older entry of the small set.
    OlderEntry {
        entry: usize,
        recorded_ms: u64,
    },
    Absent,
}

impl<O> Ring<O> {
    /// An empty ring; the small set comes with the first id.
    pub(crate) fn new(owner: Arc<O>) -> Self {
        Self { owner, small: None, open: false, layers: Vec::new() }
    }

    /// Whose ids these are.
    pub(crate) fn owner(&self) -> &Arc<O> {
        &self.owner
    }

    /// Newest first, so that the usual answer costs one cache line. Wait-free.
    #[inline]
    pub(crate) fn find(&self, pid: u64, hash: PidHash, now_ms: u64, window: Window) -> Found {
        for (index, layer) in self.layers.iter().enumerate().rev() {
            if !window.is_live(layer.start_ms(), now_ms) {
                break;
            }
            if layer.contains(hash) {
                return if window.is_recent(layer.start_ms(), now_ms) {
                    Found::Recent
                } else {
                    Found::OlderLayer(index)
                };
            }
        }
        let Some(small) = &self.small else { return Found::Absent };
        match small.find(pid, now_ms, window) {
            SmallFound::Live { recorded_ms, .. } if window.is_recent(recorded_ms, now_ms) => Found::Recent,
            SmallFound::Live { entry, recorded_ms } => Found::OlderEntry { entry, recorded_ms },
            SmallFound::Ghost | SmallFound::Absent => Found::Absent,
        }
    }

    /// S10: an absent id that stood in what expired less than a period ago.
    pub(super) fn is_ghost(&self, pid: u64, hash: PidHash, now_ms: u64, window: Window) -> bool {
        self.layers
            .iter()
            .take_while(|layer| !window.is_live(layer.start_ms(), now_ms))
            .any(|layer| window.is_ghost(layer.start_ms(), now_ms) && layer.contains(hash))
            || self.small.as_ref().is_some_and(|small| small.find(pid, now_ms, window) == SmallFound::Ghost)
    }

    pub(super) fn live_layers(&self, now_ms: u64, window: Window) -> impl Iterator<Item = &Arc<Layer>> {
        self.layers.iter().filter(move |layer| window.is_live(layer.start_ms(), now_ms))
    }

    /// The layer that takes new ids now, unless one must be added first.
    pub(super) fn writable(&self, now_ms: u64, window: Window) -> Option<&Arc<Layer>> {
        self.layers.last().filter(|layer| window.is_recent(layer.start_ms(), now_ms) && !layer.is_full())
    }

    /// This ring without what has gone by: expired layers past their ghost period, a frozen set past its last entry.
    pub(super) fn pruned(&self, now_ms: u64, window: Window) -> Self {
        let kept = |start: u64| window.is_live(start, now_ms) || window.is_ghost(start, now_ms);
        Self {
            owner: Arc::clone(&self.owner),
            small: self.small.clone().filter(|small| self.open || !small.is_spent(now_ms, window)),
            open: self.open,
            layers: self.layers.iter().filter(|layer| kept(layer.start_ms())).cloned().collect(),
        }
    }

    /// This ring without its oldest layer; `None` when it has none.
    pub(super) fn without_oldest(&self) -> Option<Self> {
        let (_, rest) = self.layers.split_first()?;
        let (owner, small) = (Arc::clone(&self.owner), self.small.clone());
        Some(Self { owner, small, open: self.open, layers: rest.to_vec() })
    }

    pub(crate) fn layer_bytes(&self) -> u64 {
        self.layers.iter().map(|layer| layer.bytes()).sum()
    }

    pub(crate) fn stats(&self, now_ms: u64, window: Window) -> FilterStats {
        let small_live = self.small.as_ref().map_or(0, |small| small.live(now_ms, window));
        let mut stats = FilterStats {
            live_pids: small_live,
            bytes: self.layer_bytes() + self.small.as_ref().map_or(0, |_| SmallSet::bytes()),
            fill: if self.open { small_live as f64 / SMALL_CAPACITY as f64 } else { 0.0 },
            ..FilterStats::default()
        };
        let mut passes = 1.0;
        for layer in self.live_layers(now_ms, window) {
            stats.layers += 1;
            stats.live_pids = stats.live_pids.saturating_add(layer.settled());
            stats.fill = layer.recorded() as f64 / layer.shape().capacity as f64;
            passes *= 1.0 - layer.false_positive_rate();
        }
        stats.false_positive_rate = 1.0 - passes;
        stats
    }

    /// S5: start and capacity of the next layer: the same period with twice the capacity while the newest period
    /// lasts, otherwise a new period with what the last window needed.
    pub(super) fn next_layer(&self, start_capacity: u64, now_ms: u64, window: Window) -> (u64, u64, u32) {
        if let Some(newest) = self.layers.last().filter(|l| window.is_recent(l.start_ms(), now_ms)) {
            let shape = newest.shape();
            return (newest.start_ms(), shape.capacity.saturating_mul(2), shape.growth.saturating_add(1));
        }
        // A set that overflowed has its 64 ids to record again, and more to come.
        let from_small = if self.small.is_some() { 2 * SMALL_CAPACITY as u64 } else { 0 };
        let needed = self.most_recorded_in_a_period(now_ms, window).max(from_small);
        (now_ms, Sizing::grid_capacity(start_capacity, needed), 0)
    }

    /// Of the live periods only: two windows after a burst nothing is left of its size.
    fn most_recorded_in_a_period(&self, now_ms: u64, window: Window) -> u64 {
        let expired =
            self.layers.iter().take_while(|layer| !window.is_live(layer.start_ms(), now_ms)).count();
        self.layers[expired..]
            .chunk_by(|one, next| one.start_ms() == next.start_ms())
            .map(|period| period.iter().fold(0u64, |sum, layer| sum.saturating_add(layer.recorded())))
            .max()
            .unwrap_or(0)
    }
}
