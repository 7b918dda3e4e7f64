//! Cases of both token buckets, by whole numbers: a thousandth of a token, a millisecond.

use crate::random::Random;
use crate::Case;

/// KIP-599's bucket; levels in thousandths, of which a rate of r gives r each millisecond.
struct Plain {
    per_second: i64,
    capacity: i64,
    level: i64,
    last_ms: u64,
    case: Case,
}

/// Half a millisecond up, as a rate that is odd never meets it.
fn debt_ms(level: i64, per_second: i64) -> i64 {
    (2 * (-level).max(0) + per_second) / (2 * per_second)
}

impl Plain {
    fn new(name: &str, per_second: i64, capacity: i64, first_ms: u64) -> Self {
        let made =
            format!(r#""per_second": {per_second}.0, "capacity": {capacity}.0, "first_ms": {first_ms}"#);
        let case = Case { name: name.to_owned(), made, steps: Vec::new() };
        Self { per_second, capacity: capacity * 1000, level: capacity * 1000, last_ms: first_ms, case }
    }

    fn refill(&mut self, at: u64) {
        let come = (at - self.last_ms) as i64 * self.per_second;
        self.level = (self.level + come).min(self.capacity);
        self.last_ms = at;
    }

    fn step(&mut self, at: u64, kind: &str, amount: i64, wait_ms: i64) {
        let (amount, level) = (amount as f64 / 1000.0, self.level as f64 / 1000.0);
        self.case.steps.push(format!(
            r#"{{ "at": {at}, "{kind}": {amount:?}, "wait_ms": {wait_ms}, "tokens": {level:?} }}"#
        ));
    }

    /// `amount` in thousandths.
    fn permissive(&mut self, at: u64, amount: i64) {
        self.refill(at);
        self.level = (self.level - amount).min(self.capacity);
        self.step(at, "charge", amount, debt_ms(self.level, self.per_second));
    }

    fn strict(&mut self, at: u64, amount: i64) {
        self.refill(at);
        let mut wait = 0;
        if self.level < 0 {
            wait = debt_ms(self.level, self.per_second).max(1);
        } else {
            self.level = (self.level - amount).min(self.capacity);
        }
        self.step(at, "charge_strict", amount, wait);
    }
}

fn random_bucket(name: &str, per_second: i64, capacity: i64, random: &mut Random) -> Case {
    let first = random.below(2_000_000_000_000);
    let mut bucket = Plain::new(name, per_second, capacity, first);
    let mut at = first;
    let fill_ms = (capacity * 1000 / per_second) as u64 + 1;
    for _ in 0..200 {
        at += match random.below(8) {
            0..=2 => 0,
            3..=5 => random.below(fill_ms / 4 + 2),
            6 => random.below(fill_ms + 2),
            _ => random.below(fill_ms * 3),
        };
        let amount = match random.below(10) {
            0 => 0,
            1 => -(random.below(capacity as u64 * 1000) as i64),
            2 => random.below(capacity as u64 * 2000) as i64,
            _ => random.below(capacity as u64 * 300) as i64,
        };
        match random.below(2) {
            0 => bucket.permissive(at, amount),
            _ => bucket.strict(at, amount),
        }
    }
    bucket.case
}

pub fn token_bucket_cases() -> Vec<Case> {
    let mut seeded = Random::new(0x0062_7563_6b65_7473);
    let mut permissive = Plain::new("c7_permissive", 5, 500, 0);
    permissive.permissive(0, 560_000);
    permissive.strict(0, 1000);
    permissive.permissive(11_999, 0);
    permissive.permissive(12_000, 0);
    let mut strict = Plain::new("c7_strict", 10, 100, 0);
    (0..3).for_each(|_| strict.strict(0, 90_000));
    strict.strict(5_000, 90_000);
    let mut cases = vec![permissive.case, strict.case];
    // Odd, so that no wait ends at half a millisecond, where the last bit of a double would decide.
    for (n, (per_second, capacity)) in (1..).zip([(1, 1), (5, 500), (333, 100), (99_999, 1_000_000)]) {
        cases.push(random_bucket(&format!("random_{n}"), per_second, capacity, &mut seeded));
    }
    cases
}

/// One token at a time; levels in milliseconds, of which a token is `interval`.
struct Strict {
    interval: u64,
    full: u64,
    level: u64,
    last_ms: u64,
    case: Case,
}

impl Strict {
    /// `halves` of a token at most.
    fn new(name: &str, interval: u64, halves: u64, first_ms: u64) -> Self {
        let (per_hour, capacity) = (3_600_000.0 / interval as f64, halves as f64 / 2.0);
        let made = format!(r#""per_hour": {per_hour:?}, "capacity": {capacity:?}, "first_ms": {first_ms}"#);
        let full = (halves * interval / 2).max(interval);
        let case = Case { name: name.to_owned(), made, steps: Vec::new() };
        Self { interval, full, level: full, last_ms: first_ms, case }
    }

    fn charge(&mut self, at: u64) {
        self.level = (self.level + at - self.last_ms).min(self.full);
        self.last_ms = at;
        let wait_ms = self.interval.saturating_sub(self.level);
        if wait_ms == 0 {
            self.level -= self.interval;
        }
        let tokens = self.level as f64 / self.interval as f64;
        self.case.steps.push(format!(r#"{{ "at": {at}, "wait_ms": {wait_ms}, "tokens": {tokens:?} }}"#));
    }
}

fn random_gcra(name: &str, interval: u64, halves: u64, random: &mut Random) -> Case {
    let first = random.below(2_000_000_000_000);
    let mut gcra = Strict::new(name, interval, halves, first);
    let mut at = first;
    for _ in 0..200 {
        at += match random.below(8) {
            0..=3 => 0,
            4 | 5 => random.below(interval + 2),
            6 => (random.below(3) * interval + random.below(3)).saturating_sub(1),
            _ => random.below(interval * halves),
        };
        gcra.charge(at);
    }
    gcra.case
}

pub fn gcra_cases() -> Vec<Case> {
    const HOUR: u64 = 3_600_000;
    let mut seeded = Random::new(0x0067_6372_6100_0001);
    let mut c9 = Strict::new("c9", 200, 10, 0);
    [0, 2000].iter().for_each(|&at| (0..6).for_each(|_| c9.charge(at)));
    let mut c10 = Strict::new("c10", 100, 20, 0);
    (0..10).for_each(|_| c10.charge(9 * HOUR));
    // Eight hours back: an empty bucket fills from there.
    c10.last_ms = HOUR;
    [HOUR, HOUR + 99, HOUR + 100, HOUR + 100].iter().for_each(|&at| c10.charge(at));
    let mut cases = vec![c9.case, c10.case];
    for (n, (interval, halves)) in (1..).zip([(1000, 2), (8, 21), (60_000, 10), (90_000, 1)]) {
        cases.push(random_gcra(&format!("random_{n}"), interval, halves, &mut seeded));
    }
    cases
}
