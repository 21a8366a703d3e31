//! The requested file: opened once, its type detected from its bytes, hashed only if a conversation needs the hash.

mod attachment;
mod fetch;
mod missing;
mod open_pdf;
mod password;
mod system_fonts;
mod upload;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

pub(crate) use self::attachment::ContainerReader;
pub use self::fetch::{FetchOutcome, FetchedText};
pub use self::missing::MissingFile;
pub(crate) use self::open_pdf::IdentifiedFile;
use self::open_pdf::named_by_kind;
pub use self::open_pdf::{OpenPdf, PdfFile};
pub(super) use self::password::FallbackPasswordReader;
pub use self::password::PdfPassword;
pub(super) use self::system_fonts::SystemFonts;
pub use self::upload::{UploadError, UploadInput, UploadResult, foreign_upload};

use super::error::ContextError;
use crate::source::{
    FileKind, HashCache, OpenFile, Reference, Roots, SourceError, Stat, StoredFetch, is_upload, is_url, open_document,
    open_stored_fetch, open_upload, parse_fetch_reference,
};
use crate::worker::{Pages, Reader};
use pagewise_base::clean::CleanText;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_view::{ConversationId, FileKey, Principal};
use pagewise_web::{Web, WebError};

/// Where files may come from.
pub struct Sources {
    /// Folders whose files may be opened.
    pub roots: Roots,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// The folder of `~`.
    pub home: Option<PathBuf>,
    /// Fetches URLs; without it URLs are refused.
    pub web: Option<Arc<Web>>,
}

/// Whom a file is opened for.
#[derive(Debug, Clone, Copy)]
pub struct Requester<'a> {
    /// The conversation, which may own fetched content.
    pub conversation: Option<&'a ConversationId>,
    /// The principal, which owns what its calls without a conversation fetched.
    pub principal: Option<Principal>,
    /// Cancels the work.
    pub cancellation: &'a Cancellation,
}

impl<'a> Requester<'a> {
    /// A requester without a conversation.
    #[must_use]
    pub fn anybody(cancellation: &'a Cancellation) -> Self {
        Self { conversation: None, principal: None, cancellation }
    }

    /// A requester in a conversation of this process.
    #[must_use]
    pub fn of(conversation: &'a ConversationId, cancellation: &'a Cancellation) -> Self {
        Self { conversation: Some(conversation), ..Self::anybody(cancellation) }
    }

    /// The owners of fetched content that it may read; the first one owns what it fetches. Anybody owns what nobody does.
    pub(crate) fn owners(&self) -> Vec<ContentHash> {
        let conversation = self.conversation.map(owner_key);
        let principal = |principal: Principal| {
            ContentHash(blake3::derive_key("pagewise owner of content fetched without a conversation", &principal.0))
        };
        conversation.into_iter().chain(self.principal.map(principal)).collect()
    }
}

/// The owner of fetched content: a hash, so that conversation names do not appear in the folder of fetched content.
fn owner_key(conversation: &ConversationId) -> ContentHash {
    ContentHash::of(conversation.as_str().as_bytes())
}

/// One open file.
pub(crate) struct RequestedFile {
    /// As the request named it. All messages use this name.
    pub(crate) path: String,
    pub(crate) absolute: PathBuf,
    pub(crate) file_bytes: u64,
    pub(crate) kind: FileKind,
    pub(crate) key: FileKey,
    file: Arc<OpenFile>,
    hash: OnceLock<ContentHash>,
}

impl Sources {
    /// Opens the file that `reference` names, which may be part of a PDF that `container` reads.
    pub(crate) fn open(
        &self,
        reference: &str,
        requester: Requester<'_>,
        container: &ContainerReader<'_>,
    ) -> Result<RequestedFile, ContextError> {
        match self.part(reference) {
            Some(part) => self.open_part(&part, requester, container),
            None => self.open_plain(reference, requester),
        }
    }

