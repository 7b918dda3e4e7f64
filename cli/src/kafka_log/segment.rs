//! A segment (`*.log`): one batch after the other, from the first byte on.
//!
//! Only headers are read; a batch's length leads to the next. What can't be read is a [`Finding`], and reading goes on at the
//! next batch whose checksum is right. How it goes on after damage, and when it gives up, is in `walk.rs` and `resync.rs`.

use super::batch::BatchHeader;
use super::finding::{Finding, FindingKind};
use super::source::Source;
use super::walk::Walk;
use super::window::Window;
use std::path::Path;
use std::{fs, io};

/// What comes next in a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A batch.
    Batch {
        /// The byte in the file at which it starts.
        position: u64,
        /// What it says of itself.
        header: BatchHeader,
    },
    /// Something else.
    Finding(Finding),
}

/// Walks over the batches of one segment, once. Keeps one buffer of 256 KiB at most, whatever the segment's length.
///
/// What was there when it was opened is read; what a live broker adds meanwhile is left for the next time. There are at most as
/// many items as the file has bytes divided by 30, and two.
pub struct Segment<S = fs::File> {
    /// None for a file that is gone.
    walk: Option<Walk<S>>,
}

impl Segment {
    /// Opens a file for reading. One that is gone is empty, as retention may take it at any time.
    ///
    /// With `check_crc`, the records are read too, and each batch is held against its checksum.
    ///
    /// # Errors
    /// The system's, as a finding.
    pub fn open(path: &Path, check_crc: bool) -> Result<Segment, Finding> {
        let opened = match fs::metadata(path) {
            // A pipe would wait for a writer.
            Ok(it) if !it.is_file() => Err(io::Error::other("it is no regular file")),
            Ok(_) => fs::File::open(path).and_then(Window::new),
            Err(e) => Err(e),
        };
        match opened {
            Ok(window) => Ok(Segment { walk: Some(Walk::new(window, path, check_crc)) }),
            Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                Ok(Segment { walk: None })
            }
            Err(e) => Err(Finding {
                path: path.to_owned(),
                offset: None,
                kind: FindingKind::Unreadable,
                skipped_bytes: fs::metadata(path).map_or(0, |it| it.len()),
                text: format!("The segment can't be read: {e}."),
            }),
        }
    }
}

impl<S: Source> Segment<S> {
    /// A segment of bytes from anywhere; `path` is for findings, and its name for the base offset.
    ///
    /// # Errors
    /// The source's, when it does not know its length.
    pub fn of(source: S, path: &Path, check_crc: bool) -> io::Result<Segment<S>> {
        Ok(Segment { walk: Some(Walk::new(Window::new(source)?, path, check_crc)) })
    }

