//! Quotas while the engine runs: they hold from the next call on.

use super::boundary::{guard, say, shared, text};
use super::engine::tollgate_engine;
use super::status::tollgate_status;
use crate::{Engine, Quota};
use std::os::raw::c_char;

/// NULL check, name check and panic boundary around one change of a principal's quota.
///
/// # Safety
/// `engine` is NULL or live; `name` is NULL or `name_length` readable bytes.
unsafe fn change(
    engine: *const tollgate_engine,
    name: *const c_char,
    name_length: usize,
    step: impl FnOnce(&Engine, &str) -> tollgate_status,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: this function's own contract.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        // SAFETY: this function's own contract.
        match unsafe { text(name, name_length) } {
            Ok(name) => step(&engine.0, name),
            Err(problem) => problem.into(),
        }
    })
}

/// Gives a principal a quota of its own: new PIDs per hour (above 0), and a burst from 0 (spaced evenly) to 1 (a window's
/// worth at once). Tokens above the new capacity go, others stay.
#[allow(clippy::too_many_arguments, reason = "C has no strings and no results: two of them take four")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_set_quota(
    engine: *const tollgate_engine,
    name: *const c_char,
    name_length: usize,
    per_hour: f64,
    burst: f64,
    now_ms: u64,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe {
        change(engine, name, name_length, |engine, name| match Quota::per_hour(per_hour, burst) {
            Err(refused) => {
                // SAFETY: NULL or writable, by the caller's promise.
                say(error, error_capacity, &refused.to_string());
                tollgate_status::OutOfRange
            }
            Ok(quota) => match engine.set_quota(name, Some(quota), now_ms) {
                Ok(()) => tollgate_status::Ok,
                Err(full) => {
                    // SAFETY: NULL or writable, by the caller's promise.
                    say(error, error_capacity, &full.to_string());
                    tollgate_status::Full
                }
            },
        })
    }
}

/// Exempts a principal from every quota, the default one included. It is still counted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_set_unlimited(
    engine: *const tollgate_engine,
    name: *const c_char,
    name_length: usize,
    now_ms: u64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe {
        change(engine, name, name_length, |engine, name| match engine.set_quota(name, None, now_ms) {
            Ok(()) => tollgate_status::Ok,
            Err(_) => tollgate_status::Full,
        })
    }
}

/// Puts a principal back under the default quota.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_clear_quota(
    engine: *const tollgate_engine,
    name: *const c_char,
    name_length: usize,
    now_ms: u64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe {
        change(engine, name, name_length, |engine, name| {
            engine.clear_quota(name, now_ms);
            tollgate_status::Ok
        })
    }
}

/// Sets the quota of all principals that have none of their own; arguments as in tollgate_set_quota.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_set_default_quota(
    engine: *const tollgate_engine,
    per_hour: f64,
    burst: f64,
    now_ms: u64,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        match Quota::per_hour(per_hour, burst) {
            Ok(quota) => {
                engine.0.set_default_quota(Some(quota), now_ms);
                tollgate_status::Ok
            }
            Err(refused) => {
                // SAFETY: NULL or writable, by the caller's promise.
                unsafe { say(error, error_capacity, &refused.to_string()) };
                tollgate_status::OutOfRange
            }
        }
    })
}

/// Takes the default quota away: principals without one of their own are not limited.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_clear_default_quota(
    engine: *const tollgate_engine,
    now_ms: u64,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        engine.0.set_default_quota(None, now_ms);
        tollgate_status::Ok
    })
}
