//! Names to principals, and handles to principals.
//!
//! State: a fixed row of slots `{ generation, principal or none }`, a map from name to handle, a queue of free slots.
//! A handle is `generation << slot_bits | slot`; a slot's principal carries its own handle, so a stale one is told by one
//! comparison.
//!
//! A name is interned by whoever puts it into the map first; a loser gives its slot back. Retiring takes the name out
//! of the map, empties the slot and queues it; its next tenant gets the next generation.
//!
//! Orderings
//! - O7: a slot's principal is stored before its handle is put into the map, and the free queue hands a slot from the thread that
//!   emptied it to the one that fills it; both are release and acquire inside their libraries.
//! - O8: `intern` puts the name into the map, then a sequentially consistent fence, then reads the quota set for the name;
//!   `set_quota` stores the quota, then such a fence, then looks the name up. One of the two applies it.

use crate::config::Config;
use crate::memory::{Budget, Reservation};
use crate::principal::{Principal, PrincipalId};
use crate::quota::{Quota, Source};
use crate::sync::{
    fence, stripes, thread_number, Arc, AtomicU32, AtomicU64, Guard,
    Ordering::{Relaxed, SeqCst},
    SnapshotOption,
};
use crossbeam_queue::ArrayQueue;
use papaya::HashMap;

struct Slot {
    generation: AtomicU32,
    principal: SnapshotOption<Principal>,
}

/// Known answers per slot, in stripes: each thread adds in a row of its own, so that threads which share a principal do
/// not share a cache line.
struct KnownCounts {
    rows: Box<[Box<[AtomicU64]>]>,
}

impl KnownCounts {
    fn new(slots: usize) -> Self {
        let row = || (0..slots).map(|_| AtomicU64::new(0)).collect();
        Self { rows: (0..stripes()).map(|_| row()).collect() }
    }

    #[inline]
    fn add(&self, slot: usize) {
        self.rows[thread_number() % self.rows.len()][slot].fetch_add(1, Relaxed);
    }

    fn of(&self, slot: usize) -> u64 {
        self.rows.iter().map(|row| row[slot].load(Relaxed)).sum()
    }

    fn total(&self) -> u64 {
        self.rows.iter().flat_map(|row| row.iter()).map(|count| count.load(Relaxed)).sum()
    }
}

/// See the module's head.
pub(crate) struct Registry {
    slots: Box<[Slot]>,
    slot_bits: u32,
    names: HashMap<Arc<str>, u32>,
    free: ArrayQueue<u32>,
    /// Quotas by name, for principals that may come and go.
    own_quotas: HashMap<Arc<str>, Option<Quota>>,
    known: KnownCounts,
    overflow: Arc<Principal>,
}

impl Registry {
    pub(crate) fn new(config: &Config, overflow: impl FnOnce() -> Principal) -> Self {
        let count = config.max_principals();
        let free = ArrayQueue::new(count as usize);
        for slot in 0..count {
            free.push(slot).expect("as many places as slots");
        }
        Self {
            slots: (0..count)
                .map(|_| Slot { generation: AtomicU32::new(0), principal: SnapshotOption::empty() })
                .collect(),
            slot_bits: u32::BITS - count.leading_zeros(),
            names: HashMap::new(),
            free,
            own_quotas: HashMap::new(),
            // The last column is the overflow gate's.
            known: KnownCounts::new(count as usize + 1),
            overflow: Arc::new(overflow()),
        }
    }

    fn slot_of(&self, id: PrincipalId) -> usize {
        if id == PrincipalId::OVERFLOW {
            self.slots.len()
        } else {
            (id.0 & ((1 << self.slot_bits) - 1)) as usize
        }
    }

    /// Runs `call` on the handle's principal; `None` when the handle is stale. Wait-free.
    #[inline]
    pub(crate) fn with<T>(&self, id: PrincipalId, call: impl FnOnce(&Principal) -> T) -> Option<T> {
        if let Some(slot) = self.slots.get(self.slot_of(id)) {
            let held: Guard<Option<Arc<Principal>>> = slot.principal.load();
            return held.as_ref().filter(|principal| principal.id() == id).map(|principal| call(principal));
        }
        (id == PrincipalId::OVERFLOW).then(|| call(&self.overflow))
    }

