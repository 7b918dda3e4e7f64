//! examples/c/login_guard.c: a log in, an answer for each login out.

use super::program::{errors, printed, program, root, scratch, Running};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread;

/// Runs it over `log`, and gives back what it answered and its exit status.
fn guard(arguments: &[&str], log: &[u8]) -> (Output, i32) {
    let mut command = Command::new(program("login_guard"));
    let mut running = Running::start(command.args(arguments));
    let mut stdin = running.0.stdin.take().expect("piped");
    let log = log.to_vec();
    // On a thread of its own, since it may stop reading until its answers are read. It may also end before the end.
    let feeder = thread::spawn(move || drop(stdin.write_all(&log)));
    let mut output = Output { status: ExitStatus::default(), stdout: vec![], stderr: vec![] };
    running.0.stdout.take().expect("piped").read_to_end(&mut output.stdout).expect("stdout");
    running.0.stderr.take().expect("piped").read_to_end(&mut output.stderr).expect("stderr");
    output.status = running.0.wait().expect("it ends");
    feeder.join().expect("the feeder");
    let status = output.status.code().unwrap_or_else(|| panic!("{:?}: {}", output.status, errors(&output)));
    (output, status)
}

fn sample(name: &str) -> String {
    fs::read_to_string(root().join("examples/data").join(name)).expect("examples/data")
}

fn fresh(name: &str) -> PathBuf {
    let path = scratch(name);
    let _ = fs::remove_file(&path);
    path
}

/// The last words of each line.
fn answers(output: &Output) -> Vec<&str> {
    printed(output).lines().map(|line| line.split(' ').nth(3).expect("an answer")).collect()
}

#[test]
fn sample_log_is_answered_line_by_line() {
    let (output, status) = guard(&["--rate", "4", "--seed", "1"], sample("logins.log").as_bytes());
    assert_eq!(printed(&output), sample("logins.answers"));
    assert_eq!(
        errors(&output),
        "login_guard: 37 lines: 17 known, 10 admitted, 8 throttled, 0 malformed, 2 comments; \
         4 users and 10 addresses remembered in 6338 bytes\n"
    );
    assert_eq!(status, 0);
}

/// S14: two runs with a snapshot between them answer as one run does, to the token and the millisecond.
#[test]
fn s14_snapshot_makes_one_run_of_two() {
    let snapshot = fresh("login_guard.snapshot");
    let snapshot = snapshot.to_str().expect("a UTF-8 path");
    let log = sample("logins.log");
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let (first, status) =
        guard(&["--rate", "4", "--seed", "1", "--snapshot", snapshot], lines[..18].concat().as_bytes());
    assert_eq!(status, 0, "{}", errors(&first));
    // No seed: it goes on with the snapshot's.
    let (second, status) = guard(&["--rate", "4", "--snapshot", snapshot], lines[18..].concat().as_bytes());
    assert_eq!(status, 0, "{}", errors(&second));
    assert_eq!(format!("{}{}", printed(&first), printed(&second)), sample("logins.answers"));
    assert!(errors(&second).contains(": 4 users restored\n"), "{}", errors(&second));
}

#[test]
fn s14_damaged_snapshot_is_said_and_replaced() {
    let snapshot = fresh("login_guard.damaged");
    let path = snapshot.to_str().expect("a UTF-8 path");
    let log = b"1772438400 nora 192.0.2.17\n";
    guard(&["--snapshot", path], log);
    let mut bytes = fs::read(&snapshot).expect("a snapshot");
    bytes[20] ^= 1;
    fs::write(&snapshot, bytes).expect("the snapshot");
    let (output, status) = guard(&["--snapshot", path], log);
    assert_eq!((answers(&output), status), (vec!["admitted"], 0));
    assert!(errors(&output).contains("damaged: its checksum does not fit"), "{}", errors(&output));
    let (output, _) = guard(&["--snapshot", path], log);
    assert_eq!(answers(&output), ["known"]);
}

#[test]
fn snapshot_that_cannot_be_written_is_an_error() {
    let (output, status) = guard(&["--snapshot", "/nowhere/at/all"], b"1772438400 nora 192.0.2.17\n");
    assert_eq!((answers(&output), status), (vec!["admitted"], 1));
    assert!(errors(&output).contains("login_guard: /nowhere/at/all: "), "{}", errors(&output));
}

#[test]
fn sigterm_answers_what_came_and_writes_the_snapshot() {
    for (signal, log_goes_on) in [("TERM", false), ("INT", false), ("TERM", true)] {
        let snapshot = fresh("login_guard.signal");
        let mut command = Command::new(program("login_guard"));
        let mut running = Running::start(command.arg("--snapshot").arg(&snapshot));
        let mut stdin = running.0.stdin.take().expect("piped");
        let mut answers = BufReader::new(running.0.stdout.take().expect("piped"));
        let mut line = String::new();
        stdin.write_all(b"1772438400 nora 192.0.2.17\n1772438401 no").expect("it reads");
        answers.read_line(&mut line).expect("an answer while the log is open");
        assert_eq!(line, "2026-03-02T08:00:00.000Z nora 192.0.2.17 admitted\n");
        // A log without an end, with input at every look, must not keep it from seeing the signal.
        let feeder = thread::spawn(move || {
            while log_goes_on && stdin.write_all(b"ra 192.0.2.17\n1772438401 no").is_ok() {}
            stdin // open until the program has ended
        });
        let reader = thread::spawn(move || answers.read_line(&mut line).map(|_| answers.lines().count()));
        running.signal(signal);
        assert_eq!(running.0.wait().expect("it ends").code(), Some(0), "{signal}");
        drop(feeder.join().expect("the feeder"));
        reader.join().expect("the reader").expect("answers");
        let path = snapshot.to_str().expect("a UTF-8 path");
        let (after, _) = guard(&["--snapshot", path], b"1772438402 nora 192.0.2.17\n");
        assert_eq!(printed(&after), "2026-03-02T08:00:02.000Z nora 192.0.2.17 known\n", "{signal}");
    }
}

