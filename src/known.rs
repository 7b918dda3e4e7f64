//! How often each slot's principals were Known: the one thing that a call on the way of every request writes.
//!
//! State: a row of counts for each of a few threads, and some rows that all others share. A count in a row of its own is a
//! load and a store, without the locked instruction that costs as much as the rest of a lookup's arithmetic; threads that
//! share a principal do not share a cache line.
//!
//! Orderings
//! - O9: a row is written by the one thread that has it; a thread that ends gives it back with release, and the next takes
//!   it with acquire, so no count is lost (src/sync.rs: `own_row`).

use crate::sync::{own_row, thread_number, AtomicU64, Ordering::Relaxed, OWN_ROWS};

/// Beside each two rows of single threads, one for the others.
const OWN_PER_SHARED: usize = 2;

/// See the module's head.
pub(crate) struct KnownCounts {
    own: Box<[Box<[AtomicU64]>]>,
    shared: Box<[Box<[AtomicU64]>]>,
}

impl KnownCounts {
    pub(crate) fn new(slots: usize) -> Self {
        let row = |_| (0..slots).map(|_| AtomicU64::new(0)).collect();
        Self {
            own: (0..OWN_ROWS).map(row).collect(),
            shared: (0..OWN_ROWS.div_ceil(OWN_PER_SHARED)).map(row).collect(),
        }
    }

    /// Wait-free.
    #[inline]
    pub(crate) fn add(&self, slot: usize) {
        if let Some(row) = own_row().and_then(|row| self.own.get(row)) {
            // O9: nobody else writes here.
            row[slot].store(row[slot].load(Relaxed).wrapping_add(1), Relaxed);
        } else {
            self.shared[thread_number() % self.shared.len()][slot].fetch_add(1, Relaxed);
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Box<[AtomicU64]>> {
        self.own.iter().chain(&self.shared)
    }

    pub(crate) fn of(&self, slot: usize) -> u64 {
        self.rows().map(|row| row.get(slot).map_or(0, |count| count.load(Relaxed))).sum()
    }

    pub(crate) fn total(&self) -> u64 {
        self.rows().flat_map(|row| row.iter()).map(|count| count.load(Relaxed)).sum()
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    /// More threads than rows, one generation after the other: rows change hands and are shared.
    #[test]
    fn o9_no_count_is_lost_by_threads_that_come_and_go() {
        let counts = KnownCounts::new(2);
        for _ in 0..20 {
            std::thread::scope(|scope| {
                (0..20).for_each(|_| {
                    scope.spawn(|| (0..500).for_each(|n| counts.add(n % 2)));
                });
            });
        }
        assert_eq!((counts.of(0), counts.of(1)), (100_000, 100_000));
        assert_eq!(counts.total(), 200_000);
    }
}
