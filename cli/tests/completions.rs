//! `tollgate completions` as a shell meets it.

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

const HIDDEN: [&str; 3] = ["demo-report", "dispatch-report", "rates-report"];

fn tollgate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(arguments);
    command
}

fn script(shell: &str) -> String {
    let output = tollgate(&["completions", shell]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What bash offers for the last of the words.
fn offered(words: &[&str]) -> Vec<String> {
    let last = words.len() - 1;
    let ask = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={last}; _tollgate tollgate '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script("bash"),
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        words[last],
        words[last - 1],
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_their_options() {
    assert_eq!(offered(&["tollgate", "si"]), ["size"]);
    assert_eq!(offered(&["tollgate", "size", "--ra"]), ["--rate"]);
    assert_eq!(offered(&["tollgate", "completions", "zs"]), ["zsh"]);
    assert!(offered(&["tollgate", ""]).contains(&"man".to_owned()));
}

#[test]
fn every_shell_has_a_script_without_the_hidden_commands() {
    for (shell, part) in [
        ("bash", "complete -F _tollgate"),
        ("zsh", "#compdef tollgate"),
        ("fish", "complete -c tollgate"),
        ("elvish", "edit:completion:arg-completer[tollgate]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = script(shell);
        assert!(script.contains(part) && script.contains("advise"), "{shell}:\n{script}");
        for hidden in HIDDEN {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn the_examples_of_the_help_run_in_a_home_that_is_empty() {
    let home = common::directory("completions-home");
    let help = String::from_utf8(tollgate(&["completions", "--help"]).output().unwrap().stdout).unwrap();
    let (_, examples) = help.split_once("Examples:\n").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_tollgate")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    let output = shell.args(["-ec", examples]).env("PATH", path).env("HOME", &home).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    for file in [
        ".local/share/bash-completion/completions/tollgate",
        ".zfunc/_tollgate",
        ".config/fish/completions/tollgate.fish",
    ] {
        assert!(fs::read_to_string(home.join(file)).unwrap().contains("tollgate"), "{file}");
    }
}

#[test]
fn an_unknown_shell_is_refused_with_those_that_are_known() {
    let output = tollgate(&["completions", "sh"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{message}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child =
        tollgate(&["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = tollgate(&["completions", "bash"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("tollgate: can't print: "), "{message}");
}
