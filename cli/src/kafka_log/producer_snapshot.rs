//! A producer snapshot (`*.snapshot`): what a broker keeps of each producer ID on one partition, as of an offset.
//!
//! Version 1, the only one there has been, big-endian: version (2 bytes), CRC32C of all that follows it (4), count (4), and 46
//! bytes for each producer ID.

use super::batch::field;
use super::finding::{Finding, FindingKind};
use super::pace::Reach;
use super::source::Source;
use super::window::Window;
use std::path::{Path, PathBuf};
use std::{fs, io};

const HEAD_BYTES: usize = 10;
const CHECKED_FROM: u64 = 6;
const ENTRY_BYTES: usize = 46;
const VERSION: i16 = 1;

/// What the broker knows of one producer ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerEntry {
    /// The producer ID.
    pub producer_id: i64,
    /// The producer's epoch.
    pub epoch: i16,
    /// The last record's sequence number, -1 for none (a marker was the last).
    pub last_sequence: i32,
    /// The last record's offset, -1 for none.
    pub last_offset: i64,
    /// The last batch's last offset less its first.
    pub offset_delta: i32,
    /// The newest timestamp of what it last wrote, milliseconds since 1970.
    pub timestamp_ms: i64,
    /// The epoch of the transaction coordinator that last wrote a marker, -1 for none.
    pub coordinator_epoch: i32,
    /// Where its open transaction starts, -1 for none.
    pub current_txn_first_offset: i64,
}

/// Kind, place and a sentence.
type Wrong = (FindingKind, u64, String);

/// Holds length and checksum against what they should be; gives how many entries there are.
fn check<S: Source>(window: &mut Window<S>) -> io::Result<Result<u64, Wrong>> {
    let damaged = |at, text| Ok(Err((FindingKind::DamagedSnapshot, at, text)));
    let end = window.end();
    let head = window.at(0, HEAD_BYTES, Reach::Far)?;
    let Some(head) = head.first_chunk::<HEAD_BYTES>() else {
        return damaged(0, format!("The snapshot has {end} bytes, and its head alone takes {HEAD_BYTES}."));
    };
    let version = i16::from_be_bytes(field(head, 0));
    if version != VERSION {
        let text = format!("The snapshot is of version {version}, and only version {VERSION} can be read.");
        return Ok(Err((FindingKind::UnknownSnapshotVersion, 0, text)));
    }
    let (crc, count) = (u32::from_be_bytes(field(head, 2)), i32::from_be_bytes(field(head, 6)));
    let rest = end.saturating_sub(HEAD_BYTES as u64);
    let Some(count) = u64::try_from(count).ok().filter(|count| count * ENTRY_BYTES as u64 == rest) else {
        let text = format!(
            "The snapshot says that it has {count} producer IDs of {ENTRY_BYTES} bytes, and {rest} bytes follow."
        );
        return damaged(CHECKED_FROM, text);
    };
    match window.crc(CHECKED_FROM, end.saturating_sub(CHECKED_FROM))? {
        Some(found) if found == crc => Ok(Ok(count)),
        Some(found) => {
            damaged(2, format!("The snapshot's checksum is {found:#010x}, and it should be {crc:#010x}."))
        }
        None => damaged(window.end(), "The snapshot became shorter while it was read.".to_owned()),
    }
}

fn entry(bytes: &[u8; ENTRY_BYTES]) -> ProducerEntry {
    ProducerEntry {
        producer_id: i64::from_be_bytes(field(bytes, 0)),
        epoch: i16::from_be_bytes(field(bytes, 8)),
        last_sequence: i32::from_be_bytes(field(bytes, 10)),
        last_offset: i64::from_be_bytes(field(bytes, 14)),
        offset_delta: i32::from_be_bytes(field(bytes, 22)),
        timestamp_ms: i64::from_be_bytes(field(bytes, 26)),
        coordinator_epoch: i32::from_be_bytes(field(bytes, 34)),
        current_txn_first_offset: i64::from_be_bytes(field(bytes, 38)),
    }
}

/// All entries of a snapshot's bytes.
///
/// # Errors
/// The kind of finding, the place and a sentence.
pub fn parse(bytes: &[u8]) -> Result<Vec<ProducerEntry>, (FindingKind, u64, String)> {
    let checked = Window::new(bytes).and_then(|mut window| check(&mut window));
    checked.map_err(|e| (FindingKind::Unreadable, 0, format!("The snapshot can't be read: {e}.")))??;
    let entries = bytes.get(HEAD_BYTES..).unwrap_or_default().chunks_exact(ENTRY_BYTES);
    Ok(entries.filter_map(|bytes| bytes.first_chunk().map(entry)).collect())
}

/// The entries of a snapshot, one after the other, in fixed memory. The checksum was right before the first is given.
pub struct Entries {
    path: PathBuf,
    /// None for a file that is gone.
    window: Option<Window<fs::File>>,
    position: u64,
    left: u64,
}

