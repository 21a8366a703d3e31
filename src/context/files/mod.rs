//! The file of a request: opened once, judged by its bytes, hashed only where a conversation needs it.

mod fetch;
mod password;
mod system_fonts;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

pub use self::fetch::{FetchOutcome, FetchedText};
pub(super) use self::password::FallbackPasswordReader;
pub use self::password::PdfPassword;
pub(super) use self::system_fonts::SystemFonts;

use super::error::ContextError;
use crate::document::ReadAt;
use crate::hash::ContentHash;
use crate::limits::{Cancellation, Limits};
use crate::source::{
    HEAD_BYTES, HashCache, Kept, Kind, OpenFile, Reference, Roots, SourceError, Stat, detect_kind, is_url,
    kept_reference, open_kept, open_url,
};
use crate::view::{ConversationId, FileKey};
use crate::web::{Fetched, Web, WebError};
use crate::worker::{Pages, PdfError, Reader};

/// Where references start and files may be opened.
pub struct Sources {
    /// Folders whose files may be opened.
    pub roots: Roots,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// What fetches URLs; without it they are refused.
    pub web: Option<Arc<Web>>,
}

/// For whom a file is opened.
#[derive(Debug, Clone, Copy)]
pub struct Requester<'a> {
    /// The conversation, which may hold what it fetched.
    pub conversation: Option<&'a ConversationId>,
    /// Whether the answer is still wanted.
    pub cancellation: &'a Cancellation,
}

impl<'a> Requester<'a> {
    /// For nobody in particular.
    #[must_use]
    pub fn anybody(cancellation: &'a Cancellation) -> Self {
        Self { conversation: None, cancellation }
    }
}

/// Whose is what was fetched. Names of conversations are not kept in the folder of it.
pub(crate) fn owner_key(conversation: &ConversationId) -> ContentHash {
    ContentHash::of(conversation.as_str().as_bytes())
}

/// One open file.
pub(crate) struct RequestedFile {
    /// As it was named; every text names it so.
    pub(crate) path: String,
    pub(crate) absolute: PathBuf,
    pub(crate) file_bytes: u64,
    pub(crate) kind: Kind,
    pub(crate) key: FileKey,
    file: Arc<OpenFile>,
    hash: OnceLock<ContentHash>,
}

/// An open PDF, without any memory of conversations.
pub struct OpenPdf {
    /// The file as it was named.
    pub path: String,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The document.
    pub document: Box<dyn Pages>,
    pub(crate) file: PdfFile,
    cancellation: Cancellation,
}

/// The file of a PDF, open without a reader.
#[derive(Clone)]
pub struct PdfFile {
    path: String,
    file: Arc<OpenFile>,
}

