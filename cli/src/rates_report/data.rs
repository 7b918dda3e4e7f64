//! What the experiment wrote: for each contender, how often each value came in all phases.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub kafka_version: String,
    pub phases: u32,
    pub events: u32,
    pub offered_per_second: u32,
    pub limit: u32,
    pub contenders: Vec<Contender>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    pub name: Name,
    /// All events by all the time.
    pub per_second: Distribution,
    pub measured_at_end: Distribution,
    /// Read at a random moment, when what a bucket holds at first is spent.
    pub measured_once: Distribution,
    pub most_in_a_second: Distribution,
    /// Of the seconds that begin when what a bucket holds at first is spent.
    pub most_in_a_second_later: Distribution,
    /// When all events are offered at once.
    pub most_in_a_second_at_once: Distribution,
    pub seconds: Distribution,
}

/// Who limits.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    KafkaRate,
    Overlap,
    Grid,
    Sliding,
    KafkaTokenBucket,
    TokenBucket,
    GcraBurst,
    GcraEven,
    WindowedBurst,
    WindowedEven,
}

impl Name {
    /// For readers.
    pub fn text(self) -> &'static str {
        match self {
            Name::KafkaRate => "Kafka's Rate",
            Name::Overlap => "Overlap",
            Name::Grid => "Grid",
            Name::Sliding => "Sliding",
            Name::KafkaTokenBucket => "Kafka's TokenBucket of 60",
            Name::TokenBucket => "TokenBucket of 60",
            Name::GcraBurst => "quota, token bucket, burst 1",
            Name::GcraEven => "quota, token bucket, burst 0",
            Name::WindowedBurst => "quota, windowed, burst 1",
            Name::WindowedEven => "quota, windowed, burst 0",
        }
    }

    pub fn is_kafkas(self) -> bool {
        matches!(self, Name::KafkaRate | Name::KafkaTokenBucket)
    }
}

/// Values in order, and how often each came.
#[derive(Deserialize)]
pub struct Distribution(Vec<(f64, u32)>);

impl Distribution {
    pub fn least(&self) -> f64 {
        self.0.first().map_or(0.0, |(value, _)| *value)
    }

    pub fn most(&self) -> f64 {
        self.0.last().map_or(0.0, |(value, _)| *value)
    }

    fn total(&self) -> u32 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The lower of the two in the middle.
    pub fn median(&self) -> f64 {
        let half = self.total().div_ceil(2);
        let mut seen = 0;
        let middle = self.0.iter().find(|(_, count)| {
            seen += count;
            seen >= half
        });
        middle.map_or(0.0, |(value, _)| *value)
    }

    /// How many values lie in each of `bins` bins of `width` from `from` on; values to a tenth stand in the middle of theirs.
    pub fn histogram(&self, from: f64, width: f64, bins: usize) -> Vec<u32> {
        let mut counts = vec![0; bins];
        for (value, count) in &self.0 {
            // Float to integer conversion saturates.
            let bin = ((value - from + 0.05) / width) as usize;
            counts[bin.min(bins - 1)] += count;
        }
        counts
    }
}

impl Report {
    /// Whether all phases of all contenders are there.
    ///
    /// # Errors
    /// A sentence that names what is missing.
    pub fn check(&self) -> Result<(), String> {
        if self.contenders.is_empty() {
            return Err("it has no contenders".to_owned());
        }
        for contender in &self.contenders {
            let Contender {
                name,
                per_second,
                measured_at_end,
                measured_once,
                most_in_a_second,
                most_in_a_second_later,
                most_in_a_second_at_once,
                seconds,
            } = contender;
            let distributions = [
                ("per_second", per_second),
                ("measured_at_end", measured_at_end),
                ("measured_once", measured_once),
                ("most_in_a_second", most_in_a_second),
                ("most_in_a_second_later", most_in_a_second_later),
                ("most_in_a_second_at_once", most_in_a_second_at_once),
                ("seconds", seconds),
            ];
            for (field, distribution) in distributions {
                let (total, phases) = (distribution.total(), self.phases);
                if total != phases || total == 0 {
                    return Err(format!("{field} of {name:?} has {total} values of {phases} phases"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_lower_of_the_two_in_the_middle() {
        assert_eq!(Distribution(vec![(1.0, 2), (2.0, 2)]).median(), 1.0);
        assert_eq!(Distribution(vec![(1.0, 2), (2.0, 3)]).median(), 2.0);
        assert_eq!(Distribution(vec![(7.0, 1)]).median(), 7.0);
    }

    #[test]
    fn a_value_at_a_bins_edge_is_in_the_bin_that_begins_there() {
        let distribution = Distribution(vec![(29.9, 1), (30.0, 2), (30.4, 4), (30.5, 8), (99.0, 16)]);
        assert_eq!(distribution.histogram(29.5, 0.5, 3), [1, 6, 24]);
        assert_eq!((distribution.least(), distribution.most()), (29.9, 99.0));
    }
}
