//! What stands in for atomics and libraries under a model checker.
//!
//! The atomics are the checker's. Of arc-swap, papaya and crossbeam-queue, which a checker cannot see into, each stand-in
//! keeps its contents behind a std mutex, and publishes them by an atomic of the checker's with just the orderings that the
//! library gives: release where something is put in, acquire where it is got out. The checker does not see the mutex,
//! so it orders nothing in the model: a lock it saw would hide a missing ordering. No atomic is touched and nothing dropped
//! while one is held, since either may switch to another of the checker's threads.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "calls are made as to what it stands in for"
)]

use super::Arc;
use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::AtomicUsize;
use std::sync::Mutex;
use Ordering::{AcqRel, Acquire, Relaxed, Release};

#[cfg(not(tollgate_shuttle))]
mod checker {
    use loom::alloc::Track;
    pub(crate) use loom::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
    pub(super) use loom::thread::yield_now;

    /// loom fails a model at whose end one of these was not dropped.
    pub(crate) struct Tracked(#[allow(dead_code, reason = "held to be dropped")] Track<()>);

    impl Tracked {
        pub(crate) fn new() -> Self {
            Self(Track::new(()))
        }
    }
}

#[cfg(tollgate_shuttle)]
mod checker {
    pub(crate) use shuttle::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
    pub(super) use shuttle::thread::yield_now;

    pub(crate) struct Tracked;

    impl Tracked {
        pub(crate) fn new() -> Self {
            Self
        }
    }
}

use checker::yield_now;
pub(crate) use checker::{fence, AtomicU32, AtomicU64, Ordering, Tracked};

thread_local! {
    /// All threads of a model share the thread that checks it.
    static FREES: Cell<bool> = const { Cell::new(cfg!(tollgate_shuttle)) };
}

/// Whether a value that was replaced is dropped with its last reader, as the libraries do, or kept with its cell.
///
/// Kept, a load may give any value that its ordering allows, which is what the models of orderings need. Dropped, a
/// load that finds its value gone takes the newest one; that gives memory back, which is what the models of memory need,
/// and it is what shuttle, whose loads are never old, always does.
pub(crate) fn free_replaced(frees: bool) {
    FREES.set(frees);
}

/// What a load gives: the value, owned.
pub(crate) struct Guard<T>(T);

impl<T> Deref for Guard<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// No value's number.
const NOWHERE: u64 = u64::MAX;

/// One place's values by number, and which of them is current.
struct History<T> {
    current: AtomicU64,
    values: Mutex<Vec<Option<T>>>,
}

impl<T: Clone> History<T> {
    fn new(value: T) -> Self {
        Self { current: AtomicU64::new(0), values: Mutex::new(vec![Some(value)]) }
    }

    fn value(&self, number: u64) -> Option<T> {
        self.values.lock().unwrap()[number as usize].clone()
    }

    fn load(&self) -> (u64, T) {
        let mut number = self.current.load(Acquire);
        loop {
            if let Some(value) = self.value(number) {
                return (number, value);
            }
            number = self.current.compare_exchange(NOWHERE, NOWHERE, Acquire, Acquire).unwrap_err();
        }
    }

    fn add(&self, value: T) -> u64 {
        let mut values = self.values.lock().unwrap();
        values.push(Some(value));
        values.len() as u64 - 1
    }

    /// Of the value that `is` says so of; none where that one is gone.
    fn number(&self, is: impl Fn(&T) -> bool) -> u64 {
        let values = self.values.lock().unwrap();
        let found = values.iter().position(|value| value.as_ref().is_some_and(&is));
        found.map_or(NOWHERE, |number| number as u64)
    }

    fn take(&self, number: u64) -> Option<T> {
        self.values.lock().unwrap()[number as usize].take()
    }

    fn retire(&self, number: u64) {
        if FREES.get() {
            drop(self.take(number));
        }
    }

    /// Puts `next` in place of the value with the number `from`.
    fn replace(&self, from: u64, next: T, success: Ordering) -> bool {
        let to = self.add(next);
        let replaced = self.current.compare_exchange(from, to, success, Acquire).is_ok();
        if replaced {
            self.retire(from);
        } else {
            // Nobody has seen it.
            drop(self.take(to));
        }
        replaced
    }
}

/// Stands in for arc-swap: acquire loads, acquire-release exchanges.
pub(crate) struct Snapshot<T>(History<Arc<T>>);

impl<T> Snapshot<T> {
    pub(crate) fn new(value: Arc<T>) -> Self {
        Self(History::new(value))
    }

    pub(crate) fn load(&self) -> Guard<Arc<T>> {
        Guard(self.0.load().1)
    }

    #[must_use]
    pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
        let from = self.0.number(|value| Arc::ptr_eq(value, current));
        self.0.replace(from, next, AcqRel)
    }
}

pub(crate) struct SnapshotOption<T>(History<Option<Arc<T>>>);

impl<T> SnapshotOption<T> {
    pub(crate) fn empty() -> Self {
        Self(History::new(None))
    }

    pub(crate) fn load(&self) -> Guard<Option<Arc<T>>> {
        Guard(self.0.load().1)
    }

