//! A document whose pages are recognised where they have no text of their own.
//!
//! It stands in for the document itself, so that every reader of texts, words and structures gets recognised pages in the
//! same way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::pages::{
    DocumentFacts, DocumentWants, FileJob, PageFacts, PageKind, PageSource, PageText, PageWants, Pages, PdfChunk,
    PdfError, RecognisedPage, Recognition, RecognitionLimits, RecognitionRequest, WithoutRecognition,
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
    /// Pages beyond the bound on pages.
    pub over_pages: PageSet,
    /// Pages for which there was no time.
    pub over_time: PageSet,
    /// The setting that names this time.
    pub time_setting: &'static str,
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

    /// Whether nothing here recognises text, where pages were to be recognised.
    #[must_use]
    pub fn lacks_engine(&self) -> bool {
        let has = |source| self.sources.values().any(|own| *own == source);
        has(PageSource::Unread) && !has(PageSource::Recognised) && self.unrecognised().is_empty()
    }

    /// The pages that were not recognised, for whatever reason.
    #[must_use]
    pub fn unrecognised(&self) -> PageSet {
        let sets = self.failures.values().chain([&self.over_pages, &self.over_time]);
        sets.flat_map(PageSet::iter).collect()
    }
}

/// How much one call recognises, in all documents that it reads.
#[derive(Debug)]
pub struct RecognitionBudget {
    bound: TimeBound,
    left: Mutex<Option<BudgetLeft>>,
}

/// What bounds the time of recognition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeBound {
    Search,
    Call,
    /// Nothing bounds the time.
    Pages,
    /// Nothing bounds the time and the pages.
    None,
}

#[derive(Debug, Clone, Copy)]
struct BudgetLeft {
    pages: u64,
    time: Duration,
    /// What the slowest page took.
    slowest: Duration,
}

impl RecognitionBudget {
    /// That of a search.
    #[must_use]
    pub fn of_search() -> Self {
        Self::of(TimeBound::Search)
    }

    /// That of another call of a client.
    #[must_use]
    pub fn of_call() -> Self {
        Self::of(TimeBound::Call)
    }

    /// That of a command, which takes the time that it needs.
    #[must_use]
    pub fn of_command() -> Self {
        Self::of(TimeBound::Pages)
    }

    /// No bound.
    #[must_use]
    pub fn unbounded() -> Self {
        Self::of(TimeBound::None)
    }

    fn of(bound: TimeBound) -> Self {
        Self { bound, left: Mutex::default() }
    }

    /// What is left, by the limits of the first document.
    fn left(&self, limits: &RecognitionLimits) -> BudgetLeft {
        let time = match self.bound {
            TimeBound::Search => limits.search_time,
            TimeBound::Call => limits.call_time,
            TimeBound::Pages | TimeBound::None => Duration::MAX,
        };
        let pages = if self.bound == TimeBound::None { u64::MAX } else { limits.max_pages };
        *self.state().get_or_insert(BudgetLeft { pages, time, slowest: Duration::ZERO })
    }

    /// Takes a page that was recognised in this time.
    fn take(&self, time: Duration) {
        if let Some(left) = &mut *self.state() {
            left.pages = left.pages.saturating_sub(1);
            left.time = left.time.saturating_sub(time);
            left.slowest = left.slowest.max(time);
        }
    }

    /// Whether another page may be recognised.
    pub(crate) fn has_room(&self) -> bool {
        self.state().is_none_or(|left| !left.page_time(left.time).is_zero())
    }

    fn time_setting(&self) -> &'static str {
        if self.bound == TimeBound::Search { "ocr_search_ms" } else { "ocr_max_ms" }
    }

    fn state(&self) -> MutexGuard<'_, Option<BudgetLeft>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetLeft {
    /// The time for the next page: none if a page may take longer than what is left.
    fn page_time(&self, max: Duration) -> Duration {
        if self.pages == 0 || self.slowest > self.time { Duration::ZERO } else { self.time.min(max) }
    }
}

/// A document whose pages are recognised.
pub struct RecognisingDocument<'d> {
    document: &'d dyn Pages,
    mode: OcrMode,
    /// The pages that may be recognised.
    wanted: PageSet,
    budget: &'d RecognitionBudget,
    state: Mutex<RecognitionState>,
}

