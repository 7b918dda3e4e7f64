//! The exact memory of a small principal (S7): up to 64 ids, each with the time it was last recorded.
//!
//! State per entry: `{ pid, stamp }`, where stamp 0 is empty, 1 is being written, and `t + 2` is recorded at time `t`. An
//! entry is live for a window after its stamp. When a 65th id comes while 64 are live the set is *frozen*: the
//! ring keeps it for reading until its last entry has expired, and new ids go to layers.
//!
//! Orderings
//! - O4: `insert` stores the pid, then the stamp with release; `find` loads the stamp with acquire, then the pid. Who sees a
//!   stamp sees its pid (loom-tests: `o4_small_entry_is_read_whole`).
//! - An expired entry is taken over by compare-and-swap of its stamp to 1, so two inserters never share one.

use super::Window;
use crate::memory::Reservation;
use crate::sync::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// Ids held exactly.
#[cfg(not(tollgate_loom))]
pub(crate) const SMALL_CAPACITY: usize = 64;
/// Under a model checker a set of two grows into the filter within the steps it can explore.
#[cfg(tollgate_loom)]
pub(crate) const SMALL_CAPACITY: usize = 2;

const EMPTY: u64 = 0;
const WRITING: u64 = 1;
const FIRST_TIME: u64 = 2;

fn stamp_of(now_ms: u64) -> u64 {
    now_ms.saturating_add(FIRST_TIME)
}

/// `None` for an entry that holds no id.
fn time_of(stamp: u64) -> Option<u64> {
    stamp.checked_sub(FIRST_TIME)
}

struct Entry {
    pid: AtomicU64,
    stamp: AtomicU64,
}

/// See the module's head.
pub(crate) struct SmallSet {
    entries: [Entry; SMALL_CAPACITY],
    /// Entries ever used: a lookup reads no further.
    used: AtomicU32,
    /// Entries of a frozen set whose ids were recorded again in a layer, one bit each.
    moved: AtomicU64,
    _reservation: Reservation,
}

/// Where a small set stands on one id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SmallFound {
    /// Live, recorded at that time, in that entry.
    Live {
        entry: usize,
        recorded_ms: u64,
    },
    /// Expired less than a period ago.
    Ghost,
    Absent,
}

impl SmallSet {
    pub(crate) fn bytes() -> u64 {
        size_of::<Self>() as u64
    }

    pub(crate) fn new(reservation: Reservation) -> Self {
        debug_assert_eq!(reservation.bytes(), Self::bytes());
        Self {
            entries: std::array::from_fn(|_| Entry { pid: AtomicU64::new(0), stamp: AtomicU64::new(EMPTY) }),
            used: AtomicU32::new(0),
            moved: AtomicU64::new(0),
            _reservation: reservation,
        }
    }

    /// Wait-free.
    pub(crate) fn find(&self, pid: u64, now_ms: u64, window: Window) -> SmallFound {
        let mut found = SmallFound::Absent;
        for (index, entry) in self.entries[..self.used.load(Relaxed) as usize].iter().enumerate() {
            if entry.pid.load(Relaxed) != pid {
                continue;
            }
            // O4: the stamp first, then the pid it stands for; the load above was only to pass others by quickly.
            let Some(recorded_ms) = time_of(entry.stamp.load(Acquire)) else { continue };
            if entry.pid.load(Relaxed) != pid {
                continue;
            }
            if window.is_live(recorded_ms, now_ms) {
                return SmallFound::Live { entry: index, recorded_ms };
            }
            if window.is_ghost(recorded_ms, now_ms) {
                found = SmallFound::Ghost;
            }
        }
        found
    }

    /// Records an id; false when all entries are live. A new one comes with its claim held; one that is moved here out of an older
    /// place may come twice when two callers race, which costs an entry and changes no answer. Lock-free.
    #[must_use]
    pub(crate) fn insert(&self, pid: u64, now_ms: u64, window: Window) -> bool {
        // First what is empty or long gone, then what is still of use to count ghosts.
        for spare_ghosts in [true, false] {
            for (index, entry) in self.entries.iter().enumerate() {
                let stamp = entry.stamp.load(Relaxed);
                let free = match time_of(stamp) {
                    Some(time) => {
                        !(window.is_live(time, now_ms) || spare_ghosts && window.is_ghost(time, now_ms))
                    }
                    None => stamp == EMPTY,
                };
                if free && entry.stamp.compare_exchange(stamp, WRITING, Acquire, Relaxed).is_ok() {
                    entry.pid.store(pid, Relaxed);
                    entry.stamp.store(stamp_of(now_ms), Release); // O4
                    self.used.fetch_max(index as u32 + 1, Relaxed);
                    return true;
                }
            }
        }
        false
    }

