//! docs/rates.svg and the measured part of docs/rates.md are what `tollgate rates-report` makes of docs/rates.json; `make rates` writes
//! all three anew.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::directory;

fn committed(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn run(directory: &Path, rates: &str, page: &str) -> Output {
    fs::write(directory.join("rates.json"), rates).unwrap();
    fs::write(directory.join("page.md"), page).unwrap();
    Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(directory)
        .args(["rates-report", "rates.json", "page.md", "--svg", "out.svg"])
        .output()
        .unwrap()
}

#[test]
fn the_committed_page_and_picture_are_what_the_command_writes() {
    let directory = directory("rates_committed");
    let output = run(&directory, &committed("rates.json"), &committed("rates.md"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (written, name) in [("page.md", "rates.md"), ("out.svg", "rates.svg")] {
        let written = fs::read_to_string(directory.join(written)).unwrap();
        assert!(
            written == committed(name),
            "docs/{name} is not what it should be: make rates writes it anew"
        );
    }
}

#[test]
fn the_picture_is_named_readable_and_knows_dark() {
    let svg = committed("rates.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().attribute("role"), Some("img"));
    common::assert_every_colour_follows_the_theme(&svg);
    common::assert_loads_nothing_from_anywhere(&svg);
    common::assert_texts_have_room(&svg, 35);
}

#[test]
fn a_page_without_the_markers_is_refused_by_name_and_left_as_it_is() {
    let directory = directory("rates_markers");
    let output = run(&directory, &committed("rates.json"), "# A page\n");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("tollgate: page.md lacks the lines <!-- made by `make rates`"), "{message}");
    assert_eq!(fs::read_to_string(directory.join("page.md")).unwrap(), "# A page\n");
    assert!(!directory.join("out.svg").exists());
}

#[test]
fn a_file_that_lacks_a_phase_is_refused_by_name() {
    let rates = committed("rates.json").replacen("\"phases\": 1000", "\"phases\": 1001", 1);
    let output = run(&directory("rates_phases"), &rates, &committed("rates.md"));
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    let expected = "rates.json is not what the experiment writes: per_second of KafkaRate has 1000 values of 1001 phases";
    assert!(message.contains(expected), "{message}");
}
