//! `tollgate replay` as an operator runs it.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{assert_loads_nothing_from_anywhere, directory, tollgate, START};
use serde_json::Value;

const MINUTE: u64 = 60_000;

fn replay(trace: &Path, arguments: &[&str]) -> Output {
    tollgate("replay").arg(trace).args(arguments).output().unwrap()
}

fn stdout(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: Output) -> Value {
    serde_json::from_str(&stdout(output)).unwrap()
}

/// Two days: an application with ten producers, batches whose ten IDs come back every 50 minutes, and for two hours a client that
/// makes a producer a minute and sends with it twice.
fn sights() -> Vec<(u64, &'static str, u64)> {
    let mut sights = Vec::new();
    for minute in 0..2 * 24 * 60 {
        let now = START + minute * MINUTE;
        sights.extend((0..10).filter(|id| (minute + id) % 5 == 0).map(|id| (now, "app", id)));
        if minute % 50 == 0 {
            sights.extend((100..110).map(|id| (now + 1, "batch <b>", id)));
        }
        if (600..720).contains(&minute) {
            sights.extend([(now + 2, "rogue, \"O\"", minute), (now + 900, "rogue, \"O\"", minute)]);
        }
    }
    sights
}

fn csv(directory: &Path) -> PathBuf {
    let mut text = String::from("time_ms,principal,producer_id\n");
    for (time_ms, principal, id) in sights() {
        writeln!(text, "{time_ms},\"{}\",{id}", principal.replace('"', "\"\"")).unwrap();
    }
    let path = directory.join("trace.csv");
    fs::write(&path, text).unwrap();
    path
}

