//! A segment: an immutable file with the pages of some documents, and the postings of their terms.
//!
//! A page's text is compressed by itself, and every table is read by position, so that a query reads what it needs. The
//! tables stand behind what they describe, since a segment is written from its beginning to its end.

mod builder;
mod codec;
mod compression;
mod details;
mod error;
mod layout;
mod merge;
mod postings;
mod reader;
mod term_hash;
mod writer;

pub use builder::{DocumentText, OutlineTitle, PageTextToIndex, SegmentBuilder};
pub use details::DocumentDetails;
pub use error::SegmentError;
pub use merge::merge;
pub use reader::{Segment, SegmentDocument};

pub(super) use codec::{Decoder, put_number, put_text};
pub(super) use postings::{Posting, PostingsReader};
pub(super) use reader::StoredPostings;
pub(super) use term_hash::term_hash;
