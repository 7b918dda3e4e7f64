//! An axis: where a value goes, and which values get a tick.

use std::ops::Range;

/// Linear from 0, or logarithmic from a decade on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    Linear { top: f64 },
    Logarithmic { lowest_decade: i32, top: f64 },
}

impl Scale {
    /// From 0 to `top`; to 1 when that is not positive.
    pub fn linear(top: f64) -> Scale {
        Scale::Linear { top: if top > 0.0 { top } else { 1.0 } }
    }

    /// From the decade below `lowest` to far enough above `highest` that a label has room there, both positive.
    pub fn logarithmic(lowest: f64, highest: f64) -> Scale {
        let lowest_decade = lowest.max(1e-3).log10().floor() as i32;
        Scale::Logarithmic { lowest_decade, top: (4.0 * highest).max(10f64.powi(lowest_decade + 1)) }
    }

    /// A value's place within [`Scale::range`].
    pub fn place(self, value: f64) -> f64 {
        match self {
            Scale::Linear { .. } => value,
            Scale::Logarithmic { .. } => value.max(self.bottom()).log10(),
        }
    }

    pub fn range(self) -> Range<f64> {
        self.place(self.bottom())..self.place(self.top())
    }

    /// A value's pixel on an axis from one pixel to another, either way round.
    pub fn pixel(self, value: f64, (from, to): (i32, i32)) -> i32 {
        let Range { start, end } = self.range();
        let share = (self.place(value) - start) / (end - start);
        from + (share * f64::from(to - from)).round() as i32
    }

    /// The smallest value on the axis.
    pub fn bottom(self) -> f64 {
        match self {
            Scale::Linear { .. } => 0.0,
            Scale::Logarithmic { lowest_decade, .. } => 10f64.powi(lowest_decade),
        }
    }

    /// The largest value on the axis.
    pub fn top(self) -> f64 {
        match self {
            Scale::Linear { top } | Scale::Logarithmic { top, .. } => top,
        }
    }

    /// Round values, four to eight of them on a linear axis, the decades on a logarithmic one.
    pub fn ticks(self) -> Vec<f64> {
        match self {
            Scale::Linear { top } => {
                let most = top / 3.0;
                let decade = 10f64.powf(most.log10().floor());
                let steps = [5.0, 2.0, 1.0].map(|n| n * decade);
                let step = steps.into_iter().find(|step| *step <= most).unwrap_or(decade);
                (0..).map(|i| f64::from(i) * step).take_while(|tick| *tick <= top).collect()
            }
            Scale::Logarithmic { lowest_decade, top } => {
                (lowest_decade..).map(|decade| 10f64.powi(decade)).take_while(|tick| *tick <= top).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_few() {
        assert_eq!(Scale::linear(680_000.0).ticks(), [0.0, 200_000.0, 400_000.0, 600_000.0]);
        assert_eq!(Scale::linear(220.0).ticks(), [0.0, 50.0, 100.0, 150.0, 200.0]);
        for top in [0.35, 1.0, 7.0, 14.9, 99.0, 1_234.0, 5e6] {
            let ticks = Scale::linear(top).ticks();
            assert!((4..=8).contains(&ticks.len()), "{top}: {ticks:?}");
            assert!(ticks.iter().all(|tick| *tick <= top));
        }
    }

    #[test]
    fn a_logarithmic_scale_begins_at_a_decade_and_leaves_room_above() {
        let scale = Scale::logarithmic(2.3, 524.0);
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0, 1_000.0]);
        assert_eq!((scale.bottom(), scale.top()), (1.0, 2_096.0));
        assert!((scale.place(100.0) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn an_axis_may_go_up_or_to_the_right() {
        let scale = Scale::logarithmic(1.0, 250.0);
        assert_eq!([1.0, 10.0, 1_000.0].map(|value| scale.pixel(value, (400, 100))), [400, 300, 100]);
        assert_eq!(Scale::linear(300.0).pixel(150.0, (64, 904)), 484);
    }

    #[test]
    fn values_at_or_below_nothing_stay_on_the_axis() {
        assert_eq!(Scale::linear(0.0).top(), 1.0);
        let scale = Scale::logarithmic(0.0, 0.0);
        assert_eq!(scale.place(0.0), scale.range().start);
        assert!(scale.range().start < scale.range().end);
    }
}
