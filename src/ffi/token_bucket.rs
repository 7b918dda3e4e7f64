//! Token buckets that take amounts and may owe.

use super::boundary::{ask, guard, take};
use super::status::tollgate_status;
use crate::rate::{Charge, TokenBucket};
use std::os::raw::c_char;

/// A token bucket for amounts whose level may go below zero (KIP-599's). Any number of threads at once.
pub struct tollgate_token_bucket(TokenBucket);

/// What a strict charge says in one number.
pub(super) fn wait_ms(charge: Charge) -> u64 {
    match charge {
        Charge::Taken => 0,
        Charge::Refused { wait_ms } => wait_ms,
    }
}

/// Makes a bucket of `capacity` tokens, full at `now_ms`, into which `per_second` tokens a second come; both finite and above 0.
/// Free with tollgate_token_bucket_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_token_bucket_new(
    per_second: f64,
    capacity: f64,
    now_ms: u64,
    bucket: *mut *mut tollgate_token_bucket,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let make = || TokenBucket::full(per_second, capacity, now_ms).map(tollgate_token_bucket);
        // SAFETY: NULL or writable, by the caller's promise.
        unsafe { tollgate_status::from_making(make, bucket, error, error_capacity) }
    })
}

/// Frees a bucket. No other call on it may be under way or come later. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_token_bucket_free(bucket: *mut tollgate_token_bucket) {
    // SAFETY: the caller hands over what tollgate_token_bucket_new gave.
    guard((), || unsafe { take(bucket) });
}

/// Takes `amount`, whatever the level. Returns the milliseconds until the level is zero again; 0 where it is not below zero, and
/// for NULL. An amount below zero gives tokens back; NaN is taken as 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_token_bucket_charge(
    bucket: *const tollgate_token_bucket,
    amount: f64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(bucket, 0, |bucket| bucket.0.charge(amount, now_ms)) }
}

/// Takes `amount`, which may bring the level below zero, and returns 0; but while the level is below zero it takes nothing, and
/// returns the milliseconds until it is zero, at least 1. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_token_bucket_charge_strict(
    bucket: *const tollgate_token_bucket,
    amount: f64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(bucket, 0, |bucket| wait_ms(bucket.0.charge_strict(amount, now_ms))) }
}

/// The level in tokens: at most the capacity, below zero while the bucket owes. NaN for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_token_bucket_tokens(
    bucket: *const tollgate_token_bucket,
    now_ms: u64,
) -> f64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(bucket, f64::NAN, |bucket| bucket.0.tokens(now_ms)) }
}
