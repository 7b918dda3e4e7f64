//! How fast: rates over sample windows, and buckets of tokens.
//!
//! | type | answers | rule |
//! |---|---|---|
//! | [`WindowedRate`] | how many a second, over N samples of W, by one of three policies | R1, R2, R4 |
//! | [`Sliding`] | the same by the sliding policy, in six words: what the engine's statistics have for each principal | R1, R2, R4 |
//! | [`Gcra`] | may one more pass? one token at a time, never below zero: the quota's bucket | R3, S12 |
//! | [`TokenBucket`] | how long must this one wait? amounts, may owe: KIP-599's | R3 |
//!
//! Beside them stands the limiter of a windowed quota (`limit`). Time is an argument, in milliseconds; nothing here
//! allocates after it is made, and nothing blocks.

pub(crate) mod gcra;
pub(crate) mod limit;
pub(crate) mod sliding;
mod token_bucket;
mod windowed;

pub use gcra::{Charge, Gcra, Refill};
pub use sliding::Sliding;
pub use token_bucket::TokenBucket;
pub use windowed::{Policy, WindowedRate, MAX_SAMPLES};
