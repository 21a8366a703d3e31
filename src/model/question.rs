//! What a model is asked, in no provider's shape yet.

use bytes::Bytes;

/// One piece of a question. The prompt follows the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionPart {
    /// A PDF.
    Document {
        /// The file's bytes.
        bytes: Bytes,
        /// What it is, for models that are told.
        title: String,
        /// A file name, for protocols that want one.
        file_name: String,
    },
    /// Text out of a PDF.
    Text(String),
    /// A picture of a page, as PNG.
    Picture(Bytes),
}

impl QuestionPart {
    /// Bytes of its data, before they are written as base64 or JSON.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Document { bytes, .. } | Self::Picture(bytes) => bytes.len() as u64,
            Self::Text(text) => text.len() as u64,
        }
    }
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Documents, texts and pictures, in order.
    pub parts: Vec<QuestionPart>,
    /// What is wanted of them.
    pub prompt: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelReply {
    /// The answer.
    pub text: String,
    /// What it cost.
    pub usage: TokenUsage,
    /// Whether the provider ended the answer before the model did, by its bound on the length of answers.
    pub is_cut: bool,
}

/// Tokens, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens of the question, cached ones too.
    pub input: Option<u64>,
    /// Tokens of the answer, with what the model thought.
    pub output: Option<u64>,
    /// Tokens of the question that the provider had cached.
    pub cached: Option<u64>,
}

/// Told of an answer while it comes.
pub trait ReplyListener: Sync {
    /// More of the answer.
    fn text(&self, more: &str);

    /// What was told so far is void: the model failed, and another is asked.
    fn void(&self);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoReplyListener;

impl ReplyListener for NoReplyListener {
    fn text(&self, _: &str) {}

    fn void(&self) {}
}
