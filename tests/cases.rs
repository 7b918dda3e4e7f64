//! The tables of cases in docs/: each public bug report's number beside the tests that hold its right answer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Letter, how many, and the page: B1 to B17 stand in docs/engine.md.
const TABLES: [(char, u32, &str); 3] =
    [('B', 17, "docs/engine.md"), ('C', 12, "docs/rates.md"), ('D', 5, "docs/dispatch.md")];

/// Letters of the design's rules. A test may bear the number of a rule that is also a case's and have nothing to do with that.
const RULES: &str = "SRD";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

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
    let mut files = Vec::new();
    ["src", "tests"].iter().for_each(|folder| sources(&root().join(folder), &mut files));
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

/// A page's rows `| B1 | what | `test`, `test` |`.
fn documented(letter: char, page: &str) -> BTreeMap<u32, Vec<String>> {
    let page = std::fs::read_to_string(root().join(page)).unwrap_or_else(|e| panic!("{page}: {e}"));
    let rows = page.lines().filter_map(|line| {
        let (number, rest) = line.strip_prefix("| ")?.strip_prefix(letter)?.split_once(" | ")?;
        let tests = rest.rsplit(" | ").next()?.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Some((number.parse().ok()?, tests))
    });
    rows.collect()
}

#[test]
fn every_case_has_the_tests_that_the_table_names() {
    let tests = tests();
    assert!(tests.len() > 100, "only {} tests found", tests.len());
    for (letter, count, page) in TABLES {
        let documented = documented(letter, page);
        assert_eq!(documented.keys().copied().collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>(), "{page}");
        for (number, names) in documented {
            assert!(!names.is_empty(), "{letter}{number} has no test");
            let part = format!("{letter}{number}").to_lowercase();
            for name in names {
                assert!(tests.contains(&name), "{letter}{number}: no test is called {name}");
                assert!(name.split('_').any(|each| each == part), "{letter}{number} is not in {name}");
            }
        }
    }
}

/// The other way: a test that bears a case's number stands in the table.
#[test]
fn every_test_named_after_a_case_stands_in_the_table() {
    let tests = tests();
    for (letter, _, page) in TABLES.into_iter().filter(|(letter, ..)| !RULES.contains(*letter)) {
        let documented = documented(letter, page);
        for name in &tests {
            for part in name.split('_').take_while(|part| is_number_of_a_rule(part)) {
                let number =
                    part.strip_prefix(letter.to_ascii_lowercase()).and_then(|n| n.parse::<u32>().ok());
                if let Some(number) = number {
                    let listed = documented.get(&number).is_some_and(|names| names.contains(name));
                    assert!(listed, "{letter}{number} lacks {name}");
                }
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
