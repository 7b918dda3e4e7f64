//! The header of a record batch, 61 bytes, big-endian (Kafka's `DefaultRecordBatch`).

use std::fmt;

/// A batch's header with its offset and length.
pub const HEADER_BYTES: usize = 61;
/// The offset and the length itself, which the length does not count.
pub(super) const LENGTH_FROM: u64 = 12;
/// The checksum is over what comes from here on, the attributes first.
pub(super) const CHECKED_FROM: u64 = 21;
/// Where each format, old or new, says which one it is.
pub(super) const MAGIC_AT: usize = 16;

const TRANSACTIONAL: u16 = 1 << 4;
const CONTROL: u16 = 1 << 5;
const APPEND_TIME: u16 = 1 << 3;
const CODEC: u16 = 0b111;
/// Bit 6 says that the base timestamp is the time at which compaction may delete markers.
const KNOWN: u16 = CODEC | APPEND_TIME | TRANSACTIONAL | CONTROL | 1 << 6;
/// none, gzip, snappy, lz4, zstd
const CODECS: u16 = 5;

/// What a batch says of itself, without its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// The offset of the first record, at the time when it was written.
    pub base_offset: i64,
    /// The whole batch in the file, the 12 bytes of offset and length included.
    pub bytes: u64,
    /// The epoch of the leader that wrote it, -1 for none.
    pub leader_epoch: i32,
    /// CRC32C of what follows it.
    pub crc: u32,
    /// Bits 0 to 2 the codec, 3 append time, 4 transactional, 5 control, 6 delete horizon.
    pub attributes: u16,
    /// The last record's offset less the first's; compaction leaves it as it is.
    pub last_offset_delta: i32,
    /// Milliseconds since 1970; the delete horizon where bit 6 is set.
    pub base_timestamp_ms: i64,
    /// The newest of the records' timestamps, milliseconds since 1970, -1 for none.
    pub max_timestamp_ms: i64,
    /// -1 for none.
    pub producer_id: i64,
    /// -1 for none.
    pub producer_epoch: i16,
    /// The first record's sequence number, -1 for none and in control batches.
    pub base_sequence: i32,
    /// Records there are; less than the offsets spanned where compaction has taken some.
    pub records: i32,
}

/// Why these bytes are no header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw {
    field: &'static str,
    value: i64,
    range: &'static str,
}

impl fmt::Display for Flaw {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "its {} is {} and should be {}", self.field, self.value, self.range)
    }
}

/// The `N` bytes from `at` on, which is within the `L` for every field; zeros otherwise.
#[inline]
pub(super) fn field<const N: usize, const L: usize>(bytes: &[u8; L], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N])
}

impl BatchHeader {
    /// Reads a header and holds it against what a broker would write.
    ///
    /// # Errors
    /// The first field that is out of its range.
    #[inline]
    pub fn parse(header: &[u8; HEADER_BYTES]) -> Result<BatchHeader, Flaw> {
        let length = i32::from_be_bytes(field(header, 8));
        let parsed = BatchHeader {
            base_offset: i64::from_be_bytes(field(header, 0)),
            bytes: LENGTH_FROM + u64::from(length.max(0).unsigned_abs()),
            leader_epoch: i32::from_be_bytes(field(header, 12)),
            crc: u32::from_be_bytes(field(header, 17)),
            attributes: u16::from_be_bytes(field(header, 21)),
            last_offset_delta: i32::from_be_bytes(field(header, 23)),
            base_timestamp_ms: i64::from_be_bytes(field(header, 27)),
            max_timestamp_ms: i64::from_be_bytes(field(header, 35)),
            producer_id: i64::from_be_bytes(field(header, 43)),
            producer_epoch: i16::from_be_bytes(field(header, 51)),
            base_sequence: i32::from_be_bytes(field(header, 53)),
            records: i32::from_be_bytes(field(header, 57)),
        };
        let magic = header[MAGIC_AT];
        let spanned = i64::from(parsed.last_offset_delta).saturating_add(1);
        let flaw = |field, value, range| Err(Flaw { field, value, range });
        if magic != 2 {
            flaw("format", i64::from(magic), "0, 1 or 2")
        } else if i64::from(length) < HEADER_BYTES as i64 - LENGTH_FROM as i64 {
            flaw("length", i64::from(length), "49 or more")
        } else if parsed.base_offset < 0 {
            flaw("base offset", parsed.base_offset, "0 or more")
        } else if parsed.attributes & !KNOWN != 0 || parsed.attributes & CODEC >= CODECS {
            flaw(
                "set of attributes",
                i64::from(parsed.attributes),
                "of the bits 0 to 6, with a codec of 0 to 4",
            )
        } else if parsed.last_offset_delta < 0 {
            flaw("last offset delta", i64::from(parsed.last_offset_delta), "0 or more")
        } else if parsed.base_offset.checked_add(spanned).is_none() {
            flaw("base offset", parsed.base_offset, "one that leaves room for its records")
        } else if parsed.producer_id < -1 {
            flaw("producer ID", parsed.producer_id, "-1 or more")
        } else if parsed.producer_epoch < -1 {
            flaw("producer epoch", i64::from(parsed.producer_epoch), "-1 or more")
        } else if parsed.base_sequence < -1 {
            flaw("base sequence", i64::from(parsed.base_sequence), "-1 or more")
        } else if i64::from(parsed.records) > spanned || parsed.records < 0 {
            flaw("record count", i64::from(parsed.records), "0 or more, and one for each offset at most")
        } else {
            Ok(parsed)
        }
    }

