//! What providers take in one request: data, with where it is written and when it was read.

use super::words::{NEXT_WHEN_FULL_OF_BYTES, NEXT_WHEN_FULL_OF_MEDIA};
use crate::store::Sent;

/// What one request to a provider may hold. A conversation's whole history is in each of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// Whose they are.
    pub provider: &'static str,
    /// Blocks with media, where there is a bound.
    pub max_media_blocks: Option<u64>,
    /// Pages of PDF, where there is a bound.
    pub max_pdf_pages: Option<u64>,
    /// Bytes, with media in base64.
    pub max_request_bytes: u64,
    /// Where it is written, and when it was read.
    pub source: &'static str,
}

/// The limits that are known, the strictest first.
pub const REQUEST_LIMITS: &[RequestLimits] = &[
    RequestLimits {
        provider: "anthropic, windows of 200,000 tokens",
        max_media_blocks: Some(100),
        max_pdf_pages: Some(100),
        max_request_bytes: 32_000_000,
        source: "Claude documentation, \"PDF support\" and \"Images and vision\", and the API's own refusals, 2026-11-21",
    },
    RequestLimits {
        provider: "anthropic, larger windows",
        max_media_blocks: Some(600),
        max_pdf_pages: Some(600),
        max_request_bytes: 32_000_000,
        source: "Claude documentation, \"PDF support\" and \"Images and vision\", 2026-11-21",
    },
    RequestLimits {
        provider: "gemini",
        max_media_blocks: None,
        max_pdf_pages: Some(1_000),
        max_request_bytes: 20_000_000,
        source: "Gemini API documentation, \"Document understanding\", and clients that send pages inline, 2026-11-21",
    },
    RequestLimits {
        provider: "openai",
        max_media_blocks: None,
        max_pdf_pages: None,
        max_request_bytes: 50_000_000,
        source: "OpenAI documentation, \"File inputs\", 2026-11-21",
    },
];

/// What one conversation may be sent; the strictest row of [`REQUEST_LIMITS`] but for Gemini's bytes, unless it is set
/// otherwise. What would go beyond is refused before it is sent: a provider would refuse every later request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestBounds {
    /// Media blocks. 100.
    pub max_media_blocks: u64,
    /// Pages of PDF among them. 100.
    pub max_pdf_pages: u64,
    /// Bytes, with media in base64. 32,000,000.
    pub max_request_bytes: u64,
}

impl Default for RequestBounds {
    fn default() -> Self {
        Self { max_media_blocks: 100, max_pdf_pages: 100, max_request_bytes: 32_000_000 }
    }
}

/// A bound of [`RequestBounds`] that would be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{which} is {limit}, and {sent} were sent")]
pub struct RequestFull {
    /// The setting's name.
    pub which: &'static str,
    /// Its value.
    pub limit: u64,
    /// What was sent already.
    pub sent: u64,
    /// What the next block would add.
    pub more: u64,
}

impl RequestFull {
    /// What to do then.
    #[must_use]
    pub fn next(&self) -> &'static str {
        if self.which == BYTES { NEXT_WHEN_FULL_OF_BYTES } else { NEXT_WHEN_FULL_OF_MEDIA }
    }
}

/// The setting that bounds what text has too.
const BYTES: &str = "max_conversation_bytes";

impl RequestBounds {
    /// `Ok` where `more` may follow what was `sent`.
    ///
    /// # Errors
    /// The first bound that would be passed.
    pub fn check(&self, sent: &Sent, more: &Sent) -> Result<(), RequestFull> {
        let bounds = [
            ("max_conversation_blocks", self.max_media_blocks, sent.blocks, more.blocks),
            ("max_conversation_pages", self.max_pdf_pages, sent.pages, more.pages),
            (BYTES, self.max_request_bytes, sent.bytes, more.bytes),
        ];
        let passed = bounds.into_iter().find(|(_, limit, sent, more)| *more > 0 && sent.saturating_add(*more) > *limit);
        passed.map_or(Ok(()), |(which, limit, sent, more)| Err(RequestFull { which, limit, sent, more }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_at_its_number_and_not_beyond() {
        let bounds = RequestBounds::default();
        let page = Sent { blocks: 1, pages: 1, bytes: 10, tokens: 0 };
        let sent = |blocks, pages, bytes| Sent { blocks, pages, bytes, tokens: 0 };
        assert_eq!(bounds.check(&sent(99, 99, 31_999_990), &page), Ok(()));
        let which = |sent| bounds.check(&sent, &page).map_err(|full| full.which);
        assert_eq!(which(sent(100, 0, 0)), Err("max_conversation_blocks"));
        assert_eq!(which(sent(0, 100, 0)), Err("max_conversation_pages"));
        assert_eq!(which(sent(0, 0, 31_999_991)), Err("max_conversation_bytes"));
        assert_eq!(bounds.check(&sent(100, 100, 0), &Sent { bytes: 10, ..Sent::default() }), Ok(()), "text still fits");
    }

    #[test]
    fn the_bounds_are_those_of_the_strictest_provider_by_blocks() {
        let (strictest, bounds) = (REQUEST_LIMITS.first(), RequestBounds::default());
        assert_eq!(strictest.and_then(|limits| limits.max_media_blocks), Some(bounds.max_media_blocks));
        assert_eq!(strictest.and_then(|limits| limits.max_pdf_pages), Some(bounds.max_pdf_pages));
        assert_eq!(strictest.map(|limits| limits.max_request_bytes), Some(bounds.max_request_bytes));
    }
}
