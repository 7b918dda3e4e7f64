//! The corpus of the fuzzers that read a broker's files, run once more without a fuzzer; `make fuzz` goes on from there.

#[allow(dead_code, reason = "each fuzzer uses a part of the input")]
#[path = "../../fuzz/bodies/input.rs"]
mod input;
#[path = "../../fuzz/bodies/producer_snapshot.rs"]
mod producer_snapshot;
#[path = "../../fuzz/bodies/segment.rs"]
mod segment;

use std::fs;
use std::path::Path;

/// Each file of a target's corpus; at least `least`, or the folder was lost.
fn replay(target: &str, least: usize, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let files: Vec<_> =
        fs::read_dir(&folder).expect("a corpus").map(|file| file.expect("a file").path()).collect();
    assert!(files.len() >= least, "{} files in {}", files.len(), folder.display());
    for file in files {
        // The name comes first, so that a crash says which file did it.
        println!("{}", file.display());
        run(&fs::read(file).expect("a file"));
    }
}

#[test]
fn segment_corpus() {
    replay("segment", 20, segment::segment);
}

#[test]
fn producer_snapshot_corpus() {
    replay("producer_snapshot", 5, producer_snapshot::producer_snapshot);
}
