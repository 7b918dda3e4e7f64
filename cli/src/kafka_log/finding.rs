//! What was met and could not be read, or has to be known of what was.

use std::path::PathBuf;

/// What kind of thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Messages of before Kafka 0.11, which know no producer ID.
    OldFormat,
    /// Bytes that are no batch, or not the one that was written.
    DamagedBatch,
    /// The file ends within a batch.
    HalfWritten,
    /// Zeros up to the end: the broker made the file longer than what it holds (`log.preallocate`), or a crash did.
    Preallocated,
    /// Offsets are missing: compaction took records.
    Compacted,
    /// A snapshot whose checksum or length is wrong.
    DamagedSnapshot,
    /// A snapshot of a version other than 1.
    UnknownSnapshotVersion,
    /// Older segments of it are in remote storage (KIP-405).
    TieredStorage,
    /// What the broker itself does not read: about to be deleted, or not yet in use.
    Leftover,
    /// The system refused to read it.
    Unreadable,
}

impl FindingKind {
    /// Something that counts was not read. Not so where all that is there was read ([`Compacted`](Self::Compacted),
    /// [`Preallocated`](Self::Preallocated)), nor for a [`Leftover`](Self::Leftover), which the broker ignores as well.
    #[must_use]
    pub fn is_skip(self) -> bool {
        !matches!(self, Self::Compacted | Self::Preallocated | Self::Leftover)
    }

    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OldFormat => "old-format",
            Self::DamagedBatch => "damaged-batch",
            Self::HalfWritten => "half-written",
            Self::Preallocated => "preallocated",
            Self::Compacted => "compacted",
            Self::DamagedSnapshot => "damaged-snapshot",
            Self::UnknownSnapshotVersion => "unknown-snapshot-version",
            Self::TieredStorage => "tiered-storage",
            Self::Leftover => "leftover",
            Self::Unreadable => "unreadable",
        }
    }
}

/// One thing that was found, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or directory.
    pub path: PathBuf,
    /// The byte in the file at which it starts, where it has a place.
    pub offset: Option<u64>,
    /// What it is.
    pub kind: FindingKind,
    /// Bytes that may have held batches and were passed over; 0 where nothing was lost.
    pub skipped_bytes: u64,
    /// One sentence in plain words, without file and offset.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_whole_is_no_skip() {
        for (kind, name, is_skip) in [
            (FindingKind::OldFormat, "old-format", true),
            (FindingKind::DamagedBatch, "damaged-batch", true),
            (FindingKind::HalfWritten, "half-written", true),
            (FindingKind::Preallocated, "preallocated", false),
            (FindingKind::Compacted, "compacted", false),
            (FindingKind::DamagedSnapshot, "damaged-snapshot", true),
            (FindingKind::UnknownSnapshotVersion, "unknown-snapshot-version", true),
            (FindingKind::TieredStorage, "tiered-storage", true),
            (FindingKind::Leftover, "leftover", false),
            (FindingKind::Unreadable, "unreadable", true),
        ] {
            assert_eq!((kind.name(), kind.is_skip()), (name, is_skip));
        }
    }
}
