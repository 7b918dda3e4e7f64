//! Names to principals, and handles to principals.
//!
//! State: a fixed row of slots (src/slot.rs), a map from name to handle, a queue of free slots.
//! A handle is `generation << slot_bits | slot`; a slot's principal carries its own handle, so a stale one is told by one
//! comparison.
//!
//! A name is interned by whoever puts it into the map first; a loser gives its slot back. A principal is NEW, and safe from
//! sweeps, until its name is in the map and the name's quota applied, so that retiring it finds the name there: it takes the name out, empties the slot
//! and queues it; the slot's next tenant gets the next generation.
//!
//! Memory: names, principals and their small sets have half of the budget, the filters' layers what is left. So many
//! principals cannot starve the layers, and large layers cannot keep a new name out: they are evicted for it (S8).
//!
//! Orderings
//! - O7: a slot's principal is stored before its handle is put into the map, which is release and acquire inside its library
//!   (loom-tests: `o7_two_callers_intern_one_name`). A slot is emptied before it is queued; the queue's release and acquire, and
//!   the exchanges of the slot's snapshot, hand it to the thread that fills it (`o7_a_slot_goes_from_sweep_to_intern_whole`).
//! - O8: `intern` puts the name into the map, then a sequentially consistent fence, then reads the quota set for the name;
//!   `set_quota` stores the quota, then such a fence, then looks the name up. One of the two applies it. Whoever applies a
//!   quota reads again afterwards behind such a fence, and applies what it then finds. Nobody gets the handle before that:
//!   who finds the name while its principal is NEW does the same first (loom-tests:
//!   `o8_a_quota_set_while_its_name_is_interned_holds`, `o8_of_two_quotas_set_at_once_the_stored_one_holds`,
//!   `o8_a_quota_set_before_a_name_is_found_holds`).

use crate::config::Config;
use crate::filter::{Filter, Ring};
use crate::known::KnownCounts;
use crate::memory::{Budget, Reservation, Room};
use crate::principal::{Principal, PrincipalId};
use crate::quota::{Limiter, Quota};
use crate::slot::Slot;
use crate::sync::{fence, Arc, ArrayQueue, Names, Ordering::SeqCst};

/// Bytes of the registry's share and of the whole budget.
pub(crate) struct Held {
    _share: Option<Reservation>,
    total: Reservation,
}

impl Held {
    /// Bytes outside of the share: the overflow gate's.
    pub(crate) fn outside(total: Reservation) -> Self {
        Self { _share: None, total }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.total.bytes()
    }
}

#[derive(Clone)]
struct OwnQuota {
    quota: Option<Quota>,
    _held: Arc<Held>,
}

/// What a name with a quota of its own takes: key, value, their places in the map.
const BYTES_PER_OWN_QUOTA: u64 = 256;

/// What a name's principal is at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Its name's quota is not applied yet.
    New,
    /// To be called.
    Settled,
    /// Retired, or its slot is empty.
    Gone,
}

/// See the module's head.
pub(crate) struct Registry {
    /// One for each principal, and the overflow gate's, which is never vacant.
    slots: Box<[Slot]>,
    slot_bits: u32,
    names: Names<u32>,
    free: ArrayQueue<u32>,
    /// Quotas by name, for principals that may come and go.
    own_quotas: Names<OwnQuota>,
    /// The part of the budget that names and principals may take.
    share: Arc<Budget>,
    known: KnownCounts,
    limiter: Limiter,
}

impl Registry {
    pub(crate) fn new(config: &Config, overflow: Ring<Principal>) -> Self {
        let count = config.max_principals();
        let free = ArrayQueue::new(count as usize);
        for slot in 0..count {
            free.push(slot).expect("as many places as slots");
        }
        let slots: Box<[Slot]> = (0..=count).map(|_| Slot::vacant()).collect();
        slots[count as usize].filter().move_in(overflow);
        Self {
            slots,
            slot_bits: u32::BITS - count.leading_zeros(),
            names: Names::new(),
            free,
            own_quotas: Names::new(),
            share: Arc::new(Budget::new(config.max_memory_bytes() / 2)),
            known: KnownCounts::new(count as usize + 1),
            limiter: config.limiter(),
        }
    }

    fn slot_of(&self, id: PrincipalId) -> usize {
        if id == PrincipalId::OVERFLOW {
            self.slots.len() - 1
        } else {
            (id.0 & ((1 << self.slot_bits) - 1)) as usize
        }
    }

    /// The slot of a handle, which may have another principal by now; `None` for a number that is no handle.
    #[inline]
    pub(crate) fn slot(&self, id: PrincipalId) -> Option<&Slot> {
        self.slots.get(self.slot_of(id))
    }

