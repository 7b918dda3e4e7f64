//! One partition while its files are read, by several threads at once, and what is left of it afterwards.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use serde::Serialize;

use super::activity::{Kind, Sight};
use super::budget::Budget;
use super::counts::{Held, Period, Summary, Tally};
use super::ids::Ids;
use super::lock;
use crate::kafka_log::{BatchHeader, ProducerEntry};

/// Beyond this a client's clock is wrong, not ahead.
const AHEAD_MS: i64 = 3_600_000;

/// What is counted by batch and not by ID.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(clippy::struct_field_names, reason = "their names in JSON")]
pub struct Batches {
    pub batches: u64,
    pub records: u64,
    pub control_batches: u64,
    pub batches_without_producer_id: u64,
    /// Without a time, or with one in the future: taken for as old as the batch before in the segment, and left out where there is
    /// none.
    pub batches_without_time: u64,
    /// Milliseconds since 1970.
    pub first_ms: Option<i64>,
    pub last_ms: Option<i64>,
}

impl Batches {
    pub fn add(&mut self, other: &Batches) {
        self.batches += other.batches;
        self.records += other.records;
        self.control_batches += other.control_batches;
        self.batches_without_producer_id += other.batches_without_producer_id;
        self.batches_without_time += other.batches_without_time;
        self.first_ms = self.first_ms.into_iter().chain(other.first_ms).min();
        self.last_ms = self.last_ms.max(other.last_ms);
    }
}

impl Batches {
    pub fn period(&self, alive_after_s: Option<i64>) -> Period {
        let (from_s, to_s) = (seconds(self.first_ms.unwrap_or(0)), seconds(self.last_ms.unwrap_or(0)));
        Period { from_s, to_s, alive_after_s }
    }
}

/// Sights of one segment, on their way to the partition.
pub struct Chunk {
    pub sights: Vec<Sight>,
    pub batches: Batches,
    /// For a batch without a usable time, milliseconds since 1970; none yet in this segment.
    before_ms: Option<i64>,
    now_ms: i64,
}

impl Chunk {
    pub fn new(now_ms: i64) -> Self {
        Self { sights: Vec::new(), batches: Batches::default(), before_ms: None, now_ms }
    }

    pub fn take(&mut self, header: &BatchHeader) {
        let batches = &mut self.batches;
        batches.batches += 1;
        batches.records += u64::try_from(header.records).unwrap_or(0);
        batches.control_batches += u64::from(header.is_control());
        if is_usable(header.max_timestamp_ms, self.now_ms) {
            self.before_ms = Some(header.max_timestamp_ms);
            batches.first_ms = batches.first_ms.into_iter().chain(self.before_ms).min();
            batches.last_ms = batches.last_ms.max(self.before_ms);
        } else {
            batches.batches_without_time += 1;
        }
        if header.producer_id < 0 {
            batches.batches_without_producer_id += 1;
            return;
        }
        // Before any time is known there is none to say when it was seen.
        let Some(at_ms) = self.before_ms else { return };
        let kind = if header.is_control() {
            Kind::Marker
        } else {
            Kind::Data {
                offset: header.base_offset,
                is_first_of_producer: header.base_sequence == 0,
                is_transactional: header.is_transactional(),
            }
        };
        self.sights.push(Sight { producer_id: header.producer_id, at_s: seconds(at_ms), kind });
    }
}

fn is_usable(timestamp_ms: i64, now_ms: i64) -> bool {
    (0..=now_ms.saturating_add(AHEAD_MS)).contains(&timestamp_ms)
}

fn seconds(ms: i64) -> u32 {
    u32::try_from(ms / 1_000).unwrap_or(if ms < 0 { 0 } else { u32::MAX })
}

/// A partition whose segments are being read.
pub struct Reading<'b> {
    topic: u32,
    number: u32,
    held: Mutex<(Ids<'b>, Batches)>,
    unread: AtomicUsize,
}

/// A partition of which all is read.
pub struct Partition {
    pub topic: u32,
    pub number: u32,
    pub batches: Batches,
    pub summary: Summary,
    /// Of IDs that are alive, once that is known.
    pub held: Held,
}

impl<'b> Reading<'b> {
    pub fn new(topic: u32, number: u32, segments: usize, budget: &'b Budget) -> Self {
        let held = Mutex::new((Ids::new(budget), Batches::default()));
        Self { topic, number, held, unread: AtomicUsize::new(segments) }
    }

