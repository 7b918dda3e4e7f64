//! What one of the threads does, and what it saw.

use crate::oracle::{Cell, Said, Verdict};
use crate::random::Random;
use crate::tokens::{Change, Incarnation};
use crate::{
    is_silent, may_change, pool_size, quota_of, Kind, Soak, HOT_SLOTS, LAYER_PERIOD_MS, NAMES, PRINCIPALS,
    SURE_MS, WINDOW_MS,
};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::SeqCst;
use tollgate::{Decision, PrincipalId, Touch};

/// Hot ids in a row, and other calls after them.
const HOT_IDS: u64 = 16;
const CALLS: u64 = 500;
/// Ids that only this thread asks for, kept to ask again.
const OWN_IDS: usize = 4096;
/// New ids at once, so that layers grow.
const BURST: u64 = 600;

#[derive(Clone, Copy)]
enum Call {
    Track,
    Touch,
    Contains,
}

/// An id that only one thread asks for.
struct Own {
    principal: usize,
    pid: u64,
    cell: Cell,
    /// `after` of the last call that may have recorded it.
    last: u64,
}

/// Counts of one thread; summed when all have ended.
#[derive(Default)]
pub struct Tally {
    pub known: u64,
    pub admitted: u64,
    pub throttled: u64,
    pub stale: u64,
    /// Admissions whose call slept through a window: a sweep may have dropped their principal before they were counted.
    pub slept: u64,
    /// A hot id that was new to a thread and known to it a moment later.
    pub races: u64,
    /// Answers that S2 demanded.
    pub held: u64,
    /// Ids that nobody had asked for within a window, and those of them that were called known.
    pub never_seen: u64,
    pub wrong: u64,
    pub quota_changes: u64,
    pub dropped: u64,
    pub layers_dropped: u64,
    pub incarnations: HashMap<PrincipalId, Incarnation>,
    pub changes: Vec<(usize, Change)>,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        for (sum, part) in [
            (&mut self.known, other.known),
            (&mut self.admitted, other.admitted),
            (&mut self.throttled, other.throttled),
            (&mut self.stale, other.stale),
            (&mut self.slept, other.slept),
            (&mut self.races, other.races),
            (&mut self.held, other.held),
            (&mut self.never_seen, other.never_seen),
            (&mut self.wrong, other.wrong),
            (&mut self.quota_changes, other.quota_changes),
            (&mut self.dropped, other.dropped),
            (&mut self.layers_dropped, other.layers_dropped),
        ] {
            *sum += part;
        }
        for (id, incarnation) in other.incarnations {
            self.incarnations.entry(id).and_modify(|known| known.merge(&incarnation)).or_insert(incarnation);
        }
        self.changes.extend(other.changes);
    }
}

