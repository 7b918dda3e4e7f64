//! How fast: the token bucket under the quota and the sliding rate in the statistics.

pub(crate) mod bucket;
pub(crate) mod windowed;

pub use bucket::{Bucket, Charge, Refill};
pub use windowed::Sliding;
