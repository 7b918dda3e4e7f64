//! The engine's object, principals, and the calls that decide.

use super::boundary::{ask, give, guard, put, say, shared, take, text};
use super::config::tollgate_config;
use super::status::tollgate_status;
use crate::decision::{KIND_ADMITTED, KIND_FAULT, KIND_KNOWN, KIND_NEW, KIND_STALE, KIND_THROTTLED};
use crate::{Engine, PrincipalId};
use std::os::raw::c_char;

/// The handle of the gate that all principals beyond max_principals share: never stale, but not to be kept, since there may
/// be room when the name is interned again.
pub const TOLLGATE_PRINCIPAL_OVERFLOW: u32 = 0xffff_ffff;

/// An engine. Any number of threads at once.
pub struct tollgate_engine(pub(super) Engine);

/// The low byte of a packed decision; see tollgate_decision_kind. Numbers are never reused.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tollgate_kind {
    /// Seen within the window. Let it pass.
    Known = 0,
    /// New; the quota was charged, and it is remembered from now on. Let it pass.
    Admitted = 1,
    /// New, and the quota is spent. Nothing was charged or remembered. Refuse it.
    Throttled = 2,
    /// The principal's handle was reclaimed after a window without a call: intern the name again and repeat.
    Stale = 3,
    /// New, and nothing was changed. Only from tollgate_touch.
    New = 4,
    /// A NULL engine or a defect inside. Let it pass, and count it.
    Fault = 255,
}

// The header's numbers are the core's.
const _: () = {
    assert!(tollgate_kind::Known as u64 == KIND_KNOWN);
    assert!(tollgate_kind::Admitted as u64 == KIND_ADMITTED);
    assert!(tollgate_kind::Throttled as u64 == KIND_THROTTLED);
    assert!(tollgate_kind::Stale as u64 == KIND_STALE);
    assert!(tollgate_kind::New as u64 == KIND_NEW);
    assert!(tollgate_kind::Fault as u64 == KIND_FAULT);
    assert!(TOLLGATE_PRINCIPAL_OVERFLOW == PrincipalId::OVERFLOW.raw());
};

/// Makes an engine from settings, which may be freed or used again afterwards. Free with tollgate_engine_free. A setting
/// out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names the setting, the value and the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_engine_new(
    config: *const tollgate_config,
    engine: *mut *mut tollgate_engine,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(config) = (unsafe { shared(config) }) else {
            return tollgate_status::NullPointer;
        };
        if engine.is_null() {
            return tollgate_status::NullPointer;
        }
        match config.builder().build() {
            // SAFETY: not NULL, so writable by the caller's promise.
            Ok(config) => tollgate_status::from_written(unsafe {
                put(engine, give(tollgate_engine(Engine::new(config))))
            }),
            Err(refused) => {
                // SAFETY: NULL or writable, by the caller's promise.
                unsafe { say(error, error_capacity, &refused.to_string()) };
                tollgate_status::OutOfRange
            }
        }
    })
}

/// Frees an engine. No other call on it may be under way or come later. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_engine_free(engine: *mut tollgate_engine) {
    // SAFETY: the caller hands over what tollgate_engine_new gave.
    guard((), || unsafe { take(engine) });
}

/// The handle of a principal, made if need be; beyond max_principals, TOLLGATE_PRINCIPAL_OVERFLOW. The same name gives the
/// same handle until the principal was idle for a window and was swept.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_intern(
    engine: *const tollgate_engine,
    name: *const c_char,
    name_length: usize,
    now_ms: u64,
    principal: *mut u32,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        // SAFETY: NULL or readable, by the caller's promise.
        match unsafe { text(name, name_length) } {
            _ if principal.is_null() => tollgate_status::NullPointer,
            Ok(name) => {
                let id = engine.0.intern(name, now_ms).raw();
                // SAFETY: not NULL, so writable by the caller's promise.
                tollgate_status::from_written(unsafe { put(principal, id) })
            }
            Err(problem) => problem.into(),
        }
    })
}

/// Whether the handle still stands for its principal. False for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_is_live(engine: *const tollgate_engine, principal: u32) -> bool {
    guard(false, || {
        // SAFETY: NULL or live, by the caller's promise.
        unsafe { shared(engine) }.is_some_and(|engine| engine.0.is_live(PrincipalId::from_raw(principal)))
    })
}

/// The boundary of the calls that answer with a packed word.
///
/// # Safety
/// `engine` is NULL or live.
#[inline(always)]
unsafe fn hot(engine: *const tollgate_engine, call: impl FnOnce(&Engine) -> u64) -> u64 {
    // SAFETY: this function's own contract.
    unsafe { ask(engine, KIND_FAULT, |engine| call(&engine.0)) }
}

/// Decides on one PID: a packed Known, Admitted, Throttled, Stale or Fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_track(
    engine: *const tollgate_engine,
    principal: u32,
    pid: u64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { hot(engine, |engine| engine.track(PrincipalId::from_raw(principal), pid, now_ms).pack()) }
}

/// The first half of tollgate_track: a packed Known (and recorded again if that is due), New (and nothing changed), Stale or
/// Fault. For callers that can tell in another way whether a New PID should be charged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_touch(
    engine: *const tollgate_engine,
    principal: u32,
    pid: u64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { hot(engine, |engine| engine.touch(PrincipalId::from_raw(principal), pid, now_ms).pack()) }
}

/// Records a PID without charging for it: a packed Known, Stale or Fault.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_remember(
    engine: *const tollgate_engine,
    principal: u32,
    pid: u64,
    now_ms: u64,
) -> u64 {
    // SAFETY: NULL or live, by the caller's promise.
    unsafe { hot(engine, |engine| engine.remember(PrincipalId::from_raw(principal), pid, now_ms).pack()) }
}

/// Whether the PID is known; changes nothing. False for NULL and for a stale handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_contains(
    engine: *const tollgate_engine,
    principal: u32,
    pid: u64,
    now_ms: u64,
) -> bool {
    guard(false, || {
        // SAFETY: NULL or live, by the caller's promise.
        unsafe { shared(engine) }
            .is_some_and(|engine| engine.0.contains(PrincipalId::from_raw(principal), pid, now_ms))
    })
}

/// Drops expired layers, and principals that were idle for a window; once per layer period is enough. Returns the
/// principals dropped, 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_sweep(engine: *const tollgate_engine, now_ms: u64) -> u32 {
    guard(0, || {
        // SAFETY: NULL or live, by the caller's promise.
        unsafe { shared(engine) }.map_or(0, |engine| engine.0.sweep(now_ms).principals)
    })
}
