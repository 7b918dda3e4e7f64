//! The corpus of the fuzzers that read a broker's files, run once more without a fuzzer; `make fuzz` goes on from there.

#[path = "../../fuzz/bodies/corpus.rs"]
mod corpus;
#[allow(dead_code, reason = "each fuzzer uses a part of the input")]
#[path = "../../fuzz/bodies/input.rs"]
mod input;
#[path = "../../fuzz/bodies/producer_snapshot.rs"]
mod producer_snapshot;
#[path = "../../fuzz/bodies/segment.rs"]
mod segment;

use std::path::Path;

#[test]
fn segment_corpus() {
    corpus::replay(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), "segment", 20, segment::segment);
}

#[test]
fn producer_snapshot_corpus() {
    corpus::replay(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."),
        "producer_snapshot",
        5,
        producer_snapshot::producer_snapshot,
    );
}
