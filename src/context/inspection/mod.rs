//! What people see of conversations: what was given of a file, what became of the file, and what its pages say.
//!
//! Nothing here records or forgets, and no web server is asked.

mod file;
mod page;
mod words;

pub use self::file::{FileInspection, FileState, HeldRun};
pub use self::page::{PageInspection, inspect_page};
pub use self::words::{TextSegment, WordComparison, compare_words};

use std::collections::BTreeMap;

use super::{ContextError, ContextManager, OpenPdf, Requester, mint_handle};
use crate::source::is_url;
use pagewise_base::limits::Cancellation;
use pagewise_store::{ConversationHistory, ConversationRecord};
use pagewise_view::{ConversationId, FileKey, Principal};

impl ContextManager {
    /// The conversations of `owner`, or all of them, those used last first.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn conversations(&self, owner: Option<&Principal>) -> Result<Vec<ConversationRecord>, ContextError> {
        let mut records = self.cache.store().conversations()?;
        records.retain(|record| owner.is_none_or(|owner| record.head.owner == Some(*owner)));
        Ok(records)
    }

    /// The record of a conversation; `None` if the store has no such conversation.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn conversation_record(&self, id: &ConversationId) -> Result<Option<ConversationRecord>, ContextError> {
        Ok(self.cache.store().describe(id)?)
    }

    /// What happened in a conversation. Empty if the store keeps nothing of it.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, ContextError> {
        Ok(self.cache.store().history(conversation)?)
    }

    /// The files that a conversation neither holds nor follows, and of which it had pages forgotten, with their paths.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn forgotten_files(
        &self,
        conversation: &ConversationId,
        history: &ConversationHistory,
    ) -> Result<BTreeMap<FileKey, String>, ContextError> {
        let view = self.cache.open(conversation)?.view;
        let is_gone = |file: &&FileKey| view.last_reported_content(file).is_none();
        let files: Vec<FileKey> = history.forgotten.keys().filter(is_gone).copied().collect();
        Ok(self.cache.store().file_names(&files)?)
    }

    /// The path of a file that a conversation holds, follows or had forgotten. `None` for another file, or if the path is
    /// not known.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn held_path(&self, conversation: &ConversationId, file: FileKey) -> Result<Option<String>, ContextError> {
        let is_held = self.cache.open(conversation)?.view.last_reported_content(&file).is_some();
        if !is_held && !self.history(conversation)?.forgotten.contains_key(&file) {
            return Ok(None);
        }
        Ok(self.cache.store().file_names(&[file])?.remove(&file))
    }

    /// A PDF that a conversation holds, follows or had forgotten, as it is now. `None` for any other file, and for one from the web.
    ///
    /// # Errors
    /// [`ContextError::Store`], and every refusal of the file and of the reader.
    pub fn open_held_pdf(
        &self,
        conversation: &ConversationId,
        file: FileKey,
        cancellation: &Cancellation,
    ) -> Result<Option<OpenPdf>, ContextError> {
        let path = self.held_path(conversation, file)?.filter(|path| !is_url(path));
        // A path that did not survive being stored leads to another file.
        let path = path.filter(|path| self.sources.key(path).is_ok_and(|key| key == file));
        let requester = Requester::of(conversation, cancellation);
        path.map(|path| self.open_pdf_for(&path, None, requester)).transpose()
    }
}

/// A secret of 128 random bits, in hexadecimal digits.
///
/// # Errors
/// [`ContextError::Random`].
pub fn random_secret() -> Result<String, ContextError> {
    Ok(mint_handle()?.as_str().trim_start_matches("conv_").to_owned())
}
