//! Writes a PDF with the text of its scans, for the command line.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::selected_pages;
use super::ocr_notes::{SourceCounts, next_pages};
use super::page::write_failed;
use crate::context::{ContextError, OpenPdf, ProgressListener, SelectedPages, ocr_notes, page_or_pages, write_whole};
use crate::tool::error::{ErrorCode, ToolError};
use crate::worker::{OcrMode, PageSource, Pages, PdfError, RecognisingDocument, RecognitionBudget};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;
use pagewise_document::{LayerWord, PageLayer};
use pagewise_text::PlacedWord;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextLayerResult {
    /// The file written.
    pub file: PathBuf,
    /// Pages of the document.
    pub pages: u32,
    /// Where the text of the selected pages is from. Recognised pages have a new layer.
    pub sources: SourceCounts,
    /// Bytes written.
    pub bytes: usize,
    /// blake3 of the bytes written.
    pub blake3: String,
    /// Notes on pages that were not recognised.
    pub notes: Vec<String>,
}

/// Recognises the selected pages, or all, and writes the document with their text behind the pictures, atomically.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection, `encrypted` for an encrypted document, `pdf_error` without an engine,
/// and errors of reading and writing. Nothing is written if a call is stopped.
pub fn write_text_layer(
    pdf: &OpenPdf,
    selection: Option<&str>,
    mode: OcrMode,
    out: &Path,
    progress: &dyn ProgressListener,
) -> Result<TextLayerResult, ToolError> {
    let failed = |error: PdfError| ToolError::from(ContextError::Pdf { path: pdf.path.clone(), error });
    let SelectedPages { pages, note } = selected_pages(pdf, selection)?;
    if pdf.document.info().encrypted {
        let message = format!("{} is encrypted: text cannot be added to an encrypted PDF", pdf.path);
        return Err(ToolError::new(ErrorCode::Encrypted, message));
    }
    let budget = RecognitionBudget::unbounded();
    let document = RecognisingDocument::new(&*pdf.document, mode, pages.clone(), &budget);
    progress.starts(pages.len());
    let mut layers = Vec::new();
    for page in pages.iter() {
        pdf.check()?;
        document.page_text(page).map_err(failed)?;
        layers.extend(layer_of(&document, page));
        progress.page_done();
    }
    let report = document.report();
    if report.lacks_engine() {
        let unread = page_or_pages(&report.pages_of(PageSource::Unread));
        let message = format!("OCR is not available: {unread} of {} cannot be read", pdf.path);
        return Err(ToolError::new(ErrorCode::PdfError, message).hint("pagewise doctor says how to get it."));
    }
    let file = pdf.document.with_text_layer(&layers).map_err(failed)?;
    write_whole(out, &file).map_err(|error| write_failed(out, &error))?;
    Ok(TextLayerResult {
        file: out.to_owned(),
        pages: pdf.document.page_count(),
        sources: SourceCounts::of(&report),
        bytes: file.len(),
        blake3: ContentHash::of(&file).to_string(),
        notes: note.into_iter().chain(ocr_notes(&report, next_pages)).collect(),
    })
}

/// The words of a page, if it was recognised.
fn layer_of(document: &RecognisingDocument<'_>, page: PageIndex) -> Option<PageLayer> {
    let recognised = document.recognised(page)?;
    let words: Vec<LayerWord> = recognised.words.words.iter().map(layer_word).collect();
    (!words.is_empty()).then_some((page, words))
}

fn layer_word(word: &PlacedWord) -> LayerWord {
    let [left, top, right, bottom] = word.bounds.edges().map(f64::from);
    let baseline = f64::from(word.baseline);
    let (origin, length) = match word.turn {
        46..=135 => ([baseline, top], bottom - top),
        136..=225 => ([right, baseline], right - left),
        226..=315 => ([baseline, bottom], bottom - top),
        _ => ([left, baseline], right - left),
    };
    let turn = f64::from(word.turn);
    LayerWord { text: word.text.clone(), origin, turn, length, size: f64::from(word.size) }
}