    /// Runs `call` on the handle's principal and its ring; `None` when the handle is stale. Wait-free.
    pub(crate) fn with<T>(&self, id: PrincipalId, call: impl FnOnce(&Ring<Principal>) -> T) -> Option<T> {
        self.slot(id)?.with(id, call)
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
        self.names.get(name, |&raw| PrincipalId(raw))
    }

    /// `bytes` of the budget, and those and `later` of the registry's share of it.
    fn reserve(&self, bytes: u64, later: u64, room: &impl Room) -> Option<Held> {
        let share = Budget::reserve(&self.share, bytes + later)?;
        Some(Held { _share: Some(share), total: room.reserve(bytes)? })
    }

    /// Adds a name; `None` when there is no slot or no memory for it. `make` gets the handle, the slot's Known
    /// count and the memory.
    pub(crate) fn add(
        &self,
        name: &str,
        room: &impl Room,
        make: impl FnOnce(PrincipalId, Arc<str>, u64, Held) -> Ring<Principal>,
    ) -> Option<PrincipalId> {
        let held =
            self.reserve(Principal::bytes_for(name, self.limiter), Filter::<Principal>::small_bytes(), room)?;
        let slot = self.free.pop()?;
        let place = &self.slots[slot as usize];
        // All-ones is the overflow gate's handle: a slot number never has all its bits set, so none equals it.
        let id = PrincipalId(place.next_generation() << self.slot_bits | slot);
        let name: Arc<str> = Arc::from(name);
        place.filter().move_in(make(id, Arc::clone(&name), self.known.of(slot as usize), held));
        let winner = self.names.get_or_insert(name, id.0);
        if winner != id.0 {
            // Still NEW: no sweep has touched it, and nobody else knows the slot.
            self.release(slot);
        }
        Some(PrincipalId(winner))
    }

    /// Where the handle of a name that was just found stands.
    pub(crate) fn standing(&self, id: PrincipalId) -> Standing {
        self.with(id, |ring| match ring.owner() {
            new if new.is_new() => Standing::New,
            retired if retired.is_retired() => Standing::Gone,
            _ => Standing::Settled,
        })
        .unwrap_or(Standing::Gone)
    }

    /// Takes a gone principal's name out of the map; the sweep that retired it gives the slot back.
    pub(crate) fn forget(&self, name: &str, id: PrincipalId) {
        self.names.remove_value(name, id.0);
    }

    /// A new principal may be called, and swept, from now on.
    pub(crate) fn settle(&self, id: PrincipalId) {
        self.with(id, |ring| ring.owner().settle());
    }

    pub(crate) fn own_quota(&self, name: &str) -> Option<Option<Quota>> {
        self.own_quotas.get(name, |own| own.quota)
    }

    /// O8: the quota set for a name, read after what this thread did before.
    pub(crate) fn latest_own_quota(&self, name: &str) -> Option<Option<Quota>> {
        fence(SeqCst);
        self.own_quota(name)
    }

    /// Stores a quota for a name; false when as many are stored as there may be principals, give or take racing callers, or
    /// no memory is left for it.
    #[must_use]
    pub(crate) fn set_own_quota(&self, name: &str, quota: Option<Quota>, room: &impl Room) -> bool {
        if self.own_quotas.len() >= self.slots.len() && self.own_quota(name).is_none() {
            return false;
        }
        let Some(held) = self.reserve(BYTES_PER_OWN_QUOTA + name.len() as u64, 0, room) else { return false };
        self.own_quotas.insert(Arc::from(name), OwnQuota { quota, _held: Arc::new(held) });
        fence(SeqCst); // O8
        true
    }

    pub(crate) fn clear_own_quota(&self, name: &str) {
        self.own_quotas.remove(name);
        fence(SeqCst); // O8
    }

    /// Takes a retired principal out; its handle is stale from now on.
    pub(crate) fn remove(&self, principal: &Principal) {
        let id = principal.id();
        // A name that another handle holds by now is not ours to take.
        self.names.remove_value(principal.name(), id.0);
        self.release(id.0 & ((1 << self.slot_bits) - 1));
    }

    fn release(&self, slot: u32) {
        self.slots[slot as usize].filter().move_out();
        self.free.push(slot).expect("a slot is free once");
    }

    /// All principals, the overflow gate last.
    pub(crate) fn for_each<'a>(&'a self, mut visit: impl FnMut(&'a Slot, &Ring<Principal>)) {
        for slot in &self.slots {
            if let Some(ring) = slot.filter().load().as_ref() {
                visit(slot, ring);
            }
        }
    }
}
