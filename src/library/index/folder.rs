//! The files of an index: one for each segment, a catalogue, and a lock.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::Catalogue;
use crate::segment::{Segment, SegmentError};
use pagewise_document::ReadAt;

/// Bytes of the largest catalogue that is read.
const MAX_CATALOGUE_BYTES: u64 = 1 << 30;

/// Attempts to read a catalogue whose segments another process replaces.
const ATTEMPTS: usize = 5;

const CATALOGUE: &str = "catalogue";
const LOCK: &str = "lock";
const SEGMENT: &str = "segment";

/// The right to write an index, until it is dropped.
#[derive(Debug, Default)]
pub struct IndexLock {
    _file: Option<File>,
}

/// Where an index is kept.
#[derive(Debug)]
pub(super) struct IndexFolder {
    path: PathBuf,
}

impl IndexFolder {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The catalogue and its segments; empty if there is none. Fails with what is wrong.
    pub(super) fn load(&self) -> Result<(Catalogue, Vec<(u32, Segment)>), String> {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            let Some(bytes) = self.catalogue().map_err(|error| error.to_string())? else {
                return Ok((Catalogue::default(), Vec::new()));
            };
            let (catalogue, ids) = Catalogue::decode(&bytes)?;
            let segments = ids.into_iter().map(|id| Ok((id, self.open_segment(id)?)));
            match segments.collect::<Result<Vec<_>, SegmentError>>() {
                Ok(segments) => return Ok((catalogue, segments)),
                // Another process may have replaced it since the catalogue was read.
                Err(SegmentError::Io(error)) if error.kind() == io::ErrorKind::NotFound && attempts > 0 => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn catalogue(&self) -> io::Result<Option<Vec<u8>>> {
        let path = self.path.join(CATALOGUE);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_CATALOGUE_BYTES => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => fs::read(&path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn segment_path(&self, id: u32) -> PathBuf {
        self.path.join(format!("{id:08}.{SEGMENT}"))
    }

    fn open_segment(&self, id: u32) -> Result<Segment, SegmentError> {
        Segment::open(Arc::new(SegmentFile::open(&self.segment_path(id))?))
    }

    /// Writes a segment and opens it.
    pub(super) fn write_segment(&self, id: u32, bytes: &[u8]) -> Result<Segment, SegmentError> {
        self.write(&self.segment_path(id), bytes)?;
        self.open_segment(id)
    }

    /// Replaces the catalogue, and removes the files of segments that it does not name.
    pub(super) fn save(&self, catalogue: &Catalogue, segments: &[u32]) -> io::Result<()> {
        self.write(&self.path.join(CATALOGUE), &catalogue.encode(segments))?;
        self.remove_segments(|id| !segments.contains(&id))
    }

    /// Removes the index.
    pub(super) fn clear(&self) -> io::Result<()> {
        match fs::remove_file(self.path.join(CATALOGUE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.remove_segments(|_| true)
    }

    fn remove_segments(&self, is_unwanted: impl Fn(u32) -> bool) -> io::Result<()> {
        let names = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            names => names?,
        };
        for name in names {
            let path = name?.path();
            let is_segment = path.extension().is_some_and(|extension| extension == SEGMENT);
            let id = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
            if is_segment && id.is_some_and(&is_unwanted) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Writes a private file whole: under another name first.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        make_folder(&self.path)?;
        let part = path.with_extension("part");
        let written = open_private(&part).and_then(|mut file| {
            file.set_len(0)?;
            file.write_all(bytes)
        });
        match written.and_then(|()| fs::rename(&part, path)) {
            Ok(()) => Ok(()),
            Err(error) => {
                // What is left of it would only take room.
                let _ = fs::remove_file(&part);
                Err(error)
            }
        }
    }

    /// The lock, if no other process has it.
    pub(super) fn lock(&self) -> io::Result<Option<IndexLock>> {
        make_folder(&self.path)?;
        let file = open_private(&self.path.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(IndexLock { _file: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(false).open(path)
}

/// The file of a segment, read by position.
struct SegmentFile {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    length: u64,
}

impl SegmentFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Self { file, length })
    }
}

impl ReadAt for SegmentFile {
    fn len(&self) -> u64 {
        self.length
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use std::io::{Read as _, Seek as _};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(io::SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}