impl PdfFile {
    /// All bytes of the file, as they were when it was opened.
    ///
    /// # Errors
    /// [`ContextError::Source`] where they are more than `limit`, which is the setting `setting`, or have changed.
    pub fn read(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, ContextError> {
        self.file.read_all(limit, setting).map_err(|error| source_error(&self.path, error))
    }

    /// The PDF in it.
    pub(crate) fn open(
        self,
        reader: &dyn Reader,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenPdf, ContextError> {
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let positioned = PositionedFile { identity: self.file.stat().key(), file: Arc::clone(&self.file) };
        let document = reader.open(Arc::new(positioned), password, cancellation).map_err(failed)?;
        let (path, file_bytes) = (self.path.clone(), self.file.len());
        Ok(OpenPdf { path, file_bytes, document, file: self, cancellation: cancellation.clone() })
    }
}

impl OpenPdf {
    /// Its file, for what is sent whole.
    #[must_use]
    pub fn file(&self) -> PdfFile {
        self.file.clone()
    }

    /// Ends a loop over pages that nobody wants.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`](crate::limits::Stopped::Cancelled).
    pub fn check(&self) -> Result<(), ContextError> {
        let cancelled = |stopped| ContextError::Pdf { path: self.path.clone(), error: PdfError::Stopped(stopped) };
        self.cancellation.check().map_err(cancelled)
    }
}

impl Sources {
    /// Opens the file that `reference` names.
    pub(crate) fn open(&self, reference: &str, asking: Requester<'_>) -> Result<RequestedFile, ContextError> {
        if let Some(fetched) = self.open_fetched(reference, asking)? {
            return Ok(fetched);
        }
        let resolved = self.resolve(reference)?;
        let refused = |error| source_error(reference, error);
        let file = Arc::new(self.roots.open(&resolved).map_err(refused)?);
        let kind = detect_kind(&file.head(HEAD_BYTES).map_err(refused)?, file.len());
        Ok(RequestedFile {
            path: reference.to_owned(),
            absolute: resolved.path().components().collect(),
            file_bytes: file.len(),
            kind,
            key: key_of(resolved.path()),
            file,
            hash: OnceLock::new(),
        })
    }

    fn open_fetched(&self, reference: &str, asking: Requester<'_>) -> Result<Option<RequestedFile>, ContextError> {
        let fetched = self.fetched(reference, asking).map_err(|error| source_error(reference, error))?;
        let Some(Kept { url, content, file }) = fetched else { return Ok(None) };
        let head = file.head(HEAD_BYTES).map_err(|error| source_error(&url, error))?;
        let asked = RequestedFile {
            absolute: PathBuf::from(&url),
            file_bytes: file.len(),
            kind: detect_kind(&head, file.len()),
            key: key_of_url(&url),
            file: Arc::new(file),
            hash: OnceLock::new(),
            path: url,
        };
        // It is kept under its hash.
        asked.hash.get_or_init(|| content);
        Ok(Some(asked))
    }

    /// The file of a URL, or of something that was fetched before; `None` for a reference to neither.
    fn fetched(&self, reference: &str, asking: Requester<'_>) -> Result<Option<Kept>, SourceError> {
        let kept = kept_reference(reference);
        if kept.is_none() && !is_url(reference) {
            return Ok(None);
        }
        let web = match &self.web {
            Some(web) if web.settings().references => web,
            Some(_) => return Err(WebError::ReferencesOff.into()),
            None => return Err(SourceError::UnsupportedReference { reference: reference.to_owned() }),
        };
        let fetched = match kept {
            Some(kept) => open_kept(web, &kept, asking.conversation.map(owner_key).as_ref())?,
            None => {
                let (file, Fetched { content, .. }) = open_url(web, reference, asking.cancellation)?;
                Kept { url: reference.to_owned(), content, file }
            }
        };
        Ok(Some(fetched))
    }

    /// The stat of the file that `reference` names, without reading it.
    pub(crate) fn stat(&self, reference: &str) -> Result<Stat, ContextError> {
        let opened = self.roots.open(&self.resolve(reference)?);
        opened.map(|file| file.stat()).map_err(|error| source_error(reference, error))
    }

    /// The file that `reference` names, which may be something that `conversation` fetched.
    pub(crate) fn key_for(&self, reference: &str, conversation: &ConversationId) -> Result<FileKey, ContextError> {
        let (Some((id, index)), Some(web)) = (kept_reference(reference), &self.web) else { return self.key(reference) };
        let response = web.response(id.as_str(), Some(&owner_key(conversation)));
        let fetched =
            response.and_then(|response| response.urls.into_iter().nth(index).ok_or(WebError::ContentNotFound));
        fetched.map(|fetched| key_of_url(&fetched.url)).map_err(|error| source_error(reference, error.into()))
    }

    /// The file that `reference` names, whether it exists or not.
    pub(crate) fn key(&self, reference: &str) -> Result<FileKey, ContextError> {
        if is_url(reference) {
            return Ok(key_of_url(reference));
        }
        Ok(key_of(self.resolve(reference)?.path()))
    }

    pub(crate) fn resolve(&self, reference: &str) -> Result<Reference, ContextError> {
        let parsed = Reference::parse(reference, &self.working_directory, self.home.as_deref());
        parsed.map_err(|error| source_error(reference, error))
    }

    /// Opens the PDF that `reference` names, whatever its bytes look like: the reader says what is wrong with them.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(
        &self,
        reference: &str,
        password: Option<&str>,
        reader: &dyn Reader,
        limits: &Limits,
        asking: Requester<'_>,
    ) -> Result<OpenPdf, ContextError> {
        let (path, opened) = match self.fetched(reference, asking) {
            Ok(Some(Kept { url, file, .. })) => (url, Ok(file)),
            Ok(None) => (reference.to_owned(), self.roots.open(&self.resolve(reference)?)),
            Err(error) => (reference.to_owned(), Err(error)),
        };
        let checked = opened.and_then(|file| file.at_most(limits.max_file_bytes, "max_file_bytes").map(|()| file));
        let file = checked.map_err(|error| source_error(&path, error))?;
        PdfFile { path, file: Arc::new(file) }.open(reader, password, asking.cancellation)
    }
}

impl RequestedFile {
    /// The file's hash, computed at the first call.
    pub(crate) fn content_hash(&self, hashes: &HashCache) -> Result<ContentHash, ContextError> {
        if let Some(hash) = self.hash.get() {
            return Ok(*hash);
        }
        let hashed = hashes.content_hash(&self.file, SystemTime::now());
        let hash = hashed.map_err(|error| self.source_error(error))?;
        Ok(*self.hash.get_or_init(|| hash))
    }

