//! Orders pages by a query.
//!
//! The first stage adds up the postings of all terms. The second reads the text of the best pages again, for phrases,
//! nearness and headings.

mod excerpt;
mod first_stage;
mod matches;
mod query;
mod second_stage;
mod weights;

pub use first_stage::PageAddress;

pub(super) use excerpt::excerpt;
pub(super) use first_stage::{ScopedSegment, first_stage};
pub(super) use matches::WordMemory;
pub(super) use query::query_terms;
pub(super) use second_stage::{PageToScore, PassageScore, Rescorer};
pub(super) use weights::impact;