fn json_lines(directory: &Path) -> PathBuf {
    let mut text = String::new();
    for (time_ms, principal, producer_id) in sights() {
        let line =
            serde_json::json!({"time_ms": time_ms, "principal": principal, "producer_id": producer_id});
        writeln!(text, "{line}").unwrap();
    }
    let path = directory.join("trace.jsonl");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn one_setting_is_told_in_a_table() {
    let directory = directory("replay-table");
    let text = stdout(replay(&csv(&directory), &["--rate", "20", "--window", "40m"]));
    for line in [
        "6,580 sights of 3 principals, 2026-11-30 18:25 to 2026-12-02 18:24 UTC",
        "A quota of 20 new producer IDs per hour and principal, window 40m, 4 layers",
        "  wrongly called known              0, 0 expected",
        "Throttled most",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
    let starts =
        |start: &str| assert!(text.lines().any(|printed| printed.starts_with(start)), "{start}\n{text}");
    starts("  new, admitted   ");
    starts("  remembered      ");
    starts("  throttled       \u{2581}\u{2581}");
    starts("  rogue, \"O\"  ");
    assert!(!text.contains("Note:"), "{text}");
}

#[test]
fn json_has_the_numbers_and_they_are_the_traces() {
    let directory = directory("replay-json");
    let answer = json(replay(&csv(&directory), &["--rate", "20", "--json"]));
    assert_eq!((&answer["sights"], &answer["skipped_lines"]), (&6_580.into(), &0.into()));
    assert_eq!((&answer["from_ms"], &answer["to_ms"]), (&START.into(), &(START + 2_879 * MINUTE).into()));
    assert_eq!(answer["ranked_by"], Value::Null);
    let outcome = &answer["outcomes"][0];
    assert_eq!(outcome["rate_per_hour"], 20.0);
    // All ten of the application and of the batches once: an hour bridges 50 minutes. The rogue's burst of 20, and 20 an hour, one
    // every three minutes: every third of its sights that comes in a minute.
    let known = outcome["known"].as_u64().unwrap();
    let admitted = outcome["admitted"].as_u64().unwrap();
    let throttled = outcome["throttled"].as_u64().unwrap();
    assert_eq!(known + admitted + throttled, 6_580);
    assert!((20 + 20 + 39..=20 + 20 + 41).contains(&admitted), "{outcome}");
    assert_eq!(outcome["principals_throttled"], 1);
    assert_eq!(outcome["worst"][0]["principal"], "rogue, \"O\"");
    assert_eq!(outcome["worst"][0]["throttled"], throttled);
    assert_eq!(outcome["throttled_ids"].as_u64().unwrap(), 120 - (admitted - 20));
    assert_eq!(
        (&outcome["forgotten_too_soon_found"], &outcome["forgotten_against_promise"]),
        (&0.into(), &0.into())
    );
    let points = outcome["over_time"].as_array().unwrap();
    assert!((256..=512).contains(&points.len()));
    let in_steps: u64 = points.iter().map(|point| point["throttled"].as_u64().unwrap()).sum();
    assert_eq!(in_steps, throttled);
}

#[test]
fn each_form_of_the_trace_says_the_same() {
    let directory = directory("replay-forms");
    let (csv, lines) = (csv(&directory), json_lines(&directory));
    let outcomes = |output: Output| json(output)["outcomes"].clone();
    let thousands = replay(&csv, &["--rate", "1,000", "--json"]);
    assert_eq!(outcomes(thousands), outcomes(replay(&csv, &["--rate", "1000", "--json"])));
    let expected = outcomes(replay(&csv, &["--rate", "20", "--json"]));
    assert_eq!(outcomes(replay(&lines, &["--rate", "20", "--json"])), expected);
    let file = fs::File::open(&lines).unwrap();
    let piped = tollgate("replay").args(["-", "--rate", "20", "--json"]).stdin(file).output().unwrap();
    assert_eq!(outcomes(piped), expected);
}

#[test]
fn several_settings_are_ranked_in_one_pass_and_the_choice_has_its_reason() {
    let directory = directory("replay-compare");
    let trace = csv(&directory);
    let compare = ["--rate", "20", "--compare", "window=30m,1h", "layers=4,8", "--json"];
    let answer = json(replay(&trace, &compare));
    let outcomes = answer["outcomes"].as_array().unwrap();
    let shapes: Vec<_> =
        outcomes.iter().map(|o| (o["window_ms"].as_u64().unwrap(), o["layers"].as_u64().unwrap())).collect();
    assert_eq!(shapes, [(30 * MINUTE, 4), (30 * MINUTE, 8), (60 * MINUTE, 4), (60 * MINUTE, 8)]);
    // The batches' IDs, each time they come back but where one found no token.
    assert!(outcomes[0]["charged_again"].as_u64().unwrap() > 500, "{}", outcomes[0]["charged_again"]);
    let alone = json(replay(&trace, &["--rate", "20", "--layers", "8", "--json"]));
    let mut beside = outcomes[3].clone();
    beside["charged_again"] = alone["outcomes"][0]["charged_again"].clone();
    assert_eq!(beside, alone["outcomes"][0], "as if it were alone");
    let best = answer["taken"][0]["outcome"].as_u64().unwrap();
    assert!(best >= 2, "an hour bridges the pauses: {}", answer["taken"]);
    assert_eq!(answer["taken"][0]["ranking"].as_array().unwrap().len(), 4);

    let text = stdout(replay(&trace, &compare[..5]));
    assert!(text.contains("\n> 20 an hour      1h "), "{text}");
    assert!(
        text.contains(
            "\n>: the best. Throttled: calls, of so many IDs and principals. Charged again: though seen"
        ),
        "{text}"
    );
    assert!(text.contains("1h 15m before. Wrongly known: new, and"), "{text}");
    assert!(text.contains("\nRanked by: fewest IDs charged again (less than one in a thousand"), "{text}");
    assert!(text.contains("\nTake: window 1h, "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn what_a_quota_throttles_is_listed_and_not_ranked() {
    let directory = directory("replay-rates");
    let text = stdout(replay(&csv(&directory), &["--compare", "rate=5,20,none"]));
    for quota in ["  5 an hour", "  20 an hour", "  no quota"] {
        assert!(text.lines().any(|line| line.starts_with(quota)), "{text}");
    }
    assert!(
        text.contains("\nThrottled: calls, of so many IDs and principals."),
        "the columns have their meaning\n{text}"
    );
    assert!(!text.contains("Take") && !text.contains("Ranked") && !text.contains('>'), "{text}");
}

#[test]
fn windows_that_the_trace_cannot_tell_apart_are_not_chosen_among() {
    let directory = directory("replay-undecided");
    let (trace, page) = (csv(&directory), directory.join("report.html"));
    // Nobody pauses for longer than 50 minutes.
    let compare = ["--compare", "window=2h,4h", "layers=4,8", "--html", page.to_str().unwrap()];
    let text = stdout(replay(&trace, &compare));
    let said = "\nNo choice: the trace can't tell these windows apart: no ID came back after a pause between 2h and\n  5h.\n";
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("Take:") && !text.contains('>'), "{text}");
    assert!(fs::read_to_string(&page).unwrap().contains("No choice: the trace"));
    let answer = json(replay(&trace, &["--compare", "window=2h,4h", "--json"]));
    assert_eq!(answer["taken"][0]["reason"], Value::Null);
    assert!(answer["taken"][0]["undecided"].as_str().unwrap().starts_with("the trace can"), "{answer}");
}

#[test]
fn a_bad_line_ends_the_replay_or_is_counted() {
    let directory = directory("replay-bad");
    let trace = directory.join("trace.csv");
    fs::write(&trace, "time_ms,principal,producer_id\n1,alice,1\nsoon,alice,2\n2,alice,-1\n3,alice,3\n")
        .unwrap();
    let output = replay(&trace, &["--rate", "5"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let said = format!(
        "tollgate: {}, line 3: time_ms = 'soon': must be milliseconds since 1970, or a time such as \
         2026-11-30T18:25:00Z (--skip-bad-lines counts such lines and goes on)\n",
        trace.display()
    );
    assert_eq!(stderr(&output), said);

    let output = replay(&trace, &["--rate", "5", "--skip-bad-lines", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).ends_with("2026-11-30T18:25:00Z and 1 more\n"), "{}", stderr(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["sights"], &answer["skipped_lines"]), (&2.into(), &2.into()));
}

#[test]
fn times_that_look_like_seconds_are_noted() {
    let directory = directory("replay-seconds");
    let trace = directory.join("trace.csv");
    fs::write(&trace, "time_ms,principal,producer_id\n1796063100,alice,1\n").unwrap();
    let said = "the trace begins at 1970-01-21 18:54: are its times seconds? They must be milliseconds.";
    let text = stdout(replay(&trace, &[]));
    assert!(text.ends_with(&format!("\nNote: {said}\n")), "{text}");
    assert_eq!(json(replay(&trace, &["--json"]))["notes"], serde_json::json!([said]));
    assert_eq!(json(replay(&csv(&directory), &["--json"]))["notes"], serde_json::json!([]));
}

#[test]
fn what_cannot_be_replayed_is_said_before_anything_is_written() {
    let directory = directory("replay-refused");
    let trace = directory.join("trace.csv");
    fs::write(&trace, "time_ms,principal,producer_id\n").unwrap();
    let page = directory.join("report.html");
    fs::write(&page, "of yesterday").unwrap();
    let html = page.to_str().unwrap();
    let no_place = directory.join("no/such/report.html");
    let (name, no_place) = (trace.display(), no_place.to_str().unwrap());
    for (arguments, said) in [
        (&["--html", html][..], format!("tollgate: {name}: has no sight\n")),
        (
            &["--rate", "0"],
            "tollgate: --rate = 0: must be a finite number above 0 (new ids per hour)\n".to_owned(),
        ),
        (
            &["--window", "5ms"],
            "tollgate: --window = 5: must be 1000 to 2592000000 (milliseconds)\n".to_owned(),
        ),
        (
            &["--html", "-"],
            "tollgate: can't write -: give a file's name, or /dev/stdout for the standard output\n"
                .to_owned(),
        ),
        (&["--compare", "layers=4,2"], "tollgate: --layers = 2: must be 3 to 64\n".to_owned()),
        (
            &["--html", no_place],
            format!("tollgate: can't write {no_place}: No such file or directory (os error 2)\n"),
        ),
    ] {
        let output = replay(&trace, arguments);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stderr(&output), said);
    }
    let output = tollgate("replay").args(["--compare", "layers=4,8"]).arg(&trace).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the trace stands before --compare"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(&page).unwrap(), "of yesterday");
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "no part of a page");
}

#[test]
fn the_page_stands_alone_and_escapes_what_the_trace_says() {
    let directory = directory("replay-page");
    let trace = csv(&directory);
    let page = directory.join("report.html");
    let html = page.to_str().unwrap();
    for (arguments, charts) in [
        (&["--rate", "20", "--window", "40m", "--html", html][..], 4),
        (&["--rate", "20", "--html", html, "--compare", "window=30m,1h", "layers=4,8"], 5),
        (&["--html", html, "--compare", "rate=10,20,none"], 7),
        (&["--html", html, "--compare", "rate=10,20", "window=30m,1h"], 7),
    ] {
        stdout(replay(&trace, arguments));
        let text = fs::read_to_string(&page).unwrap();
        assert_loads_nothing_from_anywhere(&text);
        assert_eq!(text.matches("<figure>").count(), charts, "{arguments:?}");
        assert!(
            text.contains("in 8m 32s, time in UTC") && !text.contains("per hour,"),
            "counts of a step, as they are"
        );
        assert!(!text.contains("quota of one principal"), "a burst of a few minutes is no quota exceeded");
        assert!(!text.contains("batch <b>"));
        let svgs = text
            .split("<svg")
            .skip(1)
            .map(|rest| format!("<svg{}</svg>", rest.split("</svg>").next().unwrap()));
        for svg in svgs {
            common::assert_every_colour_has_a_class(&svg);
            common::assert_texts_have_room(&svg, 4);
        }
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2, "no part of the page is left");
    }
    stdout(replay(&trace, &["--rate", "1", "--html", html]));
    assert!(fs::read_to_string(&page).unwrap().contains("batch &lt;b&gt;"));
}

#[test]
fn the_quota_is_drawn_where_steps_are_long_enough_to_be_held_against_it() {
    let directory = directory("replay-quota-line");
    let (trace, page) = (directory.join("trace.csv"), directory.join("report.html"));
    let mut text = String::from("time_ms,principal,producer_id\n");
    for hour in 0..24 * 40 {
        for id in 0..10 {
            writeln!(text, "{},alice,{}", START + hour * 60 * MINUTE, hour * 10 + id).unwrap();
        }
    }
    fs::write(&trace, text).unwrap();
    stdout(replay(&trace, &["--rate", "9", "--html", page.to_str().unwrap()]));
    let text = fs::read_to_string(&page).unwrap();
    // Forty days in 512 steps: of 8,192 seconds.
    assert!(text.contains("in 2h 16m, time in UTC"), "{text}");
    assert!(text.contains("quota of one principal: 20.48"), "{text}");
}

#[test]
fn the_example_of_the_help_runs() {
    let help = stdout(tollgate("replay").arg("--help").output().unwrap());
    let example = help.lines().map(str::trim).find(|line| line.starts_with("printf ")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_tollgate")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let text = stdout(Command::new("sh").args(["-c", example]).env("PATH", path).output().unwrap());
    assert!(
        text.contains("\n  throttled                         1 (50.0 %): 1 ID of 1 principal\n"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn who_stops_reading_has_seen_enough() {
    let directory = directory("replay-pipe");
    let command = format!(
        "'{}' replay '{}' --json | head -c 10; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_tollgate"),
        csv(&directory).display()
    );
    let output = Command::new("bash").args(["-c", &command]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}
