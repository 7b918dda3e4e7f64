//! All that the reader of segments says of one.

use std::path::Path;
use tollgate_cli::kafka_log::{BatchHeader, Finding, FindingKind, Item, Segment, Source};

/// Ten batches: idempotent, transactional with markers, without producer ID; none, zstd, lz4 and gzip.
pub const REAL: &[u8] = include_bytes!("../fixtures/kafka-4.4.0/orders-0/00000000000000000000.log");

#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    pub batches: Vec<(u64, BatchHeader)>,
    pub findings: Vec<Finding>,
}

impl Seen {
    pub fn positions(&self) -> Vec<usize> {
        self.batches.iter().map(|(position, _)| *position as usize).collect()
    }

    /// What lost something.
    pub fn skips(&self) -> Vec<&Finding> {
        self.findings.iter().filter(|it| it.kind.is_skip()).collect()
    }
}

/// Reads all there is. What is given lies within the file, one behind the other, and there is no end to it that is not reached.
pub fn walk_source<S: Source>(source: S, check_crc: bool) -> Seen {
    let mut segment = Segment::of(source, Path::new("00000000000000000000.log"), check_crc).unwrap();
    let most = segment.len() / 26 + 2;
    let (mut seen, mut items, mut reached) = (Seen::default(), 0, 0);
    for item in segment.by_ref() {
        items += 1;
        assert!(items <= most, "more than {most} items");
        match item {
            Item::Batch { position, header } => {
                assert!(position >= reached, "{position} is before {reached}");
                reached = position + header.bytes;
                seen.batches.push((position, header));
            }
            Item::Finding(finding) => {
                if finding.kind != FindingKind::Compacted {
                    let offset = finding.offset.expect("a place");
                    assert!(offset >= reached, "{finding:?} is before {reached}");
                    reached = offset + finding.skipped_bytes;
                }
                seen.findings.push(finding);
            }
        }
    }
    assert!(reached <= segment.len());
    assert_eq!(segment.next(), None, "the end is the end");
    seen
}

pub fn walk(bytes: &[u8], check_crc: bool) -> Seen {
    walk_source(bytes, check_crc)
}
