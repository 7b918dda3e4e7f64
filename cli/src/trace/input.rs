//! The bytes of a trace, of which a bounded part is held.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The longest line, and the longest record that goes over several; bytes.
pub const MOST_LINE: usize = 64 << 10;
const BUFFER: usize = 4 * MOST_LINE;

/// See the module's head.
pub struct Input {
    source: Box<dyn Read>,
    /// As messages name it.
    name: String,
    /// None for what has no length, as a pipe.
    total: Option<u64>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    consumed: u64,
    /// Of the first byte held, from 1.
    line: u64,
}

impl Input {
    /// Opens a file, or the standard input for `-`.
    ///
    /// # Errors
    /// A sentence that names the file and the reason.
    pub fn open(path: &Path) -> Result<Self, String> {
        if path.as_os_str() == "-" {
            return Ok(Self::new(Box::new(io::stdin()), "the standard input", None));
        }
        let said = |e: io::Error| format!("can't read {}: {e}", path.display());
        let found = fs::metadata(path).map_err(said)?;
        if found.is_dir() {
            return Err(format!("can't read {}: is a directory, not a trace", path.display()));
        }
        let total = found.is_file().then_some(found.len());
        let file = File::open(path).map_err(said)?;
        Ok(Self::new(Box::new(file), &path.display().to_string(), total))
    }

    pub fn new(source: Box<dyn Read>, name: &str, total: Option<u64>) -> Self {
        let buffer = vec![0; BUFFER];
        Self { source, name: name.to_owned(), total, buffer, start: 0, end: 0, consumed: 0, line: 1 }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn line(&self) -> u64 {
        self.line
    }

    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// What was read and not yet consumed.
    pub fn held(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads on; false at the end. Call it with less than [`MOST_LINE`] held.
    ///
    /// # Errors
    /// A sentence that names the file and the reason.
    pub fn fill(&mut self) -> Result<bool, String> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read > 0);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(format!("can't read {}: {e}", self.name)),
            }
        }
    }

    /// Leaves the first `count` of the bytes held behind.
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        let gone = &self.buffer[self.start..self.start + count];
        self.line += gone.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        self.start += count;
        self.consumed += count as u64;
    }

    /// Leaves a line behind, however long.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn skip_line(&mut self) -> Result<(), String> {
        loop {
            let held = self.held();
            if let Some(newline) = held.iter().position(|byte| *byte == b'\n') {
                self.consume(newline + 1);
                return Ok(());
            }
            self.consume(held.len());
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Leaves empty lines behind; false at the end of the input.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn skip_blank(&mut self) -> Result<bool, String> {
        loop {
            let held = self.held();
            let blank = held.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let all = held.len();
            self.consume(blank);
            if blank < all {
                return Ok(true);
            }
            if !self.fill()? {
                return Ok(false);
            }
        }
    }
}
