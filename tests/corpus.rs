//! The fuzzers' corpus, run once more without a fuzzer, and what small random inputs find; `make fuzz` goes on from there.

#[path = "../fuzz/bodies/abi.rs"]
mod abi;
#[path = "../fuzz/bodies/corpus.rs"]
mod corpus;
#[path = "../fuzz/bodies/input.rs"]
mod input;
#[path = "../fuzz/bodies/restore.rs"]
mod restore;

use std::path::Path;

#[test]
fn abi_corpus() {
    corpus::replay(Path::new(env!("CARGO_MANIFEST_DIR")), "abi", 50, abi::abi);
}

#[test]
fn restore_corpus() {
    corpus::replay(Path::new(env!("CARGO_MANIFEST_DIR")), "restore", 20, restore::restore);
}

/// Seeded, so that what fails once fails again.
#[test]
fn abi_random_calls() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for round in 0..400u64 {
        let length = 50 + round * 20;
        let data: Vec<u8> = (0..length)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        abi::abi(&data);
    }
}
