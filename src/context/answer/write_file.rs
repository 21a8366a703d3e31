//! Atomic writes of output files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Prefix and suffix of temporary file names.
pub(crate) const UNFINISHED: (&str, &str) = (".pagewise-", ".tmp");

/// The process's umask applies, as for any file of a program.
const USUAL: u32 = 0o666;

/// For the owner alone.
const PRIVATE: u32 = 0o600;

/// Distinguishes temporary files of the same process.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Number of writes in progress.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Set when no further write may begin.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Makes every further [`write_whole`] fail, and waits up to `patience` for writes in progress. For a process that
/// exits while its threads write.
pub fn end_writing(patience: Duration) {
    const PAUSE: Duration = Duration::from_millis(1);
    IS_OVER.store(true, Ordering::SeqCst);
    let start = Instant::now();
    while BEGUN.load(Ordering::SeqCst) > 0 && start.elapsed() < patience {
        std::thread::sleep(PAUSE);
    }
}

/// Writes `bytes` to `path` atomically: the path holds either the old file or the complete new one. A device or a pipe is
/// written to, and not replaced.
///
/// # Errors
/// If the folder is missing or not writable. No temporary file is left behind.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_as(path, bytes, USUAL)
}

/// Whether both paths lead to the same file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|one| real(other) == Some(one))
}

/// Like [`write_whole`], readable by the owner alone.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_as(path, bytes, PRIVATE)
}

fn write_as(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    match fs::metadata(path).map(|known| known.file_type()) {
        // A confined process would only be told that it may not.
        Ok(kind) if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(kind) if !kind.is_file() => return OpenOptions::new().write(true).open(path)?.write_all(bytes),
        _ => {}
    }
    let temporary = temporary_path(path);
    BEGUN.fetch_add(1, Ordering::SeqCst);
    let written = if IS_OVER.load(Ordering::SeqCst) {
        Err(io::ErrorKind::Interrupted.into())
    } else {
        write_and_rename(path, &temporary, bytes, mode)
    };
    BEGUN.fetch_sub(1, Ordering::SeqCst);
    written
}

fn write_and_rename(path: &Path, temporary: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let written = write_new(temporary, bytes, mode).and_then(|()| fs::rename(temporary, path));
    if written.is_err() {
        // Report the first error; a file that was never created cannot be removed either.
        let _ = fs::remove_file(temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    // Open for writing only: a confined process may not read its output folder.
    let mut file = options_with_mode(mode).write(true).create_new(true).open(path)?;
    file.write_all(bytes)
}

#[cfg(all(unix, not(pagewise_portable)))]
fn options_with_mode(mode: u32) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut options = OpenOptions::new();
    options.mode(mode);
    options
}

/// Creates a folder and its parents, accessible to the owner alone.
#[cfg(all(unix, not(pagewise_portable)))]
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(any(not(unix), pagewise_portable))]
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// On other systems a file is as private as its folder.
#[cfg(any(not(unix), pagewise_portable))]
fn options_with_mode(_: u32) -> OpenOptions {
    OpenOptions::new()
}

/// A temporary name in the same folder, where a rename is atomic.
fn temporary_path(path: &Path) -> PathBuf {
    let (count, (start, end)) = (WRITTEN.fetch_add(1, Ordering::Relaxed), UNFINISHED);
    path.with_file_name(format!("{start}{}-{count}{end}", std::process::id()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.pdf");
        write_whole(&path, b"old").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (full, null) = (folder.path().join("full"), folder.path().join("null"));
        std::os::unix::fs::symlink("/dev/full", &full).unwrap();
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        assert_eq!(write_whole(&full, b"x").map_err(|error| error.kind()), Err(io::ErrorKind::StorageFull));
        write_whole(&null, b"x").unwrap();
        assert!(fs::symlink_metadata(&null).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(write_whole(&folder.path().join("taken"), b"x").is_err());
        assert!(write_whole(&folder.path().join("missing/page.pdf"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
