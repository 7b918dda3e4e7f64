//! Token buckets that take one token at a time and never owe.

use super::boundary::{ask, guard, take};
use super::status::tollgate_status;
use super::token_bucket::wait_ms;
use crate::rate::{Gcra, Refill};
use std::os::raw::c_char;

/// A strict token bucket: one token at a time, never below zero. It is what keeps an engine's quotas by itself. Any number of
/// threads at once.
pub struct tollgate_gcra(Gcra);

/// Makes a bucket of `capacity` tokens (less than 1 is taken as 1), full at `now_ms`, into which `per_hour` tokens an hour come;
/// both finite and above 0. Free with tollgate_gcra_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error
/// text names it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_gcra_new(
    per_hour: f64,
    capacity: f64,
    now_ms: u64,
    gcra: *mut *mut tollgate_gcra,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let make = || Ok(tollgate_gcra(Gcra::full(Refill::per_hour(per_hour, capacity)?, now_ms)));
        // SAFETY: NULL or writable, by the caller's promise.
        unsafe { tollgate_status::from_making(make, gcra, error, error_capacity) }
    })
}

/// Frees a bucket. No other call on it may be under way or come later. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_gcra_free(gcra: *mut tollgate_gcra) {
    // SAFETY: the caller hands over what tollgate_gcra_new gave.
    guard((), || unsafe { take(gcra) });
}

/// Takes one token and returns 0; where there is none, the milliseconds until there is one, at least 1. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_gcra_charge(gcra: *const tollgate_gcra, now_ms: u64) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(gcra, 0, |gcra| wait_ms(gcra.0.charge(now_ms))) }
}

/// Tokens, fractions included: 0 to the capacity. NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_gcra_tokens(gcra: *const tollgate_gcra, now_ms: u64) -> f64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(gcra, f64::NAN, |gcra| gcra.0.tokens(now_ms)) }
}
