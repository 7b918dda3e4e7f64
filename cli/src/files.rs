//! Files in and out, with errors that name them.

use std::fs;
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
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("can't write {}: {e}", path.display()))
}