#[derive(Default)]
struct RecognitionState {
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

    fn remember(&mut self, page: PageIndex, own: &PageText, recognised: Option<RecognisedPage>) {
        let source = if recognised.is_some() { PageSource::Recognised } else { source_of(own) };
        self.report.sources.insert(page, source);
        self.pages.insert(page, recognised.map(Arc::new));
    }

    fn fail(&mut self, page: PageIndex, reason: String) {
        self.report.failures.entry(reason).or_default().insert(page);
    }
}

impl<'d> RecognisingDocument<'d> {
    /// Recognises as many of the `wanted` pages of a document as the budget has room for.
    #[must_use]
    pub fn new(document: &'d dyn Pages, mode: OcrMode, wanted: PageSet, budget: &'d RecognitionBudget) -> Self {
        Self { document, mode, wanted, budget, state: Mutex::default() }
    }

    /// What the texts of the pages read so far come from.
    #[must_use]
    pub fn report(&self) -> OcrReport {
        OcrReport { time_setting: self.budget.time_setting(), ..self.state().report.clone() }
    }

    /// A page that was recognised.
    #[must_use]
    pub fn recognised(&self, page: PageIndex) -> Option<Arc<RecognisedPage>> {
        self.state().pages.get(&page).cloned().flatten()
    }

    /// Reads a page for the first time, and recognises it.
    fn read(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        let limits = self.document.recognition_limits();
        let (left, trusts_layers) = (self.budget.left(&limits), self.state().trusts_layers());
        let time = left.page_time(limits.max_page_time);
        let request = RecognitionRequest { is_forced: self.mode == OcrMode::Always, trusts_layers, time };
        let recognition = Some(request).filter(|_| self.mode != OcrMode::Never);
        let start = Instant::now();
        let facts = match self.document.page(page, &PageWants { recognition, ..wants.clone() }) {
            Err(error) if recognition.is_some() && !is_cancelled(&error) => {
                // Recognition that fails must not keep the page from being read.
                let facts = self.document.page(page, wants)?;
                self.budget.take(start.elapsed());
                self.state().fail(page, error.to_string());
                facts
            }
            facts => facts?,
        };
        let own = facts.text.as_ref().ok_or_else(PdfError::missing)?;
        let outcome = facts.recognition.as_ref().filter(|_| recognition.is_some()).map(|attempt| &attempt.outcome);
        if request.concerns(own) && matches!(outcome, Some(Recognition::OwnText | Recognition::Page(_))) {
            self.budget.take(start.elapsed());
        }
        let mut state = self.state();
        match outcome {
            None | Some(Recognition::Without(WithoutRecognition::Trusted)) => {}
            Some(Recognition::OwnText) => state.judge_layer(own, true),
            Some(Recognition::Page(_)) => state.judge_layer(own, false),
            Some(Recognition::Without(WithoutRecognition::NoEngine(_))) if self.mode == OcrMode::Auto => {}
            Some(Recognition::Without(WithoutRecognition::OutOfTime)) if left.pages == 0 => {
                state.report.over_pages.insert(page);
            }
            // It had the whole budget, and another call would have no more time for it.
            Some(Recognition::Without(WithoutRecognition::OutOfTime)) if left.slowest.is_zero() && !time.is_zero() => {
                self.budget.take(start.elapsed());
                state.fail(page, format!("it needs more time than {}", self.budget.time_setting()));
            }
            Some(Recognition::Without(WithoutRecognition::OutOfTime)) if time < limits.max_page_time => {
                if !time.is_zero() {
                    self.budget.take(start.elapsed());
                }
                state.report.over_time.insert(page);
            }
            Some(Recognition::Without(why)) => {
                self.budget.take(start.elapsed());
                state.fail(page, why.to_string());
            }
        }
        let recognised = match outcome {
            Some(Recognition::Page(recognised)) => Some(RecognisedPage::clone(recognised)),
            _ => None,
        };
        state.remember(page, own, recognised);
        drop(state);
        Ok(facts)
    }

    fn state(&self) -> MutexGuard<'_, RecognitionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_cancelled(error: &PdfError) -> bool {
    matches!(error, PdfError::Stopped(StopReason::Cancelled))
}

