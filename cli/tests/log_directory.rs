//! Log directories as brokers leave them, and what else may lie there.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tollgate_cli::kafka_log::{producer_snapshot, FindingKind, Item, LogDirectory, Segment};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Kind, path within the directory and text of each finding.
fn findings(directory: &LogDirectory) -> Vec<(FindingKind, String, String)> {
    let within = |path: &Path| path.strip_prefix(&directory.path).unwrap().display().to_string();
    directory.findings.iter().map(|it| (it.kind, within(&it.path), it.text.clone())).collect()
}

#[test]
fn a_brokers_directory_gives_its_partitions_and_files() {
    let directory = LogDirectory::read(&fixture("kafka-4.4.0")).unwrap();
    assert_eq!(directory.cluster_id.as_deref(), Some("MkU3OEVBNTcwNTJENDM2Qg"));
    assert_eq!(directory.node_id, Some(1));
    let partitions: Vec<_> = directory
        .partitions
        .iter()
        .map(|it| {
            let files = |files: &[tollgate_cli::kafka_log::File]| {
                files.iter().map(|file| (file.offset, file.bytes)).collect::<Vec<_>>()
            };
            (&it.topic[..], it.partition, it.is_compacted, files(&it.segments), files(&it.snapshots))
        })
        .collect();
    assert_eq!(
        partitions,
        [
            ("accounts", 0, true, vec![(0, 316), (30, 153)], vec![(30, 194)]),
            ("clicks", 0, false, vec![(0, 4096)], vec![]),
            ("orders", 0, false, vec![(0, 946)], vec![(16, 148)]),
        ]
    );
    let deleted = "A file that is about to be deleted is left out.".to_owned();
    assert_eq!(
        findings(&directory),
        ["0.log", "9.log", "9.snapshot"].map(|it| {
            let file = format!("accounts-0/{}{it}.deleted", "0".repeat(19));
            (FindingKind::Leftover, file, deleted.clone())
        })
    );
}

#[test]
fn what_the_broker_does_not_read_is_named_and_left_out() {
    let root = common::directory("leftovers");
    let log = "00000000000000000000.log";
    write(root.join("orders-0").join(log), "");
    for name in ["orders-0.0123456789abcdef0123456789abcdef-future", "old-3.0f-delete", "gone-1.0f-stray"] {
        write(root.join(name).join(log), "");
    }
    for name in
        ["00000000000000000005.log.cleaned", "00000000000000000005.log.swap", "backup.log", "1.snapshot"]
    {
        write(root.join("orders-0").join(name), "");
    }
    // Neither of these holds batches.
    for name in
        ["orders-0/00000000000000000000.index", "orders-0/leader-epoch-checkpoint", "lost+found/x.log"]
    {
        write(root.join(name), "");
    }
    let directory = LogDirectory::read(&root).unwrap();
    assert_eq!(directory.partitions.len(), 1);
    assert_eq!(directory.partitions[0].segments.len(), 1);
    let names: Vec<_> = findings(&directory).into_iter().map(|(kind, path, _)| (kind, path)).collect();
    assert_eq!(
        names,
        [
            "gone-1.0f-stray",
            "old-3.0f-delete",
            "orders-0/00000000000000000005.log.cleaned",
            "orders-0/00000000000000000005.log.swap",
            "orders-0/1.snapshot",
            "orders-0/backup.log",
            "orders-0.0123456789abcdef0123456789abcdef-future",
        ]
        .map(|it| (FindingKind::Leftover, it.to_owned()))
    );
    assert!(directory.findings.iter().all(|it| !it.kind.is_skip()));
}

#[test]
fn partitions_and_files_come_in_order() {
    let root = common::directory("order");
    for name in
        ["b-10/00000000000000000100.log", "b-2/00000000000000000007.log", "a-0/00000000000000000000.log"]
    {
        write(root.join(name), "");
    }
    write(root.join("b-2/00000000000000000000.log"), "");
    let directory = LogDirectory::read(&root).unwrap();
    let partitions: Vec<_> = directory.partitions.iter().map(|it| (&it.topic[..], it.partition)).collect();
    assert_eq!(partitions, [("a", 0), ("b", 2), ("b", 10)]);
    let offsets: Vec<_> = directory.partitions[1].segments.iter().map(|it| it.offset).collect();
    assert_eq!(offsets, [0, 7]);
}

#[test]
fn tiered_storage_is_named_and_which_offsets_are_elsewhere() {
    let root = common::directory("tiered");
    write(root.join("orders-0/00000000000000000700.log"), "");
    write(root.join("orders-1/00000000000000000000.log"), "");
    fs::create_dir_all(root.join("remote-log-index-cache")).unwrap();
    write(root.join("log-start-offset-checkpoint"), "0\n2\norders 0 20\norders 1 0\n");
    let directory = LogDirectory::read(&root).unwrap();
    assert_eq!(
        findings(&directory),
        [
            ("orders-0", "The offsets 20 to 699 are in tiered storage and are not read."),
            (
                "remote-log-index-cache",
                "The broker has tiered storage: older segments may lie elsewhere and are not read."
            ),
        ]
        .map(|(path, text)| (FindingKind::TieredStorage, path.to_owned(), text.to_owned()))
    );
}

