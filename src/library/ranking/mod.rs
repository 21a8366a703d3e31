//! Orders pages by a question.
//!
//! `candidates` adds up what the keys of the index tell, for every page. `page_score` reads the text of the best again, for
//! phrases, nearness and headings. Both weigh a word by how rare it is among all pages and within its document.

mod candidates;
mod excerpt;
mod matches;
mod page_score;
mod query;
mod search;
mod stop_words;

pub use search::{DocumentSet, RankedPage, SearchScope};

pub(super) use search::search;

/// How much a term says that so many of all pages have, as in BM25.
fn rarity(found: u32, all: u32) -> f32 {
    let (found, all) = (to_float(found), to_float(all));
    (1.0 + (all - found + 0.5).max(0.0) / (found + 0.5)).ln()
}

/// What a count adds to a score, as in BM25, on a page of `length` times the middling length: from 0 to 2.2.
fn saturated(count: f32, length: f32) -> f32 {
    const K1: f32 = 1.2;
    const B: f32 = 0.75;
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
}

/// A count as a number to calculate with. Its precision suffices for scores.
fn to_float(count: u32) -> f32 {
    count as f32
}
