//! `pdf_search`: a query or a quote, in one document or in several.

mod document;
mod documents;
mod findings;
mod matched_page;
mod quote;

pub use self::document::FoundInDocument;
pub use self::documents::{FoundInDocuments, SearchResult, search};
pub use self::matched_page::MatchedPage;
pub use self::quote::QuoteFindings;
