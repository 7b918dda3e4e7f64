//! A rate over sample windows, in one of three policies.
//!
//! Contract: R1 (N samples of W each; no count is lost when samples roll over), R2 (nothing is recorded into a sample that was
//! purged), R4 (two readings at one moment, no event between, are equal: a reading writes nothing).
//!
//! | policy | a new sample starts | a sample counts | divided by |
//! |---|---|---|---|
//! | `Grid` | on the grid of the first event | until N W after its start | time since the oldest start, at least N-1 whole samples |
//! | `Overlap` | at its first event | until N W after its last event | the same |
//! | `Sliding` | on the grid of time 0 | by its share within N W | N W |
//!
//! State: `current`, one word `{ start: 44 bits of ms, turn: 10, slot: 10 }`, the newest sample: slots are used in turn. In a slot
//! - `word`: `{ tag: 24 bits, count: 40 }`, the tag being the turn and the low bits of the start. The compare-and-swap that
//!   counts an event also checks whose sample it is, and the first event of a sample overwrites what stood there before. So a
//!   caller that slept while its sample was replaced cannot add to the next one. (Tags come again after 1,024 turns of all
//!   slots, where the low 14 bits of the start agree; who slept that long must also meet the count it left.)
//! - `began`: what `current` was; it only grows.
//! - `last`: the time of its latest event; it only grows.
//!
//! Slots: one more than N. A sample is overwritten N+1 samples later, when by each policy it counts no more.
//!
//! Time: a time before the newest sample's start is taken as that start (S9). 2^44 ms is the year 2527; later times are taken as
//! that.
//!
//! Orderings
//! - O10: who records counts first and then, with release, moves `last`; who reads loads `last` first, with acquire. Who sees
//!   the time of an event sees its count, so no event that has left the window is read again for the sake of one that
//!   is not counted yet; and who sees the time of a slot's next sample sees whose it is (loom-tests:
//!   `o10_reader_against_a_late_event`, `o10_c11_reader_against_a_recycled_slot`). A count whose time is not seen yet is read as if it had
//!   not come.
//! - O11: `began` is moved with acquire and release. Who finds that its slot has gone to a later sample sees in `current` at least
//!   that one, and does not come back to the same slot (loom-tests: `r2_a_sleeper_records_into_no_recycled_sample`).
//! - All else hangs on single words, so it is relaxed.

use crate::config::{ConfigError, MAX_WINDOW_MS};
use crate::sync::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

const SLOT_BITS: u32 = 10;
const TURN_BITS: u32 = 10;
const START_SHIFT: u32 = SLOT_BITS + TURN_BITS;
const COUNT_BITS: u32 = 40;
const MAX_MS: u64 = (1 << 44) - 1;
const MAX_COUNT: u64 = (1 << COUNT_BITS) - 1;
/// No event yet: there are not so many slots.
const NOTHING: u64 = u64::MAX;
/// A slot that held no sample yet: turns begin at 1.
const NEVER: u64 = 0;
/// Most samples of a rate.
pub const MAX_SAMPLES: u32 = 1_000;

/// Which time a sample stands for, and what it counts for in a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Kafka's pull request 12045: samples follow one another without gaps, on the grid of the first event.
    Grid,
    /// What Kafka ships since 3.8: a sample starts at its first event and counts as long as its last event is in the window.
    Overlap,
    /// The pull request's longer-term wish: the window slides, the oldest sample counts by the share of it still inside. No
    /// saw-tooth, no jump without an event. Off from the exact count by at most what the oldest sample holds.
    Sliding,
}

/// How many events come per second, measured over N samples of W each, by one of three policies.
///
/// Any number of threads. Times are milliseconds from any origin; amounts are whole (events, bytes), and a sample holds
/// a million million of them.
///
/// ```
/// use tollgate::rate::{Policy, WindowedRate};
///
/// let rate = WindowedRate::new(Policy::Grid, 2, 1000)?;
/// for now_ms in [0, 30, 995, 1020, 2010] {
///     rate.record(1, now_ms);
/// }
/// assert_eq!(rate.window_ms(2010), 1010);
/// assert_eq!(rate.per_second(2010), 2.0 / 1.01);
/// # Ok::<(), tollgate::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct WindowedRate {
    policy: Policy,
    samples: u64,
    sample_ms: u64,
    current: AtomicU64,
    slots: Box<[Slot]>,
}

