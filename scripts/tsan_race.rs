//! Races on purpose: scripts/tsan runs it under the suppressions of the real run and demands a report, so that a green run means
//! that ThreadSanitizer looked. Built with the same flags; no part of any package.
//!
//! | argument | what two scoped threads do | report |
//! |---|---|---|
//! | `plain` | write one number without an atomic | yes |
//! | `relaxed` | publish a number through an atomic, relaxed: a missing O2 | yes |
//! | `dropped` | one frees what the other reads, no Arc between them | yes |
//! | `ordered` | as `relaxed`, with release and acquire | no |

use std::cell::UnsafeCell;
use std::sync::atomic::{
    AtomicBool, AtomicPtr,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::Arc;

struct Shared {
    number: UnsafeCell<u64>,
    ready: AtomicBool,
}

// SAFETY: it is not; that is what ThreadSanitizer has to say.
unsafe impl Sync for Shared {}

fn write(shared: &Shared, number: u64) {
    // SAFETY: as above.
    unsafe { *shared.number.get() = number }
}

fn read(shared: &Shared) -> u64 {
    // SAFETY: as above.
    unsafe { *shared.number.get() }
}

/// The other thread frees the number while this one reads it.
fn dropped() {
    let number: &'static AtomicPtr<u64> = Box::leak(Box::new(AtomicPtr::new(Box::into_raw(Box::new(1)))));
    let reader = std::thread::spawn(move || {
        // SAFETY: none, as above.
        unsafe { *number.load(Relaxed) }
    });
    // SAFETY: none, as above.
    drop(unsafe { Box::from_raw(number.load(Relaxed)) });
    let _ = reader.join();
}

fn main() {
    let which = std::env::args().nth(1).unwrap_or_default();
    if which == "dropped" {
        return dropped();
    }
    let (store, load) = if which == "relaxed" { (Relaxed, Relaxed) } else { (Release, Acquire) };
    let shared = Arc::new(Shared { number: UnsafeCell::new(0), ready: AtomicBool::new(false) });
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            write(&shared, 1);
            shared.ready.store(true, store);
        });
        let other = scope.spawn(|| {
            if which == "plain" {
                write(&shared, 2);
                return;
            }
            while !shared.ready.load(load) {
                std::thread::yield_now();
            }
            assert_eq!(read(&shared), 1);
        });
        // The scope's own wait is inside std.
        writer.join().expect("it does not panic");
        other.join().expect("it does not panic");
    });
}
