//! What the tests of the tool share.

#![allow(dead_code, unused_imports, reason = "each of them takes what it needs")]

pub mod batch;
pub mod broker;
mod picture;
pub mod seen;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use picture::*;

/// 2026-11-30 18:25 UTC, milliseconds since 1970.
pub const START: u64 = 1_796_063_100_000;

/// The tool with one of its commands.
pub fn tollgate(command: &str) -> Command {
    let mut tollgate = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    tollgate.arg(command);
    tollgate
}

/// A directory of its own for each test.
pub fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Nothing in light colours only, also where the picture stands alone.
pub fn assert_every_colour_follows_the_theme(svg: &str) {
    assert!(svg.contains("@media (prefers-color-scheme: dark){"));
    assert_every_colour_has_a_class(svg);
}
