//! The C ABI as a C program sees it: the header compiled without a warning, the static and the shared library linked, the
//! programs run, and only our symbols exported.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where libtollgate.a and .so stand, built now: `cargo test` alone makes neither where a linker finds them.
fn libraries() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build("c-abi", &[]))
}

fn build(folder: &str, options: &[&str]) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    run(Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["build", "--quiet", "--locked", "--lib"])
        .args(options)
        .arg("--target-dir")
        .arg(&target));
    target.join("debug")
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

#[derive(Clone, Copy)]
enum Link {
    Static,
    Shared,
}

/// Compiles `source` against the header, links it, runs it, and gives back what it printed.
fn compile_and_run(source: &str, standard: &str, link: Link) -> String {
    let libraries = libraries();
    let name = Path::new(source).file_stem().expect("a file name").to_string_lossy().into_owned();
    let how = match link {
        Link::Static => "static",
        Link::Shared => "shared",
    };
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{standard}-{how}"));
    let mut cc = Command::new("cc");
    cc.arg(format!("-std={standard}"))
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-I"])
        .arg(root().join("include"))
        .arg(root().join(source))
        .arg("-o")
        .arg(&program);
    match link {
        Link::Static => cc.arg(libraries.join("libtollgate.a")),
        Link::Shared => {
            cc.arg("-L").arg(libraries).arg("-ltollgate").arg(format!("-Wl,-rpath,{}", libraries.display()))
        }
    };
    // What a Rust static library needs of the system; harmless with the shared one.
    cc.args(["-lpthread", "-ldl", "-lm"]);
    run(&mut cc);
    // Where smoke.c may write, one file for each way of linking.
    let scratch = program.with_extension("snapshot");
    // Cargo points LD_LIBRARY_PATH at its own libtollgate.so, which may be an old one.
    let mut program = Command::new(program);
    let printed = run(program.env_remove("LD_LIBRARY_PATH").env("TOLLGATE_SMOKE_FILE", scratch)).stdout;
    String::from_utf8(printed).expect("the programs print UTF-8")
}

/// "smoke: N checks", where N says that no part was skipped.
fn assert_smoke(printed: &str) {
    let checks: u32 = printed
        .strip_prefix("smoke: ")
        .and_then(|rest| rest.strip_suffix(" checks\n"))
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("printed {printed:?}"));
    assert!(checks > 750, "only {checks} checks ran");
}

#[test]
fn smoke_with_the_static_library() {
    assert_smoke(&compile_and_run("tests/c/smoke.c", "c99", Link::Static));
}

#[test]
fn smoke_with_the_shared_library() {
    assert_smoke(&compile_and_run("tests/c/smoke.c", "c11", Link::Shared));
}

#[test]
fn readme_example_prints_what_the_readme_says() {
    let printed = compile_and_run("examples/c/readme.c", "c99", Link::Static);
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines[..2], ["welcome", "welcome"], "the second is the same device");
    let wait: u32 = lines[2]
        .strip_prefix("refused, again in ")
        .and_then(|rest| rest.strip_suffix(" ms"))
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("printed {printed:?}"));
    assert!((1..=30_000).contains(&wait), "{wait}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn readme_example_fits_into_the_readme() {
    let source = std::fs::read_to_string(root().join("examples/c/readme.c")).expect("examples/c/readme.c");
    assert!(source.lines().count() <= 40, "{} lines", source.lines().count());
}

/// The names that a shared library defines for others.
fn exported(library: &Path) -> Vec<String> {
    let listed = run(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    let listed = String::from_utf8(listed.stdout).expect("nm prints ASCII");
    listed.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}

#[test]
fn only_our_symbols_are_exported() {
    let symbols = exported(&libraries().join("libtollgate.so"));
    let ours = |symbol: &str| {
        symbol.starts_with("tollgate_") || cfg!(feature = "jni") && symbol.starts_with("Java_io_tollgate_")
    };
    let foreign: Vec<_> = symbols.iter().filter(|symbol| !ours(symbol)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert!(symbols.iter().any(|symbol| symbol == "tollgate_track"), "{symbols:?}");
    assert!(!symbols.iter().any(|symbol| symbol.starts_with("tollgate_test_")), "{symbols:?}");
}

/// Each exported function is called while it panics inside: one panic each, none gets out.
#[test]
fn no_panic_leaves_any_exported_function() {
    let library = build("c-abi-panics", &["--features", "inject-panics"]).join("libtollgate.so");
    let functions: Vec<_> =
        exported(&library).into_iter().filter(|name| !name.starts_with("tollgate_test_")).collect();
    assert!(functions.len() > 35, "{functions:?}");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("panics");
    run(Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .arg(root().join("tests/c/panics.c"))
        .arg("-ldl"));
    let printed = run(Command::new(program).arg(library).args(&functions)).stdout;
    let printed = String::from_utf8(printed).expect("names and numbers");
    let wanted: Vec<_> = functions.iter().map(|name| format!("{name} 1")).collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), wanted);
}
