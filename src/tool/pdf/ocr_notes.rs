//! What an answer says of recognition: the sources of its pages, and the words in their boxes.

use serde::Serialize;

use super::boxes::edges_of;
use super::extracted_page::WordInBox;
use crate::worker::{OcrReport, PageSource, Pages, RecognisingDocument};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::PlacedWord;

/// The most words of a page that are listed.
const MAX_WORDS: usize = 20_000;

/// How the tools and commands that take pages are asked for the rest.
pub(super) fn next_pages(rest: &PageSet) -> String {
    format!("Next call with pages: \"{rest}\".")
}

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
