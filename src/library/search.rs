//! Answers a query from segments.

use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::ops::Range;

use super::analysis::{Stemmer, plain};
use super::ranking::{
    PageAddress, PageToScore, PassageScore, Rescorer, ScopedSegment, WordMemory, excerpt, first_stage, query_terms,
};
use super::segment::{DocumentDetails, Segment, SegmentDocument, SegmentError};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;

/// Pages whose text the second stage reads.
const READ_PAGES: usize = 60;

/// The most hits of an answer.
pub const MAX_HITS: usize = 200;

/// Copies of a page that are named.
const MAX_COPIES: usize = 10;

/// Documents by the hashes of their files.
pub type DocumentSet = HashSet<ContentHash, foldhash::fast::RandomState>;

/// Which pages are asked for.
#[derive(Debug, Clone, Default)]
pub struct SearchScope {
    pub documents: DocumentSet,
    /// Only documents in this language, as ISO 639-3 has it.
    pub language: Option<String>,
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
    /// Other pages with the same text.
    pub copies: Vec<(ContentHash, PageIndex)>,
}

/// The pages that answer a query best. Pages with the same text are one hit.
///
/// # Errors
/// Those of reading the segments.
pub fn search(
    segments: &[&Segment],
    scope: &SearchScope,
    query: &str,
    limit: usize,
) -> Result<Vec<RankedPage>, SegmentError> {
    let limit = limit.min(MAX_HITS);
    let languages = segments.iter().fold(0, |all, segment| all | segment.languages());
    let terms = query_terms(query, &Stemmer::of_bits(languages));
    if terms.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let mut known = KnownDocuments::default();
    let scoped = segments.iter().map(|segment| scoped(segment, scope, &mut known)).collect::<Result<Vec<_>, _>>()?;
    let found = first_stage(&scoped, &terms, READ_PAGES.max(limit))?;
    let rescorer = Rescorer::new(&terms, &found.rarities);
    let places = known.places(segments, &found.pages, &rescorer)?;
    let mut pages = read_pages(&places, &known, &rescorer)?;
    pages.sort_by(|one, other| other.score.score.total_cmp(&one.score.score).then(one.address.cmp(&other.address)));
    Ok(hits(pages, limit, &known))
}

/// A document that a search looked at.
struct KnownDocument {
    details: DocumentDetails,
    stemmer: Stemmer,
    /// The share of the query that stands in its title.
    title: Option<f32>,
}

#[derive(Default)]
struct KnownDocuments(HashMap<ContentHash, KnownDocument>);

/// A candidate with where its text stands.
struct PagePlace<'a> {
    address: PageAddress,
    candidate: f32,
    segment: &'a Segment,
    document: &'a SegmentDocument,
}

impl KnownDocuments {
    fn of(&mut self, segment: &Segment, document: &SegmentDocument) -> Result<&mut KnownDocument, SegmentError> {
        match self.0.entry(document.content) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let details = segment.details(document)?;
                let stemmer = Stemmer::of(details.language);
                Ok(new.insert(KnownDocument { details, stemmer, title: None }))
            }
        }
    }

    /// The places of candidates, whose documents are known then.
    fn places<'a>(
        &mut self,
        segments: &[&'a Segment],
        candidates: &[(PageAddress, f32)],
        rescorer: &Rescorer<'_>,
    ) -> Result<Vec<PagePlace<'a>>, SegmentError> {
        let mut places = Vec::with_capacity(candidates.len());
        for (address, candidate) in candidates.iter().copied() {
            let segment = *segments.get(address.segment).ok_or(SegmentError::Damaged)?;
            let document = segment.document_of(address.page).ok_or(SegmentError::Damaged)?;
            let known = self.of(segment, document)?;
            known.title.get_or_insert_with(|| rescorer.title(&known.details.title, &known.stemmer));
            places.push(PagePlace { address, candidate, segment, document });
        }
        Ok(places)
    }
}

fn scoped<'a>(
    segment: &'a Segment,
    scope: &SearchScope,
    known: &mut KnownDocuments,
) -> Result<ScopedSegment<'a>, SegmentError> {
    let mut pages = Vec::new();
    for document in segment.documents().iter().filter(|document| scope.documents.contains(&document.content)) {
        if let Some(language) = &scope.language
            && known.of(segment, document)?.details.language != language
        {
            continue;
        }
        let of_document = |page: u32| document.first.saturating_add(page.min(document.pages));
        if scope.pages.is_empty() {
            pages.push(of_document(0)..of_document(u32::MAX));
        }
        pages.extend(scope.pages.iter().map(|range| of_document(range.start)..of_document(range.end)));
    }
    Ok(ScopedSegment { segment, pages })
}

/// A page whose text was read.
struct ReadPage {
    address: PageAddress,
    content: ContentHash,
    page: PageIndex,
    label: String,
    text: String,
    score: PassageScore,
}

/// Reads the texts of pages and scores them. Threads gained less than their start costs.
fn read_pages(
    places: &[PagePlace<'_>],
    known: &KnownDocuments,
    rescorer: &Rescorer<'_>,
) -> Result<Vec<ReadPage>, SegmentError> {
    let mut memory = WordMemory::default();
    places.iter().map(|place| read_page(place, known, rescorer, &mut memory)).collect()
}

fn read_page(
    place: &PagePlace<'_>,
    known: &KnownDocuments,
    rescorer: &Rescorer<'_>,
    memory: &mut WordMemory,
) -> Result<ReadPage, SegmentError> {
    let PagePlace { address, candidate, segment, document } = *place;
    let content = segment.page(address.page)?;
    let known = known.0.get(&document.content).ok_or(SegmentError::Damaged)?;
    let (stemmer, title) = (&known.stemmer, known.title.unwrap_or(0.0));
    let is_contents = segment.is_contents(address.page);
    let page = PageToScore { text: &content.text, stemmer, is_contents, candidate, title };
    let score = rescorer.score(&page, memory);
    let page = PageIndex(address.page - document.first);
    Ok(ReadPage { address, content: document.content, page, label: content.label, text: content.text, score })
}

fn hits(pages: Vec<ReadPage>, limit: usize, known: &KnownDocuments) -> Vec<RankedPage> {
    let mut hits: Vec<RankedPage> = Vec::new();
    let mut by_text: HashMap<String, usize, foldhash::fast::RandomState> = HashMap::default();
    for page in pages {
        if let Some(hit) = by_text.get(&page.text).and_then(|at| hits.get_mut(*at)) {
            if hit.copies.len() < MAX_COPIES {
                hit.copies.push((page.content, page.page));
            }
        } else if hits.len() < limit {
            hits.push(hit(&page, known));
            by_text.insert(page.text, hits.len() - 1);
        }
    }
    hits
}

fn hit(page: &ReadPage, known: &KnownDocuments) -> RankedPage {
    let known = known.0.get(&page.content).map(|known| &known.details);
    RankedPage {
        content: page.content,
        page: page.page,
        label: Some(page.label.clone()).filter(|label| !label.is_empty()),
        score: page.score.score,
        excerpt: excerpt(&page.text, page.score.place),
        passage: page.score.place.and_then(|(start, end)| page.text.get(start..end)).map(plain).unwrap_or_default(),
        section: known.map(|known| known.section(page.page.0)).unwrap_or_default(),
        title: known.map(|known| known.title.clone()).unwrap_or_default(),
        text: plain(&page.text),
        copies: Vec::new(),
    }
}
