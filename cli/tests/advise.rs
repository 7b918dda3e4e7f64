//! `tollgate advise` as an operator runs it, on log directories made by hand; java/it compares it with Kafka's own tool on real ones.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::batch::Batch;
use common::broker::{batch, everything, segment, snapshot, LogDir, CONTROL, TRANSACTIONAL};
use common::directory;
use serde_json::Value;

const HOUR: i64 = 3_600_000;
/// A full hour some time ago.
const START: i64 = 1_700_000_000_000 / HOUR * HOUR;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tollgate")).arg("advise").args(arguments).output().unwrap()
}

fn path(directory: &LogDir) -> &str {
    directory.0.to_str().unwrap()
}

/// JSON and exit status.
fn json(directory: &LogDir, arguments: &[&str]) -> (Value, i32) {
    let output = run(&[&[path(directory), "--json"], arguments].concat());
    let answer = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (answer, output.status.code().unwrap())
}

/// Two topics: a service of three long-lived producers, and clicks that make a producer each; one producer of the service is
/// older than the log, one writes to both its partitions, and one transaction.
fn two_topics(test: &str) -> LogDir {
    let log = LogDir::new(directory(test), 1);
    let every_ten = |producer_id: i64, from: i32| {
        (from..from + 30).map(move |i| batch(producer_id, i, START + i64::from(i) * 600_000))
    };
    let mut service: Vec<Batch> = every_ten(1, 0).chain(every_ten(2, 5)).collect();
    service.sort_by_key(|batch| batch.time_ms);
    log.segment("orders-0", 0, &service[..40]);
    log.segment("orders-0", 40, &service[40..]);
    let transactional = Batch { attributes: TRANSACTIONAL, records: 3, ..batch(3, 0, START) };
    let marker = Batch { attributes: TRANSACTIONAL | CONTROL, ..batch(3, -1, START + 1_000) };
    log.segment("orders-1", 7, &[batch(1, 0, START + 60_000), transactional, marker, batch(-1, -1, START)]);
    log.write(
        "orders-1",
        "00000000000000000010.snapshot",
        &snapshot(1, &[(3, START), (99, START - 100 * HOUR)]),
    );
    let clicks: Vec<Batch> = (0..300).map(|i| batch(1_000 + i, 0, START + i * 20_000)).collect();
    log.segment("clicks-0", 0, &clicks);
    log
}

