//! `tollgate advise` beside a broker that writes, rolls and deletes: whatever it meets, nothing of that is damage.

mod common;

use std::fs::{self, File};
use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use common::batch::Batch;
use common::broker::{batch, LogDir};
use common::directory;
use serde_json::Value;

/// As a broker appends: one write for each batch, a new segment now and then, the oldest deleted.
fn broker(log: &LogDir, stop: &AtomicBool, written: &AtomicU64) {
    let mut open: Option<(File, usize)> = None;
    let mut segments = Vec::new();
    for offset in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let (file, batches) = open.get_or_insert_with(|| {
            let path = log.write("orders-0", &format!("{offset:020}.log"), &[]);
            segments.push(path.clone());
            if segments.len() > 3 {
                fs::remove_file(segments.remove(0)).unwrap();
            }
            (File::options().append(true).open(path).unwrap(), 0)
        });
        let large = Batch {
            base_offset: offset,
            body: vec![7; 300_000],
            ..batch(offset % 50, 0, 1_700_000_000_000 + offset)
        };
        file.write_all(&large.bytes()).unwrap();
        written.fetch_add(1, Ordering::Relaxed);
        *batches += 1;
        if *batches == 20 {
            open = None;
        }
    }
}

#[test]
fn a_live_brokers_writes_rolls_and_deletions_are_no_damage() {
    let log = LogDir::new(directory("advise_live"), 1);
    log.segment("audit-0", 0, &[batch(999, 0, 1_700_000_000_000)]);
    let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| broker(&log, &stop, &written));
        while written.load(Ordering::Relaxed) < 30 {
            thread::yield_now();
        }
        for round in 0..40 {
            let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
                .args(["advise", log.0.to_str().unwrap(), "--json", "--check-crc"])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let answer: Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
            if output.status.code() != Some(0) || answer["skipped"] != 0 {
                stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {} {said}", answer["findings"]);
            }
            let ids = answer["total"]["producer_ids"].as_u64().unwrap();
            if !(1..=51).contains(&ids) {
                stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {ids} IDs");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(written.load(Ordering::Relaxed) > 100, "the broker wrote all the while");
}
