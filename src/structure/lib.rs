//! The structure of pages: blocks of text, tables, and both as Markdown.
//!
//! 1. `tables` finds the tables of one page, `formulas` what is LaTeX, and `reading` its lines in reading order. Both run where the page was read.
//!    Where the structure tree accounts for the page, `tags` reads it by the tree instead.
//! 2. `document` reads pages together: running heads, headings, lists and paragraphs that go over columns and pages.
//! 3. `markdown` writes blocks.
//!
//! The rules are those of typesetting. None looks at a document's name, producer or words.

mod block;
mod bounds;
mod caption_label;
mod code_signs;
mod disjoint_sets;
mod document;
mod formulas;
mod line_end;
mod line_numbers;
mod list_marks;
mod markdown;
mod measures;
mod page_structure;
mod reading;
pub mod tables;
mod tags;

pub use block::{Block, BlockKind, ListMarker, PageBlocks, SpanPosition, TextSpan};
pub use document::{DocumentPage, OutlineHeading, printed_numbers, read_document};
pub use markdown::to_markdown;
pub use page_structure::{
    Column, Figure, Formula, Line, LineRole, LineTag, LineWord, PageStructure, Region, Style, TableArea,
};
pub use reading::read_page;
pub use tags::read_tagged_page;

#[cfg(test)]
mod tests;
