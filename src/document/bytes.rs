//! The bytes of a file: by position for large files, whole for small ones.
//!
//! Nothing is mapped into memory: a file that another program truncates must cost an error, not a signal.

use super::error::DocumentError;
use bytes::Bytes;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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

    /// All bytes, where they are in memory and can be shared.
    fn in_memory(&self) -> Option<Bytes> {
        None
    }

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

/// Files up to this size are read whole at once: one read is cheaper than the fifty that a page needs, until touching
/// the memory costs more than they do.
const WHOLE_FILE_BYTES: u64 = 512 << 10;

/// Files up to this size are read whole once as many bytes were read of them in parts: most of it is wanted then, by a walk
/// over all pages or a whole book that is cut.
const GATHERED_FILE_BYTES: u64 = 16 << 20;

/// The most that is looked at without being kept, in memory that each thread has for it.
const LOOK_BYTES: u64 = 2 << 10;

/// What is read around a few bytes, since their neighbours will be asked for next: rows of a cross-reference table.
const NEAR_BYTES: u64 = 4 << 10;

/// What is read at once where one look follows another: page objects often stand in the order of the pages, and reading
/// 2 KiB costs as much as reading 16 KiB.
const AHEAD_BYTES: u64 = 16 << 10;

/// How far behind the last look the next one may be to follow it.
const FOLLOWING_BYTES: u64 = 8 << 10;

thread_local! {
    /// Two, the last used first: a walk goes to and fro between nodes and pages.
    static LOOKED_AT: RefCell<[Room; 2]> = const { RefCell::new([Room::EMPTY, Room::EMPTY]) };
}

/// Tells files apart in the room of a thread.
static FILES: AtomicU64 = AtomicU64::new(1);

/// What a thread last looked at.
struct Room {
    file: u64,
    start: u64,
    bytes: Vec<u8>,
    filled: u64,
}

impl Room {
    const EMPTY: Self = Self { file: 0, start: 0, bytes: Vec::new(), filled: 0 };

    /// Bytes from `start` to `end` of `file`, where they are here.
    fn known(&self, file: u64, start: u64, end: u64) -> Option<Range<usize>> {
        let from = start.checked_sub(self.start).filter(|_| file == self.file)?;
        let to = end.saturating_sub(self.start);
        (to <= self.filled).then(|| to_usize(from)..to_usize(to))
    }

    /// Whether what begins at `start` of `file` follows what is here.
    fn is_followed_by(&self, file: u64, start: u64) -> bool {
        let end = self.start.saturating_add(self.filled).saturating_add(FOLLOWING_BYTES);
        file == self.file && (self.start..end).contains(&start)
    }

    /// Reads what is looked at from `start` on.
    fn fill(&mut self, file: &FileBytes, start: u64) -> Result<(), DocumentError> {
        let length = if self.is_followed_by(file.id, start) { AHEAD_BYTES } else { LOOK_BYTES };
        let length = length.min(file.length.saturating_sub(start));
        // Nothing is known of what a failed read leaves here.
        self.filled = 0;
        self.bytes.resize(to_usize(AHEAD_BYTES), 0);
        let part = self.bytes.get_mut(..to_usize(length)).unwrap_or_default();
        file.source.read_at(start, part).map_err(|error| DocumentError::Io { kind: error.kind() })?;
        (self.file, self.start, self.filled) = (file.id, start, length);
        Ok(())
    }
}

/// A file's bytes as slices that share one buffer where the file is small or read from end to end.
pub(crate) struct FileBytes {
    id: u64,
    source: Arc<dyn ReadAt>,
    length: u64,
    whole: OnceLock<Bytes>,
    /// Held while the whole is read.
    reading: Mutex<()>,
    /// Bytes read so far.
    gathered: AtomicU64,
    /// What was last read for its neighbours' sake at two places, and where it stands; the last used first.
    near: Mutex<[(u64, Bytes); 2]>,
}

impl FileBytes {
    pub(crate) fn new(source: Arc<dyn ReadAt>) -> Result<Self, DocumentError> {
        let length = source.len();
        let whole = source.in_memory().map(OnceLock::from).unwrap_or_default();
        let (reading, gathered, near) = (Mutex::default(), AtomicU64::new(0), Mutex::default());
        let mut file = Self { id: 0, source, length, whole, reading, gathered, near };
        if length <= WHOLE_FILE_BYTES {
            file.whole()?;
        } else {
            file.id = FILES.fetch_add(1, Ordering::Relaxed);
        }
        Ok(file)
    }

    /// A file that is in memory already.
    pub(crate) fn in_memory(bytes: Bytes) -> Self {
        let length = bytes.len() as u64;
        let (whole, reading) = (OnceLock::from(bytes), Mutex::default());
        let (gathered, near) = (AtomicU64::new(0), Mutex::default());
        Self { id: 0, source: Arc::new(Vec::new()), length, whole, reading, gathered, near }
    }

    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    /// All bytes, read once and kept: for readers that need the file in memory.
    pub(crate) fn whole(&self) -> Result<Bytes, DocumentError> {
        if let Some(bytes) = self.whole.get() {
            return Ok(bytes.clone());
        }
        // One thread reads, and the others wait for it: a book was read by each of those that cut it.
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = self.whole.get() {
            return Ok(bytes.clone());
        }
        let bytes = self.read(0, self.length)?;
        Ok(self.whole.get_or_init(|| bytes).clone())
    }

