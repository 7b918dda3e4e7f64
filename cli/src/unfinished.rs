//! Files in the making: written beside their place as `FILE.part`, and renamed once they are whole. Whatever ends the program
//! before, an error or Ctrl-C, no half of a file is left under the file's name, nor beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::interrupt;

/// What Ctrl-C has to remove.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// What was finished before it, and stays. Locked after `PARTS`.
static FINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    // A list of paths is whole whoever panicked with it.
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn finished() -> MutexGuard<'static, Vec<PathBuf>> {
    FINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files in the making, says so, and ends the program.
pub fn abandon() -> ! {
    // Held to the end, so that no file is renamed or made meanwhile.
    let parts = parts();
    for part in parts.iter() {
        let _ = fs::remove_file(part);
    }
    let _said = interrupt::say(&finished());
    process::exit(i32::from(interrupt::STATUS));
}

/// A file in the making; dropped before it is [`finish`](Self::finish)ed, it is removed.
pub struct Unfinished {
    path: PathBuf,
    /// None for what is no file, as /dev/stdout: it is written to directly.
    part: Option<PathBuf>,
}

impl Unfinished {
    /// Begins a file; what stands under its name stays until it is finished.
    ///
    /// # Errors
    /// A sentence that names the file and the reason.
    pub fn create(path: &Path) -> Result<(Self, File), String> {
        if path.as_os_str() == "-" {
            return Err(
                "can't write -: give a file's name, or /dev/stdout for the standard output".to_owned()
            );
        }
        let said = |e| format!("can't write {}: {e}", path.display());
        let is_no_file = fs::metadata(path).is_ok_and(|found| !found.is_file());
        if is_no_file {
            let file = OpenOptions::new().write(true).open(path).map_err(said)?;
            return Ok((Self { path: path.to_owned(), part: None }, file));
        }
        // Without a handler the worst is a .part file left over.
        let _ = interrupt::tidy_up();
        // A link stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = path.clone().into_os_string();
        name.push(".part");
        let part = PathBuf::from(name);
        let mut parts = parts();
        // Not into what is there: another run's, a user's own, or a link to some other file.
        let file =
            OpenOptions::new().write(true).create_new(true).open(&part).map_err(|e| match e.kind() {
                io::ErrorKind::AlreadyExists => format!(
                    "can't write {}: {} is in the way; if no other run is writing it, remove it",
                    path.display(),
                    part.display()
                ),
                _ => format!("can't write {}: {e}", path.display()),
            })?;
        parts.push(part.clone());
        Ok((Self { path, part: Some(part) }, file))
    }

    /// Gives the file its name. The caller has written all of it.
    ///
    /// # Errors
    /// A sentence that names the file and the reason; the file is removed then.
    pub fn finish(mut self) -> Result<(), String> {
        let Some(part) = &self.part else { return Ok(()) };
        let mut parts = parts();
        fs::rename(part, &self.path).map_err(|e| format!("can't write {}: {e}", self.path.display()))?;
        parts.retain(|held| held != part);
        finished().push(self.path.clone());
        drop(parts);
        self.part = None;
        Ok(())
    }
}

/// A text that is written at once, into a file that is known to be writable long before.
pub struct UnfinishedText {
    unfinished: Unfinished,
    file: File,
}

impl UnfinishedText {
    /// As [`Unfinished::create`].
    ///
    /// # Errors
    /// As there.
    pub fn create(path: &Path) -> Result<Self, String> {
        let (unfinished, file) = Unfinished::create(path)?;
        Ok(Self { unfinished, file })
    }

    /// Writes the text, and gives the file its name.
    ///
    /// # Errors
    /// A sentence that names the file and the reason; the file is removed then.
    pub fn write(mut self, text: &str) -> Result<(), String> {
        let path = &self.unfinished.path;
        self.file.write_all(text.as_bytes()).map_err(|e| format!("can't write {}: {e}", path.display()))?;
        self.unfinished.finish()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            let mut parts = parts();
            let _ = fs::remove_file(part);
            parts.retain(|held| held != part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(test: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("tollgate-unfinished-{test}-{}", process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_finished_and_not_before() {
        let directory = directory("finished");
        let path = directory.join("out.csv");
        fs::write(&path, "old").unwrap();
        let (unfinished, mut file) = Unfinished::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        unfinished.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(&directory), ["out.csv"]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_file_that_is_dropped_unfinished_leaves_nothing() {
        let directory = directory("dropped");
        let (unfinished, mut file) = Unfinished::create(&directory.join("out.csv")).unwrap();
        file.write_all(b"half").unwrap();
        drop(unfinished);
        assert_eq!(names(&directory), Vec::<String>::new());
        fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        let (unfinished, mut file) = Unfinished::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"gone").unwrap();
        unfinished.finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let directory = directory("link");
        let (target, link) = (directory.join("real.csv"), directory.join("link.csv"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let (unfinished, mut file) = Unfinished::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        unfinished.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_dash_is_no_file() {
        let Err(said) = Unfinished::create(Path::new("-")) else { panic!("written") };
        assert_eq!(said, "can't write -: give a file's name, or /dev/stdout for the standard output");
        assert!(!Path::new("-").exists() && !Path::new("-.part").exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_in_the_way_is_named_and_left_as_it_is() {
        let directory = directory("in-the-way");
        let (path, part) = (directory.join("out.csv"), directory.join("out.csv.part"));
        fs::write(directory.join("victim"), "mine").unwrap();
        std::os::unix::fs::symlink(directory.join("victim"), &part).unwrap();
        let Err(said) = Unfinished::create(&path) else { panic!("written") };
        assert!(said.contains("out.csv.part is in the way"), "{said}");
        assert_eq!(fs::read_to_string(directory.join("victim")).unwrap(), "mine");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let Err(said) = Unfinished::create(Path::new("/no/such/place/out.csv")) else { panic!("written") };
        assert!(said.starts_with("can't write /no/such/place/out.csv: "), "{said}");
    }
}
