//! What is counted of a partition, of a principal and of all: [`Ids`](super::ids::Ids) summed up.

use serde::Serialize;

use super::activity::Activity;
use super::ages::Ages;

pub const HOUR_S: u32 = 3_600;
/// Fourteen months. What is older counts, but has no hour of its own: one batch with a time of 1970 would make half a million.
const MOST_HOURS: u32 = 10_000;

/// The value that this share of the sorted ones does not exceed; of none, 0.
pub fn quantile(sorted: &[u32], share: f64) -> u32 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

/// Over clock hours, also those without any.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PerHour {
    pub hours: u64,
    pub median: u64,
    pub p95: u64,
    pub most: u64,
}

/// Pauses of more than a minute after which an ID was seen again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Returns {
    pub count: u64,
    pub median_s: u32,
    pub p95_s: u32,
    pub most_s: u32,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// Distinct producer IDs in batches of any kind.
    pub producer_ids: u64,
    pub transactional: u64,
    /// With one batch of data and no more: a producer per message.
    pub seen_once: u64,
    /// With data, and all sights within a minute: a producer per request, per retry, per message.
    pub short_lived: u64,
    /// Whose data begin within the log.
    pub new: u64,
    pub older_than_log: u64,
    pub new_per_hour: PerHour,
    pub returns: Returns,
    /// Known to the broker at the time of the report.
    pub alive: u64,
}

/// What a broker keeps for IDs that are alive: one entry for each partition that an ID wrote to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Held {
    pub entries: u64,
    pub heap_bytes: f64,
}

/// New IDs by hour, from the hour that is `first_hour` hours after 1970.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hours {
    pub first_hour: u32,
    pub new: Vec<u32>,
}

/// What came out, all but who is alive: that depends on a time that is known later.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub counts: Counts,
    pub hours: Hours,
    /// Seconds, in order.
    pub pauses: Vec<u32>,
    /// Those of transactional IDs, in order.
    pub transactional_pauses: Vec<u32>,
    pub ages: Ages,
    /// One in so many IDs was kept.
    pub one_in: u64,
}

impl Summary {
    /// Fills in who is alive: whoever was seen later than this second. What that costs, if all this is one partition's.
    pub fn settle(&mut self, alive_after_s: i64) -> Held {
        let (ids, bytes) = self.ages.later_than(alive_after_s);
        self.counts.alive = ids * self.one_in;
        Held { entries: self.counts.alive, heap_bytes: bytes * self.one_in as f64 }
    }
}

/// Sums up, then [`Tally::finish`].
pub struct Tally {
    summary: Summary,
    first_s: u32,
    last_s: u32,
    /// Seconds since 1970 at which an ID was new.
    arrivals: Vec<u32>,
}

impl Tally {
    pub fn new(halvings: u32) -> Self {
        let summary = Summary { one_in: 1 << halvings, ..Summary::default() };
        Self { summary, first_s: u32::MAX, last_s: 0, arrivals: Vec::new() }
    }

    pub fn add(&mut self, activity: &Activity) {
        let counts = &mut self.summary.counts;
        counts.producer_ids += u64::from(activity.is_in_log());
        counts.transactional += u64::from(activity.is_transactional);
        counts.seen_once += u64::from(activity.batches == 1);
        counts.short_lived += u64::from(activity.is_short_lived());
        counts.older_than_log += u64::from(activity.is_older);
        if activity.is_new() {
            counts.new += 1;
            self.arrivals.push(activity.first_data_s);
        }
        self.first_s = self.first_s.min(activity.spans.first_s().unwrap_or(u32::MAX));
        self.last_s = self.last_s.max(activity.spans.last_s().unwrap_or(0));
        self.summary.pauses.extend(activity.spans.pauses());
        if activity.is_transactional {
            self.summary.transactional_pauses.extend(activity.spans.pauses());
        }
        self.summary.ages.add(activity.last_s(), activity.batches);
    }

