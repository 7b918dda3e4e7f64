//! Bytes per recorded id and layer, and per small principal: as the engine's statistics say, and as the allocator does.
//!
//! An expired layer is kept for one more period (S10), so five layers are held for the four that are live; the bytes per
//! live id are given beside.

mod common;

use common::{publish, roomy, Gate, LAYERS, PERIOD, RATE};
use stats_alloc::{Region, StatsAlloc, INSTRUMENTED_SYSTEM};
use std::alloc::System;
use tollgate::{Config, Decision, Engine, Quota};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes allocated and not freed since the region began.
fn held(region: &Region<System>) -> f64 {
    let change = region.change();
    change.bytes_allocated as f64 - change.bytes_deallocated as f64
}

/// What the maps of names need as they grow is counted for the engine, whole, when it is made.
const MAPS: f64 = 2048.0;

/// A principal's statistics may count a little more than was allocated for it, never less (S8).
fn check(what: &str, counted: f64, allocated: f64) {
    assert!(allocated <= counted + MAPS, "{what}: {counted} counted, {allocated} allocated");
    assert!(allocated >= 0.8 * counted, "{what}: {counted} counted, {allocated} allocated");
}

/// An engine that has served a call: its maps and this thread's records stand, which are counted for the engine.
fn warm(config: Config) -> Engine {
    let engine = Engine::new(config);
    assert_eq!(engine.track(engine.intern("first", 0), 1, 0), Decision::Admitted);
    engine
}

fn layers(per_layer: u64, values: &mut Vec<(String, f64)>) {
    let quota = Quota::per_hour((per_layer * LAYERS) as f64, 1.0).unwrap();
    let config = roomy().default_quota(Some(quota)).build().unwrap();
    let engine = warm(config);
    let region = Region::new(ALLOCATOR);
    let mut gate = Gate { alice: engine.intern("alice", 0), engine, now: 0 };
    gate.outgrow_the_small_set();
    for period in 0..=LAYERS {
        gate.remember(period * per_layer..(period + 1) * per_layer);
        gate.now += PERIOD;
    }
    gate.now -= PERIOD;
    let (stats, allocated) = (gate.stats(), held(&region));
    assert_eq!(stats.layers, LAYERS);
    assert!(stats.live_pids.abs_diff(LAYERS * per_layer) as f64 <= 0.01 * (LAYERS * per_layer) as f64);
    assert!(stats.false_positive_rate <= RATE, "{}", stats.false_positive_rate);
    check("layers", stats.bytes as f64, allocated);
    let records = ((LAYERS + 1) * per_layer) as f64;
    values.push((format!("per_record_{per_layer}_counted"), stats.bytes as f64 / records));
    values.push((format!("per_record_{per_layer}_allocated"), allocated / records));
    values.push((format!("per_live_id_{per_layer}"), stats.bytes as f64 / (LAYERS * per_layer) as f64));
    values.push((format!("fill_{per_layer}"), stats.fill));
}

fn small(values: &mut Vec<(String, f64)>) {
    let principals = 1_000;
    let engine = warm(roomy().build().unwrap());
    let names: Vec<String> = (0..principals).map(|n| format!("user-{n}")).collect();
    let region = Region::new(ALLOCATOR);
    let mut counted = 0.0;
    for name in &names {
        let id = engine.intern(name, 0);
        for pid in 0..64 {
            assert_eq!(engine.track(id, pid, 0), Decision::Admitted);
        }
        let stats = engine.stats(id, 0).unwrap();
        assert_eq!((stats.live_pids, stats.layers), (64, 0));
        counted += stats.bytes as f64;
    }
    let allocated = held(&region);
    check("small", counted, allocated);
    values.push(("small_counted".to_owned(), counted / f64::from(principals)));
    values.push(("small_allocated".to_owned(), allocated / f64::from(principals)));
}

fn main() {
    let mut values = Vec::new();
    for per_layer in [1_000, 250_000, 4_000_000] {
        layers(per_layer, &mut values);
    }
    small(&mut values);
    publish("memory", &values);
}