    pub(crate) fn store(&self, value: Option<Arc<T>>) {
        let to = self.0.add(value);
        // arc-swap's store is an exchange too.
        let from = self.0.current.swap(to, AcqRel);
        self.0.retire(from);
    }

    #[must_use]
    pub(crate) fn replace(&self, current: &Arc<T>, next: Arc<T>) -> bool {
        let is_current = |value: &Option<Arc<T>>| value.as_ref().is_some_and(|v| Arc::ptr_eq(v, current));
        let from = self.0.number(is_current);
        self.0.replace(from, Some(next), AcqRel)
    }
}

/// Names that one model uses.
const PLACES: usize = 8;

/// Stands in for papaya: each name has a place for good, which holds a value or none; acquire loads, release exchanges.
pub(crate) struct Names<V> {
    keys: Mutex<Vec<Arc<str>>>,
    /// All made with the map: loom demands that who uses an atomic knows of its making.
    places: [History<Option<V>>; PLACES],
    /// Names with a value; relaxed, as the library's.
    held: AtomicUsize,
}

impl<V: Clone> Names<V> {
    pub(crate) fn new() -> Self {
        Self {
            keys: Mutex::new(Vec::new()),
            places: std::array::from_fn(|_| History::new(None)),
            held: AtomicUsize::new(0),
        }
    }

    fn place(&self, name: &str) -> &History<Option<V>> {
        let mut keys = self.keys.lock().unwrap();
        let known = keys.iter().position(|held| **held == *name);
        let index = known.unwrap_or_else(|| {
            keys.push(Arc::from(name));
            keys.len() - 1
        });
        assert!(index < PLACES, "a model with more than {PLACES} names");
        &self.places[index]
    }

    pub(crate) fn len(&self) -> usize {
        self.held.load(Relaxed)
    }

    pub(crate) fn get<T>(&self, name: &str, read: impl FnOnce(&V) -> T) -> Option<T> {
        self.place(name).load().1.as_ref().map(read)
    }

    /// Puts `value` there while `goes` says so of what stands there; gives what stood there last.
    fn set(&self, name: &str, value: Option<V>, goes: impl Fn(Option<&V>) -> bool) -> Option<V> {
        let place = self.place(name);
        loop {
            let (from, held) = place.load();
            if !goes(held.as_ref()) {
                return held;
            }
            if place.replace(from, value.clone(), Release) {
                match (&held, &value) {
                    (None, Some(_)) => self.held.fetch_add(1, Relaxed),
                    (Some(_), None) => self.held.fetch_sub(1, Relaxed),
                    _ => 0,
                };
                return held;
            }
        }
    }

    pub(crate) fn get_or_insert(&self, name: Arc<str>, value: V) -> V {
        self.set(&name, Some(value.clone()), |held| held.is_none()).unwrap_or(value)
    }

    pub(crate) fn insert(&self, name: Arc<str>, value: V) {
        self.set(&name, Some(value), |_| true);
    }

    pub(crate) fn remove(&self, name: &str) {
        self.set(name, None, |held| held.is_some());
    }

    pub(crate) fn remove_value(&self, name: &str, value: V)
    where
        V: Copy + PartialEq,
    {
        self.set(name, None, |held| held == Some(&value));
    }
}

struct Ends<T> {
    values: Vec<Option<T>>,
    head: u64,
    tail: u64,
}

/// Stands in for crossbeam-queue: what is pushed is published by its place's stamp, release, and popped by way of it, acquire.
/// Which end stands where is in one order for all, as by the library's sequentially consistent exchanges; of those it
/// lends the model no ordering.
pub(crate) struct ArrayQueue<T> {
    stamps: Box<[AtomicU64]>,
    ends: Mutex<Ends<T>>,
}

impl<T> ArrayQueue<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            stamps: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            ends: Mutex::new(Ends { values: (0..capacity).map(|_| None).collect(), head: 0, tail: 0 }),
        }
    }

    fn place(&self, end: u64) -> usize {
        end as usize % self.stamps.len()
    }

    pub(crate) fn push(&self, value: T) -> Result<(), T> {
        let tail = {
            let mut ends = self.ends.lock().unwrap();
            let tail = ends.tail;
            if tail - ends.head == self.stamps.len() as u64 {
                return Err(value);
            }
            ends.values[self.place(tail)] = Some(value);
            ends.tail += 1;
            tail
        };
        self.stamps[self.place(tail)].store(tail + 1, Release);
        Ok(())
    }

    pub(crate) fn pop(&self) -> Option<T> {
        loop {
            let head = {
                let ends = self.ends.lock().unwrap();
                Some(ends.head).filter(|&head| head < ends.tail)?
            };
            if self.stamps[self.place(head)].load(Acquire) == head + 1 {
                let mut ends = self.ends.lock().unwrap();
                if ends.head == head {
                    ends.head += 1;
                    return ends.values[self.place(head)].take();
                }
            } else {
                // Its pusher is not done.
                yield_now();
            }
        }
    }
}

pub(crate) struct Wait;

impl Wait {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn pause(&self) {
        yield_now();
    }
}

/// All threads share a row.
pub(crate) const OWN_ROWS: usize = 1;

pub(crate) fn own_row() -> Option<usize> {
    None
}

pub(crate) fn thread_number() -> usize {
    0
}
