//! The text of a document, as an index takes it.

use crate::context::folder::why_not_read;
use crate::worker::{OcrMode, PageKind, PageSource, Pages, PdfError, RecognisingDocument, RecognitionBudget};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::DocumentInfo;
use pagewise_library::{DocumentText, OutlineTitle, PageTextToIndex, date_of_text};

/// Outline titles of one document.
const MAX_TITLES: usize = 20_000;

/// Why the text of a document was not read.
pub(super) enum NotRead {
    /// For the same file, it will fail again.
    Unreadable(String),
    /// Another time it may be read.
    NotNow,
}

impl From<PdfError> for NotRead {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::Stopped(pagewise_base::limits::StopReason::Cancelled) => Self::NotNow,
            PdfError::Worker(error) if error.is_passing() => Self::NotNow,
            error => Self::Unreadable(why_not_read(&error).to_owned()),
        }
    }
}

/// Reads all pages until there are `max_bytes` of text, and recognises those that need it as far as the budget goes. A page
/// that fails alone has no text.
pub(super) fn document_text(
    document: &dyn Pages,
    max_bytes: u64,
    mode: OcrMode,
    budget: &RecognitionBudget,
) -> Result<DocumentText, NotRead> {
    let document = RecognisingDocument::new(document, mode, PageSet::all(document.page_count()), budget);
    let outline = document
        .outline(MAX_TITLES)
        .items
        .into_iter()
        .filter_map(|item| Some(OutlineTitle { page: item.page?.0, depth: item.depth, title: item.title }));
    let info = document.info();
    let date = document_date(&info);
    let outline = outline.collect();
    let mut text = DocumentText { title: info.title, date, outline, ..DocumentText::default() };
    let mut left = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    for page in (0..document.page_count()).map(PageIndex) {
        if left == 0 {
            text.unread_pages = document.page_count() - page.0;
            break;
        }
        let read = page_text(&document, page)?;
        left = left.saturating_sub(read.as_ref().map_or(0, String::len));
        let label = document.page_label(page).map(|label| label.0).filter(|label| *label != page.number().to_string());
        text.pages.push(PageTextToIndex { label, text: read });
    }
    let report = document.report();
    let left = match mode {
        OcrMode::Never => report.pages_of(PageSource::Unread),
        OcrMode::Auto | OcrMode::Always => report.over_pages.iter().chain(report.over_time.iter()).collect(),
    };
    text.unrecognised = u32::try_from(left.len()).unwrap_or(u32::MAX);
    Ok(text)
}

/// The date of the last change that a document gives or, without one, that of its creation.
pub(in crate::context) fn document_date(info: &DocumentInfo) -> Option<u32> {
    info.modified.as_ref().or(info.created.as_ref()).and_then(|date| date_of_text(date))
}

fn page_text(document: &dyn Pages, page: PageIndex) -> Result<Option<String>, NotRead> {
    match document.page_text(page) {
        Ok(text) if text.kind == PageKind::Empty => Ok(Some(String::new())),
        Ok(text) => Ok(Some(text.text).filter(|one| text.kind != PageKind::Undecodable && !one.is_empty())),
        Err(error) => match NotRead::from(error) {
            NotRead::NotNow => Err(NotRead::NotNow),
            NotRead::Unreadable(_) => Ok(None),
        },
    }
}
