//! How much memory the tables of producer IDs may take. When they would take more, all of them go on with half of the IDs: those
//! whose mixed bits begin with one zero more. An ID that is kept has all its sights, in every table, so that what is counted
//! of the kept ones stands for all.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

use super::lock;

/// One in 2^40 IDs is none: enough for any log.
const MOST_HALVINGS: usize = 40;

pub struct Budget {
    limit: usize,
    /// Bytes of tables that have halved so often.
    used: Mutex<[usize; MOST_HALVINGS + 1]>,
    halvings: AtomicU32,
}

impl Budget {
    pub fn new(limit: usize) -> Self {
        Self { limit, used: Mutex::new([0; MOST_HALVINGS + 1]), halvings: AtomicU32::new(0) }
    }

    /// One in 2^`halvings` IDs is kept. Tables look at it whenever they take something in; an older value only keeps more.
    pub fn halvings(&self) -> u32 {
        self.halvings.load(Ordering::Relaxed)
    }

    /// A table that held `before` (halvings and bytes) holds `after`.
    pub fn account(&self, before: (u32, usize), after: (u32, usize)) {
        let mut used = lock(&self.used);
        used[before.0 as usize] -= before.1;
        used[after.0 as usize] += after.1;
        let mut halvings = self.halvings() as usize;
        // What it will be when all have halved as they were told: who is late must not make the others halve for it.
        let to_be = |halvings: usize| -> usize {
            used.iter().enumerate().map(|(done, bytes)| bytes >> halvings.saturating_sub(done)).sum()
        };
        while to_be(halvings) > self.limit && halvings < MOST_HALVINGS {
            halvings += 1;
        }
        self.halvings.store(halvings as u32, Ordering::Relaxed);
    }
}

/// Whether an ID is among one in 2^`halvings`. IDs come in sequence: their bits are mixed first (splitmix64).
pub fn is_kept(producer_id: i64, halvings: u32) -> bool {
    let mut mixed = (producer_id as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).leading_zeros() >= halvings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_halving_keeps_half_of_ids_in_sequence() {
        for halvings in 0..6 {
            let kept = (5_000_000..5_064_000).filter(|&id| is_kept(id, halvings)).count() as f64;
            let expected = 64_000.0 / f64::from(1 << halvings);
            assert!((kept - expected).abs() < 5.0 * expected.sqrt(), "{halvings}: {kept}");
        }
        assert!((0..1_000).all(|id| is_kept(id, 3) || !is_kept(id, 4)), "kept of fewer, and not of more");
    }

    #[test]
    fn who_is_late_does_not_make_the_others_halve_for_it() {
        let budget = Budget::new(100);
        budget.account((0, 0), (0, 90));
        budget.account((0, 0), (0, 10));
        assert_eq!(budget.halvings(), 0);
        budget.account((0, 10), (0, 20));
        assert_eq!(budget.halvings(), 1);
        // The small one has halved and grows again; the large one, still at 90, counts as 45.
        budget.account((0, 20), (1, 10));
        budget.account((1, 10), (1, 55));
        assert_eq!(budget.halvings(), 1);
        budget.account((1, 55), (1, 56));
        assert_eq!(budget.halvings(), 2);
    }
}
