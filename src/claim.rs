//! One decision at a time about one new id (S3).
//!
//! The argument, in numbered steps. Threads race to `track` an id that is not yet known to its principal.
//! 1. Each looks first and finds nothing; each then takes the id's claim. The cell is a function of the id's hash
//!    and the principal, so all racers want the same cell and hold it one after the other.
//! 2. The holder looks *again*. Taking the cell acquires what the previous holder released, so the holder sees every
//!    bit, entry and ring that any earlier holder of this cell wrote (O1).
//! 3. Found: it answers Known. Not found: it charges; refused, it answers Throttled and has written nothing;
//!    charged, it inserts and answers Admitted. Then it releases.
//! 4. So the first holder that charges is the only one: every later holder finds the id, whatever ring it
//!    stands in by then, for a window. A rotation does not matter: an insert ends in a layer of the
//!    current ring (O3), and the look in step 2 covers all live layers.
//! 5. No charge is ever taken back, because nobody charges before it is certain who admits. So no bystander
//!    is throttled by a token that a loser held for a moment, which optimistic schemes (charge, race, refund)
//!    do, and which makes the engine equal to its sequential model call by call.
//!
//! The price: on this path, and only here, a thread waits for a racer on the same cell (the same id, or one
//! in `CELLS` others), a few hundred nanoseconds unless that racer is preempted. Known never comes here.
//!
//! Orderings
//! - O1: take with acquire, give back with release (loom-tests: `o1_racers_on_one_new_id_one_admitted`). Where the id
//!   goes to the small set the release is also in the fence of O3; the claim does not rely on it.

use crate::filter::PidHash;
use crate::sync::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
    Wait,
};

/// More than threads by far, so that two ids seldom share a cell.
#[cfg(not(tollgate_loom))]
const CELLS: usize = 1024;
/// Enough that other ids do not wait for each other in the models, which would hide what their races do.
#[cfg(tollgate_loom)]
const CELLS: usize = 16;

const FREE: u32 = 0;
const TAKEN: u32 = 1;

/// The engine's claim cells.
pub(crate) struct Claims {
    cells: Box<[AtomicU32]>,
}

impl Claims {
    pub(crate) fn new() -> Self {
        Self { cells: (0..CELLS).map(|_| AtomicU32::new(FREE)).collect() }
    }

    pub(crate) fn bytes() -> u64 {
        (CELLS * size_of::<AtomicU32>()) as u64
    }

    /// Waits for the id's cell and takes it.
    pub(crate) fn claim(&self, principal: u32, hash: PidHash) -> Claim<'_> {
        // Fibonacci hashing of the principal: ids are shared between principals, cells should not be.
        let mixed = hash.bits ^ u64::from(principal).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let cell = &self.cells[(mixed >> 32) as usize % CELLS];
        let wait = Wait::new();
        while cell.compare_exchange_weak(FREE, TAKEN, Acquire, Relaxed).is_err() {
            wait.pause();
        }
        Claim { cell }
    }
}

/// Held while one id is decided; given back on drop, also when unwinding.
pub(crate) struct Claim<'a> {
    cell: &'a AtomicU32,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.cell.store(FREE, Release); // O1
    }
}
