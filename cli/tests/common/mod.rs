//! What the tests of the tool share.

#![allow(dead_code, unused_imports, reason = "each of them takes what it needs")]

pub mod batch;
pub mod broker;
mod picture;
pub mod seen;

use std::fs;
use std::path::{Path, PathBuf};

pub use picture::*;

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
