//! When IDs were last seen, to tell how many a broker still holds at a time that is known only when all is read.

use std::collections::BTreeMap;

use crate::heap;

/// Beyond so many seconds with a last sight in them, minutes: 150 kB at most for a partition, whatever it holds.
const MOST_BINS: usize = 4_096;
const MINUTE_S: u32 = 60;

/// By second since 1970: IDs, and their broker heap in bytes.
#[derive(Clone, Debug, Default)]
pub struct Ages {
    bins: BTreeMap<u32, (u64, f64)>,
    by_minute: bool,
}

impl Ages {
    pub fn add(&mut self, last_s: u32, batches: u32) {
        let bin = self.bins.entry(self.bin(last_s)).or_default();
        bin.0 += 1;
        bin.1 += heap::entry_bytes(u64::from(batches));
        if self.bins.len() > MOST_BINS && !self.by_minute {
            self.by_minute = true;
            for (second, (ids, bytes)) in std::mem::take(&mut self.bins) {
                let bin = self.bins.entry(self.bin(second)).or_default();
                bin.0 += ids;
                bin.1 += bytes;
            }
        }
    }

    fn bin(&self, second: u32) -> u32 {
        if self.by_minute {
            second - second % MINUTE_S
        } else {
            second
        }
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
    fn many_seconds_become_minutes_and_lose_nothing() {
        let mut ages = Ages::default();
        (0..600_000).for_each(|second| ages.add(second, 1));
        assert_eq!(ages.bins.len(), 10_000);
        assert_eq!(ages.later_than(-1).0, 600_000);
        assert_eq!(ages.later_than(299_999).0, 300_000);
    }
}
