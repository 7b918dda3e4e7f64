//! Reads all segments and snapshots of log directories, several files at once. Partition after partition, so that only as many are
//! open as there are threads, and each gives its memory back.

use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use indicatif::ProgressBar;

use super::budget::Budget;
use super::findings::Findings;
use super::ids::Ids;
use super::lock;
use super::partition::{Chunk, Partition, Reading};
use super::principals::is_internal;
use crate::kafka_log::{self, producer_snapshot, File, Item, LogDirectory, Segment};

/// Batches between two looks at the partition's lock and the progress.
const CHUNK: u64 = 4_096;

pub struct Options<'a> {
    pub threads: usize,
    pub check_crc: bool,
    pub now_ms: i64,
    pub progress: &'a ProgressBar,
}

/// All that was read.
pub struct Scan<'b> {
    pub topics: Vec<String>,
    pub partitions: Vec<Partition>,
    pub ids: Ids<'b>,
    pub findings: Findings,
    pub segments: u64,
    pub snapshots: u64,
    /// Of segments, whether their bodies were read or passed over.
    pub bytes: u64,
}

/// A directory's partition with the number of its topic.
struct Source<'d> {
    files: &'d kafka_log::Partition,
    topic: u32,
}

/// Where the readers meet.
struct Shared<'s, 'b> {
    sources: Vec<Source<'s>>,
    readings: Vec<Reading<'b>>,
    /// Partition and segment; a partition without any has one turn all the same.
    turns: Vec<(usize, Option<&'s File>)>,
    next: AtomicUsize,
    topics: &'s [String],
    all: Mutex<Ids<'b>>,
    /// How often `all` has halved at least.
    halved: AtomicU32,
    done: Mutex<Vec<Partition>>,
    findings: Mutex<Findings>,
    segments: AtomicU64,
    snapshots: AtomicU64,
    bytes: AtomicU64,
    budget: &'b Budget,
    options: &'s Options<'s>,
}

/// Reads the directories.
pub fn scan<'b>(directories: &[LogDirectory], budget: &'b Budget, options: &Options<'_>) -> Scan<'b> {
    let topics = topics(directories);
    let mut findings = Findings::default();
    directories
        .iter()
        .flat_map(|directory| directory.findings.iter().cloned())
        .for_each(|found| findings.add(found));
    let sources: Vec<Source<'_>> = directories
        .iter()
        .flat_map(|directory| &directory.partitions)
        .map(|files| Source { files, topic: number(&topics, &files.topic) })
        .collect();
    let readings = sources.iter().map(|source| {
        Reading::new(source.topic, source.files.partition, source.files.segments.len().max(1), budget)
    });
    let turns = sources.iter().enumerate().flat_map(|(index, source)| {
        let segments = &source.files.segments;
        let alone = segments.is_empty().then_some((index, None));
        segments.iter().map(move |segment| (index, Some(segment))).chain(alone)
    });
    let shared = Shared {
        readings: readings.collect(),
        turns: turns.collect(),
        sources,
        next: AtomicUsize::new(0),
        topics: &topics,
        all: Mutex::new(Ids::new(budget)),
        halved: AtomicU32::new(0),
        done: Mutex::new(Vec::new()),
        findings: Mutex::new(findings),
        segments: AtomicU64::new(0),
        snapshots: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
        budget,
        options,
    };
    thread::scope(|scope| {
        for _ in 0..options.threads.clamp(1, shared.turns.len().max(1)) {
            scope.spawn(|| shared.read());
        }
    });
    let Shared { all, done, findings, segments, snapshots, bytes, .. } = shared;
    let mut partitions = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    partitions.sort_by_key(|partition| (partition.topic, partition.number));
    let mut findings = findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    findings.sort();
    let mut ids = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    ids.halve();
    let (segments, snapshots, bytes) = (segments.into_inner(), snapshots.into_inner(), bytes.into_inner());
    Scan { topics, partitions, ids, findings, segments, snapshots, bytes }
}

/// In the order of their names.
fn topics(directories: &[LogDirectory]) -> Vec<String> {
    let all = directories.iter().flat_map(|directory| &directory.partitions);
    let mut topics: Vec<String> = all.map(|partition| partition.topic.clone()).collect();
    topics.sort_unstable();
    topics.dedup();
    topics
}

fn number(topics: &[String], topic: &String) -> u32 {
    topics.binary_search(topic).map_or(u32::MAX, |index| u32::try_from(index).unwrap_or(u32::MAX))
}

impl Shared<'_, '_> {
    fn read(&self) {
        while let Some(&(index, segment)) = self.turns.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(segment) = segment {
                self.read_segment(&self.readings[index], &segment.path);
            }
            if self.readings[index].is_last() {
                self.finish(index);
            }
        }
    }

    fn read_segment(&self, reading: &Reading<'_>, path: &Path) {
        let mut segment = match Segment::open(path, self.options.check_crc) {
            Ok(segment) => segment,
            Err(finding) => return self.found(finding),
        };
        self.segments.fetch_add(1, Ordering::Relaxed);
        let mut chunk = Chunk::new(self.options.now_ms);
        let (mut shown, mut items) = (0, 0);
        loop {
            let item = segment.next();
            let is_end = item.is_none();
            match item {
                Some(Item::Batch { header, .. }) => chunk.take(&header),
                Some(Item::Finding(finding)) => self.found(finding),
                None => {}
            }
            items += 1;
            if is_end || items % CHUNK == 0 {
                reading.take(&mut chunk);
                self.halve();
                let position = if is_end { segment.len() } else { segment.position() };
                self.options.progress.inc(position.saturating_sub(shown));
                shown = shown.max(position);
                if is_end {
                    break;
                }
            }
        }
        self.bytes.fetch_add(shown, Ordering::Relaxed);
    }

    /// All segments of a partition are read: the newest snapshot that can be read, then the sum.
    fn finish(&self, index: usize) {
        let reading = &self.readings[index];
        for snapshot in self.sources[index].files.snapshots.iter().rev() {
            match self.remember(reading, &snapshot.path) {
                Ok(()) => break,
                Err(finding) => self.found(finding),
            }
        }
        let is_internal = |topic: u32| self.topics.get(topic as usize).is_some_and(|name| is_internal(name));
        let partition = reading.finish(&self.all, self.budget, is_internal);
        lock(&self.done).push(partition);
    }

    /// Takes in a snapshot, in pieces: a flood's has millions of entries.
    fn remember(&self, reading: &Reading<'_>, path: &Path) -> Result<(), kafka_log::Finding> {
        let mut piece = Vec::new();
        for entry in producer_snapshot::entries(path)? {
            piece.push(entry?);
            if piece.len() as u64 >= CHUNK {
                reading.remember(&piece, self.options.now_ms);
                self.halve();
                piece.clear();
            }
        }
        reading.remember(&piece, self.options.now_ms);
        self.snapshots.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The table of all takes something in only when a partition is done; meanwhile it must make room as the others do.
    fn halve(&self) {
        if self.budget.halvings() > self.halved.fetch_max(self.budget.halvings(), Ordering::Relaxed) {
            lock(&self.all).halve();
        }
    }

    fn found(&self, finding: kafka_log::Finding) {
        lock(&self.findings).add(finding);
    }
}