    /// Scaled to all IDs.
    pub fn finish(mut self) -> Summary {
        let hours = self.hours();
        let Summary { counts, pauses, transactional_pauses, one_in: scale, .. } = &mut self.summary;
        let scale = *scale;
        let mut sorted = hours.new.clone();
        sorted.sort_unstable();
        let per_hour = |share| u64::from(quantile(&sorted, share)) * scale;
        counts.new_per_hour = PerHour {
            hours: sorted.len() as u64,
            median: per_hour(0.5),
            p95: per_hour(0.95),
            most: per_hour(1.0),
        };
        pauses.sort_unstable();
        transactional_pauses.sort_unstable();
        let pause = |share| quantile(pauses, share);
        counts.returns = Returns {
            count: pauses.len() as u64 * scale,
            median_s: pause(0.5),
            p95_s: pause(0.95),
            most_s: pause(1.0),
        };
        for count in [
            &mut counts.producer_ids,
            &mut counts.transactional,
            &mut counts.seen_once,
            &mut counts.short_lived,
            &mut counts.older_than_log,
            &mut counts.new,
        ] {
            *count *= scale;
        }
        let scaled = |new: &u32| u32::try_from(u64::from(*new) * scale).unwrap_or(u32::MAX);
        self.summary.hours = Hours { new: hours.new.iter().map(scaled).collect(), ..hours };
        self.summary
    }

    fn hours(&self) -> Hours {
        if self.first_s > self.last_s {
            return Hours::default();
        }
        let last_hour = self.last_s / HOUR_S;
        let first_hour = (self.first_s / HOUR_S).max((last_hour + 1).saturating_sub(MOST_HOURS));
        let mut new = vec![0; (last_hour - first_hour + 1) as usize];
        for at_s in &self.arrivals {
            if let Some(new) = new.get_mut((at_s / HOUR_S).wrapping_sub(first_hour) as usize) {
                *new += 1;
            }
        }
        Hours { first_hour, new }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::{Kind, Sight};

    #[test]
    fn a_quantile_is_the_value_at_its_rank() {
        let sorted: Vec<u32> = (1..=20).collect();
        assert_eq!([0.0, 0.5, 0.95, 0.951, 1.0].map(|share| quantile(&sorted, share)), [1, 10, 19, 20, 20]);
        assert_eq!(quantile(&[], 0.5), 0);
    }

    fn activity(sights: &[(u32, i64, bool)]) -> Activity {
        let mut activity = Activity::new(0);
        for &(at_s, offset, is_first_of_producer) in sights {
            let kind = Kind::Data { offset, is_first_of_producer, is_transactional: false };
            activity.take(&Sight { producer_id: 1, at_s, kind });
        }
        activity
    }

    #[test]
    fn hours_without_a_new_id_count() {
        let mut tally = Tally::new(0);
        tally.add(&activity(&[(10 * HOUR_S + 5, 0, true)]));
        tally.add(&activity(&[(10 * HOUR_S + 9, 1, true), (10 * HOUR_S + 99, 2, false)]));
        tally.add(&activity(&[(12 * HOUR_S, 3, false), (14 * HOUR_S, 4, false)]));
        let Summary { counts, hours, pauses, .. } = tally.finish();
        assert_eq!(hours, Hours { first_hour: 10, new: vec![2, 0, 0, 0, 0] });
        assert_eq!(counts.new_per_hour, PerHour { hours: 5, median: 0, p95: 2, most: 2 });
        assert_eq!((counts.producer_ids, counts.new, counts.older_than_log, counts.seen_once), (3, 2, 1, 1));
        assert_eq!(pauses, [90, 7_200]);
        assert_eq!(counts.returns, Returns { count: 2, median_s: 90, p95_s: 7_200, most_s: 7_200 });
    }

    #[test]
    fn a_clock_of_1970_makes_no_half_a_million_hours() {
        let mut tally = Tally::new(0);
        tally.add(&activity(&[(5, 0, true)]));
        tally.add(&activity(&[(1_700_000_000, 1, true)]));
        let Summary { counts, hours, .. } = tally.finish();
        assert_eq!((counts.new, counts.new_per_hour.hours, hours.new.iter().sum::<u32>()), (2, 10_000, 1));
    }

    #[test]
    fn alive_is_what_is_later_than_the_expiration_allows() {
        let mut tally = Tally::new(0);
        for at_s in [99, 100, 101] {
            tally.add(&activity(&[(at_s, 0, true)]));
        }
        let mut summary = tally.finish();
        let held = summary.settle(100);
        assert_eq!((summary.counts.alive, held), (1, Held { entries: 1, heap_bytes: 276.0 }));
    }

    #[test]
    fn one_in_four_stands_for_four() {
        let mut tally = Tally::new(2);
        tally.add(&activity(&[(10, 0, true), (1_000, 1, false)]));
        let mut summary = tally.finish();
        let held = summary.settle(0);
        let Summary { counts, hours, .. } = summary;
        assert_eq!((counts.producer_ids, counts.new, counts.alive, held.heap_bytes), (4, 4, 4, 1_268.0));
        assert_eq!((counts.new_per_hour.most, counts.returns.count, hours.new), (4, 4, vec![4]));
    }
}
