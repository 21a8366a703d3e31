//! Files that callers over HTTP hand over.

use crate::context::ContextManager;
use crate::source::{FileKind, HEAD_BYTES, detect_kind};
use pagewise_view::Principal;
use pagewise_web::{UploadDraft, UploadId, UploadOwner, Web, WebError};

/// Why an upload is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// Its bytes are no PDF, no text and no picture.
    #[error("only PDFs, texts and pictures are accepted, and this is {mime}")]
    Unsupported {
        /// What its bytes are.
        mime: &'static str,
    },
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It is too large, or cannot be stored.
    #[error(transparent)]
    Web(#[from] WebError),
}

/// A file that is being uploaded.
pub struct UploadInput<'a> {
    web: &'a Web,
    draft: UploadDraft<'a>,
    /// The first bytes, which tell what the file is.
    head: Vec<u8>,
    bytes: u64,
}

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadResult {
    /// The reference that tools take as a path.
    pub reference: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The MIME type, by the bytes.
    pub kind: &'static str,
    /// When it expires, in seconds since 1970.
    pub expires: u64,
}

impl ContextManager {
    /// Begins an upload of a principal. `declared` is its size, if its sender says one.
    ///
    /// # Errors
    /// [`UploadError::Web`].
    pub fn begin_upload(&self, owner: &Principal, declared: Option<u64>) -> Result<UploadInput<'_>, UploadError> {
        let none = || WebError::Failed { reason: "this server keeps no uploads".to_owned() };
        let web = self.sources.web.as_deref().ok_or_else(none)?;
        let draft = web.begin_upload(UploadOwner::of(&owner.0), declared)?;
        Ok(UploadInput { web, draft, head: Vec::new(), bytes: 0 })
    }
}

impl UploadInput<'_> {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`UploadError::Web`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), UploadError> {
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..missing).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        Ok(self.draft.write(bytes)?)
    }

    /// Keeps the file, if it is one that can be read.
    ///
    /// # Errors
    /// [`UploadError`].
    pub fn keep(self) -> Result<UploadResult, UploadError> {
        if self.bytes == 0 {
            return Err(UploadError::Empty);
        }
        let kind = detect_kind(&self.head, self.bytes);
        if let FileKind::Other { mime } = kind {
            return Err(UploadError::Unsupported { mime });
        }
        let stored = self.web.keep_upload(self.draft)?;
        let (reference, bytes, expires) = (stored.id.to_string(), stored.bytes, stored.expires);
        Ok(UploadResult { reference, bytes, kind: kind.mime(), expires })
    }
}

/// The most references that are looked at in one text. A text with more is refused.
const MAX_REFERENCES: usize = 1_000;

/// The first reference in a text to an upload that is not of `owner`, wherever it stands.
#[must_use]
pub fn foreign_upload(text: &str, owner: &Principal) -> Option<String> {
    let owner = UploadOwner::of(&owner.0);
    let mut all = UploadId::all_in(text, MAX_REFERENCES + 1).enumerate();
    let foreign = all.find(|(at, id)| *at >= MAX_REFERENCES || !id.is_of(&owner));
    foreign.map(|(_, id)| id.to_string())
}
