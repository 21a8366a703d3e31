//! Private files that are written atomically.

use std::fs::{DirBuilder, File, FileTimes, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pagewise_base::hash::ContentHash;

/// The prefix of the names of incomplete files.
pub(super) const DRAFT_PREFIX: &str = ".draft-";

/// A file that is still being written. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct DraftFile {
    path: PathBuf,
    folder: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl DraftFile {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        create_private_folder(folder)?;
        let path = folder.join(format!("{DRAFT_PREFIX}{}", ContentHash(random_bytes())));
        let file = private_file().write(true).create_new(true).open(&path)?;
        Ok(Self { path, folder: folder.to_path_buf(), file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(written as u64);
        Ok(written)
    }

    /// Renames the file to the hash of its bytes. An existing file of that name has the same content, but is replaced in
    /// case another process is removing it.
    pub(super) fn finish(self) -> io::Result<(ContentHash, u64)> {
        let (content, bytes) = (self.content(), self.bytes);
        self.finish_as(&content.to_string())?;
        Ok((content, bytes))
    }

    /// The file, from its first byte.
    #[cfg(feature = "cloud")]
    pub(super) fn reopen(&self) -> io::Result<File> {
        File::open(&self.path)
    }

    #[cfg(feature = "cloud")]
    pub(super) fn set_times(&self, times: FileTimes) -> io::Result<()> {
        self.file.set_times(times)
    }

    /// The hash of the bytes so far.
    pub(super) fn content(&self) -> ContentHash {
        ContentHash(*self.hasher.finalize().as_bytes())
    }

    /// Waits until the bytes are on the disk, then renames the file. After a power cut, a file of this name has all its
    /// bytes.
    pub(super) fn finish_as(self, name: &str) -> io::Result<()> {
        self.file.sync_data()?;
        self.finish_unsynced_as(name)
    }

    /// Renames the file without waiting for the disk: a power cut may leave the name without the bytes.
    pub(super) fn finish_unsynced_as(self, name: &str) -> io::Result<()> {
        std::fs::rename(&self.path, self.folder.join(name))
    }

    /// Writes all bytes without hashing them.
    pub(super) fn add_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
}

impl Drop for DraftFile {
    fn drop(&mut self) {
        // A finished file no longer has this name.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Writes a file completely or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut draft = DraftFile::create(folder)?;
    draft.file.write_all(bytes)?;
    draft.finish_as(name)
}

/// Creates a folder that only its owner can open.
pub(super) fn create_private_folder(folder: &Path) -> io::Result<()> {
    private_folder().recursive(true).create(folder)
}

#[cfg(all(unix, not(pagewise_portable)))]
fn private_folder() -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(all(unix, not(pagewise_portable)))]
fn private_file() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Without Unix permissions, a folder is as private as its parent.
#[cfg(any(not(unix), pagewise_portable))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(any(not(unix), pagewise_portable))]
fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// Reads a text of at most `max` bytes.
pub(super) fn read_limited(path: &Path, max: u64) -> Option<String> {
    let mut text = String::new();
    let read = File::open(path).ok()?.take(max.saturating_add(1)).read_to_string(&mut text).ok()?;
    (read as u64 <= max).then_some(text)
}

/// Whether the file exists and was used within `max_age`. Older files count as removed.
pub(super) fn is_usable(path: &Path, max_age: Duration) -> bool {
    let kept = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let used = kept.and_then(|file| file.modified().ok());
    used.is_some_and(|used| SystemTime::now().duration_since(used).unwrap_or_default() <= max_age)
}

/// Records that a file was used, if possible.
pub(super) fn mark_used(path: &Path) {
    let now = FileTimes::new().set_modified(SystemTime::now());
    let _ = OpenOptions::new().append(true).open(path).and_then(|file| file.set_times(now));
}

/// 256 bits derived from 128 unpredictable ones: the hasher's keys, which the system's random number generator supplies.
pub(crate) fn random_bytes() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(&RandomState::new().build_hasher().finish().to_le_bytes());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    hasher.update(&now.to_le_bytes()).update(&std::process::id().to_le_bytes());
    *hasher.finalize().as_bytes()
}
