//! Ranked search over many documents: an index of pages in SQLite, and the order of its answers.
//!
//! 1. `analysis` cuts text into words, numbers and identifiers, whole and in part, and pairs of characters where no spaces
//!    divide words. It stems words of a known language, and finds headings and running lines.
//! 2. `index` keeps one database, on disk or in memory: an FTS5 table of the keys of every page, the texts of pages, and
//!    which file is which document.
//! 3. `ranking` reads a question, finds candidates from the keys alone, and reads the texts of the best again, for phrases,
//!    nearness and headings.

mod analysis;
mod dates;
mod index;
mod ranking;

pub use analysis::{is_language, language_of};
pub use dates::{DateRange, date_of_moment, date_of_text, date_text};
pub use index::{
    DocumentRecord, DocumentText, FileRecord, Index, IndexBatch, IndexError, IndexLock, IndexStatus, KnownFile,
    OutlineTitle, PageTextToIndex,
};
pub use ranking::{DocumentSet, RankedPage, SearchScope};