    /// The file's hash, if it was computed.
    pub(crate) fn known_hash(&self) -> Option<ContentHash> {
        self.hash.get().copied()
    }

    /// All bytes of the file, unless there are more than `limit`, which is the setting `setting`. Where its hash is known
    /// they are those that were hashed: a file can be written to between the two, and its times set back.
    pub(crate) fn read_all(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, ContextError> {
        let bytes = self.file.read_all(limit, setting).map_err(|error| self.source_error(error))?;
        match self.known_hash() {
            Some(hash) if hash != ContentHash::of(&bytes) => Err(self.changed()),
            _ => Ok(bytes),
        }
    }

    /// That nobody wrote to the file since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ContextError> {
        match self.file.is_unchanged().map_err(|error| self.source_error(error))? {
            true => Ok(()),
            false => Err(self.changed()),
        }
    }

    fn changed(&self) -> ContextError {
        self.source_error(SourceError::Changed { path: self.file.path().to_path_buf() })
    }

    fn source_error(&self, error: SourceError) -> ContextError {
        source_error(&self.path, error)
    }

    /// The same with the document that was read in it.
    pub(crate) fn into_pdf(self, document: Box<dyn Pages>, cancellation: &Cancellation) -> OpenPdf {
        let file = PdfFile { path: self.path.clone(), file: self.file };
        OpenPdf { path: self.path, file_bytes: self.file_bytes, document, file, cancellation: cancellation.clone() }
    }

    /// The PDF in this file.
    pub(crate) fn document(
        &self,
        password: Option<&str>,
        reader: &dyn Reader,
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, ContextError> {
        let small = self.file.at_most(limits.max_file_bytes, "max_file_bytes");
        small.map_err(|error| self.source_error(error))?;
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let identity = self.known_hash().map_or_else(|| self.file.stat().key(), |hash| hash.0);
        let file = PositionedFile { identity, file: Arc::clone(&self.file) };
        reader.open(Arc::new(file), password, cancellation).map_err(failed)
    }
}

/// The key of a path without its needless parts: `./a.pdf` and `a.pdf` are one file, which links may still lead to.
fn key_of(path: &Path) -> FileKey {
    FileKey::of(&path.components().collect::<PathBuf>())
}

/// The key of a URL as it was typed, but for white space and the fragment. It is no path: a slash at its end counts.
fn key_of_url(url: &str) -> FileKey {
    let whole = url.trim().split('#').next().unwrap_or_default();
    FileKey(ContentHash::of(whole.as_bytes()).0)
}

pub(crate) fn source_error(path: &str, error: SourceError) -> ContextError {
    ContextError::Source { path: path.to_owned(), error }
}

/// An open file as the readers of PDFs want it.
pub(crate) struct PositionedFile {
    pub(crate) file: Arc<OpenFile>,
    /// The hash of its bytes, or of its stat where nobody needed the former.
    pub(crate) identity: [u8; 32],
}

impl ReadAt for PositionedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let read = self.file.read_at(offset, buffer).map_err(io::Error::other)?;
        if read < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    #[cfg(all(unix, not(pagewise_portable)))]
    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        Some(std::os::fd::AsFd::as_fd(self.file.file()))
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some(self.identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_apart_as_paths_are_not() {
        let one = "https://a.test/b";
        for same in ["https://a.test/b#c", " https://a.test/b "] {
            assert_eq!(key_of_url(same), key_of_url(one), "{same}");
        }
        for other in ["https://a.test/b/", "https://a.test//b", "https://a.test/./b", "https://a.test/b?c"] {
            assert_ne!(key_of_url(other), key_of_url(one), "{other}");
        }
        assert_eq!(key_of(Path::new("/a//b/")), key_of(Path::new("/a/./b")));
    }
}
