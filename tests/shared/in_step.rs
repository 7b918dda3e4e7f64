//! Threads that arrive together.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

/// Holds threads together, id for id, so that they race: spins, because waking from a lock takes longer than a race.
pub struct InStep {
    arrived: AtomicU64,
    threads: u64,
}

impl InStep {
    pub fn new(threads: u64) -> Self {
        Self { arrived: AtomicU64::new(0), threads }
    }

    /// Returns when all threads have come to `step`; steps count from 0.
    pub fn wait(&self, step: u64) {
        self.arrived.fetch_add(1, SeqCst);
        let since = Instant::now();
        while self.arrived.load(SeqCst) < (step + 1) * self.threads {
            assert!(since.elapsed() < Duration::from_secs(60), "another thread has ended early");
            std::thread::yield_now();
        }
    }
}
