#![no_main]

#[path = "../bodies/producer_snapshot.rs"]
mod producer_snapshot;

libfuzzer_sys::fuzz_target!(|data: &[u8]| producer_snapshot::producer_snapshot(data));
