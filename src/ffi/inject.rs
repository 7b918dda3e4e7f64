//! A panic inside every exported function, on demand: how tests show that none gets out. Only with the feature
//! `inject-panics`, which no shipped library has; left out of the header.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

static ASKED: AtomicBool = AtomicBool::new(false);
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Called by the boundary first of all.
pub(super) fn panic_if_asked() {
    if ASKED.load(SeqCst) {
        PANICS.fetch_add(1, SeqCst);
        panic!("asked for by a test");
    }
}

/// From now on every exported function panics inside, or none does.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_test_inject(panics: bool) {
    ASKED.store(panics, SeqCst);
}

/// Panics so far.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_test_injected() -> u64 {
    PANICS.load(SeqCst)
}
