//! Ranked search over many documents: an inverted index of pages, and the order of its answers.
//!
//! 1. `analysis` cuts text into words, numbers and identifiers, whole and in part, and pairs of characters where no spaces
//!    divide words. It stems words of a known language, and finds headings and running lines.
//! 2. `segment` is the format: immutable files with the texts of pages and the postings of their terms.
//! 3. `ranking` scores all pages by BM25 over pages and passages, from postings alone. It reads the texts of the best
//!    again, for phrases, nearness and headings.
//! 4. `index` keeps segments in memory or in a folder, and knows which file is which document.

mod analysis;
mod dates;
mod index;
mod ranking;
mod search;
mod segment;

pub use analysis::language_of;
pub use dates::{DateRange, date_of_moment, date_of_text, date_text};
pub use index::{DocumentRecord, FileRecord, Index, IndexBatch, IndexLock, IndexStatus};
pub use ranking::PageAddress;
pub use search::{DocumentSet, MAX_HITS, RankedPage, SearchScope, search};
pub use segment::{
    DocumentDetails, DocumentText, OutlineTitle, PageTextToIndex, Segment, SegmentBuilder, SegmentDocument,
    SegmentError, merge,
};
