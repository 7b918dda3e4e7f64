//! Calls as they were answered, and the facts that must hold of them whatever the schedule (S1 to S3, S6).
//!
//! A call is known by the order in which calls began and ended, and by the latest time when it began and when it ended:
//! the time it was decided at lies between the two.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Mutex;
use tollgate::{Decision, Engine, PrincipalId};

/// One call of `track`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// Which of the scenario's names.
    pub(crate) name: usize,
    /// The handle.
    pub(crate) id: PrincipalId,
    /// The producer id.
    pub(crate) pid: u64,
    /// The answer.
    pub(crate) answer: Decision,
    /// Its place among all beginnings and ends.
    pub(crate) begin: u64,
    /// As `begin`.
    pub(crate) end: u64,
    /// Latest time when it began.
    pub(crate) begin_ms: u64,
    /// Latest time when it ended.
    pub(crate) end_ms: u64,
}

impl Call {
    fn remembers(&self) -> bool {
        matches!(self.answer, Decision::Admitted | Decision::Known)
    }

    fn concerns(&self, other: &Self) -> bool {
        (self.name, self.pid) == (other.name, other.pid)
    }
}

/// An engine, the time, and all calls. None of what it adds is a step of the schedule.
pub(crate) struct Record {
    /// Called through [`track`](Self::track).
    pub(crate) engine: Engine,
    clock: AtomicU64,
    order: AtomicU64,
    calls: Mutex<Vec<Call>>,
}

impl Record {
    /// At time 0.
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, clock: AtomicU64::new(0), order: AtomicU64::new(0), calls: Mutex::new(Vec::new()) }
    }

    /// The time.
    pub(crate) fn now(&self) -> u64 {
        self.clock.load(SeqCst)
    }

    /// Lets time pass; gives what it is then.
    pub(crate) fn pass(&self, ms: u64) -> u64 {
        self.clock.fetch_add(ms, SeqCst) + ms
    }

    /// The next place in the order.
    pub(crate) fn tick(&self) -> u64 {
        self.order.fetch_add(1, SeqCst)
    }

    /// Calls and records.
    pub(crate) fn track(&self, name: usize, id: PrincipalId, pid: u64) -> Decision {
        let (begin, begin_ms) = (self.tick(), self.now());
        let answer = self.engine.track(id, pid, begin_ms);
        let (end, end_ms) = (self.tick(), self.now());
        self.calls.lock().unwrap().push(Call { name, id, pid, answer, begin, end, begin_ms, end_ms });
        answer
    }

    /// All calls so far, one a line.
    pub(crate) fn story(&self) -> String {
        self.calls().iter().fold(String::new(), |story, call| format!("{story}\n{call:?}"))
    }

    /// All calls so far.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// How many were answered so.
    pub(crate) fn answered(&self, is: impl Fn(&Call) -> bool) -> u64 {
        self.calls().iter().filter(|call| is(call)).count() as u64
    }

    /// Asserts what holds of every record; where memory is short, an id may be forgotten.
    pub(crate) fn check(&self, window_ms: u64, period_ms: u64, short_of_memory: bool) {
        let calls = self.calls();
        let kept_ms = window_ms - period_ms;
        for call in &calls {
            let others = || calls.iter().filter(|other| other.concerns(call) && other.begin != call.begin);
            if call.answer == Decision::Known {
                // S1: only what was admitted, and not long ago, is known.
                let admitted =
                    others().any(|other| other.answer == Decision::Admitted && other.begin < call.end);
                let live = others().any(|other| {
                    other.remembers() && other.begin < call.end && call.begin_ms < other.end_ms + window_ms
                });
                assert!(admitted && live, "known without a cause: {call:?} in{}", self.story());
            }
            if short_of_memory {
                continue;
            }
            if call.remembers() {
                for later in others().filter(|o| call.end < o.begin && o.end_ms <= call.begin_ms + kept_ms) {
                    // S2, and S6 for the handle.
                    let other_handle = later.answer == Decision::Stale && later.id != call.id;
                    assert!(
                        later.answer == Decision::Known || other_handle,
                        "forgotten: {call:?}, then {later:?} in{}",
                        self.story()
                    );
                }
            }
            if call.answer == Decision::Admitted {
                for other in others().filter(|other| other.answer == Decision::Admitted) {
                    // S3: two are a window less a period apart, or more.
                    let most = call
                        .end_ms
                        .saturating_sub(other.begin_ms)
                        .max(other.end_ms.saturating_sub(call.begin_ms));
                    assert!(most > kept_ms, "admitted twice: {call:?}, {other:?} in{}", self.story());
                }
            }
        }
    }
}
