#![no_main]
#![allow(dead_code, reason = "each target uses a part of the input")]

#[path = "../bodies/input.rs"]
mod input;
#[path = "../bodies/restore.rs"]
mod restore;

libfuzzer_sys::fuzz_target!(|data: &[u8]| restore::restore(data));
