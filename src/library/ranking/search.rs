//! Answers a query from an index.

use std::collections::HashSet;
use std::collections::hash_map::HashMap;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension as _};

use super::candidates::{Candidate, Candidates, candidates, relative};
use super::excerpt::excerpt;
use super::matches::WordMemory;
use super::page_score::{PageToScore, PassageScore, Rescorer};
use super::query::Query;
use crate::analysis::{Stemmer, plain};
use crate::index::{IndexError, StoredPage};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;

/// Pages whose text the second stage reads.
const READ_PAGES: usize = 150;

/// The most hits of an answer.
const MAX_HITS: usize = 200;

/// Copies of a page that are named.
const MAX_COPIES: usize = 10;

/// Documents by the hashes of their files.
pub type DocumentSet = HashSet<ContentHash, foldhash::fast::RandomState>;

/// Which pages are asked for.
#[derive(Debug, Clone, Default)]
pub struct SearchScope {
    pub documents: DocumentSet,
    /// Only these pages, from 0, in their order; all if there are none.
    pub pages: Vec<Range<u32>>,
}

/// A page that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedPage {
    /// The document.
    pub content: ContentHash,
    pub page: PageIndex,
    /// The printed label, if it differs from the number.
    pub label: Option<String>,
    /// Higher is better. Scores of different queries cannot be compared.
    pub score: f32,
    /// The part of the text that answers best, with what is around it.
    pub excerpt: String,
    /// The part that answers best; empty if no part does.
    pub passage: String,
    /// The titles of the section that the page is in, from the outermost on.
    pub section: Vec<String>,
    /// `/Title` of the document; empty if it has none.
    pub title: String,
    pub text: String,
    /// Whether the text was recognised from the page's picture.
    pub is_recognised: bool,
    /// Other pages with the same text.
    pub copies: Vec<(ContentHash, PageIndex)>,
}

/// A document that is searched.
#[derive(Debug)]
pub(super) struct ScopeDocument {
    pub(super) cover: i64,
    content: ContentHash,
    language: String,
    title: String,
    /// The number of words of each page.
    pub(super) lengths: Vec<u16>,
}

impl ScopeDocument {
    pub(super) fn pages(&self) -> u32 {
        u32::try_from(self.lengths.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn last_row(&self) -> i64 {
        self.cover.saturating_add(i64::from(self.pages()))
    }

    /// The number of words of a page.
    pub(super) fn length(&self, page: u32) -> u32 {
        usize::try_from(page).ok().and_then(|page| self.lengths.get(page)).map_or(0, |length| u32::from(*length))
    }
}

/// What is searched.
#[derive(Debug)]
pub(super) struct Scope {
    /// In the order of their rows.
    pub(super) documents: Vec<ScopeDocument>,
    pub(super) pages: u32,
    words: u64,
    only: Vec<Range<u32>>,
}

impl Scope {
    fn read(database: &Connection, scope: &SearchScope) -> Result<Self, IndexError> {
        let select = "SELECT cover, content, language, title, lengths FROM document WHERE pages > 0 ORDER BY cover";
        let mut find = database.prepare_cached(select)?;
        let mut rows = find.query([])?;
        let mut read = Self { documents: Vec::new(), pages: 0, words: 0, only: scope.pages.clone() };
        while let Some(row) = rows.next()? {
            let content = ContentHash(row.get(1)?);
            if !scope.documents.contains(&content) {
                continue;
            }
            let lengths = row.get_ref(4)?.as_blob().map_err(|_| IndexError::Damaged)?;
            let lengths = lengths.chunks_exact(2).filter_map(|bytes| bytes.try_into().ok().map(u16::from_le_bytes));
            let lengths = lengths.collect::<Vec<_>>();
            read.words += lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
            let document =
                ScopeDocument { cover: row.get(0)?, content, language: row.get(2)?, title: row.get(3)?, lengths };
            read.pages = read.pages.saturating_add(document.pages());
            read.documents.push(document);
        }
        Ok(read)
    }

    /// Rows from the first to the last document, about.
    pub(super) fn rows(&self) -> u32 {
        let (Some(first), Some(last)) = (self.documents.first(), self.documents.last()) else { return 0 };
        u32::try_from(last.last_row().saturating_sub(first.cover)).unwrap_or(u32::MAX)
    }

    pub(super) fn has_page(&self, page: u32) -> bool {
        self.only.is_empty() || self.only.iter().any(|range| range.contains(&page))
    }

    /// A number of words against that of the middling page.
    pub(super) fn relative_length(&self, words: u32) -> f32 {
        relative(words, self.words, self.pages)
    }

    fn stemmers(&self) -> HashMap<&str, Stemmer> {
        let mut stemmers = HashMap::new();
        for document in &self.documents {
            stemmers.entry(document.language.as_str()).or_insert_with_key(|language| Stemmer::of(language));
        }
        stemmers
    }
}

/// The pages that answer a query best. Pages with the same text are one hit.
pub(crate) fn search(
    database: &Connection,
    scope: &SearchScope,
    query: &str,
    limit: usize,
) -> Result<Vec<RankedPage>, IndexError> {
    let limit = limit.min(MAX_HITS);
    // One transaction, so that a writer changes nothing in between.
    let database = database.unchecked_transaction()?;
    let scope = Scope::read(&database, scope)?;
    let stemmers = scope.stemmers();
    let languages = stemmers.values().map(|stemmer| Stemmer::of(stemmer.code())).collect::<Vec<_>>();
    let query = Query::new(query, &languages);
    if query.terms.is_empty() && query.page.is_none() || limit == 0 {
        return Ok(Vec::new());
    }
    let found = candidates(&database, &scope, &query, READ_PAGES.max(limit))?;
    let mut memory = WordMemory::default();
    let rescorer = Rescorer::new(&query, &found.weights);
    let mut pages = Vec::with_capacity(found.pages.len());
    for candidate in &found.pages {
        let Some(document) = scope.documents.get(candidate.document) else { continue };
        let Some(stemmer) = stemmers.get(document.language.as_str()) else { continue };
        pages.push(read_page(&database, &scope, (document, stemmer), candidate, &found, &rescorer, &mut memory)?);
    }
    pages.sort_by(|one, other| other.score.score.total_cmp(&one.score.score).then(one.key().cmp(&other.key())));
    Ok(hits(pages, limit))
}

/// A page whose text was read.
struct ReadPage<'a> {
    document: &'a ScopeDocument,
    page: u32,
    stored: StoredPage,
    score: PassageScore,
}

impl ReadPage<'_> {
    fn key(&self) -> (i64, u32) {
        (self.document.cover, self.page)
    }
}