    /// Records a live id again; false when its entry has changed since it was found (look again). Wait-free.
    #[must_use]
    pub(crate) fn refresh(&self, entry: usize, recorded_ms: u64, now_ms: u64) -> bool {
        let next = stamp_of(now_ms.max(recorded_ms));
        self.entries[entry].stamp.compare_exchange(stamp_of(recorded_ms), next, Release, Relaxed).is_ok()
    }

    /// Notes that an entry's id now stands in a layer too. The entry itself stays: a reader that looked through the layers
    /// before the id came there must still find it here.
    pub(crate) fn move_one(&self, entry: usize) {
        self.moved.fetch_or(1 << entry, Relaxed);
    }

    /// Live ids whose newest record is here.
    pub(crate) fn live(&self, now_ms: u64, window: Window) -> u64 {
        let moved = self.moved.load(Relaxed);
        let live = |&(index, entry): &(usize, &Entry)| {
            moved & 1 << index == 0
                && time_of(entry.stamp.load(Relaxed)).is_some_and(|time| window.is_live(time, now_ms))
        };
        self.entries.iter().enumerate().filter(live).count() as u64
    }

    /// Ids and times of all entries, moved ones too: a snapshot may have been taken before the layer they moved to.
    pub(crate) fn entries(&self) -> Vec<(u64, u64)> {
        let read = |entry: &Entry| loop {
            // O4: the stamp first; an entry that was refreshed or changed hands meanwhile is read again.
            let stamp = entry.stamp.load(Acquire);
            let pid = entry.pid.load(Relaxed);
            if entry.stamp.load(Relaxed) == stamp {
                return time_of(stamp).map(|time| (pid, time));
            }
        };
        self.entries.iter().filter_map(read).collect()
    }

    /// Nothing in it is live or of use for ghosts, and nobody is writing.
    pub(crate) fn is_spent(&self, now_ms: u64, window: Window) -> bool {
        self.entries.iter().all(|entry| {
            let stamp = entry.stamp.load(Relaxed);
            match time_of(stamp) {
                Some(time) => !window.is_live(time, now_ms) && !window.is_ghost(time, now_ms),
                None => stamp == EMPTY,
            }
        })
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;
    use crate::memory::Budget;
    use crate::sync::Arc;

    const WINDOW: Window = Window { window_ms: 400, period_ms: 100 };

    fn small() -> SmallSet {
        SmallSet::new(Budget::reserve(&Arc::new(Budget::new(1 << 20)), SmallSet::bytes()).unwrap())
    }

    #[test]
    fn s7_sixty_four_ids_are_exact_and_the_next_is_refused() {
        let small = small();
        assert!((0..64).all(|pid| small.insert(pid, 10, WINDOW)));
        assert!(!small.insert(64, 10, WINDOW));
        assert!((0..64).all(|pid| matches!(small.find(pid, 10, WINDOW), SmallFound::Live { .. })));
        assert!((64..100_000).all(|pid| small.find(pid, 10, WINDOW) == SmallFound::Absent));
    }

    #[test]
    fn s2_an_entry_lives_for_its_window_then_is_a_ghost_for_a_period() {
        let small = small();
        assert!(small.insert(5, 10, WINDOW));
        assert!(matches!(small.find(5, 409, WINDOW), SmallFound::Live { recorded_ms: 10, .. }));
        assert_eq!(small.find(5, 410, WINDOW), SmallFound::Ghost);
        assert_eq!(small.find(5, 509, WINDOW), SmallFound::Ghost);
        assert_eq!(small.find(5, 510, WINDOW), SmallFound::Absent);
        assert!(small.is_spent(510, WINDOW));
    }

    #[test]
    fn expired_entries_are_used_again() {
        let small = small();
        assert!((0..64).all(|pid| small.insert(pid, 0, WINDOW)));
        assert!((100..164).all(|pid| small.insert(pid, 400, WINDOW)));
        assert_eq!(small.live(400, WINDOW), 64);
        assert_eq!(small.find(3, 400, WINDOW), SmallFound::Absent);
    }

    #[test]
    fn s9_the_ends_of_time_are_legal() {
        let small = small();
        assert!(small.insert(1, 0, WINDOW));
        assert!(small.insert(2, u64::MAX, WINDOW));
        assert!(matches!(small.find(2, u64::MAX, WINDOW), SmallFound::Live { .. }));
        assert_eq!(small.find(1, u64::MAX, WINDOW), SmallFound::Absent);
    }

    #[test]
    fn s7_size() {
        assert!(SmallSet::bytes() <= 1100, "{}", SmallSet::bytes());
    }
}
