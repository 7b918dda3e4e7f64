//! A segment of random bytes, once as it is and once with the checksums it should have, or no batch would ever pass.

use super::input::Input;
use std::cell::Cell;
use std::{io, path::Path};
use tollgate_cli::kafka_log::{Finding, FindingKind, Item, Segment, Source, HEADER_BYTES};

/// Reads it all, with and without records: it ends, and all that is given lies one behind the other, within the file.
pub fn segment(data: &[u8]) {
    let mut input = Input(data);
    let (offset, piece, cut) = (input.byte() % 16, input.byte(), input.byte());
    let name = format!("{offset:020}.log");
    for bytes in [input.0.to_vec(), repaired(input.0)] {
        read(&bytes[..], &name, false);
        let checked = read(&bytes[..], &name, true);
        // However few bytes the system gives at a time, they are the same ones.
        let pieces = Pieces {
            bytes: &bytes,
            most: usize::from(piece).max(1),
            cut: bytes.len(),
            is_open: Cell::new(false),
        };
        assert_eq!(read(pieces, &name, true), checked);
        // Shorter now than when it was opened.
        let cut = usize::from(cut).min(bytes.len());
        let shrunk = Pieces { bytes: &bytes, most: 7, cut, is_open: Cell::new(false) };
        assert_eq!(read(shrunk, &name, true), read(&bytes[..cut], &name, true));
    }
}

/// The positions of its batches.
fn read<S: Source>(source: S, name: &str, check_crc: bool) -> Vec<u64> {
    let mut segment = Segment::of(source, Path::new(name), check_crc).expect("its length is known");
    let most = segment.len() / 26 + 2;
    let (mut positions, mut items, mut reached) = (Vec::new(), 0, 0);
    for item in segment.by_ref() {
        items += 1;
        assert!(items <= most, "{items} items");
        match item {
            Item::Batch { position, header } => {
                assert!(position >= reached && header.bytes >= HEADER_BYTES as u64);
                assert!(
                    header.producer_id >= -1
                        && header.records >= 0
                        && header.last_offset() >= header.base_offset
                );
                reached = position + header.bytes;
                positions.push(position);
            }
            Item::Finding(Finding { kind: FindingKind::Compacted, .. }) => {}
            Item::Finding(Finding { offset, skipped_bytes, text, .. }) => {
                let offset = offset.expect("all others have a place");
                assert!(offset >= reached && text.ends_with('.'));
                reached = offset + skipped_bytes;
            }
        }
    }
    assert!(reached <= segment.len() && segment.position() == segment.len() && segment.next().is_none());
    positions
}

/// With the right checksum wherever a length leads to.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(batch) = bytes.get_mut(at..).filter(|rest| rest.len() >= HEADER_BYTES) {
        let length = u32::from_be_bytes([batch[8], batch[9], batch[10], batch[11]]);
        let end = (length as usize).saturating_add(12);
        if batch[16] != 2 || end < HEADER_BYTES || end > batch.len() {
            at += 1;
            continue;
        }
        let crc = crc32c::crc32c(&batch[21..end]);
        batch[17..21].copy_from_slice(&crc.to_be_bytes());
        at += end;
    }
    bytes
}

/// Gives a few bytes at a time, and none behind `cut`.
struct Pieces<'a> {
    bytes: &'a [u8],
    most: usize,
    cut: usize,
    is_open: Cell<bool>,
}

impl Source for Pieces<'_> {
    fn length(&self) -> io::Result<u64> {
        // Opened before it was cut.
        Ok(if self.is_open.replace(true) { self.cut } else { self.bytes.len() } as u64)
    }

    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(to.len());
        (&self.bytes[..self.cut]).read_at(position, &mut to[..most])
    }
}
