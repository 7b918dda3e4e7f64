//! One Bloom layer: what was recorded during one stretch of time.
//!
//! State: `{ start_ms, shape, blocks: [512 bits], recorded, moved }`. Bits only ever go from 0 to 1; a layer is forgotten
//! as a whole. An id is in the layer when its bit is set in each of its block's eight words (one cache line).
//!
//! Orderings: bits are relaxed. A reader that sees some of an id's bits says no, and goes on to the claim (src/claim.rs),
//! whose acquire makes the previous holder's bits visible; a thread that was told Admitted by another has that
//! thread's happens-before. Nothing else hangs on a bit.

use super::hash::PidHash;
use super::shape::{rate_of_load, Shape};
use crate::memory::Reservation;
use crate::snapshot::LayerPortrait;
use crate::sync::{AtomicU64, Ordering::Relaxed};
use crossbeam_utils::CachePadded;

/// Words of a block, each with one bit of an id.
#[cfg(any(not(tollgate_loom), tollgate_shuttle))]
const WORDS: usize = 8;
/// loom explores every order of these; two show all that eight can.
#[cfg(all(tollgate_loom, not(tollgate_shuttle)))]
const WORDS: usize = 2;

/// One cache line, the unit of a lookup.
#[repr(align(64))]
#[derive(Default)]
struct Block([AtomicU64; WORDS]);

/// See the module's head.
pub(crate) struct Layer {
    start_ms: u64,
    shape: Shape,
    blocks: Box<[Block]>,
    /// Ids recorded here; on a line of its own, away from the fields every reader reads.
    recorded: CachePadded<AtomicU64>,
    /// Of those, how many were recorded again in a newer layer: they are not counted twice as live.
    moved: AtomicU64,
    reservation: Reservation,
}

impl Layer {
    /// What [`Layer::new`] will hold, for the reservation.
    pub(crate) fn bytes_for(shape: Shape) -> u64 {
        shape.bytes() + size_of::<Self>() as u64
    }

    pub(crate) fn new(start_ms: u64, shape: Shape, reservation: Reservation) -> Self {
        debug_assert_eq!(reservation.bytes(), Self::bytes_for(shape));
        Self {
            start_ms,
            shape,
            blocks: (0..shape.blocks).map(|_| Block::default()).collect(),
            recorded: CachePadded::new(AtomicU64::new(0)),
            moved: AtomicU64::new(0),
            reservation,
        }
    }

    pub(crate) fn from_portrait(portrait: &LayerPortrait, reservation: Reservation) -> Self {
        let layer = Self::new(portrait.start_ms, Self::shape_of(portrait), reservation);
        for (bits, &word) in layer.blocks.iter().flat_map(|block| &block.0).zip(&portrait.words) {
            bits.store(word, Relaxed);
        }
        layer.recorded.store(portrait.recorded, Relaxed);
        layer.moved.store(portrait.moved, Relaxed);
        layer
    }

    pub(crate) fn shape_of(portrait: &LayerPortrait) -> Shape {
        let blocks = (portrait.words.len() / WORDS) as u64;
        Shape { capacity: portrait.capacity, blocks, growth: portrait.growth }
    }

    pub(crate) fn portrait(&self) -> LayerPortrait {
        LayerPortrait {
            start_ms: self.start_ms,
            capacity: self.shape.capacity,
            growth: self.shape.growth,
            recorded: self.recorded(),
            moved: self.moved.load(Relaxed),
            words: self.blocks.iter().flat_map(|block| &block.0).map(|bits| bits.load(Relaxed)).collect(),
        }
    }

