//! A log directory (`log.dirs`): which partitions it has, and which files each of them.
//!
//! Only names and lengths are read here, and the few small files that the broker keeps beside the partitions.

use super::finding::{Finding, FindingKind};
use super::name;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The topic in which Kafka's own manager of tiered storage keeps what is where (KIP-405).
const REMOTE_METADATA: &str = "__remote_log_metadata";
/// Beside the partitions of a broker that has tiered storage.
const REMOTE_INDEX_CACHE: &str = "remote-log-index-cache";
/// Checkpoints take some 30 bytes for each partition; a longer file is not the broker's.
const MOST_CHECKPOINT_BYTES: u64 = 64 << 20;

/// What one log directory holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDirectory {
    /// As it was given.
    pub path: PathBuf,
    /// From `meta.properties`.
    pub cluster_id: Option<String>,
    /// From `meta.properties`: `node.id`, or `broker.id` of before KRaft.
    pub node_id: Option<i32>,
    /// By topic and number.
    pub partitions: Vec<Partition>,
    /// What is not read, by path.
    pub findings: Vec<Finding>,
}

/// One partition's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// The topic's name.
    pub topic: String,
    /// The partition's number.
    pub partition: u32,
    /// Its directory.
    pub path: PathBuf,
    /// `*.log`, by base offset.
    pub segments: Vec<File>,
    /// `*.snapshot`, by offset.
    pub snapshots: Vec<File>,
    /// The log cleaner has been at work on it: `cleaner-offset-checkpoint` names it.
    pub is_compacted: bool,
}

/// One file of a partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// The offset in its name.
    pub offset: u64,
    /// Where it is.
    pub path: PathBuf,
    /// Its length when it was listed; a live broker's last segment grows.
    pub bytes: u64,
}

/// Lists a directory as it goes.
struct Listing {
    findings: Vec<Finding>,
}

impl LogDirectory {
    /// Lists the partitions. What vanishes meanwhile, as happens beside a live broker, is left out.
    ///
    /// # Errors
    /// A sentence, when the directory can't be read or is none of a broker's.
    pub fn read(path: &Path) -> Result<LogDirectory, String> {
        let entries = entries(path).map_err(|e| format!("can't read {}: {e}", path.display()))?;
        let mut listing = Listing { findings: Vec::new() };
        let compacted = checkpoint(&path.join("cleaner-offset-checkpoint"));
        let mut partitions = Vec::new();
        let mut is_tiered = false;
        for (name, at) in &entries {
            if let Some((topic, number)) = name::partition(name) {
                let Some(mut partition) = listing.partition(topic, number, at) else { continue };
                partition.is_compacted = compacted.contains_key(name);
                is_tiered |= topic == REMOTE_METADATA;
                partitions.push(partition);
            } else if let Some(word) = name::parting_word(name) {
                let text = match word {
                    "future" => "A copy in the making for another disk is left out, so that it counts once.",
                    "stray" => "A partition that does not belong to this broker any more is left out.",
                    _ => "A partition that is about to be deleted is left out.",
                };
                listing.note(at, FindingKind::Leftover, text.to_owned());
            } else if name == REMOTE_INDEX_CACHE {
                is_tiered = true;
                let text =
                    "The broker has tiered storage: older segments may lie elsewhere and are not read.";
                listing.note(at, FindingKind::TieredStorage, text.to_owned());
            }
        }
        // Other software has directories named so; a broker's have segments, or its properties beside them.
        let is_brokers = path.join("meta.properties").is_file()
            || listing.findings.iter().any(|found| found.kind == FindingKind::Unreadable)
            || partitions
                .iter()
                .any(|partition| !(partition.segments.is_empty() && partition.snapshots.is_empty()));
        if partitions.is_empty() || !is_brokers {
            return Err(no_partition(path, &entries));
        }
        if is_tiered {
            let starts = checkpoint(&path.join("log-start-offset-checkpoint"));
            listing.remote(&partitions, &starts);
        }
        partitions.sort_by(|a, b| (&a.topic, a.partition).cmp(&(&b.topic, b.partition)));
        listing.findings.sort_by(|a, b| a.path.cmp(&b.path));
        let (cluster_id, node_id) = properties(&path.join("meta.properties"));
        Ok(LogDirectory {
            path: path.to_owned(),
            cluster_id,
            node_id,
            partitions,
            findings: listing.findings,
        })
    }
}

impl Listing {
    fn note(&mut self, path: &Path, kind: FindingKind, text: String) {
        self.findings.push(Finding { path: path.to_owned(), offset: None, kind, skipped_bytes: 0, text });
    }

