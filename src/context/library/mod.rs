//! Ranked search over several documents: their texts are read once, into an index that follows the files.
//!
//! The index is in memory, or in a folder if [`super::AnswerSettings::index_folder`] names one. Every search looks at the
//! stat of every file first, so that an answer is about the files as they are.

mod document_text;
mod scope;
mod update;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::Instant;

pub use crate::library::IndexStatus;

use self::scope::{ScopeFile, SearchFiles};
use super::ContextManager;
use super::error::ContextError;
use super::progress::ProgressListener;
use super::token_estimate::estimated_tokens;
use crate::hash::ContentHash;
use crate::library::{Index, RankedPage, SearchScope};
use crate::limits::Cancellation;
use crate::page::{PageIndex, PageSet};
use crate::view::{ConversationId, PageForm};

/// A ranked search.
#[derive(Debug, Clone)]
pub struct RankedRequest {
    /// PDFs and folders.
    pub paths: Vec<String>,
    /// What is looked for.
    pub query: String,
    /// Hits at most.
    pub max_hits: usize,
    /// Only documents in this language, as ISO 639-3 has it.
    pub language: Option<String>,
    /// Only these pages of each document, from 0.
    pub pages: Option<Range<u32>>,
    /// The conversation whose held pages are marked.
    pub conversation: Option<ConversationId>,
    /// Until when documents may be read. Those left over are counted.
    pub deadline: Option<Instant>,
    /// Cancels the work.
    pub cancellation: Cancellation,
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
    /// The titles of the section that the page is in, from the outermost on.
    pub section: Vec<String>,
    /// `/Title` of the document.
    pub title: Option<String>,
    /// What the page costs as text, about.
    pub tokens: u64,
    /// Whether the conversation holds the page.
    pub is_held: bool,
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
    /// Documents with pages that have no usable text, and their number.
    pub without_text: Vec<(String, u32)>,
    /// Documents that there was no time to read.
    pub left: usize,
    /// Whether a folder has more files than a walk reads.
    pub is_cut: bool,
    /// What else went wrong, a sentence each.
    pub notes: Vec<String>,
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
        let files = self.search_files(&request.paths)?;
        let opened = self.index_folder().map(|folder| RwLock::new(Index::open(&folder)));
        let index = opened.as_ref().unwrap_or(&self.library.memory);
        let mut answer = self.ranked_answer(request, &files, index, progress)?;
        if answer.is_none() {
            // A damaged part was found: everything is read once more.
            let emptied = index.write().unwrap_or_else(PoisonError::into_inner).clear();
            answer = self.ranked_answer(request, &files, index, progress)?;
            let note = "The index was damaged and was made anew.".to_owned();
            let failed = emptied.err().map(|error| format!("The damaged index could not be removed: {error}."));
            answer.iter_mut().for_each(|answer| answer.notes.push(failed.clone().unwrap_or_else(|| note.clone())));
        }
        Ok(answer.unwrap_or_default())
    }

    /// The answer; `None` if the index turns out to be damaged.
    fn ranked_answer(
        &self,
        request: &RankedRequest,
        files: &SearchFiles,
        index: &RwLock<Index>,
        progress: &dyn ProgressListener,
    ) -> Result<Option<RankedHits>, ContextError> {
        let left = self.update_index(request, files, index, progress)?;
        with_index(index, |index| {
            let found = Found::new(files, index, left);
            let scope = SearchScope {
                documents: found.documents.keys().copied().collect(),
                language: request.language.clone(),
                pages: request.pages.clone(),
            };
            let Ok(pages) = index.search(&scope, &request.query, request.max_hits) else { return Ok(None) };
            let held = self.held_pages(request.conversation.as_ref(), &pages);
            Ok(Some(found.answer(pages, &held)))
        })
    }

    /// The pages of these documents that the conversation holds in any form.
    fn held_pages(&self, conversation: Option<&ConversationId>, hits: &[RankedPage]) -> HashMap<ContentHash, PageSet> {
        // If the store cannot be read, nothing counts as held.
        let snapshot = conversation.and_then(|conversation| self.cache.open(conversation).ok());
        let Some(snapshot) = snapshot else { return HashMap::new() };
        let held = hits.iter().map(|hit| {
            let mut held = PageSet::new();
            PageForm::ALL.iter().for_each(|form| held.union(&snapshot.view.pages_in(&hit.content, *form)));
            (hit.content, held)
        });
        held.collect()
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

/// The documents of a search, as far as the index has them.
struct Found<'a> {
    /// The files of each document that was read.
    documents: HashMap<ContentHash, Vec<&'a ScopeFile>>,
    answer: RankedHits,
}

impl<'a> Found<'a> {
    fn new(files: &'a SearchFiles, index: &Index, left: usize) -> Self {
        let notes = index.note().map(str::to_owned).into_iter().collect();
        let answer = RankedHits { left, is_cut: files.is_cut, notes, ..RankedHits::default() };
        let mut found = Self { documents: HashMap::new(), answer };
        files.files.iter().for_each(|file| found.add(file, index));
        found
    }

    fn add(&mut self, file: &'a ScopeFile, index: &Index) {
        let stat = match &file.stat {
            Ok(stat) => stat.key(),
            Err(problem) => return self.answer.unread.push((file.shown.clone(), (*problem).to_owned())),
        };
        let Some(record) = index.file(&file.key).filter(|record| record.stat == stat) else { return };
        let Some(document) = index.document(&record.content) else { return };
        if let Some(problem) = &document.problem {
            return self.answer.unread.push((file.shown.clone(), problem.clone()));
        }
        if document.without_text > 0 {
            self.answer.without_text.push((file.shown.clone(), document.without_text));
        }
        self.answer.documents += 1;
        self.answer.pages += u64::from(document.pages);
        self.documents.entry(record.content).or_default().push(file);
    }

    fn answer(self, pages: Vec<RankedPage>, held: &HashMap<ContentHash, PageSet>) -> RankedHits {
        let hits = pages.into_iter().filter_map(|page| hit(page, &self.documents, held));
        RankedHits { hits: hits.collect(), ..self.answer }
    }
}

fn hit(
    page: RankedPage,
    documents: &HashMap<ContentHash, Vec<&ScopeFile>>,
    held: &HashMap<ContentHash, PageSet>,
) -> Option<RankedHit> {
    let (first, same) = documents.get(&page.content)?.split_first()?;
    let mut copies = same.iter().map(|file| (file.shown.clone(), page.page)).collect::<Vec<_>>();
    for (content, copy) in &page.copies {
        let files = documents.get(content).into_iter().flatten();
        copies.extend(files.map(|file| (file.shown.clone(), *copy)));
    }
    Some(RankedHit {
        file: first.shown.clone(),
        copies,
        page: page.page,
        label: page.label,
        score: page.score,
        excerpt: page.excerpt,
        section: page.section,
        title: Some(page.title).filter(|title| !title.is_empty()),
        tokens: estimated_tokens(&page.text),
        is_held: held.get(&page.content).is_some_and(|held| held.contains(page.page)),
    })
}
