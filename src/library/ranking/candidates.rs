//! The pages that may answer a query, from the keys of the index alone.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::query::{Query, QueryTerm};
use super::search::{Scope, ScopeDocument};
use super::{rarity, saturated, to_float};
use crate::analysis::KEY_MARKS;
use crate::index::IndexError;

/// Rows of the index that a query reads at least. With more, the most frequent terms are left to the second stage: they
/// hardly change the order.
const MAX_ROWS: u32 = 40_000;

/// Counts that the marks of a key stand for, at least once, twice and many times.
const COUNTS: [f32; 3] = [1.0, 2.5, 6.0];

/// What a word of a heading adds, in times of the text.
const HEADING_COUNT: f32 = 2.0;

/// What the title and the names of files add, against a page.
const COVER: f32 = 0.4;

/// What the better of the two pages beside a page adds to it.
const NEIGHBOUR: f32 = 0.05;

/// A term that no page has counts less.
const ABSENT: f32 = 0.3;

/// How much the rarity within the document counts against that among all pages.
const WITHIN: f32 = 0.5;

/// A page that may answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// The document's number in the scope.
    pub(super) document: usize,
    /// The page, from 0.
    pub(super) page: u32,
    pub(super) score: f32,
    /// What is around the page adds to any score of its text: the cover, and the pages beside it.
    pub(super) around: f32,
}

/// The pages that may answer, the best first, and what each term weighs.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) pages: Vec<Candidate>,
    /// The weight of each term among all pages.
    pub(super) weights: Vec<f32>,
    /// The same within the documents of the pages.
    pub(super) within: BTreeMap<usize, Vec<f32>>,
}

/// A page or a cover that has a term.
struct Posting {
    document: usize,
    /// 0 is the cover.
    row: u32,
    count: f32,
}

/// Finds the `limit` best pages.
pub(super) fn candidates(
    database: &Connection,
    scope: &Scope,
    query: &Query,
    limit: usize,
) -> Result<Candidates, IndexError> {
    let frequencies = query.terms.iter().map(|term| frequency(database, term)).collect::<Result<Vec<_>, _>>()?;
    let chosen = chosen_terms(&query.terms, &frequencies, scope);
    let mut postings = Vec::with_capacity(query.terms.len());
    for (term, chosen) in query.terms.iter().zip(&chosen) {
        postings.push(if *chosen { postings_of(database, scope, term)? } else { Vec::new() });
    }
    let mut weights = Vec::with_capacity(query.terms.len());
    for (((term, postings), frequency), chosen) in query.terms.iter().zip(&postings).zip(&frequencies).zip(&chosen) {
        let found = if *chosen { count(postings) } else { (*frequency).min(scope.pages) };
        let rarity = if found == 0 { ABSENT * rarity(0, scope.pages) } else { rarity(found, scope.pages) };
        weights.push(term.weight * rarity);
    }
    let within = weights_within(scope, &postings, &weights);
    let scores = scores(scope, &postings, &weights, &within);
    Ok(Candidates { pages: best_pages(scope, query, scores, limit), weights, within })
}

/// The number of rows that have a term.
fn frequency(database: &Connection, term: &QueryTerm) -> Result<u32, IndexError> {
    let mut find = database.prepare_cached("SELECT doc FROM vocabulary WHERE term = ?1")?;
    let mut sum = 0_u32;
    for key in &term.keys {
        let mut rows = find.query([key])?;
        if let Some(row) = rows.next()? {
            sum = sum.saturating_add(row.get(0)?);
        }
    }
    Ok(sum)
}

