//! Reads pages of a document as Markdown.
//!
//! Pages are read together: running heads are found by repetition, headings by rank, and paragraphs go over pages.
//! A few pages around the wanted ones are read as evidence for this, and the first page, which has the title.

use std::collections::BTreeMap;

use super::phrases::one_line;
use crate::worker::{PageText, Pages, PdfError, StructuredPage};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::image_name;
use pagewise_document::OutlineItem;
use pagewise_structure::tables::{Table, to_markdown as table_markdown};
use pagewise_structure::{Block, BlockKind, DocumentPage, OutlineHeading, printed_numbers, read_document, to_markdown};
use pagewise_text::Bounds;

/// What is noted where rows of values stand outside the tables that were found.
pub const UNREAD_ROWS: &str =
    "a table may be missing or incomplete, since rows of values stand outside the tables found";

/// Pages that are read together. A paragraph does not go on from one group to the next.
const MAX_TOGETHER: usize = 200;

/// Pages before and after each range that are read as evidence.
const EVIDENCE_PAGES: u32 = 4;

/// The most pages that are read as evidence.
const MAX_EVIDENCE: usize = 16;

/// Entries of the outline that are compared with headings.
const MAX_OUTLINE_ITEMS: usize = 2_000;

/// A page as Markdown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarkdownPage {
    /// Its plain text, with facts about its completeness.
    pub text: PageText,
    /// Its Markdown, or its plain text if only the fallback engine could read it.
    pub markdown: String,
    /// The running heads, feet and page numbers that its Markdown is without.
    pub left_out: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Whether rows of values stand outside of them.
    pub has_unread_rows: bool,
}

impl MarkdownPage {
    /// What is doubtful about its tables.
    pub fn table_doubts(&self) -> impl Iterator<Item = &'static str> {
        let is_guess = self.tables.iter().any(|table| !table.is_certain);
        let guess = is_guess.then_some("the columns of a table are a guess, since no lines divide them");
        guess.into_iter().chain(self.has_unread_rows.then_some(UNREAD_ROWS))
    }
}

/// The pages that were read, or why they could not be.
pub type MarkdownPages = BTreeMap<PageIndex, Result<MarkdownPage, PdfError>>;

/// Reads the first pages of `wanted` that are read together, and removes them from it. `goes_on` is asked before each
/// page, and ends the reading.
pub fn read_markdown(document: &dyn Pages, wanted: &mut PageSet, goes_on: impl Fn() -> bool) -> MarkdownPages {
    read_illustrated(document, wanted, goes_on, |_| Vec::new())
}

/// The same with the pictures that `illustrate` gives for each page, in their places.
pub fn read_illustrated(
    document: &dyn Pages,
    wanted: &mut PageSet,
    goes_on: impl Fn() -> bool,
    mut illustrate: impl FnMut(PageIndex) -> Vec<Illustration>,
) -> MarkdownPages {
    let group = wanted.iter().take(MAX_TOGETHER).collect::<PageSet>();
    group.iter().for_each(|page| wanted.remove(page));
    let mut read = BTreeMap::new();
    let all = with_evidence(&group, document.page_count());
    // Evidence last, since recognition ends with its budget.
    let evidence = all.iter().filter(|page| !group.contains(*page));
    for page in group.iter().chain(evidence).take_while(|_| goes_on()) {
        read.insert(page, document.page_structure(page));
    }
    let illustrations =
        group.iter().filter(|page| read.contains_key(page)).map(|page| (page, illustrate(page))).collect();
    write_illustrated(document, &group, read, &illustrations)
}

/// Writes the pages of `group`; what else was read is evidence.
pub(super) fn write_pages(
    document: &dyn Pages,
    group: &PageSet,
    read: BTreeMap<PageIndex, Result<StructuredPage, PdfError>>,
) -> MarkdownPages {
    write_illustrated(document, group, read, &BTreeMap::new())
}

