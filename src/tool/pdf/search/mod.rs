//! `pdf_search`: a query or a quote, in one document or in several, or ranked over all of them.

mod absent;
mod document;
mod documents;
mod findings;
mod index;
mod matched_page;
mod quote;
mod quotes;
mod ranked;

pub use self::document::FoundInDocument;
#[cfg(feature = "program")]
pub(crate) use self::documents::MAX_EXCERPTS;
pub use self::documents::{Coverage, DocumentPages, FoundInDocuments, SearchResult, search};
pub use self::index::{add_to_index, clear_index, index_status};
pub use self::matched_page::MatchedPage;
pub use self::quote::QuoteFindings;
pub(super) use self::quote::check_quote;
pub use self::quotes::QuotesFindings;
pub use self::ranked::RankedResult;
