//! Decides, in nanoseconds and bounded memory: *is this key new to its owner, how fast do new ones come, may
//! this one pass?*
//!
//! Its first job is to keep an Apache Kafka broker alive when a client keeps making producer ids. Each idempotent producer has
//! one; for each id and partition the broker keeps state for a day; a client that makes producers in a loop fills the
//! heap until the broker dies. KIP-936 proposes a quota for it; this crate is that quota's engine, and serves any
//! host that admits keys for owners.
//!
//! # Vocabulary
//! *Principal*: an owner of ids (a Kafka user, a tenant). *Window* W: how long an id is remembered. *Layer*: a Bloom filter for
//! one stretch of a window; *layer period* W/L. *Advance*: a new layer takes over. *Expire*: a layer's window has passed. *Quota*: new
//! ids per hour. *Ghost*: a new id found in what expired less than a period ago.
//!
//! # The way of a call
//! `principal -> registry -> slot -> filter (small set | layer ring) -> gate (quota, limiter) -> decision`: the order of the modules.
//!
//! # Guarantees
//! The rules by number (S1 to S15) stand in the module that keeps them:
//! [`Decision`] S1, `filter` S2 S4 S5 S6 S7 S10, `claim` S3, `memory` S8, [`Engine`] S9, `gate` S11 S15, `quota` S12, `retry` S13,
//! [`snapshot`] S14. How fast, R1 to R4: [`rate`]; how much to read, D1 to D4: [`DispatchEstimator`].
//! Every memory ordering is numbered (O1 to O11) where it is used.
//!
//! | call | progress |
//! |---|---|
//! | `track`, `touch`: id recorded within the last layer period | wait-free |
//! | `track`, `touch`: id recorded again | lock-free |
//! | `track`: new id; `remember` | waits for callers on the same new id, lock-free otherwise |
//! | `contains`, `is_live` | wait-free |
//! | `sweep`, `stats`, `wait_ms` | lock-free |
//! | `intern`, quota changes | a concurrent map's: reads lock-free, writes may wait while it grows |
//!
//! # Example
//! ```
//! use tollgate::{Config, Decision, Engine, Quota};
//!
//! let quota = Quota::per_hour(2.0, 1.0)?;
//! let engine = Engine::new(Config::builder().seed(0x5eed).default_quota(Some(quota)).build()?);
//! let alice = engine.intern("alice", 0);
//! assert_eq!(engine.track(alice, 7, 0), Decision::Admitted);
//! assert_eq!(engine.track(alice, 7, 1), Decision::Known);
//! assert_eq!(engine.track(alice, 8, 2), Decision::Admitted);
//! assert!(matches!(engine.track(alice, 9, 3), Decision::Throttled { .. }));
//! # Ok::<(), tollgate::ConfigError>(())
//! ```
// Only the boundary (src/ffi, src/jni.rs) lifts this, per module.
#![deny(unsafe_code)]

/// The README's Rust program, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod sync;

mod config;
mod decision;
mod size;
mod stats;

mod claim;
mod filter;
mod gate;
mod memory;
mod meter;
mod quota;
pub mod rate;

mod dispatch;

mod engine;
mod known;
mod principal;
mod registry;
mod retry;
mod slot;
pub mod snapshot;

#[cfg(not(tollgate_loom))]
pub mod ffi;
#[cfg(all(feature = "jni", not(tollgate_loom)))]
mod jni;

#[cfg(tollgate_loom)]
#[doc(hidden)]
pub mod model;

pub use config::{Config, ConfigBuilder, ConfigError};
pub use decision::{
    Decision, Touch, KIND_ADMITTED, KIND_FAULT, KIND_KNOWN, KIND_NEW, KIND_STALE, KIND_THROTTLED,
};
pub use dispatch::DispatchEstimator;
pub use engine::Engine;
pub use principal::PrincipalId;
pub use quota::{Limiter, Quota};
pub use size::FilterSize;
pub use snapshot::{Restored, SnapshotError};
pub use stats::{Stats, Swept, Totals};
