//! `tollgate replay` while it reads: a trace that is longer than memory, and Ctrl-C.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{directory, tollgate, START};

/// Memory goes with the IDs of a window, not with the trace.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_longer_than_memory_streams() {
    let mut child = tollgate("replay")
        .args(["-", "--window", "1m", "--rate", "100000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"time_ms,principal,producer_id\n").unwrap();
    let mut text = String::new();
    for part in 0..100_u64 {
        text.clear();
        for id in part * 20_000..(part + 1) * 20_000 {
            writeln!(text, "{},alice,{id}", START + id * 5).unwrap();
        }
        stdin.write_all(text.as_bytes()).unwrap();
    }
    // What it was given is read by now but for a pipe's length.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = most.trim().trim_end_matches(" kB").parse().unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("2,000,000 sights of 1 principal"), "{text}");
    // Fifteen thousand IDs a window; two million would take a hundred megabytes.
    assert!(kilobytes < 32_000, "{kilobytes} kB");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    use std::os::unix::process::ExitStatusExt;

    let directory = directory("replay-ctrl-c");
    let page = directory.join("report.html");
    fs::write(&page, "of yesterday").unwrap();
    let mut child = tollgate("replay")
        .args(["-", "--html", page.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    let part = directory.join("report.html.part");
    let end = Instant::now() + Duration::from_secs(30);
    while !part.exists() {
        assert!(Instant::now() < end, "no page was begun");
        sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!((output.status.code(), output.status.signal()), (Some(130), None));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "tollgate: stopped; nothing was written\n");
    assert!(!part.exists());
    assert_eq!(fs::read_to_string(&page).unwrap(), "of yesterday");
}

/// `script` makes the terminal.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_on_a_terminal_erases_the_bar_and_says_that_it_stopped() {
    let directory = directory("replay-terminal");
    let pipe = directory.join("trace");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let said = directory.join("said");
    let command = format!("'{}' replay '{}'", env!("CARGO_BIN_EXE_tollgate"), pipe.display());
    let script = Command::new("script")
        .args(["-qefc", &command])
        .arg(&said)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut script = script.expect("script(1), of Debian's bsdutils");
    let mut keys = script.stdin.take().unwrap();
    let mut trace = fs::File::options().write(true).open(&pipe).unwrap();
    trace.write_all(b"time_ms,principal,producer_id\n").unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    let mut id = 0;
    while !fs::read_to_string(&said).is_ok_and(|said| said.contains("sights replayed")) {
        assert!(Instant::now() < end, "no bar");
        for _ in 0..5_000 {
            id += 1;
            writeln!(trace, "{START},alice,{id}").unwrap();
        }
    }
    keys.write_all(b"\x03").unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(130));
    let said = fs::read_to_string(&said).unwrap();
    let end = "\r\u{1b}[2Ktollgate: stopped; nothing was written\r\n";
    let (_, after) = said.split_once(end).unwrap_or_else(|| panic!("{said:?}"));
    assert!(!after.contains("sights replayed"), "{said:?}");
}