    /// None when it is no directory, or gone.
    fn partition(&mut self, topic: &str, number: u32, path: &Path) -> Option<Partition> {
        let listed = match fs::metadata(path) {
            Ok(it) if !it.is_dir() => return None,
            Ok(_) => entries(path),
            Err(e) => Err(e),
        };
        let files = match listed {
            Ok(files) => files,
            Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                return None
            }
            Err(e) => {
                self.note(
                    path,
                    FindingKind::Unreadable,
                    format!("The partition's directory can't be read: {e}."),
                );
                Vec::new()
            }
        };
        let mut partition = Partition {
            topic: topic.to_owned(),
            partition: number,
            path: path.to_owned(),
            segments: Vec::new(),
            snapshots: Vec::new(),
            is_compacted: false,
        };
        for (name, at) in files {
            if let Some(offset) = name::offset(&name, ".log") {
                partition.segments.extend(self.file(at, offset));
            } else if let Some(offset) = name::offset(&name, ".snapshot") {
                partition.snapshots.extend(self.file(at, offset));
            } else if let Some(text) = leftover(&name) {
                self.note(&at, FindingKind::Leftover, text.to_owned());
            }
        }
        partition.segments.sort();
        partition.snapshots.sort();
        Some(partition)
    }

    /// None when it is gone, or nothing to read: a pipe would wait for ever.
    fn file(&mut self, path: PathBuf, offset: u64) -> Option<File> {
        match fs::metadata(&path) {
            Ok(it) if it.is_file() => Some(File { offset, path, bytes: it.len() }),
            Ok(_) => {
                self.note(&path, FindingKind::Unreadable, "It is no regular file.".to_owned());
                None
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(&path).is_err() => None,
            Err(e) => {
                self.note(&path, FindingKind::Unreadable, format!("The file can't be read: {e}."));
                None
            }
        }
    }

    /// Names the partitions whose log starts before their first segment here does.
    fn remote(&mut self, partitions: &[Partition], starts: &BTreeMap<String, u64>) {
        for partition in partitions {
            let start = starts.get(&format!("{}-{}", partition.topic, partition.partition));
            let (Some(start), Some(first)) = (start, partition.segments.first()) else { continue };
            if *start < first.offset {
                let text = format!(
                    "The offsets {start} to {} are in tiered storage and are not read.",
                    first.offset.saturating_sub(1)
                );
                self.note(&partition.path, FindingKind::TieredStorage, text);
            }
        }
    }
}

/// Names and paths, by name; what is not UTF-8 is none of Kafka's.
fn entries(path: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string() {
            all.push((name, entry.path()));
        }
    }
    all.sort();
    Ok(all)
}

/// What a file is that looks like a segment or a snapshot and is not read; none for all others.
fn leftover(name: &str) -> Option<&'static str> {
    let is_data = |name: &str| [".log", ".snapshot"].iter().any(|suffix| name.ends_with(suffix));
    if name.strip_suffix(".deleted").is_some_and(is_data) {
        Some("A file that is about to be deleted is left out.")
    } else if name.strip_suffix(".cleaned").is_some_and(is_data) {
        Some("A file that the log cleaner is writing is left out: the one it will replace is read.")
    } else if name.strip_suffix(".swap").is_some_and(is_data) {
        Some("A file that is about to replace others is left out.")
    } else if is_data(name) {
        Some("Its name is not an offset of 20 digits: it is left out.")
    } else {
        None
    }
}

/// Why there is nothing to read, and what to give instead.
fn no_partition(path: &Path, entries: &[(String, PathBuf)]) -> String {
    let shown = path.display();
    let is_partition = entries.iter().any(|(name, _)| name::offset(name, ".log").is_some());
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match whole.parent() {
        Some(parent) if is_partition => format!(
            "{shown} is one partition's directory: give the log directory that it is in, {}",
            parent.display()
        ),
        _ => format!(
            "{shown} is no log directory of a Kafka broker: it has no partition in it, which is a directory named \
             TOPIC-NUMBER, such as orders-0, with *.log files. The broker's log.dirs names the right ones"
        ),
    }
}

/// The text of a small file; empty where there is none that can be read.
fn small_text(path: &Path) -> String {
    let mut bytes = Vec::new();
    if fs::metadata(path).is_ok_and(|it| it.is_file()) {
        let read = fs::File::open(path).and_then(|it| it.take(MOST_CHECKPOINT_BYTES).read_to_end(&mut bytes));
        if read.is_err() {
            bytes.clear();
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// An offset checkpoint: partition directory to offset. Its lines are `TOPIC PARTITION OFFSET`, after a version and a count.
fn checkpoint(path: &Path) -> BTreeMap<String, u64> {
    let text = small_text(path);
    let line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (topic, number, offset) = (words.next()?, words.next()?, words.next()?);
        Some((format!("{topic}-{number}"), offset.parse().ok()?))
    };
    text.lines().skip(2).filter_map(line).collect()
}

/// Cluster and node.
fn properties(path: &Path) -> (Option<String>, Option<i32>) {
    let text = small_text(path);
    // As java.util.Properties writes them: a backslash before what it would read otherwise.
    let value = |key: &str| {
        let line =
            text.lines().find_map(|line| line.trim().strip_prefix(key)?.trim_start().strip_prefix('='))?;
        Some(line.trim().replace('\\', "")).filter(|value| !value.is_empty())
    };
    let node = value("node.id").or_else(|| value("broker.id"));
    (value("cluster.id"), node.and_then(|id| id.parse().ok()))
}
