//! The budget of one answer.

use super::page::{BuiltPage, PageBody, byte_count};
use crate::context::answer::{BoundExceeded, RequestBounds, ResultBudget};
use crate::context::request::{AnswerSettings, FileRequest};
use pagewise_view::Usage;

/// What one answer may still use.
pub(crate) struct AnswerBudget {
    tokens: u64,
    bytes: u64,
    characters: usize,
    /// What is left of the whole result; `None` if it is unbounded.
    result: Option<ResultBudget>,
    /// Usage of the conversation including this answer; `None` without a conversation.
    sent: Option<Usage>,
    bounds: RequestBounds,
}

impl AnswerBudget {
    pub(crate) fn new(request: &FileRequest, settings: &AnswerSettings, sent: Option<Usage>) -> Self {
        Self {
            sent,
            bounds: settings.request_bounds,
            tokens: request.max_tokens.unwrap_or(u64::MAX),
            bytes: settings.max_answer_bytes,
            characters: settings.max_text_characters,
            result: request.max_result_bytes.map(ResultBudget::of),
        }
    }

    /// The provider bound that `page` would exceed, if any.
    pub(crate) fn exceeded_bound(&self, page: &BuiltPage) -> Option<BoundExceeded> {
        self.bounds.check(&self.sent?, &page.body.usage()).err()
    }

    /// Whether `page` fits. Takes its cost.
    ///
    /// The page counts as sent even if it does not fit: an answer ends with the first page that does not.
    pub(crate) fn try_take(&mut self, page: &BuiltPage) -> bool {
        let (bytes, text) = match &page.body {
            PageBody::Document { document, text } => (byte_count(&document.bytes), text.as_str()),
            PageBody::Text(text) => (0, text.as_str()),
            PageBody::Picture { text, image } => (byte_count(&image.bytes), text.as_str()),
        };
        let characters = text.chars().count();
        let in_result = self.result.as_mut().is_none_or(|result| result.try_take(bytes, text));
        if let Some(sent) = &mut self.sent {
            sent.add(page.body.usage());
        }
        let fits = in_result && page.tokens <= self.tokens && bytes <= self.bytes && characters <= self.characters;
        self.tokens = self.tokens.saturating_sub(page.tokens);
        self.bytes = self.bytes.saturating_sub(bytes);
        self.characters = self.characters.saturating_sub(characters);
        fits
    }
}
