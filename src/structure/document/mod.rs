//! Pages together: furniture, headings, lists, notes, and paragraphs that go over columns and pages.

mod asides;
mod build;
mod captions;
mod drafts;
mod entries;
mod furniture;
mod headings;
mod joins;
mod levels;
mod lists;
mod mirror;
mod notes;
mod quotes;
mod spans;
mod type_statistics;

use std::collections::BTreeMap;

pub(crate) use drafts::marker;

use super::block::PageBlocks;
use super::page_structure::{PageStructure, Region};
use drafts::Draft;
use furniture::RunningRow;
use pagewise_text::Bounds;
use type_statistics::TypeStatistics;

#[derive(Debug, Clone, PartialEq)]
pub struct DocumentPage {
    /// From 1.
    pub number: u32,
    /// As the document numbers it, where it does.
    pub label: Option<String>,
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
    let pages = &*mirror::mirrored(pages);
    let furniture = furniture::find(pages);
    let statistics = TypeStatistics::of(pages, &furniture);
    let mut drafts = all_drafts(pages, &furniture, &statistics);
    notes::mark(&mut drafts, pages, &statistics);
    captions::mark_labelled(&mut drafts, pages, &statistics);
    headings::mark(&mut drafts, pages, outline, &statistics);
    entries::mark_rows(&mut drafts);
    lists::mark(&mut drafts, &statistics);
    entries::mark_labels(&mut drafts, &statistics);
    captions::mark(&mut drafts, pages, &statistics);
    quotes::mark(&mut drafts);
    joins::join(&mut drafts, pages, &statistics);
    entries::mark_works(&mut drafts);
    build::pages(pages, &drafts, &statistics)
}

/// The numbers that pages print of themselves in their running lines, by the numbers of the pages. At least three pages
/// agree in each.
#[must_use]
pub fn printed_numbers(pages: &[DocumentPage]) -> BTreeMap<u32, String> {
    furniture::printed_numbers(&mirror::mirrored(pages))
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
        let [upright, mirrored] = [false, true].map(|is_mirrored| {
            let placed =
                |bounds: &Bounds| if is_mirrored { mirror::mirror(*bounds, page.structure.width) } else { *bounds };
            let dividers = drafts::Dividers::of(page.structure.rules.iter().map(placed));
            (dividers, drafts::Room::of(&page.structure, &placed))
        });
        let running = |rows: Option<&Vec<RunningRow>>| {
            let rows = rows.into_iter().flatten();
            rows.filter_map(|row| Draft::of_running(page_index, &page.structure, row)).collect::<Vec<_>>()
        };
        let own = furniture.of_page(page_index);
        drafts.extend(running(own.map(|lines| &lines.heads)));
        for (region_index, region) in page.structure.regions.iter().enumerate() {
            let place = drafts::Place { page: page_index, region: region_index };
            match region {
                Region::Table(table) => drafts.push(Draft::of_table(place, *table)),
                Region::Figure(figure) => drafts.push(Draft::of_figure(place, figure)),
                Region::Column(column) => {
                    let lines = column.lines.iter().enumerate();
                    let lines = lines.filter(|(index, _)| !furniture.contains(place, *index)).map(|(_, line)| line);
                    let from = drafts.len();
                    let (dividers, room) = if column.is_mirrored { &mirrored } else { &upright };
                    let evidence = drafts::Evidence { statistics, dividers, room };
                    drafts::split(&lines.collect::<Vec<_>>(), column, place, evidence, &mut recent, &mut drafts);
                    let own = drafts.get_mut(from..).unwrap_or_default();
                    match column.is_figure {
                        true => own.iter_mut().for_each(Draft::make_label),
                        false => asides::mark(own, column, &page.structure, statistics),
                    }
                }
            }
        }
        drafts.extend(running(own.map(|lines| &lines.feet)));
    }
    drafts
}