pub struct Worker<'a> {
    soak: &'a Soak,
    thread: u64,
    random: Random,
    handles: Vec<PrincipalId>,
    own: Vec<Own>,
    next_own: u64,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub fn new(soak: &'a Soak, thread: u64) -> Self {
        let mut worker = Self {
            soak,
            thread,
            random: Random::new(soak.seed ^ thread.wrapping_mul(0xd134_2543_de82_ef95)),
            handles: vec![PrincipalId::OVERFLOW; PRINCIPALS],
            own: Vec::new(),
            next_own: 0,
            tally: Tally::default(),
        };
        (0..PRINCIPALS).for_each(|principal| worker.intern(principal));
        worker
    }

    /// Steps until the soak says which one is the last.
    pub fn run(mut self) -> Tally {
        let mut step = 0;
        loop {
            self.hot(step);
            if self.soak.last_step.load(SeqCst) == step {
                return self.tally;
            }
            step += 1;
            if step % HOT_IDS == 0 {
                (0..CALLS).for_each(|_| self.anything());
                if self.thread == 0 {
                    self.soak.watch(step, &self.tally);
                }
            }
        }
    }

    fn intern(&mut self, principal: usize) {
        let soak = self.soak;
        let born_before = soak.clock.now();
        let id = soak.engine.intern(&soak.names[principal], born_before);
        let born_after = soak.clock.now();
        if id == PrincipalId::OVERFLOW {
            soak.violation(format!("principal {principal} got the overflow gate"));
        }
        let new = Incarnation { principal, id, born_before, born_after, last: 0, admitted: 0 };
        self.tally.incarnations.entry(id).and_modify(|known| known.merge(&new)).or_insert(new);
        self.handles[principal] = id;
    }

    /// One call, repeated on a new handle where the principal was dropped; checked against the id's cell.
    fn call(&mut self, call: Call, principal: usize, pid: u64, oracle: &Cell) -> Said {
        let soak = self.soak;
        loop {
            let asked = oracle.ask(&soak.clock);
            let (id, now) = (self.handles[principal], asked.before);
            let said = match call {
                Call::Track => match soak.engine.track(id, pid, now) {
                    Decision::Known => Some(Said::Known),
                    Decision::Admitted => Some(Said::Admitted),
                    Decision::Throttled { .. } => Some(Said::Absent),
                    Decision::Stale => None,
                },
                Call::Touch => match soak.engine.touch(id, pid, now) {
                    Touch::Known => Some(Said::Known),
                    Touch::New => Some(Said::Absent),
                    Touch::Stale => None,
                },
                Call::Contains if soak.engine.contains(id, pid, now) => Some(Said::Contained),
                // A stale handle contains nothing; one that is live now was live then.
                Call::Contains => Some(Said::Absent).filter(|_| soak.engine.is_live(id)),
            };
            let after = soak.clock.now();
            let Some(said) = said else {
                self.tally.stale += u64::from(matches!(call, Call::Track));
                self.intern(principal);
                continue;
            };
            self.count(call, said, id, (now, after));
            match oracle.judge(asked, said, after, SURE_MS) {
                Verdict::Free => {}
                Verdict::Held => self.tally.held += 1,
                verdict => soak.violation(format!(
                    "{verdict:?}: id {pid:#x} of principal {principal} answered {said:?} between {now} and {after}"
                )),
            }
            return said;
        }
    }

    fn count(&mut self, call: Call, said: Said, id: PrincipalId, (before, after): (u64, u64)) {
        match said {
            Said::Known => self.tally.known += 1,
            Said::Admitted => {
                self.tally.admitted += 1;
                self.tally.slept += u64::from(after - before >= WINDOW_MS);
                let incarnation = self.tally.incarnations.get_mut(&id).expect("noted when interned");
                incarnation.admitted += 1;
                incarnation.last = incarnation.last.max(after);
            }
            Said::Absent => self.tally.throttled += u64::from(matches!(call, Call::Track)),
            Said::Contained => {}
        }
    }

    /// One new id, asked for by all threads at once.
    fn hot(&mut self, step: u64) {
        let soak = self.soak;
        let slot = &soak.hot[step as usize % HOT_SLOTS];
        let principal = soak.hot_principal(step);
        soak.in_step.wait(step);
        let new = self.call(Call::Touch, principal, step, &slot.cell) == Said::Absent;
        // In the middle of the race a layer, or the whole window, may go by.
        if self.thread == step % 8 && self.random.below(64) == 0 {
            soak.clock.forward(1 + self.random.below(LAYER_PERIOD_MS));
        }
        match self.call(Call::Track, principal, step, &slot.cell) {
            Said::Admitted => slot.admitted.fetch_add(1, SeqCst),
            Said::Known => {
                self.tally.races += u64::from(new);
                soak.raced.fetch_or(new, SeqCst);
                slot.known.fetch_add(u64::from(new), SeqCst)
            }
            _ => 0,
        };
        // All have come to this step, so the last one is decided.
        if step > 0 && self.thread == step % 8 {
            soak.hot[(step - 1) as usize % HOT_SLOTS].close(soak);
        }
    }

    fn anything(&mut self) {
        match self.random.below(1000) {
            0..=449 => self.pool(),
            450..=749 => self.new_id(),
            750..=979 => self.own_id(),
            980..=981 => self.burst(),
            982..=985 => self.change_quota(),
            986..=996 => self.look(),
            _ => self.pass_time(),
        }
    }

    fn a_principal(&mut self) -> usize {
        loop {
            let principal = self.random.below(PRINCIPALS as u64) as usize;
            if !is_silent(principal, self.soak.clock.now()) {
                return principal;
            }
        }
    }

    /// An id that any thread may be asking for.
    fn pool(&mut self) {
        let principal = self.a_principal();
        let n = self.random.below(pool_size(principal));
        let soak = self.soak;
        let call = match self.random.below(10) {
            0..=5 => Call::Track,
            6..=7 => Call::Touch,
            _ => Call::Contains,
        };
        self.call(call, principal, 1 << 40 | n, &soak.pools[principal][n as usize]);
    }

    fn new_id(&mut self) {
        let principal = self.a_principal();
        self.new_id_of(principal);
    }

    /// An id that nobody has asked for: known to nobody but by a false positive.
    fn new_id_of(&mut self, principal: usize) {
        // Sequential as a broker's ids are, in another block for each thread.
        let pid = (self.thread + 2) << 40 | self.next_own;
        self.next_own += 1;
        let own = Own { principal, pid, cell: Cell::default(), last: 0 };
        let touched =
            if self.random.below(3) == 0 { self.ask_never_seen(Call::Touch, &own) } else { Said::Absent };
        let said = match touched {
            Said::Absent if !self.next_own.is_multiple_of(3) => self.ask_never_seen(Call::Track, &own),
            other => other,
        };
        self.keep(own, said);
    }

    fn ask_never_seen(&mut self, call: Call, own: &Own) -> Said {
        let said = self.call(call, own.principal, own.pid, &own.cell);
        self.tally.never_seen += 1;
        self.tally.wrong += u64::from(said == Said::Known);
        said
    }

    fn keep(&mut self, mut own: Own, said: Said) {
        if said == Said::Absent {
            return;
        }
        own.last = self.soak.clock.now();
        if self.own.len() < OWN_IDS {
            self.own.push(own);
        } else {
            let index = self.random.below(OWN_IDS as u64) as usize;
            self.own[index] = own;
        }
    }

    /// One of this thread's ids again: as long as it must be known, and when it must be forgotten.
    fn own_id(&mut self) {
        if self.own.is_empty() {
            return;
        }
        let index = self.random.below(self.own.len() as u64) as usize;
        let own = self.own.swap_remove(index);
        if is_silent(own.principal, self.soak.clock.now()) {
            self.own.push(own);
            return;
        }
        let call = if self.random.below(4) == 0 { Call::Touch } else { Call::Track };
        let said = if self.soak.clock.now() - own.last >= WINDOW_MS {
            self.ask_never_seen(call, &own)
        } else {
            self.call(call, own.principal, own.pid, &own.cell)
        };
        self.keep(own, said);
    }

    fn burst(&mut self) {
        let principal = self.random.below(PRINCIPALS as u64 / 5) as usize * 5;
        if quota_of(principal) == Kind::Unlimited && !is_silent(principal, self.soak.clock.now()) {
            (0..=self.random.below(BURST)).for_each(|_| self.new_id_of(principal));
        }
    }

    /// Each principal's quota is changed by one thread only, which so knows what it was when.
    fn change_quota(&mut self) {
        let soak = self.soak;
        let principal = self.random.below(PRINCIPALS as u64) as usize;
        let next = may_change(&mut self.random);
        let before = soak.clock.now();
        match quota_of(principal) {
            Kind::Changing if principal as u64 % 8 == self.thread => {
                soak.engine
                    .set_quota(&soak.names[principal], Some(next), before)
                    .expect("room for all names");
                let after = soak.clock.now();
                self.tally.changes.push((principal, Change { quota: next, before, after }));
            }
            Kind::OnAndOff if principal as u64 % 8 == self.thread => {
                let quota = Some(next).filter(|_| self.random.below(2) == 0);
                soak.engine.set_quota(&soak.names[principal], quota, before).expect("room for all names");
            }
            Kind::Default if self.thread == 0 => soak.engine.set_default_quota(Some(next), before),
            _ => return,
        }
        self.tally.quota_changes += 1;
    }

    /// Readers, which must not disturb.
    fn look(&mut self) {
        let soak = self.soak;
        let now = soak.clock.now();
        match self.random.below(40) {
            0 => {
                let totals = soak.engine.totals(now);
                soak.check_bounds(&totals);
            }
            1 => drop(soak.engine.snapshot(now)),
            2 => {
                // One that is dropped and interned again while this goes on may be met in both of its slots.
                let mut names = HashSet::new();
                soak.engine.for_each_principal(|_, name| {
                    if name.starts_with(NAMES) {
                        names.insert(name.to_owned());
                    }
                });
                if names.len() > PRINCIPALS {
                    soak.violation(format!("{} principals of {PRINCIPALS}", names.len()));
                }
            }
            3..=10 => {
                let swept = soak.engine.sweep(now);
                self.tally.dropped += u64::from(swept.principals);
                self.tally.layers_dropped += u64::from(swept.layers);
            }
            _ => {
                let principal = self.a_principal();
                if let Some(stats) = soak.engine.stats(self.handles[principal], now) {
                    if stats.tokens < 0.0 {
                        soak.violation(format!("{} tokens left of principal {principal}", stats.tokens));
                    }
                }
            }
        }
    }

    /// Mostly a few milliseconds; at times half a layer period; seldom more than a window.
    fn pass_time(&mut self) {
        let step = match self.random.below(2000) {
            0..=1899 => 1 + self.random.below(4),
            1900..=1998 => 1 + self.random.below(LAYER_PERIOD_MS / 2),
            _ => WINDOW_MS + self.random.below(WINDOW_MS),
        };
        self.soak.clock.forward(step);
    }
}
