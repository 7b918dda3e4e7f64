//! The native methods of `io.tollgate.WindowedRate`.

use super::{amount, as_given, cold, count, free, give, hot, time, Refused, Untouched};
use crate::rate::{Policy, WindowedRate};
use jni::objects::JClass;
use jni::sys::{jdouble, jint, jlong};
use jni::EnvUnowned;

/// The constants of `WindowedRate.Policy`, in their order.
fn policy(ordinal: jint) -> Result<Policy, Refused> {
    match ordinal {
        0 => Ok(Policy::Grid),
        1 => Ok(Policy::Overlap),
        2 => Ok(Policy::Sliding),
        other => Err(Refused::Defect(format!("there is no policy {other}"))),
    }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_make<'frame>(
    mut env: EnvUnowned<'frame>,
    _: JClass<'frame>,
    ordinal: jint,
    samples: jint,
    sample_ms: jlong,
) -> jlong {
    cold(&mut env, |_| {
        let given = [("samples", samples.into()), ("sample_ms", sample_ms)];
        // 0 is out of range for both, so a negative number, taken as 0, is refused under its own name.
        let (samples, sample_ms) =
            (u32::try_from(samples).unwrap_or(0), u64::try_from(sample_ms).unwrap_or(0));
        let rate = WindowedRate::new(policy(ordinal)?, samples, sample_ms);
        Ok(give(rate.map_err(|error| as_given(error, &given))?))
    })
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_free(_: Untouched, _: Untouched, handle: jlong) {
    // SAFETY: 0, or from `make`, and the Cleaner that calls this runs once, when no call can be under way.
    unsafe { free::<WindowedRate>(handle) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_record(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    events: jlong,
    now_ms: jlong,
) {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, (), |rate: &WindowedRate| rate.record(amount(events), time(now_ms))) };
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_perSecond(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    now_ms: jlong,
) -> jdouble {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, f64::NAN, |rate: &WindowedRate| rate.per_second(time(now_ms))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_windowMs(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    now_ms: jlong,
) -> jlong {
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, |rate: &WindowedRate| count(rate.window_ms(time(now_ms)))) }
}

#[unsafe(no_mangle)]
extern "system" fn Java_io_tollgate_WindowedRate_throttleMs(
    _: Untouched,
    _: Untouched,
    handle: jlong,
    per_second_limit: jdouble,
    now_ms: jlong,
) -> jlong {
    let throttle = |rate: &WindowedRate| count(rate.throttle_ms(per_second_limit, time(now_ms)));
    // SAFETY: 0 or live; see src/jni.rs.
    unsafe { hot(handle, 0, throttle) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;

    #[test]
    fn a_null_handle_has_no_rate_and_nobody_waits() {
        let none = null_mut();
        Java_io_tollgate_WindowedRate_record(none, none, 0, 1, 1);
        assert!(Java_io_tollgate_WindowedRate_perSecond(none, none, 0, 1).is_nan());
        assert_eq!(Java_io_tollgate_WindowedRate_windowMs(none, none, 0, 1), 0);
        assert_eq!(Java_io_tollgate_WindowedRate_throttleMs(none, none, 0, 1.0, 1), 0);
        Java_io_tollgate_WindowedRate_free(none, none, 0);
    }
}
