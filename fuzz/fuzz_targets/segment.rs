#![no_main]
#![allow(dead_code, reason = "each target uses a part of the input")]

#[path = "../bodies/input.rs"]
mod input;
#[path = "../bodies/segment.rs"]
mod segment;

libfuzzer_sys::fuzz_target!(|data: &[u8]| segment::segment(data));