    #[inline]
    pub(crate) fn count_known(&self, id: PrincipalId) {
        self.known.add(self.slot_of(id));
    }

    pub(crate) fn known_of(&self, id: PrincipalId) -> u64 {
        self.known.of(self.slot_of(id))
    }

    pub(crate) fn known_total(&self) -> u64 {
        self.known.total()
    }

    pub(crate) fn find(&self, name: &str) -> Option<PrincipalId> {
        self.names.pin().get(name).map(|&raw| PrincipalId(raw))
    }

    /// Adds a name; `None` when there is no slot or no memory for it. `make` gets the handle, the slot's Known
    /// count and the memory.
    pub(crate) fn add(
        &self,
        name: &str,
        budget: &Arc<Budget>,
        make: impl FnOnce(PrincipalId, Arc<str>, u64, Reservation) -> Principal,
    ) -> Option<PrincipalId> {
        // Half of the memory stays for the filters.
        let reservation = Budget::reserve_below(budget, Principal::bytes_for(name), budget.limit() / 2)?;
        let slot = self.free.pop()?;
        let generation = self.slots[slot as usize].generation.fetch_add(1, Relaxed).wrapping_add(1);
        // All-ones is the overflow gate's handle: a slot number never has all its bits set, so none equals it.
        let id = PrincipalId(generation << self.slot_bits | slot);
        let name: Arc<str> = Arc::from(name);
        let principal = make(id, Arc::clone(&name), self.known.of(slot as usize), reservation);
        self.slots[slot as usize].principal.store(Some(Arc::new(principal)));
        let names = self.names.pin();
        let winner = *names.get_or_insert(name, id.0);
        if winner != id.0 {
            self.release(slot);
            return Some(PrincipalId(winner));
        }
        Some(id)
    }

    /// O8: the quota set for a name that was just put into the map.
    pub(crate) fn own_quota_after_insert(&self, name: &str) -> Option<Option<Quota>> {
        fence(SeqCst);
        self.own_quota(name)
    }

    pub(crate) fn own_quota(&self, name: &str) -> Option<Option<Quota>> {
        self.own_quotas.pin().get(name).copied()
    }

    /// Stores a quota for a name; false when as many are stored as there may be principals.
    #[must_use]
    pub(crate) fn set_own_quota(&self, name: &str, quota: Option<Quota>) -> bool {
        let own = self.own_quotas.pin();
        if own.len() >= self.slots.len() && !own.contains_key(name) {
            return false;
        }
        own.insert(Arc::from(name), quota);
        fence(SeqCst); // O8
        true
    }

    pub(crate) fn clear_own_quota(&self, name: &str) {
        self.own_quotas.pin().remove(name);
        fence(SeqCst); // O8
    }

    /// Takes a retired principal out; its handle is stale from now on.
    pub(crate) fn remove(&self, principal: &Principal) {
        let id = principal.id();
        // A name that another handle holds by now is not ours to take.
        let _ = self.names.pin().remove_if(principal.name(), |_, &raw| raw == id.0);
        self.release(id.0 & ((1 << self.slot_bits) - 1));
    }

    fn release(&self, slot: u32) {
        self.slots[slot as usize].principal.store(None);
        self.free.push(slot).expect("a slot is free once");
    }

    /// All principals, the overflow gate last.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&Arc<Principal>)) {
        for slot in &self.slots {
            if let Some(principal) = slot.principal.load().as_ref() {
                visit(principal);
            }
        }
        visit(&self.overflow);
    }

    /// The source of a name's quota as the registry has it.
    pub(crate) fn quota_source(
        own: Option<Option<Quota>>,
        default: &crate::quota::DefaultQuota,
    ) -> (Option<Quota>, Source) {
        match own {
            Some(quota) => (quota, Source::Own),
            None => (default.quota, Source::Default { version: default.version }),
        }
    }
}
