//! Building and running one of the programs.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A file or directory of this name that tests may write.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The program, built now with the library as it is.
pub fn program(name: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let target = scratch("c-abi");
    run(Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["build", "--quiet", "--locked", "--lib", "--target-dir"])
        .arg(&target));
    let programs = scratch("examples-c");
    let program = programs.join(name);
    run(Command::new("make")
        // A make above this one would hand its own settings down.
        .env_remove("MAKEFLAGS")
        .arg("--quiet")
        .arg("-C")
        .arg(root().join("examples"))
        .arg(format!("OUT={}", programs.display()))
        .arg(format!("TOLLGATE_LIBS={} -lpthread -ldl -lm", target.join("debug/libtollgate.a").display()))
        .arg(&program));
    program
}

/// Runs a command that must succeed.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, errors(&output));
    output
}

pub fn printed(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("the programs print UTF-8")
}

pub fn errors(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("the programs print UTF-8")
}

/// A started program that does not outlive the test, also when that fails.
pub struct Running(pub Child);

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}")))
    }

    pub fn signal(&self, name: &str) {
        run(Command::new("kill").args(["-s", name, &self.0.id().to_string()]));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended, as it should.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
