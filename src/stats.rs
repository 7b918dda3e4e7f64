//! What an operator can read of one principal, and of all of them (S10).

/// Counters and gauges of one principal; in [`Totals`] their sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Calls answered Known.
    pub known: u64,
    /// Calls answered Admitted: new producer ids that were charged.
    pub admitted: u64,
    /// Calls answered Throttled.
    pub throttled: u64,
    /// Known ids written again into the newest layer, and ids taken in uncharged by `remember`. Racing callers that write the
    /// same id again are each counted.
    pub re_recorded: u64,
    /// New ids that stood in a layer expired less than one layer period ago: forgotten too soon. If this grows,
    /// a longer window or more layers would help.
    pub ghost_hits: u64,
    /// Ids remembered now, estimated (exact up to 64).
    pub live_pids: u64,
    /// Live layers; the exact set of a small principal is none.
    pub layers: u64,
    /// Bytes held for this principal.
    pub bytes: u64,
    /// Recorded ids over capacity of the newest container, 0 to 1 and a little above under races.
    pub fill: f64,
    /// Estimated share of never-seen ids that would be called Known now. In totals: the highest of any principal.
    pub false_positive_rate: f64,
    /// Ids admitted per hour, by a sliding window of the filter's length.
    pub rate_per_hour: f64,
    /// Tokens in the bucket now; NaN without a quota, and in totals.
    pub tokens: f64,
    /// The quota in force, new ids per hour; NaN without one, and in totals.
    pub quota_per_hour: f64,
}

/// The whole engine at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Sums over all principals, dropped ones included where the field is a counter.
    pub stats: Stats,
    /// Principals held now, without the overflow gate.
    pub principals: u64,
    /// Calls of `intern` answered with the overflow gate because the registry or its share of memory was full (S8).
    pub overflow_interns: u64,
    /// Layers dropped before their time to stay within `max_memory_bytes` (S8).
    pub evicted_layers: u64,
    /// Bytes held now; never above `max_memory_bytes`.
    pub memory_bytes: u64,
}

/// What one sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Principals dropped: no call for a window, and their bucket full again.
    pub principals: u32,
    /// Layers that left memory.
    pub layers: u32,
}