/// The terms whose rows are read: the rarest, as far as [`MAX_ROWS`] goes, and all if the scope is small.
fn chosen_terms(terms: &[QueryTerm], frequencies: &[u32], scope: &Scope) -> Vec<bool> {
    let weighty = terms.iter().enumerate().filter(|(_, term)| !term.is_binding);
    let mut order = weighty.map(|(at, _)| at).collect::<Vec<_>>();
    let frequency = |at: usize| frequencies.get(at).copied().unwrap_or(0).min(scope.rows());
    order.sort_by_key(|at| frequency(*at));
    let (mut chosen, mut rows) = (vec![false; terms.len()], 0_u32);
    for at in order {
        rows = rows.saturating_add(frequency(at));
        let is_first = !chosen.contains(&true);
        if let Some(chosen) = chosen.get_mut(at) {
            *chosen = is_first || rows <= MAX_ROWS;
        }
    }
    chosen
}

/// The rows of the scope that have a term, in order.
fn postings_of(database: &Connection, scope: &Scope, term: &QueryTerm) -> Result<Vec<Posting>, IndexError> {
    let mut found: Vec<Posting> = Vec::new();
    rows_of(database, scope, term, None, |document, row| {
        found.push(Posting { document, row, count: 1.0 });
    })?;
    let [_, twice, many] = COUNTS;
    let counts = [(twice, false), (many, false), (HEADING_COUNT, true)];
    for (mark, (count, adds)) in KEY_MARKS.into_iter().zip(counts) {
        let mut at = 0;
        rows_of(database, scope, term, Some(mark), |document, row| {
            while found.get(at).is_some_and(|one| (one.document, one.row) < (document, row)) {
                at += 1;
            }
            if let Some(one) = found.get_mut(at).filter(|one| (one.document, one.row) == (document, row)) {
                one.count = if adds { one.count + count } else { one.count.max(count) };
            }
        })?;
    }
    Ok(found)
}

/// Calls `found` for each page of the scope that has a term, in order: with the index of its document, and its own in it.
fn rows_of(
    database: &Connection,
    scope: &Scope,
    term: &QueryTerm,
    mark: Option<char>,
    mut found: impl FnMut(usize, u32),
) -> Result<(), IndexError> {
    let (Some(first), Some(last)) = (scope.documents.first(), scope.documents.last()) else { return Ok(()) };
    let keys = term.keys.iter().map(|key| {
        let mark = mark.map(String::from).unwrap_or_default();
        format!("\"{}{mark}\"", key.replace('"', ""))
    });
    let keys = keys.collect::<Vec<_>>().join(" OR ");
    let select = "SELECT rowid FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid";
    let mut find = database.prepare_cached(select)?;
    let mut rows = find.query(params![keys, first.cover, last.last_row()])?;
    let mut document = 0;
    while let Some(row) = rows.next()? {
        let row: i64 = row.get(0)?;
        while scope.documents.get(document).is_some_and(|one| one.last_row() < row) {
            document += 1;
        }
        let Some(one) = scope.documents.get(document) else { break };
        if let Ok(row) = u32::try_from(row.saturating_sub(one.cover)) {
            found(document, row);
        }
    }
    Ok(())
}

/// The number of pages among postings.
fn count(postings: &[Posting]) -> u32 {
    u32::try_from(postings.iter().filter(|one| one.row > 0).count()).unwrap_or(u32::MAX)
}

/// For each document with a term, what each term weighs in it: the more, the rarer it is there. The sum over its terms stays
/// what it is among all pages, so that documents remain comparable.
fn weights_within(scope: &Scope, postings: &[Vec<Posting>], weights: &[f32]) -> BTreeMap<usize, Vec<f32>> {
    let mut within: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for (term, postings) in postings.iter().enumerate() {
        for of_document in postings.chunk_by(|one, next| one.document == next.document) {
            let Some(document) = of_document.first().map(|one| one.document) else { continue };
            let pages = scope.documents.get(document).map_or(0, ScopeDocument::pages);
            let rarities = within.entry(document).or_insert_with(|| vec![0.0; weights.len()]);
            let found = count(of_document);
            if let Some(own) = rarities.get_mut(term).filter(|_| found > 0) {
                *own = rarity(found, pages);
            }
        }
    }
    for rarities in within.values_mut() {
        let held = |own: &f32| *own > 0.0;
        let among = rarities.iter().zip(weights).filter(|(own, _)| held(own)).map(|(_, weight)| weight).sum::<f32>();
        let own = rarities.iter().filter(|own| held(own)).sum::<f32>().max(f32::MIN_POSITIVE);
        for (rarity, weight) in rarities.iter_mut().zip(weights) {
            let of_document = *rarity * among / own;
            *rarity = if held(rarity) { WITHIN * of_document + (1.0 - WITHIN) * weight } else { *weight };
        }
    }
    within
}