    /// Opens a file that is no part of another.
    fn open_plain(&self, reference: &str, requester: Requester<'_>) -> Result<RequestedFile, ContextError> {
        if let Some(fetched) = self.open_fetched(reference, requester)? {
            return Ok(fetched);
        }
        let refused = |error| source_error(reference, error);
        if let Some(file) = self.uploaded(reference).map_err(refused)? {
            return Ok(RequestedFile {
                path: shown_path(reference),
                absolute: PathBuf::from(reference),
                file_bytes: file.len(),
                kind: file.kind().map_err(refused)?,
                key: key_of_url(reference),
                file: Arc::new(file),
                hash: OnceLock::new(),
            });
        }
        let resolved = self.resolve(reference)?;
        let file = Arc::new(self.roots.open(&resolved).map_err(refused)?);
        let kind = file.kind().map_err(refused)?;
        Ok(RequestedFile {
            path: shown_path(reference),
            absolute: resolved.path().components().collect(),
            file_bytes: file.len(),
            kind,
            key: key_of(resolved.path()),
            file,
            hash: OnceLock::new(),
        })
    }

    fn open_fetched(&self, reference: &str, requester: Requester<'_>) -> Result<Option<RequestedFile>, ContextError> {
        let fetched = self.fetched(reference, requester).map_err(|error| source_error(reference, error))?;
        let Some(StoredFetch { url, content, file }) = fetched else { return Ok(None) };
        let requested = RequestedFile {
            absolute: PathBuf::from(&url),
            file_bytes: file.len(),
            kind: file.kind().map_err(|error| source_error(&url, error))?,
            key: key_of_url(&url),
            file: Arc::new(file),
            hash: OnceLock::new(),
            path: shown_path(&url),
        };
        // Fetched content is stored under its hash, and a remote document has an identity.
        requested.hash.get_or_init(|| content);
        Ok(Some(requested))
    }

    /// The content of a URL or of an earlier fetch; `None` if `reference` is neither.
    fn fetched(&self, reference: &str, requester: Requester<'_>) -> Result<Option<StoredFetch>, SourceError> {
        let kept = parse_fetch_reference(reference);
        if kept.is_none() && !is_url(reference) {
            return Ok(None);
        }
        let web = match &self.web {
            Some(web) if web.settings().references => web,
            Some(_) => return Err(WebError::ReferencesOff.into()),
            None => return Err(SourceError::UnsupportedReference { reference: reference.to_owned() }),
        };
        let fetched = match kept {
            Some(kept) => open_stored_fetch(web, &kept, &requester.owners())?,
            None => open_document(web, reference, requester.cancellation)?,
        };
        Ok(Some(fetched))
    }

    /// An upload; `None` if `reference` names none. The doors check whose it is.
    pub(crate) fn uploaded(&self, reference: &str) -> Result<Option<OpenFile>, SourceError> {
        let Some(web) = &self.web else { return Ok(None) };
        open_upload(web, reference)
    }

    /// The file's metadata, without reading the file. For a part of a file, those of the file that contains it.
    pub(crate) fn stat(&self, reference: &str) -> Result<Stat, ContextError> {
        let reference = self.part(reference).map_or(reference, |part| part.container);
        if let Some(file) = self.uploaded(reference).map_err(|error| source_error(reference, error))? {
            return Ok(file.stat());
        }
        let opened = self.roots.open(&self.resolve(reference)?);
        opened.map(|file| file.stat()).map_err(|error| source_error(reference, error))
    }

    /// The key of the file that `reference` names, which may be content that `conversation` fetched.
    pub(crate) fn key_for(&self, reference: &str, conversation: &ConversationId) -> Result<FileKey, ContextError> {
        if let Some(part) = self.part(reference) {
            let container = self.key_for(part.container, conversation)?;
            return Ok(Self::key_of_part(&part, container));
        }
        let (Some((id, index)), Some(web)) = (parse_fetch_reference(reference), &self.web) else {
            return self.key(reference);
        };
        let response = web.response(id.as_str(), &[owner_key(conversation)]);
        let fetched =
            response.and_then(|response| response.urls.into_iter().nth(index).ok_or(WebError::ContentNotFound));
        fetched.map(|fetched| key_of_url(&fetched.url)).map_err(|error| source_error(reference, error.into()))
    }

