//! A message of before Kafka 0.11 ("magic" 0 and 1): offset (8 bytes), size (4), CRC-32 (4), magic, attributes, in magic 1 a
//! timestamp (8), then key and value, each behind its length (4, -1 for none).

use super::batch::{LENGTH_FROM, MAGIC_AT};
use super::pace::Reach;
use super::source::Source;
use super::window::Window;
use std::io;

/// The shortest, of magic 0 with neither key nor value.
const LEAST_BYTES: usize = 26;
/// Three bits of codec, of which there were four, and in magic 1 the type of timestamp.
const MOST_ATTRIBUTES: [u8; 2] = [0b011, 0b1011];

/// What the bytes at a place are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OldMessage {
    /// One of this many bytes.
    Whole(u64),
    /// The beginning of one that should have this many.
    Cut(u64),
    /// None: key and value do not fill the size exactly.
    Not,
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_be_bytes(bytes.get(at..)?.first_chunk().copied()?))
}

/// Looks at the lengths, so that a newer batch with one wrong bit is not taken for an old message.
pub(super) fn message<S: Source>(window: &mut Window<S>, position: u64) -> io::Result<OldMessage> {
    let end = window.end();
    let head = window.at(position, LEAST_BYTES + 8, Reach::Page)?;
    let Some(magic @ (0 | 1)) = head.get(MAGIC_AT).copied() else { return Ok(OldMessage::Not) };
    let least = LEAST_BYTES as u64 + if magic == 1 { 8 } else { 0 };
    let size = number(head, 8).and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
    let bytes = size + LENGTH_FROM;
    let attributes = head.get(MAGIC_AT + 1).copied().unwrap_or(0);
    let codec = attributes & 0b111;
    if bytes < least || attributes > MOST_ATTRIBUTES[usize::from(magic)] || codec > 3 {
        return Ok(OldMessage::Not);
    }
    if position.saturating_add(bytes) > end {
        return Ok(OldMessage::Cut(bytes));
    }
    // Key and value take what the shortest one leaves.
    let Some(key) = number(head, least as usize - 8) else { return Ok(OldMessage::Not) };
    let key = u64::try_from(key).unwrap_or(0);
    if key > bytes - least {
        return Ok(OldMessage::Not);
    }
    let value = window.at(position + least - 4 + key, 4, Reach::Page)?;
    let Some(value) = number(value, 0) else { return Ok(OldMessage::Not) };
    let is_whole = least + key + u64::try_from(value).unwrap_or(0) == bytes;
    Ok(if is_whole { OldMessage::Whole(bytes) } else { OldMessage::Not })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two messages of magic 0, one without a value; two of magic 1; one of magic 1 with three in it, gzipped; a batch of
    /// magic 2; one more of magic 1. Written by Kafka 3.9.1's own library.
    const REAL: &[u8] = include_bytes!("../../tests/fixtures/kafka-old/00000000000000000000.log");
    const BATCH_AT: u64 = 297;

    fn at(bytes: &[u8], position: u64) -> OldMessage {
        message(&mut Window::new(bytes).unwrap(), position).unwrap()
    }

    #[test]
    fn messages_are_as_long_as_kafkas_own_tool_says() {
        for (position, bytes) in
            [(0, 31), (31, 31), (62, 28), (90, 41), (131, 40), (171, 126), (BATCH_AT + 88, 39)]
        {
            assert_eq!(at(REAL, position), OldMessage::Whole(bytes), "{position}");
        }
    }

    #[test]
    fn a_batch_whose_magic_was_flipped_is_no_old_message() {
        for magic in [0, 1, 2, 3] {
            let mut bytes = REAL.to_vec();
            bytes[BATCH_AT as usize + MAGIC_AT] = magic;
            assert_eq!(at(&bytes, BATCH_AT), OldMessage::Not, "{magic}");
        }
    }

    #[test]
    fn one_that_is_cut_says_what_it_should_have() {
        for length in 26..31 {
            assert_eq!(at(&REAL[..length], 0), OldMessage::Cut(31), "{length}");
        }
        assert_eq!(at(&REAL[..10], 0), OldMessage::Not);
    }

    #[test]
    fn each_wrong_length_is_seen() {
        for (place, value) in [(8, [0, 0, 0, 13]), (8, [0xff; 4]), (18, [0x7f; 4]), (24, [0, 0, 0, 9])] {
            let mut bytes = REAL.to_vec();
            bytes[place..place + 4].copy_from_slice(&value);
            assert_eq!(at(&bytes, 0), OldMessage::Not, "{place}");
        }
    }
}
