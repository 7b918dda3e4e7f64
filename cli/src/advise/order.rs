//! All sights of all IDs in the order of time, from their spans: what a trace holds, and what the engine is tried on. Takes memory
//! for one place per ID. Within a span, sights come every [`STEP_S`]: often enough for the engine to keep an ID, not each batch.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::activity::Activity;

/// Between two sights of an ID that goes on, seconds.
pub const STEP_S: u32 = 300;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since 1970.
    pub at_s: u32,
    pub producer_id: i64,
    pub topic: u32,
    /// The first sight of an ID that came before the log begins: a partition had it.
    pub is_older: bool,
}

/// The next sight of an ID.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    at_s: u32,
    id: usize,
    span: usize,
}

pub struct InTimeOrder<'a> {
    ids: Vec<(i64, &'a Activity)>,
    heap: BinaryHeap<Reverse<Next>>,
}

impl<'a> InTimeOrder<'a> {
    pub fn new(ids: impl Iterator<Item = (i64, &'a Activity)>) -> Self {
        let mut ids: Vec<_> = ids.filter(|(_, activity)| activity.batches > 0).collect();
        // Of one second, the lower ID first: the same log gives the same trace.
        ids.sort_unstable_by_key(|(producer_id, _)| *producer_id);
        let first = |(id, (_, activity)): (usize, &(i64, &Activity))| {
            activity.spans.first_s().map(|at_s| Reverse(Next { at_s, id, span: 0 }))
        };
        let heap = ids.iter().enumerate().filter_map(first).collect();
        Self { ids, heap }
    }
}

impl Iterator for InTimeOrder<'_> {
    type Item = Moment;

    fn next(&mut self) -> Option<Moment> {
        let Reverse(Next { at_s, id, span }) = self.heap.pop()?;
        let &(producer_id, activity) = self.ids.get(id)?;
        let (start_s, end_s) = activity.spans.get(span)?;
        let is_older = activity.is_older && span == 0 && at_s == start_s;
        // The end of a span is a sight of its own: from there the ID is silent.
        let next = if at_s < end_s {
            Some((at_s.saturating_add(STEP_S).min(end_s), span))
        } else {
            activity.spans.get(span + 1).map(|(start_s, _)| (start_s, span + 1))
        };
        if let Some((at_s, span)) = next {
            self.heap.push(Reverse(Next { at_s, id, span }));
        }
        Some(Moment { at_s, producer_id, topic: activity.topic, is_older })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::{Kind, Sight};

    fn activity(is_first_of_producer: bool, sights: &[u32]) -> Activity {
        let mut activity = Activity::new(3);
        for (offset, &at_s) in (0..).zip(sights) {
            let kind = Kind::Data { offset, is_first_of_producer, is_transactional: false };
            activity.take(&Sight { producer_id: 0, at_s, kind });
        }
        activity
    }

    #[test]
    fn sights_come_in_the_order_of_time_with_both_ends_of_each_span() {
        let long: Vec<u32> = (0..=700).step_by(50).collect();
        let (long, twice) = (activity(true, &long), activity(true, &[10, 400]));
        let ids = [(1, &long), (2, &twice)];
        let order: Vec<(u32, i64)> =
            InTimeOrder::new(ids.into_iter()).map(|moment| (moment.at_s, moment.producer_id)).collect();
        assert_eq!(order, [(0, 1), (10, 2), (300, 1), (400, 2), (600, 1), (700, 1)]);
    }

    #[test]
    fn the_first_sight_tells_who_came_before_the_log() {
        let (new, older) = (activity(true, &[0, 999]), activity(false, &[0, 999]));
        let told = |activity| -> Vec<bool> {
            InTimeOrder::new([(1, activity)].into_iter()).map(|moment| moment.is_older).collect()
        };
        assert_eq!(told(&new), [false, false]);
        assert_eq!(told(&older), [true, false]);
    }

    #[test]
    fn markers_alone_are_no_sights_of_a_client() {
        let mut marker = Activity::new(0);
        marker.take(&Sight { producer_id: 1, at_s: 5, kind: Kind::Marker });
        assert_eq!(InTimeOrder::new([(1, &marker)].into_iter()).count(), 0);
    }
}
