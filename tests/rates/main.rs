//! `tollgate::rate` as hosts use it: the public cases of windowed rates (C1 to C6, C11, C12), a plain model, an exact list of events, and
//! racing threads.

mod cases;
mod model;
mod properties;
mod racing;

use tollgate::rate::{Policy, WindowedRate};

/// N = `samples` of W = `sample_ms`.
fn rate(policy: Policy, samples: u32, sample_ms: u64) -> WindowedRate {
    WindowedRate::new(policy, samples, sample_ms).unwrap()
}

/// Equal to three decimals, as the cases are written down.
#[track_caller]
fn assert_close(measured: f64, expected: f64) {
    assert!((measured - expected).abs() < 5e-4, "{measured} is not {expected}");
}
