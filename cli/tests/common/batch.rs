//! Batches as a broker writes them, with any records.

/// Fields that tests set; the others are what a first batch of a producer has.
#[derive(Debug, Clone)]
pub struct Batch {
    pub base_offset: i64,
    pub producer_id: i64,
    pub sequence: i32,
    /// Milliseconds since 1970.
    pub time_ms: i64,
    pub attributes: u16,
    pub last_offset_delta: i32,
    pub records: i32,
    pub body: Vec<u8>,
}

impl Batch {
    /// One record of `body` bytes, which are not a record's.
    pub fn new(base_offset: i64, body: usize) -> Batch {
        let body = (0..body).map(|i| (i % 251) as u8).collect();
        Batch {
            base_offset,
            producer_id: 7,
            sequence: 0,
            time_ms: 1_796_050_800_000,
            attributes: 0,
            last_offset_delta: 0,
            records: 1,
            body,
        }
    }

    /// With the right length and checksum.
    pub fn bytes(&self) -> Vec<u8> {
        let mut checked = self.attributes.to_be_bytes().to_vec();
        checked.extend(self.last_offset_delta.to_be_bytes());
        checked.extend(self.time_ms.to_be_bytes());
        checked.extend(self.time_ms.to_be_bytes());
        checked.extend(self.producer_id.to_be_bytes());
        checked.extend(0i16.to_be_bytes());
        checked.extend(self.sequence.to_be_bytes());
        checked.extend(self.records.to_be_bytes());
        checked.extend(&self.body);
        let mut bytes = self.base_offset.to_be_bytes().to_vec();
        bytes.extend((9 + checked.len() as u32).to_be_bytes());
        bytes.extend(0i32.to_be_bytes());
        bytes.push(2);
        bytes.extend(crc32c::crc32c(&checked).to_be_bytes());
        bytes.extend(checked);
        bytes
    }
}
