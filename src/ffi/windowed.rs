//! Rates over sample windows.

use super::boundary::{ask, guard, take};
use super::status::{refused, tollgate_status};
use crate::rate::{Policy, WindowedRate};
use std::os::raw::c_char;

/// Events per second, measured over N samples of W milliseconds each. Any number of threads at once.
pub struct tollgate_windowed_rate(WindowedRate);

/// Which time a sample stands for, and what it counts for in a reading. Numbers are never reused.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tollgate_policy {
    /// Samples follow one another without gaps, on the grid of the first event.
    Grid = 0,
    /// A sample starts at its first event and counts as long as its last event is in the window. What Kafka ships.
    Overlap = 1,
    /// The window slides: the oldest sample counts by the share of it still inside. Never rises without an event.
    Sliding = 2,
}

fn policy(number: u32) -> Result<Policy, crate::ConfigError> {
    match number {
        n if n == tollgate_policy::Grid as u32 => Ok(Policy::Grid),
        n if n == tollgate_policy::Overlap as u32 => Ok(Policy::Overlap),
        n if n == tollgate_policy::Sliding as u32 => Ok(Policy::Sliding),
        _ => Err(refused("policy", number, "0 (grid), 1 (overlap) or 2 (sliding)")),
    }
}

/// Makes a rate over `samples` (1 to 1,000) samples of `sample_ms` (1 to 2,592,000,000, thirty days) milliseconds each; `policy`
/// is a tollgate_policy. Free with tollgate_windowed_rate_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the
/// error text names it, and the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_new(
    policy: u32,
    samples: u32,
    sample_ms: u64,
    rate: *mut *mut tollgate_windowed_rate,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let make =
            || WindowedRate::new(self::policy(policy)?, samples, sample_ms).map(tollgate_windowed_rate);
        // SAFETY: NULL or writable, by the caller's promise.
        unsafe { tollgate_status::from_making(make, rate, error, error_capacity) }
    })
}

/// Frees a rate. No other call on it may be under way or come later. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_free(rate: *mut tollgate_windowed_rate) {
    // SAFETY: the caller hands over what tollgate_windowed_rate_new gave.
    guard((), || unsafe { take(rate) });
}

/// Counts `amount` events (or bytes, or what is measured). A sample holds 2^40 - 1; more stays there. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_record(
    rate: *const tollgate_windowed_rate,
    amount: u64,
    now_ms: u64,
) {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(rate, (), |rate| rate.0.record(amount, now_ms)) }
}

/// The rate, per second. NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_per_second(
    rate: *const tollgate_windowed_rate,
    now_ms: u64,
) -> f64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(rate, f64::NAN, |rate| rate.0.per_second(now_ms)) }
}

/// The time over which tollgate_windowed_rate_per_second measures, in milliseconds, at least 1; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_window_ms(
    rate: *const tollgate_windowed_rate,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(rate, 0, |rate| rate.0.window_ms(now_ms)) }
}

/// Kafka's throttle time, in milliseconds, rounded: the excess over `per_second_limit`, as a part of it, times the window. 0 at or
/// below the limit, and for NULL; UINT64_MAX above one of 0 or less. Samples leave the window whole, so the rate may be above the
/// limit for up to N W after that time, though nothing comes: ask again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_windowed_rate_throttle_ms(
    rate: *const tollgate_windowed_rate,
    per_second_limit: f64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(rate, 0, |rate| rate.0.throttle_ms(per_second_limit, now_ms)) }
}
