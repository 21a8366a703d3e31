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

/// Reads the pages in order until there are `max_bytes` of text. A page that fails alone has no text. If the index has the
/// document, `known` are its pages: only those left to recognition are read again, and recognised as far as the budget goes.
pub(super) fn document_text(
    document: &dyn Pages,
    max_bytes: u64,
    known: Vec<PageTextToIndex>,
    budget: &RecognitionBudget,
) -> Result<DocumentText, NotRead> {
    let mode = if known.is_empty() { OcrMode::Never } else { OcrMode::Auto };
    let document = RecognisingDocument::new(document, mode, PageSet::all(document.page_count()), budget);
    let mut known = known.into_iter();
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
        let mut read = match known.next().filter(|known| !known.is_left) {
            Some(known) => known,
            None => page_text(&document, page)?,
        };
        left = left.saturating_sub(read.text.as_ref().map_or(0, String::len));
        let label = document.page_label(page).map(|label| label.0);
        read.label = label.filter(|label| *label != page.number().to_string());
        text.pages.push(read);
    }
    let report = document.report();
    let left = match mode {
        OcrMode::Never => report.pages_of(PageSource::Unread),
        OcrMode::Auto | OcrMode::Always => report.over_pages.iter().chain(report.over_time.iter()).collect(),
    };
    (0..).map(PageIndex).zip(&mut text.pages).for_each(|(page, own)| own.is_left = left.contains(page));
    Ok(text)
}

/// The date of the last change that a document gives or, without one, that of its creation.
pub(in crate::context) fn document_date(info: &DocumentInfo) -> Option<u32> {
    info.modified.as_ref().or(info.created.as_ref()).and_then(|date| date_of_text(date))
}

fn page_text(document: &dyn Pages, page: PageIndex) -> Result<PageTextToIndex, NotRead> {
    let read = match document.page_text(page) {
        Ok(read) => read,
        Err(error) => match NotRead::from(error) {
            NotRead::NotNow => return Err(NotRead::NotNow),
            NotRead::Unreadable(_) => return Ok(PageTextToIndex::default()),
        },
    };
    let (is_recognised, is_empty) = (read.is_recognised(), read.kind == PageKind::Empty);
    let is_usable = read.kind != PageKind::Undecodable && !read.text.is_empty();
    let text = if is_empty { Some(String::new()) } else { Some(read.text).filter(|_| is_usable) };
    Ok(PageTextToIndex { text, is_recognised, ..PageTextToIndex::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::recognising::tests::Scans;

    #[test]
    fn pages_left_to_recognition_are_read_again_and_the_others_stay_as_they_are() {
        let read = |known| document_text(&Scans, 1 << 20, known, &RecognitionBudget::of_search());
        let count =
            |pages: &[PageTextToIndex], is: fn(&PageTextToIndex) -> bool| pages.iter().filter(|own| is(own)).count();
        let mut pages = Vec::new();
        let mut left = Vec::new();
        for _ in 0..6 {
            pages = read(pages).map(|text| text.pages).unwrap_or_default();
            left.push(count(&pages, |page| page.is_left));
        }
        // Nine pages, and a budget of two for each call.
        assert_eq!(left, [9, 7, 5, 3, 1, 0]);
        assert_eq!(count(&pages, |page| page.is_recognised && page.text.as_deref() == Some("words of a scan")), 9);
    }
}
