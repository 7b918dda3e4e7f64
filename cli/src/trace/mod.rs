//! Traces: who was seen when. A trace is a list of sights in the order of time, in one of two forms:
//!
//! ```text
//! time_ms,principal,producer_id
//! 1796063100000,alice,4711
//! ```
//! or, a line each, `{"time_ms":1796063100000,"principal":"alice","producer_id":4711}`.
//!
//! A fourth field, `held`, may say (`1` or `true`) that a partition has the ID from before the trace begins, so that it passes uncharged.
//!
//! Times are milliseconds since 1970, or RFC 3339 (`2026-11-30T18:25:00Z`). The way of the data is the order of the modules:
//! `input` (bytes, a bounded part of them at a time) -> `rows` (lines to fields) -> `reader` (fields to sights, in order);
//! `writer` is the way back.

mod input;
mod moment;
mod names;
mod reader;
mod rows;
mod writer;

pub use reader::{TraceError, TraceReader};
pub use writer::TraceWriter;

/// A moment at which a broker saw a producer ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Milliseconds since 1970.
    pub time_ms: u64,
    /// The principal, as an index into the names met so far.
    pub principal: u32,
    /// The producer ID.
    pub producer_id: u64,
    /// A partition has it from before the trace begins.
    pub is_held: bool,
}
