//! README.md shows programs that are compiled and run elsewhere; here, that it shows them as they are.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The text between a fence of that language and the next closing one, for each such fence.
fn blocks(markdown: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    markdown.split(&fence).skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_c_program_is_the_compiled_one() {
    assert_eq!(blocks(&read("README.md"), "c"), [read("examples/c/readme.c").trim_end()]);
}

#[test]
fn the_java_program_is_the_compiled_one() {
    let test = read("java/engine/src/test/java/io/tollgate/ReadmeExampleTest.java");
    let marked = test.split("// readme-start\n").nth(1).unwrap().split("// readme-end").next().unwrap();
    let shown: Vec<&str> =
        marked.trim_end().lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).collect();
    assert_eq!(blocks(&read("README.md"), "java"), [shown.join("\n")]);
}
