//! Settings: an opaque object with one setter each. Values are checked together, where the engine is made.

use super::boundary::{exclusive, give, guard, say, take};
use super::status::{refused, tollgate_status};
use crate::{Config, ConfigBuilder, ConfigError, Limiter, Quota};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::os::raw::c_char;
use std::ptr;

/// Settings of an engine to be made. One thread at a time.
pub struct tollgate_config(ConfigBuilder);

impl tollgate_config {
    pub(super) fn builder(&self) -> ConfigBuilder {
        self.0.clone()
    }
}

/// One setter: NULL check and panic boundary around one step of the builder.
///
/// # Safety
/// `config` is NULL, or a live config that nobody else uses now.
unsafe fn set(
    config: *mut tollgate_config,
    step: impl FnOnce(ConfigBuilder) -> ConfigBuilder,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: this function's own contract.
        let Some(config) = (unsafe { exclusive(config) }) else {
            return tollgate_status::NullPointer;
        };
        config.0 = step(config.0.clone());
        tollgate_status::Ok
    })
}

/// Settings with the defaults named below. NULL only after a defect. Free with tollgate_config_free.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_config_new() -> *mut tollgate_config {
    guard(ptr::null_mut(), || {
        // RandomState is keyed from the operating system, so this is a number that nobody outside can know.
        let secret = RandomState::new().hash_one(0_u64);
        give(tollgate_config(Config::builder().seed(secret)))
    })
}

/// Frees settings; engines made from them are not touched. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_free(config: *mut tollgate_config) {
    // SAFETY: the caller hands over what tollgate_config_new gave.
    guard((), || unsafe { take(config) });
}

/// How long a PID that is not seen again stays known, in milliseconds. Default: 3,600,000.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_window_ms(
    config: *mut tollgate_config,
    window_ms: u64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.window_ms(window_ms)) }
}

/// Layers that the window is cut into. Default: 4.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_layers(
    config: *mut tollgate_config,
    layers: u32,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.layers(layers)) }
}

/// Share of never-seen PIDs that may be called Known, over all layers together. Default: 0.001.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_false_positive_rate(
    config: *mut tollgate_config,
    share: f64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.false_positive_rate(share)) }
}

/// The quota of principals that have none of their own: new PIDs per hour (above 0), and a burst from 0 (spaced evenly)
/// to 1 (a window's worth at once). Default: no limit. Out of range: nothing is set, and the error text says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_default_quota(
    config: *mut tollgate_config,
    per_hour: f64,
    burst: f64,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || match Quota::per_hour(per_hour, burst) {
        // SAFETY: passed on from the caller.
        Ok(quota) => unsafe { set(config, |builder| builder.default_quota(Some(quota))) },
        Err(refused) => {
            // SAFETY: passed on from the caller.
            unsafe { say(error, error_capacity, &refused.to_string()) };
            tollgate_status::OutOfRange
        }
    })
}

/// What enforces the quotas of an engine, and with that what a burst means. Numbers are never reused.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tollgate_limiter {
    /// Tokens come at the rate, up to the burst: after an idle time a burst, and at once the rate again.
    TokenBucket = 0,
    /// At most the burst in any stretch of time in which that many come at the rate: with a burst of 1, at most a window's worth
    /// in any window.
    Windowed = 1,
}

fn limiter(number: u32) -> Result<Limiter, ConfigError> {
    match number {
        n if n == tollgate_limiter::TokenBucket as u32 => Ok(Limiter::TokenBucket),
        n if n == tollgate_limiter::Windowed as u32 => Ok(Limiter::Windowed),
        _ => Err(refused("limiter", number, "0 (token bucket) or 1 (windowed)")),
    }
}

/// What enforces the quotas, the default one and those of principals: a tollgate_limiter. Default:
/// TOLLGATE_LIMITER_TOKEN_BUCKET. Another number: nothing is set, and the error text says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_limiter(
    config: *mut tollgate_config,
    limiter: u32,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || match self::limiter(limiter) {
        // SAFETY: passed on from the caller.
        Ok(limiter) => unsafe { set(config, |builder| builder.limiter(limiter)) },
        Err(refused) => {
            // SAFETY: passed on from the caller.
            unsafe { say(error, error_capacity, &refused.to_string()) };
            tollgate_status::OutOfRange
        }
    })
}

/// The longest that a throttled caller is told to wait, in milliseconds. Default: 30,000.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_max_throttle_ms(
    config: *mut tollgate_config,
    max_throttle_ms: u32,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.max_throttle_ms(max_throttle_ms)) }
}

/// Principals beyond which further ones share one gate. Default: 10,000.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_max_principals(
    config: *mut tollgate_config,
    max_principals: u32,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.max_principals(max_principals)) }
}

/// Memory beyond which the oldest layers of the largest principals go early, in bytes. Default: 67,108,864.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_max_memory_bytes(
    config: *mut tollgate_config,
    max_memory_bytes: u64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.max_memory_bytes(max_memory_bytes)) }
}

/// The hash seed; whoever knows it can make PIDs that collide. Default: drawn at random. Set it only where a run must be
/// repeatable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_set_seed(
    config: *mut tollgate_config,
    seed: u64,
) -> tollgate_status {
    // SAFETY: passed on from the caller.
    unsafe { set(config, |builder| builder.seed(seed)) }
}
