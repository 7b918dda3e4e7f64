//! The only module that names `std::sync`, `arc_swap`, `papaya`, `crossbeam_queue` or a model checker.
//!
//! Everything above takes its atomics, its snapshot cell, its map of names, its queue of slots and its way to wait from
//! here, so that a model checker can replace them: under the private cfg `tollgate_loom` the atomics are loom's, under
//! `tollgate_shuttle` beside it shuttle's, and what a checker cannot see into has a stand-in (src/sync/modelled.rs).

pub(crate) use std::sync::Arc;

#[cfg(not(tollgate_loom))]
mod real {
    use super::Arc;
    pub(crate) use arc_swap::Guard;
    use arc_swap::{ArcSwap, ArcSwapOption};
    pub(crate) use crossbeam_queue::ArrayQueue;
    pub(crate) use std::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};

    /// A shared immutable value that is replaced as a whole.
    pub(crate) struct Snapshot<T>(ArcSwap<T>);

    impl<T> Snapshot<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Self(ArcSwap::new(value))
        }

        /// Wait-free.
        pub(crate) fn load(&self) -> Guard<Arc<T>> {
            self.0.load()
        }

        /// Puts `next` in place of `current`; false when another value was there already.
        #[must_use]
        pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
            let previous = self.0.compare_and_swap(current, next);
            Arc::ptr_eq(&previous, current)
        }
    }

    /// A slot that holds a shared value or nothing.
    pub(crate) struct SnapshotOption<T>(ArcSwapOption<T>);

    impl<T> SnapshotOption<T> {
        pub(crate) fn empty() -> Self {
            Self(ArcSwapOption::empty())
        }

        /// Wait-free.
        pub(crate) fn load(&self) -> Guard<Option<Arc<T>>> {
            self.0.load()
        }

        pub(crate) fn store(&self, value: Option<Arc<T>>) {
            self.0.store(value);
        }

        /// Puts `next` in place of `current`; false when it was not there any more.
        #[must_use]
        pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
            let previous = self.0.compare_and_swap(Arc::as_ptr(current), Some(next));
            previous.as_ref().is_some_and(|previous| Arc::ptr_eq(previous, current))
        }
    }

    /// Values by name, read without locks.
    pub(crate) struct Names<V>(papaya::HashMap<Arc<str>, V>);

    impl<V: Send> Names<V> {
        pub(crate) fn new() -> Self {
            Self(papaya::HashMap::new())
        }

        pub(crate) fn len(&self) -> usize {
            self.0.len()
        }

        pub(crate) fn get<T>(&self, name: &str, read: impl FnOnce(&V) -> T) -> Option<T> {
            self.0.pin().get(name).map(read)
        }

        /// The value that stands there afterwards: of several callers the first one's.
        pub(crate) fn get_or_insert(&self, name: Arc<str>, value: V) -> V
        where
            V: Copy,
        {
            *self.0.pin().get_or_insert(name, value)
        }

        pub(crate) fn insert(&self, name: Arc<str>, value: V) {
            self.0.pin().insert(name, value);
        }

        pub(crate) fn remove(&self, name: &str) {
            self.0.pin().remove(name);
        }

        /// Removes it if it is that value.
        pub(crate) fn remove_value(&self, name: &str, value: V)
        where
            V: Copy + PartialEq,
        {
            // Holding another value, it stays.
            let _ = self.0.pin().remove_if(name, |_, held| *held == value);
        }
    }

    /// What a model checker counts to tell that something was never dropped.
    pub(crate) struct Tracked;

    impl Tracked {
        pub(crate) fn new() -> Self {
            Self
        }
    }

    /// Waits for another thread's few instructions: spins, then yields.
    pub(crate) struct Wait(crossbeam_utils::Backoff);

    impl Wait {
        pub(crate) fn new() -> Self {
            Self(crossbeam_utils::Backoff::new())
        }

        pub(crate) fn pause(&self) {
            self.0.snooze();
        }
    }

    /// Rows of counts for threads to have to themselves. Not the number of processors: a thread keeps its row while it sleeps.
    pub(crate) const OWN_ROWS: usize = 8;

    /// The row that this thread alone has, from its first call here until it ends (O9). None where all are
    /// taken.
    #[inline]
    pub(crate) fn own_row() -> Option<usize> {
        use std::sync::atomic::AtomicBool;
        static TAKEN: [AtomicBool; OWN_ROWS] = [const { AtomicBool::new(false) }; OWN_ROWS];
        struct Row(Option<usize>);
        impl Row {
            fn take() -> Self {
                let mut rows = TAKEN.iter().enumerate();
                Self(rows.find(|(_, taken)| !taken.swap(true, Ordering::Acquire)).map(|(row, _)| row))
            }
        }
        impl Drop for Row {
            fn drop(&mut self) {
                if let Some(row) = self.0 {
                    TAKEN[row].store(false, Ordering::Release);
                }
            }
        }
        thread_local! {
            static ROW: Row = Row::take();
        }
        // A thread that is ending has given its row back.
        ROW.try_with(|row| row.0).unwrap_or(None)
    }

    /// A small number that differs between threads, handed out round-robin at a thread's first call.
    pub(crate) fn thread_number() -> usize {
        use std::cell::Cell;
        use std::sync::atomic::AtomicUsize;
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static NUMBER: Cell<usize> = const { Cell::new(usize::MAX) };
        }
        NUMBER.with(|number| {
            if number.get() == usize::MAX {
                number.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            number.get()
        })
    }
}

#[cfg(tollgate_loom)]
mod modelled;
#[cfg(tollgate_loom)]
pub(crate) use modelled::*;
#[cfg(not(tollgate_loom))]
pub(crate) use real::*;
