//! Pages together: furniture, headings, lists, notes, and paragraphs that go over columns and pages.

use super::block::{Block, BlockKind, PageBlocks, TextSpan};
use super::page_structure::{Column, PageStructure, Region};
use crate::text::Bounds;

/// A page of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentPage {
    /// From 1.
    pub number: u32,
    /// Its lines in reading order.
    pub structure: PageStructure,
    /// Whether its blocks are wanted. Other pages are evidence for furniture and styles.
    pub is_wanted: bool,
}

/// An entry of the document's outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineHeading {
    /// As the document has it.
    pub title: String,
    /// From 1.
    pub depth: u8,
}

/// Reads pages together, in the order of their numbers. Gives the blocks of the wanted pages.
#[must_use]
pub fn read_document(pages: &[DocumentPage], _outline: &[OutlineHeading]) -> Vec<PageBlocks> {
    let wanted = pages.iter().filter(|page| page.is_wanted);
    wanted.map(|page| PageBlocks { number: page.number, blocks: blocks_of(&page.structure) }).collect()
}

fn blocks_of(page: &PageStructure) -> Vec<Block> {
    page.regions.iter().map(block_of).collect()
}

fn block_of(region: &Region) -> Block {
    match region {
        Region::Column(column) => paragraph_of(column),
        Region::Table(table) => {
            Block { kind: BlockKind::Table { index: table.index }, bounds: table.bounds, spans: Vec::new() }
        }
    }
}

fn paragraph_of(column: &Column) -> Block {
    let text = column.lines.iter().map(super::page_structure::Line::text).collect::<Vec<_>>().join(" ");
    let bounds = column.lines.iter().map(|line| line.bounds).reduce(Bounds::union).unwrap_or_default();
    Block { kind: BlockKind::Paragraph { depth: 0 }, bounds, spans: vec![TextSpan { text, ..TextSpan::default() }] }
}
