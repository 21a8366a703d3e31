//! The pages with the highest sums over the terms of a query, from postings alone.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use super::query::QueryTerm;
use super::weights::{ABSENT, MAX_SHARE, WEIGHTS, rarity};
use crate::segment::{Posting, PostingsReader, Segment, SegmentError, StoredPostings, term_hash};

/// The highest weight of a term in a passage: the weights of all terms fit into a byte.
const FULL_WEIGHT: f32 = 255.0;

/// A page of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageAddress {
    /// The number of the segment.
    pub segment: usize,
    /// The page within it.
    pub page: u32,
}

/// A segment with the pages of it that are asked for.
pub(crate) struct ScopedSegment<'a> {
    pub(crate) segment: &'a Segment,
    /// In ascending order.
    pub(crate) pages: Vec<Range<u32>>,
}

/// What the first stage found.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// The best pages, the best first.
    pub(crate) pages: Vec<(PageAddress, f32)>,
    /// The weight of each term of the query.
    pub(crate) rarities: Vec<f32>,
}

/// Finds the `limit` best pages.
pub(crate) fn first_stage(
    segments: &[ScopedSegment<'_>],
    terms: &[QueryTerm],
    limit: usize,
) -> Result<Candidates, SegmentError> {
    let found = segments.iter().map(|scoped| stored_postings(scoped.segment, terms)).collect::<Result<Vec<_>, _>>()?;
    let all = segments.iter().map(|scoped| scoped.segment.page_count()).sum();
    let rarities = (0..).zip(terms).map(|(at, term)| term.weight * rarity_of(&found, at, all)).collect::<Vec<_>>();
    let mut best = BestPages::new(limit);
    let largest = segments.iter().map(|scoped| scoped.segment.page_count()).max().unwrap_or(0);
    let mut scores = SegmentScores::new(largest, &rarities);
    for (number, (scoped, stored)) in segments.iter().zip(&found).enumerate() {
        scores.clear(scoped.segment.page_count());
        for (stored, rarity) in stored.iter().zip(&rarities) {
            scores.add_term(scoped.segment, stored, *rarity)?;
        }
        scores.collect(number, scoped, &mut best);
    }
    Ok(Candidates { pages: best.finish(), rarities })
}

/// Where the postings of each term stand, one for each key that the segment has.
fn stored_postings(segment: &Segment, terms: &[QueryTerm]) -> Result<Vec<Vec<StoredPostings>>, SegmentError> {
    let of_term = |term: &QueryTerm| {
        let hashes = term.keys.iter().map(|key| term_hash(key)).collect::<BTreeSet<_>>();
        hashes.into_iter().filter_map(|hash| segment.find(hash).transpose()).collect()
    };
    terms.iter().map(of_term).collect()
}

fn rarity_of(found: &[Vec<Vec<StoredPostings>>], term: usize, all: u32) -> f32 {
    let stored = found.iter().filter_map(|segment| segment.get(term)).flatten();
    match stored.fold(0_u32, |sum, postings| sum.saturating_add(postings.count)) {
        0 => ABSENT * rarity(0, all),
        count => rarity(count.min(all), all),
    }
}

/// Sums over the terms, for every page of a segment.
struct SegmentScores {
    scores: Vec<f32>,
    /// Eight sums of a byte for each page: one for each passage.
    passages: Vec<u64>,
    /// What a unit of those sums is worth.
    unit: f32,
    /// Stored postings while they are read.
    stored: Vec<u8>,
}

impl SegmentScores {
    fn new(most_pages: u32, rarities: &[f32]) -> Self {
        let most = page_number(most_pages);
        let total = rarities.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self {
            scores: Vec::with_capacity(most),
            passages: Vec::with_capacity(most),
            unit: total / FULL_WEIGHT,
            stored: Vec::new(),
        }
    }

    /// Begins with a segment of so many pages.
    fn clear(&mut self, pages: u32) {
        self.scores.clear();
        self.scores.resize(page_number(pages), 0.0);
        self.passages.clear();
        self.passages.resize(page_number(pages), 0);
    }

    fn add_term(&mut self, segment: &Segment, stored: &[StoredPostings], rarity: f32) -> Result<(), SegmentError> {
        let mut bytes = std::mem::take(&mut self.stored);
        if let [one] = stored {
            segment.read_postings(*one, &mut bytes)?;
            self.add(PostingsReader::new(&bytes)?, rarity);
        } else {
            let mut merged = Vec::new();
            for one in stored {
                segment.read_postings(*one, &mut bytes)?;
                merged.extend(PostingsReader::new(&bytes)?);
            }
            self.add(merge_forms(merged).into_iter(), rarity);
        }
        self.stored = bytes;
        Ok(())
    }

    fn add(&mut self, postings: impl Iterator<Item = Posting>, rarity: f32) {
        let share = rarity * MAX_SHARE / 255.0;
        let weight = whole_part(rarity / self.unit);
        for posting in postings {
            let at = page_number(posting.page);
            let (Some(score), Some(passages)) = (self.scores.get_mut(at), self.passages.get_mut(at)) else { continue };
            *score += share * f32::from(posting.impact);
            *passages = passages.wrapping_add(near_passages(posting.passages).wrapping_mul(weight));
        }
    }

    fn collect(&self, segment: usize, scoped: &ScopedSegment<'_>, best: &mut BestPages) {
        let most = WEIGHTS.passage * self.unit * FULL_WEIGHT;
        for page in scoped.pages.iter().cloned().flatten() {
            let at = page_number(page);
            let (Some(score), Some(passages)) = (self.scores.get(at), self.passages.get(at)) else { return };
            if *score > 0.0 && score + most > best.least {
                let factor = if scoped.segment.is_contents(page) { WEIGHTS.contents } else { 1.0 };
                let passage = passages.to_le_bytes().into_iter().max().unwrap_or(0);
                let score = (score + WEIGHTS.passage * self.unit * f32::from(passage)) * factor;
                best.push(PageAddress { segment, page }, score);
            }
        }
    }
}

fn page_number(page: u32) -> usize {
    usize::try_from(page).unwrap_or(usize::MAX)
}

/// One posting a page, where several forms of a word stand on it.
fn merge_forms(mut postings: Vec<Posting>) -> Vec<Posting> {
    postings.sort_by_key(|posting| posting.page);
    postings.dedup_by(|next, first| {
        let is_same = next.page == first.page;
        if is_same {
            first.impact = first.impact.max(next.impact);
            first.passages |= next.passages;
        }
        is_same
    });
    postings
}

/// The passages of a posting and those after them, a byte of 1 for each.
fn near_passages(passages: u8) -> u64 {
    PASSAGE_BYTES.get(usize::from(passages)).copied().unwrap_or(0)
}

const PASSAGE_BYTES: [u64; 256] = passage_bytes();

#[allow(clippy::indexing_slicing, reason = "the compiler runs it")]
const fn passage_bytes() -> [u64; 256] {
    let mut bytes = [0; 256];
    let mut at = 1;
    while at < bytes.len() {
        let bits = at | at << 1;
        let mut bit = 0;
        while bit < 8 {
            bytes[at] |= ((bits >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        at += 1;
    }
    // A term that stands in an outline title alone belongs to the first passage.
    bytes[0] = 1;
    bytes
}

/// The whole part of a number from 0 to 255.
fn whole_part(value: f32) -> u64 {
    (1..=255_u8).rev().find(|whole| f32::from(*whole) <= value).map_or(0, u64::from)
}

/// The pages with the highest scores.
struct BestPages {
    limit: usize,
    pages: Vec<(PageAddress, f32)>,
    /// A page must score more.
    least: f32,
}

impl BestPages {
    fn new(limit: usize) -> Self {
        Self { limit, pages: Vec::with_capacity(limit * 2), least: 0.0 }
    }

    fn push(&mut self, page: PageAddress, score: f32) {
        if score > self.least {
            self.pages.push((page, score));
            if self.pages.len() >= self.limit * 2 {
                self.drop_the_lowest();
            }
        }
    }

    fn drop_the_lowest(&mut self) {
        if self.pages.len() > self.limit {
            self.pages.select_nth_unstable_by(self.limit.saturating_sub(1), better);
            self.pages.truncate(self.limit);
            self.least = self.pages.last().map_or(0.0, |(_, score)| *score);
        }
    }

    fn finish(mut self) -> Vec<(PageAddress, f32)> {
        self.pages.sort_unstable_by(better);
        self.pages.truncate(self.limit);
        self.pages
    }
}

fn better(one: &(PageAddress, f32), other: &(PageAddress, f32)) -> Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::weights::to_float;

    #[test]
    fn a_term_counts_in_its_passages_and_those_after_them() {
        assert_eq!(near_passages(0b1000_0001).to_le_bytes(), [1, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(near_passages(0).to_le_bytes(), [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((whole_part(0.4), whole_part(7.0), whole_part(254.9), whole_part(255.1)), (0, 7, 254, 255));
    }

    #[test]
    fn the_best_pages_are_kept_in_order() {
        let mut best = BestPages::new(3);
        for page in 0..100 {
            best.push(PageAddress { segment: 0, page }, to_float(page * 37 % 101));
        }
        let scores = best.finish().into_iter().map(|(_, score)| score).collect::<Vec<_>>();
        assert_eq!(scores, [100.0, 99.0, 98.0]);
    }

    #[test]
    fn forms_of_a_word_on_one_page_count_once() {
        let posting = |page, impact| Posting { page, impact, passages: impact };
        assert_eq!(
            merge_forms(vec![posting(1, 1), posting(9, 4), posting(1, 2)]),
            [Posting { page: 1, impact: 2, passages: 3 }, posting(9, 4)]
        );
    }
}
