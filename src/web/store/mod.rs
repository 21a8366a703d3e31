//! Stores fetched content on disk: bodies and texts, named by hashes, and small records about them.
//!
//! ```text
//! documents/{blake3 of the body}          the body
//! texts/{blake3 of body, kind and base}   the text extracted from it
//! urls/{blake3 of the URL}                the server's metadata
//! responses/{id}                          the URLs that one call fetched, and its owner
//! ranged/{blake3 of the URL}              the version of a document that is read by ranges
//! blocks/{identity}-{index}               the blake3 of a block of such a version, then the block
//! uploads/{owner}/{blake3 of the body}    a file that a caller handed over
//! ```
//!
//! Every file is written under a temporary name and renamed, so processes share the folder without a lock and a crash
//! leaves no partial files. Only the owner can read them. If the folder cannot be written, the process uses a temporary
//! one, so that a call does not fail for lack of storage.

mod blocks;
mod files;
mod record;
mod response;
mod sweep;
mod upload;

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

pub(super) use files::random_bytes;
pub(super) use record::{FetchRecord, RangedVersion};
pub use response::{FetchedResponse, FetchedUrl, ResponseId, StoredText};
pub use upload::{NotAnUploadId, StoredUpload, UploadDraft, UploadId, UploadOwner};
#[cfg(feature = "cloud")]
pub(super) use upload::{OwnedFile, check_room};

use self::files::{DraftFile, is_usable, mark_used, read_limited, write_whole};
use super::error::WebError;
use crate::http::Url;
use pagewise_base::hash::ContentHash;

const DOCUMENTS: &str = "documents";
const TEXTS: &str = "texts";
const URLS: &str = "urls";
const RESPONSES: &str = "responses";
const RANGED: &str = "ranged";
const BLOCKS: &str = "blocks";
const UPLOADS: &str = "uploads";

/// The largest record in bytes.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The store of one process. Several processes may share its folder.
#[derive(Debug)]
pub(super) struct FetchStore {
    configured_folder: Option<PathBuf>,
    folder: OnceLock<StoreFolder>,
    max_bytes: u64,
    max_age: Duration,
    /// Bytes written since the last sweep; `u64::MAX` before the first.
    unswept_bytes: AtomicU64,
    /// The time of the last sweep over uploads. Its lock is held while an upload is counted and kept.
    uploading: Mutex<Option<Instant>>,
}

#[derive(Debug)]
struct StoreFolder {
    folder: PathBuf,
    is_temporary: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredBody {
    pub(super) content: ContentHash,
    pub(super) bytes: u64,
}

impl FetchStore {
    pub(super) fn new(folder: Option<PathBuf>, max_bytes: u64, max_age: Duration) -> Self {
        Self {
            configured_folder: folder,
            folder: OnceLock::new(),
            max_bytes,
            max_age,
            unswept_bytes: AtomicU64::new(u64::MAX),
            uploading: Mutex::default(),
        }
    }

    /// Creates a file for a body that is about to arrive.
    pub(super) fn create_draft(&self) -> Result<DraftFile, WebError> {
        DraftFile::create(&self.folder()?.join(DOCUMENTS)).map_err(|error| WebError::store(&error))
    }

    /// Stores a body under its hash.
    pub(super) fn keep_body(&self, draft: DraftFile) -> Result<StoredBody, WebError> {
        let (content, bytes) = draft.finish().map_err(|error| WebError::store(&error))?;
        self.count_written(bytes);
        Ok(StoredBody { content, bytes })
    }

    /// The path of a stored body. The call counts as a use, which delays its removal.
    pub(super) fn document(&self, content: &ContentHash) -> Option<PathBuf> {
        let path = self.read_folder()?.join(DOCUMENTS).join(content.to_string());
        self.use_file(path)
    }

    /// Records the use of a file; `None` if the file is not stored.
    fn use_file(&self, path: PathBuf) -> Option<PathBuf> {
        let is_stored = is_usable(&path, self.max_age);
        is_stored.then(|| {
            mark_used(&path);
            path
        })
    }

    /// The record of a URL whose body is still stored.
    pub(super) fn record(&self, url: &Url) -> Option<FetchRecord> {
        let (record, _) = self.record_and_body(url)?;
        Some(record)
    }

