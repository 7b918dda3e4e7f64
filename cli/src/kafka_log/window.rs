//! A fixed buffer over a source: the bytes at a place, read in the amounts that the caller's steps make best.

use super::pace::{Pace, Reach};
use super::source::Source;
use std::io;
use std::time::Instant;

/// The largest piece, and so what an open file costs in memory.
pub(super) const BUFFER_BYTES: usize = 256 << 10;
const PAGE_BYTES: u64 = 4096;

pub(super) struct Window<S> {
    source: S,
    /// What is looked at ends here: the length at the start, or less where the file became shorter.
    end: u64,
    buffer: Box<[u8]>,
    /// The place of the buffer's first byte.
    start: u64,
    filled: usize,
    pace: Pace,
}

impl<S: Source> Window<S> {
    pub fn new(source: S) -> io::Result<Window<S>> {
        let end = source.length()?;
        // A small file needs no more than itself.
        let bytes = usize::try_from(end).unwrap_or(BUFFER_BYTES).min(BUFFER_BYTES);
        Ok(Window {
            source,
            end,
            buffer: vec![0; bytes].into_boxed_slice(),
            start: 0,
            filled: 0,
            pace: Pace::default(),
        })
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether the file reaches `to`, or does so in a moment: a live broker's write of a large batch becomes visible in pieces.
    pub fn grows_to(&self, to: u64) -> io::Result<bool> {
        for _ in 0..5 {
            if self.source.length()? >= to {
                return Ok(true);
            }
            self.source.wait();
        }
        Ok(self.source.length()? >= to)
    }

    pub fn source(&self) -> &S {
        &self.source
    }

    /// The bytes from `position` on: `least` of them, less only where the end is nearer, more where they lie ready.
    /// `least` is at most [`BUFFER_BYTES`].
    #[inline]
    pub fn at(&mut self, position: u64, least: usize, reach: Reach) -> io::Result<&[u8]> {
        if !self.has(position, least) {
            self.fill(position, least, reach)?;
        }
        let from = position.saturating_sub(self.start).min(self.filled as u64) as usize;
        Ok(&self.buffer[from..self.filled])
    }

    /// As [`at`](Self::at), by the way that is quicker when the next places are `stride` bytes apart.
    #[inline]
    pub fn at_stride(&mut self, position: u64, least: usize, stride: u64) -> io::Result<&[u8]> {
        if !self.has(position, least) {
            let reach = self.pace.choose(stride);
            let before = Instant::now();
            self.fill(position, least, reach)?;
            let ns = before.elapsed().as_nanos();
            self.pace.record(reach, self.filled, u64::try_from(ns).unwrap_or(u64::MAX));
        }
        self.at(position, 0, Reach::Page)
    }

    #[inline]
    fn has(&self, position: u64, least: usize) -> bool {
        position >= self.start && (position - self.start).saturating_add(least as u64) <= self.filled as u64
    }

    fn fill(&mut self, position: u64, least: usize, reach: Reach) -> io::Result<()> {
        let wanted = match reach {
            Reach::Far => self.buffer.len() as u64,
            Reach::Page => (PAGE_BYTES - position % PAGE_BYTES).max(least as u64),
        };
        let wanted = wanted.min(self.buffer.len() as u64).min(self.end.saturating_sub(position)) as usize;
        self.start = position;
        self.filled = 0;
        while self.filled < wanted {
            let to = &mut self.buffer[self.filled..wanted];
            match self.source.read_at(position + self.filled as u64, to) {
                Ok(0) => {
                    self.end = position + self.filled as u64;
                    break;
                }
                Ok(read) => self.filled += read,
                // What was asked for is there; whoever goes on to the bad place will hear of it.
                Err(_) if self.filled >= least => break,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// CRC32C of `length` bytes; none where the end comes first.
    pub fn crc(&mut self, mut position: u64, mut length: u64) -> io::Result<Option<u32>> {
        let mut crc = 0;
        while length > 0 {
            let bytes = self.at(position, 1, Reach::Far)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let taken = length.min(bytes.len() as u64);
            crc = crc32c::crc32c_append(crc, &bytes[..taken as usize]);
            position += taken;
            length -= taken;
        }
        Ok(Some(crc))
    }

    /// Nothing but zeros from `position` to the end.
    pub fn is_zero_from(&mut self, mut position: u64) -> io::Result<bool> {
        while position < self.end {
            match self.source.data_from(position) {
                None => return Ok(true),
                Some(data) => position = data.max(position),
            }
            let bytes = self.at(position, 1, Reach::Far)?;
            if !is_zero(bytes) {
                return Ok(false);
            }
            position += (bytes.len() as u64).max(1);
        }
        Ok(true)
    }
}

/// In pieces that the compiler can take at once.
fn is_zero(bytes: &[u8]) -> bool {
    let pieces = bytes.chunks_exact(64);
    let rest = pieces.remainder();
    pieces.map(|piece| piece.iter().fold(0, |all, byte| all | byte)).all(|all| all == 0)
        && rest.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_gives_what_was_asked_for_and_less_at_the_end_only() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3 * BUFFER_BYTES).collect();
        let mut window = Window::new(&bytes[..]).unwrap();
        let end = bytes.len();
        for reach in [Reach::Page, Reach::Far] {
            for place in [0, 1, BUFFER_BYTES - 30, end - 61, 5, end - 60, end - 1, end, end + 7] {
                let got = window.at(place as u64, 61, reach).unwrap();
                let all = bytes.get(place..).unwrap_or_default();
                assert!(got.len() >= 61.min(all.len()) && all.starts_with(got), "{place}");
            }
        }
    }

    #[test]
    fn a_checksum_goes_over_more_than_the_buffer() {
        let bytes: Vec<u8> = (0..=250).cycle().take(2 * BUFFER_BYTES + 17).collect();
        let mut window = Window::new(&bytes[..]).unwrap();
        let length = bytes.len() as u64;
        assert_eq!(window.crc(3, length - 3).unwrap(), Some(crc32c::crc32c(&bytes[3..])));
        assert_eq!(window.crc(3, length - 2).unwrap(), None);
    }

    #[test]
    fn one_byte_far_off_is_seen() {
        let mut bytes = vec![0; BUFFER_BYTES + 300];
        assert!(Window::new(&bytes[..]).unwrap().is_zero_from(9).unwrap());
        for place in [9, 80, BUFFER_BYTES - 1, BUFFER_BYTES + 299] {
            bytes[place] = 1;
            assert!(!Window::new(&bytes[..]).unwrap().is_zero_from(9).unwrap(), "{place}");
            assert!(Window::new(&bytes[..]).unwrap().is_zero_from(place as u64 + 1).unwrap(), "{place}");
            bytes[place] = 0;
        }
    }

    #[test]
    fn a_file_that_became_shorter_ends_where_it_ends() {
        struct Shrunk;
        impl Source for Shrunk {
            fn length(&self) -> io::Result<u64> {
                Ok(100)
            }
            fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
                Ok(40usize.saturating_sub(position as usize).min(to.len()))
            }
        }
        let mut window = Window::new(Shrunk).unwrap();
        assert_eq!(window.at(0, 61, Reach::Far).unwrap().len(), 40);
        assert_eq!(window.end(), 40);
    }
}
