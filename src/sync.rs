//! The only file that names `std::sync`, `loom` or `arc_swap`.
//!
//! Everything above takes its atomics, its snapshot cell and its way to wait from here, so that the model
//! checker can replace them: under the private cfg `tollgate_loom` the atomics are loom's and [`Snapshot`]
//! is a stand-in whose *pointer* is a loom atomic with the orderings arc-swap gives. The stand-in keeps every
//! value it ever held until it is dropped, which is why it needs no reclamation and no lock that loom could see:
//! a lock there would hide a missing ordering.

pub(crate) use std::sync::Arc;

#[cfg(not(tollgate_loom))]
mod real {
    use super::Arc;
    pub(crate) use arc_swap::Guard;
    use arc_swap::{ArcSwap, ArcSwapOption};
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

    /// Most rows that threads may have to themselves.
    const MOST_OWN_ROWS: usize = 8;

    /// Rows of counts for threads to have to themselves: the processor count as a power of two, at most 8.
    pub(crate) fn own_rows() -> usize {
        std::thread::available_parallelism().map_or(1, |n| n.get().next_power_of_two().min(MOST_OWN_ROWS))
    }

    /// The row that this thread alone has, below [`own_rows`], from its first call here until it ends (O9). None where all are
    /// taken.
    #[inline]
    pub(crate) fn own_row() -> Option<usize> {
        use std::sync::atomic::AtomicBool;
        static TAKEN: [AtomicBool; MOST_OWN_ROWS] = [const { AtomicBool::new(false) }; MOST_OWN_ROWS];
        struct Row(Option<usize>);
        impl Row {
            fn take() -> Self {
                let rows = TAKEN.iter().take(own_rows());
                Self(
                    rows.enumerate()
                        .find(|(_, taken)| !taken.swap(true, Ordering::Acquire))
                        .map(|(row, _)| row),
                )
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
mod modelled {
    use super::Arc;
    pub(crate) use loom::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
    use std::ops::Deref;
    use std::sync::Mutex;

    /// What a load gives: the value, owned.
    pub(crate) struct Guard<T>(T);

    impl<T> Deref for Guard<T> {
        type Target = T;
        fn deref(&self) -> &T {
            &self.0
        }
    }

    /// Append-only values and a loom atomic that says which one is current. The std mutex only guards the
    /// vector's growth; loom does not see it, so it orders nothing in the model.
    pub(crate) struct Snapshot<T> {
        current: AtomicU64,
        values: Mutex<Vec<Arc<T>>>,
    }

    impl<T> Snapshot<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Self { current: AtomicU64::new(0), values: Mutex::new(vec![value]) }
        }

        fn value(&self, index: u64) -> Arc<T> {
            Arc::clone(&self.values.lock().unwrap()[index as usize])
        }

        pub(crate) fn load(&self) -> Guard<Arc<T>> {
            Guard(self.value(self.current.load(Ordering::Acquire)))
        }

        #[must_use]
        pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
            let (from, to) = {
                let mut values = self.values.lock().unwrap();
                let from = values.iter().position(|v| Arc::ptr_eq(v, current)).unwrap() as u64;
                values.push(next);
                (from, values.len() as u64 - 1)
            };
            self.current.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
        }
    }

    pub(crate) struct SnapshotOption<T>(Snapshot<Option<Arc<T>>>);

    impl<T> SnapshotOption<T> {
        pub(crate) fn empty() -> Self {
            Self(Snapshot::new(Arc::new(None)))
        }

        pub(crate) fn load(&self) -> Guard<Option<Arc<T>>> {
            Guard((**self.0.load()).clone())
        }

        pub(crate) fn store(&self, value: Option<Arc<T>>) {
            let to = {
                let mut values = self.0.values.lock().unwrap();
                values.push(Arc::new(value));
                values.len() as u64 - 1
            };
            self.0.current.store(to, Ordering::Release);
        }

        #[must_use]
        pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
            let (from, to) = {
                let mut values = self.0.values.lock().unwrap();
                let is_current = |v: &Option<Arc<T>>| v.as_ref().is_some_and(|v| Arc::ptr_eq(v, current));
                let from = values.iter().position(|v| is_current(v)).unwrap() as u64;
                values.push(Arc::new(Some(next)));
                (from, values.len() as u64 - 1)
            };
            self.0.current.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
        }
    }

    pub(crate) struct Wait;

    impl Wait {
        pub(crate) fn new() -> Self {
            Self
        }

        pub(crate) fn pause(&self) {
            loom::thread::yield_now();
        }
    }

    /// Under the checkers all threads share a row.
    pub(crate) fn own_rows() -> usize {
        1
    }

    pub(crate) fn own_row() -> Option<usize> {
        None
    }

    pub(crate) fn thread_number() -> usize {
        0
    }
}

#[cfg(tollgate_loom)]
pub(crate) use modelled::*;
#[cfg(not(tollgate_loom))]
pub(crate) use real::*;
