//! Ranked search over several documents: their texts are read once, into an index that follows the files.
//!
//! The index is in memory, or in a folder if [`super::AnswerSettings::index_folder`] names one. Every search looks at the
//! stat of every file, so that an answer is about the files as they are.

mod document_text;
mod scope;
mod update;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

pub use pagewise_library::IndexStatus;

pub(super) use self::document_text::document_date;
use self::scope::{ScopeFile, SearchFiles};
use self::update::Updated;
use super::ContextManager;
use super::error::ContextError;
use super::folder::why_not_opened;
use super::progress::ProgressListener;
use super::token_estimate::estimated_tokens;
use crate::source::SourceError;
use crate::worker::{OcrMode, RecognitionBudget};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_library::{DateRange, DocumentSet, Index, KnownFile, RankedPage, SearchScope};
use pagewise_view::ConversationId;

/// A ranked search.
#[derive(Debug, Clone)]
pub struct RankedRequest {
    /// PDFs, folders and patterns.
    pub paths: Vec<String>,
    /// What is looked for.
    pub query: String,
    /// Hits at most.
    pub max_hits: usize,
    /// Only documents in this language, as ISO 639-3 has it.
    pub language: Option<String>,
    /// Only documents of these dates: those that they give, or else those of their files.
    pub dates: Option<DateRange>,
    /// Only these pages of each document, from 0, in their order; all if there are none.
    pub pages: Vec<Range<u32>>,
    /// Whether pages without usable text are recognised: `Auto` if there are few, or if no other page answers.
    pub ocr: OcrMode,
    /// How many of them, and how long.
    pub recognition: Arc<RecognitionBudget>,
    /// The conversation whose held pages are marked.
    pub conversation: Option<ConversationId>,
    /// Until when documents may be read. Those left over are counted.
    pub deadline: Option<Instant>,
    /// Cancels the work.
    pub cancellation: Cancellation,
}

impl RankedRequest {
    /// How many of the pages of a document it is about.
    fn pages_of(&self, pages: u32) -> u64 {
        let selected = self.pages.iter().map(|range| range.end.min(pages).saturating_sub(range.start)).map(u64::from);
        if self.pages.is_empty() { pages.into() } else { selected.sum() }
    }

    /// The pages of these documents; `None` if the index is damaged.
    fn search(&self, index: &Index, documents: DocumentSet) -> Option<Vec<RankedPage>> {
        let scope = SearchScope { documents, pages: self.pages.clone() };
        index.search(&scope, &self.query, self.max_hits).ok()
    }
}

/// A page that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// The file, as the request reached it.
    pub file: String,
    /// Other files and pages with the same text.
    pub copies: Vec<(String, PageIndex)>,
    /// The page.
    pub page: PageIndex,
    /// The printed label, if it differs from the number.
    pub label: Option<String>,
    /// Higher is better. Scores of different queries cannot be compared.
    pub score: f32,
    /// The part of the text that answers best.
    pub excerpt: String,
    /// The part of the excerpt that holds the words of the query; empty if it is only their page.
    pub passage: String,
    /// The titles of the section that the page is in, from the outermost on.
    pub section: Vec<String>,
    /// `/Title` of the document.
    pub title: Option<String>,
    /// The date of the document, as a number like 20240301.
    pub date: u32,
    /// What the page costs as text, about.
    pub tokens: u64,
    /// Whether the conversation holds the page.
    pub is_held: bool,
    /// Whether the text was recognised from the page's picture.
    pub is_recognised: bool,
}

/// The answer to a ranked search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankedHits {
    /// The best page first.
    pub hits: Vec<RankedHit>,
    /// Documents that were searched.
    pub documents: usize,
    /// Pages of these.
    pub pages: u64,
    /// Documents that cannot be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// Documents with more text than one may have, and the number of pages at their end that were not read.
    pub too_long: Vec<(String, u32)>,
    /// Documents with pages that have no usable text, and their number.
    pub without_text: Vec<(String, u32)>,
    /// Documents that there was no time to read, or no room for.
    pub left: usize,
    /// Whether the index has no room for more.
    pub is_full: bool,
    /// Whether a folder has more files than a walk reads.
    pub is_cut: bool,
    /// What else went wrong, a sentence each.
    pub notes: Vec<String>,
}

/// So many pages are recognised in the time of one search, as a rule.
const FEW_PAGES: u32 = 10;

/// Whether a search recognises some of these pages, whether or not others answer it.
fn recognises(ocr: OcrMode, unrecognised: u32, is_answered: bool) -> bool {
    let is_wanted = match ocr {
        OcrMode::Never => false,
        OcrMode::Auto => unrecognised <= FEW_PAGES || !is_answered,
        OcrMode::Always => true,
    };
    unrecognised > 0 && is_wanted
}

/// The index in memory, and who writes it.
#[derive(Default)]
pub(super) struct LibraryIndex {
    memory: RwLock<Index>,
    /// Held while documents are read.
    update: Mutex<()>,
}

