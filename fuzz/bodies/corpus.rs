//! Runs a fuzzer's corpus once more, without a fuzzer: for the tests.

use std::fs;
use std::path::Path;

/// Each file of a target's corpus, in the repository at `root`; at least `least`, or the folder was lost.
pub fn replay(root: &Path, target: &str, least: usize, run: fn(&[u8])) {
    let folder = root.join("fuzz/corpus").join(target);
    let files: Vec<_> =
        fs::read_dir(&folder).expect("a corpus").map(|file| file.expect("a file").path()).collect();
    assert!(files.len() >= least, "{} files in {}", files.len(), folder.display());
    for file in files {
        // The name comes first, so that a crash says which file did it.
        println!("{}", file.display());
        run(&fs::read(file).expect("a file"));
    }
}