    fn held(&self) -> MutexGuard<'_, (Ids<'b>, Batches)> {
        lock(&self.held)
    }

    /// Empties a chunk into the partition.
    pub fn take(&self, chunk: &mut Chunk) {
        let mut held = self.held();
        held.0.take(self.topic, &chunk.sights);
        held.1.add(&chunk.batches);
        chunk.sights.clear();
        chunk.batches = Batches::default();
    }

    /// One segment less to read; true for who read the last one.
    pub fn is_last(&self) -> bool {
        // What other readers put in is behind the mutex; this only says whose turn it is.
        self.unread.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Takes in what the newest snapshot remembers.
    pub fn remember(&self, entries: &[ProducerEntry], now_ms: i64) {
        let sights: Vec<Sight> = entries
            .iter()
            .filter(|entry| entry.producer_id >= 0 && is_usable(entry.timestamp_ms, now_ms))
            .map(|entry| Sight {
                producer_id: entry.producer_id,
                at_s: seconds(entry.timestamp_ms),
                kind: Kind::Remembered,
            })
            .collect();
        self.held().0.take(self.topic, &sights);
    }

    /// Sums up, and gives the IDs away to `all`.
    pub fn finish(
        &self,
        all: &Mutex<Ids<'_>>,
        budget: &'b Budget,
        is_internal: impl Fn(u32) -> bool,
    ) -> Partition {
        let (mut ids, batches) = std::mem::replace(&mut *self.held(), (Ids::new(budget), Batches::default()));
        ids.halve();
        let mut tally = Tally::new(ids.halvings(), batches.period(None));
        ids.activities().for_each(|activity| tally.add(activity));
        let mut summary = tally.finish();
        // Thousands of partitions: what only the whole needs would add up.
        (summary.hours, summary.drawn) = Default::default();
        (summary.pauses, summary.transactional_pauses) = Default::default();
        lock(all).join(&ids, is_internal);
        Partition { topic: self.topic, number: self.number, batches, summary, held: Held::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(producer_id: i64, max_timestamp_ms: i64) -> BatchHeader {
        BatchHeader {
            base_offset: 3,
            bytes: 100,
            leader_epoch: 0,
            crc: 0,
            attributes: 0,
            last_offset_delta: 1,
            base_timestamp_ms: max_timestamp_ms,
            max_timestamp_ms,
            producer_id,
            producer_epoch: 0,
            base_sequence: 0,
            records: 2,
        }
    }

    #[test]
    fn a_batch_without_a_time_is_as_old_as_the_one_before() {
        let mut chunk = Chunk::new(1_000_000_000);
        for timestamp in [-1, 9_000, 1_000_000_000 + AHEAD_MS + 1, 1_000_000_000 + AHEAD_MS] {
            chunk.take(&header(7, timestamp));
        }
        let seen: Vec<u32> = chunk.sights.iter().map(|sight| sight.at_s).collect();
        assert_eq!(seen, [9, 9, 1_003_600]);
        assert_eq!(
            (chunk.batches.batches, chunk.batches.batches_without_time, chunk.batches.records),
            (4, 2, 8)
        );
        assert_eq!((chunk.batches.first_ms, chunk.batches.last_ms), (Some(9_000), Some(1_003_600_000)));
    }

    #[test]
    fn a_batch_without_a_producer_id_is_only_counted() {
        let mut chunk = Chunk::new(1_000_000_000);
        chunk.take(&header(-1, 5_000));
        assert!(chunk.sights.is_empty());
        assert_eq!((chunk.batches.batches, chunk.batches.batches_without_producer_id), (1, 1));
    }

    #[test]
    fn a_snapshot_keeps_an_id_alive_that_the_log_has_lost() {
        let budget = Budget::new(usize::MAX);
        let reading = Reading::new(0, 0, 1, &budget);
        let entry = |producer_id, timestamp_ms| ProducerEntry {
            producer_id,
            epoch: 0,
            last_sequence: 0,
            last_offset: 0,
            offset_delta: 0,
            timestamp_ms,
            coordinator_epoch: 0,
            current_txn_first_offset: -1,
        };
        reading.remember(&[entry(7, 90_000), entry(8, 5_000), entry(9, -1)], 1_000_000);
        let all = Mutex::new(Ids::new(&budget));
        let mut partition = reading.finish(&all, &budget, |_| false);
        partition.summary.settle(50);
        let counts = &partition.summary.counts;
        assert_eq!((counts.alive, counts.producer_ids, counts.new), (1, 0, 0));
        assert_eq!(all.lock().unwrap().iter().count(), 2);
    }
}
