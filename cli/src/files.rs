//! Files in and out, with errors that name them.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// A file's text.
///
/// # Errors
/// A sentence that names the file and the reason.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("can't read {}: {e}", path.display()))
}

/// Writes a file anew.
///
/// # Errors
/// A sentence that names the file and the reason.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("can't write {}: {e}", path.display()))
}

/// Makes a directory and those around it, where they are not there yet.
///
/// # Errors
/// A sentence that names the directory and the reason.
pub fn create_directory(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("can't create {}: {e}", path.display()))
}

/// Prints to the standard output. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// A sentence with the reason.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("can't print: {e}")),
        _ => Ok(()),
    }
}

/// Prints a value as JSON.
///
/// # Errors
/// A sentence with the reason.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), String> {
    print(serde_json::to_string_pretty(value).map_err(|e| e.to_string())? + "\n")
}
