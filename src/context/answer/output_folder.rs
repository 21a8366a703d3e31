//! The folder for pages, pictures and texts that are returned as a path, and the bounds on its size.
//!
//! A file's name ends with the first digits of its content's hash. If name and content agree, pagewise wrote the file
//! and nobody has changed it since, so no list of written files is needed. Nothing else is ever removed: users may keep
//! their own files in the same folder.

use std::fs::{self, DirEntry, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::write_file::{UNFINISHED, make_private_folder, write_private};
use crate::context::error::ContextError;
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageNumber;

/// Bounds on the files kept in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBounds {
    /// Days before a file is removed; 0 keeps files for ever.
    pub max_days: u32,
    /// Total bytes before the oldest files are removed; 0 means no bound.
    pub max_bytes: u64,
}

impl OutputBounds {
    /// Nothing is removed.
    pub const NONE: Self = Self { max_days: 0, max_bytes: 0 };
}

impl Default for OutputBounds {
    /// 30 days and 1 GiB: some ten thousand pages.
    fn default() -> Self {
        Self { max_days: 30, max_bytes: 1 << 30 }
    }
}

/// A file named in an answer stays at least this long, whatever the bounds are.
const GRACE: Duration = Duration::from_secs(10 * 60);

/// Minimum time between two sweeps.
const PAUSE: Duration = Duration::from_secs(10 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Directory entries that one sweep looks at.
const MAX_ENTRIES: usize = 100_000;

/// Bytes that one sweep may read to verify hashes; the remaining files wait for the next sweep.
const MAX_READ_BYTES: u64 = 256 << 20;

/// Bytes taken from the source's name. With the suffix, names stay within the 255 bytes that file systems allow.
const MAX_STEM_BYTES: usize = 150;

/// The endings of output files.
const EXTENSIONS: [&str; 4] = ["pdf", "png", "txt", "md"];

/// The parts of an output file's name.
pub(crate) struct PageFileName<'a> {
    pub(crate) source: &'a str,
    pub(crate) page: PageNumber,
    /// The last page, if there are several.
    pub(crate) last: Option<PageNumber>,
    pub(crate) hash: ContentHash,
    pub(crate) extension: &'static str,
}

impl PageFileName<'_> {
    /// The name of the file: `report-51d791b7-page3.pdf`, or `report-51d791b7-pages3-7.md` for several pages. The digits in
    /// the middle begin the blake3 hash of the content.
    fn name(&self) -> String {
        let stem = Path::new(self.source).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
        let plain = stem.chars().map(|c| if c.is_control() { '_' } else { c });
        let mut name = String::new();
        for character in plain {
            if name.len() + character.len_utf8() > MAX_STEM_BYTES {
                break;
            }
            name.push(character);
        }
        let pages = match self.last {
            Some(last) => format!("pages{}-{last}", self.page),
            None => format!("page{}", self.page),
        };
        format!("{name}-{}-{pages}.{}", self.hash.short(), self.extension)
    }
}

pub(crate) struct OutputFolder {
    directory: PathBuf,
    bounds: OutputBounds,
    swept: Mutex<Option<Instant>>,
}

impl OutputFolder {
    pub(crate) fn new(directory: &Path, bounds: OutputBounds) -> Self {
        Self { directory: directory.to_owned(), bounds, swept: Mutex::new(None) }
    }

    /// Writes a file that only its owner may read. Creates the folder, also private, if it is missing.
    pub(crate) fn write(&self, file: &PageFileName<'_>, bytes: &[u8]) -> Result<PathBuf, ContextError> {
        let path = self.directory.join(file.name());
        let written = make_private_folder(&self.directory).and_then(|()| write_private(&path, bytes));
        written.map_err(|error| ContextError::Output { path: path.display().to_string(), kind: error.kind() })?;
        if self.is_due() {
            self.sweep(SystemTime::now());
        }
        Ok(std::path::absolute(&path).unwrap_or(path))
    }

