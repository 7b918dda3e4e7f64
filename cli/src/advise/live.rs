//! How many IDs a broker held over time, in bins of one size.

use super::activity::Activity;
use super::bins::Bins;

/// At the end of each bin: IDs seen within the expiration before it.
pub struct Live {
    pub size_s: u32,
    /// Bins between 1970 and the first of these.
    pub first: u32,
    pub ids: Vec<u64>,
}

/// Counts by differences: memory for the bins only.
pub struct Counting {
    size_s: u32,
    first: u32,
    changes: Vec<i64>,
    expiration_s: u32,
}

impl Counting {
    /// In the bins of new IDs.
    pub fn new(bins: &Bins, expiration_s: u32) -> Self {
        Self { size_s: bins.size_s.max(1), first: bins.first, changes: vec![0; bins.new.len()], expiration_s }
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
        // Held at the end of the bin it came in, and no more at the end of the one it went in.
        for (at_s, change) in [(from_s, 1), (until_s, -1)] {
            let bin = (at_s / self.size_s).saturating_sub(self.first) as usize;
            if let Some(count) = self.changes.get_mut(bin) {
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
        Live { size_s: self.size_s, first: self.first, ids: ids.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::activity::{Kind, Sight};
    use crate::advise::counts::HOUR_S;

    #[test]
    fn an_id_is_held_until_its_expiration_has_passed() {
        let mut counting = Counting::new(&Bins { size_s: HOUR_S, first: 10, new: vec![0; 8] }, 2 * HOUR_S);
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
