//! A ring into a snapshot and back (S14).

use super::hash::Hasher;
use super::layer::Layer;
use super::ring::Ring;
use super::small::{SmallFound, SmallSet};
use super::Window;
use crate::memory::Room;
use crate::snapshot::FilterPortrait;
use crate::sync::Arc;

impl<O> Ring<O> {
    pub(crate) fn portrait(&self) -> FilterPortrait {
        FilterPortrait {
            open: self.open,
            small: self.small.as_ref().map_or_else(Vec::new, |small| small.entries()),
            layers: self.layers.iter().map(|layer| layer.portrait()).collect(),
        }
    }

    /// Takes over a portrait's layers that are of use at `now_ms` and fit the budget, newest first; gives how many those are.
    pub(crate) fn restore(
        &mut self,
        portrait: &FilterPortrait,
        now_ms: u64,
        window: Window,
        hasher: Hasher,
        room: &impl Room,
    ) -> u64 {
        let of_use = |start: u64| window.is_live(start, now_ms) || window.is_ghost(start, now_ms);
        self.layers = portrait
            .layers
            .iter()
            .rev()
            .take_while(|layer| of_use(layer.start_ms))
            .map_while(|layer| {
                let bytes = room.reserve(Layer::bytes_for(Layer::shape_of(layer)))?;
                Some(Arc::new(Layer::from_portrait(layer, bytes)))
            })
            .collect();
        self.layers.reverse();
        let entries: Vec<_> = portrait.small.iter().filter(|(_, recorded_ms)| of_use(*recorded_ms)).collect();
        let bytes = if portrait.open || !entries.is_empty() { room.reserve(SmallSet::bytes()) } else { None };
        self.small = bytes.map(|bytes| {
            let small = SmallSet::new(bytes);
            for &&(pid, recorded_ms) in &entries {
                // A portrait holds no more entries than a set; one that was made up may, and loses the rest.
                let _ = small.insert(pid, recorded_ms, window);
                // Recorded again in a layer: not to be counted twice as live.
                if self.layers.iter().any(|layer| layer.contains(hasher.hash(pid))) {
                    if let SmallFound::Live { entry, .. } = small.find(pid, recorded_ms, window) {
                        small.move_one(entry);
                    }
                }
            }
            Arc::new(small)
        });
        self.open = portrait.open && self.small.is_some();
        self.layers.len() as u64
    }
}
