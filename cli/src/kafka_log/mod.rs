//! What a Kafka broker's log directory holds: producer snapshots and the headers of record batches.
//!
//! Read-only: files are opened for reading, nothing else. The broker may run meanwhile. Whatever the bytes are, reading ends,
//! does not panic and keeps no more in memory than a buffer of 256 KiB for each open file; what could not be read is a
//! [`Finding`] with file and place, and reading goes on behind it where there is a good place.
//!
//! The way of the data: [`LogDirectory`] lists the partitions and their files, [`Segment`] walks over the batches of a
//! `*.log`, [`producer_snapshot`] reads a `*.snapshot`.
//!
//! Formats: batches as of Kafka 0.11 (KIP-98, "magic" 2), snapshots of version 1 (0.11 to 4.4). Older messages are found,
//! counted and passed over.

mod batch;
mod compaction;
mod directory;
mod finding;
mod name;
mod old_format;
mod pace;
pub mod producer_snapshot;
mod resync;
mod segment;
mod source;
mod walk;
mod window;

pub use batch::{BatchHeader, Flaw, HEADER_BYTES};
pub use directory::{File, LogDirectory, Partition};
pub use finding::{Finding, FindingKind};
pub use producer_snapshot::ProducerEntry;
pub use segment::{Item, Segment};
pub use source::Source;