    /// Part of a transaction, or the marker that ends one.
    #[must_use]
    pub fn is_transactional(&self) -> bool {
        self.attributes & TRANSACTIONAL != 0
    }

    /// Written by the broker itself: a marker that commits or aborts, or a leader's.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.attributes & CONTROL != 0
    }

    /// Its max timestamp is the broker's time of writing, not the client's.
    #[must_use]
    pub fn has_append_time(&self) -> bool {
        self.attributes & APPEND_TIME != 0
    }

    /// The last record's offset.
    #[must_use]
    pub fn last_offset(&self) -> i64 {
        self.base_offset.saturating_add(i64::from(self.last_offset_delta))
    }

    /// Offsets that the batch spans and has no record for.
    pub(super) fn missing(&self) -> u64 {
        let spanned = i64::from(self.last_offset_delta).saturating_add(1);
        spanned.saturating_sub(i64::from(self.records)).max(0).unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The control batch that committed a transaction, as Kafka 4.4.0 wrote it.
    fn marker() -> [u8; HEADER_BYTES] {
        let segment = include_bytes!("../../tests/fixtures/kafka-4.4.0/orders-0/00000000000000000000.log");
        segment[361..361 + HEADER_BYTES].try_into().unwrap()
    }

    #[test]
    fn every_field_is_what_kafkas_own_tool_says() {
        let header = BatchHeader::parse(&marker()).unwrap();
        assert_eq!(
            header,
            BatchHeader {
                base_offset: 6,
                bytes: 78,
                leader_epoch: 0,
                crc: 1_762_080_444,
                attributes: 0x30,
                last_offset_delta: 0,
                base_timestamp_ms: 1_796_063_920_477,
                max_timestamp_ms: 1_796_063_920_477,
                producer_id: 1,
                producer_epoch: 1,
                base_sequence: -1,
                records: 1,
            }
        );
        assert!(header.is_transactional() && header.is_control() && !header.has_append_time());
        assert_eq!((header.last_offset(), header.missing()), (6, 0));
    }

    #[test]
    fn a_field_out_of_range_is_named_with_its_value() {
        for (at, bytes, said) in [
            (
                0,
                &[0x80, 0, 0, 0, 0, 0, 0, 0][..],
                "its base offset is -9223372036854775808 and should be 0 or more",
            ),
            (8, &[0, 0, 0, 48], "its length is 48 and should be 49 or more"),
            (8, &[0xff; 4], "its length is -1 and should be 49 or more"),
            (16, &[3], "its format is 3 and should be 0, 1 or 2"),
            (
                21,
                &[0, 5],
                "its set of attributes is 5 and should be of the bits 0 to 6, with a codec of 0 to 4",
            ),
            (
                21,
                &[0, 0x80],
                "its set of attributes is 128 and should be of the bits 0 to 6, with a codec of 0 to 4",
            ),
            (23, &[0xff; 4], "its last offset delta is -1 and should be 0 or more"),
            (
                43,
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
                "its producer ID is -2 and should be -1 or more",
            ),
            (51, &[0xff, 0xfe], "its producer epoch is -2 and should be -1 or more"),
            (53, &[0xff, 0xff, 0xff, 0xfe], "its base sequence is -2 and should be -1 or more"),
            (
                57,
                &[0, 0, 0, 2],
                "its record count is 2 and should be 0 or more, and one for each offset at most",
            ),
            (
                57,
                &[0xff; 4],
                "its record count is -1 and should be 0 or more, and one for each offset at most",
            ),
        ] {
            let mut header = marker();
            header[at..at + bytes.len()].copy_from_slice(bytes);
            assert_eq!(BatchHeader::parse(&header).unwrap_err().to_string(), said);
        }
    }

    #[test]
    fn the_last_offset_there_is_has_no_room_behind_it() {
        let mut header = marker();
        header[..8].copy_from_slice(&i64::MAX.to_be_bytes());
        let flaw = BatchHeader::parse(&header).unwrap_err().to_string();
        assert_eq!(
            flaw,
            "its base offset is 9223372036854775807 and should be one that leaves room for its records"
        );
    }

    #[test]
    fn what_compaction_took_is_missing() {
        let mut header = marker();
        header[23..27].copy_from_slice(&9i32.to_be_bytes());
        header[57..61].copy_from_slice(&4i32.to_be_bytes());
        let header = BatchHeader::parse(&header).unwrap();
        assert_eq!((header.last_offset(), header.missing()), (15, 6));
    }
}