#[test]
fn malformed_lines_are_named_and_counted() {
    let time = "has no time from 1970 to 9999 that is RFC 3339, seconds or milliseconds";
    let shape = "is not `time user ip`";
    let address = "has no IPv4 or IPv6 address";
    let giant = [b"1772438400 ".as_slice(), &vec![b'n'; 70_000], b" 192.0.2.17"].concat();
    let bad: [(&[u8], &str); 21] = [
        (b"1772438400 nora", shape),
        (b"1772438400 nora 192.0.2.17 more", shape),
        (b" ", shape),
        (b"yesterday nora 192.0.2.17", time),
        (b"2026-02-29T08:00:00Z nora 192.0.2.17", time),
        (b"2026-13-01T08:00:00Z nora 192.0.2.17", time),
        (b"2026-03-02T24:00:00Z nora 192.0.2.17", time),
        (b"2026-03-02T08:00:00 nora 192.0.2.17", time),
        (b"2026-03-02T08:00:00.Z nora 192.0.2.17", time),
        (b"2026-03-02T08:00:00Zz nora 192.0.2.17", time),
        (b"1969-12-31T23:59:59Z nora 192.0.2.17", time),
        (b"1970-01-01T00:00:00+00:01 nora 192.0.2.17", time),
        (b"-5 nora 192.0.2.17", time),
        (b"1772438400. nora 192.0.2.17", time),
        (b"253402300800000 nora 192.0.2.17", time),
        (b"99999999999999999999999999 nora 192.0.2.17", time),
        (b"1772438400 nora 192.0.2.256", address),
        (b"1772438400 nora 2001:db8::1::2", address),
        (b"1772438400 nora 192.0.2.17\0", "has a NUL byte"),
        (b"1772438400 n\xffra 192.0.2.17", "has a user that is not UTF-8"),
        (&giant, "is too long"),
    ];
    for (line, why) in bad {
        let log = [b"1772438400 nora 192.0.2.17\n", line, b"\n1772438401 nora 192.0.2.17\n"].concat();
        let (output, status) = guard(&[], &log);
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!(status, 2, "{shown}");
        assert_eq!(answers(&output), ["admitted", "known"], "{shown}");
        let said = errors(&output);
        assert!(said.starts_with(&format!("login_guard: line 2 {why}\n")), "{shown}: {said}");
        assert!(
            said.contains(": 3 lines: 1 known, 1 admitted, 0 throttled, 1 malformed, 0 "),
            "{shown}: {said}"
        );
    }
}

#[test]
fn a_moment_is_the_same_in_each_form() {
    let forms = [
        "2024-02-29T23:59:58.250Z",
        "2024-02-29t23:59:58.2509z",
        "2024-03-01T05:29:58.25+05:30",
        "2024-02-29T22:59:58.25-01:00",
        "1709251198.250",
        "1709251198250",
    ];
    for form in forms {
        // Without a newline at the end, or with a DOS one.
        for end in ["", "\r\n"] {
            let (output, status) = guard(&[], format!("{form} nora 192.0.2.17{end}").as_bytes());
            assert_eq!(printed(&output), "2024-02-29T23:59:58.250Z nora 192.0.2.17 admitted\n", "{form}");
            assert_eq!(status, 0, "{form}");
        }
    }
}

#[test]
fn an_ipv6_network_is_one_place_and_a_mapped_address_is_ipv4() {
    let log = "0 nora 2001:db8:0:1::1\n1 nora 2001:db8:0:1:ffff::2\n2 nora 2001:db8:0:2::1\n\
               3 nora 192.0.2.17\n4 nora ::ffff:192.0.2.17\n5 nora ::ffff:192.0.2.18\n";
    let (output, _) = guard(&[], log.as_bytes());
    assert_eq!(answers(&output), ["admitted", "known", "admitted", "admitted", "known", "admitted"]);
}

#[test]
fn settings_that_cannot_be_are_refused_with_their_range() {
    for (arguments, said) in [
        (["--rate", "0"], "quota = 0: must be a finite number above 0"),
        (["--rate", "six"], "`six` is no value for --rate"),
        (["--rate=six", "--seed=1"], "`six` is no value for --rate"),
        (["--burst", "1.5"], "burst = 1.5: must be 0 to 1"),
        (["--window", "10"], "`10` is no value for --window"),
        (["--window", "60d"], "window_ms = 5184000000: must be "),
        (["--seed", "-1"], "`-1` is no value for --seed"),
    ] {
        let (output, status) = guard(&arguments, b"");
        assert_eq!((status, printed(&output)), (1, ""), "{arguments:?}");
        assert!(errors(&output).contains(said), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn help_says_every_option() {
    let help =
        Command::new(program("login_guard")).arg("--help").stderr(Stdio::null()).output().expect("help");
    assert!(help.status.success());
    for option in ["--rate", "--window", "--burst", "--snapshot", "--seed", "--help", "Exit status"] {
        assert!(printed(&help).contains(option), "{option}");
    }
}
