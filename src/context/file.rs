//! The file of a request: opened once, judged by its bytes, hashed only where a conversation needs it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::error::ContextError;
use crate::document::ReadAt;
use crate::hash::ContentHash;
use crate::limits::{Cancellation, Limits};
use crate::source::{HEAD_BYTES, HashCache, Kind, OpenFile, Reference, Roots, SourceError, Stat, detect_kind};
use crate::view::FileKey;
use crate::worker::{Pages, PdfError, Reader};

/// Where references start and files may be opened.
#[derive(Debug)]
pub struct Sources {
    /// Folders whose files may be opened.
    pub roots: Roots,
    /// Where relative paths start.
    pub working_directory: PathBuf,
    /// What `~` stands for.
    pub home: Option<PathBuf>,
}

/// One open file.
pub(super) struct Asked {
    /// As it was named; every text names it so.
    pub(super) path: String,
    pub(super) absolute: PathBuf,
    pub(super) file_bytes: u64,
    pub(super) kind: Kind,
    pub(super) key: FileKey,
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
    cancellation: Cancellation,
}

impl OpenPdf {
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
    pub(super) fn open(&self, reference: &str) -> Result<Asked, ContextError> {
        let resolved = self.resolve(reference)?;
        let refused = |error| refused(reference, error);
        let file = Arc::new(self.roots.open(&resolved).map_err(refused)?);
        let kind = detect_kind(&file.head(HEAD_BYTES).map_err(refused)?, file.len());
        Ok(Asked {
            path: reference.to_owned(),
            absolute: resolved.path().components().collect(),
            file_bytes: file.len(),
            kind,
            key: key_of(resolved.path()),
            file,
            hash: OnceLock::new(),
        })
    }

    /// The stat of the file that `reference` names, without reading it.
    pub(super) fn stat(&self, reference: &str) -> Result<Stat, ContextError> {
        let opened = self.roots.open(&self.resolve(reference)?);
        opened.map(|file| file.stat()).map_err(|error| refused(reference, error))
    }

    /// The file that `reference` names, whether it exists or not.
    pub(super) fn key(&self, reference: &str) -> Result<FileKey, ContextError> {
        Ok(key_of(self.resolve(reference)?.path()))
    }

    pub(super) fn resolve(&self, reference: &str) -> Result<Reference, ContextError> {
        let parsed = Reference::parse(reference, &self.working_directory, self.home.as_deref());
        parsed.map_err(|error| refused(reference, error))
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
        cancellation: &Cancellation,
    ) -> Result<OpenPdf, ContextError> {
        let opened = self.roots.open(&self.resolve(reference)?);
        let checked = opened.and_then(|file| file.at_most(limits.max_file_bytes, "max_file_bytes").map(|()| file));
        let file = checked.map_err(|error| refused(reference, error))?;
        let file_bytes = file.len();
        let failed = |error| ContextError::Pdf { path: reference.to_owned(), error };
        let file = Positioned { identity: file.stat().key(), file: Arc::new(file) };
        let document = reader.open(Arc::new(file), password, cancellation).map_err(failed)?;
        Ok(OpenPdf { path: reference.to_owned(), file_bytes, document, cancellation: cancellation.clone() })
    }
}

impl Asked {
    /// The file's hash, computed at the first call.
    pub(super) fn content_hash(&self, hashes: &HashCache) -> Result<ContentHash, ContextError> {
        if let Some(hash) = self.hash.get() {
            return Ok(*hash);
        }
        let hashed = hashes.content_hash(&self.file, SystemTime::now());
        let hash = hashed.map_err(|error| self.refused(error))?;
        Ok(*self.hash.get_or_init(|| hash))
    }

    /// The file's hash, if it was computed.
    pub(super) fn known_hash(&self) -> Option<ContentHash> {
        self.hash.get().copied()
    }

    /// All bytes of the file, unless there are more than `limit`, which is the setting `setting`.
    pub(super) fn read_all(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, ContextError> {
        self.file.read_all(limit, setting).map_err(|error| self.refused(error))
    }

    fn refused(&self, error: SourceError) -> ContextError {
        refused(&self.path, error)
    }

    /// The same with the document that was read in it.
    pub(super) fn into_pdf(self, document: Box<dyn Pages>, cancellation: &Cancellation) -> OpenPdf {
        OpenPdf { path: self.path, file_bytes: self.file_bytes, document, cancellation: cancellation.clone() }
    }

    /// The PDF in this file.
    pub(super) fn document(
        &self,
        password: Option<&str>,
        reader: &dyn Reader,
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, ContextError> {
        let small = self.file.at_most(limits.max_file_bytes, "max_file_bytes");
        small.map_err(|error| self.refused(error))?;
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let identity = self.known_hash().map_or_else(|| self.file.stat().key(), |hash| hash.0);
        let file = Positioned { identity, file: Arc::clone(&self.file) };
        reader.open(Arc::new(file), password, cancellation).map_err(failed)
    }
}

/// The key of a path without its needless parts: `./a.pdf` and `a.pdf` are one file, which links may still lead to.
fn key_of(path: &Path) -> FileKey {
    FileKey::of(&path.components().collect::<PathBuf>())
}

fn refused(path: &str, error: SourceError) -> ContextError {
    ContextError::Source { path: path.to_owned(), error }
}

/// An open file as the readers of PDFs want it.
struct Positioned {
    file: Arc<OpenFile>,
    /// The hash of its bytes, or of its stat where nobody needed the former.
    identity: [u8; 32],
}

impl ReadAt for Positioned {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let read = self.file.read_at(offset, buffer).map_err(io::Error::other)?;
        if read < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.file.file().as_fd())
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some(self.identity)
    }
}
