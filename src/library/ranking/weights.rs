//! What counts how much in the order of pages. Chosen by `benches/README.md`, "Ranked search".

use crate::analysis::Occurrence;

/// Weights of a ranking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights {
    /// The best passage against the whole page.
    pub(crate) passage: f32,
    /// Terms that stand near each other.
    pub(crate) near: f32,
    /// Terms in the order of the query, side by side.
    pub(crate) phrase: f32,
    /// A title of the outline that is the query.
    pub(crate) heading: f32,
    /// A line that looks like a heading, against a title of the outline.
    pub(crate) heading_line: f32,
    /// A term of which only another form stands there.
    pub(crate) inexact: f32,
    /// A page that lists titles.
    pub(crate) contents: f32,
    /// The title of the document.
    pub(crate) title: f32,
    /// The power of the share of the query that stands on the page.
    pub(crate) coverage: f32,
    /// The same for the place where most of it stands.
    pub(crate) near_coverage: f32,
}

/// The weights of every search.
pub(crate) const WEIGHTS: Weights = Weights {
    passage: 1.0,
    near: 2.0,
    phrase: 1.0,
    heading: 1.0,
    heading_line: 0.8,
    inexact: 0.5,
    contents: 0.5,
    title: 0.2,
    coverage: 0.5,
    near_coverage: 1.0,
};

/// A word of a heading counts as so many words of the text.
const HEADING_COUNT: u32 = 2;

/// Words of a page of middling length.
const MIDDLING_WORDS: u32 = 250;

/// The greatest share that BM25 gives a term, where `k1` is 1.2.
pub(crate) const MAX_SHARE: f32 = 2.2;

/// What a term adds to the score of a page, as BM25 has it with `k1` of 1.2 and `b` of 0.5: 255 is [`MAX_SHARE`].
///
/// The middling length is fixed, so that the impact of a page does not change with the pages around it.
pub(crate) fn impact(occurrence: Occurrence, words: u32) -> u8 {
    let count = u32::from(occurrence.count) + HEADING_COUNT * u32::from(occurrence.headings);
    let weighted = u64::from(count) * 5 * u64::from(MIDDLING_WORDS);
    let length = 3 * (u64::from(MIDDLING_WORDS) + u64::from(words));
    u8::try_from(255 * weighted / (weighted + length)).unwrap_or(u8::MAX)
}

/// A term that no page has counts less.
pub(crate) const ABSENT: f32 = 0.3;

/// How much a term says that so many of all pages have, as in BM25.
pub(crate) fn rarity(found: u32, all: u32) -> f32 {
    let (found, all) = (to_float(found), to_float(all));
    (1.0 + (all - found + 0.5).max(0.0) / (found + 0.5)).ln()
}

/// A count as a number to calculate with. Its precision suffices for scores.
pub(crate) fn to_float(count: u32) -> f32 {
    count as f32
}
