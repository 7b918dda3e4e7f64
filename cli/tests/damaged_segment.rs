//! A real broker's segment in every state of damage: reading ends, does not panic, says what is wrong, and gives what is good.

mod common;

use common::batch::Batch;
use common::seen::{walk, REAL};
use proptest::prelude::*;
use std::ops::Range;
use tollgate_cli::kafka_log::{BatchHeader, FindingKind};

/// Formats 0 and 1, and one batch.
const OLD: &[u8] = include_bytes!("fixtures/kafka-old/00000000000000000000.log");

/// Where the batches of [`REAL`] are.
const BATCHES: [Range<usize>; 10] =
    [0..103, 103..179, 179..270, 270..361, 361..439, 439..528, 528..606, 606..753, 753..847, 847..946];

fn starts() -> Vec<usize> {
    BATCHES.iter().map(|batch| batch.start).collect()
}

fn starts_without(damaged: &Range<usize>) -> Vec<usize> {
    let is_good = |batch: &&Range<usize>| batch.end <= damaged.start || batch.start >= damaged.end;
    BATCHES.iter().filter(is_good).map(|batch| batch.start).collect()
}

#[test]
fn cut_at_each_byte_all_whole_batches_are_read_and_the_rest_is_named() {
    for length in 0..REAL.len() {
        let cut = BATCHES.iter().find(|batch| batch.contains(&length)).unwrap();
        for check_crc in [false, true] {
            let seen = walk(&REAL[..length], check_crc);
            assert_eq!(seen.positions(), starts_without(&(cut.start..REAL.len())), "{length}");
            let named: Vec<_> = seen
                .findings
                .iter()
                .map(|it| (it.kind, it.offset.unwrap() as usize, it.skipped_bytes))
                .collect();
            if length == cut.start {
                assert_eq!(named, []);
            } else if length - cut.start <= 8 + 3 && REAL[cut.start..length].iter().all(|byte| *byte == 0) {
                assert_eq!(named, [(FindingKind::Preallocated, cut.start, 0)], "{length}");
            } else {
                let skipped = (length - cut.start) as u64;
                assert_eq!(named, [(FindingKind::HalfWritten, cut.start, skipped)], "{length}");
            }
        }
    }
}

#[test]
fn each_flipped_bit_costs_its_own_batch_at_most() {
    for bit in 0..REAL.len() * 8 {
        let byte = bit / 8;
        let mut bytes = REAL.to_vec();
        bytes[byte] ^= 1 << (bit % 8);
        let damaged = BATCHES.iter().find(|batch| batch.contains(&byte)).unwrap();
        let others = starts_without(damaged);
        let seen = walk(&bytes, true);
        let is_last_offset = damaged.end == REAL.len() && byte - damaged.start < 8;
        let is_epoch = (12..16).contains(&(byte - damaged.start));
        if is_epoch || is_last_offset && seen.findings.iter().all(|it| it.kind == FindingKind::Compacted) {
            // Neither is under the checksum, and behind the last batch nothing tells its offset.
            assert_eq!((seen.positions(), seen.skips().len()), (starts(), 0), "bit {bit}");
        } else {
            assert_eq!(seen.positions(), others, "bit {bit}");
            assert_eq!(seen.skips().len(), 1, "bit {bit}: {:?}", seen.findings);
            assert_eq!(seen.skips()[0].offset, Some(damaged.start as u64), "bit {bit}");
            assert_eq!(seen.skips()[0].skipped_bytes, damaged.len() as u64, "bit {bit}");
        }
        // Without reading the records, what is in the records is not seen, but nothing else is lost either.
        let positions = walk(&bytes, false).positions();
        assert!(positions == others || positions == starts(), "bit {bit}: {positions:?}");
    }
}

#[test]
fn each_zeroed_byte_from_the_format_on_is_found() {
    for byte in 0..REAL.len() {
        let mut bytes = REAL.to_vec();
        bytes[byte] = 0;
        let damaged = BATCHES.iter().find(|batch| batch.contains(&byte)).unwrap();
        let seen = walk(&bytes, true);
        if bytes == REAL {
            assert_eq!((seen.positions(), seen.findings), (starts(), vec![]));
        } else if byte - damaged.start >= 16 {
            assert_eq!((seen.positions(), seen.skips().len()), (starts_without(damaged), 1), "byte {byte}");
        }
        let positions = walk(&bytes, false).positions();
        assert!(positions == starts_without(damaged) || positions == starts(), "byte {byte}: {positions:?}");
    }
}

