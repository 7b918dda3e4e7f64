//! examples/cpp/gateway.cpp under examples/cpp/load.cpp, over real sockets.

use super::program::{errors, printed, program, run, Running};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{ChildStdout, Command, Output};
use std::time::Duration;

/// A gateway on a free port, and what it prints.
struct Gateway {
    running: Running,
    lines: BufReader<ChildStdout>,
    port: u16,
}

/// What the gateway, or the load, counted for a tenant.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    known: u64,
    admitted: u64,
    throttled: u64,
}

impl Gateway {
    fn start(arguments: &[&str]) -> Self {
        let mut running = Running::start(Command::new(program("gateway")).args(arguments));
        let mut lines = BufReader::new(running.0.stdout.take().expect("piped"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("a first line");
        let port = first
            .strip_prefix("gateway: 127.0.0.1:")
            .and_then(|rest| rest.split(',').next())
            .and_then(|port| port.parse().ok())
            .unwrap_or_else(|| panic!("printed {first:?}"));
        Self { running, lines, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        stream
    }

    /// All that it answers to `lines`, until it closes.
    fn answers(&self, lines: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(lines).expect("it reads");
        stream.shutdown(Shutdown::Write).expect("an end");
        let mut answers = String::new();
        stream.read_to_string(&mut answers).expect("it closes");
        answers
    }

    /// Reads a table of stats: the counts of each tenant, and "N calls, N malformed, N faults, N connections".
    fn read_stats(&mut self) -> (BTreeMap<String, Counts>, Vec<u64>) {
        let mut tenants = BTreeMap::new();
        let mut lines = self.lines.by_ref().lines().map(|line| line.expect("stats"));
        assert!(lines.next().expect("a head").starts_with("tenant "), "the table's head");
        for line in lines.by_ref() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
            if words[1] == "calls," {
                let track = lines.next().expect("what a track costs");
                assert!(track.starts_with("track: ") && track.ends_with(" ns CPU a call"), "{track}");
                return (tenants, numbers);
            }
            let counts = Counts { known: numbers[0], admitted: numbers[1], throttled: numbers[2] };
            tenants.insert(words[0].to_owned(), counts);
        }
        panic!("the stats have no sums: {tenants:?}");
    }

    /// Sends SIGTERM; it must end with 0, and nothing may listen any more.
    fn stop(mut self) {
        self.running.signal("TERM");
        let status = self.running.0.wait().expect("it ends");
        let mut said = String::new();
        self.running.0.stderr.take().expect("piped").read_to_string(&mut said).expect("stderr");
        assert_eq!((status.code(), said.as_str()), (Some(0), ""));
        assert!(TcpStream::connect(("127.0.0.1", self.port)).is_err(), "something listens still");
    }
}

fn load(gateway: &Gateway, arguments: &[&str]) -> Output {
    run(Command::new(program("load")).arg("--port").arg(gateway.port.to_string()).args(arguments))
}

/// From "tenant-0: 5 OK, 6 KNOWN, 7 WAIT" for each tenant.
fn tenants(load: &Output) -> BTreeMap<String, Counts> {
    let lines = printed(load).lines().filter_map(|line| line.split_once(": "));
    lines
        .filter(|(name, _)| name.starts_with("tenant-"))
        .map(|(name, rest)| {
            let numbers: Vec<u64> = rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let counts = Counts { admitted: numbers[0], known: numbers[1], throttled: numbers[2] };
            (name.to_owned(), counts)
        })
        .collect()
}

/// S10 and S3 from outside: four connections on two threads, two of them for each tenant.
#[test]
fn s10_stats_of_the_gateway_are_what_the_load_was_answered() {
    let mut gateway = Gateway::start(&["--threads", "2", "--rate", "500", "--quota", "tenant-1=200"]);
    let output = load(&gateway, &["--seconds", "2", "--sessions", "1000"]);
    let seen = tenants(&output);
    let calls: u64 = seen.values().map(|counts| counts.known + counts.admitted + counts.throttled).sum();
    assert!(printed(&output).contains(&format!("{calls} calls in ")), "{}", printed(&output));
    for word in ["p50 ", "p99 ", "p99.9 ", "longest "] {
        assert!(printed(&output).contains(word), "{}", printed(&output));
    }
    for (tenant, quota) in [("tenant-0", 500), ("tenant-1", 200)] {
        let counts = &seen[tenant];
        // A token is refilled each 7 s, or each 18 s: two more at most, unless the machine stands still.
        assert!((quota..=quota + 5).contains(&counts.admitted), "{tenant}: {counts:?}");
        assert!(counts.known > 0 && counts.throttled > 0, "{tenant}: {counts:?}");
    }
    gateway.running.signal("USR1");
    let (counted, sums) = gateway.read_stats();
    assert_eq!(counted, seen);
    assert_eq!(sums, [calls, 0, 0, 0], "calls, malformed, faults, connections");
    gateway.stop();
}

#[test]
fn bounds_of_the_load_end_it() {
    let gateway = Gateway::start(&["--threads", "1"]);
    let bounded =
        ["--connections", "3", "--calls", "50", "--seconds", "60", "--rate", "3000", "--tenants", "1"];
    let output = load(&gateway, &bounded);
    assert!(printed(&output).contains("150 calls in "), "{}", printed(&output));
    assert!(printed(&output).ends_with(", from the schedule\n"), "{}", printed(&output));
    let late = Command::new(program("load")).args(["--port", "1"]).output().expect("it runs");
    assert_eq!(late.status.code(), Some(1));
    assert!(errors(&late).contains("load: connection 0: "), "{}", errors(&late));
    gateway.stop();
}

#[test]
fn each_line_is_answered_in_turn_and_what_is_none_is_said() {
    let gateway = Gateway::start(&["--threads", "1", "--rate", "1", "--burst", "0"]);
    let hello = "ERR expected HELLO tenant session\n";
    assert_eq!(gateway.answers(b"HELLO a x\nHELLO a x\nHELLO b x\n"), "OK\nKNOWN\nOK\n");
    let wait = gateway.answers(b"HELLO a y\n");
    let ms: u32 = wait
        .strip_prefix("WAIT ")
        .and_then(|rest| rest.trim_end().parse().ok())
        .unwrap_or_else(|| panic!("{wait:?}"));
    assert!((1..=30_000).contains(&ms), "{ms}");
    for line in ["", "HELLO", "HELLO a", "HELLO a ", "HELLO  x", "HELLO a x y", "hello a x", "HELLO a x "] {
        assert_eq!(
            gateway.answers(format!("{line}\nHELLO a x\n").as_bytes()),
            format!("{hello}KNOWN\n"),
            "{line:?}"
        );
    }
    assert_eq!(gateway.answers(b"HELLO \xff x\nHELLO a x\n"), "ERR tenant is not UTF-8\nKNOWN\n");
    assert_eq!(gateway.answers(b"HELLO a unended"), "");
    assert_eq!(gateway.answers(&[b'x'; 513]), "ERR line too long\n");
    assert_eq!(gateway.answers(&[&[b'x'; 520][..], b"\nHELLO a x\n"].concat()), format!("{hello}KNOWN\n"));
    gateway.stop();
}

/// Lines that come in pieces, and a client that sends a lot before it reads anything.
#[test]
fn slow_and_greedy_clients_get_all_their_answers() {
    let gateway = Gateway::start(&["--threads", "1"]);
    let mut slow = gateway.connect();
    let mut answer = [0; 3];
    for piece in ["HEL", "LO slow ", "x", "\n"] {
        slow.write_all(piece.as_bytes()).expect("it reads");
        assert_eq!(gateway.answers(b"HELLO other x\n").len() % 3, 0, "others are served meanwhile");
    }
    slow.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"OK\n");

    let lines = 400_000;
    let greedy = gateway.connect();
    let mut writer = greedy.try_clone().expect("a second handle");
    let feeder = std::thread::spawn(move || {
        let sent = writer.write_all(&b"HELLO greedy x\n".repeat(lines));
        writer.shutdown(Shutdown::Write).and(sent)
    });
    // Its answers do not fit into the sockets' buffers; until they are read, the gateway reads no more.
    assert_eq!(gateway.answers(b"HELLO greedy x\n").lines().count(), 1);
    let answers: Vec<String> = BufReader::new(greedy).lines().map(|line| line.expect("an answer")).collect();
    feeder.join().expect("the feeder").expect("all is read");
    assert_eq!(answers.len(), lines);
    gateway.stop();
}

#[test]
fn connections_beyond_the_limit_are_told_so_and_idle_ones_ended() {
    let gateway = Gateway::start(&["--threads", "1", "--connections", "1", "--idle", "1"]);
    let mut first = gateway.connect();
    first.write_all(b"HELLO a x\n").expect("it reads");
    first.read_exact(&mut [0; 3]).expect("an answer");
    let mut second = String::new();
    gateway.connect().read_to_string(&mut second).expect("it closes");
    assert_eq!(second, "ERR too many connections\n");
    assert_eq!(first.read(&mut [0; 1]).expect("it closes"), 0, "after a second of silence");
    assert_eq!(gateway.answers(b"HELLO a x\n"), "KNOWN\n", "there is room again");
    gateway.stop();
}

/// It ends under load too: its clients' connections are closed, and none of its threads waits for them.
#[test]
fn sigterm_under_load_ends_it() {
    let mut gateway = Gateway::start(&["--threads", "2"]);
    let port = gateway.port.to_string();
    let mut load = Running::start(Command::new(program("load")).args(["--port", &port, "--seconds", "120"]));
    let called = |gateway: &mut Gateway| {
        gateway.running.signal("USR1");
        gateway.read_stats().1
    };
    gateway.answers(b"HELLO first x\n"); // a gateway without a call prints no line for tracks
    while called(&mut gateway)[0] < 1_000 {}
    let connections = called(&mut gateway)[3];
    assert_eq!(connections, 4);
    gateway.stop();
    assert_eq!(load.0.wait().expect("it ends").code(), Some(1));
    let mut said = String::new();
    load.0.stderr.take().expect("piped").read_to_string(&mut said).expect("stderr");
    assert_eq!(said.lines().count(), 4, "{said}");
}

#[test]
fn settings_that_cannot_be_are_refused() {
    for (arguments, said) in [
        (["--rate", "0"], "gateway: quota = 0: must be a finite number above 0"),
        (["--burst", "2"], "gateway: --burst 2: must be a number from 0 to 1"),
        (["--quota", "acme"], "gateway: --quota acme: must be TENANT=RATE"),
        (["--window", "0"], "gateway: --window 0: must be a number from 1 to "),
        (["--window", "999999999"], "gateway: window_ms = 999999999000: must be "),
    ] {
        let output = Command::new(program("gateway")).args(arguments).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(errors(&output).starts_with(said), "{arguments:?}: {}", errors(&output));
    }
    for name in ["gateway", "load"] {
        let help = run(Command::new(program(name)).arg("--help"));
        assert!(printed(&help).starts_with(&format!("Usage: {name} ")), "{}", printed(&help));
    }
}
