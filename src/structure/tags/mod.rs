//! Pages as the structure tree of a Tagged PDF describes them (ISO 32000-2, 14.8).
//!
//! 1. `blocks` finds for each element the block to which its text belongs.
//! 2. `pieces` gathers the words of each block, and `cells` those of tables.
//! 3. `belief` compares the result with what the page shows. A tree that does not account for the text of the page, or
//!    not in an order that a reader could follow, is not believed.
//!
//! Each word is taken once. What the tree does not claim stands where the rules of `reading` put it.

mod belief;
mod blocks;
mod cells;
mod pieces;
mod regions;

use super::page_structure::{PageStructure, TableArea};
use super::reading;
use super::tables::{Table, find_tables};
use blocks::BlockMap;
use pagewise_document::PageTags;
use pagewise_text::PageLayout;
use pieces::WordOwners;

/// Reads a page by its structure tree, with its tables. `None` if the tree is not believed.
#[must_use]
pub fn read_tagged_page(page: &PageLayout, tags: &PageTags) -> Option<(PageStructure, Vec<Table>)> {
    if page.words.len() > reading::MAX_WORDS {
        return None;
    }
    let page = &*reading::with_dashed_rules(page);
    let blocks = BlockMap::of(tags);
    let mut owners = WordOwners::of(page, tags, &blocks);
    if !belief::accounts_for(page, &owners, &blocks) {
        return None;
    }
    let found = cells::read(page, tags, &blocks, &owners);
    let drawn = if found.are_all { Vec::new() } else { tables_beside(page, &found.tables) };
    let areas = drawn.iter().zip(found.tables.len()..).map(|(table, index)| TableArea { bounds: table.bounds, index });
    let areas: Vec<TableArea> = areas.collect();
    let (found, refused) = (found.tables, found.refused);
    let claims = pieces::TableClaims { by_tree: &found, refused: &refused, by_place: &areas };
    let pieces = pieces::gather(page, tags, &blocks, &mut owners, &claims);
    let written = regions::write(page, tags, &pieces, &owners, &found)?;
    let tables = found.into_iter().map(|found| found.table).chain(drawn).collect();
    let structure = PageStructure { regions: written, ..reading::without_text(page) };
    Some((structure, tables))
}

/// The tables that are seen where the tree has none.
fn tables_beside(page: &PageLayout, found: &[cells::TreeTable]) -> Vec<Table> {
    let is_beside = |table: &Table| !found.iter().any(|other| table.bounds.overlaps(other.area.bounds));
    find_tables(page).into_iter().filter(is_beside).collect()
}