    /// The byte up to which all was looked at.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.walk.as_ref().map_or(0, Walk::position)
    }

    /// How long the segment was when it was opened; less where the broker has cut it since.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.walk.as_ref().map_or(0, Walk::end)
    }

    /// Nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<S: Source> Iterator for Segment<S> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.walk.as_mut()?.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(file: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file)
    }

    fn items(file: &str, check_crc: bool) -> Vec<Item> {
        Segment::open(&fixture(file), check_crc).unwrap().collect()
    }

    /// Position, base offset, last offset, records, base sequence, producer ID, epoch, control or not, max timestamp, bytes.
    type Row = (u64, i64, i64, i32, i32, i64, i16, bool, i64, u64);

    fn row(item: &Item) -> Row {
        let Item::Batch { position, header: h } = item else { panic!("{item:?}") };
        let id = (h.producer_id, h.producer_epoch);
        let at = (h.base_offset, h.last_offset(), h.records, h.base_sequence);
        (*position, at.0, at.1, at.2, at.3, id.0, id.1, h.is_control(), h.max_timestamp_ms, h.bytes)
    }

    #[test]
    fn every_batch_is_what_kafkas_own_tool_says() {
        for check_crc in [false, true] {
            let items = items("kafka-4.4.0/orders-0/00000000000000000000.log", check_crc);
            let rows: Vec<Row> = items.iter().map(row).collect();
            assert_eq!(
                rows,
                [
                    (0, 0, 2, 3, 0, 0, 0, false, 1_796_050_800_002, 103),
                    (103, 3, 3, 1, 3, 0, 0, false, 1_796_050_801_000, 76),
                    (179, 4, 4, 1, 0, 1, 0, false, 1_796_050_860_000, 91),
                    (270, 5, 5, 1, 1, 1, 0, false, 1_796_050_860_001, 91),
                    (361, 6, 6, 1, -1, 1, 1, true, 1_796_063_920_477, 78),
                    (439, 7, 7, 1, 0, 1, 1, false, 1_796_050_920_000, 89),
                    (528, 8, 8, 1, -1, 1, 2, true, 1_796_063_920_498, 78),
                    (606, 9, 12, 4, -1, -1, -1, false, 1_796_050_980_003, 147),
                    (753, 13, 13, 1, 0, 2, 0, false, 1_796_051_040_000, 94),
                    (847, 14, 15, 2, 4, 0, 0, false, 1_796_054_400_001, 99),
                ]
            );
        }
    }

    #[test]
    fn what_compaction_took_is_one_note_at_the_first_gap() {
        let items = items("kafka-4.4.0/accounts-0/00000000000000000000.log", true);
        let [batches @ .., Item::Finding(note)] = &items[..] else { panic!("{items:?}") };
        let rows: Vec<_> = batches.iter().map(row).map(|row| (row.1, row.2, row.3, row.5)).collect();
        assert_eq!(rows, [(2, 2, 0, 3), (7, 8, 0, 4), (15, 17, 0, 5), (26, 29, 4, 6)]);
        assert_eq!((note.kind, note.offset, note.skipped_bytes), (FindingKind::Compacted, Some(0), 0));
        // Of 30 offsets, four have a record.
        assert_eq!(note.text, "26 offsets are missing from here on: the log was compacted.");
    }

    #[test]
    fn zeros_up_to_the_end_are_room_for_what_comes() {
        let items = items("kafka-4.4.0/clicks-0/00000000000000000000.log", true);
        let [first, second, Item::Finding(note)] = &items[..] else { panic!("{items:?}") };
        assert_eq!((row(first).0, row(second).0), (0, 89));
        assert_eq!((note.kind, note.offset, note.skipped_bytes), (FindingKind::Preallocated, Some(164), 0));
        assert_eq!(note.text, "The last 3,932 bytes of the file are zeros: nothing was written there yet.");
    }

    #[test]
    fn messages_of_old_formats_are_counted_and_passed_over() {
        let items = items("kafka-old/00000000000000000000.log", true);
        let [Item::Finding(run), batch, Item::Finding(one)] = &items[..] else { panic!("{items:?}") };
        assert_eq!((run.kind, run.offset, run.skipped_bytes), (FindingKind::OldFormat, Some(0), 297));
        assert_eq!(run.text, "6 messages of before Kafka 0.11, which have no producer IDs, are skipped.");
        assert_eq!((row(batch).0, row(batch).1), (297, 8));
        assert_eq!((one.kind, one.offset, one.skipped_bytes), (FindingKind::OldFormat, Some(385), 39));
    }

    #[test]
    fn a_segment_that_is_gone_or_empty_has_nothing() {
        assert_eq!(Segment::open(&fixture("gone.log"), false).unwrap().next(), None);
        let mut empty = Segment::of(&b""[..], Path::new("00000000000000000007.log"), false).unwrap();
        assert_eq!((empty.next(), empty.len(), empty.is_empty()), (None, 0, true));
    }

    #[test]
    fn a_directory_is_no_segment() {
        let Err(finding) = Segment::open(&fixture("kafka-4.4.0"), false) else { panic!("opened") };
        assert_eq!(finding.kind, FindingKind::Unreadable);
        assert_eq!(finding.text, "The segment can't be read: it is no regular file.");
    }

    #[test]
    fn position_comes_to_the_end() {
        let mut segment =
            Segment::open(&fixture("kafka-4.4.0/orders-0/00000000000000000000.log"), false).unwrap();
        let mut before = 0;
        while segment.next().is_some() {
            assert!(segment.position() >= before && segment.position() <= segment.len());
            before = segment.position();
        }
        assert_eq!((segment.position(), segment.len()), (946, 946));
    }
}
