//! What the demo wrote: `samples.json` as [`Series`], `report.json` as [`Results`].
//!
//! Times are seconds since the well-behaved client sent its first message, sizes are MiB, latencies are ms. A
//! reading that the broker did not answer is `None`.

use serde::Deserialize;

/// Both files.
pub struct Demo {
    pub series: Series,
    pub results: Results,
}

#[derive(Deserialize)]
pub struct Results {
    pub kafka_version: String,
    pub stock: Stock,
    pub guarded: Guarded,
    pub stock_well_behaved: Client,
}

#[derive(Deserialize)]
pub struct Stock {
    pub outcome: String,
    pub producer_ids: u64,
    pub heap_after_gc_mb: f64,
}

#[derive(Deserialize)]
pub struct Guarded {
    pub outcome: String,
    pub producer_ids: u64,
    pub heap_after_gc_mb: f64,
    pub throttled: u64,
    pub well_behaved: Client,
}

#[derive(Deserialize)]
pub struct Client {
    pub sent: u64,
    pub acknowledged: u64,
    pub errors: u64,
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
}

#[derive(Deserialize)]
pub struct Series {
    pub java_version: String,
    pub processors: u32,
    pub load: Load,
    pub stock: Run,
    pub guarded: Run,
}

/// The load, the same for both brokers; rates are per second.
#[derive(Deserialize)]
pub struct Load {
    pub quick: bool,
    pub heap_mb: u32,
    pub quota_per_hour: f64,
    pub well_behaved_producers: u32,
    pub well_behaved_rate: f64,
    pub rogue_partitions: u32,
    pub warm_up_s: u32,
    pub producers_s: u32,
    pub producers_rate: f64,
    pub raw_rate: f64,
}

/// One broker's run.
#[derive(Deserialize)]
pub struct Run {
    pub heap_at_start_mb: f64,
    /// When the broker ended by itself.
    pub ended_at_s: Option<f64>,
    /// How long the raw flood ran.
    pub raw_s: f64,
    pub rogue_producers: RogueProducers,
    pub raw: Raw,
    pub phases: Vec<Phase>,
    pub samples: Vec<Sample>,
}

#[derive(Deserialize)]
pub struct RogueProducers {
    pub made: u64,
    pub delivered: u64,
}

#[derive(Deserialize)]
pub struct Raw {
    pub sent: u64,
    pub accepted: u64,
}

#[derive(Deserialize)]
pub struct Phase {
    pub name: String,
    pub from_s: f64,
}

#[derive(Deserialize)]
pub struct Sample {
    pub t: f64,
    pub producer_ids: Option<u64>,
    pub heap_after_gc_mb: Option<f64>,
    pub p99_ms: Option<f64>,
}

impl Run {
    /// The points of one curve, up to where the broker ended.
    pub fn curve(&self, value: impl Fn(&Sample) -> Option<f64>) -> Vec<(f64, f64)> {
        let end = self.ended_at_s.unwrap_or(f64::INFINITY);
        self.samples
            .iter()
            .filter(|sample| sample.t <= end)
            .filter_map(|sample| value(sample).map(|v| (sample.t, v)))
            .collect()
    }

    /// The last reading's time.
    pub fn last_s(&self) -> f64 {
        self.samples.last().map_or(0.0, |sample| sample.t)
    }
}
