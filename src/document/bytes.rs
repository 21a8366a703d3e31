//! Access to a file's bytes: by position for large files, whole for small ones.
//!
//! Files are not memory-mapped: if another program truncates the file, that must be an error and not a signal.

use super::error::DocumentError;
use bytes::Bytes;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Random access to a file's bytes, without a current position.
pub trait ReadAt: Send + Sync {
    /// The file's length in bytes when it was opened.
    fn len(&self) -> u64;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes from `offset`.
    ///
    /// # Errors
    /// Any error of the file; [`io::ErrorKind::UnexpectedEof`] if the file has become shorter.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Whether reads are requests to another machine. A worker then asks its parent for each part that it needs.
    fn is_remote(&self) -> bool {
        false
    }

    /// Like [`read_at`](Self::read_at). A remote file is waited for no longer than `time`.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at); [`io::ErrorKind::TimedOut`] if `time` is over.
    fn read_within(&self, time: Duration, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let _ = time;
        self.read_at(offset, buffer)
    }

    /// All bytes, if they are in memory and can be shared.
    fn in_memory(&self) -> Option<Bytes> {
        None
    }

    /// The open file, if there is one that can be passed to another process.
    #[cfg(all(unix, not(pagewise_portable)))]
    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        None
    }

    /// Identifies the content: equal identities mean equal bytes. `None` if unknown.
    fn identity(&self) -> Option<[u8; 32]> {
        None
    }

    /// Whether the bytes are certainly still those of [`identity`](Self::identity), so that what was read of them may be
    /// kept.
    fn is_settled(&self) -> bool {
        false
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> u64 {
        self.as_slice().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy_part(self, offset, buffer)
    }
}

impl ReadAt for Bytes {
    fn len(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        copy_part(self, offset, buffer)
    }

    fn in_memory(&self) -> Option<Bytes> {
        Some(self.clone())
    }
}

fn copy_part(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let part = bytes.get(start..start.saturating_add(buffer.len()));
    buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
    Ok(())
}

/// Smaller files are read whole when opened: one read is cheaper than the fifty that a page needs.
const READ_WHOLE_BYTES: u64 = 512 << 10;

/// Smaller files are read whole once that many bytes were read in parts: then most of the file will be needed.
const READ_WHOLE_LATER_BYTES: u64 = 16 << 20;

/// The largest slice that is served from a thread's read windows.
const WINDOW_BYTES: u64 = 2 << 10;

/// The bytes that are read around a small read whose neighbours are likely to follow, such as cross-reference entries.
const NEIGHBOURHOOD_BYTES: u64 = 4 << 10;

/// The bytes of one sequential read. Reading 16 KiB costs as much as reading 2 KiB.
const READ_AHEAD_BYTES: u64 = 16 << 10;

/// The largest gap between two reads that still count as sequential.
const SEQUENTIAL_GAP_BYTES: u64 = 8 << 10;

thread_local! {
    /// Two windows, the last used first: a walk of the page tree alternates between nodes and pages.
    static RECENT_WINDOWS: RefCell<[ReadWindow; 2]> = const { RefCell::new([ReadWindow::EMPTY, ReadWindow::EMPTY]) };
}

/// The next [`FileBytes::id`].
static NEXT_FILE_ID: AtomicU64 = AtomicU64::new(1);

/// A part of a file that a thread has read.
struct ReadWindow {
    file: u64,
    start: u64,
    bytes: Vec<u8>,
    filled: u64,
}

impl ReadWindow {
    const EMPTY: Self = Self { file: 0, start: 0, bytes: Vec::new(), filled: 0 };

    /// The position in this window of the bytes from `start` to `end` of `file`; `None` if they are not here.
    fn contained_range(&self, file: u64, start: u64, end: u64) -> Option<Range<usize>> {
        let from = start.checked_sub(self.start).filter(|_| file == self.file)?;
        let to = end.saturating_sub(self.start);
        (to <= self.filled).then(|| to_usize(from)..to_usize(to))
    }

    /// Whether a read at `start` of `file` continues this window.
    fn continues_into(&self, file: u64, start: u64) -> bool {
        let end = self.start.saturating_add(self.filled).saturating_add(SEQUENTIAL_GAP_BYTES);
        file == self.file && (self.start..end).contains(&start)
    }