/// The scores of the rows of each document with a term.
fn scores(
    scope: &Scope,
    postings: &[Vec<Posting>],
    weights: &[f32],
    within: &BTreeMap<usize, Vec<f32>>,
) -> BTreeMap<usize, Vec<f32>> {
    let mut scores: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for (term, postings) in postings.iter().enumerate() {
        let covers = u32::try_from(postings.iter().filter(|one| one.row == 0).count()).unwrap_or(u32::MAX);
        let documents = u32::try_from(scope.documents.len()).unwrap_or(u32::MAX);
        let cover = (COVER * rarity(covers, documents)).min(weights.get(term).copied().unwrap_or(0.0));
        for one in postings {
            let Some(document) = scope.documents.get(one.document) else { continue };
            let Some(weight) = within.get(&one.document).and_then(|weights| weights.get(term)) else { continue };
            let rows = scores.entry(one.document).or_insert_with(|| vec![0.0; document.lengths.len() + 1]);
            let length = scope.relative_length(document.length(one.row.saturating_sub(1)));
            let added = if one.row == 0 { cover } else { weight * saturated(one.count, length) };
            if let Some(score) = usize::try_from(one.row).ok().and_then(|row| rows.get_mut(row)) {
                *score += added;
            }
        }
    }
    scores
}

fn best_pages(scope: &Scope, query: &Query, scores: BTreeMap<usize, Vec<f32>>, limit: usize) -> Vec<Candidate> {
    let mut pages = Vec::new();
    for (document, rows) in scores {
        let cover = rows.first().copied().unwrap_or(0.0);
        let score = |row: usize| rows.get(row).copied().unwrap_or(0.0);
        for (row, page) in (1..rows.len()).zip(0_u32..) {
            let before = if row > 1 { score(row - 1) } else { 0.0 };
            let own = score(row);
            if own > 0.0 && scope.has_page(page) {
                let around = NEIGHBOUR * before.max(score(row + 1)) + cover;
                pages.push(Candidate { document, page, score: own + around, around });
            }
        }
    }
    // The page that the query names belongs to one document alone.
    if let ([_], Some(page)) = (scope.documents.as_slice(), query.page.and_then(|number| number.checked_sub(1))) {
        let is_new = pages.iter().all(|one| one.page != page);
        let has_page = scope.documents.first().is_some_and(|document| page < document.pages()) && scope.has_page(page);
        pages.extend((is_new && has_page).then_some(Candidate { document: 0, page, score: 0.0, around: 0.0 }));
    }
    let better = |one: &Candidate, other: &Candidate| {
        other.score.total_cmp(&one.score).then((one.document, one.page).cmp(&(other.document, other.page)))
    };
    if pages.len() > limit && limit > 0 {
        pages.select_nth_unstable_by(limit - 1, better);
        pages.truncate(limit);
    }
    pages.sort_unstable_by(better);
    pages
}

/// How much longer a page is than the middling one, from a sum and a number of pages.
pub(super) fn relative(length: u32, sum: u64, pages: u32) -> f32 {
    let middling = sum / u64::from(pages.max(1));
    to_float(length) / to_float(u32::try_from(middling).unwrap_or(u32::MAX).max(1))
}