    /// Whether an earlier file still exists with the same content, which has `length` bytes.
    pub(crate) fn holds(&self, file: &PageFileName<'_>, length: usize) -> bool {
        let path = self.directory.join(file.name());
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        // Check the length first: opening a pipe in the file's place would block.
        let is_as_long = fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() == length);
        is_as_long && hash_of(&path, length).is_ok_and(|hash| hash == file.hash)
    }

    fn is_due(&self) -> bool {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = self.bounds != OutputBounds::NONE && swept.is_none_or(|swept| swept.elapsed() > PAUSE);
        if is_due {
            *swept = Some(Instant::now());
        }
        is_due
    }

    /// Removes files beyond the bounds. Failures are ignored: an answer must not fail because of them.
    fn sweep(&self, now: SystemTime) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let entries = entries.take(MAX_ENTRIES).filter_map(Result::ok);
        let mut found = entries.filter_map(|entry| OutputFile::of(&entry, now)).collect::<Vec<_>>();
        found.sort_by_key(|found| found.age);
        let (mut kept, mut readable) = (0_u64, MAX_READ_BYTES);
        for found in found {
            kept = kept.saturating_add(found.bytes);
            if found.age > GRACE && self.is_beyond(&found, kept) && found.is_ours(&mut readable) {
                kept = kept.saturating_sub(found.bytes);
                // Another process may have removed it already.
                let _ = fs::remove_file(&found.path);
            }
        }
    }

    fn is_beyond(&self, found: &OutputFile, bytes: u64) -> bool {
        let OutputBounds { max_days, max_bytes } = self.bounds;
        let is_old = max_days > 0 && found.age > DAY * max_days;
        is_old || (max_bytes > 0 && bytes > max_bytes) || found.hash.is_none()
    }
}

/// A file whose name looks like one of ours.
struct OutputFile {
    path: PathBuf,
    age: Duration,
    bytes: u64,
    /// The hash in its name; `None` for a temporary file.
    hash: Option<String>,
}

impl OutputFile {
    fn of(entry: &DirEntry, now: SystemTime) -> Option<Self> {
        let name = entry.file_name().into_string().ok()?;
        let is_unfinished = name.strip_prefix(UNFINISHED.0).is_some_and(|rest| rest.ends_with(UNFINISHED.1));
        let hash = hash_in(&name).map(str::to_owned);
        if hash.is_none() && !is_unfinished {
            return None;
        }
        // For a symbolic link, this is the link's own metadata.
        let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        // A modification time in the future counts as age zero.
        let age = now.duration_since(about.modified().ok()?).unwrap_or_default();
        Some(Self { path: entry.path(), age, bytes: about.len(), hash })
    }

    /// Whether its content matches the hash in its name. False once the read budget of the sweep is used up.
    fn is_ours(&self, readable: &mut u64) -> bool {
        let Some(hash) = &self.hash else { return true };
        let Some(left) = readable.checked_sub(self.bytes) else { return false };
        *readable = left;
        hash_of(&self.path, self.bytes).is_ok_and(|content| content.short() == *hash)
    }
}

/// The hash of a file of `length` bytes. Reads at most one byte more, in case the file grows.
fn hash_of(path: &Path, length: u64) -> io::Result<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?.take(length.saturating_add(1)))?;
    Ok(ContentHash(*hasher.finalize().as_bytes()))
}

/// The eight hash digits in a name made by [`PageFileName::name`].
fn hash_in(name: &str) -> Option<&str> {
    let (stem, _) = name.rsplit_once('.').filter(|(_, extension)| EXTENSIONS.contains(extension))?;
    let (rest, page) = stem.rsplit_once("-page")?;
    let page = page.strip_prefix('s').map_or_else(|| page.to_owned(), |pages| pages.replacen('-', "", 1));
    let hash = rest.rsplit_once('-').map_or(rest, |(_, hash)| hash);
    let is_hash = hash.len() == 8 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_page = !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit());
    (is_hash && is_page).then_some(hash)
}

