#![no_main]
#![allow(dead_code, reason = "each target uses a part of the input")]

#[path = "../bodies/input.rs"]
mod input;
#[path = "../bodies/abi.rs"]
mod abi;

libfuzzer_sys::fuzz_target!(|data: &[u8]| abi::abi(data));
