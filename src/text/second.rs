//! The second engine: unpdf, for pages on which the first misses characters.

use super::TextError;
use super::plain::plain;
use crate::limits::{LimitExceeded, Limits};
use unpdf::{ParseOptions, parse_bytes_with_options};

/// The text of a one-page PDF.
pub(super) fn chunk_text(chunk: &[u8], limits: &Limits) -> Result<String, TextError> {
    let options = ParseOptions::new().lenient().sequential().with_resources(false);
    let document = parse_bytes_with_options(chunk, options).map_err(|error| TextError::Unreadable {
        reason: error.to_string().chars().filter(|character| !character.is_control()).collect(),
    })?;
    let text = plain(&document.plain_text());
    let found = u64::try_from(text.len()).unwrap_or(u64::MAX);
    LimitExceeded::check("max_text_bytes", found, limits.max_text_bytes)?;
    Ok(text)
}
