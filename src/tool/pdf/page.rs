//! Writes one page or several joined pages to a file, without a conversation, a store or a source hash.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use crate::context::{ContextError, OpenPdf, PdfChunk, PdfError, select_pages, write_whole};
use crate::hash::ContentHash;
use crate::page::{PageNumber, PageSet};
use crate::tool::error::{ErrorCode, ToolError};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageResult {
    /// The file written.
    pub file: PathBuf,
    /// The page's 1-based number.
    pub page: u32,
    /// Pages of the document.
    pub pages: u32,
    /// Bytes written.
    pub bytes: usize,
    /// blake3 of the bytes written.
    pub blake3: String,
    /// The reader tier that cut the page.
    pub tier: String,
    /// Notes on what was left out, and on damage.
    pub notes: Vec<String>,
}

/// Writes page `number` of `pdf` to `out`, atomically.
///
/// # Errors
/// `validation_error` if `number` is not a number, `invalid_page` if it is out of range, and errors of cutting and
/// writing.
pub fn write_page(pdf: &OpenPdf, number: &str, out: &Path) -> Result<PageResult, ToolError> {
    let page = page_number(pdf, number)?;
    let chunk = cut(pdf, page)?;
    write_chunk(&chunk, out)?;
    Ok(PageResult {
        file: out.to_owned(),
        page: page.get(),
        pages: pdf.document.page_count(),
        bytes: chunk.bytes.len(),
        blake3: ContentHash::of(&chunk.bytes).to_string(),
        tier: chunk.tier,
        notes: chunk.notes,
    })
}

/// What was written of several pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinResult {
    /// The file written.
    pub file: PathBuf,
    /// The 1-based page numbers, as a selection: `2-4,7`.
    #[serde(rename = "pageNumbers")]
    pub page_numbers: String,
    /// How many they are.
    pub joined: u64,
    /// Pages of the document.
    pub pages: u32,
    /// Bytes written.
    pub bytes: usize,
    /// blake3 of the bytes written.
    pub blake3: String,
    /// The reader tier that cut the pages.
    pub tier: String,
    /// Notes on what was left out, and on damage.
    pub notes: Vec<String>,
}

/// Writes the pages of `selection`, or all pages, as one PDF to `out`, atomically.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection, and errors of cutting, joining and writing.
pub fn write_joined(pdf: &OpenPdf, selection: Option<&str>, out: &Path) -> Result<JoinResult, ToolError> {
    let page_count = pdf.document.page_count();
    let pages = match selection {
        Some(selection) => select_pages(selection, page_count)?,
        None => PageSet::all(page_count),
    };
    let failed = |error: PdfError| ToolError::from(ContextError::Pdf { path: pdf.path.clone(), error });
    let chunk = pdf.document.join(&pages).map_err(failed)?;
    write_chunk(&chunk, out)?;
    Ok(JoinResult {
        file: out.to_owned(),
        page_numbers: pages.to_string(),
        joined: pages.len(),
        pages: page_count,
        bytes: chunk.bytes.len(),
        blake3: ContentHash::of(&chunk.bytes).to_string(),
        tier: chunk.tier,
        notes: chunk.notes,
    })
}

pub(crate) fn cut(pdf: &OpenPdf, page: PageNumber) -> Result<PdfChunk, ToolError> {
    let failed = |error: PdfError| ToolError::from(ContextError::Pdf { path: pdf.path.clone(), error });
    pdf.document.cut(page.index()).map_err(failed).map_err(|error| error.with("page", json!(page.get())))
}

pub(crate) fn write_chunk(chunk: &PdfChunk, out: &Path) -> Result<(), ToolError> {
    write_whole(out, &chunk.bytes).map_err(|error| write_failed(out, &error))
}

pub(crate) fn write_failed(out: &Path, error: &std::io::Error) -> ToolError {
    ToolError::new(ErrorCode::WriteFailed, format!("Cannot write file: {} ({})", out.display(), error.kind()))
}

fn page_number(pdf: &OpenPdf, number: &str) -> Result<PageNumber, ToolError> {
    let page_count = pdf.document.page_count();
    let Ok(wide) = number.trim().parse::<i128>() else {
        return Err(ToolError::validation("Parameter 'NUMBER' must be a whole number, 1 or more"));
    };
    let in_range = u32::try_from(wide).ok().filter(|number| *number <= page_count).and_then(PageNumber::new);
    in_range
        .ok_or_else(|| ToolError::from(ContextError::PageOutOfRange { number: wide, page_count, is_zero_based: false }))
}
