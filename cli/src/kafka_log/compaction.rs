//! Offsets that a segment should have and has not: what compaction took.

use super::batch::BatchHeader;
use super::finding::{Finding, FindingKind};
use crate::text;
use std::path::Path;

pub(super) struct Compaction {
    /// What comes next where nothing is missing; unknown behind what could not be read.
    expected: Option<i64>,
    first_at: Option<u64>,
    missing: u64,
}

impl Compaction {
    /// `base_offset` is that of the segment, from its name.
    pub fn new(base_offset: i64) -> Compaction {
        Compaction { expected: Some(base_offset), first_at: None, missing: 0 }
    }

    #[inline]
    pub fn see(&mut self, position: u64, header: &BatchHeader) {
        let before = self.expected.map_or(0, |expected| header.base_offset.saturating_sub(expected).max(0));
        let missing = before.unsigned_abs().saturating_add(header.missing());
        if missing > 0 {
            self.first_at.get_or_insert(position);
            self.missing = self.missing.saturating_add(missing);
        }
        self.expected = header.last_offset().checked_add(1);
    }

    /// What comes next was not read, so that a gap there means nothing.
    pub fn interrupt(&mut self) {
        self.expected = None;
    }

    /// One note for the segment, if anything is missing.
    pub fn note(&self, path: &Path) -> Option<Finding> {
        let offset = Some(self.first_at?);
        let text = match self.missing {
            1 => "One offset is missing from here on: the log was compacted.".to_owned(),
            n => format!("{} offsets are missing from here on: the log was compacted.", text::thousands(n)),
        };
        Some(Finding { path: path.to_owned(), offset, kind: FindingKind::Compacted, skipped_bytes: 0, text })
    }
}
