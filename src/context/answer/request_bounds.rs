//! How much one conversation may be sent.

use crate::context::phrases::{NEXT_WHEN_FULL_OF_BYTES, NEXT_WHEN_FULL_OF_MEDIA};
use pagewise_base::provider::strictest;
use pagewise_view::Usage;

/// How much one conversation may be sent. The defaults are what every provider with published limits accepts. Blocks
/// beyond them are refused, because a provider would then refuse every later request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestBounds {
    /// Media blocks. 100.
    pub max_media_blocks: u64,
    /// PDF pages among them. 100.
    pub max_pdf_pages: u64,
    /// Bytes, with media in base64. 32,000,000.
    pub max_request_bytes: u64,
}

impl Default for RequestBounds {
    fn default() -> Self {
        Self {
            max_media_blocks: strictest(|row| row.max_blocks),
            max_pdf_pages: strictest(|row| row.max_request_pages),
            max_request_bytes: strictest(|row| Some(row.max_request_bytes)),
        }
    }
}

/// A bound of [`RequestBounds`] that the next block would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{which} is {limit}, and {sent} were sent")]
pub struct BoundExceeded {
    /// The setting's name.
    pub which: &'static str,
    /// Its value.
    pub limit: u64,
    /// What was sent already.
    pub sent: u64,
    /// What the next block would add.
    pub more: u64,
}

impl BoundExceeded {
    /// Why there is a bound.
    pub const WHY: &'static str = "With more, a provider would refuse every later request of this conversation.";

    /// Why there is a bound, and what to do then.
    #[must_use]
    pub fn next(&self) -> String {
        let next = if self.which == BYTES { NEXT_WHEN_FULL_OF_BYTES } else { NEXT_WHEN_FULL_OF_MEDIA };
        format!("{} {next}", Self::WHY)
    }
}

/// The one bound that text counts against too.
const BYTES: &str = "max_conversation_bytes";

impl RequestBounds {
    /// `Ok` where `more` may follow what was `sent`.
    ///
    /// # Errors
    /// The first bound that would be exceeded.
    pub fn check(&self, sent: &Usage, more: &Usage) -> Result<(), BoundExceeded> {
        let bounds = [
            ("max_conversation_blocks", self.max_media_blocks, sent.blocks, more.blocks),
            ("max_conversation_pages", self.max_pdf_pages, sent.pages, more.pages),
            (BYTES, self.max_request_bytes, sent.bytes, more.bytes),
        ];
        let passed = bounds.into_iter().find(|(_, limit, sent, more)| *more > 0 && sent.saturating_add(*more) > *limit);
        passed.map_or(Ok(()), |(which, limit, sent, more)| Err(BoundExceeded { which, limit, sent, more }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_at_its_number_and_not_beyond() {
        let bounds = RequestBounds::default();
        let page = Usage { blocks: 1, pages: 1, bytes: 10, tokens: 0 };
        let sent = |blocks, pages, bytes| Usage { blocks, pages, bytes, tokens: 0 };
        assert_eq!(bounds.check(&sent(99, 99, 31_999_990), &page), Ok(()));
        let which = |sent| bounds.check(&sent, &page).map_err(|full| full.which);
        assert_eq!(which(sent(100, 0, 0)), Err("max_conversation_blocks"));
        assert_eq!(which(sent(0, 100, 0)), Err("max_conversation_pages"));
        assert_eq!(which(sent(0, 0, 31_999_991)), Err("max_conversation_bytes"));
        assert_eq!(
            bounds.check(&sent(100, 100, 0), &Usage { bytes: 10, ..Usage::default() }),
            Ok(()),
            "text still fits"
        );
    }
}
