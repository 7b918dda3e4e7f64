//! How many IDs a broker held over time, by hour.

use super::activity::Activity;
use super::counts::HOUR_S;

/// At the end of each hour from `first_hour` (hours since 1970): IDs seen within the expiration before it.
pub struct Live {
    pub first_hour: u32,
    pub ids: Vec<u64>,
}

/// Counts by differences: memory for the hours only.
pub struct Counting {
    first_hour: u32,
    changes: Vec<i64>,
    expiration_s: u32,
}

impl Counting {
    pub fn new(first_hour: u32, hours: usize, expiration_s: u32) -> Self {
        Self { first_hour, changes: vec![0; hours], expiration_s }
    }

    pub fn add(&mut self, activity: &Activity) {
        let mut held: Option<(u32, u32)> = None;
        for (start_s, end_s) in activity.spans.iter() {
            let until_s = end_s.saturating_add(self.expiration_s);
            held = match held {
                Some((from_s, before_s)) if start_s <= before_s => Some((from_s, until_s)),
                before => {
                    self.count(before);
                    Some((start_s, until_s))
                }
            };
        }
        self.count(held);
    }

    fn count(&mut self, held: Option<(u32, u32)>) {
        let Some((from_s, until_s)) = held else { return };
        // Held at the end of the hour it came in, and no more at the end of the hour it went in.
        for (at_s, change) in [(from_s, 1), (until_s, -1)] {
            let hour = (at_s / HOUR_S).saturating_sub(self.first_hour) as usize;
            if let Some(count) = self.changes.get_mut(hour) {
                *count += change;
            }
        }
    }

    /// `one_in`: of so many IDs one was added.
    pub fn finish(self, one_in: u64) -> Live {
        let mut held = 0i64;
        let ids = self.changes.iter().map(|change| {
            held += change;
            held.unsigned_abs() * one_in
        });
        Live { first_hour: self.first_hour, ids: ids.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::{Kind, Sight};

    #[test]
    fn an_id_is_held_until_its_expiration_has_passed() {
        let mut counting = Counting::new(10, 8, 2 * HOUR_S);
        for sights in [&[10 * HOUR_S + 5][..], &[10 * HOUR_S, 11 * HOUR_S + 9, 16 * HOUR_S]] {
            let mut activity = Activity::new(0);
            for &at_s in sights {
                activity.take(&Sight { producer_id: 0, at_s, kind: Kind::Marker });
            }
            counting.add(&activity);
        }
        assert_eq!(counting.finish(1).ids, [2, 2, 1, 0, 0, 0, 1, 1]);
    }
}
