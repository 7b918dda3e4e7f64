//! Producer ids to well-mixed bits.
//!
//! Kafka hands out ids in blocks of a thousand, one after the other. Unmixed, such ids fill neighbouring places and a
//! Bloom filter calls up to all of the next block seen; so every id goes through seeded XXH3 (S4). The seed is
//! secret and per engine: who does not know it cannot choose ids that collide.

use xxhash_rust::xxh3::xxh3_128_with_seed;

/// One id's 128 bits: where its block lies in any layer, and which bit it has in each of the block's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PidHash {
    /// Scaled to a layer's block count by its high bits, so that layers of any size use all their blocks (B5).
    pub(crate) block: u64,
    /// Six bits for each of eight words; the rest spreads retry times.
    pub(crate) bits: u64,
}

impl PidHash {
    /// The bit's number in word `word` (0 to 7) of the block.
    #[inline]
    pub(crate) fn bit(self, word: usize) -> u32 {
        (self.bits >> (6 * word)) as u32 & 63
    }

    /// The bit in word `word` as a mask.
    #[inline]
    pub(crate) fn mask(self, word: usize) -> u64 {
        1 << self.bit(word)
    }

    /// A number that has nothing to do with the id's place in a filter: the 16 bits no mask uses.
    pub(crate) fn spread(self) -> u16 {
        (self.bits >> 48) as u16
    }
}

/// The engine's seeded hash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hasher {
    seed: u64,
}

impl Hasher {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    #[inline]
    pub(crate) fn hash(self, pid: u64) -> PidHash {
        let hash = xxh3_128_with_seed(&pid.to_le_bytes(), self.seed);
        PidHash { block: (hash >> 64) as u64, bits: hash as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s4_sequential_ids_spread_over_blocks_and_bits() {
        let hasher = Hasher::new(7);
        let mut blocks = [0u32; 64];
        let mut bits = [[0u32; 64]; 8];
        for pid in 0..64_000u64 {
            let hash = hasher.hash(pid);
            blocks[(hash.block >> 58) as usize] += 1;
            for (word, seen) in bits.iter_mut().enumerate() {
                seen[hash.mask(word).trailing_zeros() as usize] += 1;
            }
        }
        // 1,000 expected in each of the cells; six standard deviations are 190.
        for count in blocks.iter().chain(bits.iter().flatten()) {
            assert!((810..=1190).contains(count), "{count}");
        }
    }

    #[test]
    fn s4_another_seed_gives_other_places() {
        let same = (0..1000u64).filter(|&pid| Hasher::new(1).hash(pid) == Hasher::new(2).hash(pid)).count();
        assert_eq!(same, 0);
    }
}
