//! The way from one batch to the next, and what is done where there is none.
//!
//! State: `{ position, held, floor }`. A batch is *held* until the header behind it has been seen, for only that tells a length
//! or an offset that is wrong: the checksum covers neither. When the place behind it is no batch, the held one is held against
//! its checksum first, and if it is the damaged one, the search starts within it.
//!
//! Offsets rise. Of two neighbours that do not, both with right checksums, the held one is at fault when it leaves a gap behind
//! what came before (`floor`) and the other one would fit there, else the other.

use super::batch::{BatchHeader, HEADER_BYTES, MAGIC_AT};
use super::compaction::Compaction;
use super::finding::{Finding, FindingKind};
use super::name;
use super::old_format::{self, OldMessage};
use super::pace::Reach;
use super::resync::{self, Search};
use super::segment::Item;
use super::source::Source;
use super::window::Window;
use crate::text;
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

/// A batch that waits for the header behind it.
#[derive(Clone, Copy)]
struct Held {
    position: u64,
    header: BatchHeader,
    /// Its checksum was found to be right.
    is_checked: bool,
}

/// Messages of before Kafka 0.11, one behind the other.
#[derive(Default)]
struct OldRun {
    position: u64,
    bytes: u64,
    messages: u64,
}

/// What the bytes at a place are.
enum Place {
    Batch(BatchHeader),
    Old(u64),
    Zeros,
    /// The beginning of something that should reach to `to`.
    Cut {
        to: u64,
        text: String,
    },
    Wrong(String),
    End,
}

pub(super) struct Walk<S> {
    path: PathBuf,
    check_crc: bool,
    window: Window<S>,
    /// The next place to look at.
    position: u64,
    /// The last offset of what was given.
    floor: i64,
    held: Option<Held>,
    old: OldRun,
    compaction: Compaction,
    /// Of the last batches: how far apart headers are.
    mean_bytes: u64,
    /// What checksums over damage may still cost.
    budget: resync::Budget,
    /// What is found beside the next item, in order.
    ready: VecDeque<Item>,
    is_done: bool,
}