#[cfg(test)]
#[cfg(all(unix, not(pagewise_portable)))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn page<'a>(source: &'a str, number: u32, bytes: &[u8]) -> PageFileName<'a> {
        PageFileName {
            source,
            page: PageNumber::new(number).unwrap(),
            last: None,
            hash: ContentHash::of(bytes),
            extension: "pdf",
        }
    }

    /// Writes a file and sets its modification time back by `ago`.
    fn written(folder: &OutputFolder, number: u32, bytes: &[u8], ago: Duration) -> PathBuf {
        let path = folder.write(&page("a/report.pdf", number, bytes), bytes).unwrap();
        aged(&path, ago);
        path
    }

    fn aged(path: &Path, ago: Duration) {
        File::options().write(true).open(path).unwrap().set_modified(SystemTime::now() - ago).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names = entries.collect::<Vec<_>>();
        names.sort();
        names
    }

    #[test]
    fn folder_and_files_are_for_their_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(&place.path().join("new/pages"), OutputBounds::default());
        let path = folder.write(&page("a/report.pdf", 7, b"seven"), b"seven").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(fs::read(&path).unwrap(), b"seven");
        let short = ContentHash::of(b"seven").short();
        assert_eq!(names(path.parent().unwrap()), [format!("report-{short}-page7.pdf")]);
        let holds = |source: &str, number: u32| folder.holds(&page(source, number, b"seven"), b"seven".len());
        assert!(holds("b/report.pdf", 7) && !holds("a/report.pdf", 8));
        fs::write(&path, b"SEVEN").unwrap();
        assert!(!holds("b/report.pdf", 7), "as many bytes, and others");
    }

    #[test]
    fn a_folder_that_is_there_keeps_its_mode() {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        OutputFolder::new(place.path(), OutputBounds::default()).write(&page("x", 1, b"x"), b"x").unwrap();
        assert_eq!(fs::metadata(place.path()).unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn what_is_older_than_the_bound_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(place.path(), OutputBounds { max_days: 2, max_bytes: 0 });
        let old = written(&folder, 1, b"one", DAY * 2 + HOUR);
        let new = written(&folder, 2, b"two", DAY * 2 - HOUR);
        folder.sweep(SystemTime::now());
        assert_eq!((old.exists(), new.exists()), (false, true));
    }

    #[test]
    fn the_oldest_go_first_until_the_rest_fits() {
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(place.path(), OutputBounds { max_days: 0, max_bytes: 8 });
        let files =
            [(1, HOUR * 3), (2, HOUR), (3, HOUR * 2)].map(|(number, ago)| written(&folder, number, b"1234", ago));
        folder.sweep(SystemTime::now());
        assert_eq!(files.map(|file| file.exists()), [false, true, true]);
        // A file just named in an answer stays, even over the bound.
        let fresh = written(&folder, 4, b"much more than eight", Duration::ZERO);
        folder.sweep(SystemTime::now());
        assert_eq!(names(place.path()), [fresh.file_name().unwrap().to_str().unwrap()]);
    }

    #[test]
    fn nothing_else_is_ever_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(place.path(), OutputBounds { max_days: 1, max_bytes: 1 });
        let written = written(&folder, 1, b"one", DAY * 9);
        let short = ContentHash::of(b"one").short();
        let others = [
            "report.pdf".to_owned(),
            format!("report-{short}-page.pdf"),
            format!("report-{short}-page1.txt"),
            // A matching name with other content: somebody else's file, or a changed one.
            format!("notes-{short}-page2.pdf"),
        ];
        for name in &others {
            fs::write(place.path().join(name), "theirs").unwrap();
            aged(&place.path().join(name), DAY * 9);
        }
        let named = place.path().join(format!("link-{short}-page3.pdf"));
        std::os::unix::fs::symlink(place.path().join("report.pdf"), &named).unwrap();
        let unfinished = place.path().join(".pagewise-1-2.tmp");
        fs::write(&unfinished, "half").unwrap();
        folder.sweep(SystemTime::now());
        assert!(unfinished.exists(), "somebody may be writing it");
        aged(&unfinished, HOUR);
        folder.sweep(SystemTime::now());
        assert!(!written.exists() && !unfinished.exists());
        assert!(others.iter().all(|name| place.path().join(name).exists()) && named.is_symlink());
    }

    #[test]
    fn without_bounds_nothing_is_looked_at() {
        let place = tempfile::tempdir().unwrap();
        let folder = OutputFolder::new(place.path(), OutputBounds::NONE);
        let old = written(&folder, 1, b"one", DAY * 900);
        assert!(!folder.is_due());
        let bounded = OutputFolder::new(place.path(), OutputBounds::default());
        written(&bounded, 2, b"two", Duration::ZERO);
        assert!(!old.exists(), "the first file that is written has it looked at");
        assert!(!bounded.is_due(), "and the next only after a while");
    }

    #[test]
    fn a_name_is_plain_and_short_enough() {
        let name = |source: &str| page(source, 1, b"x").name();
        let short = ContentHash::of(b"x").short();
        assert_eq!(name("a\nb\u{1b}c.pdf"), format!("a_b_c-{short}-page1.pdf"));
        assert_eq!(name(".."), format!("document-{short}-page1.pdf"));
        assert_eq!(name("https://example.com/a/report.pdf?x=1"), format!("report-{short}-page1.pdf"));
        let long = name(&"ä".repeat(200));
        assert!(long.starts_with(&"ä".repeat(75)) && long.len() < 200, "{long}");
    }
}
