//! What is remembered, as bytes that outlive the host (S14).
//!
//! Contract: `restore(snapshot(e))` knows what `e` knew, for what is left of its window; a snapshot that is cut or damaged
//! anywhere is refused with a message, and the host starts empty. Written while calls go on: an id admitted meanwhile is
//! in it or not.
//!
//! The bytes, all numbers little-endian, strings and lists behind a u64 length:
//!
//! ```text
//! "TOLLGATE"  version u32  seed u64  taken_ms u64
//! principals: [ name, is_overflow u8, last_call u64, known admitted throttled re_recorded ghost_hits u64,
//!               tokens f64 (NaN: no quota), taken: [ last_ms u64, count u64 ] (of a windowed quota), open u8,
//!               small: [ pid u64, recorded_ms u64 ],
//!               layers: [ start_ms capacity growth recorded moved u64, blocks: [ 8 x u64 ] ] ]
//! XXH3-64 of all before
//! ```
//!
//! Bits mean something only under the seed they were set with, so the snapshot carries it, and a restored engine goes on
//! with it: keep the file as secret as the seed. Times are the host's: use a clock that goes on across its restart.
//!
//! Other settings may differ. Under a shorter window less is live; another layer count or false-positive rate holds for layers
//! made from then on; principals and layers that no longer fit the limits are left out and counted ([`Restored`]).

use crate::meter::Left;
use crate::rate::limit::Taken;
use crate::sync::thread_number;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"TOLLGATE";
const VERSION: u32 = 2;
const CHECKSUM_BYTES: usize = 8;

/// Why bytes are no snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// Shorter than any snapshot, or with another beginning.
    NotASnapshot,
    /// Made by a version that this one does not read.
    Version(u32),
    /// Cut or changed: the checksum does not fit.
    Damaged,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASnapshot => write!(f, "these bytes are no snapshot of Tollgate"),
            Self::Version(version) => {
                write!(f, "snapshot version {version}: this version reads {VERSION}; start empty")
            }
            Self::Damaged => {
                write!(f, "the snapshot is cut or damaged: its checksum does not fit; start empty")
            }
        }
    }
}

impl std::error::Error for SnapshotError {}

/// What a restore kept, and what it could not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// Principals that are back.
    pub principals: u64,
    /// Layers that are back.
    pub layers: u64,
    /// Principals left out: beyond `max_principals`, or their memory.
    pub principals_left_out: u64,
    /// Layers left out: expired under this window, or beyond `max_memory_bytes`.
    pub layers_left_out: u64,
}

/// One principal as it stands in a snapshot.
pub(crate) struct Portrait {
    pub(crate) name: String,
    pub(crate) is_overflow: bool,
    pub(crate) last_call: u64,
    /// known, admitted, throttled, re_recorded, ghost_hits.
    pub(crate) counts: [u64; 5],
    /// None without a quota.
    pub(crate) left: Option<Left>,
    pub(crate) filter: FilterPortrait,
}

/// A filter's ring.
pub(crate) struct FilterPortrait {
    pub(crate) open: bool,
    /// Id and the time it was recorded.
    pub(crate) small: Vec<(u64, u64)>,
    pub(crate) layers: Vec<LayerPortrait>,
}

/// A layer with its bits.
pub(crate) struct LayerPortrait {
    pub(crate) start_ms: u64,
    pub(crate) capacity: u64,
    pub(crate) growth: u32,
    pub(crate) recorded: u64,
    pub(crate) moved: u64,
    pub(crate) words: Vec<u64>,
}

impl Portrait {
    pub(crate) fn known(&self) -> u64 {
        self.counts[0]
    }
}

/// The whole of it.
pub(crate) struct Picture {
    pub(crate) seed: u64,
    pub(crate) taken_ms: u64,
    pub(crate) principals: Vec<Portrait>,
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn flag(&mut self, value: bool) {
        self.0.push(u8::from(value));
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| each(self, item));
    }
}

/// Reads what [`Writer`] wrote; `None` where there is less than asked for.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    fn flag(&mut self) -> Option<bool> {
        match self.bytes(1)?[0] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// `least` is the least size of an item: a length that the rest cannot hold is refused before anything is allocated.
    fn list<T>(&mut self, least: usize, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        if count > self.0.len() / least {
            return None;
        }
        (0..count).map(|_| each(self)).collect()
    }
}