#[test]
fn properties_of_an_older_broker_and_damaged_ones_do_no_harm() {
    let root = common::directory("properties");
    write(root.join("orders-0/00000000000000000000.log"), "");
    write(root.join("meta.properties"), "#\nbroker.id=7\nversion=0\ncluster.id=a\\=b\n");
    write(root.join("cleaner-offset-checkpoint"), "0\nfive\norders\norders 0 many\n\u{0}");
    let directory = LogDirectory::read(&root).unwrap();
    assert_eq!((directory.node_id, directory.cluster_id.as_deref()), (Some(7), Some("a=b")));
    assert!(!directory.partitions[0].is_compacted);
    write(root.join("meta.properties"), "node.id=seven\n");
    let directory = LogDirectory::read(&root).unwrap();
    assert_eq!((directory.node_id, directory.cluster_id), (None, None));
}

#[test]
fn partitions_behind_links_are_read_and_pipes_are_not_opened() {
    let root = common::directory("links");
    let elsewhere = common::directory("links-elsewhere");
    write(elsewhere.join("00000000000000000000.log"), "");
    symlink(&elsewhere, root.join("orders-0")).unwrap();
    symlink("nowhere", root.join("orders-1")).unwrap();
    symlink("orders-2", root.join("orders-2")).unwrap();
    let pipe = elsewhere.join("00000000000000000009.log");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let directory = LogDirectory::read(&root).unwrap();
    assert_eq!(directory.partitions[0].segments.len(), 1);
    let names: Vec<_> = findings(&directory).into_iter().map(|(kind, path, _)| (kind, path)).collect();
    assert_eq!(
        names,
        ["orders-0/00000000000000000009.log", "orders-1", "orders-2"]
            .map(|it| (FindingKind::Unreadable, it.to_owned()))
    );
    assert!(Segment::open(&pipe, false).is_err());
}

#[test]
fn a_directory_that_is_none_says_what_one_looks_like() {
    let root = common::directory("none");
    let said = LogDirectory::read(&root.join("missing")).unwrap_err();
    assert!(said.starts_with("can't read ") && said.contains("missing: No such file"), "{said}");
    let said = LogDirectory::read(&root).unwrap_err();
    assert!(said.contains(" is no log directory of a Kafka broker: it has no partition in it"), "{said}");
    assert!(said.contains("named TOPIC-NUMBER, such as orders-0"), "{said}");
    // A file of that name is no partition.
    write(root.join("orders-0"), "");
    assert!(LogDirectory::read(&root).is_err());
}

#[test]
fn a_partitions_own_directory_says_to_give_its_parent() {
    let said = LogDirectory::read(&fixture("kafka-4.4.0/orders-0")).unwrap_err();
    let parent = fixture("kafka-4.4.0").canonicalize().unwrap();
    let expected =
        format!("is one partition's directory: give the log directory that it is in, {}", parent.display());
    assert!(said.ends_with(&expected), "{said}");
}

#[test]
fn a_terabyte_of_preallocated_zeros_is_not_read() {
    let file = common::directory("preallocated").join("00000000000000000000.log");
    fs::copy(fixture("kafka-4.4.0/clicks-0/00000000000000000000.log"), &file).unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_len(1 << 40).unwrap();
    let before = std::time::Instant::now();
    let items: Vec<_> = Segment::open(&file, false).unwrap().collect();
    assert!(before.elapsed().as_secs() < 10, "{:?}", before.elapsed());
    assert_eq!(items.len(), 3);
    let Item::Finding(note) = &items[2] else { panic!("{items:?}") };
    assert_eq!(
        note.text,
        "The last 1,099,511,627,612 bytes of the file are zeros: nothing was written there yet."
    );
}

#[test]
fn a_snapshot_larger_than_the_buffer_is_read_in_pieces() {
    let count = 20_000;
    let mut bytes = vec![0, 1, 0, 0, 0, 0];
    bytes.extend(20_000i32.to_be_bytes());
    for id in 0..count {
        bytes.extend(i64::from(id).to_be_bytes());
        bytes.extend([7; 38]);
    }
    let crc = crc32c::crc32c(&bytes[6..]);
    bytes[2..6].copy_from_slice(&crc.to_be_bytes());
    let file = common::directory("large-snapshot").join("00000000000000000001.snapshot");
    fs::write(&file, &bytes).unwrap();
    let all = producer_snapshot::read(&file).unwrap();
    assert!(all.iter().map(|it| it.producer_id).eq(0..i64::from(count)));
    assert_eq!(all, producer_snapshot::parse(&bytes).unwrap());
    // The last byte is checked before the first entry is given.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, &bytes).unwrap();
    let Err(finding) = producer_snapshot::entries(&file) else { panic!("opened") };
    assert_eq!((finding.kind, finding.skipped_bytes), (FindingKind::DamagedSnapshot, 920_010));
}