impl<S: Source> Walk<S> {
    pub fn new(window: Window<S>, path: &Path, check_crc: bool) -> Walk<S> {
        let base_offset = name::base_offset(path);
        Walk {
            path: path.to_owned(),
            check_crc,
            budget: resync::Budget::of(window.end()),
            window,
            position: 0,
            floor: base_offset.saturating_sub(1),
            held: None,
            old: OldRun::default(),
            compaction: Compaction::new(base_offset),
            mean_bytes: 0,
            ready: VecDeque::new(),
            is_done: false,
        }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn end(&self) -> u64 {
        self.window.end()
    }

    pub fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.is_done {
                return None;
            }
            match self.step() {
                Ok(None) => {}
                Ok(item) => return item,
                Err(e) => self.refused(&e),
            }
        }
    }

    /// Looks at one place; gives the batch before it when nothing is wrong.
    fn step(&mut self) -> io::Result<Option<Item>> {
        let place = self.look()?;
        if let Place::Old(bytes) = place {
            self.release_to_ready();
            self.old(bytes);
            return Ok(None);
        }
        self.finish_old_run();
        match place {
            Place::Batch(header) => return self.batch(header),
            Place::Zeros => self.zeros()?,
            Place::Cut { to, text } if !self.window.grows_to(to)? => {
                self.fault(FindingKind::HalfWritten, &text)?;
            }
            Place::Wrong(text) => self.fault(FindingKind::DamagedBatch, &text)?,
            // Being written just now.
            Place::Cut { .. } | Place::End => self.finish(),
            Place::Old(_) => {}
        }
        Ok(None)
    }

    fn look(&mut self) -> io::Result<Place> {
        let position = self.position;
        // Whoever reads the records too has no use for hops.
        let stride = if self.check_crc { 0 } else { self.mean_bytes };
        let head = self.window.at_stride(position, HEADER_BYTES, stride)?;
        let Some(header) = head.first_chunk::<HEADER_BYTES>() else {
            return self.look_at_tail();
        };
        // Copied, as looking further moves the window.
        let header = *header;
        if header[..MAGIC_AT] == [0; MAGIC_AT] {
            return Ok(Place::Zeros);
        }
        if header[MAGIC_AT] < 2 {
            return self.look_at_old(header[MAGIC_AT]);
        }
        let batch = match BatchHeader::parse(&header) {
            Ok(batch) => batch,
            Err(flaw) => return Ok(Place::Wrong(format!("A batch is damaged: {flaw}"))),
        };
        let (to, end) = (position.saturating_add(batch.bytes), self.window.end());
        if to > end {
            let (all, there) = (text::thousands(batch.bytes), text::thousands(end.saturating_sub(position)));
            let text = format!("A batch of {all} bytes has {there} up to the end of the file");
            return Ok(Place::Cut { to, text });
        }
        Ok(Place::Batch(batch))
    }

    /// Fewer bytes than a header.
    fn look_at_tail(&mut self) -> io::Result<Place> {
        let tail = self.window.at(self.position, 1, Reach::Page)?;
        let (length, magic) = (tail.len(), tail.get(MAGIC_AT).copied());
        if length == 0 {
            return Ok(Place::End);
        }
        if tail.iter().all(|byte| *byte == 0) {
            return Ok(Place::Zeros);
        }
        if let Some(magic @ (0 | 1)) = magic {
            return self.look_at_old(magic);
        }
        let text = format!("{length} bytes at the end of the file are too few for a batch");
        Ok(Place::Cut { to: self.position.saturating_add(HEADER_BYTES as u64), text })
    }

    fn look_at_old(&mut self, magic: u8) -> io::Result<Place> {
        Ok(match old_format::message(&mut self.window, self.position)? {
            OldMessage::Whole(bytes) => Place::Old(bytes),
            OldMessage::Cut(bytes) => Place::Cut {
                to: self.position.saturating_add(bytes),
                text: format!("A message of the format {magic} ends behind the end of the file"),
            },
            OldMessage::Not => Place::Wrong(format!(
                "A batch is damaged: its format is {magic}, but its lengths are not those of a message of that format"
            )),
        })
    }

    /// A header that can be one; gives the batch before it.
    fn batch(&mut self, header: BatchHeader) -> io::Result<Option<Item>> {
        let position = self.position;
        if self.check_crc && !self.has_right_crc(position, &header)? {
            self.fault(FindingKind::DamagedBatch, "A batch is damaged: its checksum is wrong")?;
            return Ok(None);
        }
        let last = self.held.map_or(self.floor, |held| held.header.last_offset());
        if header.base_offset <= last {
            self.out_of_order(header, last)?;
            return Ok(None);
        }
        Ok(self.hold(Held { position, header, is_checked: self.check_crc }))
    }

    /// Of two neighbours whose offsets do not rise, one is at fault.
    fn out_of_order(&mut self, header: BatchHeader, last: i64) -> io::Result<()> {
        let position = self.position;
        let text = format!(
            "A batch is damaged: its base offset is {}, and should be more than {last}",
            header.base_offset
        );
        if let Some(held) = self.held {
            let leaves_gap = held.header.base_offset > self.floor.saturating_add(1);
            let fits = header.base_offset > self.floor;
            if leaves_gap && fits && !self.held_is_wrong()? && self.has_right_crc(position, &header)? {
                let text = format!(
                    "A batch is damaged: its base offset is {}, and that of the next one {}",
                    held.header.base_offset, header.base_offset
                );
                self.held = None;
                self.damaged(held.position, position, FindingKind::DamagedBatch, &text);
                self.hold(Held { position, header, is_checked: true });
                return Ok(());
            }
        }
        self.fault(FindingKind::DamagedBatch, &text)
    }

    /// Takes a batch in and gives the one before it.
    fn hold(&mut self, held: Held) -> Option<Item> {
        let released = self.release();
        self.position = held.position.saturating_add(held.header.bytes);
        self.mean_bytes = (self.mean_bytes * 7 + held.header.bytes) / 8;
        self.held = Some(held);
        released
    }

    fn release(&mut self) -> Option<Item> {
        let Held { position, header, .. } = self.held.take()?;
        self.floor = header.last_offset();
        self.compaction.see(position, &header);
        Some(Item::Batch { position, header })
    }

    fn release_to_ready(&mut self) {
        let released = self.release();
        self.ready.extend(released);
    }

    fn has_right_crc(&mut self, position: u64, header: &BatchHeader) -> io::Result<bool> {
        let is_right = resync::has_right_crc(&mut self.window, position, header)?;
        if !is_right {
            self.budget.spend(header.bytes);
        }
        Ok(is_right)
    }

    /// The held batch's checksum is wrong.
    fn held_is_wrong(&mut self) -> io::Result<bool> {
        let Some(held) = self.held.filter(|held| !held.is_checked) else { return Ok(false) };
        let is_right = self.has_right_crc(held.position, &held.header)?;
        if is_right {
            self.held = Some(Held { is_checked: true, ..held });
        }
        Ok(!is_right)
    }

    /// There is no batch here: names what is damaged and goes on at the next good place. `kind` is what it is when there is none.
    fn fault(&mut self, kind: FindingKind, text: &str) -> io::Result<()> {
        let (mut at, mut kind, mut text) = (self.position, kind, text);
        if self.held_is_wrong()? {
            if let Some(held) = self.held.take() {
                at = held.position;
                kind = FindingKind::DamagedBatch;
                text = "A batch is damaged: its checksum is wrong, and no batch follows it";
            }
        }
        self.release_to_ready();
        let found = resync::next_batch(&mut self.window, at + 1, self.floor, &mut self.budget)?;
        let end = self.window.end();
        match found {
            Search::Batch(position, header) => {
                self.damaged(at, position, FindingKind::DamagedBatch, text);
                self.hold(Held { position, header, is_checked: true });
            }
            Search::None => {
                self.damaged(at, end, kind, &format!("{text}, and there is no good batch behind it"));
                self.finish();
            }
            Search::Spent => {
                let text = format!("{text}, and the search for a good batch behind it took too long");
                self.damaged(at, end, kind, &text);
                self.finish();
            }
        }
        Ok(())
    }

    /// Names what is passed over; `text` lacks the number of bytes and the full stop.
    fn damaged(&mut self, from: u64, to: u64, kind: FindingKind, text: &str) {
        let skipped_bytes = to.saturating_sub(from);
        let text = format!("{text}: {} bytes skipped.", text::thousands(skipped_bytes));
        self.find(Some(from), kind, skipped_bytes, text);
        self.compaction.interrupt();
    }

    fn find(&mut self, offset: Option<u64>, kind: FindingKind, skipped_bytes: u64, text: String) {
        self.ready.push_back(Item::Finding(Finding {
            path: self.path.clone(),
            offset,
            kind,
            skipped_bytes,
            text,
        }));
    }

    fn old(&mut self, bytes: u64) {
        if self.old.messages == 0 {
            self.old.position = self.position;
        }
        self.old.messages += 1;
        self.old.bytes += bytes;
        self.position += bytes;
        self.mean_bytes = (self.mean_bytes * 7 + bytes) / 8;
    }

    fn finish_old_run(&mut self) {
        let OldRun { position, bytes, messages } = std::mem::take(&mut self.old);
        if messages > 0 {
            let text = match messages {
                1 => "A message of before Kafka 0.11, which has no producer ID, is skipped.".to_owned(),
                n => format!(
                    "{} messages of before Kafka 0.11, which have no producer IDs, are skipped.",
                    text::thousands(n)
                ),
            };
            self.find(Some(position), FindingKind::OldFormat, bytes, text);
            self.compaction.interrupt();
        }
    }

    fn zeros(&mut self) -> io::Result<()> {
        if !self.window.is_zero_from(self.position)? {
            return self.fault(FindingKind::DamagedBatch, "Zeros, where a batch should be");
        }
        // Else the broker is writing what begins with an offset of zeros.
        if self.window.source().length()? <= self.window.end() {
            self.preallocated();
        }
        self.finish();
        Ok(())
    }

    fn preallocated(&mut self) {
        self.release_to_ready();
        let (position, end) = (self.position, self.window.end());
        let text = format!(
            "The last {} bytes of the file are zeros: nothing was written there yet.",
            text::thousands(end.saturating_sub(position))
        );
        self.find(Some(position), FindingKind::Preallocated, 0, text);
    }

    fn refused(&mut self, error: &io::Error) {
        self.finish_old_run();
        self.release_to_ready();
        let skipped = self.window.end().saturating_sub(self.position);
        let text = format!(
            "The file can't be read from here on: {error}: {} bytes skipped.",
            text::thousands(skipped)
        );
        self.find(Some(self.position), FindingKind::Unreadable, skipped, text);
        self.finish();
    }

    fn finish(&mut self) {
        self.release_to_ready();
        self.position = self.window.end();
        self.ready.extend(self.compaction.note(&self.path).map(Item::Finding));
        self.is_done = true;
    }
}