#[test]
fn what_no_zeros_touch_is_read() {
    for length in [1, 8, 61, 100, 200, 500] {
        for start in 0..REAL.len() {
            let zeros = start..(start + length).min(REAL.len());
            let mut bytes = REAL.to_vec();
            bytes[zeros.clone()].fill(0);
            let good = starts_without(&zeros);
            let seen = walk(&bytes, true);
            // An offset of zeros that was one of zeros, or an epoch, is as it was.
            let positions = seen.positions();
            assert!(good.iter().all(|it| positions.contains(it)), "{zeros:?}: {positions:?}");
            assert!(
                good.len() == BATCHES.len() || positions == starts() || !seen.findings.is_empty(),
                "{zeros:?}"
            );
            // The headers alone lead on as well where they are whole.
            let positions = walk(&bytes, false).positions();
            assert!(good.iter().all(|it| positions.contains(it)), "{zeros:?}: {positions:?}");
        }
    }
}

#[test]
fn lost_bytes_cost_the_batches_they_were_in() {
    for start in 0..REAL.len() {
        for length in [1, 2, 17, 150] {
            let end = (start + length).min(REAL.len());
            let bytes = [&REAL[..start], &REAL[end..]].concat();
            let good = starts_without(&(start..end)).len();
            for check_crc in [false, true] {
                let seen = walk(&bytes, check_crc);
                assert!(seen.batches.len() >= good, "{start}..{end}: {:?}", seen.positions());
            }
        }
    }
}

#[test]
fn zeros_among_batches_are_damage_and_not_room_to_come() {
    let bytes = [&REAL[..179], &[0; 5000], &REAL[179..], &[0; 700]].concat();
    let seen = walk(&bytes, false);
    assert_eq!(seen.batches.len(), 10);
    let named: Vec<_> = seen.findings.iter().map(|it| (it.kind, it.offset, &it.text[..])).collect();
    assert_eq!(
        named,
        [
            (FindingKind::DamagedBatch, Some(179), "Zeros, where a batch should be: 5,000 bytes skipped."),
            (
                FindingKind::Preallocated,
                Some(5946),
                "The last 700 bytes of the file are zeros: nothing was written there yet."
            ),
        ]
    );
}

#[test]
fn a_gap_behind_damage_is_not_called_compaction() {
    let mut bytes = REAL.to_vec();
    bytes[606 + 100] ^= 1;
    let seen = walk(&bytes, true);
    let kinds: Vec<_> = seen.findings.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [FindingKind::DamagedBatch]);
    assert_eq!(seen.findings[0].text, "A batch is damaged: its checksum is wrong: 147 bytes skipped.");
}

#[test]
fn old_messages_in_any_damage_end() {
    for length in 0..OLD.len() {
        let seen = walk(&OLD[..length], true);
        assert_eq!(seen.batches.len(), usize::from(length >= 385), "{length}");
    }
    for bit in 0..OLD.len() * 8 {
        let mut bytes = OLD.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let is_in_batch = (297..385).contains(&(bit / 8));
        for check_crc in [false, true] {
            let seen = walk(&bytes, check_crc);
            assert!(is_in_batch || seen.positions() == [297], "bit {bit}");
            assert!(!seen.findings.is_empty());
        }
    }
}

#[test]
fn damage_in_a_batch_larger_than_the_buffer_costs_that_batch() {
    let batches: Vec<Vec<u8>> = (0..5).map(|i| Batch::new(i, 700_000 + i as usize).bytes()).collect();
    let mut bytes = batches.concat();
    let third = batches[..2].concat().len();
    for place in [8, 9, 10, 11, 16, 20, 30, 61, 600_000] {
        bytes[third + place] ^= 1;
        let seen = walk(&bytes, true);
        let offsets: Vec<_> = seen.batches.iter().map(|(_, header)| header.base_offset).collect();
        assert_eq!(offsets, [0, 1, 3, 4], "{place}");
        assert_eq!(seen.findings[0].skipped_bytes, batches[2].len() as u64);
        bytes[third + place] ^= 1;
    }
}

#[test]
fn an_older_batch_within_a_damaged_ones_records_is_not_taken_for_the_next() {
    let copy = Batch::new(1, 40).bytes();
    let outer = Batch { body: [&[9; 30], &copy[..], &[9; 30]].concat(), ..Batch::new(2, 0) };
    let batches = [Batch::new(0, 40).bytes(), copy, outer.bytes(), Batch::new(3, 40).bytes()];
    let mut bytes = batches.concat();
    bytes[batches[0].len() + batches[1].len() + 30] ^= 1;
    let offsets: Vec<_> = walk(&bytes, true).batches.iter().map(|(_, header)| header.base_offset).collect();
    assert_eq!(offsets, [0, 1, 3]);
}

