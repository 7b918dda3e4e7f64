//! How the engine makes room when its memory is full (S8).

use super::Engine;
use crate::memory::{Budget, Reservation, Room};
use crate::sync::Ordering::Relaxed;
use std::collections::BinaryHeap;

/// Evictions go on until this part of the memory is free again, so that they are seldom.
const FREE_AFTER_EVICTION: u64 = 16;

impl Engine {
    /// S8: the oldest layers of the largest principals go, until `bytes` and a little more are free.
    #[cold]
    fn evict(&self, bytes: u64) {
        let mut largest = BinaryHeap::new();
        let mut filters = Vec::new();
        self.registry.for_each(|slot, ring| {
            let held = ring.layer_bytes();
            if held > 0 {
                largest.push((held, filters.len()));
                filters.push(slot.filter());
            }
        });
        let wanted = bytes.saturating_add(self.budget.limit() / FREE_AFTER_EVICTION);
        let mut missing = self.budget.used().saturating_add(wanted).saturating_sub(self.budget.limit());
        while missing > 0 {
            let Some((_, index)) = largest.pop() else { return };
            let filter = filters[index];
            // Counted as they are dropped, not as they come free: the caller may itself hold the ring they were in.
            let evicted = filter.evict_oldest();
            missing = missing.saturating_sub(evicted);
            self.evicted_layers.fetch_add(u64::from(evicted > 0), Relaxed);
            let held = filter.load().as_ref().map_or(0, |ring| ring.layer_bytes());
            if held > 0 {
                largest.push((held, index));
            }
        }
    }
}

impl Room for Engine {
    fn reserve(&self, bytes: u64) -> Option<Reservation> {
        Budget::reserve(&self.budget, bytes).or_else(|| {
            self.evict(bytes);
            Budget::reserve(&self.budget, bytes)
        })
    }
}
