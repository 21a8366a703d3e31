//! `pdf_search`: a query or a quote, in one document or in several.

mod document;
mod documents;
mod matched_page;
mod quote;

pub use self::documents::search;
