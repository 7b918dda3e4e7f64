//! What happened over time, in a bounded number of equal steps: when there are too many, each two become one.

use serde::Serialize;

/// The most steps that a course is told in.
pub const MOST_POINTS: u64 = 512;
/// The first step's length.
const FIRST_STEP_MS: u64 = 1_000;

/// One step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// Where the step begins, milliseconds since 1970.
    pub time_ms: u64,
    /// Producer IDs remembered: the most at any look within the step.
    pub live: u64,
    /// IDs admitted within the step.
    pub new_admitted: u64,
    /// Calls throttled within the step.
    pub throttled: u64,
    /// Bytes held for all principals: the most at any look within the step.
    pub bytes: u64,
    /// Live layers of all principals: the most at any look within the step.
    pub layers: u64,
}

/// See the module's head.
pub struct OverTime {
    step_ms: u64,
    points: Vec<Point>,
}

impl OverTime {
    pub fn new() -> Self {
        Self { step_ms: FIRST_STEP_MS, points: Vec::new() }
    }

    pub fn step_ms(&self) -> u64 {
        self.step_ms
    }

    pub fn into_points(self) -> Vec<Point> {
        self.points
    }

    /// Where the newest step ends; 0 before the first.
    pub fn end_ms(&self) -> u64 {
        self.points.last().map_or(0, |point| point.time_ms.saturating_add(self.step_ms))
    }

    fn start_of(&self, time_ms: u64) -> u64 {
        time_ms - time_ms % self.step_ms
    }

    /// Makes the steps so long that all up to `now_ms` have room.
    pub fn make_room(&mut self, now_ms: u64) {
        let Some(first) = self.points.first().map(|point| point.time_ms) else { return };
        while now_ms / self.step_ms - first / self.step_ms >= MOST_POINTS {
            self.step_ms = self.step_ms.saturating_mul(2);
            let step_ms = self.step_ms;
            let mut merged: Vec<Point> = Vec::with_capacity(self.points.len() / 2 + 1);
            for point in self.points.drain(..) {
                let start = point.time_ms - point.time_ms % step_ms;
                match merged.last_mut() {
                    Some(last) if last.time_ms == start => last.merge(&point),
                    _ => merged.push(Point { time_ms: start, ..point }),
                }
            }
            self.points = merged;
        }
    }

    /// Adds the next step, up to the one that `now_ms` is in; false when that is the newest already. After
    /// [`make_room`](Self::make_room).
    pub fn add_step(&mut self, now_ms: u64) -> bool {
        let time_ms = match self.points.last() {
            None => self.start_of(now_ms),
            Some(last) if last.time_ms >= self.start_of(now_ms) => return false,
            Some(last) => last.time_ms.saturating_add(self.step_ms),
        };
        self.points.push(Point { time_ms, ..Point::default() });
        true
    }

    /// Adds to the newest step what its `time_ms` is not asked for.
    pub fn note(&mut self, seen: &Point) {
        if let Some(last) = self.points.last_mut() {
            last.merge(seen);
        }
    }
}

impl Point {
    fn merge(&mut self, other: &Point) {
        self.live = self.live.max(other.live);
        self.bytes = self.bytes.max(other.bytes);
        self.layers = self.layers.max(other.layers);
        self.new_admitted += other.new_admitted;
        self.throttled += other.throttled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(times: impl IntoIterator<Item = u64>) -> OverTime {
        let mut over_time = OverTime::new();
        for now in times {
            over_time.make_room(now);
            while over_time.add_step(now) {}
            over_time.note(&Point { new_admitted: 1, live: now, ..Point::default() });
        }
        over_time
    }

    #[test]
    fn steps_are_seconds_at_first_and_none_is_left_out() {
        let over_time = follow([5_500, 5_900, 8_100]);
        let points = over_time.into_points();
        let seen: Vec<_> = points.iter().map(|p| (p.time_ms, p.new_admitted, p.live)).collect();
        assert_eq!(seen, [(5_000, 2, 5_900), (6_000, 0, 0), (7_000, 0, 0), (8_000, 1, 8_100)]);
    }

    #[test]
    fn steps_double_so_that_a_month_fits_and_every_count_stays() {
        let month = 30 * 86_400_000;
        let over_time = follow((0..10_000).map(|i| 1_796_063_100_123 + i * (month / 10_000)));
        assert_eq!(over_time.step_ms(), 8_192_000);
        assert!(over_time.end_ms() > 1_796_063_100_123 + month / 10_000 * 9_999);
        let points = over_time.into_points();
        assert!(
            points.len() as u64 <= MOST_POINTS && points.len() as u64 > MOST_POINTS / 2,
            "{}",
            points.len()
        );
        assert_eq!(points.iter().map(|point| point.new_admitted).sum::<u64>(), 10_000);
        assert!(points.windows(2).all(|two| two[1].time_ms - two[0].time_ms == 8_192_000));
    }

    #[test]
    fn s9_the_ends_of_time_have_room() {
        let points = follow([0, 1, u64::MAX]).into_points();
        assert!(points.len() as u64 <= MOST_POINTS);
        assert_eq!(points.iter().map(|point| point.new_admitted).sum::<u64>(), 3);
    }
}
