//! Writes one page or several joined pages to a file, without a conversation, a store or a source hash.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use super::arguments::selected_pages;
use crate::context::{ContextError, OpenPdf, SelectedPages, select_page, write_whole};
use crate::tool::error::{self, ToolError};
use crate::worker::{PdfChunk, PdfError};
use pagewise_base::page::PageNumber;

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

/// Writes the one page of the selection `page` to `out`, atomically.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection, and errors of cutting and writing.
pub fn write_page(pdf: &OpenPdf, page: &str, out: &Path) -> Result<PageResult, ToolError> {
    let (page, note) = select_page(page, &*pdf.document)?;
    let page = page.number();
    let chunk = cut(pdf, page)?;
    write_chunk(&chunk, out)?;
    Ok(PageResult {
        file: out.to_owned(),
        page: page.get(),
        pages: pdf.document.page_count(),
        bytes: chunk.bytes.len(),
        blake3: chunk.blake3().to_string(),
        tier: chunk.tier,
        notes: note.into_iter().chain(chunk.notes).collect(),
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
    let SelectedPages { pages, note } = selected_pages(pdf, selection)?;
    let failed = |error: PdfError| ToolError::from(ContextError::Pdf { path: pdf.path.clone(), error });
    let chunk = pdf.document.join(&pages).map_err(failed)?;
    write_chunk(&chunk, out)?;
    Ok(JoinResult {
        file: out.to_owned(),
        page_numbers: pages.to_string(),
        joined: pages.len(),
        pages: pdf.document.page_count(),
        bytes: chunk.bytes.len(),
        blake3: chunk.blake3().to_string(),
        tier: chunk.tier,
        notes: note.into_iter().chain(chunk.notes).collect(),
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
    error::write_failed(out, error.kind())
}
