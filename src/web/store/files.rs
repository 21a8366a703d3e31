//! Private files, written whole.

use std::fs::{DirBuilder, File, FileTimes, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::hash::ContentHash;

/// What names of files begin with that are not complete.
pub(super) const DRAFT: &str = ".draft-";

/// A file that is being written; it goes when it is not kept.
#[derive(Debug)]
pub(in crate::web) struct Draft {
    path: PathBuf,
    folder: PathBuf,
    file: File,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl Draft {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        make_private(folder)?;
        let path = folder.join(format!("{DRAFT}{}", ContentHash(random())));
        let file = private_file().write(true).create_new(true).open(&path)?;
        Ok(Self { path, folder: folder.to_path_buf(), file, hasher: blake3::Hasher::new(), bytes: 0 })
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(written as u64);
        Ok(written)
    }

    /// Gives it the hash of its bytes as its name. One that is there already is the same; it is replaced, for it may
    /// be about to go.
    pub(super) fn keep(self) -> io::Result<(ContentHash, u64)> {
        let content = ContentHash(*self.hasher.finalize().as_bytes());
        // A name must not survive a power cut that its bytes did not.
        self.file.sync_data()?;
        std::fs::rename(&self.path, self.folder.join(content.to_string()))?;
        Ok((content, self.bytes))
    }

    fn keep_as(self, name: &str) -> io::Result<()> {
        self.file.sync_data()?;
        std::fs::rename(&self.path, self.folder.join(name))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // One that was kept has no such name any more.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Writes a file whole or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::create(folder)?;
    draft.file.write_all(bytes)?;
    draft.keep_as(name)
}

/// A folder that only its owner can look into.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
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

/// Elsewhere a folder is as private as the one that it lies in.
#[cfg(any(not(unix), pagewise_portable))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

#[cfg(any(not(unix), pagewise_portable))]
fn private_file() -> OpenOptions {
    OpenOptions::new()
}

/// A text of at most `max` bytes.
pub(super) fn read_small(path: &Path, max: u64) -> Option<String> {
    let mut text = String::new();
    let read = File::open(path).ok()?.take(max.saturating_add(1)).read_to_string(&mut text).ok()?;
    (read as u64 <= max).then_some(text)
}

/// Whether a file is there that was used within `max_age`: what is older is as good as gone, whoever removes it.
pub(super) fn is_kept(path: &Path, max_age: Duration) -> bool {
    let kept = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
    let used = kept.and_then(|file| file.modified().ok());
    used.is_some_and(|used| SystemTime::now().duration_since(used).unwrap_or_default() <= max_age)
}

/// Notes that a file was used. One that cannot be noted goes a little earlier.
pub(super) fn touch(path: &Path) {
    let now = FileTimes::new().set_modified(SystemTime::now());
    let _ = OpenOptions::new().append(true).open(path).and_then(|file| file.set_times(now));
}

/// 256 bits of which nobody can guess the 128 that they were made from: the hasher's keys, which come from the system's
/// source of random numbers.
pub(in crate::web) fn random() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(&RandomState::new().build_hasher().finish().to_le_bytes());
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    hasher.update(&now.to_le_bytes()).update(&std::process::id().to_le_bytes());
    *hasher.finalize().as_bytes()
}
