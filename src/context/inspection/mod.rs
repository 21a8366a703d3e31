//! What people see of conversations: what was given of a file, what became of the file, and what its pages say.
//!
//! Nothing here records or forgets, and no web server is asked.

mod file;
mod page;
mod words;

pub use self::file::{FileInspection, FileState, HeldRun};
pub use self::page::{PageInspection, inspect_page};
pub use self::words::{TextSegment, WordComparison, compare_words};
pub(crate) use self::words::{WordOperation, word_operations};

use std::sync::Arc;

use super::{ContextError, ContextManager, OpenPdf, Requester, mint_handle};
use crate::source::is_url;
use pagewise_base::limits::Cancellation;
use pagewise_store::ConversationRecord;
use pagewise_view::{Conversation, ConversationId, FileKey, Principal};

impl ContextManager {
    /// The conversations of `owner`, or all of them, those used last first.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn conversations(&self, owner: Option<&Principal>) -> Result<Vec<ConversationRecord>, ContextError> {
        let mut records = self.cache.store().list()?;
        records.retain(|record| owner.is_none_or(|owner| record.head.owner == Some(*owner)));
        Ok(records)
    }

    /// A conversation, with what happened in it; `None` if the store has no such conversation.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn conversation(&self, id: &ConversationId) -> Result<Option<Arc<Conversation>>, ContextError> {
        let conversation = self.cache.open(id)?;
        Ok(conversation.is_known().then_some(conversation))
    }

    /// The path of a file that a conversation holds, follows or had forgotten. `None` for another file, or if the path is
    /// not known.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn held_path(&self, conversation: &ConversationId, file: FileKey) -> Result<Option<String>, ContextError> {
        Ok(self.cache.open(conversation)?.names.get(&file).cloned())
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
