//! docs/c.md: each program in it is a file, each output one that was printed, and its commands work in their order.

use super::program::{printed, program, root, run, scratch, Running};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;

/// The text between a fence of that language and the next closing one, for each such fence.
fn blocks(language: &str) -> Vec<String> {
    let doc = read("docs/c.md");
    let fence = format!("```{language}\n");
    doc.split(&fence).skip(1).map(|rest| rest.split("\n```").next().expect("a fence").to_owned()).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text with every number as N, and every gap as one space: what differs from run to run.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    for word in text.split_whitespace() {
        for part in word.split_inclusive(|c: char| !c.is_ascii_digit() && c != '.') {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            shape += if rest == part { "" } else { "N" };
            shape += rest;
        }
        shape.push(' ');
    }
    shape.trim_end().to_owned()
}

#[test]
fn programs_are_the_compiled_ones() {
    for (language, files) in [
        (
            "c",
            &["examples/c/readme.c", "examples/c/restart.c", "examples/c/sizing.c", "examples/c/rates.c"][..],
        ),
        ("cpp", &["examples/cpp/login.cpp"]),
        ("cmake", &["examples/cmake/CMakeLists.txt"]),
    ] {
        let files: Vec<String> = files.iter().map(|file| read(file).trim_end().to_owned()).collect();
        assert_eq!(blocks(language), files, "{language}");
    }
}

#[test]
fn restart_sizing_and_rates_print_what_is_shown() {
    let text = blocks("text");
    let home = scratch("docs-restart");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a directory");
    let run_here = |name: &str| printed(&run(Command::new(program(name)).current_dir(&home))).to_owned();
    let twice = run_here("restart") + &run_here("restart");
    assert!(text.contains(&twice.trim_end().to_owned()), "{twice}");
    for name in ["sizing", "rates"] {
        let lines = run_here(name);
        assert!(text.contains(&lines.trim_end_matches('\n').to_owned()), "{lines}");
    }
}

#[test]
fn login_guard_prints_what_is_shown() {
    let command = blocks("sh").pop().expect("the last command");
    let built = program("login_guard");
    let command = command.replace("target/examples-c/login_guard", &built.display().to_string());
    let output = run(Command::new("bash").current_dir(root()).args(["-euo", "pipefail", "-c", &command]));
    assert!(blocks("text").contains(&printed(&output).trim_end().to_owned()), "{}", printed(&output));
}

#[test]
fn gateway_and_load_print_what_is_shown() {
    let mut gateway = Running::start(Command::new(program("gateway")).args(["--threads", "2"]));
    let mut lines = BufReader::new(gateway.0.stdout.take().expect("piped")).lines().map_while(Result::ok);
    let first = lines.next().expect("where it listens");
    let port = first.rsplit(':').next().and_then(|rest| rest.split(',').next()).expect("a port");
    let load =
        run(Command::new(program("load")).args(["--port", port, "--sessions", "4000", "--calls", "20000"]));
    gateway.signal("USR1");
    let stats: Vec<String> = lines.by_ref().take(5).collect();
    let shown =
        blocks("text").into_iter().find(|text| text.contains("kill -USR1")).expect("the gateway's block");
    let shown: Vec<&str> = shown.lines().filter(|line| !line.starts_with("$ ")).collect();
    let all = [first.as_str(), printed(&load).trim_end(), &stats.join("\n")].join("\n");
    assert_eq!(shape(&all), shape(&shown.join("\n")), "{all}");
}

#[test]
fn first_program_works_from_install_on() {
    let home = scratch("docs-home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(home.join("work")).expect("a directory");
    for (from, to) in [
        ("examples/c/readme.c", "login.c"),
        ("examples/cpp/login.cpp", "login.cpp"),
        ("examples/cmake/CMakeLists.txt", "CMakeLists.txt"),
    ] {
        fs::copy(root().join(from), home.join("work").join(to)).expect("a copy");
    }
    let commands = blocks("sh");
    let in_work = commands[1..4].join("\necho ---\n");
    let script = format!("{}\ncd $HOME/work\necho ---\n{in_work}", commands[0]);
    let outside = std::env::var("HOME").unwrap_or_default();
    let or_default = |name: &str, below: &str| std::env::var(name).unwrap_or(format!("{outside}/{below}"));
    let output = run(Command::new("bash")
        .current_dir(root())
        .args(["-euo", "pipefail", "-c", &script])
        .env("HOME", &home)
        .env("CARGO_HOME", or_default("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", or_default("RUSTUP_HOME", ".rustup"))
        // A make above this one, and cargo's own libtollgate.so, would get in between.
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("DESTDIR"));
    let printed = printed(&output).replace(&home.display().to_string(), "/home/you");
    let parts: Vec<&str> = printed.split("---\n").collect();
    let text = blocks("text");
    assert_eq!(parts.len(), 4, "{printed}");
    assert!(parts[0].trim_end().ends_with(&text[0]), "{}", parts[0]);
    assert_eq!(shape(parts[1]), shape(&text[1]), "C");
    assert_eq!(shape(parts[2]), shape(&text[2]), "C++");
    assert!(shape(parts[3]).ends_with(&shape(&text[1])), "CMake: {}", parts[3]);
}
