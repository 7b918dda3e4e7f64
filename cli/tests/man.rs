//! `tollgate man`: the pages, and as groff renders them where it is installed.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn tollgate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tollgate")).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The commands in `--help`, in its order.
fn commands() -> Vec<String> {
    let help = stdout(&tollgate(&["--help"]));
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// All pages by their file names.
fn pages(test: &str) -> Vec<(String, String)> {
    // Not there yet: the command makes it.
    let directory = common::directory(test).join("share/man1");
    assert_eq!(stdout(&tollgate(&["man", directory.to_str().unwrap()])), "");
    let entries = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap());
    let mut pages: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    pages.sort();
    pages
}

#[test]
fn there_is_a_page_for_each_command_that_help_shows() {
    let mut expected: Vec<String> =
        commands().iter().map(|name| format!("tollgate-{name}.1")).chain(["tollgate.1".to_owned()]).collect();
    expected.sort();
    let pages = pages("man_pages");
    assert_eq!(pages.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), expected);
    assert!(
        pages.iter().all(|(_, page)| !page.contains("dispatch") && !page.contains("demo\\-report")),
        "a hidden command"
    );
    assert_eq!(commands(), ["size", "advise", "replay", "completions", "man"]);
}

#[test]
fn the_main_page_goes_to_the_output_and_names_the_others_and_the_exit_status() {
    let page = stdout(&tollgate(&["man"]));
    assert_eq!(pages("man_main").last().unwrap().1, page);
    for name in commands() {
        assert!(page.contains(&format!("tollgate\\-{}(1)", name.replace('-', "\\-"))), "{name}\n{page}");
    }
    assert!(page.contains(".SH \"EXIT STATUS\"") && page.contains("\n.TP\n130\n"), "{page}");
}

#[test]
fn each_command_has_an_example_in_its_help_and_line_by_line_in_its_page() {
    for name in commands() {
        let help = stdout(&tollgate(&[&name, "--help"]));
        let example = format!("\n  tollgate {name} ");
        assert!(help.contains("\nExample") && help.contains(&example), "{help}");
    }
    for (name, page) in pages("man_examples").iter().filter(|(name, _)| name != "tollgate.1") {
        let (_, examples) =
            page.split_once(".SH EXAMPLE").or_else(|| page.split_once(".SH \"EXAMPLE")).unwrap();
        assert!(examples.contains(".nf\n") && examples.contains("\ntollgate "), "{name}\n{page}");
    }
}

#[test]
fn the_help_of_the_tool_itself_has_an_example_of_each_question() {
    let help = stdout(&tollgate(&["--help"]));
    let (_, examples) = help.split_once("\nExamples:\n").unwrap();
    let page = stdout(&tollgate(&["man"]));
    for name in ["size", "advise", "replay"] {
        assert!(examples.contains(&format!("  tollgate {name} ")), "{help}");
        assert!(page.contains(&format!("\ntollgate {name} ")), "{page}");
    }
}

#[test]
fn the_synopsis_shows_values_and_what_may_be_repeated() {
    for (name, parts) in [
        ("tollgate-size.1", &["\\-\\-rate\\fR \\fIRATE\\fR [", "[\\fB\\-\\-json\\fR]"][..]),
        ("tollgate-advise.1", &["[\\fB\\-\\-rate\\fR \\fIRATE\\fR]...", " \\fILOG_DIR\\fR..."]),
        ("tollgate-replay.1", &["[\\fB\\-\\-compare\\fR \\fIOPTION=VALUES\\fR...]", " \\fITRACE\\fR"]),
        ("tollgate-man.1", &[" [\\fIDIR\\fR]"]),
        ("tollgate.1", &["[\\fB\\-h\\fR|\\fB\\-\\-help\\fR]", " \\fICOMMAND\\fR"]),
    ] {
        let pages = pages("man_synopsis");
        let (_, page) = pages.iter().find(|(page, _)| page == name).unwrap();
        let (_, synopsis) = page.split_once(".SH SYNOPSIS\n").unwrap();
        let synopsis = synopsis.lines().next().unwrap();
        for part in parts {
            assert!(synopsis.contains(part), "{part}\n{synopsis}");
        }
    }
}

#[test]
fn the_exit_status_has_a_section_of_its_own() {
    for (name, page) in
        pages("man_status").iter().filter(|(name, _)| name.contains("advise") || name.contains("replay"))
    {
        let (_, status) = page.split_once(".SH \"EXIT STATUS\"\n").unwrap();
        assert!(status.starts_with("0 all was read, 2 "), "{name}\n{page}");
        let (_, examples) = status.split_once(".SH EXAMPLES\n.nf\n").unwrap();
        assert!(
            !examples.to_lowercase().contains("exit status") && examples.ends_with(".fi\n"),
            "{name}\n{page}"
        );
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let file = common::directory("man_refused").join("file");
    fs::write(&file, "").unwrap();
    let output = tollgate(&["man", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("can't create") && message.contains("man_refused/file"), "{message}");
}

#[test]
fn groff_renders_each_page_without_a_warning() {
    let groff = |page: &Path| {
        Command::new("groff").args(["-man", "-ww", "-Tutf8", "-P-cbou"]).arg(page).output().ok()
    };
    let directory = common::directory("man_groff");
    for (name, page) in pages("man_groff_pages") {
        let path = directory.join(&name);
        fs::write(&path, page).unwrap();
        let Some(output) = groff(&path) else {
            eprintln!("skipped: no groff here");
            return;
        };
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("NAME") && text.contains("tollgate 0."), "{text}");
    }
}
