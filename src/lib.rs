//! pagewise: PDFs for coding agents, page by page.
#![doc = ""]
pub mod document;
pub mod hash;
pub mod limits;
pub mod page;
pub mod source;
pub mod store;
pub mod view;