    /// Fills this window with bytes from `start`.
    fn fill(&mut self, file: &FileBytes, start: u64) -> Result<(), DocumentError> {
        let length = if self.continues_into(file.id, start) { READ_AHEAD_BYTES } else { WINDOW_BYTES };
        let length = length.min(file.length.saturating_sub(start));
        // A failed read leaves the buffer undefined.
        self.filled = 0;
        self.bytes.resize(to_usize(READ_AHEAD_BYTES), 0);
        let part = self.bytes.get_mut(..to_usize(length)).unwrap_or_default();
        file.source.read_at(start, part).map_err(|error| DocumentError::Io { kind: error.kind() })?;
        (self.file, self.start, self.filled) = (file.id, start, length);
        Ok(())
    }
}

/// A file's bytes. Slices share one buffer if the whole file is in memory.
pub struct FileBytes {
    id: u64,
    source: Arc<dyn ReadAt>,
    length: u64,
    whole: OnceLock<Bytes>,
    /// Held while the whole file is read.
    read_lock: Mutex<()>,
    /// Bytes read so far.
    bytes_read: AtomicU64,
    /// The last two parts read by [`slice_with_neighbours`](Self::slice_with_neighbours) and their offsets, the last used first.
    neighbourhoods: Mutex<[(u64, Bytes); 2]>,
}

impl FileBytes {
    pub(crate) fn new(source: Arc<dyn ReadAt>) -> Result<Self, DocumentError> {
        let length = source.len();
        let whole = source.in_memory().map(OnceLock::from).unwrap_or_default();
        let (read_lock, bytes_read, neighbourhoods) = (Mutex::default(), AtomicU64::new(0), Mutex::default());
        let mut file = Self { id: 0, source, length, whole, read_lock, bytes_read, neighbourhoods };
        if length <= READ_WHOLE_BYTES {
            file.whole()?;
        } else {
            file.id = NEXT_FILE_ID.fetch_add(1, Ordering::Relaxed);
        }
        Ok(file)
    }

