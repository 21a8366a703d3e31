//! Writes blocks as Markdown.

use super::block::{Block, BlockKind, PageBlocks};
use super::tables::{self, Table};

/// The Markdown of a page. `tables` are the tables of the page.
#[must_use]
pub fn to_markdown(page: &PageBlocks, tables: &[Table]) -> String {
    let blocks = page.blocks.iter().map(|block| block_markdown(block, tables));
    blocks.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn block_markdown(block: &Block, tables: &[Table]) -> String {
    match &block.kind {
        BlockKind::Table { index } => tables.get(*index).map(tables::to_markdown).unwrap_or_default(),
        _ => block.spans.iter().map(|span| span.text.as_str()).collect(),
    }
}