/// Reads the text of a page and scores it.
fn read_page<'a>(
    database: &Connection,
    scope: &Scope,
    (document, stemmer): (&'a ScopeDocument, &Stemmer),
    candidate: &Candidate,
    found: &Candidates,
    rescorer: &Rescorer<'_>,
    memory: &mut WordMemory,
) -> Result<ReadPage<'a>, IndexError> {
    let page = candidate.page;
    let id = document.cover.saturating_add(1).saturating_add(i64::from(page));
    let mut find = database.prepare_cached("SELECT stored FROM page WHERE id = ?1")?;
    let stored = find.query_row([id], |row| Ok(StoredPage::decompress(row.get_ref(0)?.as_blob()?, page))).optional()?;
    let stored = stored.unwrap_or(Err(IndexError::Damaged))?;
    let weights = found.within.get(&candidate.document).unwrap_or(&found.weights);
    let length = scope.relative_length(document.length(page));
    let to_score = PageToScore { stored: &stored, stemmer, weights, around: candidate.around, length, page };
    let score = rescorer.score(&to_score, memory);
    Ok(ReadPage { document, page, stored, score })
}

fn hits(pages: Vec<ReadPage<'_>>, limit: usize) -> Vec<RankedPage> {
    let mut hits: Vec<RankedPage> = Vec::new();
    let mut by_text: HashMap<String, usize, foldhash::fast::RandomState> = HashMap::default();
    for page in pages {
        if let Some(hit) = by_text.get(&page.stored.text).and_then(|at| hits.get_mut(*at)) {
            if hit.copies.len() < MAX_COPIES {
                hit.copies.push((page.document.content, PageIndex(page.page)));
            }
        } else if hits.len() < limit {
            hits.push(hit(&page));
            by_text.insert(page.stored.text, hits.len() - 1);
        }
    }
    hits
}

fn hit(page: &ReadPage<'_>) -> RankedPage {
    let StoredPage { label, section, text, is_recognised, .. } = &page.stored;
    RankedPage {
        content: page.document.content,
        page: PageIndex(page.page),
        label: Some(label.clone()).filter(|label| !label.is_empty()),
        score: page.score.score,
        excerpt: excerpt(text, page.score.place),
        passage: page.score.place.and_then(|(start, end)| text.get(start..end)).map(plain).unwrap_or_default(),
        section: section.clone(),
        title: page.document.title.clone(),
        text: plain(text),
        is_recognised: *is_recognised,
        copies: Vec::new(),
    }
}