#[derive(Debug)]
struct Slot {
    began: AtomicU64,
    last: AtomicU64,
    word: AtomicU64,
}

impl Slot {
    /// Moves `last`, after the count.
    #[inline]
    fn note(&self, now: u64) {
        // A load first: within one millisecond all callers but one only read.
        if self.last.load(Relaxed) < now {
            self.last.fetch_max(now, Release); // O10
        }
    }
}

/// A sample as a reading sees it.
struct Sample {
    start: u64,
    last: u64,
    count: u64,
}

/// What a reading comes to.
struct Reading {
    count: f64,
    window_ms: u64,
}

fn start_of(current: u64) -> u64 {
    current >> START_SHIFT
}

fn slot_of(current: u64) -> usize {
    (current & ((1 << SLOT_BITS) - 1)) as usize
}

/// The tag of `current`'s sample, where it stands in a slot's word.
fn tag_of(current: u64) -> u64 {
    current >> SLOT_BITS << COUNT_BITS
}

fn is_tagged(word: u64, current: u64) -> bool {
    word & !MAX_COUNT == tag_of(current)
}

impl WindowedRate {
    /// `samples` (N) of `sample_ms` (W) each.
    ///
    /// # Errors
    /// No samples or more than [`MAX_SAMPLES`], a sample of no time or of more than thirty days.
    pub fn new(policy: Policy, samples: u32, sample_ms: u64) -> Result<Self, ConfigError> {
        let within = |field, value: u64, most: u64, unit: &str| {
            let range = || format!("1 to {most}{unit}");
            let refused = || ConfigError { field, value: value.to_string(), range: range() };
            (1..=most).contains(&value).then_some(()).ok_or_else(refused)
        };
        within("samples", samples.into(), MAX_SAMPLES.into(), "")?;
        within("sample_ms", sample_ms, MAX_WINDOW_MS, " (milliseconds)")?;
        let slot =
            |_| Slot { began: AtomicU64::new(NEVER), last: AtomicU64::new(0), word: AtomicU64::new(0) };
        Ok(Self {
            policy,
            samples: samples.into(),
            sample_ms,
            current: AtomicU64::new(NOTHING),
            slots: (0..=samples).map(slot).collect(),
        })
    }

    /// Counts `amount` at `now_ms`. Lock-free.
    #[inline]
    pub fn record(&self, amount: u64, now_ms: u64) {
        let current = self.current.load(Relaxed);
        // Where time went back this wraps, to more than any `sample_ms`.
        if now_ms.wrapping_sub(start_of(current)) < self.sample_ms {
            if let Some(slot) = self.slots.get(slot_of(current)) {
                let word = slot.word.load(Relaxed);
                let counted = word.wrapping_sub(tag_of(current));
                if counted <= MAX_COUNT
                    && amount <= MAX_COUNT - counted
                    && slot.word.compare_exchange_weak(word, word + amount, Relaxed, Relaxed).is_ok()
                {
                    slot.note(now_ms);
                    return;
                }
            }
        }
        self.record_slowly(amount, now_ms);
    }

    /// As [`record`](Self::record), for all that is rare: a sample to begin, a race, time that went back, a full count.
    #[cold]
    fn record_slowly(&self, amount: u64, now_ms: u64) {
        let now = now_ms.min(MAX_MS);
        loop {
            let current = self.current.load(Relaxed);
            if current != NOTHING && now.saturating_sub(start_of(current)) < self.sample_ms {
                if self.count(current, amount, now) {
                    return;
                }
            } else {
                // Losing means that another thread has begun one.
                let _ = self.current.compare_exchange(current, self.next(current, now), Relaxed, Relaxed);
            }
        }
    }

    /// Counts in the sample that `current` names; false when its slot has gone to a later one.
    fn count(&self, current: u64, amount: u64, now: u64) -> bool {
        let slot = &self.slots[slot_of(current)];
        let now = now.max(start_of(current));
        let mut word = slot.word.load(Relaxed);
        loop {
            let is_ours = is_tagged(word, current);
            if !is_ours && slot.began.fetch_max(current, AcqRel) > current {
                return false; // O11
            }
            let counted = if is_ours { word & MAX_COUNT } else { 0 };
            let next = tag_of(current) | counted.saturating_add(amount).min(MAX_COUNT);
            match slot.word.compare_exchange_weak(word, next, Relaxed, Relaxed) {
                Ok(_) => break,
                Err(held) => word = held,
            }
        }
        slot.note(now);
        true
    }

