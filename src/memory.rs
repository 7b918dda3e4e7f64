//! The bytes an engine may hold (S8).
//!
//! State: one number, `used`. Bytes are reserved before they are allocated and given back when what they stood for is
//! dropped, so `used` is never below what is held and never above the limit.

use crate::sync::{Arc, AtomicU64, Ordering::Relaxed, Tracked};

/// A limit and what is used of it.
pub(crate) struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, used: AtomicU64::new(0) }
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Takes `bytes`, or none when they would not fit. Lock-free.
    pub(crate) fn reserve(budget: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        Self::reserve_below(budget, bytes, budget.limit)
    }

    /// As [`reserve`](Self::reserve), under a lower limit.
    pub(crate) fn reserve_below(budget: &Arc<Self>, bytes: u64, limit: u64) -> Option<Reservation> {
        budget
            .used
            .fetch_update(Relaxed, Relaxed, |used| used.checked_add(bytes).filter(|&used| used <= limit))
            .ok()
            .map(|_| Reservation { budget: Arc::clone(budget), bytes, _tracked: Tracked::new() })
    }
}

/// Bytes taken from a [`Budget`]; dropping it gives them back.
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
    _tracked: Tracked,
}

impl Reservation {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Relaxed);
    }
}

/// Where reservations come from when the budget may first have to make room.
pub(crate) trait Room {
    /// `bytes`, after dropping other memory where needed; `None` only when even that did not free enough.
    fn reserve(&self, bytes: u64) -> Option<Reservation>;
}

impl Room for Arc<Budget> {
    fn reserve(&self, bytes: u64) -> Option<Reservation> {
        Budget::reserve(self, bytes)
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    #[test]
    fn s8_used_never_passes_the_limit_and_comes_back() {
        let budget = Arc::new(Budget::new(100));
        let first = Budget::reserve(&budget, 60).unwrap();
        assert!(Budget::reserve(&budget, 41).is_none());
        assert!(Budget::reserve(&budget, u64::MAX).is_none());
        let second = Budget::reserve(&budget, 40).unwrap();
        assert_eq!(budget.used(), 100);
        drop(first);
        assert_eq!(budget.used(), 40);
        drop(second);
        assert_eq!(budget.used(), 0);
    }
}
