//! `make install-cli` and `make uninstall-cli`, by the script that they call.
#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

/// The script with only the variables given.
fn install(variables: &[(&str, &Path)], arguments: &[&str]) -> Output {
    Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/install-cli"))
        .args(arguments)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap())
        .env("TOLLGATE_CLI", env!("CARGO_BIN_EXE_tollgate"))
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                left.push(entry);
            } else {
                found.push(entry.strip_prefix(directory).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn all_of_it_is_put_under_the_prefix_and_taken_away_again() {
    let root = common::directory("install");
    let other = root.join("opt/tollgate/share/man/man1/other.1");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "").unwrap();
    let variables = [("DESTDIR", root.as_path()), ("PREFIX", Path::new("/opt/tollgate"))];
    let output = install(&variables, &[]);
    assert!(output.status.success(), "{output:?}");
    let installed = files(&root.join("opt/tollgate"));
    for file in [
        "bin/tollgate",
        "share/bash-completion/completions/tollgate",
        "share/fish/vendor_completions.d/tollgate.fish",
        "share/man/man1/tollgate-size.1",
        "share/man/man1/tollgate.1",
        "share/zsh/site-functions/_tollgate",
    ] {
        assert!(installed.contains(&PathBuf::from(file)), "{file}: {installed:?}");
    }
    let version = Command::new(root.join("opt/tollgate/bin/tollgate")).arg("--version").output().unwrap();
    assert_eq!(
        String::from_utf8(version.stdout).unwrap(),
        concat!("tollgate ", env!("CARGO_PKG_VERSION"), "\n")
    );

    let output = install(&variables, &["--uninstall"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(files(&root), [PathBuf::from("opt/tollgate/share/man/man1/other.1")]);

    let output = install(&variables, &["--uninstall"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("nothing to uninstall"));
}

#[test]
fn what_is_missing_or_relative_is_named() {
    let root = common::directory("install_refused");
    for (name, value, said) in [
        ("PREFIX", "usr", "usr: must be an absolute path"),
        ("TOLLGATE_CLI", "nowhere", "nowhere is missing: run 'make cli'"),
    ] {
        let output = install(&[("DESTDIR", &root), (name, Path::new(value))], &[]);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(said), "{message}");
    }
    assert!(files(&root).is_empty());
}
