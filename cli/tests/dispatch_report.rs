//! docs/dispatch.md and docs/dispatch.svg are what `tollgate dispatch-report` writes; `make dispatch` writes them anew.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::directory;

fn committed(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn run(directory: &Path, page: &str) -> Output {
    fs::write(directory.join("page.md"), page).unwrap();
    Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(directory)
        .args(["dispatch-report", "page.md", "--svg", "out.svg"])
        .output()
        .unwrap()
}

#[test]
fn the_committed_page_and_picture_are_what_the_command_writes() {
    let directory = directory("dispatch_committed");
    let output = run(&directory, &committed("dispatch.md"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (written, name) in [("page.md", "dispatch.md"), ("out.svg", "dispatch.svg")] {
        let written = fs::read_to_string(directory.join(written)).unwrap();
        assert!(
            written == committed(name),
            "docs/{name} is not what it should be: make dispatch writes it anew"
        );
    }
}

#[test]
fn the_picture_is_named_readable_and_knows_dark() {
    let svg = committed("dispatch.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().attribute("role"), Some("img"));
    common::assert_every_colour_follows_the_theme(&svg);
    common::assert_loads_nothing_from_anywhere(&svg);
    common::assert_texts_have_room(&svg, 70);
}

#[test]
fn a_page_without_the_markers_is_refused_by_name_and_left_as_it_is() {
    let directory = directory("dispatch_markers");
    let output = run(&directory, "# A page\n");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.starts_with("tollgate: page.md lacks the lines <!-- made by `make dispatch`"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(directory.join("page.md")).unwrap(), "# A page\n");
    assert!(!directory.join("out.svg").exists());
}
