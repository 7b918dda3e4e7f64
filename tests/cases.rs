//! The table of cases in docs/engine.md: each public bug report's number beside the tests that hold its right answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// B1 to B17.
const CASES: u32 = 17;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Names of all tests: what follows `fn` within five lines of a `#[test]`.
fn tests() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "tests"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    let mut names = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for (index, _) in lines.iter().enumerate().filter(|(_, line)| **line == "#[test]") {
            let name = lines[index..].iter().take(5).find_map(|line| line.strip_prefix("fn "));
            names.extend(name.and_then(|rest| rest.split('(').next()).map(str::to_owned));
        }
    }
    names
}

/// Rows `| B1 | what | `test`, `test` |`.
fn documented() -> BTreeMap<u32, Vec<String>> {
    let rows = include_str!("../docs/engine.md").lines().filter_map(|line| {
        let (number, rest) = line.strip_prefix("| B")?.split_once(" | ")?;
        let tests = rest.rsplit(" | ").next()?.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some((number.parse().expect("a case's number"), tests))
    });
    rows.collect()
}

#[test]
fn every_case_has_the_tests_that_the_table_names() {
    let (tests, documented) = (tests(), documented());
    assert!(tests.len() > 100, "only {} tests found", tests.len());
    assert_eq!(documented.keys().copied().collect::<Vec<_>>(), (1..=CASES).collect::<Vec<_>>());
    for (number, names) in documented {
        assert!(!names.is_empty(), "B{number} has no test");
        for name in names {
            assert!(tests.contains(&name), "B{number}: no test is called {name}");
            assert!(name.split('_').any(|part| part == format!("b{number}")), "B{number} is not in {name}");
        }
    }
}

/// The other way: a test that bears a case's number stands in the table.
#[test]
fn every_test_named_after_a_case_stands_in_the_table() {
    let documented = documented();
    for name in tests() {
        for part in name.split('_').take_while(|part| is_number_of_a_rule(part)) {
            if let Some(number) = part.strip_prefix('b').and_then(|number| number.parse::<u32>().ok()) {
                assert!(documented[&number].contains(&name), "B{number} lacks {name}");
            }
        }
    }
}

/// `s4`, `b10`, `o3`: what test names begin with.
fn is_number_of_a_rule(part: &str) -> bool {
    part.len() > 1
        && part.starts_with(|c: char| c.is_ascii_lowercase())
        && part[1..].bytes().all(|b| b.is_ascii_digit())
}
