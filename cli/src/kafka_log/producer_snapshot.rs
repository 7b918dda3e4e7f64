//! A producer snapshot (`*.snapshot`): what a broker keeps of each producer ID on one partition, as of an offset.
//!
//! Version 1, the only one there has been, big-endian: version (2 bytes), CRC32C of all that follows it (4), count (4), and 46
//! bytes for each producer ID.

use super::finding::{Finding, FindingKind};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

const HEAD_BYTES: usize = 10;
const CHECKED_FROM: usize = 6;
const ENTRY_BYTES: usize = 46;
const VERSION: i16 = 1;
/// 46 million producer IDs on one partition; a broker's heap does not hold as many. A file beyond is not read.
const MOST_BYTES: u64 = 2 << 30;

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

/// Takes big-endian numbers from the front.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// The next `N` bytes; zeros stand for what is not there.
    fn next<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        self.0 = rest;
        std::array::from_fn(|i| taken.get(i).copied().unwrap_or(0))
    }
}

/// All entries of a snapshot's bytes.
///
/// # Errors
/// The kind of finding, the place and a sentence.
pub fn parse(bytes: &[u8]) -> Result<Vec<ProducerEntry>, (FindingKind, u64, String)> {
    let damaged = |at, text| Err((FindingKind::DamagedSnapshot, at, text));
    let length = bytes.len();
    if length < HEAD_BYTES {
        return damaged(
            0,
            format!("The snapshot has {length} bytes, and its head alone takes {HEAD_BYTES}."),
        );
    }
    let mut fields = Fields(bytes);
    let version = i16::from_be_bytes(fields.next());
    if version != VERSION {
        let text = format!("The snapshot is of version {version}, and only version {VERSION} can be read.");
        return Err((FindingKind::UnknownSnapshotVersion, 0, text));
    }
    let crc = u32::from_be_bytes(fields.next());
    let count = i32::from_be_bytes(fields.next());
    let found = crc32c::crc32c(&bytes[CHECKED_FROM..]);
    let rest = fields.0.len();
    if usize::try_from(count).ok().and_then(|count| count.checked_mul(ENTRY_BYTES)) != Some(rest) {
        let text = format!(
            "The snapshot says that it has {count} producer IDs of {ENTRY_BYTES} bytes, and {rest} bytes follow."
        );
        return damaged(CHECKED_FROM as u64, text);
    }
    if found != crc {
        let text = format!("The snapshot's checksum is {found:#010x}, and it should be {crc:#010x}.");
        return damaged(2, text);
    }
    Ok(fields.0.chunks_exact(ENTRY_BYTES).map(entry).collect())
}

fn entry(bytes: &[u8]) -> ProducerEntry {
    let mut fields = Fields(bytes);
    ProducerEntry {
        producer_id: i64::from_be_bytes(fields.next()),
        epoch: i16::from_be_bytes(fields.next()),
        last_sequence: i32::from_be_bytes(fields.next()),
        last_offset: i64::from_be_bytes(fields.next()),
        offset_delta: i32::from_be_bytes(fields.next()),
        timestamp_ms: i64::from_be_bytes(fields.next()),
        coordinator_epoch: i32::from_be_bytes(fields.next()),
        current_txn_first_offset: i64::from_be_bytes(fields.next()),
    }
}

/// All entries of a snapshot; none when the file is gone, as happens beside a live broker. Takes memory for the file and
/// the entries: about twice the file's size.
///
/// # Errors
/// What is wrong with it: damaged, of another version, larger than any broker writes, or refused by the system.
pub fn read(path: &Path) -> Result<Vec<ProducerEntry>, Finding> {
    let finding = |kind, offset, skipped_bytes, text| Finding {
        path: path.to_owned(),
        offset,
        kind,
        skipped_bytes,
        text,
    };
    let bytes = match bytes(path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Vec::new()),
        Err(text) => return Err(finding(FindingKind::Unreadable, None, 0, text)),
    };
    parse(&bytes).map_err(|(kind, at, text)| finding(kind, Some(at), bytes.len() as u64, text))
}

/// The file's bytes; none when it is gone.
fn bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let refused = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => Ok(None),
        _ => Err(format!("The snapshot can't be read: {e}.")),
    };
    match fs::metadata(path) {
        Err(e) => return refused(e),
        Ok(it) if !it.is_file() => return Err("The snapshot is no regular file.".to_owned()),
        Ok(it) if it.len() > MOST_BYTES => {
            return Err(format!("The snapshot has {} bytes; at most {MOST_BYTES} are read.", it.len()));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    match fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(e) => refused(e),
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
        let finding = read(&directory).unwrap_err();
        assert_eq!((finding.kind, finding.skipped_bytes), (FindingKind::Unreadable, 0));
    }
}