fn write_illustrated(
    document: &dyn Pages,
    group: &PageSet,
    read: BTreeMap<PageIndex, Result<StructuredPage, PdfError>>,
    illustrations: &BTreeMap<PageIndex, Vec<Illustration>>,
) -> MarkdownPages {
    let (mut pages, mut found, mut structures) = (MarkdownPages::new(), BTreeMap::new(), Vec::new());
    for (page, result) in read {
        let (number, is_wanted) = (page.number().get(), group.contains(page));
        match result {
            Ok(StructuredPage { text, structure, tables }) => {
                let (has_lines, has_unread_rows) = (!structure.regions.is_empty(), structure.has_unread_rows);
                let label = document.page_label(page).map(|label| label.0);
                structures.push(DocumentPage { number, label, structure, is_wanted });
                found.insert(number, (text, tables, has_lines, has_unread_rows));
            }
            Err(error) if is_wanted => drop(pages.insert(page, Err(error))),
            Err(_) => {}
        }
    }
    let mut blocks = read_document(&structures, &outline_of(document));
    for page in &mut blocks {
        let size = structures.iter().find(|own| own.number == page.number).map(|own| &own.structure);
        let area = size.map_or(0.0, |size| size.width * size.height);
        let own = illustrations.get(&PageIndex(page.number.saturating_sub(1)));
        place_pictures(&mut page.blocks, own.map(Vec::as_slice).unwrap_or_default(), area);
    }
    let table = |page: usize, index: usize| found.get(&blocks.get(page)?.number)?.1.get(index).map(table_markdown);
    let written = to_markdown(&blocks, &table);
    for (page, markdown) in blocks.iter().zip(written) {
        let Some((text, tables, has_lines, has_unread_rows)) = found.remove(&page.number) else { continue };
        let index = PageIndex(page.number.saturating_sub(1));
        let own = illustrations.get(&index).map(Vec::as_slice).unwrap_or_default();
        let markdown = match (has_lines, own) {
            (true, _) => markdown,
            (false, []) => text.text.clone(),
            (false, own) => format!("{markdown}\n\n{}", linked(&text.text, own)).trim_start().to_owned(),
        };
        let read = MarkdownPage { text, markdown, left_out: page.left_out(), tables, has_unread_rows };
        pages.insert(index, Ok(read));
    }
    pages
}

/// The Markdown of a part of a file, which names its images, with links to their files.
fn linked(markdown: &str, images: &[Illustration]) -> String {
    images.iter().fold(markdown.to_owned(), |text, image| {
        text.replace(&format!("]({})", image_name(image.number)), &format!("]({})", image.target))
    })
}

/// A picture with its place on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Illustration {
    /// Where it stands, in points from the upper left corner of the page as displayed; `None` if the text names it.
    pub place: Option<Bounds>,
    /// What it shows.
    pub alternate: String,
    /// The link to its file.
    pub target: String,
    /// Its number on the page, from 1.
    pub number: usize,
}

/// Pictures that cover a larger share of their page stand before its text.
const COVERING: f32 = 0.5;

/// Puts the pictures of a page among its blocks: before the first block of the same column that stands below their upper
/// edge. The figures of the structure tree that they show are theirs.
fn place_pictures(blocks: &mut Vec<Block>, pictures: &[Illustration], page_area: f32) {
    for (picture, bounds) in pictures.iter().filter_map(|picture| Some((picture, picture.place?))) {
        let Bounds { x0, y0, x1, y1 } = bounds;
        let middle = (y0 + y1) / 2.0;
        let kind = BlockKind::Figure { alternate: one_line(&picture.alternate), target: Some(picture.target.clone()) };
        let is_placed = |block: &Block| matches!(block.kind, BlockKind::Figure { target: Some(_), .. });
        let is_same = |block: &&mut Block| {
            let own = block.bounds;
            matches!(&block.kind, BlockKind::Figure { .. })
                && !is_placed(block)
                && own.y0 <= middle
                && middle <= own.y1
                && own.x0 < x1
                && x0 < own.x1
        };
        if let Some(known) = blocks.iter_mut().find(is_same) {
            known.kind = kind;
            continue;
        }
        let is_across =
            |block: &Block| block.bounds.x0 < x1 && x0 < block.bounds.x1 && block.kind != BlockKind::Furniture;
        let is_above = |block: &Block| is_placed(block) && block.bounds.y0 <= y0;
        let is_below = |block: &Block| !is_above(block) && (block.bounds.y0 + block.bounds.y1) / 2.0 >= y0;
        let below = || blocks.iter().position(|block| is_across(block) && is_below(block));
        let after = || blocks.iter().rposition(is_across).map(|last| last + 1);
        let is_ground = (x1 - x0) * (y1 - y0) > COVERING * page_area;
        let at = if is_ground { 0 } else { below().or_else(after).unwrap_or(blocks.len()) };
        blocks.insert(at, Block { kind, bounds, spans: Vec::new() });
    }
}

/// What the running lines of pages say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunningLines {
    /// The labels that pages print of themselves, where the document names none.
    pub labels: BTreeMap<PageIndex, PageLabel>,
    /// The running heads, feet and page numbers, each with the pages that have it. `#` stands for the page's own number.
    pub lines: Vec<(String, PageSet)>,
}

