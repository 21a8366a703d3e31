//! A question to a model, independent of any provider.

use bytes::Bytes;

/// One part of a question. The prompt follows the last part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionPart {
    /// A PDF.
    Document {
        /// The file's bytes.
        bytes: Bytes,
        /// Its title, for protocols that have one.
        title: String,
        /// A file name, for protocols that need one.
        file_name: String,
    },
    /// Text extracted from a PDF.
    Text(String),
    /// A picture of a page, as PNG.
    Picture(Bytes),
}

impl QuestionPart {
    /// Bytes of its data, before base64 and JSON.
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
    /// The question to answer.
    pub prompt: String,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelReply {
    /// The answer.
    pub text: String,
    /// What it cost.
    pub usage: TokenUsage,
    /// Whether the provider cut the answer at its length limit.
    pub is_cut: bool,
}

/// Token counts, as the provider reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens of the question, including cached ones.
    pub input: Option<u64>,
    /// Tokens of the answer, including reasoning.
    pub output: Option<u64>,
    /// Tokens of the question that came from the provider's cache.
    pub cached: Option<u64>,
}

/// Receives an answer while it is streamed.
pub trait ReplyListener: Sync {
    /// More of the answer.
    fn text(&self, more: &str);

    /// Discards what was received so far: the model failed, and another one is asked.
    fn discard(&self);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoReplyListener;

impl ReplyListener for NoReplyListener {
    fn text(&self, _: &str) {}

    fn discard(&self) {}
}
