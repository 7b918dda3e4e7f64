//! The native methods of `io.tollgate.Gcra`.

use super::{cold, free, give, hot, time, wait, Untouched};
use crate::rate::{Gcra, Refill};
use jni::objects::JClass;
use jni::sys::{jdouble, jlong};
use jni::EnvUnowned;

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_Gcra_make<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    per_hour: jdouble,
    capacity: jdouble,
    now_ms: jlong,
) -> jlong {
    cold(&mut env, |_| Ok(give(Gcra::full(Refill::per_hour(per_hour, capacity)?, time(now_ms)))))
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_Gcra_free(_: Untouched, _: Untouched, handle: jlong) {
    // SAFETY: 0, or from `make`, and the Cleaner that calls this runs once, when no call can be under way.
    unsafe { free::<Gcra>(handle) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_Gcra_charge(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, |bucket: &Gcra| wait(bucket.charge(time(now_ms)))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_Gcra_tokens(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    now_ms: jlong,
) -> jdouble {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, f64::NAN, |bucket: &Gcra| bucket.tokens(time(now_ms))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_null_handle_has_no_level_and_nobody_waits() {
        let none = null_mut();
        assert_eq!(Java_io_tollgate_Gcra_charge(none, none, 0, 1), 0);
        assert!(Java_io_tollgate_Gcra_tokens(none, none, 0, 1).is_nan());
        Java_io_tollgate_Gcra_free(none, none, 0);
    }
}
