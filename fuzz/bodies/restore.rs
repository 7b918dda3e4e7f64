//! A snapshot of random bytes, once as it is and once with the checksum it should have.

use super::input::Input;
use tollgate::{Config, Decision, Engine, Quota};

/// Restores, and uses what came of it: no panic, and the limits hold.
pub fn restore(data: &[u8]) {
    let mut input = Input(data);
    let quota = Quota::per_hour(f64::from(input.byte()) + 0.5, 1.0).ok();
    let (layers, now) = (3 + u32::from(input.byte() % 62), input.some_number());
    let config = || {
        let config = Config::builder().seed(1).layers(layers).default_quota(quota);
        config.max_principals(100).max_memory_bytes(1 << 20).build().expect("all within range")
    };
    use_it(Engine::restore(config(), input.0, now), now);
    let mut bytes = b"TOLLGATE\x02\0\0\0".to_vec();
    bytes.extend_from_slice(input.0);
    bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_64(&bytes).to_le_bytes());
    use_it(Engine::restore(config(), &bytes, now), now);
}

fn use_it<E>(restored: Result<(Engine, tollgate::Restored), E>, now: u64) {
    let Ok((engine, kept)) = restored else { return };
    let totals = engine.totals(now);
    assert!(totals.principals >= kept.principals && totals.principals <= 100);
    assert!(totals.memory_bytes <= 1 << 20);
    let mut names = Vec::new();
    engine.for_each_principal(|id, name| names.push((id, name.to_owned())));
    for (id, name) in names {
        assert_eq!(engine.intern(&name, now), id);
        for pid in 0..70 {
            let decision = engine.track(id, pid, now);
            let known = engine.contains(id, pid, now);
            // Memory this small may forget at once, which is allowed and counted.
            assert!(known || !matches!(decision, Decision::Known), "known and gone at one moment");
        }
    }
    let again = engine.snapshot(now);
    assert!(Engine::restore(engine.config().clone(), &again, now).is_ok());
    engine.sweep(u64::MAX);
}
