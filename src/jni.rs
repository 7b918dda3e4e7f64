//! The JVM's door: one thin function per native method of `io.tollgate.NativeEngine`.
//!
//! Contract: no panic reaches the JVM. The hot calls (`track`, `touch`, `remember`, `contains`, `isLive`) take and give
//! primitives, never touch the JNI environment, and answer a defect or a null handle with a packed Fault (or false). The
//! others turn a refused setting into an IllegalArgumentException with the engine's own words, and a defect into a
//! TollgateNativeException.
//!
//! How: a handle is the address of a boxed [`Engine`], made by `create`, freed once by `free`. `Tollgate.java` keeps the
//! object that owns it reachable across every call, and frees from a Cleaner, so no call can meet a freed handle.
//!
//! Limits: Java has no unsigned numbers: PIDs are taken bit by bit; times below 0 count as 0; settings below 0 are
//! refused, with the number that was given.

#![allow(unsafe_code, reason = "one of the two modules that may")]
#![allow(non_snake_case, reason = "the JVM finds native methods by these names")]

use crate::decision::KIND_FAULT;
use crate::ffi::boundary::guard;
use crate::{Config, ConfigError, Engine, PrincipalId, Quota, Stats};
use jni::errors::{Error, ErrorPolicy};
use jni::objects::{JClass, JDoubleArray, JLongArray, JObject, JObjectArray, JString};
use jni::strings::JNIString;
use jni::sys::{jboolean, jdouble, jint, jlong};
use jni::{jni_str, Env, EnvUnowned};
use std::any::Any;
use std::ffi::c_void;
use std::fmt;

/// `NativeEngine.ABI_VERSION`; raise both whenever a signature or a packed shape below changes.
const ABI_VERSION: jint = 1;

// `Tollgate.OVERFLOW`.
const _: () = assert!(PrincipalId::OVERFLOW.raw() as jint == -1);

/// `TollgateConfig`'s bits: which settings were given.
mod given {
    pub const WINDOW_MS: i32 = 1;
    pub const LAYERS: i32 = 1 << 1;
    pub const FALSE_POSITIVE_RATE: i32 = 1 << 2;
    pub const DEFAULT_QUOTA: i32 = 1 << 3;
    pub const MAX_THROTTLE_MS: i32 = 1 << 4;
    pub const MAX_PRINCIPALS: i32 = 1 << 5;
    pub const MAX_MEMORY_BYTES: i32 = 1 << 6;
}

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

/// The engine behind a handle; `None` for 0.
///
/// # Safety
/// `handle` is 0, or came from `create` and was not freed.
#[inline(always)]
unsafe fn engine<'a>(handle: jlong) -> Option<&'a Engine> {
    // SAFETY: by this function's contract a handle that is not 0 is the address of a live Engine, which is Sync.
    unsafe { (handle as *const Engine).as_ref() }
}

/// As [`engine`], for methods that may throw.
///
/// # Safety
/// As [`engine`].
unsafe fn engine_or_defect<'a>(handle: jlong) -> Result<&'a Engine, Refused> {
    // SAFETY: this function's own contract.
    unsafe { engine(handle) }.ok_or_else(|| Refused::Defect("the engine's handle is 0".to_owned()))
}

/// The boundary of the hot calls that answer with a packed word.
///
/// # Safety
/// As [`engine`].
#[inline(always)]
unsafe fn hot(handle: jlong, call: impl FnOnce(&Engine) -> u64) -> jlong {
    guard(KIND_FAULT, || {
        // SAFETY: this function's own contract.
        unsafe { engine(handle) }.map_or(KIND_FAULT, call)
    }) as jlong
}

#[inline(always)]
fn principal(raw: jint) -> PrincipalId {
    PrincipalId::from_raw(raw as u32)
}

/// Milliseconds; below 0 would read as the far future, and the engine never goes back.
#[inline(always)]
fn time(now_ms: jlong) -> u64 {
    now_ms.max(0) as u64
}