impl Picture {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        writer.0.extend_from_slice(MAGIC);
        writer.0.extend_from_slice(&VERSION.to_le_bytes());
        writer.number(self.seed);
        writer.number(self.taken_ms);
        writer.list(&self.principals, |writer, principal| {
            writer.list(principal.name.as_bytes(), |writer, byte| writer.0.push(*byte));
            writer.flag(principal.is_overflow);
            writer.number(principal.last_call);
            principal.counts.iter().for_each(|&count| writer.number(count));
            writer.number(principal.left.as_ref().map_or(f64::NAN, |left| left.tokens).to_bits());
            writer.list(principal.left.as_ref().map_or(&[], |left| &left.taken), |writer, taken| {
                writer.number(taken.last_ms);
                writer.number(u64::from(taken.count));
            });
            writer.flag(principal.filter.open);
            writer.list(&principal.filter.small, |writer, &(pid, recorded_ms)| {
                writer.number(pid);
                writer.number(recorded_ms);
            });
            writer.list(&principal.filter.layers, |writer, layer| {
                let growth = u64::from(layer.growth);
                [layer.start_ms, layer.capacity, growth, layer.recorded, layer.moved]
                    .iter()
                    .for_each(|&number| writer.number(number));
                writer.list(&layer.words, |writer, &word| writer.number(word));
            });
        });
        let checksum = xxh3_64(&writer.0);
        writer.number(checksum);
        writer.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut head = Reader(bytes);
        if head.bytes(MAGIC.len()) != Some(MAGIC) {
            return Err(SnapshotError::NotASnapshot);
        }
        let version = head.bytes(4).ok_or(SnapshotError::NotASnapshot)?;
        let version = u32::from_le_bytes(version.try_into().expect("four bytes"));
        let (content, checksum) =
            bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(SnapshotError::NotASnapshot)?;
        if xxh3_64(content) != u64::from_le_bytes(*checksum) {
            return Err(SnapshotError::Damaged);
        }
        // After the checksum, so that a flipped bit is not taken for another version.
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        }
        let mut reader = Reader(&content[MAGIC.len() + 4..]);
        // The checksum fits and the content does not: written by something else that knows the format's name.
        Self::content(&mut reader).filter(|_| reader.0.is_empty()).ok_or(SnapshotError::Damaged)
    }

    fn left(reader: &mut Reader<'_>, since_ms: u64) -> Option<Option<Left>> {
        let tokens = f64::from_bits(reader.number()?);
        let taken = reader.list(16, |reader| {
            // Nothing was taken after the snapshot, whatever it says.
            let last_ms = reader.number()?.min(since_ms);
            Some(Taken { last_ms, count: u32::try_from(reader.number()?).unwrap_or(u32::MAX) })
        })?;
        Some(tokens.is_finite().then_some(Left { since_ms, tokens, taken }))
    }

    fn content(reader: &mut Reader<'_>) -> Option<Self> {
        let (seed, taken_ms) = (reader.number()?, reader.number()?);
        Some(Self {
            seed,
            taken_ms,
            principals: reader.list(8 + 1 + 8 + 5 * 8 + 8 + 8 + 1 + 8 + 8, |reader| {
                let name = reader.list(1, |reader| reader.bytes(1).map(|byte| byte[0]))?;
                Some(Portrait {
                    name: String::from_utf8(name).ok()?,
                    is_overflow: reader.flag()?,
                    last_call: reader.number()?,
                    counts: [
                        reader.number()?,
                        reader.number()?,
                        reader.number()?,
                        reader.number()?,
                        reader.number()?,
                    ],
                    left: Self::left(reader, taken_ms)?,
                    filter: FilterPortrait {
                        open: reader.flag()?,
                        small: reader.list(16, |reader| Some((reader.number()?, reader.number()?)))?,
                        layers: reader.list(6 * 8, |reader| {
                            let layer = LayerPortrait {
                                start_ms: reader.number()?,
                                capacity: reader.number()?,
                                growth: u32::try_from(reader.number()?).ok()?,
                                recorded: reader.number()?,
                                moved: reader.number()?,
                                words: reader.list(8, Reader::number)?,
                            };
                            let whole = !layer.words.is_empty() && layer.words.len().is_multiple_of(8);
                            (whole && layer.capacity > 0).then_some(layer)
                        })?,
                    },
                })
            })?,
        })
    }
}

/// A snapshot's file, whole: as long as it is when it is opened.
///
/// # Errors
/// Those of the file system, and a file that is larger than the memory to be had.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    let room = usize::try_from(length).is_ok_and(|length| bytes.try_reserve_exact(length).is_ok());
    if !room {
        let why = format!("{length} bytes are more than there is memory for");
        return Err(io::Error::new(io::ErrorKind::OutOfMemory, why));
    }
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Puts a snapshot into a file so that, whenever the host stops, the file holds the old one or the new one, whole: written
/// beside it, synced, renamed.
///
/// # Errors
/// Those of the file system; the old file is then as it was, unless all that failed was to sync its folder.
pub fn write_file(path: &Path, snapshot: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = path.as_os_str().to_owned();
    // Each thread's own: two may write to one path at once.
    beside.push(format!(".{}-{}.new", std::process::id(), thread_number()));
    let beside = Path::new(&beside);
    let written = File::create(beside)
        .and_then(|mut file| file.write_all(snapshot).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(beside, path))
        .and_then(|()| File::open(folder).and_then(|folder| folder.sync_all()));
    if written.is_err() {
        // Best effort: what failed already is the error to tell.
        let _ = fs::remove_file(beside);
    }
    written
}
