//! The native methods of `io.tollgate.DispatchEstimator`.

use super::{amount, behind_or_defect, cold, free, give, hot, Untouched};
use crate::DispatchEstimator;
use jni::objects::{JClass, JString};
use jni::sys::{jboolean, jdouble, jint, jlong};
use jni::EnvUnowned;

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_make<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    precise: jboolean,
) -> jlong {
    cold(&mut env, |_| Ok(give(DispatchEstimator::new(precise))))
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_makeStartingAt<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    precise: jboolean,
    messages_per_entry: jdouble,
) -> jlong {
    cold(&mut env, |_| Ok(give(DispatchEstimator::starting_at(precise, messages_per_entry)?)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_free(_: Untouched, _: Untouched, handle: jlong) {
    // SAFETY: 0, or from `make`, and the Cleaner that calls this runs once, when no call can be under way.
    unsafe { free::<DispatchEstimator>(handle) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_recordPush(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    messages: jlong,
    entries: jlong,
) {
    let push = |estimator: &DispatchEstimator| estimator.record_push(amount(messages), amount(entries));
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, (), push) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_average(
    _: Untouched,
    _: Untouched,
    handle: jlong,
) -> jdouble {
    let average = |estimator: &DispatchEstimator| estimator.average().unwrap_or(f64::NAN);
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, f64::NAN, average) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_isPrecise(
    _: Untouched,
    _: Untouched,
    handle: jlong,
) -> jboolean {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, false, DispatchEstimator::is_precise) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_entriesToRead(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    permits: jlong,
    read_batch_size: jint,
) -> jint {
    let batch = u32::try_from(read_batch_size).unwrap_or(0);
    // At most the read batch, which is a jint.
    let entries = |estimator: &DispatchEstimator| estimator.entries_to_read(permits, batch) as jint;
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, entries) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_DispatchEstimator_toJson<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    handle: jlong,
) -> JString<'frame> {
    cold(&mut env, |env| {
        // SAFETY: 0 or live; see src/jni.rs.
        let estimator: &DispatchEstimator = unsafe { behind_or_defect(handle) }?;
        Ok(JString::from_str(env, estimator.to_json())?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_null_handle_is_unknown_and_reads_nothing() {
        let none = null_mut();
        Java_io_tollgate_DispatchEstimator_recordPush(none, none, 0, 1, 1);
        assert!(Java_io_tollgate_DispatchEstimator_average(none, none, 0).is_nan());
        assert!(!Java_io_tollgate_DispatchEstimator_isPrecise(none, none, 0));
        assert_eq!(Java_io_tollgate_DispatchEstimator_entriesToRead(none, none, 0, 5, 5), 0);
        Java_io_tollgate_DispatchEstimator_free(none, none, 0);
    }
}