    /// The key of the file that `reference` names, whether it exists or not.
    pub(crate) fn key(&self, reference: &str) -> Result<FileKey, ContextError> {
        if let Some(part) = self.part(reference) {
            return Ok(Self::key_of_part(&part, self.key(part.container)?));
        }
        if is_url(reference) || is_upload(reference) {
            return Ok(key_of_url(reference));
        }
        Ok(key_of(self.resolve(reference)?.path()))
    }

    /// The file of this machine that `reference` names, or that contains what it names.
    pub(crate) fn local_file(&self, reference: &str) -> Option<PathBuf> {
        let reference = self.part(reference).map_or(reference, |part| part.container);
        let is_elsewhere = is_url(reference) || is_upload(reference) || parse_fetch_reference(reference).is_some();
        let resolved = (!is_elsewhere).then(|| self.resolve(reference).ok()).flatten();
        resolved.map(|resolved| resolved.path().to_path_buf())
    }

    /// The absolute path that `reference` names. A relative path starts at the working directory or, if nothing is there,
    /// at the first root where something is. If nothing is anywhere, the one file that is only spelled otherwise is meant.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Reference, ContextError> {
        let parse = |start: &Path| Reference::parse(reference, start, self.home.as_deref());
        let usual = parse(&self.working_directory).map_err(|error| source_error(reference, error))?;
        let others = self.roots.folders().into_iter().filter_map(|root| parse(&root).ok());
        let others = others.filter(|other| *other != usual).collect::<Vec<_>>();
        if self.is_there(&usual) {
            return Ok(usual);
        }
        let there = others.iter().find(|other| self.is_there(other)).cloned();
        let respelled = || {
            let paths = std::iter::once(&usual).chain(&others);
            paths.filter_map(|path| self.roots.respelled(path.path())).map(Reference::of).next()
        };
        Ok(there.or_else(respelled).unwrap_or(usual))
    }

    /// Whether something is at the path, readable or not.
    fn is_there(&self, path: &Reference) -> bool {
        !matches!(self.roots.open(path), Err(SourceError::NotFound { .. } | SourceError::NotAllowed { .. }))
    }

    /// Opens a file as a PDF without checking its type first: the reader reports what is wrong with it.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(
        &self,
        reference: &str,
        password: Option<&str>,
        reader: &dyn Reader,
        limits: &Limits,
        requester: Requester<'_>,
    ) -> Result<OpenPdf, ContextError> {
        if let Some(part) = self.part(reference) {
            let opened = self.open_part(&part, requester, &ContainerReader { reader, limits, password });
            let RequestedFile { path, file, .. } = opened.map_err(|error| self.explain(error))?;
            let file = PdfFile { path, file };
            return file
                .clone()
                .open(reader, password, requester.cancellation)
                .map_err(|error| file.name_other_type(error));
        }
        let (path, opened) = match self.fetched(reference, requester) {
            Ok(Some(StoredFetch { url, file, .. })) => (url, Ok(file)),
            Ok(None) => match self.uploaded(reference) {
                Ok(Some(file)) => (reference.to_owned(), Ok(file)),
                Ok(None) => (reference.to_owned(), self.roots.open(&self.resolve(reference)?)),
                Err(error) => (reference.to_owned(), Err(error)),
            },
            Err(error) => (reference.to_owned(), Err(error)),
        };
        let checked = opened.and_then(|file| file.check_size(limits.max_file_bytes, "max_file_bytes").map(|()| file));
        let file = checked.map_err(|error| self.explain(source_error(&path, error)))?;
        let file = PdfFile { path: shown_path(&path), file: Arc::new(file) };
        file.clone().open(reader, password, requester.cancellation).map_err(|error| file.name_other_type(error))
    }
}

