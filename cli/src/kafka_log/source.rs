//! Where a file's bytes come from: a file, or memory in tests.

use std::{fs, io};

/// Bytes at a place, without a place of its own that moves.
pub trait Source {
    /// How many there are now; a live broker's file grows.
    ///
    /// # Errors
    /// The system's.
    fn length(&self) -> io::Result<u64>;

    /// Reads what there is from `position` on into `to`, at most its length; 0 at the end only.
    ///
    /// # Errors
    /// The system's.
    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize>;

    /// A moment for what is being written just now to become visible; memory needs none.
    fn wait(&self) {}

    /// The first place from `position` on that may hold something other than zeros; none: there are zeros only. Files with
    /// holes know it without reading.
    fn data_from(&self, position: u64) -> Option<u64> {
        Some(position)
    }
}

impl Source for fs::File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::os::unix::fs::FileExt::read_at(self, to, position) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn wait(&self) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    #[cfg(target_os = "linux")]
    fn data_from(&self, position: u64) -> Option<u64> {
        use nix::errno::Errno;
        use nix::unistd::{lseek, Whence};
        let Ok(from) = i64::try_from(position) else { return Some(position) };
        match lseek(self, from, Whence::SeekData) {
            Ok(data) => u64::try_from(data).ok(),
            Err(Errno::ENXIO) => None,
            // A file system without holes.
            Err(_) => Some(position),
        }
    }
}

impl Source for &[u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, position: u64, to: &mut [u8]) -> io::Result<usize> {
        let position = usize::try_from(position).unwrap_or(usize::MAX);
        let rest = self.get(position..).unwrap_or_default();
        let length = rest.len().min(to.len());
        to[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}
