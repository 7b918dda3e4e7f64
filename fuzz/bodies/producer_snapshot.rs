//! A producer snapshot of random bytes, once as it is and once with the count and the checksum it should have.

use tollgate_cli::kafka_log::producer_snapshot::parse;

const HEAD_BYTES: usize = 10;
const ENTRY_BYTES: usize = 46;

/// No panic, and one entry for each 46 bytes, or none at all.
pub fn producer_snapshot(data: &[u8]) {
    if let Ok(entries) = parse(data) {
        assert_eq!(HEAD_BYTES + entries.len() * ENTRY_BYTES, data.len());
    }
    let count = data.len() / ENTRY_BYTES;
    let mut bytes = vec![0, 1, 0, 0, 0, 0];
    bytes.extend_from_slice(&(count as u32).to_be_bytes());
    bytes.extend_from_slice(&data[..count * ENTRY_BYTES]);
    let crc = crc32c::crc32c(&bytes[6..]);
    bytes[2..6].copy_from_slice(&crc.to_be_bytes());
    let entries = parse(&bytes).expect("all is as it should be");
    assert_eq!(entries.len(), count);
    for (entry, bytes) in entries.iter().zip(data.chunks_exact(ENTRY_BYTES)) {
        assert_eq!(entry.producer_id.to_be_bytes(), bytes[..8]);
        assert_eq!(entry.current_txn_first_offset.to_be_bytes(), bytes[38..]);
    }
}
