//! The JVM's door: one thin function per native method of `io.tollgate`, the methods of each noun in a module of its own.
//!
//! Contract: no panic reaches the JVM. The hot calls take and give primitives, never touch the JNI environment, and answer a
//! defect or a null handle by a value of their own: a packed Fault, false, NaN, no time to wait. The others turn a refused
//! setting into an IllegalArgumentException with the engine's own words, and a defect into a TollgateNativeException.
//!
//! How: a handle is the address of a boxed object, made by [`give`], freed once by [`free`]. `NativeObject.java` keeps the
//! object that owns it reachable across every call, and frees from a Cleaner, so no call can meet a freed handle.
//!
//! Limits: Java has no unsigned numbers: PIDs are taken bit by bit; times below 0 count as 0; settings below 0 are
//! refused, with the number that was given; what is beyond Java's numbers is its largest.

#![allow(unsafe_code, reason = "one of the two modules that may, with those below it")]
#![allow(non_snake_case, reason = "the JVM finds native methods by these names")]

mod dispatch;
mod engine;
mod gcra;
mod quota;
mod stats;
mod token_bucket;
mod windowed_rate;

use crate::ffi::boundary::{self, guard};
use crate::rate::Charge;
use crate::ConfigError;
use jni::errors::{Error, ErrorPolicy};
use jni::strings::JNIString;
use jni::sys::{jint, jlong};
use jni::{jni_str, Env, EnvUnowned};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;

/// `NativeEngine.ABI_VERSION`; raise both whenever a signature or a packed shape of these modules changes.
const ABI_VERSION: jint = 3;

/// A JNI environment or class that the hot calls are handed and leave alone.
type Untouched = *mut c_void;

/// Why a native method has no answer.
#[derive(Debug)]
enum Refused {
    /// The caller's fault: IllegalArgumentException.
    Argument(String),
    /// A limit of the engine: IllegalStateException.
    Full(String),
    /// Ours: TollgateNativeException.
    Defect(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(text) | Self::Full(text) | Self::Defect(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Defect(format!("a JNI call failed: {error}"))
    }
}

impl From<ConfigError> for Refused {
    fn from(error: ConfigError) -> Self {
        Self::Argument(error.to_string())
    }
}

/// Turns a refusal or a panic into a Java exception; one that is pending already goes first.
struct Throw;

impl Throw {
    fn raise(env: &mut Env<'_>, refused: &Refused) {
        if env.exception_check() {
            return;
        }
        let text = JNIString::from(refused.to_string());
        // Throwing reports itself as an error; there is nobody left to tell when throwing fails otherwise.
        let _ = match refused {
            Refused::Argument(_) => env.throw_new(jni_str!("java/lang/IllegalArgumentException"), text),
            Refused::Full(_) => env.throw_new(jni_str!("java/lang/IllegalStateException"), text),
            Refused::Defect(_) => env.throw_new(jni_str!("io/tollgate/TollgateNativeException"), text),
        };
    }
}

impl<T: Default> ErrorPolicy<T, Refused> for Throw {
    type Captures<'frame: 'method, 'method> = ();

    fn on_error<'frame: 'method, 'method>(
        env: &mut Env<'frame>,
        (): &mut (),
        refused: Refused,
    ) -> jni::errors::Result<T> {
        Self::raise(env, &refused);
        Ok(T::default())
    }

    fn on_panic<'frame: 'method, 'method>(
        env: &mut Env<'frame>,
        (): &mut (),
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        let what = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "no text".to_owned(),
        };
        // Dropping a payload may panic again; a defect may leak.
        std::mem::forget(payload);
        Self::raise(
            env,
            &Refused::Defect(format!("a defect inside the native engine ({what}): please report it")),
        );
        Ok(T::default())
    }
}

/// The boundary of all methods but the hot ones.
fn cold<'frame, T: Default>(
    env: &mut EnvUnowned<'frame>,
    call: impl FnOnce(&mut Env<'frame>) -> Result<T, Refused>,
) -> T {
    env.with_env(call).resolve::<Throw>()
}

/// Hands an object to Java as a handle, until [`free`].
fn give<T>(object: T) -> jlong {
    boundary::give(object) as jlong
}

/// Takes an object back and drops it; 0 does nothing.
///
/// # Safety
/// `handle` is 0, or came from [`give`] with this very `T`, was not freed yet, and nobody uses it any more.
unsafe fn free<T>(handle: jlong) {
    guard((), || {
        // SAFETY: this function's own contract.
        unsafe { boundary::take(handle as *mut T) };
    });
}

/// The object behind a handle; `None` for 0.
///
/// # Safety
/// `handle` is 0, or came from [`give`] with this very `T` and was not freed.
#[inline(always)]
unsafe fn behind<'a, T: Sync>(handle: jlong) -> Option<&'a T> {
    // SAFETY: by this function's contract a handle that is not 0 is the address of a live T, which is Sync.
    unsafe { boundary::shared(handle as *const T) }
}

/// As [`behind`], for methods that may throw.
///
/// # Safety
/// As [`behind`].
unsafe fn behind_or_defect<'a, T: Sync>(handle: jlong) -> Result<&'a T, Refused> {
    // SAFETY: this function's own contract.
    unsafe { behind(handle) }.ok_or_else(|| Refused::Defect("a native object's handle is 0".to_owned()))
}

/// The boundary of the hot calls.
///
/// # Safety
/// As [`behind`].
#[inline(always)]
unsafe fn hot<T: Sync, R: Copy>(handle: jlong, on_fault: R, call: impl FnOnce(&T) -> R) -> R {
    guard(on_fault, || {
        // SAFETY: this function's own contract.
        unsafe { behind(handle) }.map_or(on_fault, call)
    })
}

/// A setting below 0, which the engine was handed as 0 and refused, is named with the number that Java gave.
fn as_given(mut error: ConfigError, given: &[(&str, jlong)]) -> ConfigError {
    if let Some((_, value)) = given.iter().find(|(field, value)| *field == error.field && *value < 0) {
        error.value = value.to_string();
    }
    error
}

/// Milliseconds; below 0 would read as the far future, and the engine never goes back.
#[inline(always)]
fn time(now_ms: jlong) -> u64 {
    now_ms.max(0) as u64
}

/// Events, messages, entries; the Java side has refused what is below 0.
#[inline(always)]
fn amount(value: jlong) -> u64 {
    value.max(0) as u64
}

/// 0: taken; else the milliseconds to wait.
fn wait(charge: Charge) -> jlong {
    match charge {
        Charge::Taken => 0,
        Charge::Refused { wait_ms } => count(wait_ms),
    }
}

fn count(value: u64) -> jlong {
    jlong::try_from(value).unwrap_or(jlong::MAX)
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_abiVersion(_: Untouched, _: Untouched) -> jint {
    ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_below_zero_count_as_zero() {
        assert_eq!((time(-1), time(i64::MIN), time(5)), (0, 0, 5));
    }

    #[test]
    fn counts_beyond_java_saturate() {
        assert_eq!((count(u64::MAX), count(7)), (i64::MAX, 7));
    }
}
