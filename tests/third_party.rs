//! THIRD-PARTY.txt names every crate that is linked into the library, with its licence's text where that is not
//! Apache-2.0. Written anew with `TOLLGATE_BLESS=1 cargo test --test third_party`.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "\
Crates linked into Tollgate's native library (libtollgate), from crates.io. Those that may be used under Apache-2.0 are,
and LICENSE has its text; the others follow with theirs. The Rust standard library is under Apache-2.0 as well.
";

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

/// "name version" of what ends in the library: no proc-macros, and nothing that only they need.
fn linked() -> BTreeSet<String> {
    let tree = ["tree", "--locked", "-p", "tollgate", "-e", "normal,no-proc-macro", "--features", "jni"];
    cargo(&[&tree[..], &["--prefix", "none", "--format", "{p}"]].concat())
        .lines()
        .map(|line| line.trim_end_matches(" (*)").replacen(" v", " ", 1))
        .filter(|package| !package.starts_with("tollgate "))
        .collect()
}

/// Licence and folder of each package that cargo knows of, by "name version".
fn packages() -> BTreeMap<String, (String, String)> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--locked", "--all-features", "--format-version", "1"]))
            .unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
            (name, (text(&package["license"]), text(&package["manifest_path"])))
        })
        .collect()
}

fn licence_text(manifest: &str) -> String {
    let folder = Path::new(manifest).parent().unwrap();
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().to_uppercase();
            name.starts_with("LICENSE") || name.starts_with("COPYING")
        })
        .collect();
    // Where there is a choice, the one called MIT.
    files.sort_by_key(|path| (!path.to_string_lossy().ends_with("MIT"), path.clone()));
    fs::read_to_string(files.first().unwrap_or_else(|| panic!("{manifest}: no licence file"))).unwrap()
}

fn notice() -> String {
    let packages = packages();
    let (mut list, mut texts) = (String::new(), String::new());
    for package in linked() {
        let (licence, manifest) = &packages[&package];
        writeln!(list, "{package}: {licence}").unwrap();
        if !licence.contains("Apache-2.0") {
            let text = licence_text(manifest).replace("\r\n", "\n");
            write!(texts, "\n---- {package} ----\n\n{}\n", text.trim()).unwrap();
        }
    }
    format!("{HEAD}\n{list}{texts}")
}

#[test]
fn every_linked_crate_is_named_with_its_licence() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("THIRD-PARTY.txt");
    let notice = notice();
    if std::env::var_os("TOLLGATE_BLESS").is_some() {
        fs::write(&path, &notice).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == notice, "THIRD-PARTY.txt is not up to date: run `make header`");
}
