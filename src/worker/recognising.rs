//! A document whose pages are recognised where they have no text of their own.
//!
//! It stands in for the document itself, so that every reader of texts, words and structures gets recognised pages in the
//! same way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::pages::{
    DocumentFacts, DocumentWants, FileJob, PageFacts, PageKind, PageSource, PageText, PageWants, Pages, PdfChunk,
    PdfError, RecognisedPage, Recognition,
};
use pagewise_base::limits::StopReason;
use pagewise_base::page::{PageIndex, PageSet};

/// When pages are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum OcrMode {
    /// Pages whose own text is not what a reader sees.
    #[default]
    Auto,
    /// Every page.
    Always,
    /// None.
    Never,
}

/// What the texts of pages were read from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OcrReport {
    /// The source of each page that was read.
    pub sources: BTreeMap<PageIndex, PageSource>,
    /// Pages that could not be recognised, by the reason.
    pub failures: BTreeMap<String, PageSet>,
    /// Pages beyond the budget.
    pub over_budget: PageSet,
}

impl OcrReport {
    /// The source of a page; its own text if it was not read.
    #[must_use]
    pub fn source_of(&self, page: PageIndex) -> PageSource {
        self.sources.get(&page).copied().unwrap_or(PageSource::Text)
    }

    /// The pages with a source.
    #[must_use]
    pub fn pages_of(&self, source: PageSource) -> PageSet {
        self.sources.iter().filter(|(_, own)| **own == source).map(|(page, _)| *page).collect()
    }
}

/// A document whose pages are recognised.
pub struct RecognisingDocument<'d> {
    document: &'d dyn Pages,
    mode: OcrMode,
    /// The pages that may be recognised.
    wanted: PageSet,
    state: Mutex<RecognitionState>,
}

struct RecognitionState {
    /// Pages that may still be recognised.
    budget: u64,
    /// Recognised pages; `None` for pages with text of their own.
    pages: BTreeMap<PageIndex, Option<Arc<RecognisedPage>>>,
    report: OcrReport,
    /// Hidden layers that say what their pictures show.
    good_layers: u32,
    /// Whether one says something else.
    has_bad_layer: bool,
}

/// A scan's layers are the work of one program: after so many good ones, the others are not compared.
const TRUSTED_LAYERS: u32 = 3;

impl RecognitionState {
    fn trusts_layers(&self) -> bool {
        self.good_layers >= TRUSTED_LAYERS && !self.has_bad_layer
    }

    fn judge_layer(&mut self, own: &PageText, is_good: bool) {
        if own.has_hidden_layer() {
            self.good_layers = self.good_layers.saturating_add(u32::from(is_good));
            self.has_bad_layer |= !is_good;
        }
    }
}

impl<'d> RecognisingDocument<'d> {
    /// Recognises as many of the `wanted` pages of a document as one call does.
    #[must_use]
    pub fn new(document: &'d dyn Pages, mode: OcrMode, wanted: PageSet) -> Self {
        Self::with_budget(document, mode, wanted, document.max_ocr_pages())
    }

    /// Recognises all of the `wanted` pages of a document.
    #[must_use]
    pub fn unbounded(document: &'d dyn Pages, mode: OcrMode, wanted: PageSet) -> Self {
        Self::with_budget(document, mode, wanted, u64::MAX)
    }

    fn with_budget(document: &'d dyn Pages, mode: OcrMode, wanted: PageSet, budget: u64) -> Self {
        let state = RecognitionState {
            budget,
            pages: BTreeMap::new(),
            report: OcrReport::default(),
            good_layers: 0,
            has_bad_layer: false,
        };
        Self { document, mode, wanted, state: Mutex::new(state) }
    }

    /// What the texts of the pages read so far come from.
    #[must_use]
    pub fn report(&self) -> OcrReport {
        self.state().report.clone()
    }

    /// A page that was recognised.
    #[must_use]
    pub fn recognised(&self, page: PageIndex) -> Option<Arc<RecognisedPage>> {
        self.state().pages.get(&page).cloned().flatten()
    }

    /// The recognised page; `None` if its own text is given.
    fn read(&self, page: PageIndex, own: &PageText) -> Result<Option<Arc<RecognisedPage>>, PdfError> {
        if let Some(known) = self.state().pages.get(&page) {
            return Ok(known.clone());
        }
        if !self.wanted.contains(page) {
            return Ok(None);
        }
        let (source, recognised) = self.recognise_page(page, own)?;
        let mut state = self.state();
        state.report.sources.insert(page, source);
        state.pages.insert(page, recognised.clone());
        Ok(recognised)
    }

    fn recognise_page(&self, page: PageIndex, own: &PageText) -> Result<SourcedPage, PdfError> {
        let is_wanted = match self.mode {
            OcrMode::Auto => own.is_doubtful(),
            OcrMode::Always => true,
            OcrMode::Never => false,
        };
        let is_trusted = own.has_hidden_layer() && self.state().trusts_layers();
        if !is_wanted || (is_trusted && self.mode == OcrMode::Auto) || !self.take_from_budget(page) {
            return Ok((source_of(own), None));
        }
        match self.document.recognise(page, self.mode == OcrMode::Always) {
            Ok(Recognition::OwnText) => {
                self.state().judge_layer(own, true);
                Ok((PageSource::Text, None))
            }
            Ok(Recognition::Page(recognised)) => {
                self.state().judge_layer(own, false);
                Ok((PageSource::Recognised, Some(Arc::from(recognised))))
            }
            Err(stopped @ PdfError::Stopped(StopReason::Cancelled)) => Err(stopped),
            Err(PdfError::NoEngine { .. }) if self.mode == OcrMode::Auto => Ok((source_of(own), None)),
            Err(error) => {
                self.state().report.failures.entry(error.to_string()).or_default().insert(page);
                Ok((source_of(own), None))
            }
        }
    }

    fn take_from_budget(&self, page: PageIndex) -> bool {
        let mut state = self.state();
        match state.budget.checked_sub(1) {
            Some(left) => state.budget = left,
            None => state.report.over_budget.insert(page),
        }
        !state.report.over_budget.contains(page)
    }

    fn state(&self) -> MutexGuard<'_, RecognitionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The source of a page, and the page if it was recognised.
type SourcedPage = (PageSource, Option<Arc<RecognisedPage>>);

/// The source of a page that is not recognised.
fn source_of(own: &PageText) -> PageSource {
    match own.kind {
        PageKind::Text | PageKind::Empty => PageSource::Text,
        PageKind::Picture | PageKind::Scan | PageKind::Undecodable => PageSource::Unread,
    }
}

impl Pages for RecognisingDocument<'_> {
    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        let facts = self.document.page(page, wants)?;
        let Some(own) = facts.text.as_ref().filter(|_| wants.reads_text()) else { return Ok(facts) };
        let Some(recognised) = self.read(page, own)? else { return Ok(facts) };
        let RecognisedPage { text, regions, words, .. } = &*recognised;
        Ok(Arc::new(PageFacts {
            text: Some(text.clone()),
            words: wants.words.then(|| words.clone()),
            structure: wants.structure.then(|| regions.clone()),
            ..PageFacts::clone(&facts)
        }))
    }

    fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    fn is_remote(&self) -> bool {
        self.document.is_remote()
    }

    fn max_ocr_pages(&self) -> u64 {
        self.document.max_ocr_pages()
    }

    fn facts(&self, wants: &DocumentWants) -> DocumentFacts {
        self.document.facts(wants)
    }

    fn make(&self, job: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
        self.document.make(job)
    }

    fn notes(&self) -> Vec<String> {
        self.document.notes()
    }
}
