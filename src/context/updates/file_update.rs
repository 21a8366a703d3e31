//! The change of one file, and what to record about it.

use std::sync::Arc;

use crate::context::pdf::PageChanges;
use pagewise_base::hash::ContentHash;
use pagewise_view::{FileKey, ForgetScope, HeldItem};

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUpdate {
    /// The path, absolute.
    pub path: String,
    /// What became of it.
    pub change: FileChange,
}

/// How a file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// The file does not exist any more.
    Deleted,
    /// The pages of a PDF changed.
    Pages(PageChanges),
    /// The lines of a text file changed.
    Text { diff: String },
    /// The lines of a text file changed, and all of them are shorter than a diff, or few.
    WholeText { text: String },
    /// The content changed; request the file to read it.
    Content {
        /// The MIME type detected from its bytes.
        mime_type: &'static str,
        /// Why no details are given, if some could be expected.
        reason: Option<String>,
    },
    /// The file is again as it was given. An earlier report of a change no longer applies.
    Restored,
    /// The file cannot be read now. Reported by every call.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// One changed file, and what to record once the change was reported.
pub(in crate::context) struct PendingUpdate {
    /// `None` if the change does not affect anything given.
    pub(super) update: Option<FileUpdate>,
    pub(super) file: FileKey,
    pub(super) content: Option<ContentHash>,
    pub(super) forget: Vec<ForgetScope>,
    pub(super) holdings: Vec<HeldItem>,
    pub(super) page_count: Option<u32>,
    pub(super) text: Option<Arc<str>>,
}

/// The result of checking a file.
pub(in crate::context) enum CheckResult {
    /// As last reported to the agent.
    Unchanged,
    /// Being written to right now.
    BeingWritten,
    /// Changed, or unreadable.
    Changed(Box<PendingUpdate>),
}

impl From<PendingUpdate> for CheckResult {
    fn from(pending: PendingUpdate) -> Self {
        Self::Changed(Box::new(pending))
    }
}

impl FileUpdate {
    pub(super) fn is_unreadable(&self) -> bool {
        matches!(self.change, FileChange::Unreadable { .. })
    }
}

impl PendingUpdate {
    /// The same update without details; `None` if it has none to drop. Nothing is recorded, since the change itself is
    /// not reported.
    pub(super) fn without_details(self) -> Option<Self> {
        let update = self.update?;
        let mime_type = match update.change {
            FileChange::Pages(_) => "application/pdf",
            FileChange::Text { .. } | FileChange::WholeText { .. } => "text/plain",
            FileChange::Content { mime_type, reason: Some(_) } => mime_type,
            _ => return None,
        };
        let reason = Some("its changes are too long for this answer".to_owned());
        let update = Some(FileUpdate { change: FileChange::Content { mime_type, reason }, ..update });
        Some(Self { update, forget: Vec::new(), holdings: Vec::new(), text: None, ..self })
    }
}
