//! What was found and could not be read, or wants to be known: the first of them, and how many of each kind.

use std::collections::BTreeMap;

use crate::kafka_log::Finding;

/// A directory that is wholly damaged would fill memory with findings.
const KEPT: usize = 1_000;

#[derive(Default)]
pub struct Findings {
    pub kept: Vec<Finding>,
    /// By the kind's name.
    pub by_kind: BTreeMap<&'static str, u64>,
    /// That kept something from being read.
    pub skipped: u64,
    pub skipped_bytes: u64,
}

impl Findings {
    pub fn add(&mut self, finding: Finding) {
        *self.by_kind.entry(finding.kind.name()).or_default() += 1;
        if finding.kind.is_skip() {
            self.skipped += 1;
            self.skipped_bytes = self.skipped_bytes.saturating_add(finding.skipped_bytes);
        }
        // Notes make room for what was skipped.
        if self.kept.len() < KEPT {
            self.kept.push(finding);
        } else if finding.kind.is_skip() {
            if let Some(note) = self.kept.iter_mut().find(|kept| !kept.kind.is_skip()) {
                *note = finding;
            }
        }
    }

    /// In the order of files, which threads don't keep.
    pub fn sort(&mut self) {
        self.kept.sort_by(|a, b| (&a.path, a.offset).cmp(&(&b.path, b.offset)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kafka_log::FindingKind;

    fn finding(kind: FindingKind, offset: u64) -> Finding {
        Finding { path: "a.log".into(), offset: Some(offset), kind, skipped_bytes: 10, text: String::new() }
    }

    #[test]
    fn beyond_the_bound_they_are_counted_and_notes_make_room() {
        let mut findings = Findings::default();
        (0..1_001).for_each(|offset| findings.add(finding(FindingKind::Compacted, offset)));
        findings.add(finding(FindingKind::DamagedBatch, 7));
        findings.sort();
        assert_eq!(findings.kept.len(), 1_000);
        assert_eq!((findings.skipped, findings.skipped_bytes), (1, 10));
        assert_eq!(findings.by_kind[FindingKind::Compacted.name()], 1_001);
        assert!(findings.kept.iter().any(|kept| kept.kind.is_skip()));
    }
}
