//! What a principal's bucket may have paid out at most (S11, S12).
//!
//! An incarnation is a principal from its interning to its drop; it has one handle. It starts with a full bucket and gets the
//! refill of the quota in force. A change of quota makes no token: raising keeps what is there, lowering clamps. So what
//! one incarnation admits is at most the largest capacity that could be in force at its birth, and the refill since.
//! Moments are not exact but between two readings of the clock; each bound takes the more generous end.

use tollgate::{PrincipalId, Quota};

/// A quota of one principal, set between `before` and `after`.
#[derive(Clone, Copy)]
pub struct Change {
    pub quota: Quota,
    pub before: u64,
    pub after: u64,
}

/// What the threads saw of one handle.
#[derive(Clone, Copy)]
pub struct Incarnation {
    pub principal: usize,
    pub id: PrincipalId,
    /// Born between these two.
    pub born_before: u64,
    pub born_after: u64,
    /// `after` of its last admission.
    pub last: u64,
    pub admitted: u64,
}

impl Incarnation {
    /// What two threads saw of the same handle.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!((self.principal, self.id), (other.principal, other.id));
        self.born_before = self.born_before.min(other.born_before);
        self.born_after = self.born_after.min(other.born_after);
        self.last = self.last.max(other.last);
        self.admitted += other.admitted;
    }
}

/// Hand-overs between buckets round to a 2^-20th of a millisecond.
const ROUNDING: f64 = 1e-3;

pub fn refill(quota: Quota, from_ms: u64, to_ms: u64) -> f64 {
    quota.rate_per_hour() * to_ms.saturating_sub(from_ms) as f64 / 3_600_000.0
}

/// The most that one incarnation may have admitted under `changes`, oldest first.
pub fn most_admitted(changes: &[Change], incarnation: &Incarnation, window_ms: u64) -> f64 {
    let in_force = |index: usize| {
        let until = changes.get(index + 1).map_or(u64::MAX, |next| next.after);
        (changes[index].before, until)
    };
    let (mut capacity, mut refilled) = (0.0f64, 0.0);
    for (index, change) in changes.iter().enumerate() {
        let (from, until) = in_force(index);
        if from <= incarnation.born_after && until >= incarnation.born_before {
            capacity = capacity.max(change.quota.capacity(window_ms));
        }
        refilled += refill(change.quota, from.max(incarnation.born_before), until.min(incarnation.last));
    }
    capacity + refilled + ROUNDING
}

/// The most that all incarnations of a principal may have admitted under one quota: a principal is dropped only with a full
/// bucket, so being made anew hands out nothing.
pub fn most_admitted_ever(quota: Quota, from_ms: u64, to_ms: u64, window_ms: u64) -> f64 {
    quota.capacity(window_ms) + refill(quota, from_ms, to_ms) + ROUNDING
}

mod tests {
    use super::*;

    #[test]
    fn the_bound_is_capacity_and_refill_of_each_quota_in_its_time() {
        // 3,600 an hour is one a second; the window of 10 s gives 10 at once.
        let quota = |rate| Quota::per_hour(rate, 1.0).unwrap();
        let changes = [
            Change { quota: quota(3_600.0), before: 0, after: 0 },
            Change { quota: quota(36_000.0), before: 5_000, after: 5_100 },
        ];
        let born = |born_before, born_after, last| Incarnation {
            principal: 0,
            id: PrincipalId::OVERFLOW,
            born_before,
            born_after,
            last,
            admitted: 0,
        };
        let most = |incarnation| most_admitted(&changes, &incarnation, 10_000) - ROUNDING;
        // Ten at birth; 5.1 in the first quota's time, fifty in the second's.
        assert!((most(born(0, 10, 10_000)) - (10.0 + 5.1 + 50.0)).abs() < 1e-9);
        // Born while the change was made: either capacity.
        assert!((most(born(5_050, 5_060, 6_050)) - (100.0 + 0.05 + 10.0)).abs() < 1e-9);
    }
}
