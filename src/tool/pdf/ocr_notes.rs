//! What an answer says of recognition: the sources of its pages, and the words in their boxes.

use serde::Serialize;

use super::boxes::edges_of;
use super::extracted_page::WordInBox;
use crate::context::{OcrReport, PageSource, Pages, PlacedWord, RecognisingDocument, page_or_pages};
use crate::page::PageIndex;

/// The most words of a page that are listed.
const MAX_WORDS: usize = 20_000;

/// How many pages were read from what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SourceCounts {
    /// Pages with text of their own.
    pub text: u64,
    /// Pages whose pictures were read.
    pub recognised: u64,
    /// Pages that have no text of their own and were not recognised.
    pub unread: u64,
}

impl SourceCounts {
    pub(super) fn of(report: &OcrReport) -> Self {
        let count = |source| report.pages_of(source).len();
        Self {
            text: count(PageSource::Text),
            recognised: count(PageSource::Recognised),
            unread: count(PageSource::Unread),
        }
    }
}

/// What a reader should know of the sources of pages, unless all have text of their own.
pub(super) fn ocr_notes(report: &OcrReport) -> Vec<String> {
    let mut notes = Vec::new();
    let SourceCounts { text, recognised, unread } = SourceCounts::of(report);
    if recognised > 0 {
        notes.push(format!("Pages with text: {text}, recognised: {recognised}, unread: {unread}."));
    }
    for (reason, pages) in &report.failures {
        notes.push(format!("Not recognised: {}: {reason}", page_or_pages(pages)));
    }
    if !report.over_budget.is_empty() {
        let pages = &report.over_budget;
        notes.push(format!(
            "Not recognised, since one call recognises only so many: {}. Next call with pages: \"{pages}\".",
            page_or_pages(pages)
        ));
    }
    notes
}

/// The words of a page in their boxes.
pub(super) fn words_in_boxes(document: &RecognisingDocument<'_>, page: PageIndex) -> Vec<WordInBox> {
    let Ok((_, words)) = document.page_words(page) else { return Vec::new() };
    let confidences = document.recognised(page).map(|recognised| recognised.confidences.clone()).unwrap_or_default();
    let confidences = confidences.into_iter().map(Some).chain(std::iter::repeat(None));
    let word = |(word, confidence): (PlacedWord, Option<f32>)| WordInBox {
        text: word.text,
        bbox: edges_of(word.bounds),
        confidence: confidence.map_or(1.0, |confidence| (f64::from(confidence) * 100.0).round() / 100.0),
    };
    words.words.into_iter().zip(confidences).take(MAX_WORDS).map(word).collect()
}