/// The source of a page that is not recognised.
fn source_of(own: &PageText) -> PageSource {
    match own.kind {
        PageKind::Text | PageKind::Empty => PageSource::Text,
        PageKind::Picture | PageKind::Scan | PageKind::Undecodable => PageSource::Unread,
    }
}

impl Pages for RecognisingDocument<'_> {
    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        if !wants.reads_text() || !self.wanted.contains(page) {
            return self.document.page(page, wants);
        }
        let is_known = self.state().pages.contains_key(&page);
        let facts = if is_known { self.document.page(page, wants)? } else { self.read(page, wants)? };
        let Some(recognised) = self.recognised(page) else { return Ok(facts) };
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

    fn recognition_limits(&self) -> RecognitionLimits {
        self.document.recognition_limits()
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

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::super::pages::RecognitionAttempt;
    use super::*;
    use pagewise_text::TextEngine;

    /// Scans that are recognised whenever there is time for it.
    pub(crate) struct Scans;

    impl Pages for Scans {
        fn page(&self, _: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
            let attempt = |request: RecognitionRequest| {
                let found = || RecognisedPage {
                    text: PageText {
                        text: "words of a scan".to_owned(),
                        engine: TextEngine::Recognition,
                        ..PageText::default()
                    },
                    ..RecognisedPage::default()
                };
                let outcome = match request.time.is_zero() {
                    true => Recognition::Without(WithoutRecognition::OutOfTime),
                    false => Recognition::Page(Box::new(found())),
                };
                RecognitionAttempt { is_forced: request.is_forced, outcome }
            };
            let text = Some(PageText { kind: PageKind::Scan, ..PageText::default() });
            Ok(Arc::new(PageFacts { text, recognition: wants.recognition.map(attempt), ..PageFacts::default() }))
        }

        fn page_count(&self) -> u32 {
            9
        }

        fn is_remote(&self) -> bool {
            false
        }

        fn recognition_limits(&self) -> RecognitionLimits {
            let time = Duration::from_secs(300);
            RecognitionLimits { max_pages: 2, search_time: time, call_time: time, max_page_time: time }
        }

        fn facts(&self, _: &DocumentWants) -> DocumentFacts {
            DocumentFacts::default()
        }

        fn make(&self, _: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
            Ok(None)
        }

        fn notes(&self) -> Vec<String> {
            Vec::new()
        }
    }

    fn texts(document: &RecognisingDocument<'_>) -> Vec<String> {
        (0..3).map(|page| document.page_text(PageIndex(page)).unwrap().text).collect()
    }

    #[test]
    fn documents_of_a_call_share_its_budget_and_the_rest_is_named() {
        let budget = RecognitionBudget::of_search();
        assert!(budget.has_room());
        let new = |mode| RecognisingDocument::new(&Scans, mode, PageSet::all(9), &budget);
        let never = new(OcrMode::Never);
        assert_eq!(texts(&never), ["", "", ""]);
        assert_eq!(never.report().unrecognised(), PageSet::new(), "nobody asked for it");
        let first = new(OcrMode::Auto);
        assert_eq!(texts(&first), ["words of a scan", "words of a scan", ""]);
        assert_eq!(first.report().over_pages.to_string(), "3");
        assert!(!budget.has_room());
        assert_eq!(first.report().pages_of(PageSource::Unread).to_string(), "3");
        assert_eq!(texts(&first), ["words of a scan", "words of a scan", ""], "known pages cost nothing");
        assert_eq!(new(OcrMode::Always).page_text(PageIndex(0)).unwrap().text, "", "another document");
        let whole = RecognitionBudget::unbounded();
        let whole = RecognisingDocument::new(&Scans, OcrMode::Auto, PageSet::all(9), &whole);
        assert_eq!(texts(&whole), ["words of a scan"; 3]);
    }

    #[test]
    fn a_page_begins_only_if_the_slowest_one_would_be_done_in_time() {
        let second = Duration::from_secs(1);
        let time = |pages: u64, left: u32, slowest: u32| {
            BudgetLeft { pages, time: left * second, slowest: slowest * second }.page_time(7 * second) / 1_000
        };
        let [none, all] = [Duration::ZERO, 7 * second / 1_000];
        assert_eq!([time(1, 9, 0), time(1, 9, 9), time(1, 8, 9), time(0, 9, 0)], [all, all, none, none]);
    }
}