/// One thing that goes wrong with a file.
#[derive(Debug, Clone)]
enum Accident {
    Set(usize, u8),
    Lose(usize, usize),
    Repeat(usize, usize),
    Move(usize, usize, usize),
    Fill(usize, usize, u8),
    Insert(usize, Vec<u8>),
}

fn accident() -> impl Strategy<Value = Accident> {
    let (place, length) = (0..1500usize, 0..400usize);
    prop_oneof![
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Accident::Set(at, byte)),
        (place.clone(), length.clone()).prop_map(|(at, length)| Accident::Lose(at, length)),
        (place.clone(), length.clone()).prop_map(|(at, length)| Accident::Repeat(at, length)),
        (place.clone(), length.clone(), place.clone())
            .prop_map(|(at, length, to)| Accident::Move(at, length, to)),
        (place.clone(), length, prop_oneof![Just(0), Just(2), any::<u8>()])
            .prop_map(|(at, length, byte)| Accident::Fill(at, length, byte)),
        (place, proptest::collection::vec(any::<u8>(), 0..100))
            .prop_map(|(at, all)| Accident::Insert(at, all)),
    ]
}

fn happen(bytes: &mut Vec<u8>, accident: Accident) {
    let end = bytes.len();
    let range = |at: usize, length: usize| at.min(end)..at.saturating_add(length).min(end);
    match accident {
        Accident::Set(at, byte) => bytes[range(at, 1)].fill(byte),
        Accident::Lose(at, length) => drop(bytes.drain(range(at, length))),
        Accident::Repeat(at, length) => {
            let piece = bytes[range(at, length)].to_vec();
            bytes.splice(range(at, 0), piece);
        }
        Accident::Move(at, length, to) => {
            let piece: Vec<u8> = bytes.drain(range(at, length)).collect();
            let to = to.min(bytes.len());
            bytes.splice(to..to, piece);
        }
        Accident::Fill(at, length, byte) => bytes[range(at, length)].fill(byte),
        Accident::Insert(at, piece) => drop(bytes.splice(range(at, 0), piece)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whatever_happened_reading_ends_and_gives_only_what_was_written(
        accidents in proptest::collection::vec(accident(), 1..6),
        is_old in any::<bool>(),
    ) {
        let written = walk(if is_old { OLD } else { REAL }, true);
        let mut bytes = if is_old { OLD } else { REAL }.to_vec();
        for accident in accidents {
            happen(&mut bytes, accident);
        }
        let seen = walk(&bytes, true);
        for (_, header) in &seen.batches {
            // Offset and epoch are not under the checksum.
            let is_it = |(_, one): &(u64, BatchHeader)| {
                BatchHeader { base_offset: one.base_offset, leader_epoch: one.leader_epoch, ..*header } == *one
            };
            prop_assert!(written.batches.iter().any(is_it), "{header:?}");
        }
        walk(&bytes, false);
    }

    #[test]
    fn random_bytes_end(bytes in proptest::collection::vec(prop_oneof![Just(0u8), Just(2), any::<u8>()], 0..600)) {
        walk(&bytes, true);
        walk(&bytes, false);
    }

    /// Any whole batches of any sizes are read as they were written, with or without their records.
    #[test]
    fn what_was_written_is_read(
        sizes in proptest::collection::vec((0..20_000usize, 1..50i32, 0..3i64), 1..40),
        base in 0..1_000_000i64,
    ) {
        let (mut bytes, mut expected, mut offset, mut missing) = (Vec::new(), Vec::new(), base, base);
        for (size, records, gap) in sizes {
            offset += gap;
            missing += gap;
            let batch = Batch { last_offset_delta: records - 1, records, ..Batch::new(offset, size) };
            expected.push((bytes.len() as u64, offset, records));
            offset += i64::from(records);
            bytes.extend(batch.bytes());
        }
        for check_crc in [false, true] {
            let seen = walk(&bytes, check_crc);
            let got: Vec<_> =
                seen.batches.iter().map(|(position, it)| (*position, it.base_offset, it.records)).collect();
            prop_assert_eq!(&got, &expected);
            prop_assert_eq!(seen.findings.len(), usize::from(missing > 0));
        }
    }
}
