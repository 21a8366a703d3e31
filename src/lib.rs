//! pagewise: PDFs for coding agents, page by page.
pub mod document;
pub mod hash;
pub mod limits;
pub mod page;
pub mod source;
pub mod split;
pub mod store;
pub mod text;
pub mod view;
