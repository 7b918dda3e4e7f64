//! The next good batch behind damage: byte by byte, the next header that can be one, whose checksum is right.
//!
//! A hostile file could have a header at every few bytes, each with the rest of the file for its records. So the checksums over
//! batches that turn out wrong may cost no more than four times the file's length in all, and a MiB; then the rest of the file is
//! given up. Damage as it happens costs each damaged batch once, and sometimes a few that never were.

use super::batch::{BatchHeader, CHECKED_FROM, HEADER_BYTES, MAGIC_AT};
use super::pace::Reach;
use super::source::Source;
use super::window::Window;
use std::io;

/// What comes of a search.
pub(super) enum Search {
    /// Its place and its header; its checksum is right.
    Batch(u64, BatchHeader),
    /// There is none up to the end.
    None,
    /// The budget was spent before the end.
    Spent,
}

/// Bytes that may still be read for checksums that turn out wrong.
pub(super) struct Budget(u64);

impl Budget {
    pub fn of(file_bytes: u64) -> Budget {
        Budget(file_bytes.saturating_mul(4).saturating_add(1 << 20))
    }

    pub fn spend(&mut self, bytes: u64) {
        self.0 = self.0.saturating_sub(bytes);
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// The batch's bytes are what its writer summed up.
pub(super) fn has_right_crc<S: Source>(
    window: &mut Window<S>,
    position: u64,
    header: &BatchHeader,
) -> io::Result<bool> {
    let length = header.bytes.saturating_sub(CHECKED_FROM);
    Ok(window.crc(position.saturating_add(CHECKED_FROM), length)? == Some(header.crc))
}

/// Searches from `from` on for a batch with offsets above `floor`.
pub(super) fn next_batch<S: Source>(
    window: &mut Window<S>,
    mut from: u64,
    floor: i64,
    budget: &mut Budget,
) -> io::Result<Search> {
    loop {
        if budget.is_spent() {
            return Ok(Search::Spent);
        }
        let bytes = window.at(from, HEADER_BYTES, Reach::Far)?;
        if bytes.len() < HEADER_BYTES {
            return Ok(Search::None);
        }
        let (checked, candidate) = first_header(bytes);
        let (looked_at, end) = (from, window.end());
        from += checked as u64;
        let Some(header) = candidate else { continue };
        from += 1;
        let position = looked_at + checked as u64;
        if header.base_offset <= floor || position.saturating_add(header.bytes) > end {
            continue;
        }
        if has_right_crc(window, position, &header)? {
            return Ok(Search::Batch(position, header));
        }
        budget.spend(header.bytes);
    }
}

/// How many places hold no header, and the header behind them if there is one among these bytes.
fn first_header(bytes: &[u8]) -> (usize, Option<BatchHeader>) {
    let places = bytes.len().saturating_sub(HEADER_BYTES - 1);
    for (place, header) in bytes.windows(HEADER_BYTES).enumerate() {
        if header[MAGIC_AT] != 2 {
            continue;
        }
        if let Some(header) = header.first_chunk().and_then(|header| BatchHeader::parse(header).ok()) {
            return (place, Some(header));
        }
    }
    (places, None)
}
