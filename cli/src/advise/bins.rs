//! New IDs over time, in bins of one size.

/// Fourteen months of hours. What is older counts, but has no bin of its own: one batch with a time of 1970 would make half a
/// million.
const MOST: u32 = 10_000;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bins {
    pub size_s: u32,
    /// Bins between 1970 and the first of these.
    pub first: u32,
    pub new: Vec<u32>,
}

impl Bins {
    /// From the bin of `from_s` to that of `to_s`, empty ones too; all in seconds since 1970.
    pub fn of(arrivals: &[u32], (from_s, to_s): (u32, u32), size_s: u32) -> Self {
        if from_s > to_s {
            return Self { size_s, ..Self::default() };
        }
        let last = to_s / size_s;
        let first = (from_s / size_s).max((last + 1).saturating_sub(MOST));
        let mut new = vec![0; (last - first + 1) as usize];
        for at_s in arrivals {
            if let Some(new) = new.get_mut((at_s / size_s).wrapping_sub(first) as usize) {
                *new += 1;
            }
        }
        Self { size_s, first, new }
    }

    /// Each stands for so many.
    pub fn scaled(mut self, by: u64) -> Self {
        for new in &mut self.new {
            *new = u32::try_from(u64::from(*new) * by).unwrap_or(u32::MAX);
        }
        self
    }
}

/// Where bins begin, milliseconds since 1970, with what they hold.
pub fn points(first: u32, size_s: u32, values: impl Iterator<Item = f64>) -> Vec<(i64, f64)> {
    (i64::from(first)..).map(|bin| bin * i64::from(size_s) * 1_000).zip(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_without_any_count() {
        let bins = Bins::of(&[600, 659, 720], (600, 845), 60);
        assert_eq!(bins, Bins { size_s: 60, first: 10, new: vec![2, 0, 1, 0, 0] });
        assert_eq!(bins.scaled(4).new, [8, 0, 4, 0, 0]);
        assert_eq!(Bins::of(&[], (1, 0), 60).new, [0; 0]);
    }

    #[test]
    fn a_clock_of_1970_makes_no_half_a_million_hours() {
        let bins = Bins::of(&[5, 1_700_000_000], (5, 1_700_000_000), 3_600);
        assert_eq!((bins.new.len(), bins.new.iter().sum::<u32>()), (10_000, 1));
    }

    #[test]
    fn points_are_where_bins_begin() {
        assert_eq!(points(10, 60, [1.0, 2.0].into_iter()), [(600_000, 1.0), (660_000, 2.0)]);
    }
}
