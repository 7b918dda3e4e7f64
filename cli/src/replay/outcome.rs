//! What a setting came to.

use serde::Serialize;

use super::over_time::Point;
use super::setting::Setting;

/// The numbers of one setting over a whole trace. In JSON as it stands here.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// What was tried.
    #[serde(flatten)]
    pub setting: Setting,
    /// Calls.
    pub sights: u64,
    /// Calls of IDs that the engine did not know and a partition has: passed uncharged (as on a Kafka broker, where asked for).
    pub held: u64,
    /// Calls answered Known.
    pub known: u64,
    /// Calls answered Admitted: new IDs that were charged.
    pub admitted: u64,
    /// Calls answered Throttled.
    pub throttled: u64,
    /// IDs that were throttled at least once; one that stays away for a window and a layer period counts anew.
    pub throttled_ids: u64,
    /// Calls answered Known of IDs that the engine had not been told, or had to have forgotten.
    pub wrongly_known: u64,
    /// How many these should be, by the engine's own estimate from the fill of its filters at the time. Filters of a few
    /// hundred IDs do better.
    pub wrongly_known_expected: f64,
    /// New IDs that stood in a layer expired less than a layer period ago, by the engine's own count (ghost hits).
    pub forgotten_too_soon: u64,
    /// By the exact set: IDs answered Admitted or Throttled though the engine had said Known or Admitted less than a window and
    /// a layer period ago. An ID that is refused and comes again counts once.
    pub forgotten_too_soon_found: u64,
    /// The same for an ID seen less than the longest window of all settings and its layer period ago: one measure for all.
    pub charged_again: u64,
    /// Of `forgotten_too_soon_found`, those that the engine promises to know: 0, or the engine is broken.
    pub forgotten_against_promise: u64,
    /// Names.
    pub principals: u64,
    /// Names that were throttled at least once.
    pub principals_throttled: u64,
    /// Live layers that one principal had at any look.
    pub layers_most: u64,
    /// Bytes held for all principals at any look.
    pub bytes_most: u64,
    /// Milliseconds that a point stands for.
    pub step_ms: u64,
    /// At most 512 points in equal steps, from the first sight to the last.
    pub over_time: Vec<Point>,
    /// Who was throttled most, at most ten.
    pub worst: Vec<Throttled>,
}

/// A principal that was throttled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Throttled {
    /// Its name.
    pub principal: String,
    /// Calls answered Throttled.
    pub throttled: u64,
    /// IDs that were throttled at least once.
    pub throttled_ids: u64,
    /// Calls answered Admitted.
    pub admitted: u64,
}
