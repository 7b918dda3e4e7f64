//! What is counted of a partition, of a principal and of all: [`Ids`](super::ids::Ids) summed up.

use serde::Serialize;

use super::activity::Activity;
use super::ages::Ages;
use super::bins::Bins;

pub const HOUR_S: u32 = 3_600;
const MINUTE_S: u32 = 60;
/// A plot of fewer hours is drawn by the minute.
const FEW_HOURS: u32 = 6;

/// From the first batch to the last, seconds since 1970.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "the unit, as everywhere here")]
pub struct Period {
    pub from_s: u32,
    pub to_s: u32,
    /// Who was seen later is alive at the end; of a partition not known yet.
    pub alive_after_s: Option<i64>,
}

impl Period {
    /// Who was seen after this second may still be there: a minute before the end, or a tenth of a short log.
    fn young_after_s(self) -> u32 {
        self.to_s - (self.to_s.saturating_sub(self.from_s) / 10).min(MINUTE_S)
    }

    fn drawn_bin_s(self) -> u32 {
        if self.to_s.saturating_sub(self.from_s) <= FEW_HOURS * HOUR_S {
            MINUTE_S
        } else {
            HOUR_S
        }
    }
}

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
    /// With data, and all sights within a minute that ended a minute before the log does: a producer per request, per retry, per
    /// message.
    pub short_lived: u64,
    /// The same, but seen so late that they may go on.
    pub too_young: u64,
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

/// What came out, all but who is alive: that depends on a time that is known later.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub counts: Counts,
    /// By clock hour.
    pub hours: Bins,
    /// For a plot: by the minute where there are few hours.
    pub drawn: Bins,
    /// Seconds, in order.
    pub pauses: Vec<u32>,
    /// Those of transactional IDs, in order.
    pub transactional_pauses: Vec<u32>,
    pub ages: Ages,
    /// IDs that are alive at the end, and not short-lived: who comes back when all of them restart.
    pub lasting: u64,
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
    period: Period,
}

impl Tally {
    pub fn new(halvings: u32, period: Period) -> Self {
        let summary = Summary { one_in: 1 << halvings, ..Summary::default() };
        Self { summary, first_s: u32::MAX, last_s: 0, arrivals: Vec::new(), period }
    }

    pub fn add(&mut self, activity: &Activity) {
        let counts = &mut self.summary.counts;
        counts.producer_ids += u64::from(activity.is_in_log());
        counts.transactional += u64::from(activity.is_transactional);
        counts.seen_once += u64::from(activity.batches == 1);
        if activity.is_short_lived() {
            let is_young = activity.last_s() > self.period.young_after_s();
            *(if is_young { &mut counts.too_young } else { &mut counts.short_lived }) += 1;
        }
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
        let is_alive =
            self.period.alive_after_s.is_some_and(|after_s| i64::from(activity.last_s()) > after_s);
        self.summary.lasting += u64::from(is_alive && activity.batches > 0 && !activity.is_short_lived());
        self.summary.ages.add(activity.last_s(), activity.batches);
    }

    /// Scaled to all IDs.
    pub fn finish(mut self) -> Summary {
        let seen = (self.first_s, self.last_s);
        let hours = Bins::of(&self.arrivals, seen, HOUR_S);
        let drawn = Bins::of(&self.arrivals, seen, self.period.drawn_bin_s());
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
            &mut counts.too_young,
            &mut counts.older_than_log,
            &mut counts.new,
        ] {
            *count *= scale;
        }
        self.summary.lasting *= scale;
        (self.summary.hours, self.summary.drawn) = (hours.scaled(scale), drawn.scaled(scale));
        self.summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::{Kind, Sight};

    const DAY: Period = Period { from_s: 0, to_s: 86_400, alive_after_s: Some(100) };

    #[test]
    fn who_was_seen_last_at_the_end_is_too_young_to_be_gone() {
        let mut tally = Tally::new(0, DAY);
        for last_s in [86_340, 86_341, 86_400] {
            tally.add(&activity(&[(last_s, 0, true)]));
        }
        tally.add(&activity(&[(0, 0, true), (61, 1, false)]));
        let counts = tally.finish().counts;
        assert_eq!((counts.short_lived, counts.too_young, counts.producer_ids), (1, 2, 4));
        // Of a log of half a minute, three seconds.
        assert_eq!(Period { from_s: 100, to_s: 130, alive_after_s: None }.young_after_s(), 127);
    }

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
        let mut tally = Tally::new(0, DAY);
        tally.add(&activity(&[(10 * HOUR_S + 5, 0, true)]));
        tally.add(&activity(&[(10 * HOUR_S + 9, 1, true), (10 * HOUR_S + 99, 2, false)]));
        tally.add(&activity(&[(12 * HOUR_S, 3, false), (14 * HOUR_S, 4, false)]));
        let Summary { counts, hours, pauses, .. } = tally.finish();
        assert_eq!(hours, Bins { size_s: HOUR_S, first: 10, new: vec![2, 0, 0, 0, 0] });
        assert_eq!(counts.new_per_hour, PerHour { hours: 5, median: 0, p95: 2, most: 2 });
        assert_eq!((counts.producer_ids, counts.new, counts.older_than_log, counts.seen_once), (3, 2, 1, 1));
        assert_eq!(pauses, [90, 7_200]);
        assert_eq!(counts.returns, Returns { count: 2, median_s: 90, p95_s: 7_200, most_s: 7_200 });
    }

    #[test]
    fn alive_is_what_is_later_than_the_expiration_allows() {
        let mut tally = Tally::new(0, DAY);
        for at_s in [99, 100, 101] {
            tally.add(&activity(&[(at_s, 0, true)]));
        }
        let mut summary = tally.finish();
        let held = summary.settle(100);
        assert_eq!((summary.counts.alive, held), (1, Held { entries: 1, heap_bytes: 276.0 }));
        assert_eq!(summary.lasting, 0);
    }

    #[test]
    fn lasting_is_who_is_alive_and_stays() {
        let mut tally = Tally::new(1, DAY);
        for sights in [
            &[(50, 0, true), (100, 1, true)][..],
            &[(50, 0, true), (900, 1, true)],
            &[(900, 0, true)],
            &[(900, 0, false)],
        ] {
            tally.add(&activity(sights));
        }
        assert_eq!(tally.finish().lasting, 4);
    }

    #[test]
    fn one_in_four_stands_for_four() {
        let mut tally = Tally::new(2, DAY);
        tally.add(&activity(&[(10, 0, true), (1_000, 1, false)]));
        let mut summary = tally.finish();
        let held = summary.settle(0);
        let Summary { counts, hours, .. } = summary;
        assert_eq!((counts.producer_ids, counts.new, counts.alive, held.heap_bytes), (4, 4, 4, 1_268.0));
        assert_eq!((counts.new_per_hour.most, counts.returns.count, hours.new), (4, 4, vec![4]));
    }
}
