//! Makes a segment of the texts of documents.

use std::collections::HashMap;
use std::io::Write;

use super::compression::TextCompressor;
use super::details::{DocumentDetails, MAX_TITLES};
use super::error::SegmentError;
use super::postings::{MAX_IMPACT, Posting, PostingsBuilder};
use super::term_hash::term_hash;
use super::writer::SegmentWriter;
use crate::analysis::{Occurrence, PageTerms, RunningLines, Stemmer, mark_lines};
use crate::ranking::impact;
use pagewise_base::hash::ContentHash;
use pagewise_text::lists_pages;

/// Bytes of a document that its language is judged by.
const SAMPLE_BYTES: usize = 8000;

/// Bytes of a title that are kept.
const MAX_TITLE_BYTES: usize = 300;

/// A document as it is indexed.
#[derive(Debug, Clone, Default)]
pub struct DocumentText {
    /// `/Title`, if it has one.
    pub title: Option<String>,
    /// The date that it gives, as a number like 20240301.
    pub date: Option<u32>,
    /// The outline in its order.
    pub outline: Vec<OutlineTitle>,
    /// The pages in order, from the first on.
    pub pages: Vec<PageTextToIndex>,
    /// Pages after these, which were not read since the document has too much text.
    pub unread_pages: u32,
}

/// A page as it is indexed.
#[derive(Debug, Clone, Default)]
pub struct PageTextToIndex {
    /// The printed label, if it differs from the number.
    pub label: Option<String>,
    /// Its text; `None` if it has none that can be used.
    pub text: Option<String>,
}

/// An entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineTitle {
    /// The page that the section begins on, from 0.
    pub page: u32,
    /// The level, from 0.
    pub depth: u32,
    pub title: String,
}

/// Collects documents for one segment. Texts are written at once, postings at the end.
pub struct SegmentBuilder<W> {
    writer: SegmentWriter<W>,
    compressor: TextCompressor,
    terms: HashMap<u64, PostingsBuilder>,
    languages: u32,
    text_bytes: usize,
}

impl<W: Write> SegmentBuilder<W> {
    /// Writes to `out`.
    pub fn new(out: W) -> Self {
        let (writer, compressor) = (SegmentWriter::new(out), TextCompressor::new());
        Self { writer, compressor, terms: HashMap::new(), languages: 0, text_bytes: 0 }
    }

    /// Bytes of all texts so far.
    pub fn text_bytes(&self) -> usize {
        self.text_bytes
    }

    /// Adds a document.
    ///
    /// # Errors
    /// [`SegmentError::TooLarge`], and errors of the output.
    pub fn add(&mut self, content: ContentHash, document: &DocumentText) -> Result<(), SegmentError> {
        let stemmer = Stemmer::for_text(&sample(document));
        self.languages |= stemmer.bit();
        let texts = document.pages.iter().map(|page| page.text.as_deref().unwrap_or_default()).collect::<Vec<_>>();
        let running = RunningLines::of(&texts);
        let mut titles = titles_by_page(document);
        let first = self.writer.page_count();
        for (at, page) in document.pages.iter().enumerate() {
            let text = page.text.as_deref().unwrap_or_default();
            let headings = u32::try_from(at).ok().and_then(|at| titles.remove(&at)).unwrap_or_default();
            let marked = mark_lines(text, &headings, &running, at);
            self.page(page.label.as_deref().unwrap_or_default(), &marked, &stemmer)?;
        }
        let details = details_of(document, stemmer.code()).encode();
        self.writer.document(content, first, &self.compressor.compress(&details)?)
    }

    fn page(&mut self, label: &str, marked: &str, stemmer: &Stemmer) -> Result<(), SegmentError> {
        let is_contents = lists_pages(marked);
        let page = self.writer.page_count();
        let terms = PageTerms::of(marked, is_contents, stemmer);
        for (key, occurrence) in &terms.terms {
            let posting = posting(page, *occurrence, terms.words);
            self.terms.entry(term_hash(key)).or_default().push(posting);
        }
        let label = label.replace(char::is_control, " ");
        let text = if label.is_empty() && marked.is_empty() { String::new() } else { format!("{label}\n{marked}") };
        self.text_bytes += text.len();
        self.writer.page(&self.compressor.compress(text.as_bytes())?, is_contents)
    }

    /// Writes the postings and ends the segment.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn finish(self) -> Result<W, SegmentError> {
        let Self { mut writer, terms, languages, .. } = self;
        writer.begin_postings();
        let mut terms = terms.into_iter().collect::<Vec<_>>();
        terms.sort_unstable_by_key(|(hash, _)| *hash);
        for (hash, postings) in &terms {
            writer.postings(*hash, postings)?;
        }
        writer.finish(languages)
    }
}

fn posting(page: u32, occurrence: Occurrence, words: u32) -> Posting {
    Posting { page, impact: impact(occurrence, words).clamp(1, MAX_IMPACT), passages: occurrence.passages }
}

fn sample(document: &DocumentText) -> String {
    let mut sample = String::new();
    for text in document.pages.iter().filter_map(|page| page.text.as_deref()) {
        if sample.len() > SAMPLE_BYTES {
            break;
        }
        sample.push_str(text);
    }
    sample
}

fn titles_by_page(document: &DocumentText) -> HashMap<u32, Vec<&str>> {
    let mut titles: HashMap<u32, Vec<&str>> = HashMap::new();
    for title in document.outline.iter().take(MAX_TITLES) {
        titles.entry(title.page).or_default().push(&title.title);
    }
    titles
}

fn details_of(document: &DocumentText, language: &'static str) -> DocumentDetails {
    let outline = document.outline.iter().take(MAX_TITLES);
    let without_text = (0_u32..).zip(&document.pages).filter(|(_, page)| page.text.is_none());
    DocumentDetails {
        title: cut(document.title.as_deref().unwrap_or_default()),
        language,
        outline: outline.map(|title| (title.page, title.depth, cut(&title.title))).collect(),
        without_text: without_text.map(|(page, _)| page).collect(),
    }
}

fn cut(title: &str) -> String {
    let end = title.floor_char_boundary(MAX_TITLE_BYTES);
    title.get(..end).unwrap_or_default().to_owned()
}
