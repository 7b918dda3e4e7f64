//! When IDs were last seen, to tell how many a broker still holds at a time that is known only when all is read.

use std::collections::BTreeMap;

use crate::heap;

/// Of a partition; 150 kB at most. Where there are more the bins double until they fit.
const MOST_BINS: usize = 4_096;

/// By bin: IDs, and their broker heap in bytes.
#[derive(Clone, Debug)]
pub struct Ages {
    bins: BTreeMap<u32, (u64, f64)>,
    /// Seconds since 1970 in a bin; one by itself.
    size_s: u32,
}

impl Default for Ages {
    fn default() -> Self {
        Self { bins: BTreeMap::new(), size_s: 1 }
    }
}

impl Ages {
    pub fn add(&mut self, last_s: u32, batches: u32) {
        self.count(last_s, 1, heap::entry_bytes(u64::from(batches)));
        while self.bins.len() > MOST_BINS {
            self.size_s = self.size_s.saturating_mul(2);
            for (second, (ids, bytes)) in std::mem::take(&mut self.bins) {
                self.count(second, ids, bytes);
            }
        }
    }

    fn count(&mut self, second: u32, ids: u64, bytes: f64) {
        let bin = self.bins.entry(second - second % self.size_s).or_default();
        bin.0 += ids;
        bin.1 += bytes;
    }

    /// IDs last seen later than a second, and their heap in bytes.
    pub fn later_than(&self, second: i64) -> (u64, f64) {
        let later = self.bins.iter().filter(|(bin, _)| i64::from(**bin) > second);
        later.fold((0, 0.0), |(ids, bytes), (_, bin)| (ids + bin.0, bytes + bin.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_itself_is_too_early() {
        let mut ages = Ages::default();
        [(99, 1), (100, 1), (101, 5), (101, 1)].into_iter().for_each(|(at, batches)| ages.add(at, batches));
        assert_eq!(ages.later_than(100), (2, 716.0));
    }

    #[test]
    fn many_seconds_share_bins_and_none_is_lost() {
        let mut ages = Ages::default();
        (0..600_000).for_each(|second| ages.add(second, 1));
        assert!(ages.bins.len() <= MOST_BINS, "{}", ages.bins.len());
        assert_eq!(ages.later_than(-1).0, 600_000);
        let later = ages.later_than(299_999).0;
        assert!(later.abs_diff(300_000) <= u64::from(ages.size_s), "{later} with {}", ages.size_s);
    }
}
