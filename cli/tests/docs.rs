//! docs/cli.md says what the tool does.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Each `$ tollgate …` of the page, with what stands below it.
fn shown() -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cli.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```console\n$ ").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(|block| block.split_once('\n').unwrap()).map(|(c, o)| (c.to_owned(), o.to_owned())).collect()
}

fn run(command: &str, directory: &Path) -> Output {
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("tollgate"), "{command}");
    Command::new(env!("CARGO_BIN_EXE_tollgate")).args(words).current_dir(directory).output().unwrap()
}

#[test]
fn what_size_is_shown_to_print_it_prints() {
    let mut shown = shown();
    shown.retain(|(command, _)| command.starts_with("tollgate size "));
    assert!(!shown.is_empty());
    for (command, printed) in shown {
        let output = run(&command, Path::new("."));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), printed, "{command}");
    }
}

/// On the demo's data, which are not there: the tool must get as far as to miss them.
#[test]
fn the_other_commands_are_understood() {
    let directory = common::directory("docs");
    let others = shown().into_iter().filter(|(command, _)| !command.starts_with("tollgate size "));
    let mut commands: Vec<String> = others.map(|(command, _)| command).collect();
    assert!(commands.len() >= 3, "{commands:?}");
    for command in commands.drain(..) {
        let output = run(&command, &directory);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("tollgate: ") && said.contains("target/demo/"), "{command}: {said}");
    }
}
