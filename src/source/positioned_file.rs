//! A file that several threads can read at once, each at its own position.

use std::fs::File;
use std::io;
#[cfg(any(not(unix), pagewise_portable))]
use std::sync::{Mutex, PoisonError};

/// An open file that is read at explicit positions.
#[derive(Debug)]
pub(super) struct PositionedFile {
    file: File,
    /// Locked from the seek to the read, on systems without a call for both.
    #[cfg(any(not(unix), pagewise_portable))]
    seek_lock: Mutex<()>,
}

impl From<File> for PositionedFile {
    fn from(file: File) -> Self {
        Self {
            file,
            #[cfg(any(not(unix), pagewise_portable))]
            seek_lock: Mutex::default(),
        }
    }
}

impl PositionedFile {
    pub(super) fn as_file(&self) -> &File {
        &self.file
    }

    /// Reads at `offset`, at most the length of `buffer`.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    /// Reads at `offset`, at most the length of `buffer`.
    #[cfg(any(not(unix), pagewise_portable))]
    pub(super) fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::io::{Read as _, Seek as _};
        let _guard = self.seek_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = &self.file;
        file.seek(io::SeekFrom::Start(offset))?;
        file.read(buffer)
    }
}
