//! How many entries hold what a consumer may be sent.

use super::boundary::{ask, give, guard, put, say, shared, take};
use super::status::tollgate_status;
use crate::DispatchEstimator;
use std::os::raw::c_char;

/// Messages per entry of one consumer, as its pushes show it. Any number of threads at once.
pub struct tollgate_dispatch_estimator(DispatchEstimator);

/// Makes an estimator that knows nothing yet; `precise`: whether its average decides how much is read. Free with
/// tollgate_dispatch_estimator_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_new(
    precise: bool,
    estimator: *mut *mut tollgate_dispatch_estimator,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        if estimator.is_null() {
            return tollgate_status::NullPointer;
        }
        let made = give(tollgate_dispatch_estimator(DispatchEstimator::new(precise)));
        // SAFETY: not NULL, so writable by the caller's promise.
        tollgate_status::from_written(unsafe { put(estimator, made) })
    })
}

/// As tollgate_dispatch_estimator_new, but with an average to start from, finite and at least 1. A value out of range:
/// TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_starting_at(
    precise: bool,
    messages_per_entry: f64,
    estimator: *mut *mut tollgate_dispatch_estimator,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let make =
            || DispatchEstimator::starting_at(precise, messages_per_entry).map(tollgate_dispatch_estimator);
        // SAFETY: NULL or writable, by the caller's promise.
        unsafe { tollgate_status::from_making(make, estimator, error, error_capacity) }
    })
}

/// Frees an estimator. No other call on it may be under way or come later. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_free(estimator: *mut tollgate_dispatch_estimator) {
    // SAFETY: the caller hands over what tollgate_dispatch_estimator_new or _starting_at gave.
    guard((), || unsafe { take(estimator) });
}

/// Notes that `entries` with `messages` in all were sent to the consumer; the average becomes nine tenths of what it was and a
/// tenth of this push. None of either, and NULL, changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_record_push(
    estimator: *const tollgate_dispatch_estimator,
    messages: u64,
    entries: u64,
) {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(estimator, (), |estimator| estimator.0.record_push(messages, entries)) }
}

/// Messages per entry, for a consumer's statistics. NaN while it is unknown, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_average(
    estimator: *const tollgate_dispatch_estimator,
) -> f64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(estimator, f64::NAN, |estimator| estimator.0.average().unwrap_or(f64::NAN)) }
}

/// Whether the average decides how much is read. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_is_precise(
    estimator: *const tollgate_dispatch_estimator,
) -> bool {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(estimator, false, |estimator| estimator.0.is_precise()) }
}

/// Entries to read for `permits` messages: 0 without permits, else at least 1 and at most `read_batch_size`, which is taken as 1
/// where it is 0. As many as permits while the average is unknown, and where `precise` is false. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_entries_to_read(
    estimator: *const tollgate_dispatch_estimator,
    permits: i64,
    read_batch_size: u32,
) -> u32 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { ask(estimator, 0, |estimator| estimator.0.entries_to_read(permits, read_batch_size)) }
}

/// Writes `{"avgMessagesPerEntry":12.5,"precise":true}`, with null while the average is unknown, into `json`, terminated, cut
/// where it doesn't fit, and its whole length in bytes into `length`, which may be NULL. 80 bytes hold every one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_dispatch_estimator_to_json(
    estimator: *const tollgate_dispatch_estimator,
    json: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(estimator) = (unsafe { shared(estimator) }) else {
            return tollgate_status::NullPointer;
        };
        let text = estimator.0.to_json();
        // SAFETY: NULL or writable, by the caller's promise; NULL is one who does not want to know.
        unsafe {
            say(json, capacity, &text);
            let _ = put(length, text.len());
        }
        tollgate_status::Ok
    })
}
