//! Pages together: furniture, headings, lists, notes, and paragraphs that go over columns and pages.

mod build;
mod captions;
mod contents;
mod drafts;
mod furniture;
mod headings;
mod joins;
mod lists;
mod notes;
mod quotes;
mod spans;
mod type_statistics;

use super::block::PageBlocks;
use super::page_structure::{Line, LineRole, PageStructure, Region};
use drafts::Draft;
use type_statistics::TypeStatistics;

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
pub fn read_document(pages: &[DocumentPage], outline: &[OutlineHeading]) -> Vec<PageBlocks> {
    let furniture = furniture::find(pages);
    let statistics = TypeStatistics::of(pages, &furniture);
    let mut drafts = all_drafts(pages, &furniture, &statistics);
    notes::mark(&mut drafts, pages, &statistics);
    captions::mark_labelled(&mut drafts, pages, &statistics);
    headings::mark(&mut drafts, outline, &statistics);
    contents::mark(&mut drafts);
    lists::mark(&mut drafts, &statistics);
    captions::mark(&mut drafts, pages, &statistics);
    quotes::mark(&mut drafts);
    joins::join(&mut drafts, pages, &statistics);
    build::pages(pages, &drafts, &statistics)
}

/// The drafts of all pages, in reading order.
fn all_drafts<'a>(
    pages: &'a [DocumentPage],
    furniture: &furniture::Furniture,
    statistics: &TypeStatistics,
) -> Vec<Draft<'a>> {
    let mut drafts = Vec::new();
    let mut recent = drafts::RecentMarkers::default();
    for (page_index, page) in pages.iter().enumerate() {
        let dividers = drafts::Dividers::of(&page.structure.rules);
        let evidence = drafts::Evidence { statistics, dividers: &dividers };
        for (region_index, region) in page.structure.regions.iter().enumerate() {
            let place = drafts::Place { page: page_index, region: region_index };
            match region {
                Region::Table(table) => drafts.push(Draft::of_table(place, *table)),
                Region::Figure(figure) => drafts.push(Draft::of_figure(place, figure)),
                Region::Column(column) => {
                    let is_running = |index: usize, line: &Line| {
                        furniture.contains(page_index, region_index, index)
                            || line.tag.is_some_and(|tag| tag.role == LineRole::Furniture)
                    };
                    let (lines, running): (Vec<_>, Vec<_>) =
                        (0..).zip(&column.lines).partition(|(index, line)| !is_running(*index, line));
                    drafts.extend(running.iter().map(|(_, line)| Draft::of_furniture(place, line)));
                    let lines: Vec<_> = lines.into_iter().map(|(_, line)| line).collect();
                    drafts::split(&lines, column, place, evidence, &mut recent, &mut drafts);
                }
            }
        }
    }
    drafts
}
