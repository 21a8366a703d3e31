//! The bytes of a file: by position for large files, whole for small ones.
//!
//! Nothing is mapped into memory: a file that another program truncates must cost an error, not a signal.

use super::error::DocumentError;
use bytes::Bytes;
use std::io;
use std::sync::{Arc, OnceLock};

/// Random access to a file's bytes, without a position of its own.
pub trait ReadAt: Send + Sync {
    /// Bytes in the file when it was opened.
    fn len(&self) -> u64;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// Any error of the file; [`io::ErrorKind::UnexpectedEof`] where it is shorter by now.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// The open file, where there is one that can be passed to another process.
    #[cfg(all(unix, not(pagewise_portable)))]
    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }

    /// What tells these bytes from others: equal only for equal bytes, as far as is known.
    fn identity(&self) -> Option<[u8; 32]> {
        None
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let part = self.get(start..start.saturating_add(buffer.len()));
        buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Files up to this size are read whole at once: one read is cheaper than the fifty that a page needs, until touching
/// the memory costs more than they do.
const WHOLE_FILE_BYTES: u64 = 512 << 10;

/// A file's bytes as slices that share one buffer where the file is small.
pub(crate) struct FileBytes {
    source: Arc<dyn ReadAt>,
    length: u64,
    whole: OnceLock<Bytes>,
}

impl FileBytes {
    pub(crate) fn new(source: Arc<dyn ReadAt>) -> Result<Self, DocumentError> {
        let length = source.len();
        let file = Self { source, length, whole: OnceLock::new() };
        if length <= WHOLE_FILE_BYTES {
            file.whole()?;
        }
        Ok(file)
    }

    /// A file that is in memory already.
    pub(crate) fn in_memory(bytes: Bytes) -> Self {
        let length = bytes.len() as u64;
        Self { source: Arc::new(Vec::new()), length, whole: OnceLock::from(bytes) }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// All bytes, read once and kept: for readers that need the file in memory.
    pub(crate) fn whole(&self) -> Result<Bytes, DocumentError> {
        if let Some(bytes) = self.whole.get() {
            return Ok(bytes.clone());
        }
        let bytes = self.read(0, self.length)?;
        Ok(self.whole.get_or_init(|| bytes).clone())
    }

    /// `length` bytes from `offset`, fewer where the file ends.
    pub(crate) fn slice(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        let start = offset.min(self.length);
        let end = offset.saturating_add(length).min(self.length);
        match self.whole.get() {
            Some(whole) => Ok(whole.slice(to_usize(start)..to_usize(end))),
            None => self.read(start, end - start),
        }
    }

    fn read(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        // Zeroed by the system where it is large: the length is that of the file, not one that the file names.
        let mut buffer = vec![0; to_usize(length)];
        self.source.read_at(offset, &mut buffer).map_err(|error| DocumentError::Io { kind: error.kind() })?;
        Ok(Bytes::from(buffer))
    }
}

/// A file offset as an index; offsets past the address space become an index past every slice.
pub(crate) fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
