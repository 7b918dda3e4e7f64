//! The C ABI: `include/tollgate.h` is generated from here, and its head (cbindgen.toml) holds the conventions.
//!
//! Contract: no panic leaves a function, NULL is answered and never followed, outputs are written only on success, and the
//! hot calls return one packed word that can't fail.
//!
//! How: each exported function is one call of `boundary::guard`; pointers become references in `boundary` only, so that
//! what must be trusted about a caller is written once. What is trusted is what no library can check: a pointer that is
//! not NULL came from the matching `_new`, was not freed, and a length does not exceed its buffer.

#![allow(unsafe_code, reason = "one of the two modules that may")]
#![allow(
    non_camel_case_types,
    reason = "types are named as C sees them, so that the header needs no renaming"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what a caller must keep to is the same for all, and stands at the head of the header"
)]

pub(crate) mod boundary;
mod config;
mod dispatch;
mod engine;
mod gcra;
#[cfg(feature = "inject-panics")]
mod inject;
mod principals;
mod quota;
mod size;
mod snapshot;
mod stats;
mod status;
mod token_bucket;
mod windowed;

/// The exported functions for Rust tests and fuzzing, by the names and types of the header; hosts in Rust use
/// [`Engine`](crate::Engine).
#[doc(hidden)]
pub mod exported {
    pub use super::{
        config::*, dispatch::*, engine::*, gcra::*, principals::*, quota::*, size::*, snapshot::*, stats::*,
        status::*, token_bucket::*, windowed::*,
    };
}