fn count(value: u64) -> jlong {
    jlong::try_from(value).unwrap_or(jlong::MAX)
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_abiVersion(_: Untouched, _: Untouched) -> jint {
    ABI_VERSION
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_create<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    given: jint,
    window_ms: jlong,
    layers: jint,
    false_positive_rate: jdouble,
    default_per_hour: jdouble,
    default_burst: jdouble,
    max_throttle_ms: jint,
    max_principals: jint,
    max_memory_bytes: jlong,
    seed: jlong,
) -> jlong {
    cold(&mut env, |_| {
        let is_given = |bit| given & bit != 0;
        let mut builder = Config::builder().seed(seed as u64);
        // 0 is out of range for each of these, so a negative number, taken as 0, is refused under its own name below.
        if is_given(given::WINDOW_MS) {
            builder = builder.window_ms(u64::try_from(window_ms).unwrap_or(0));
        }
        if is_given(given::LAYERS) {
            builder = builder.layers(u32::try_from(layers).unwrap_or(0));
        }
        if is_given(given::FALSE_POSITIVE_RATE) {
            builder = builder.false_positive_rate(false_positive_rate);
        }
        if is_given(given::DEFAULT_QUOTA) {
            builder = builder.default_quota(Some(Quota::per_hour(default_per_hour, default_burst)?));
        }
        if is_given(given::MAX_THROTTLE_MS) {
            builder = builder.max_throttle_ms(u32::try_from(max_throttle_ms).unwrap_or(0));
        }
        if is_given(given::MAX_PRINCIPALS) {
            builder = builder.max_principals(u32::try_from(max_principals).unwrap_or(0));
        }
        if is_given(given::MAX_MEMORY_BYTES) {
            builder = builder.max_memory_bytes(u64::try_from(max_memory_bytes).unwrap_or(0));
        }
        let config = builder.build().map_err(|mut error| {
            let signed = match error.field {
                "window_ms" => window_ms,
                "layers" => layers.into(),
                "max_throttle_ms" => max_throttle_ms.into(),
                "max_principals" => max_principals.into(),
                "max_memory_bytes" => max_memory_bytes,
                _ => 0,
            };
            if signed < 0 {
                error.value = signed.to_string();
            }
            error
        })?;
        Ok(Box::into_raw(Box::new(Engine::new(config))) as jlong)
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_free(_: Untouched, _: Untouched, handle: jlong) {
    guard((), || {
        if handle != 0 {
            // SAFETY: from `create`, and the Cleaner that calls this runs once, when no call can be under way.
            drop(unsafe { Box::from_raw(handle as *mut Engine) });
        }
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_track(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
    pid: jlong,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see the module's head.
    unsafe { hot(handle, |engine| engine.track(principal(id), pid as u64, time(now_ms)).pack()) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_touch(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
    pid: jlong,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see the module's head.
    unsafe { hot(handle, |engine| engine.touch(principal(id), pid as u64, time(now_ms)).pack()) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_remember(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
    pid: jlong,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see the module's head.
    unsafe { hot(handle, |engine| engine.remember(principal(id), pid as u64, time(now_ms)).pack()) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_contains(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
    pid: jlong,
    now_ms: jlong,
) -> jboolean {
    guard(false, || {
        // SAFETY: 0 or live; see the module's head.
        unsafe { engine(handle) }
            .is_some_and(|engine| engine.contains(principal(id), pid as u64, time(now_ms)))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_isLive(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
) -> jboolean {
    guard(false, || {
        // SAFETY: 0 or live; see the module's head.
        unsafe { engine(handle) }.is_some_and(|engine| engine.is_live(principal(id)))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_intern<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    name: JString<'frame>,
    now_ms: jlong,
) -> jint {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let name = name.try_to_string(env)?;
        Ok(engine.intern(&name, time(now_ms)).raw() as jint)
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_setQuota<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    name: JString<'frame>,
    per_hour: jdouble,
    burst: jdouble,
    now_ms: jlong,
) {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let quota = Quota::per_hour(per_hour, burst)?;
        let name = name.try_to_string(env)?;
        engine.set_quota(&name, Some(quota), time(now_ms)).map_err(|full| Refused::Full(full.to_string()))
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_setUnlimited<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    name: JString<'frame>,
    now_ms: jlong,
) {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let name = name.try_to_string(env)?;
        engine.set_quota(&name, None, time(now_ms)).map_err(|full| Refused::Full(full.to_string()))
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_clearQuota<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    name: JString<'frame>,
    now_ms: jlong,
) {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let name = name.try_to_string(env)?;
        engine.clear_quota(&name, time(now_ms));
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_setDefaultQuota<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    per_hour: jdouble,
    burst: jdouble,
    now_ms: jlong,
) {
    cold(&mut env, |_| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        engine.set_default_quota(Some(Quota::per_hour(per_hour, burst)?), time(now_ms));
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_clearDefaultQuota<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    now_ms: jlong,
) {
    cold(&mut env, |_| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        engine.set_default_quota(None, time(now_ms));
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_sweep<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    now_ms: jlong,
) -> jint {
    cold(&mut env, |_| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        Ok(jint::try_from(engine.sweep(time(now_ms)).principals).unwrap_or(jint::MAX))
    })
}

/// In the order of `TollgateStats`' components, the counts and then the gauges.
fn spread(stats: &Stats) -> ([jlong; 8], [jdouble; 5]) {
    let counts = [
        stats.known,
        stats.admitted,
        stats.throttled,
        stats.re_recorded,
        stats.ghost_hits,
        stats.live_pids,
        stats.layers,
        stats.bytes,
    ];
    let gauges =
        [stats.fill, stats.false_positive_rate, stats.rate_per_hour, stats.tokens, stats.quota_per_hour];
    (counts.map(count), gauges)
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_stats<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    id: jint,
    now_ms: jlong,
    counts: JLongArray<'frame>,
    gauges: JDoubleArray<'frame>,
) -> jboolean {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let Some(stats) = engine.stats(principal(id), time(now_ms)) else {
            return Ok(false);
        };
        let (c, g) = spread(&stats);
        counts.set_region(env, 0, &c)?;
        gauges.set_region(env, 0, &g)?;
        Ok(true)
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_totals<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    now_ms: jlong,
    counts: JLongArray<'frame>,
    gauges: JDoubleArray<'frame>,
) {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let totals = engine.totals(time(now_ms));
        let (c, g) = spread(&totals.stats);
        let rest = [totals.principals, totals.overflow_interns, totals.evicted_layers, totals.memory_bytes];
        counts.set_region(env, 0, &c)?;
        counts.set_region(env, 8, &rest.map(count))?;
        gauges.set_region(env, 0, &g)?;
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_principals<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
) -> JObject<'frame> {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see the module's head.
        let engine = unsafe { engine_or_defect(handle) }?;
        let mut names = Vec::new();
        engine.for_each_principal(|_, name| names.push(name.to_owned()));
        let array = JObjectArray::<JString>::new(env, names.len(), JString::null())?;
        for (index, name) in names.iter().enumerate() {
            // Each local reference is given back at once: a thousand names must not fill the frame.
            let element = JString::from_str(env, name)?;
            array.set_element(env, index, &element)?;
            env.delete_local_ref(element);
        }
        Ok(array.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn hot_calls_answer_a_null_handle_with_a_fault() {
        let none = null_mut();
        assert_eq!(Java_io_tollgate_NativeEngine_track(none, none, 0, 1, 2, 3), 255);
        assert_eq!(Java_io_tollgate_NativeEngine_touch(none, none, 0, 1, 2, 3), 255);
        assert_eq!(Java_io_tollgate_NativeEngine_remember(none, none, 0, 1, 2, 3), 255);
        assert!(!Java_io_tollgate_NativeEngine_contains(none, none, 0, 1, 2, 3));
        assert!(!Java_io_tollgate_NativeEngine_isLive(none, none, 0, 1));
        Java_io_tollgate_NativeEngine_free(none, none, 0);
    }

    #[test]
    fn times_below_zero_count_as_zero() {
        assert_eq!((time(-1), time(i64::MIN), time(5)), (0, 0, 5));
    }

    #[test]
    fn counts_beyond_java_saturate() {
        assert_eq!((count(u64::MAX), count(7)), (i64::MAX, 7));
    }
}