/// Runs `work` with the index.
fn with_index<T>(index: &RwLock<Index>, work: impl FnOnce(&Index) -> T) -> T {
    work(&index.read().unwrap_or_else(PoisonError::into_inner))
}

impl ContextManager {
    /// The pages of several documents that answer a query best.
    ///
    /// # Errors
    /// Every refusal of a folder, and cancellation. Documents that cannot be read are named in the answer.
    pub fn search_ranked(
        &self,
        request: &RankedRequest,
        progress: &dyn ProgressListener,
    ) -> Result<RankedHits, ContextError> {
        let opened = OnceLock::new();
        let index = || self.index_of_search(&opened);
        let files = self.search_files(&request.paths)?;
        let mut answer = self.ranked_answer(request, &files, index(), progress)?;
        if answer.is_none() {
            // A damaged part was found: everything is read once more.
            let emptied = index().write().unwrap_or_else(PoisonError::into_inner).clear();
            answer = self.ranked_answer(request, &files, index(), progress)?;
            let note = "The index was damaged and is being rebuilt.".to_owned();
            let failed = emptied.err().map(|error| format!("The damaged index could not be removed: {error}."));
            answer.iter_mut().for_each(|answer| answer.notes.push(failed.clone().unwrap_or_else(|| note.clone())));
        }
        Ok(answer.unwrap_or_default())
    }

    /// The index that a search uses: the one in memory, or the one in a folder. The first call opens that folder, and
    /// keeps it in `opened`.
    fn index_of_search<'a>(&'a self, opened: &'a OnceLock<Option<RwLock<Index>>>) -> &'a RwLock<Index> {
        let open = || self.index_folder().map(|folder| RwLock::new(Index::open(&folder)));
        opened.get_or_init(open).as_ref().unwrap_or(&self.library.memory)
    }

    /// The answer; `None` if the index turns out to be damaged.
    fn ranked_answer(
        &self,
        request: &RankedRequest,
        files: &SearchFiles,
        index: &RwLock<Index>,
        progress: &dyn ProgressListener,
    ) -> Result<Option<RankedHits>, ContextError> {
        let updated = self.update_index(request, files, index, progress)?;
        let left = updated.left;
        let mut found = Found::new(files, updated, request);
        let search = |found: &Found<'_>| with_index(index, |index| request.search(index, found.documents()));
        let Some(mut pages) = search(&found) else { return Ok(None) };
        if recognises(request.ocr, found.unrecognised, !pages.is_empty()) {
            let known = self.recognise(request, files, index, progress)?;
            found = Found::new(files, Updated { known, left }, request);
            let Some(more) = search(&found) else { return Ok(None) };
            pages = more;
        }
        found.answer.is_full = self.is_full(index);
        found.answer.notes.extend(found.unrecognised_note());
        found.answer.notes.extend(with_index(index, |index| index.note().map(str::to_owned)));
        found.name_those_that_cannot_be_opened(|file| self.open_scope_file(file).err());
        let held = self.held_pages(request.conversation.as_ref(), &pages);
        Ok(Some(found.answer(pages, &held)))
    }

    /// The pages of these documents that the conversation holds in any form.
    fn held_pages(&self, conversation: Option<&ConversationId>, hits: &[RankedPage]) -> HashMap<ContentHash, PageSet> {
        // If the store cannot be read, nothing counts as held.
        let snapshot = conversation.and_then(|conversation| self.cache.open(conversation).ok());
        let Some(snapshot) = snapshot else { return HashMap::new() };
        hits.iter().map(|hit| (hit.content, snapshot.view.pages_held(&hit.content))).collect()
    }

    fn index_folder(&self) -> Option<PathBuf> {
        self.settings.index_folder.clone()
    }

    /// What the index has, and the folder that it is in.
    #[must_use]
    pub fn index_status(&self) -> (IndexStatus, Option<PathBuf>) {
        match self.index_folder() {
            Some(folder) => (Index::open(&folder).status(), Some(folder)),
            None => (with_index(&self.library.memory, Index::status), None),
        }
    }

    /// Forgets the texts of all documents.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn clear_index(&self) -> std::io::Result<()> {
        match self.index_folder() {
            Some(folder) => Index::open(&folder).clear(),
            None => self.library.memory.write().unwrap_or_else(PoisonError::into_inner).clear(),
        }
    }
}

/// The files of each document that was read, with their dates.
type FoundDocuments<'a> = HashMap<ContentHash, Vec<(&'a ScopeFile, u32)>, foldhash::fast::RandomState>;

/// The documents of a search, as far as the index has them.
struct Found<'a> {
    documents: FoundDocuments<'a>,
    request: &'a RankedRequest,
    /// Files that the index does not have as they are.
    left: Vec<&'a ScopeFile>,
    /// Pages that may still be recognised.
    unrecognised: u32,
    answer: RankedHits,
}

/// Files that were not read, of which it is asked why.
const MAX_EXPLAINED: usize = 100;