impl RunningLines {
    /// Reads those of `wanted`, or of the first of them, with a few pages around them as evidence. Of a document on another
    /// machine none are read.
    #[must_use]
    pub fn of(document: &dyn Pages, wanted: &PageSet) -> Self {
        let group = wanted.iter().take(MAX_TOGETHER).collect::<PageSet>();
        let all = with_evidence(&group, document.page_count());
        let read = all.iter().filter(|_| !document.is_remote()).filter_map(|page| {
            let StructuredPage { structure, .. } = document.page_structure(page).ok()?;
            let label = document.page_label(page).map(|label| label.0);
            Some(DocumentPage { number: page.number().get(), label, structure, is_wanted: group.contains(page) })
        });
        let read = read.collect::<Vec<_>>();
        let index = |number: u32| PageIndex(number.saturating_sub(1));
        let mut running = Self::default();
        if read.iter().all(|page| page.label.is_none()) {
            let printed = printed_numbers(&read).into_iter();
            running.labels = printed.map(|(number, label)| (index(number), PageLabel(label))).collect();
        }
        let mut places = BTreeMap::<String, usize>::new();
        for page in read_document(&read, &[]) {
            let label = read.iter().find(|own| own.number == page.number).and_then(|own| own.label.clone());
            let own = label.or_else(|| running.labels.get(&index(page.number)).map(|label| label.0.clone()));
            let own = own.into_iter().chain([page.number.to_string()]).collect::<Vec<_>>();
            for line in page.left_out() {
                let mut words = line.split_whitespace().collect::<Vec<_>>();
                for number in &own {
                    words.iter_mut().find(|word| *word == number).into_iter().for_each(|word| *word = "#");
                }
                let line = words.join(" ");
                let at = *places.entry(line.clone()).or_insert(running.lines.len());
                if at == running.lines.len() {
                    running.lines.push((line, PageSet::new()));
                }
                running.lines.get_mut(at).into_iter().for_each(|(_, pages)| pages.insert(index(page.number)));
            }
        }
        running
    }
}

/// The headings of a document's first pages up to one that cannot be read, as an outline. Of a document on another machine
/// none are read.
pub(super) fn read_headings(document: &dyn Pages) -> Vec<OutlineItem> {
    let wanted = (0..document.page_count()).map(PageIndex).take(MAX_TOGETHER);
    let read = wanted.filter(|_| !document.is_remote()).map_while(|page| {
        let StructuredPage { structure, .. } = document.page_structure(page).ok()?;
        let label = document.page_label(page).map(|label| label.0);
        Some(DocumentPage { number: page.number().get(), label, structure, is_wanted: true })
    });
    let pages = read_document(&read.collect::<Vec<_>>(), &outline_of(document));
    let headings = pages.iter().flat_map(|page| page.headings().map(move |heading| (page.number, heading)));
    let item = |(number, (level, title)): (u32, (u8, String))| OutlineItem {
        title,
        page: Some(PageIndex(number.saturating_sub(1))),
        depth: u32::from(level),
    };
    headings.map(item).collect()
}

fn outline_of(document: &dyn Pages) -> Vec<OutlineHeading> {
    let items = document.outline(MAX_OUTLINE_ITEMS).items.into_iter();
    let depth = |depth: u32| u8::try_from(depth.saturating_add(1)).unwrap_or(u8::MAX);
    items.map(|item| OutlineHeading { title: item.title, depth: depth(item.depth) }).collect()
}

/// The pages of `group`, a few around each of its ranges, and the first page of the document.
fn with_evidence(group: &PageSet, page_count: u32) -> PageSet {
    let mut all = group.clone();
    let around = group.runs().flat_map(|(first, last)| {
        let before = first.0.saturating_sub(EVIDENCE_PAGES)..first.0;
        before.chain(last.0.saturating_add(1)..=last.0.saturating_add(EVIDENCE_PAGES)).map(PageIndex)
    });
    let around = around.filter(|page| page.0 < page_count && !group.contains(*page));
    around.take(MAX_EVIDENCE).chain([PageIndex(0)]).for_each(|page| all.insert(page));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_pages_around_each_range_and_the_first_page_are_evidence() {
        let evidence =
            |pages: &[u32], count| with_evidence(&pages.iter().copied().map(PageIndex).collect(), count).to_string();
        assert_eq!(evidence(&[9], 100), "1,6-14");
        assert_eq!(evidence(&[0, 1], 4), "1-4");
        assert_eq!(evidence(&[10, 30, 50, 70], 100), "1,7-15,27-35,51,71");
    }
}