#[test]
fn counts_by_partition_principal_and_in_all() {
    let (answer, status) = json(&two_topics("advise_counts"), &[]);
    assert_eq!(
        (status, &answer["skipped"], &answer["sampled_one_in"]),
        (0, &0.into(), &1.into()),
        "{answer}"
    );
    assert_eq!(answer["as_of_ms"], START + 34 * 600_000);
    let total = &answer["total"];
    for (field, value) in [
        ("batches", 60 + 4 + 300),
        ("records", 60 + 6 + 300),
        ("control_batches", 1),
        ("batches_without_producer_id", 1),
        ("producer_ids", 303),
        ("transactional", 1),
        ("seen_once", 301),
        ("short_lived", 301),
        ("new", 302),
        ("older_than_log", 1),
        ("alive", 303),
        ("entries", 304),
    ] {
        assert_eq!(total[field], value, "{field}: {total}");
    }
    assert_eq!(total["new_per_hour"], serde_json::json!({"hours": 6, "median": 0, "p95": 182, "most": 182}));
    // 29 pauses of ten minutes each; the minute on another partition is none.
    assert_eq!(
        total["returns"],
        serde_json::json!({"count": 58, "median_s": 600, "p95_s": 600, "most_s": 600})
    );
    let partition = |topic: &str, partition: u32| {
        let rows = answer["partitions"].as_array().unwrap();
        rows.iter().find(|row| row["topic"] == topic && row["partition"] == partition).unwrap().clone()
    };
    let orders = partition("orders", 1);
    assert_eq!(
        (&orders["producer_ids"], &orders["alive"], &orders["batches"]),
        (&2.into(), &2.into(), &4.into()),
        "{orders}"
    );
    assert_eq!(partition("orders", 0)["older_than_log"], 1);
    let principals: Vec<&str> =
        answer["principals"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(principals, ["clicks", "orders"]);
}

#[test]
fn the_quota_bounds_who_throws_producers_away_and_no_other() {
    let (answer, _) = json(&two_topics("advise_quota"), &[]);
    assert_eq!(answer["recommendation"]["producer_ids_rate"], 10.0, "{}", answer["recommendation"]);
    let candidates = answer["candidates"].as_array().unwrap();
    let of = |rate: f64| candidates.iter().find(|candidate| candidate["rate_per_hour"] == rate).unwrap();
    // Ten at once, then one in six minutes; 300 come in 5,980 seconds.
    assert_eq!(
        (&of(10.0)["throttled_ids"], &of(10.0)["principals_throttled"]),
        (&274.into(), &1.into()),
        "{}",
        of(10.0)
    );
    let throttled: Vec<u64> =
        candidates.iter().map(|candidate| candidate["throttled_ids"].as_u64().unwrap()).collect();
    assert!(throttled.windows(2).all(|pair| pair[0] > pair[1]), "{throttled:?}");
    let reasons = answer["recommendation"]["reasons"].to_string();
    assert!(
        reasons.contains("clicks makes producers that it soon throws away")
            && !reasons.contains("orders makes"),
        "{reasons}"
    );
}

#[test]
fn a_file_says_whose_topics_are() {
    let log = two_topics("advise_principals");
    let file = log.0.join("../advise_principals.csv");
    fs::write(&file, "topic,principal\norders,shop\nclicks*,shop\n").unwrap();
    let names = |arguments: &[&str]| -> Vec<String> {
        let (answer, _) = json(&log, arguments);
        answer["principals"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&["--principals", file.to_str().unwrap()]), ["shop"]);
    assert_eq!(names(&["--one-principal"]), ["all"]);
}

#[test]
fn the_report_for_people_has_what_json_has() {
    let output = run(&[path(&two_topics("advise_text"))]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "Read 4 segments and 1 producer snapshot of 3 partitions",
        "303 in 364 batches of 366 records",
        "0 at the median, 182 in 95 % of hours at most, 182 in the busiest",
        "58 times; after 10m at the median",
        "clicks !",
        "Recommended: producer_ids_rate=10, a window of 1h in 4 layers",
        "    producer.id.quota.default.rate=10\n  What it costs:\n    tollgate size --rate 10 --window 1h --layers 4 --principals 2",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn nothing_is_written_to_the_directories() {
    let log = two_topics("advise_read_only");
    let before = everything(&log.0);
    let (_, status) = json(&log, &["--check-crc", "--threads", "7"]);
    assert_eq!(status, 0);
    assert!(everything(&log.0) == before);
}

#[test]
fn more_ids_than_memory_has_room_for_are_estimated() {
    let log = LogDir::new(directory("advise_memory"), 1);
    for partition in 0..4i64 {
        let batches: Vec<Batch> =
            (0..100_000).map(|i| batch(partition / 2 * 100_000 + i, 0, START + i * 36 + partition)).collect();
        log.segment(&format!("flood-{partition}"), 0, &batches);
    }
    let (answer, status) = json(&log, &["--memory", "1", "--rate", "1000"]);
    let one_in = answer["sampled_one_in"].as_u64().unwrap();
    assert!(status == 0 && one_in >= 16, "{one_in}");
    let kept = 200_000.0 / one_in as f64;
    for (field, exact) in [("producer_ids", 200_000.0), ("new", 200_000.0), ("alive", 200_000.0)] {
        let estimate = answer["total"][field].as_f64().unwrap();
        assert!((estimate / exact - 1.0).abs() < 5.0 / kept.sqrt(), "{field}: {estimate} for {exact}");
    }
    assert_eq!(answer["total"]["batches"], 400_000);
    // A quota is tried on as much less of it: 1,000 at once, and 1,000 more in the hour.
    let candidates = answer["candidates"].as_array().unwrap();
    let tried = candidates.iter().find(|tried| tried["rate_per_hour"] == 1_000.0).unwrap();
    let throttled = tried["throttled_ids"].as_f64().unwrap();
    assert!((throttled / 198_000.0 - 1.0).abs() < 5.0 / kept.sqrt(), "{throttled}");
}

#[test]
fn what_is_skipped_is_named_and_the_status_says_so() {
    let log = LogDir::new(directory("advise_damage"), 1);
    let good: Vec<Batch> = (0..20).map(|i| batch(i, 0, START)).collect();
    let mut damaged = segment(0, &good);
    let length = good[0].bytes().len();
    damaged[5 * length + 16] = 9;
    let path = log.write("orders-0", "00000000000000000000.log", &damaged);
    log.write("orders-0", "00000000000000000020.snapshot", &snapshot(3, &[]));
    let (answer, status) = json(&log, &[]);
    assert_eq!(
        (status, &answer["skipped"], &answer["total"]["producer_ids"]),
        (2, &2.into(), &19.into()),
        "{answer}"
    );
    let finding = &answer["findings"][0];
    assert_eq!(
        (finding["file"].as_str(), finding["offset"].as_u64()),
        (path.to_str(), Some(5 * length as u64)),
        "{finding}"
    );
    assert_eq!(answer["findings"][1]["kind"], "unknown-snapshot-version", "{answer}");
    let text = String::from_utf8(run(&[log.0.to_str().unwrap()]).stdout).unwrap();
    assert!(text.contains(&format!("skipped: {} at {}: ", path.display(), 5 * length)), "{text}");
}

#[test]
fn a_body_s_damage_is_found_when_asked() {
    let log = LogDir::new(directory("advise_crc"), 1);
    let mut damaged = segment(0, &[batch(1, 0, START), batch(2, 0, START)]);
    damaged[70] ^= 1;
    log.write("orders-0", "00000000000000000000.log", &damaged);
    assert_eq!(json(&log, &[]).1, 0);
    let (answer, status) = json(&log, &["--check-crc"]);
    assert_eq!((status, &answer["total"]["producer_ids"]), (2, &1.into()), "{answer}");
}

#[test]
fn a_trace_replayed_as_on_a_broker_says_the_same() {
    let log = two_topics("advise_trace");
    let trace = log.0.join("../advise_trace.csv");
    let (answer, status) = json(&log, &["--rate", "10", "--trace", trace.to_str().unwrap()]);
    assert_eq!(status, 0);
    let text = fs::read_to_string(&trace).unwrap();
    assert!(
        text.starts_with(&format!(
            "time_ms,principal,producer_id,held\n{START},orders,1,0\n{START},orders,3,0\n{START},clicks,1000,0\n"
        )),
        "{}",
        &text[..100]
    );
    assert_eq!(text.lines().filter(|line| line.contains(",clicks,")).count(), 300);
    let output = Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .args(["replay", trace.to_str().unwrap(), "--rate", "10", "--expiration", "24h", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("{},orders,2,1\n", START + 3_000_000)), "2 is older than the log");
    let replayed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tried = &answer["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tried| tried["rate_per_hour"] == 10.0)
        .unwrap();
    assert_eq!(replayed["outcomes"][0]["throttled_ids"], tried["throttled_ids"], "{replayed}");
}

#[test]
fn without_a_producer_id_nothing_is_recommended() {
    let log = LogDir::new(directory("advise_nothing"), 1);
    log.segment("orders-0", 0, &[batch(-1, -1, START)]);
    let (answer, status) = json(&log, &["--rate", "10"]);
    assert_eq!(
        (status, &answer["recommendation"], &answer["candidates"]),
        (0, &Value::Null, &serde_json::json!([]))
    );
    let text = String::from_utf8(run(&[path(&log)]).stdout).unwrap();
    assert!(
        text.contains("there is nothing to recommend a quota by") && !text.contains("default.rate"),
        "{text}"
    );
    let html = log.0.join("../advise_nothing.html");
    assert_eq!(run(&[path(&log), "--html", html.to_str().unwrap()]).status.code(), Some(0));
    assert!(!fs::read_to_string(html).unwrap().contains("Recommended"));
}

#[test]
fn the_page_has_the_recommendation_to_paste_and_loads_nothing() {
    let log = two_topics("advise_page");
    let html = log.0.join("../advise_page.html");
    assert_eq!(run(&[path(&log), "--html", html.to_str().unwrap()]).status.code(), Some(0));
    let page = fs::read_to_string(html).unwrap();
    for part in [
        "<pre>producer.id.quota.default.rate=10</pre>",
        "<pre>tollgate size --rate 10 --window 1h --layers 4 --principals 2 --partitions 2</pre>",
        "New producer IDs per minute, by principal",
        "Pauses between two sights of an ID",
        "Memory of the engine under the recommended quota",
        "clicks !",
    ] {
        assert!(page.contains(part), "{part}");
    }
    common::assert_loads_nothing_from_anywhere(&page);
}

/// At any time: while it reads, and while it tries quotas.
#[test]
fn stopped_it_leaves_no_file_behind() {
    let log = LogDir::new(directory("advise_stopped"), 1);
    let batches: Vec<Batch> = (0..200_000).map(|i| batch(i, 0, START + i * 100)).collect();
    log.segment("flood-0", 0, &batches);
    let html = log.0.join("../advise_stopped.html");
    let part = log.0.join("../advise_stopped.html.part");
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tollgate"))
            .args(["advise", path(&log), "--rate", "7", "--html", html.to_str().unwrap()])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !part.exists() {
            assert!(child.try_wait().unwrap().is_none(), "done before it could be stopped");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(kill.success() && !part.exists() && !html.exists());
        assert_eq!(output.status.code(), Some(130));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "tollgate: stopped; nothing was written\n");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let one = two_topics("advise_one");
    let other = LogDir::new(directory("advise_other"), 2);
    other.segment("orders-0", 0, &[batch(1, 0, START)]);
    let failed = |arguments: &[&str], part: &str| {
        let output = run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(part), "{said}");
    };
    failed(&[path(&one), path(&other)], "belong to different brokers");
    failed(&["/nowhere/at/all"], "/nowhere/at/all");
    failed(&[one.0.join("orders-0").to_str().unwrap()], path(&one));
    failed(&[], "LOG_DIR");
    failed(&[path(&one), "--trace", "/nowhere/at/all/trace.csv"], "/nowhere/at/all/trace.csv");
    failed(&[path(&one), "--memory", "0"], "1..=1048576");
    failed(&[path(&one), "--rate", "0"], "--rate = 0: must be a finite number above 0");
    assert!(!Path::new("/nowhere").exists());
    failed(&[path(&one), &format!("{}/.", path(&one))], "is given twice");
    let inside = one.0.join("report.html");
    failed(
        &[path(&one), "--html", inside.to_str().unwrap()],
        "to which nothing is written: give another place",
    );
    assert!(!inside.exists());
    failed(&[path(&one), "--at", "2020-01-01T00:00:00Z"], "must not be before the newest batch");
    let other_software = directory("advise_no_broker");
    fs::create_dir_all(other_software.join("polkit-1")).unwrap();
    failed(&[other_software.to_str().unwrap()], "is no log directory of a Kafka broker");
}