impl<'a> Found<'a> {
    fn new(files: &'a SearchFiles, updated: Updated, request: &'a RankedRequest) -> Self {
        let answer = RankedHits { left: updated.left, is_cut: files.is_cut, ..RankedHits::default() };
        let (documents, left) = (FoundDocuments::default(), Vec::new());
        let mut found = Self { documents, request, left, unrecognised: 0, answer };
        files.files.iter().zip(updated.known).for_each(|(file, known)| found.add(file, known));
        found
    }

    fn add(&mut self, file: &'a ScopeFile, known: Option<KnownFile>) {
        if let Err(problem) = &file.stat {
            return self.answer.unread.push((file.shown(), (*problem).to_owned()));
        }
        let Some(KnownFile { file: record, document }) = known else { return self.left.push(file) };
        if let Some(problem) = document.problem {
            return self.answer.unread.push((file.shown(), problem));
        }
        let date = if document.date > 0 { document.date } else { file.date() };
        // What is not recognised yet may be in any language.
        let is_other = |code: &String| *code != document.language && document.without_text < document.pages;
        if self.request.dates.is_some_and(|dates| !dates.contains(date))
            || self.request.language.as_ref().is_some_and(is_other)
        {
            return;
        }
        if document.unread_pages > 0 {
            self.answer.too_long.push((file.shown(), document.unread_pages));
        }
        if document.without_text > 0 {
            self.answer.without_text.push((file.shown(), document.without_text));
        }
        self.unrecognised = self.unrecognised.saturating_add(document.unrecognised);
        self.answer.documents += 1;
        self.answer.pages += self.request.pages_of(document.pages);
        self.documents.entry(record.content).or_default().push((file, date));
    }

    fn documents(&self) -> DocumentSet {
        self.documents.keys().copied().collect()
    }

    /// What is said of pages that another search may recognise.
    fn unrecognised_note(&self) -> Option<String> {
        let pages = match self.unrecognised {
            0 => return None,
            1 => "1 page without usable text was".to_owned(),
            pages => format!("{pages} pages without usable text were"),
        };
        Some(match self.request.ocr {
            OcrMode::Never => format!("{pages} not read by OCR, since ocr: \"never\" was given."),
            OcrMode::Auto | OcrMode::Always => {
                let next = match self.request.ocr {
                    OcrMode::Always => "The same request reads more of them",
                    _ => "A search with ocr: \"always\" reads them",
                };
                format!(
                    "{pages} not read by OCR yet, so not searched. {next}, as far as its limits go (ocr_search_ms, \
                     ocr_max_pages)."
                )
            }
        })
    }

    /// Names the files that were not read because they cannot be opened, not for lack of time.
    fn name_those_that_cannot_be_opened(&mut self, why: impl Fn(&ScopeFile) -> Option<SourceError>) {
        for file in self.left.iter().take(MAX_EXPLAINED) {
            if let Some(error) = why(file) {
                self.answer.unread.push((file.shown(), why_not_opened(&error).to_owned()));
                self.answer.left = self.answer.left.saturating_sub(1);
            }
        }
    }

    fn answer(self, pages: Vec<RankedPage>, held: &HashMap<ContentHash, PageSet>) -> RankedHits {
        let hits = pages.into_iter().filter_map(|page| hit(page, &self.documents, held));
        RankedHits { hits: hits.collect(), ..self.answer }
    }
}

fn hit(page: RankedPage, documents: &FoundDocuments<'_>, held: &HashMap<ContentHash, PageSet>) -> Option<RankedHit> {
    let ((first, date), same) = documents.get(&page.content)?.split_first()?;
    let mut copies = same.iter().map(|(file, _)| (file.shown(), page.page)).collect::<Vec<_>>();
    for (content, copy) in &page.copies {
        let files = documents.get(content).into_iter().flatten();
        copies.extend(files.map(|(file, _)| (file.shown(), *copy)));
    }
    Some(RankedHit {
        file: first.shown(),
        copies,
        page: page.page,
        label: page.label,
        score: page.score,
        excerpt: page.excerpt,
        passage: page.passage,
        section: page.section,
        title: Some(page.title).filter(|title| !title.is_empty()),
        date: *date,
        tokens: estimated_tokens(&page.text),
        is_held: held.get(&page.content).is_some_and(|held| held.contains(page.page)),
        is_recognised: page.is_recognised,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_pages_are_recognised_only_if_no_other_answers_or_if_it_is_asked_for() {
        let by_mode = |unrecognised, is_answered| {
            [OcrMode::Never, OcrMode::Auto, OcrMode::Always].map(|ocr| recognises(ocr, unrecognised, is_answered))
        };
        assert_eq!(by_mode(99, true), [false, false, true]);
        assert_eq!(by_mode(99, false), [false, true, true]);
        assert_eq!(by_mode(9, true), [false, true, true]);
        assert_eq!(by_mode(0, false), [false; 3]);
    }
}
