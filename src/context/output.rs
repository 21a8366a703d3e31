//! Files that an answer is written to: whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of files begin that are not whole yet.
pub(super) const UNFINISHED: (&str, &str) = (".pagewise-", ".tmp");

/// Whatever the process's mask leaves of it, as for any file of a program.
const USUAL: u32 = 0o666;

/// For the owner alone.
const PRIVATE: u32 = 0o600;

/// Tells files apart that are written at once by one process.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes `bytes` to `path`, so that at any moment the path holds the old file or the whole new one.
///
/// # Errors
/// When the folder is missing or cannot be written to; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_as(path, bytes, USUAL)
}

/// The same, for the owner alone.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_as(path, bytes, PRIVATE)
}

fn write_as(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let temporary = beside(path);
    let written = write_new(&temporary, bytes, mode).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a file that was never made cannot be removed either.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    // Not to be read: a confined process may only write where its output goes.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)
}

/// A name in the same folder, where a rename is atomic.
fn beside(path: &Path) -> PathBuf {
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

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("taken")).unwrap();
        assert!(write_whole(&folder.path().join("taken"), b"x").is_err());
        assert!(write_whole(&folder.path().join("missing/page.pdf"), b"x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