    /// The same as [`Self::record`], with the hash of the body.
    pub(super) fn record_and_body(&self, url: &Url) -> Option<(FetchRecord, ContentHash)> {
        let text = read_limited(&self.read_folder()?.join(URLS).join(key_of(url)), MAX_RECORD_BYTES)?;
        let (record, content) = FetchRecord::read(&text)?;
        self.document(&content).map(|_| (record, content))
    }

    /// Stores the record of a URL.
    pub(super) fn keep_record(&self, url: &Url, record: &FetchRecord, content: &ContentHash) -> Result<(), WebError> {
        self.write(URLS, &key_of(url), record.to_text(content).as_bytes())
    }

    /// The text that is stored under `key`.
    pub(super) fn text(&self, key: &ContentHash) -> Option<StoredText> {
        let path = self.use_file(self.read_folder()?.join(TEXTS).join(key.to_string()))?;
        let mut text = String::new();
        std::fs::File::open(&path).ok()?.read_to_string(&mut text).ok()?;
        StoredText::read(&text)
    }

    pub(super) fn keep_text(&self, key: &ContentHash, text: &StoredText) -> Result<(), WebError> {
        let written = text.to_text();
        self.write(TEXTS, &key.to_string(), written.as_bytes())
    }

    pub(super) fn response(&self, id: &ResponseId) -> Option<FetchedResponse> {
        let path = self.use_file(self.read_folder()?.join(RESPONSES).join(id.as_str()))?;
        FetchedResponse::read(&read_limited(&path, MAX_RECORD_BYTES)?)
    }

    pub(super) fn keep_response(&self, id: &ResponseId, response: &FetchedResponse) -> Result<(), WebError> {
        self.write(RESPONSES, id.as_str(), response.to_text().as_bytes())
    }

    fn write(&self, kind: &str, name: &str, bytes: &[u8]) -> Result<(), WebError> {
        let folder = self.folder()?.join(kind);
        write_whole(&folder, name, bytes).map_err(|error| WebError::store(&error))?;
        self.count_written(bytes.len() as u64);
        Ok(())
    }

    /// Sweeps after the first write, and whenever a sixteenth of the size limit has been written.
    fn count_written(&self, bytes: u64) {
        let before = self.unswept_bytes.load(Ordering::Relaxed);
        let unswept_bytes = before.saturating_add(bytes);
        if unswept_bytes <= self.max_bytes / 16 {
            self.unswept_bytes.store(unswept_bytes, Ordering::Relaxed);
            return;
        }
        self.unswept_bytes.store(0, Ordering::Relaxed);
        if let Some(folder) = self.read_folder() {
            sweep::sweep(folder, self.max_bytes, self.max_age);
        }
    }

    /// The folder to read from. The configured one may not exist yet.
    fn read_folder(&self) -> Option<&Path> {
        match self.folder.get() {
            Some(place) => Some(&place.folder),
            None => self.configured_folder.as_deref(),
        }
    }

    /// The folder to write to.
    fn folder(&self) -> Result<&Path, WebError> {
        if let Some(place) = self.folder.get() {
            return Ok(&place.folder);
        }
        let configured_folder = self.configured_folder.as_ref().filter(|folder| is_writable(folder));
        let place = match configured_folder {
            Some(folder) => StoreFolder { folder: folder.clone(), is_temporary: false },
            None => StoreFolder { folder: temporary().map_err(|error| WebError::store(&error))?, is_temporary: true },
        };
        Ok(&self.folder.get_or_init(|| place).folder)
    }
}

impl Drop for FetchStore {
    fn drop(&mut self) {
        if let Some(StoreFolder { folder, is_temporary: true }) = self.folder.get() {
            // The system cleans its temporary folder of anything left here.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn key_of(url: &Url) -> String {
    ContentHash::of(url.as_str().as_bytes()).to_string()
}

/// Whether a file can be written in `folder`, which is created if missing. The probe file has a random name and is removed.
fn is_writable(folder: &Path) -> bool {
    DraftFile::create(&folder.join(RESPONSES)).and_then(|mut probe| probe.write_all(b"probe")).is_ok()
}

fn temporary() -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("pagewise-{}", ContentHash(random_bytes()).short()));
    files::create_private_folder(&folder)?;
    Ok(folder)
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
