//! The APIs that content blocks are made for.

use crate::context::RequestBounds;
use crate::provider::ProviderLimits;
use crate::tool::EmitFormat;

/// An API of a provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic, Messages.
    Anthropic,
    /// OpenAI, Responses.
    OpenAi,
    /// Gemini, `generateContent`.
    Gemini,
}

impl Api {
    pub(super) fn format(self) -> EmitFormat {
        match self {
            Self::Anthropic => EmitFormat::Anthropic,
            Self::OpenAi => EmitFormat::OpenAi,
            Self::Gemini => EmitFormat::Gemini,
        }
    }

    /// What one request to `model` may hold, which bounds what a conversation is sent.
    pub(super) fn request_bounds(self, model: &str) -> RequestBounds {
        let provider = match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "google",
        };
        let limits = ProviderLimits::of(provider, model);
        RequestBounds {
            max_media_blocks: limits.max_blocks.unwrap_or(u64::MAX),
            max_pdf_pages: limits.max_request_pages.unwrap_or(u64::MAX),
            max_request_bytes: limits.max_request_bytes,
        }
    }
}