    /// Start of the layer period it belongs to; growth layers share it with the period's first.
    pub(crate) fn start_ms(&self) -> u64 {
        self.start_ms
    }

    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.reservation.bytes()
    }

    pub(crate) fn recorded(&self) -> u64 {
        self.recorded.load(Relaxed)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.recorded() >= self.shape.capacity
    }

    /// Ids whose newest record is here.
    pub(crate) fn settled(&self) -> u64 {
        self.recorded().saturating_sub(self.moved.load(Relaxed))
    }

    /// Notes that one id of this layer was recorded again in a newer one.
    pub(crate) fn move_one(&self) {
        self.moved.fetch_add(1, Relaxed);
    }

    pub(crate) fn false_positive_rate(&self) -> f64 {
        rate_of_load(self.recorded() as f64 / self.shape.blocks as f64)
    }

    #[inline]
    fn block(&self, hash: PidHash) -> &Block {
        let index = (u128::from(hash.block) * self.blocks.len() as u128) >> 64;
        &self.blocks[index as usize]
    }

    /// Wait-free; one cache line.
    #[inline]
    pub(crate) fn contains(&self, hash: PidHash) -> bool {
        // All eight without a branch: they share a line, and a hit needs them all.
        let words = self.block(hash).0.iter().enumerate();
        words.fold(1, |found, (word, bits)| found & (bits.load(Relaxed) >> hash.bit(word))) != 0
    }

    /// Sets the id's bits; counts it when one was unset. Wait-free.
    pub(crate) fn insert(&self, hash: PidHash) {
        let mut flipped = false;
        for (word, bits) in self.block(hash).0.iter().enumerate() {
            let mask = hash.mask(word);
            // A load first: a set bit needs no exclusive line.
            if bits.load(Relaxed) & mask == 0 {
                flipped |= bits.fetch_or(mask, Relaxed) & mask == 0;
            }
        }
        if flipped {
            self.recorded.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;
    use crate::filter::hash::Hasher;
    use crate::filter::shape::Sizing;
    use crate::memory::Budget;
    use crate::sync::Arc;

    fn layer(capacity: u64) -> Layer {
        let shape = Sizing::new(0.001, 4, u64::MAX).shape(capacity, 0);
        let budget = Arc::new(Budget::new(u64::MAX));
        Layer::new(0, shape, Budget::reserve(&budget, Layer::bytes_for(shape)).unwrap())
    }

    #[test]
    fn s2_what_was_inserted_is_contained() {
        let (layer, hasher) = (layer(1000), Hasher::new(3));
        (0..1000).for_each(|pid| layer.insert(hasher.hash(pid)));
        assert!((0..1000).all(|pid| layer.contains(hasher.hash(pid))));
    }

    #[test]
    fn b12_distinct_ids_count_once() {
        let (layer, hasher) = (layer(10), Hasher::new(3));
        (0..9).for_each(|_| layer.insert(hasher.hash(7)));
        assert_eq!(layer.recorded(), 1);
    }

    #[test]
    fn b3_bits_of_two_threads_in_one_word_add_up() {
        let (layer, hasher) = (layer(1), Hasher::new(3));
        assert_eq!(layer.blocks.len(), 1);
        std::thread::scope(|scope| {
            for pid in 0..2 {
                let (layer, hash) = (&layer, hasher.hash(pid));
                scope.spawn(move || layer.insert(hash));
            }
        });
        for (word, bits) in layer.blocks[0].0.iter().enumerate() {
            assert_eq!(bits.load(Relaxed), hasher.hash(0).mask(word) | hasher.hash(1).mask(word));
        }
    }

    #[test]
    fn b10_sequential_ids_stay_within_the_layers_rate() {
        let (layer, hasher) = (layer(250_000), Hasher::new(3));
        (0..layer.shape.capacity).for_each(|pid| layer.insert(hasher.hash(pid)));
        let asked = 1_000_000u64;
        let wrong =
            (1_000_000..1_000_000 + asked).filter(|&pid| layer.contains(hasher.hash(pid))).count() as f64;
        // 0.75 of a quarter of 0.001; four standard deviations above.
        let expected = 0.000_187_6 * asked as f64;
        assert!(wrong <= expected + 4.0 * expected.sqrt(), "{wrong} of {expected}");
    }

    #[test]
    fn b5_the_last_block_of_a_large_layer_is_reachable() {
        let (layer, hasher) = (layer(250_000), Hasher::new(3));
        let mut used = vec![false; layer.blocks.len()];
        for pid in 0..1_000_000u64 {
            used[((u128::from(hasher.hash(pid).block) * layer.blocks.len() as u128) >> 64) as usize] = true;
        }
        assert!(used.iter().all(|&used| used));
    }
}
