//! The native methods of `io.tollgate.TokenBucket`.

use super::{cold, count, free, give, hot, time, wait, Untouched};
use crate::rate::TokenBucket;
use jni::objects::JClass;
use jni::sys::{jdouble, jlong};
use jni::EnvUnowned;

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_TokenBucket_make<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    per_second: jdouble,
    capacity: jdouble,
    now_ms: jlong,
) -> jlong {
    cold(&mut env, |_| Ok(give(TokenBucket::full(per_second, capacity, time(now_ms))?)))
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_TokenBucket_free(_: Untouched, _: Untouched, handle: jlong) {
    // SAFETY: 0, or from `make`, and the Cleaner that calls this runs once, when no call can be under way.
    unsafe { free::<TokenBucket>(handle) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_TokenBucket_charge(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    amount: jdouble,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, |bucket: &TokenBucket| count(bucket.charge(amount, time(now_ms)))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_TokenBucket_chargeStrict(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    amount: jdouble,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, |bucket: &TokenBucket| wait(bucket.charge_strict(amount, time(now_ms)))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_TokenBucket_tokens(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    now_ms: jlong,
) -> jdouble {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, f64::NAN, |bucket: &TokenBucket| bucket.tokens(time(now_ms))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_null_handle_has_no_level_and_nobody_waits() {
        let none = null_mut();
        assert_eq!(Java_io_tollgate_TokenBucket_charge(none, none, 0, 1.0, 1), 0);
        assert_eq!(Java_io_tollgate_TokenBucket_chargeStrict(none, none, 0, 1.0, 1), 0);
        assert!(Java_io_tollgate_TokenBucket_tokens(none, none, 0, 1).is_nan());
        Java_io_tollgate_TokenBucket_free(none, none, 0);
    }
}