/// The note on the hash of a remote document.
const REMOTE_IDENTITY: &str =
    "Read by ranges: its blake3 is one of its URL, its server's validator and its length, not of its bytes.";

impl RequestedFile {
    /// The file's hash, computed on first use.
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

    /// All bytes of the file, at most `limit` (the setting named `setting`). If the hash is known, it is verified: the
    /// file may have changed in between with its times set back.
    pub(crate) fn read_all(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, ContextError> {
        let bytes = self.file.read_all(limit, setting).map_err(|error| self.source_error(error))?;
        match self.known_hash().filter(|_| self.file.remote_identity().is_none()) {
            Some(hash) if hash != ContentHash::of(&bytes) => Err(self.changed()),
            _ => Ok(bytes),
        }
    }

    /// Refuses a file of more than `limit` bytes. `setting` names the limit.
    pub(crate) fn check_size(&self, limit: u64, setting: &'static str) -> Result<(), ContextError> {
        self.file.check_size(limit, setting).map_err(|error| self.source_error(error))
    }

    /// Refuses a picture that a provider would refuse.
    pub(crate) fn check_picture(&self, reader: &dyn Reader, cancellation: &Cancellation) -> Result<(), ContextError> {
        let file = IdentifiedFile { identity: self.file.identity(), file: Arc::clone(&self.file) };
        match reader.picture_fault(&file, cancellation) {
            Ok(None) => Ok(()),
            Ok(Some(fault)) => Err(ContextError::Picture { path: self.path.clone(), fault }),
            Err(error) => Err(ContextError::Pdf { path: self.path.clone(), error }),
        }
    }

    /// Fails if the file was written to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), ContextError> {
        match self.file.is_unchanged().map_err(|error| self.source_error(error))? {
            true => Ok(()),
            false => Err(self.changed()),
        }
    }

    /// Says what the hash of a remote document is made of.
    pub(crate) fn identity_note(&self) -> Option<String> {
        self.file.remote_identity().map(|_| REMOTE_IDENTITY.to_owned())
    }

    fn changed(&self) -> ContextError {
        self.source_error(SourceError::Changed { path: self.file.path().to_path_buf() })
    }

    fn source_error(&self, error: SourceError) -> ContextError {
        source_error(&self.path, error)
    }

    /// Combines the file with its parsed document.
    pub(crate) fn into_pdf(self, document: Box<dyn Pages>, cancellation: &Cancellation) -> OpenPdf {
        let file = PdfFile { path: self.path.clone(), file: self.file };
        OpenPdf { path: self.path, file_bytes: self.file_bytes, document, file, cancellation: cancellation.clone() }
    }

    /// Parses the file as a PDF.
    pub(crate) fn document(
        &self,
        password: Option<&str>,
        reader: &dyn Reader,
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, ContextError> {
        self.check_size(limits.max_file_bytes, "max_file_bytes")?;
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error: named_by_kind(error, self.kind) };
        let identity = self.known_hash().map_or_else(|| self.file.identity(), |hash| hash.0);
        let file = IdentifiedFile { identity, file: Arc::clone(&self.file) };
        reader.open(Arc::new(file), password, cancellation).map_err(failed)
    }
}

/// The key of a normalised path: `./a.pdf` and `a.pdf` are one file. Symbolic links are not resolved.
fn key_of(path: &Path) -> FileKey {
    FileKey::of(&path.components().collect::<PathBuf>())
}

/// The key of a URL, trimmed and without its fragment. Unlike in a path, a trailing slash is significant.
fn key_of_url(url: &str) -> FileKey {
    let whole = url.trim().split('#').next().unwrap_or_default();
    FileKey(ContentHash::of(whole.as_bytes()).0)
}

pub(crate) fn source_error(path: &str, error: SourceError) -> ContextError {
    ContextError::Source { path: shown_path(path), error }
}

/// A reference as messages show it. It still leads to its file: names are found however they are spelled.
pub(crate) fn shown_path(reference: &str) -> String {
    CleanText::line(reference).into_string()
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
