//! The quotas' native methods, those of `io.tollgate.NativeEngine`.

use super::{behind_or_defect, cold, time, Refused};
use crate::{Engine, Quota};
use jni::objects::{JClass, JString};
use jni::sys::{jdouble, jlong};
use jni::EnvUnowned;

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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
        engine.set_default_quota(None, time(now_ms));
        Ok(())
    });
}