    /// `length` bytes from `offset`, fewer where the file ends.
    pub(crate) fn slice(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        let (start, end) = self.range(offset, length);
        match self.in_memory_by(end - start)? {
            Some(whole) => Ok(whole.slice(to_usize(start)..to_usize(end))),
            None => self.read(start, end - start),
        }
    }

    /// Has `look` look at `length` bytes from `offset`, fewer where the file ends. It must not look at others meanwhile.
    pub(crate) fn look<T>(&self, offset: u64, length: u64, look: impl FnOnce(&[u8]) -> T) -> Result<T, DocumentError> {
        let (start, end) = self.range(offset, length);
        if let Some(whole) = self.in_memory_by(end - start)? {
            return Ok(look(whole.get(to_usize(start)..to_usize(end)).unwrap_or_default()));
        }
        if length > LOOK_BYTES {
            return Ok(look(&self.read(start, end - start)?));
        }
        LOOKED_AT.with_borrow_mut(|[room, other]| {
            let mut known = room.known(self.id, start, end);
            if known.is_none() {
                known = other.known(self.id, start, end);
                if known.is_some() || other.is_followed_by(self.id, start) || !room.is_followed_by(self.id, start) {
                    std::mem::swap(room, other);
                }
            }
            if known.is_none() {
                room.fill(self, start)?;
            }
            Ok(look(room.bytes.get(known.unwrap_or(0..to_usize(end - start))).unwrap_or_default()))
        })
    }

    /// The same as [`slice`](Self::slice) for a few bytes whose neighbours are asked for too.
    pub(crate) fn near(&self, offset: u64, length: u64) -> Result<Bytes, DocumentError> {
        if self.whole.get().is_some() {
            return self.slice(offset, length);
        }
        let (start, end) = self.range(offset, length);
        let mut near = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        let [last, other] = &mut *near;
        let known = |near: &(u64, Bytes)| {
            let from = start.checked_sub(near.0)?;
            let to = end.saturating_sub(near.0);
            (to <= near.1.len() as u64).then(|| near.1.slice(to_usize(from)..to_usize(to)))
        };
        if let Some(bytes) = known(last) {
            return Ok(bytes);
        }
        std::mem::swap(last, other);
        if let Some(bytes) = known(last) {
            return Ok(bytes);
        }
        *last = (start, self.slice(start, length.max(NEAR_BYTES))?);
        Ok(known(last).unwrap_or_default())
    }

    fn range(&self, offset: u64, length: u64) -> (u64, u64) {
        let start = offset.min(self.length);
        (start, offset.saturating_add(length).min(self.length))
    }

    /// The whole file, where it is in memory, also since so much of it was read that now all is.
    fn in_memory_by(&self, more: u64) -> Result<Option<&Bytes>, DocumentError> {
        if let Some(whole) = self.whole.get() {
            return Ok(Some(whole));
        }
        if self.length <= GATHERED_FILE_BYTES && self.gathered.fetch_add(more, Ordering::Relaxed) > self.length {
            self.whole()?;
        }
        Ok(self.whole.get())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A file that counts how often it is read.
    struct Counted {
        bytes: Vec<u8>,
        reads: AtomicUsize,
    }

    impl ReadAt for Counted {
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
        let bytes: Vec<u8> = (0..2 * WHOLE_FILE_BYTES).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let source = Arc::new(Counted { bytes: bytes.clone(), reads: AtomicUsize::new(0) });
        let file = FileBytes::new(Arc::clone(&source) as _).unwrap();
        let reads = || source.reads.load(Ordering::Relaxed);
        for at in 0..100 {
            assert_eq!(file.near(7_000 + 20 * at, 20).unwrap(), bytes[to_usize(7_000 + 20 * at)..][..20]);
        }
        assert_eq!(reads(), 1);
        let end = file.len() - 3;
        assert_eq!(file.near(end, 20).unwrap(), bytes[to_usize(end)..]);
        assert_eq!(file.look(end, 20, <[u8]>::to_vec).unwrap(), bytes[to_usize(end)..]);
        assert_eq!(file.look(9, 2_048, <[u8]>::to_vec).unwrap(), bytes[9..][..2_048]);
        assert_eq!(file.look(9, 20_000, <[u8]>::to_vec).unwrap(), bytes[9..][..20_000]);
        let before = reads();
        for at in 0..100 {
            assert_eq!(
                file.look(40_000 + 1_500 * at, 2_048, <[u8]>::to_vec).unwrap()[..],
                bytes[to_usize(40_000 + 1_500 * at)..][..2_048]
            );
        }
        assert!(reads() - before < 15, "{} reads", reads() - before);
        let other = FileBytes::new(Arc::new(vec![7; bytes.len()])).unwrap();
        assert_eq!(other.look(188_500, 9, <[u8]>::to_vec).unwrap(), [7; 9], "another file's bytes");
        for at in 0..100 {
            assert_eq!(file.slice(at * 1_000, 100_000).unwrap(), bytes[to_usize(at * 1_000)..][..100_000]);
        }
        assert!(reads() < 35, "{} reads", reads());
    }
}
