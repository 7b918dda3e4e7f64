//! What was counted, as plain structs in the caller's memory.

use super::boundary::{guard, put, shared};
use super::engine::tollgate_engine;
use super::status::tollgate_status;
use crate::{PrincipalId, Stats, Totals};

/// What was counted for one principal; in tollgate_totals, for all together.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tollgate_stats {
    /// Calls answered Known.
    pub known: u64,
    /// PIDs admitted: new, and charged.
    pub admitted: u64,
    /// Calls answered Throttled.
    pub throttled: u64,
    /// PIDs recorded again in the newest layer, and PIDs that tollgate_remember took in; never charged.
    pub re_recorded: u64,
    /// New PIDs that the last expired layer still held: forgotten too soon. If it climbs, raise the window or the layers.
    pub ghost_hits: u64,
    /// PIDs remembered now; an estimate beyond 64.
    pub live_pids: u64,
    /// Layers now held; none while up to 64 PIDs are kept exactly.
    pub layers: u64,
    /// Memory held, in bytes.
    pub bytes: u64,
    /// Recorded PIDs over capacity of the newest layer.
    pub fill: f64,
    /// Estimated share of never-seen PIDs that would be called Known; in totals, the highest of any principal.
    pub false_positive_rate: f64,
    /// New PIDs admitted per hour, over the last window.
    pub rate_per_hour: f64,
    /// New PIDs that may still come at once; NaN without a quota, and in totals.
    pub tokens: f64,
    /// The quota, in new PIDs per hour; NaN without one, and in totals.
    pub quota_per_hour: f64,
}

/// What was counted in all.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tollgate_totals {
    /// Sums over all principals, gone ones included in the counts.
    pub stats: tollgate_stats,
    /// Principals now live.
    pub principals: u64,
    /// Names that came beyond max_principals and share one gate.
    pub overflow_interns: u64,
    /// Layers that went early to stay under max_memory_bytes.
    pub evicted_layers: u64,
    /// Memory that the engine now accounts for, in bytes.
    pub memory_bytes: u64,
}

impl From<Stats> for tollgate_stats {
    fn from(stats: Stats) -> Self {
        Self {
            known: stats.known,
            admitted: stats.admitted,
            throttled: stats.throttled,
            re_recorded: stats.re_recorded,
            ghost_hits: stats.ghost_hits,
            live_pids: stats.live_pids,
            layers: stats.layers,
            bytes: stats.bytes,
            fill: stats.fill,
            false_positive_rate: stats.false_positive_rate,
            rate_per_hour: stats.rate_per_hour,
            tokens: stats.tokens,
            quota_per_hour: stats.quota_per_hour,
        }
    }
}

impl From<Totals> for tollgate_totals {
    fn from(totals: Totals) -> Self {
        Self {
            stats: totals.stats.into(),
            principals: totals.principals,
            overflow_interns: totals.overflow_interns,
            evicted_layers: totals.evicted_layers,
            memory_bytes: totals.memory_bytes,
        }
    }
}

/// Reads one principal's stats into `stats`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_read_stats(
    engine: *const tollgate_engine,
    principal: u32,
    now_ms: u64,
    stats: *mut tollgate_stats,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        match engine.0.stats(PrincipalId::from_raw(principal), now_ms) {
            // SAFETY: NULL or writable, by the caller's promise.
            Some(read) => tollgate_status::from_written(unsafe { put(stats, read.into()) }),
            None => tollgate_status::Stale,
        }
    })
}

/// Reads the engine's totals into `totals`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_read_totals(
    engine: *const tollgate_engine,
    now_ms: u64,
    totals: *mut tollgate_totals,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        // SAFETY: NULL or writable, by the caller's promise.
        tollgate_status::from_written(unsafe { put(totals, engine.0.totals(now_ms).into()) })
    })
}
