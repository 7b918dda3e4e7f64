//! The IDs of a partition, or of all, within the budget of memory.

use hashbrown::HashMap;

use super::activity::{Activity, Sight};
use super::budget::{is_kept, Budget};

pub struct Ids<'b> {
    map: HashMap<i64, Activity>,
    /// One in 2^`halvings` is kept here.
    halvings: u32,
    /// Beside the map.
    span_bytes: usize,
    /// What the budget was told: halvings and bytes.
    accounted: (u32, usize),
    budget: &'b Budget,
}

impl<'b> Ids<'b> {
    pub fn new(budget: &'b Budget) -> Self {
        Self { map: HashMap::new(), halvings: 0, span_bytes: 0, accounted: (0, 0), budget }
    }

    /// Takes in what was seen on one topic.
    pub fn take(&mut self, topic: u32, sights: &[Sight]) {
        self.halve();
        for sight in sights.iter().filter(|sight| is_kept(sight.producer_id, self.halvings)) {
            let activity = self.map.entry(sight.producer_id).or_insert_with(|| Activity::new(topic));
            let before = activity.spans.heap_bytes();
            activity.take(sight);
            self.span_bytes = self.span_bytes + activity.spans.heap_bytes() - before;
        }
        self.account();
    }

    /// Takes in another partition's.
    pub fn join(&mut self, other: &Ids<'_>, is_internal: impl Fn(u32) -> bool) {
        self.halve();
        for (producer_id, theirs) in other.map.iter().filter(|(id, _)| is_kept(**id, self.halvings)) {
            let ours = self.map.entry(*producer_id).or_insert_with(|| Activity::new(theirs.topic));
            let before = ours.spans.heap_bytes();
            ours.join(theirs, &is_internal);
            self.span_bytes = self.span_bytes + ours.spans.heap_bytes() - before;
        }
        self.account();
        // A table with many more IDs than the one before takes the budget over at once.
        self.halve();
    }

    /// Lets go what the budget has no room for any more.
    pub fn halve(&mut self) {
        while self.halvings < self.budget.halvings() {
            self.halvings = self.budget.halvings();
            let halvings = self.halvings;
            self.map.retain(|id, _| is_kept(*id, halvings));
            self.map.shrink_to_fit();
            self.span_bytes = self.map.values().map(|activity| activity.spans.heap_bytes()).sum();
            self.account();
        }
    }

    fn account(&mut self) {
        let now = (self.halvings, self.map.allocation_size() + self.span_bytes);
        self.budget.account(self.accounted, now);
        self.accounted = now;
    }

    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    pub fn iter(&self) -> impl Iterator<Item = (i64, &Activity)> {
        self.map.iter().map(|(id, activity)| (*id, activity))
    }

    pub fn activities(&self) -> impl Iterator<Item = &Activity> {
        self.map.values()
    }
}

impl Drop for Ids<'_> {
    fn drop(&mut self) {
        self.budget.account(self.accounted, (0, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::Kind;

    fn sight(producer_id: i64, at_s: u32) -> Sight {
        let kind =
            Kind::Data { offset: i64::from(at_s), is_first_of_producer: true, is_transactional: false };
        Sight { producer_id, at_s, kind }
    }

    #[test]
    fn a_table_over_its_budget_keeps_whole_ids() {
        let budget = Budget::new(200_000);
        let mut ids = Ids::new(&budget);
        for round in 0..3 {
            for block in 0..20 {
                let sights: Vec<Sight> = (0..1_000).map(|i| sight(block * 1_000 + i, 600 * round)).collect();
                ids.take(0, &sights);
            }
        }
        ids.halve();
        let (kept, expected) = (ids.iter().count() as f64, 20_000.0 / f64::from(1 << ids.halvings()));
        assert!(ids.halvings() >= 3, "{}", ids.halvings());
        assert!((kept - expected).abs() < 5.0 * expected.sqrt(), "{kept} for {expected}");
        assert!(ids.accounted.1 <= 200_000, "{:?}", ids.accounted);
        assert!(ids.activities().all(|activity| activity.batches == 3 && activity.spans.iter().count() == 3));
        let span_bytes: usize = ids.activities().map(|activity| activity.spans.heap_bytes()).sum();
        assert_eq!(ids.span_bytes, span_bytes);
    }

    #[test]
    fn a_dropped_table_gives_its_budget_back() {
        let budget = Budget::new(300_000);
        for _ in 0..10 {
            let mut ids = Ids::new(&budget);
            ids.take(0, &(0..1_000).map(|id| sight(id, 0)).collect::<Vec<_>>());
            assert_eq!(ids.iter().count(), 1_000);
        }
        assert_eq!(budget.halvings(), 0);
    }

    #[test]
    fn joined_tables_hold_each_id_once() {
        let budget = Budget::new(usize::MAX);
        let (mut all, mut one, mut other) = (Ids::new(&budget), Ids::new(&budget), Ids::new(&budget));
        one.take(1, &[sight(7, 100), sight(8, 100)]);
        other.take(2, &[sight(7, 500), sight(9, 100)]);
        all.join(&one, |_| false);
        all.join(&other, |_| false);
        assert_eq!(all.iter().count(), 3);
        let (_, seven) = all.iter().find(|(id, _)| *id == 7).unwrap();
        assert_eq!((seven.batches, seven.topic, seven.spans.pauses().next()), (2, 1, Some(400)));
    }
}
