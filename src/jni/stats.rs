//! The counters' native methods, those of `io.tollgate.NativeEngine`.

use super::engine::principal;
use super::{behind_or_defect, cold, count, time};
use crate::{Engine, Stats};
use jni::objects::{JClass, JDoubleArray, JLongArray};
use jni::sys::{jboolean, jdouble, jint, jlong};
use jni::EnvUnowned;

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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
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
        // SAFETY: 0 or live; see src/jni.rs.
        let engine: &Engine = unsafe { behind_or_defect(handle) }?;
        let totals = engine.totals(time(now_ms));
        let (c, g) = spread(&totals.stats);
        let rest = [totals.principals, totals.overflow_interns, totals.evicted_layers, totals.memory_bytes];
        counts.set_region(env, 0, &c)?;
        counts.set_region(env, 8, &rest.map(count))?;
        gauges.set_region(env, 0, &g)?;
        Ok(())
    });
}
