//! The engine's native methods, those of `io.tollgate.NativeEngine`.

use super::{as_given, behind_or_defect, cold, free, give, hot, time, Refused, Untouched};
use crate::decision::{Touch, KIND_FAULT};
use crate::{Config, Decision, Engine, Limiter, PrincipalId, Quota};
use jni::objects::{JClass, JObject, JObjectArray, JString};
use jni::sys::{jboolean, jdouble, jint, jlong};
use jni::EnvUnowned;

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
    pub const LIMITER: i32 = 1 << 7;
}

/// A hot call that answers with a packed word.
///
/// # Safety
/// As [`super::behind`], for an engine.
#[inline(always)]
unsafe fn packed(handle: jlong, call: impl FnOnce(&Engine) -> u64) -> jlong {
    // SAFETY: this function's own contract.
    unsafe { hot(handle, KIND_FAULT, call) as jlong }
}

/// The constants of `io.tollgate.Limiter`, in their order.
fn limiter(ordinal: jint) -> Result<Limiter, Refused> {
    match ordinal {
        0 => Ok(Limiter::TokenBucket),
        1 => Ok(Limiter::Windowed),
        other => Err(Refused::Defect(format!("there is no limiter {other}"))),
    }
}

#[inline(always)]
pub(super) fn principal(raw: jint) -> PrincipalId {
    PrincipalId::from_raw(raw as u32)
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
    limiter_ordinal: jint,
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
        if is_given(given::LIMITER) {
            builder = builder.limiter(limiter(limiter_ordinal)?);
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
        let given = [
            ("window_ms", window_ms),
            ("layers", layers.into()),
            ("max_throttle_ms", max_throttle_ms.into()),
            ("max_principals", max_principals.into()),
            ("max_memory_bytes", max_memory_bytes),
        ];
        let config = builder.build().map_err(|error| as_given(error, &given))?;
        Ok(give(Engine::new(config)))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_free(_: Untouched, _: Untouched, handle: jlong) {
    // SAFETY: 0, or from `create`, and the Cleaner that calls this runs once, when no call can be under way.
    unsafe { free::<Engine>(handle) };
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
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { packed(handle, |engine| engine.track(principal(id), pid as u64, time(now_ms)).pack()) }
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
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { packed(handle, |engine| engine.touch(principal(id), pid as u64, time(now_ms)).pack()) }
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
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { packed(handle, |engine| engine.remember(principal(id), pid as u64, time(now_ms)).pack()) }
}

/// New where it would be admitted at once, Throttled for so long where not.
#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_await(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
    ahead: jint,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe {
        packed(handle, |engine| match engine.wait_ms(principal(id), ahead as u32, time(now_ms)) {
            None => Decision::Stale.pack(),
            Some(0) => Touch::New.pack(),
            Some(wait_ms) => {
                let retry_after_ms = u32::try_from(wait_ms).unwrap_or(u32::MAX);
                Decision::Throttled { retry_after_ms }.pack()
            }
        })
    }
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
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, false, |engine: &Engine| engine.contains(principal(id), pid as u64, time(now_ms))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_isLive(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    id: jint,
) -> jboolean {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, false, |engine: &Engine| engine.is_live(principal(id))) }
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
        let name = name.try_to_string(env)?;
        Ok(engine.intern(&name, time(now_ms)).raw() as jint)
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_sweep<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
    now_ms: jlong,
) -> jint {
    cold(&mut env, |_| {
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
        Ok(jint::try_from(engine.sweep(time(now_ms)).principals).unwrap_or(jint::MAX))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_NativeEngine_principals<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
) -> JObject<'frame> {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        assert_eq!(Java_io_tollgate_NativeEngine_await(none, none, 0, 1, 2, 3), 255);
        assert!(!Java_io_tollgate_NativeEngine_contains(none, none, 0, 1, 2, 3));
        assert!(!Java_io_tollgate_NativeEngine_isLive(none, none, 0, 1));
        Java_io_tollgate_NativeEngine_free(none, none, 0);
    }
}
