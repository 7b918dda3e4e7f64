//! A log directory as a broker leaves it, made by hand for what real brokers' files don't show on demand: batches of any time, damage,
//! and millions of producer IDs.

use std::fs;
use std::path::{Path, PathBuf};

use super::batch::Batch;

pub const TRANSACTIONAL: u16 = 0x10;
pub const CONTROL: u16 = 0x20;

/// Of one record.
pub fn batch(producer_id: i64, sequence: i32, time_ms: i64) -> Batch {
    Batch { producer_id, sequence, time_ms, ..Batch::new(0, 20) }
}

/// A segment of batches, one offset for each record.
pub fn segment(base_offset: i64, batches: &[Batch]) -> Vec<u8> {
    let mut base_offset = base_offset;
    let mut out = Vec::new();
    for batch in batches {
        out.extend(Batch { base_offset, last_offset_delta: batch.records - 1, ..batch.clone() }.bytes());
        base_offset += i64::from(batch.records);
    }
    out
}

/// Producer ID and time of each entry.
pub fn snapshot(version: i16, entries: &[(i64, i64)]) -> Vec<u8> {
    let mut checked = i32::try_from(entries.len()).unwrap().to_be_bytes().to_vec();
    for (producer_id, time_ms) in entries {
        checked.extend(producer_id.to_be_bytes());
        checked.extend(0i16.to_be_bytes());
        checked.extend(0i32.to_be_bytes());
        checked.extend(0i64.to_be_bytes());
        checked.extend(0i32.to_be_bytes());
        checked.extend(time_ms.to_be_bytes());
        checked.extend(0i32.to_be_bytes());
        checked.extend((-1i64).to_be_bytes());
    }
    let mut out = version.to_be_bytes().to_vec();
    out.extend(crc32c::crc32c(&checked).to_be_bytes());
    out.extend(checked);
    out
}

/// A log directory of one broker.
pub struct LogDir(pub PathBuf);

impl LogDir {
    pub fn new(directory: PathBuf, node_id: i32) -> Self {
        fs::create_dir_all(&directory).unwrap();
        let properties = format!("version=1\ncluster.id=abc\nnode.id={node_id}\n");
        fs::write(directory.join("meta.properties"), properties).unwrap();
        Self(directory)
    }

    /// Writes a file of a partition, and says where.
    pub fn write(&self, partition: &str, file: &str, bytes: &[u8]) -> PathBuf {
        let directory = self.0.join(partition);
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(file);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn segment(&self, partition: &str, base_offset: i64, batches: &[Batch]) -> PathBuf {
        self.write(partition, &format!("{base_offset:020}.log"), &segment(base_offset, batches))
    }
}

/// Name, length, content and time of change of all that is in a directory.
pub fn everything(directory: &Path) -> Vec<(PathBuf, u64, Vec<u8>, std::time::SystemTime)> {
    let mut all = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let (path, metadata) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
            let content = if metadata.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            all.push((path.clone(), metadata.len(), content, metadata.modified().unwrap()));
            if metadata.is_dir() {
                open.push(path);
            }
        }
    }
    all.sort();
    all
}
