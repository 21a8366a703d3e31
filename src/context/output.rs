//! Files that an answer is written to: whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::ContextError;
use crate::hash::ContentHash;
use crate::page::PageNumber;

/// Tells files apart that are written at once by one process.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes `bytes` to `path`, so that at any moment the path holds the old file or the whole new one.
///
/// # Errors
/// When the folder is missing or cannot be written to; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = beside(path);
    let written = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a file that was never made cannot be removed either.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Not to be read: a confined process may only write where its output goes.
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)
}

/// A name in the same folder, where a rename is atomic.
fn beside(path: &Path) -> PathBuf {
    let count = WRITTEN.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".pagewise-{}-{count}.tmp", std::process::id()))
}

/// What a page's file is named after.
pub(super) struct PageFile<'a> {
    pub(super) source: &'a str,
    pub(super) page: PageNumber,
    pub(super) hash: ContentHash,
    pub(super) extension: &'static str,
}

/// Writes a page to `{stem}-{first 8 of blake3}-page{n}.{extension}` in `directory`, made where it is missing.
pub(super) fn write_page(directory: &Path, file: &PageFile<'_>, bytes: &[u8]) -> Result<PathBuf, ContextError> {
    let stem = Path::new(file.source).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
    let path = directory.join(format!("{}-{}-page{}.{}", short(&stem), file.hash.short(), file.page, file.extension));
    let written = fs::create_dir_all(directory).and_then(|()| write_whole(&path, bytes));
    written.map_err(|error| ContextError::Output { path: path.display().to_string(), kind: error.kind() })?;
    Ok(std::path::absolute(&path).unwrap_or(path))
}

/// Bytes of a file's stem that the name of a page begins with. File systems take names of 255, and the end of a URL may
/// be longer.
const MAX_STEM_BYTES: usize = 200;

fn short(stem: &str) -> &str {
    stem.get(..stem.floor_char_boundary(MAX_STEM_BYTES)).unwrap_or(stem)
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
    fn a_name_that_is_too_long_for_a_file_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let page = |source: &str| {
            let page = PageNumber::new(u32::MAX).unwrap();
            let file = PageFile { source, page, hash: ContentHash([7; 32]), extension: "png" };
            write_page(folder.path(), &file, b"x").unwrap().file_name().unwrap().to_str().unwrap().to_owned()
        };
        let end = "-07070707-page4294967295.png";
        assert_eq!(page("https://a.test/b/report.pdf"), format!("report{end}"));
        assert_eq!(page(&"x".repeat(5_000)), format!("{}{end}", "x".repeat(200)));
        assert_eq!(page(&format!("x{}", "é".repeat(5_000))), format!("x{}{end}", "é".repeat(99)));
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
