//! What was fetched, on disk: bodies and texts by their hash, and small records that name them.
//!
//! ```text
//! documents/{blake3 of the body}          as it came
//! texts/{blake3 of body, kind and base}   what was read out of it
//! urls/{blake3 of the URL}                what the server said of it
//! responses/{id}                          what one call fetched, and for whom
//! ```
//!
//! Every file is written whole under another name first, so that processes share the folder without a lock and a crash
//! leaves nothing half. Only its owner can read it. A folder that cannot be written is replaced by a temporary one for
//! as long as the process runs: an answer does not fail because it cannot be kept.

mod files;
mod record;
mod response;
mod sweep;

use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) use files::random;
pub(super) use record::FetchRecord;
pub use response::{FetchedResponse, FetchedUrl, ResponseId, StoredText};

use self::files::{Draft, is_kept, read_small, touch, write_whole};
use super::error::WebError;
use crate::hash::ContentHash;
use crate::http::Url;

const DOCUMENTS: &str = "documents";
const TEXTS: &str = "texts";
const URLS: &str = "urls";
const RESPONSES: &str = "responses";

/// Bytes of a record; a URL has at most 8,192 characters.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// The store of one process; several may share its folder.
#[derive(Debug)]
pub(super) struct FetchStore {
    wanted: Option<PathBuf>,
    folder: OnceLock<Place>,
    max_bytes: u64,
    max_age: Duration,
    /// Bytes written since the folder was last swept; all ones before the first time.
    unswept: AtomicU64,
}

#[derive(Debug)]
struct Place {
    folder: PathBuf,
    is_temporary: bool,
}

/// A body that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) content: ContentHash,
    pub(super) bytes: u64,
}

impl FetchStore {
    pub(super) fn new(folder: Option<PathBuf>, max_bytes: u64, max_age: Duration) -> Self {
        Self { wanted: folder, folder: OnceLock::new(), max_bytes, max_age, unswept: AtomicU64::new(u64::MAX) }
    }

    /// A file for a body that is coming.
    pub(super) fn draft(&self) -> Result<Draft, WebError> {
        Draft::create(&self.folder()?.join(DOCUMENTS)).map_err(|error| WebError::store(&error))
    }

    /// Keeps a body under its hash.
    pub(super) fn keep(&self, draft: Draft) -> Result<Body, WebError> {
        let (content, bytes) = draft.keep().map_err(|error| WebError::store(&error))?;
        self.wrote(bytes);
        Ok(Body { content, bytes })
    }

    /// Where a body lies, if it still does. It is used, and so kept longer.
    pub(super) fn document(&self, content: &ContentHash) -> Option<PathBuf> {
        let path = self.existing()?.join(DOCUMENTS).join(content.to_string());
        self.used(path)
    }

    /// A file that is used now, if it is kept.
    fn used(&self, path: PathBuf) -> Option<PathBuf> {
        let is_kept = is_kept(&path, self.max_age);
        is_kept.then(|| {
            touch(&path);
            path
        })
    }

    /// What is known of a URL, where its body is still kept.
    pub(super) fn record(&self, url: &Url) -> Option<FetchRecord> {
        let (record, _) = self.record_and_body(url)?;
        Some(record)
    }

    /// The same with the body.
    pub(super) fn record_and_body(&self, url: &Url) -> Option<(FetchRecord, ContentHash)> {
        let text = read_small(&self.existing()?.join(URLS).join(key_of(url)), MAX_RECORD_BYTES)?;
        let (record, content) = FetchRecord::read(&text)?;
        self.document(&content).map(|_| (record, content))
    }

    /// Keeps what is known of a URL.
    pub(super) fn keep_record(&self, url: &Url, record: &FetchRecord, content: &ContentHash) -> Result<(), WebError> {
        self.write(URLS, &key_of(url), record.written(content).as_bytes())
    }

    /// A text by its key.
    pub(super) fn text(&self, key: &ContentHash) -> Option<StoredText> {
        let path = self.used(self.existing()?.join(TEXTS).join(key.to_string()))?;
        let mut text = String::new();
        std::fs::File::open(&path).ok()?.read_to_string(&mut text).ok()?;
        StoredText::read(&text)
    }

    pub(super) fn keep_text(&self, key: &ContentHash, text: &StoredText) -> Result<(), WebError> {
        let written = text.written();
        self.write(TEXTS, &key.to_string(), written.as_bytes())
    }

    pub(super) fn response(&self, id: &ResponseId) -> Option<FetchedResponse> {
        let path = self.used(self.existing()?.join(RESPONSES).join(id.as_str()))?;
        FetchedResponse::read(&read_small(&path, MAX_RECORD_BYTES)?)
    }

    pub(super) fn keep_response(&self, id: &ResponseId, response: &FetchedResponse) -> Result<(), WebError> {
        self.write(RESPONSES, id.as_str(), response.written().as_bytes())
    }

    fn write(&self, kind: &str, name: &str, bytes: &[u8]) -> Result<(), WebError> {
        let folder = self.folder()?.join(kind);
        write_whole(&folder, name, bytes).map_err(|error| WebError::store(&error))?;
        self.wrote(bytes.len() as u64);
        Ok(())
    }

    /// Sweeps once a sixteenth of what may be kept was written, and at the first time.
    fn wrote(&self, bytes: u64) {
        let before = self.unswept.load(Ordering::Relaxed);
        let unswept = before.saturating_add(bytes);
        if unswept <= self.max_bytes / 16 {
            self.unswept.store(unswept, Ordering::Relaxed);
            return;
        }
        self.unswept.store(0, Ordering::Relaxed);
        if let Some(folder) = self.existing() {
            sweep::sweep(folder, self.max_bytes, self.max_age);
        }
    }

    /// The folder to read from; none before anything was written, unless an earlier process did.
    fn existing(&self) -> Option<&Path> {
        match self.folder.get() {
            Some(place) => Some(&place.folder),
            None => self.wanted.as_deref(),
        }
    }

    /// The folder to write to.
    fn folder(&self) -> Result<&Path, WebError> {
        if let Some(place) = self.folder.get() {
            return Ok(&place.folder);
        }
        let wanted = self.wanted.as_ref().filter(|folder| is_writable(folder));
        let place = match wanted {
            Some(folder) => Place { folder: folder.clone(), is_temporary: false },
            None => Place { folder: temporary().map_err(|error| WebError::store(&error))?, is_temporary: true },
        };
        Ok(&self.folder.get_or_init(|| place).folder)
    }
}

impl Drop for FetchStore {
    fn drop(&mut self) {
        if let Some(Place { folder, is_temporary: true }) = self.folder.get() {
            // What is left is of the system's temporary folder, which is cleaned.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn key_of(url: &Url) -> String {
    ContentHash::of(url.as_str().as_bytes()).to_string()
}

/// Whether a file can be written in `folder`, which is made where it is missing. The file has a name that no other
/// process tries at the same time, and goes.
fn is_writable(folder: &Path) -> bool {
    Draft::create(&folder.join(RESPONSES)).and_then(|mut probe| probe.write_all(b"probe")).is_ok()
}

fn temporary() -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("pagewise-{}", ContentHash(random()).short()));
    files::make_private(&folder)?;
    Ok(folder)
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
