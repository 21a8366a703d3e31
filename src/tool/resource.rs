//! Pages as resources: the same address and bytes that `get_file` embeds.

use super::error::{ErrorCode, ToolError};
use crate::context::{Cancellation, ContextManager, DocumentBlock};
use crate::hash::ContentHash;
use crate::page::PageNumber;

/// The template of every page's address (RFC 6570).
pub const PAGE_URI_TEMPLATE: &str = "pagewise://{blake3}/page/{number}.pdf";

/// The address of a page in `resources/read` and in embedded resources.
#[must_use]
pub fn page_uri(document: &DocumentBlock) -> String {
    format!("pagewise://{}/page/{}.pdf", document.source, document.page)
}

/// The page at an address that an answer of this process named.
///
/// # Errors
/// `content_not_found` for what is no such address, a file not asked for before, or one that has changed since;
/// and every refusal of the file and the PDF.
pub fn read_page(context: &ContextManager, uri: &str, cancellation: &Cancellation) -> Result<Vec<u8>, ToolError> {
    let (content, page) = parse_page_uri(uri).ok_or_else(|| unknown(uri))?;
    let chunk = context.page_by_content(&content, page, cancellation)?;
    chunk.map(|chunk| chunk.bytes).ok_or_else(|| unknown(uri))
}

fn parse_page_uri(uri: &str) -> Option<(ContentHash, PageNumber)> {
    let (content, rest) = uri.strip_prefix("pagewise://")?.split_once("/page/")?;
    let number = rest.strip_suffix(".pdf")?.parse().ok()?;
    Some((content.parse().ok()?, PageNumber::new(number)?))
}

fn unknown(uri: &str) -> ToolError {
    ToolError::new(ErrorCode::ContentNotFound, format!("No page at {uri}"))
        .hint("Pages can be read of files that get_file was called for, as long as they do not change.")
}