    /// The sample after `current` that holds `now`.
    fn next(&self, current: u64, now: u64) -> u64 {
        let start = match self.policy {
            Policy::Overlap => now,
            Policy::Sliding => now - now % self.sample_ms,
            Policy::Grid if current == NOTHING => now,
            Policy::Grid => now - (now - (start_of(current) + self.sample_ms)) % self.sample_ms,
        };
        let turn = current >> SLOT_BITS & ((1 << TURN_BITS) - 1);
        let (turn, slot) = match slot_of(current) + 1 {
            _ if current == NOTHING => (1, 0),
            slot if slot < self.slots.len() => (turn, slot as u64),
            _ => ((turn + 1) % (1 << TURN_BITS), 0),
        };
        start << START_SHIFT | turn << SLOT_BITS | slot
    }

    /// The sample in a slot, where all that is read of it is of one sample.
    fn sample(slot: &Slot) -> Option<Sample> {
        let last = slot.last.load(Acquire); // O10
        let word = slot.word.load(Relaxed);
        let began = slot.began.load(Relaxed);
        let whole = began != NEVER && is_tagged(word, began);
        whole.then_some(Sample { start: start_of(began), last, count: word & MAX_COUNT })
    }

    fn read(&self, now_ms: u64) -> Reading {
        let current = self.current.load(Relaxed);
        let newest = if current == NOTHING { 0 } else { start_of(current) };
        let now = now_ms.min(MAX_MS).max(newest);
        let span = self.samples * self.sample_ms;
        let samples = self.slots.iter().filter_map(Self::sample);
        if self.policy == Policy::Sliding {
            let gone = (now % self.sample_ms) as f64 / self.sample_ms as f64;
            let share = |sample: Sample| {
                let age = (now - now % self.sample_ms).saturating_sub(sample.start) / self.sample_ms;
                let share = match age {
                    age if age < self.samples => 1.0,
                    age if age == self.samples => 1.0 - gone,
                    _ => 0.0,
                };
                share * sample.count as f64
            };
            // Not sum(), which is -0 of nothing, and would be shown so.
            let count = samples.fold(0.0, |count, sample| count + share(sample));
            return Reading { count, window_ms: span };
        }
        let counts = |sample: &Sample| {
            let since = if self.policy == Policy::Grid { sample.start } else { sample.last };
            now.saturating_sub(since) < span
        };
        let (count, oldest) = samples.filter(counts).fold((0, now), |(count, oldest): (u64, u64), sample| {
            (count.saturating_add(sample.count), oldest.min(sample.start))
        });
        let elapsed = now - oldest;
        // Time before the first event counts as time without events, for all samples but the newest.
        let missing = (self.samples - 1).saturating_sub(elapsed / self.sample_ms) * self.sample_ms;
        Reading { count: count as f64, window_ms: (elapsed + missing).max(1) }
    }

    /// The rate at `now_ms`, per second. Wait-free.
    #[must_use]
    pub fn per_second(&self, now_ms: u64) -> f64 {
        let Reading { count, window_ms } = self.read(now_ms);
        count / (window_ms as f64 / 1000.0)
    }

    /// The time over which [`per_second`](Self::per_second) measures at `now_ms`, milliseconds, at least 1. Wait-free.
    #[must_use]
    pub fn window_ms(&self, now_ms: u64) -> u64 {
        self.read(now_ms).window_ms
    }

    /// Kafka's throttle time, milliseconds, rounded: the excess over the limit, as a part of the limit, times the window. 0 at
    /// or below the limit; above one of 0 or less `u64::MAX`. Samples leave the window whole, so the rate may be above the limit
    /// for up to N W after that time, though nothing comes: ask again. Wait-free.
    #[must_use]
    pub fn throttle_ms(&self, per_second_limit: f64, now_ms: u64) -> u64 {
        let Reading { count, window_ms } = self.read(now_ms);
        let excess = count / (window_ms as f64 / 1000.0) - per_second_limit;
        if excess > 0.0 && per_second_limit <= 0.0 {
            // A division would give the sign of the limit, of -0 too.
            u64::MAX
        } else if excess > 0.0 {
            // Float to integer conversion saturates.
            (excess / per_second_limit * window_ms as f64).round() as u64
        } else {
            0
        }
    }
}