    /// A file that is in memory already.
    pub fn in_memory(bytes: Bytes) -> Self {
        let length = bytes.len() as u64;
        let (whole, read_lock) = (OnceLock::from(bytes), Mutex::default());
        let (bytes_read, neighbourhoods) = (AtomicU64::new(0), Mutex::default());
        Self { id: 0, source: Arc::new(Vec::new()), length, whole, read_lock, bytes_read, neighbourhoods }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// Whether bytes that were not read yet have to come from another machine.
    pub(crate) fn is_remote(&self) -> bool {
        self.source.is_remote() && self.whole.get().is_none()
    }

    /// All bytes. They are read once and kept.
    pub(crate) fn whole(&self) -> Result<Bytes, DocumentError> {
        if let Some(bytes) = self.whole.get() {
            return Ok(bytes.clone());
        }
        // One thread reads, and the others wait for it instead of reading the file again.
        let _guard = self.read_lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = self.whole.get() {
            return Ok(bytes.clone());
        }
        let bytes = self.read(0, self.length)?;
        Ok(self.whole.get_or_init(|| bytes).clone())
    }

    /// `length` bytes from `offset`, or fewer at the end of the file.
    pub(crate) fn slice(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        let (start, end) = self.range(offset, length);
        match self.whole_if_in_memory(end - start)? {
            Some(whole) => Ok(whole.slice(to_usize(start)..to_usize(end))),
            None => self.read(start, end - start),
        }
    }

    /// Calls `use_slice` with `length` bytes from `offset`, or fewer at the end of the file. `use_slice` must not call this again.
    pub(crate) fn with_slice<T>(
        &self,
        offset: u64,
        length: u64,
        use_slice: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, DocumentError> {
        let (start, end) = self.range(offset, length);
        if let Some(whole) = self.whole_if_in_memory(end - start)? {
            return Ok(use_slice(whole.get(to_usize(start)..to_usize(end)).unwrap_or_default()));
        }
        if length > WINDOW_BYTES {
            return Ok(use_slice(&self.read(start, end - start)?));
        }
        RECENT_WINDOWS.with_borrow_mut(|[window, other]| {
            let mut range = window.contained_range(self.id, start, end);
            if range.is_none() {
                range = other.contained_range(self.id, start, end);
                if range.is_some() || other.continues_into(self.id, start) || !window.continues_into(self.id, start) {
                    std::mem::swap(window, other);
                }
            }
            if range.is_none() {
                window.fill(self, start)?;
            }
            Ok(use_slice(window.bytes.get(range.unwrap_or(0..to_usize(end - start))).unwrap_or_default()))
        })
    }

    /// Like [`slice`](Self::slice), for a few bytes whose neighbours will be needed next.
    pub(crate) fn slice_with_neighbours(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        if self.whole.get().is_some() {
            return self.slice(offset, length);
        }
        let (start, end) = self.range(offset, length);
        let mut parts = self.neighbourhoods.lock().unwrap_or_else(PoisonError::into_inner);
        let [last, other] = &mut *parts;
        let slice_of = |part: &(u64, Bytes)| {
            let from = start.checked_sub(part.0)?;
            let to = end.saturating_sub(part.0);
            (to <= part.1.len() as u64).then(|| part.1.slice(to_usize(from)..to_usize(to)))
        };
        if let Some(bytes) = slice_of(last) {
            return Ok(bytes);
        }
        std::mem::swap(last, other);
        if let Some(bytes) = slice_of(last) {
            return Ok(bytes);
        }
        *last = (start, self.slice(start, length.max(NEIGHBOURHOOD_BYTES))?);
        Ok(slice_of(last).unwrap_or_default())
    }

    fn range(&self, offset: u64, length: u64) -> (u64, u64) {
        let start = offset.min(self.length);
        (start, offset.saturating_add(length).min(self.length))
    }

    /// The whole file, if it is in memory. Counts `more` bytes, and reads the whole file once enough were read.
    fn whole_if_in_memory(&self, more: u64) -> Result<Option<&Bytes>, DocumentError> {
        if let Some(whole) = self.whole.get() {
            return Ok(Some(whole));
        }
        if self.length <= READ_WHOLE_LATER_BYTES && self.bytes_read.fetch_add(more, Ordering::Relaxed) > self.length {
            self.whole()?;
        }
        Ok(self.whole.get())
    }

    fn read(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        // The length is bounded by that of the file.
        let mut buffer = vec![0; to_usize(length)];
        self.source.read_at(offset, &mut buffer).map_err(|error| DocumentError::Io { kind: error.kind() })?;
        Ok(Bytes::from(buffer))
    }
}

/// Converts a file offset to an index. Offsets beyond the address space become [`usize::MAX`].
pub(crate) fn to_usize(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A file that counts how often it is read.
    struct CountingFile {
        bytes: Vec<u8>,
        reads: AtomicUsize,
    }

    impl ReadAt for CountingFile {
        fn len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.bytes.read_at(offset, buffer)
        }
    }

    #[test]
    fn neighbours_and_what_is_read_from_end_to_end_are_read_once() {
        let bytes: Vec<u8> = (0..2 * READ_WHOLE_BYTES).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let source = Arc::new(CountingFile { bytes: bytes.clone(), reads: AtomicUsize::new(0) });
        let file = FileBytes::new(Arc::clone(&source) as _).unwrap();
        let reads = || source.reads.load(Ordering::Relaxed);
        for at in 0..100 {
            assert_eq!(
                file.slice_with_neighbours(7_000 + 20 * at, 20).unwrap(),
                bytes[to_usize(7_000 + 20 * at)..][..20]
            );
        }
        assert_eq!(reads(), 1);
        let end = file.len() - 3;
        assert_eq!(file.slice_with_neighbours(end, 20).unwrap(), bytes[to_usize(end)..]);
        assert_eq!(file.with_slice(end, 20, <[u8]>::to_vec).unwrap(), bytes[to_usize(end)..]);
        assert_eq!(file.with_slice(9, 2_048, <[u8]>::to_vec).unwrap(), bytes[9..][..2_048]);
        assert_eq!(file.with_slice(9, 20_000, <[u8]>::to_vec).unwrap(), bytes[9..][..20_000]);
        let before = reads();
        for at in 0..100 {
            assert_eq!(
                file.with_slice(40_000 + 1_500 * at, 2_048, <[u8]>::to_vec).unwrap()[..],
                bytes[to_usize(40_000 + 1_500 * at)..][..2_048]
            );
        }
        assert!(reads() - before < 15, "{} reads", reads() - before);
        let other = FileBytes::new(Arc::new(vec![7; bytes.len()])).unwrap();
        assert_eq!(other.with_slice(188_500, 9, <[u8]>::to_vec).unwrap(), [7; 9], "another file's bytes");
        for at in 0..100 {
            assert_eq!(file.slice(at * 1_000, 100_000).unwrap(), bytes[to_usize(at * 1_000)..][..100_000]);
        }
        assert!(reads() < 35, "{} reads", reads());
    }
}