/// Opens a snapshot and checks it. One that is gone, as happens beside a live broker, is empty.
///
/// # Errors
/// What is wrong with it: damaged, of another version, or refused by the system.
pub fn entries(path: &Path) -> Result<Entries, Finding> {
    let empty = Entries { path: path.to_owned(), window: None, position: HEAD_BYTES as u64, left: 0 };
    let opened = match fs::metadata(path) {
        // A pipe would wait for a writer.
        Ok(it) if !it.is_file() => Err(io::Error::other("it is no regular file")),
        Ok(_) => fs::File::open(path).and_then(Window::new),
        Err(e) => Err(e),
    };
    let mut window = match opened {
        Ok(window) => window,
        Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
            return Ok(empty)
        }
        Err(e) => return Err(empty.refused(&e)),
    };
    match check(&mut window) {
        Ok(Ok(left)) => Ok(Entries { window: Some(window), left, ..empty }),
        Ok(Err((kind, at, text))) => Err(empty.finding(kind, Some(at), window.end(), text)),
        Err(e) => Err(empty.refused(&e)),
    }
}

/// All entries of a snapshot, 56 bytes of memory for each; [`entries`] needs less.
///
/// # Errors
/// As [`entries`].
pub fn read(path: &Path) -> Result<Vec<ProducerEntry>, Finding> {
    entries(path)?.collect()
}

impl Entries {
    fn finding(&self, kind: FindingKind, offset: Option<u64>, skipped_bytes: u64, text: String) -> Finding {
        Finding { path: self.path.clone(), offset, kind, skipped_bytes, text }
    }

    fn refused(&self, error: &io::Error) -> Finding {
        let bytes = fs::metadata(&self.path).map_or(0, |it| it.len());
        self.finding(FindingKind::Unreadable, None, bytes, format!("The snapshot can't be read: {error}."))
    }
}

impl Iterator for Entries {
    type Item = Result<ProducerEntry, Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        let window = self.window.as_mut().filter(|_| self.left > 0)?;
        let read = window.at(self.position, ENTRY_BYTES, Reach::Far);
        let entry = read.map(|bytes| bytes.first_chunk().map(entry));
        self.position += ENTRY_BYTES as u64;
        self.left -= 1;
        let lost = (self.left + 1) * ENTRY_BYTES as u64;
        let finding = match entry {
            Ok(Some(entry)) => return Some(Ok(entry)),
            Ok(None) => {
                let text = "The snapshot became shorter while it was read.".to_owned();
                self.finding(
                    FindingKind::DamagedSnapshot,
                    Some(self.position - ENTRY_BYTES as u64),
                    lost,
                    text,
                )
            }
            Err(e) => self.refused(&e),
        };
        self.left = 0;
        Some(Err(finding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REAL: &[u8] =
        include_bytes!("../../tests/fixtures/kafka-4.4.0/orders-0/00000000000000000016.snapshot");

    #[test]
    fn every_entry_is_what_kafkas_own_tool_says() {
        let entries = parse(REAL).unwrap();
        let long_lived = ProducerEntry {
            producer_id: 0,
            epoch: 0,
            last_sequence: 5,
            last_offset: 15,
            offset_delta: 1,
            timestamp_ms: 1_796_054_400_001,
            coordinator_epoch: -1,
            current_txn_first_offset: -1,
        };
        // After its marker nothing is left but epochs and time.
        let transactional = ProducerEntry {
            producer_id: 1,
            epoch: 2,
            last_sequence: -1,
            last_offset: -1,
            offset_delta: 0,
            timestamp_ms: 1_796_063_920_498,
            coordinator_epoch: 0,
            current_txn_first_offset: -1,
        };
        let once = ProducerEntry {
            producer_id: 2,
            last_sequence: 0,
            last_offset: 13,
            offset_delta: 0,
            timestamp_ms: 1_796_051_040_000,
            ..long_lived
        };
        assert_eq!(entries, [long_lived, transactional, once]);
    }

    #[test]
    fn each_cut_and_each_flipped_bit_is_found() {
        for length in 0..REAL.len() {
            assert_eq!(parse(&REAL[..length]).unwrap_err().0, FindingKind::DamagedSnapshot, "{length}");
        }
        for bit in 0..REAL.len() * 8 {
            let mut bytes = REAL.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let kind =
                if bit < 16 { FindingKind::UnknownSnapshotVersion } else { FindingKind::DamagedSnapshot };
            assert_eq!(parse(&bytes).unwrap_err().0, kind, "{bit}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut other = REAL.to_vec();
        other[1] = 2;
        assert_eq!(
            parse(&other).unwrap_err().2,
            "The snapshot is of version 2, and only version 1 can be read."
        );
        assert_eq!(
            parse(&REAL[..100]).unwrap_err().2,
            "The snapshot says that it has 3 producer IDs of 46 bytes, and 90 bytes follow."
        );
        assert_eq!(parse(b"").unwrap_err().2, "The snapshot has 0 bytes, and its head alone takes 10.");
        // A count that would need more memory than there is.
        let mut huge = REAL.to_vec();
        huge[6..10].copy_from_slice(&i32::MAX.to_be_bytes());
        assert_eq!(parse(&huge).unwrap_err().1, 6);
    }

    #[test]
    fn a_snapshot_that_is_gone_is_empty_and_a_directory_is_none() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(read(&directory.join("00000000000000000001.snapshot")), Ok(Vec::new()));
        assert_eq!(read(&directory).unwrap_err().kind, FindingKind::Unreadable);
    }
}
