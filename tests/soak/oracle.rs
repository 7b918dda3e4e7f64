//! What one id's answers may be while threads race for it.
//!
//! The engine decides a call at a moment nobody can see. But a thread passes the soak's clock as the call's time and reads
//! the clock again after the return; the engine's time is the latest that any caller passed; so the moment lies between
//! the two readings, `before` and `after`. From that the cell says what no order of the calls could give:
//!
//! - *Forgotten* (S2): a call began after another had returned Known or Admitted, ended (`after`) within W(L-1)/L of
//!   that one's `before`, and did not find the id.
//! - *Admitted twice* (S3): two calls answered Admitted, and from the earlier `before` to the later `after` it is at most
//!   W(L-1)/L. Whether they overlap does not matter.
//!
//! A cell compares an admission with the one put into the cell before it, and the forgotten-check compares it with all that had
//! returned; what both miss is a pair that overlaps in time with a third call between them.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Release},
};

/// The soak's time, milliseconds. Starts above 0, which stands for "never".
pub struct Clock(AtomicU64);

pub const START_MS: u64 = 1_000_000;

impl Clock {
    pub fn new() -> Self {
        Self(AtomicU64::new(START_MS))
    }

    pub fn now(&self) -> u64 {
        self.0.load(Acquire)
    }

    pub fn forward(&self, step_ms: u64) {
        self.0.fetch_add(step_ms, AcqRel);
    }
}

/// What a call answered about an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Known,
    /// Known, but the call records nothing (`contains`).
    Contained,
    Admitted,
    /// Throttled, `Touch::New` or not contained.
    Absent,
}

/// One id of one principal. `{ seen: latest `before` of a returned Known or Admitted; admitted: (before, after) of the last
/// admission, 32 bits each }`.
#[derive(Default)]
pub struct Cell {
    seen: AtomicU64,
    admitted: AtomicU64,
}

/// Taken before a call.
#[derive(Clone, Copy)]
pub struct Asked {
    seen: u64,
    pub before: u64,
}

/// What an answer proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No rule spoke about it.
    Free,
    /// The id had to be known, and was.
    Held,
    Forgotten,
    AdmittedTwice,
}

impl Cell {
    pub fn ask(&self, clock: &Clock) -> Asked {
        let seen = self.seen.load(Acquire);
        Asked { seen, before: clock.now() }
    }

    /// `sure_ms` is W(L-1)/L.
    pub fn judge(&self, asked: Asked, said: Said, after: u64, sure_ms: u64) -> Verdict {
        let bound = asked.seen > 0 && after - asked.seen <= sure_ms;
        let mut verdict = match said {
            _ if !bound => Verdict::Free,
            Said::Known | Said::Contained => Verdict::Held,
            Said::Admitted | Said::Absent => Verdict::Forgotten,
        };
        if said == Said::Admitted {
            let previous = self.admitted.swap(asked.before << 32 | after, AcqRel);
            let (before, end) = (previous >> 32, previous & u64::from(u32::MAX));
            if previous > 0 && end.max(after) - before.min(asked.before) <= sure_ms {
                verdict = Verdict::AdmittedTwice;
            }
        }
        if matches!(said, Said::Known | Said::Admitted) {
            self.seen.fetch_max(asked.before, AcqRel);
        }
        verdict
    }

    /// For the next id; nobody else uses the cell.
    pub fn reset(&self) {
        self.seen.store(0, Release);
        self.admitted.store(0, Release);
    }
}

/// The oracle itself: it must see what it is there to see.
mod tests {
    use super::*;

    fn judge(cell: &Cell, seen: u64, before: u64, said: Said, after: u64) -> Verdict {
        cell.judge(Asked { seen, before }, said, after, 3000)
    }

    #[test]
    fn a_second_admission_is_seen_whichever_call_returns_first() {
        for (first, second) in
            [((100, 110), (105, 108)), ((105, 108), (100, 110)), ((100, 110), (3090, 3100))]
        {
            let cell = Cell::default();
            assert_eq!(judge(&cell, 0, first.0, Said::Admitted, first.1), Verdict::Free);
            assert_eq!(judge(&cell, 0, second.0, Said::Admitted, second.1), Verdict::AdmittedTwice);
        }
    }

    #[test]
    fn an_admission_after_the_sure_span_is_free() {
        let cell = Cell::default();
        assert_eq!(judge(&cell, 0, 100, Said::Admitted, 110), Verdict::Free);
        assert_eq!(judge(&cell, 100, 3050, Said::Admitted, 3101), Verdict::Free);
    }

    #[test]
    fn an_id_that_is_gone_within_the_sure_span_is_forgotten() {
        let cell = Cell::default();
        assert_eq!(judge(&cell, 0, 100, Said::Known, 110), Verdict::Free);
        let clock = Clock::new();
        assert_eq!(cell.ask(&clock).seen, 100);
        assert_eq!(judge(&cell, 100, 3000, Said::Absent, 3100), Verdict::Forgotten);
        assert_eq!(judge(&cell, 100, 3000, Said::Absent, 3101), Verdict::Free);
        assert_eq!(judge(&cell, 100, 3000, Said::Contained, 3100), Verdict::Held);
        assert_eq!(cell.ask(&clock).seen, 100, "contains records nothing");
    }
}
