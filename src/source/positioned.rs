//! A file that is read by position, by several threads at once.

use std::fs::File;
use std::io;
#[cfg(any(not(unix), pagewise_portable))]
use std::sync::{Mutex, PoisonError};

/// An open file without a position of its own.
#[derive(Debug)]
pub(super) struct Positioned {
    file: File,
    /// Held from the seek to the read, where the system has no call for both.
    #[cfg(any(not(unix), pagewise_portable))]
    moving: Mutex<()>,
}

impl From<File> for Positioned {
    fn from(file: File) -> Self {
        Self {
            file,
            #[cfg(any(not(unix), pagewise_portable))]
            moving: Mutex::default(),
        }
    }
}

impl Positioned {
    pub(super) fn as_file(&self) -> &File {
        &self.file
    }

    /// Reads at `offset`, at most as much as `buffer` holds.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    /// Reads at `offset`, at most as much as `buffer` holds.
    #[cfg(any(not(unix), pagewise_portable))]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::io::{Read as _, Seek as _};
        let _moving = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &self.file;
        file.seek(io::SeekFrom::Start(offset))?;
        file.read(buffer)
    }
}
