//! Where a segment's bytes come from: how much of them is read, a file that grows or shrinks meanwhile, a disk that fails.

mod common;

use common::batch::Batch;
use common::seen::{walk, walk_source, REAL};
use std::cell::Cell;
use std::io;
use tollgate_cli::kafka_log::{FindingKind, Source};

/// Counts what is read.
struct Counted<'a> {
    bytes: &'a [u8],
    read: &'a Cell<u64>,
}

impl Source for Counted<'_> {
    fn length(&self) -> io::Result<u64> {
        self.bytes.length()
    }

    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(position, to)?;
        self.read.set(self.read.get() + read as u64);
        Ok(read)
    }
}

/// A header whose records reach almost to the end of a file of `length` bytes, where no batch follows, with a checksum that is
/// wrong.
fn greedy(position: usize, length: usize) -> Vec<u8> {
    let mut bytes = Batch::new(position as i64, 0).bytes();
    let reach = length.saturating_sub(position + 12 + 7).max(49);
    bytes[8..12].copy_from_slice(&(reach as u32).to_be_bytes());
    bytes
}

#[test]
fn a_file_made_to_be_slow_is_given_up_in_time() {
    let length = 61 * 60_000;
    let mut headers = Vec::new();
    while headers.len() < length {
        headers.extend(greedy(headers.len(), length));
    }
    // Good ones between lead the search on to the next.
    let mut mixed = Vec::new();
    while mixed.len() < length {
        mixed.extend(Batch::new(mixed.len() as i64, 0).bytes());
        mixed.extend(greedy(mixed.len(), length));
    }
    for bytes in [&headers, &mixed] {
        for check_crc in [false, true] {
            let read = Cell::new(0);
            let seen = walk_source(Counted { bytes, read: &read }, check_crc);
            assert!(read.get() <= 16 * bytes.len() as u64, "{} of {}", read.get(), bytes.len());
            let last = seen.findings.last().unwrap();
            assert!(last.text.contains("took too long"), "{last:?}");
        }
    }
}

#[test]
fn records_are_not_read_where_batches_are_large() {
    let bytes: Vec<u8> = (0..200).flat_map(|i| Batch::new(i, 100_000).bytes()).collect();
    let read = Cell::new(0);
    let seen = walk_source(Counted { bytes: &bytes, read: &read }, false);
    assert_eq!((seen.batches.len(), seen.findings.len()), (200, 0));
    assert!(read.get() < bytes.len() as u64 / 15, "{} of {}", read.get(), bytes.len());
    assert_eq!(walk(&bytes, true), seen);
}

/// As long as a live broker's file was, and as long as it is now.
struct Live<'a> {
    bytes: &'a [u8],
    then: usize,
    now: usize,
    /// How often it is asked before it has grown.
    looks: u32,
    asked: Cell<u32>,
}

impl Source for Live<'_> {
    fn length(&self) -> io::Result<u64> {
        self.asked.set(self.asked.get() + 1);
        Ok(if self.asked.get() <= self.looks { self.then } else { self.now } as u64)
    }

    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
        (&self.bytes[..self.now]).read_at(position, to)
    }
}

#[test]
fn what_a_live_broker_was_writing_is_no_finding() {
    for then in 848..946 {
        let live = |now| Live { bytes: REAL, then, now, looks: 1, asked: Cell::new(0) };
        let seen = walk_source(live(946), true);
        assert_eq!((seen.batches.len(), &seen.findings[..]), (9, &[][..]), "{then}");
        // It is one when it stays like that; the first bytes of an offset are zeros and might be room to come.
        if then < 855 {
            continue;
        }
        assert_eq!(walk_source(live(then), true).findings[0].kind, FindingKind::HalfWritten, "{then}");
    }
}

#[test]
fn a_file_cut_while_it_is_read_ends_where_it_ends() {
    for now in 0..946 {
        let seen = walk_source(Live { bytes: REAL, then: 946, now, looks: 1, asked: Cell::new(0) }, false);
        assert_eq!(seen, walk(&REAL[..now], false), "{now}");
    }
}

/// The write of a large batch becomes visible in pieces.
#[test]
fn what_a_live_broker_has_half_written_is_looked_at_again() {
    for (looks, findings) in [(1, 0), (4, 0), (6, 0), (9, 1)] {
        let seen = walk_source(Live { bytes: REAL, then: 900, now: 946, looks, asked: Cell::new(0) }, true);
        assert_eq!((seen.batches.len(), seen.findings.len()), (9, findings), "{looks}: {seen:?}");
    }
}

#[test]
fn what_the_disk_refuses_is_named_with_what_it_costs() {
    struct Bad;
    impl Source for Bad {
        fn length(&self) -> io::Result<u64> {
            Ok(1 << 20)
        }
        fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
            // The system gives what it has before the bad place first.
            match REAL.read_at(position, to)? {
                0 => Err(io::Error::other("input/output error")),
                read => Ok(read),
            }
        }
    }
    let seen = walk_source(Bad, false);
    assert_eq!(seen.batches.len(), 10);
    let [finding] = &seen.findings[..] else { panic!("{seen:?}") };
    assert_eq!((finding.kind, finding.offset), (FindingKind::Unreadable, Some(946)));
    assert_eq!(
        finding.text,
        "The file can't be read from here on: input/output error: 1,047,630 bytes skipped."
    );
}
