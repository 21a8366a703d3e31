//! pagewise: PDFs for coding agents, page by page.
pub mod cli;
pub mod context;
pub mod document;
pub mod hash;
pub mod limits;
pub mod page;
pub mod render;
pub mod serve;
pub mod source;
pub mod split;
pub mod store;
pub mod text;
pub mod tool;
pub mod view;
