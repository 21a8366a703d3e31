//! The pieces of a page become regions of lines.

use super::belief::{self, Part};
use super::cells::TreeTable;
use super::pieces::{Owner, Piece, PieceContent, WordOwners};
use crate::bounds::Frame;
use crate::formulas::{self, FoundFormula};
use crate::list_marks::is_bullet;
use crate::measures::SAME_LINE_EM;
use crate::page_structure::{Column, Figure, Line, LineRole, LineTag, Region};
use crate::reading::{DirectionReader, is_slanted, quarter, slanted_region, turns};
use pagewise_document::PageTags;
use pagewise_text::{Bounds, PageLayout, Word};
use std::collections::{HashMap, HashSet};

/// A paragraph with more lines may be any text.
const MAX_PARAGRAPH_LINES: usize = 25;

/// Maximum number of parts that are searched for the line beside which another one stands.
const MAX_ENTRY_PARTS: usize = 50;

/// With more regions, a page is left to the rules.
const MAX_REGIONS: usize = 5_000;

/// The regions of a page in the order of the tree, and what the tree does not claim. `None` if the order is not believed.
pub(super) fn write(
    page: &PageLayout,
    tags: &PageTags,
    pieces: &[Piece<'_>],
    owners: &WordOwners,
    tables: &[TreeTable],
) -> Option<Vec<Region>> {
    let table = |piece: &Piece| match piece.content {
        PieceContent::Table(area) => Some(area.bounds),
        PieceContent::Block(..) | PieceContent::Open | PieceContent::Figure(..) => None,
    };
    let areas: Vec<Bounds> = pieces.iter().filter_map(table).collect();
    let writer = RegionWriter::new(page, tags, formulas::find(page, &areas));
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces {
        parts.extend(writer.parts(piece));
    }
    release_items(&mut parts);
    if !belief::is_readable(&parts, page) || !tables.iter().all(belief::is_table) {
        return None;
    }
    raise_row_ends(&mut parts);
    let mut regions = Vec::new();
    parts.into_iter().for_each(|part| push(&mut regions, part));
    writer.insert_rest(&mut regions, &owners.words(page, Owner::Nobody))?;
    writer.insert_margins(&mut regions, &owners.words(page, Owner::Margin));
    Some(regions)
}

/// Appends a part to the last column if it stands below it.
fn push(regions: &mut Vec<Region>, part: Part) {
    match (part, regions.last_mut()) {
        (Part::Lines { turn, lines, .. }, Some(Region::Column(column)))
            if column.turn == turn && is_below(&column.lines, &lines) =>
        {
            column.lines.extend(lines);
        }
        (Part::Lines { turn, lines, .. }, _) => {
            regions.push(Region::Column(Column { turn, lines, ..Column::default() }))
        }
        (Part::Open { regions: open, .. }, _) => regions.extend(open),
        (Part::Table(area), _) => regions.push(Region::Table(area)),
        (Part::Figure(figure), _) => regions.push(Region::Figure(figure)),
    }
}

/// Puts lines at the right end of the first line of an entry, such as dates, after that line. The tree has them after the
/// whole entry if the page is laid out as a grid.
fn raise_row_ends(parts: &mut [Part]) {
    for at in 1..parts.len() {
        let beside = row_of_end(parts, at);
        if let Some(entry) = beside.and_then(|beside| parts.get_mut(beside + 1..=at)) {
            entry.rotate_right(1);
        }
    }
}

/// The part whose first line is on the baseline of a part of one line. All parts between the two stand below that baseline and
/// further left. What follows stands below these parts: otherwise the line begins a column beside them.
fn row_of_end(parts: &[Part], at: usize) -> Option<usize> {
    let Part::Lines { turn, lines, .. } = parts.get(at)? else { return None };
    let [own] = lines.as_slice() else { return None };
    let is_left = |(other, place): &(u16, Bounds)| other == turn && place.x1 < own.bounds.x0;
    let bottom = belief::place_in_flow(parts.get(at - 1)?)?.1.y1;
    let next = parts.iter().skip(at + 1).find_map(belief::place_in_flow);
    if next.is_some_and(|(other, place)| other == *turn && place.y0 < bottom) {
        return None;
    }
    let is_level = |first: &Line| (first.baseline - own.baseline).abs() < SAME_LINE_EM * first.size.min(own.size);
    let is_row = |part: &Part| matches!(part, Part::Lines { lines, .. } if lines.first().is_some_and(is_level));
    let before = parts.iter().enumerate().take(at).rev().take(MAX_ENTRY_PARTS);
    let mut before = before.take_while(|(_, part)| belief::place_in_flow(part).as_ref().is_some_and(is_left));
    let is_below = |part: &Part| belief::place_in_flow(part).is_some_and(|(_, place)| place.y0 > own.baseline);
    let (row, part) = before.find(|(_, part)| !is_below(part))?;
    (is_row(part) && row + 1 < at).then_some(row)
}

fn is_below(above: &[Line], below: &[Line]) -> bool {
    let (Some(last), Some(first)) = (above.last(), below.first()) else { return false };
    first.baseline > last.baseline && extent(above).shared_width(extent(below)) > 0.0
}

pub(super) fn extent(lines: &[Line]) -> Bounds {
    Bounds::around(lines.iter().map(|line| line.bounds))
}

/// Makes lines of words.
struct RegionWriter<'p> {
    page: &'p PageLayout,
    tags: &'p PageTags,
    /// For each direction of the page's text.
    readers: Vec<(Frame, DirectionReader<'p>)>,
    /// By the first of their words.
    formulas: HashMap<*const Word, FoundFormula>,
}

impl<'p> RegionWriter<'p> {
    fn new(page: &'p PageLayout, tags: &'p PageTags, formulas: Vec<FoundFormula>) -> Self {
        let frames = turns(page).into_iter().map(|turn| Frame { turn, width: page.width, height: page.height });
        let readers = frames.map(|frame| (frame, DirectionReader::new(page, frame))).collect();
        let first = |formula: &FoundFormula| formula.words.first().and_then(|at| page.words.get(*at));
        let keyed = |formula| Some((std::ptr::from_ref(first(&formula)?), formula));
        Self { page, tags, readers, formulas: formulas.into_iter().filter_map(keyed).collect() }
    }

    /// The formulas all of whose words are among these, and the other words.
    fn apart<'w>(&self, words: Vec<&'w Word>) -> (Vec<&'w Word>, Vec<&FoundFormula>) {
        let mut own: HashSet<*const Word> = words.iter().map(|word| std::ptr::from_ref(*word)).collect();
        let parts = |formula: &FoundFormula| {
            let parts = formula.words.iter().filter_map(|at| self.page.words.get(*at));
            parts.map(std::ptr::from_ref).collect::<Vec<_>>()
        };
        let mut formulas = Vec::new();
        for formula in words.iter().filter_map(|word| self.formulas.get(&std::ptr::from_ref(*word))) {
            let parts = parts(formula);
            if parts.iter().all(|part| own.contains(part)) {
                for part in &parts {
                    own.remove(part);
                }
                formulas.push(formula);
            }
        }
        let is_rest = |word: &&Word| own.contains(&std::ptr::from_ref(*word));
        (words.into_iter().filter(is_rest).collect(), formulas)
    }

    /// The words of each direction.
    fn by_direction<'w>(
        &'w self,
        words: &'w [&'p Word],
    ) -> impl Iterator<Item = (Frame, &'w DirectionReader<'p>, Vec<&'p Word>)> {
        let own = |frame: Frame| words.iter().copied().filter(move |word| quarter(word.turn) == frame.turn);
        let each = self.readers.iter().map(move |(frame, reader)| (*frame, reader, own(*frame).collect::<Vec<_>>()));
        each.filter(|(_, _, words)| !words.is_empty())
    }

    /// A block in the parts that stand in different columns.
    fn parts(&self, piece: &Piece<'p>) -> Vec<Part> {
        match piece.content {
            PieceContent::Table(area) => vec![Part::Table(area)],
            PieceContent::Figure(element, bounds) => {
                let alternate = self.tags.elements.get(element).and_then(|element| element.alternate.clone());
                alternate.map(|alternate| Part::Figure(Figure { bounds, alternate })).into_iter().collect()
            }
            PieceContent::Open => {
                let regions = |(_, reader, words): (Frame, &DirectionReader, Vec<&Word>)| {
                    let (words, formulas) = self.apart(words);
                    reader.regions(&words, &formulas, Vec::new())
                };
                let regions: Vec<Region> = self.by_direction(&piece.words).flat_map(regions).collect();
                vec![Part::Open { regions }]
            }
            PieceContent::Block(element, role) => {
                let mut parts = Vec::new();
                for (frame, reader, words) in self.by_direction(&piece.words) {
                    for words in columns(frame, &words) {
                        let (words, formulas) =
                            if role == LineRole::Code { (words, Vec::new()) } else { self.apart(words) };
                        parts.push(Part::Lines { turn: frame.turn, role, lines: reader.lines(&words, &formulas) });
                    }
                }
                set_tags(&mut parts, element, role, &piece.label);
                parts
            }
        }
    }

    /// Inserts what the tree does not claim after what stands above it. `None` if there are too many regions.
    fn insert_rest(&self, regions: &mut Vec<Region>, words: &[&'p Word]) -> Option<()> {
        let upright: Vec<&Word> = words.iter().copied().filter(|word| !is_slanted(word)).collect();
        let mut places: Vec<Bounds> = regions.iter().map(|region| page_bounds(region, self.page)).collect();
        for (frame, reader, words) in self.by_direction(&upright) {
            let (words, formulas) = self.apart(words);
            for region in reader.regions(&words, &formulas, Vec::new()) {
                if regions.len() >= MAX_REGIONS {
                    return None;
                }
                let own = page_bounds(&region, self.page);
                let is_above = |other: &Bounds| other.center().1 < own.y0 && own.shared_width(*other) > 0.0;
                let above =
                    if frame.turn == 0 { places.iter().rposition(is_above) } else { places.len().checked_sub(1) };
                let at = above.map_or(0, |above| above + 1);
                regions.insert(at, region);
                places.insert(at, own);
            }
        }
        regions.extend(slanted_region(self.page, words.iter().copied()));
        Some(())
    }

    /// Puts running heads before the rest and running feet after it.
    fn insert_margins(&self, regions: &mut Vec<Region>, words: &[&'p Word]) {
        for (frame, reader, words) in self.by_direction(words) {
            let is_head = |word: &&Word| word.bounds.center().1 < self.page.height / 2.0;
            let (heads, feet): (Vec<&Word>, Vec<&Word>) = words.into_iter().partition(is_head);
            let column = |words: &[&Word]| {
                let tag = LineTag { element: 0, role: LineRole::Furniture, label: 0 };
                let lines = reader.lines(words, &[]).into_iter().map(|line| Line { tag: Some(tag), ..line }).collect();
                Region::Column(Column { turn: frame.turn, lines, ..Column::default() })
            };
            if !heads.is_empty() {
                regions.insert(0, column(&heads));
            }
            if !feet.is_empty() {
                regions.push(column(&feet));
            }
        }
    }
}

fn page_bounds(region: &Region, page: &PageLayout) -> Bounds {
    match region {
        Region::Table(area) => area.bounds,
        Region::Figure(figure) => figure.bounds,
        Region::Column(column) => {
            Frame { turn: column.turn, width: page.width, height: page.height }.to_page(extent(&column.lines))
        }
    }
}

/// The words of a block by columns: each begins above the end of the one before, and beside it.
fn columns<'p>(frame: Frame, words: &[&'p Word]) -> Vec<Vec<&'p Word>> {
    let mut columns: Vec<(Bounds, f32, Vec<&'p Word>)> = Vec::new();
    for word in words {
        let (bounds, baseline) = (frame.of_page(word.bounds), frame.baseline(word.baseline));
        match columns.last_mut() {
            Some((extent, last, column)) if baseline > *last - word.size => {
                (*extent, *last) = (extent.union(bounds), baseline);
                column.push(word);
            }
            _ => columns.push((bounds, baseline, vec![word])),
        }
    }
    let mut apart: Vec<(Bounds, Vec<&Word>)> = Vec::new();
    for (bounds, _, words) in columns {
        match apart.iter_mut().rev().take(MAX_PARAGRAPH_LINES).find(|(other, _)| other.overlaps(bounds)) {
            Some((other, all)) => {
                *other = other.union(bounds);
                all.extend(words);
            }
            None => apart.push((bounds, words)),
        }
    }
    apart.into_iter().map(|(_, words)| words).collect()
}

fn set_tags(parts: &mut [Part], element: u32, role: LineRole, label: &str) {
    let lines = |part: &Part| if let Part::Lines { lines, .. } = part { lines.len() } else { 0 };
    let is_long = parts.iter().map(lines).sum::<usize>() > MAX_PARAGRAPH_LINES;
    if is_long && matches!(role, LineRole::Paragraph(_) | LineRole::Heading(_)) {
        return;
    }
    let is_one_text = matches!(role, LineRole::Paragraph(_) | LineRole::Heading(_) | LineRole::Item(_));
    if is_one_text && holds_items(parts) {
        return;
    }
    let mut label = label_length(parts.first(), label);
    for part in parts {
        let Part::Lines { lines, .. } = part else { continue };
        for line in lines {
            line.tag = Some(LineTag { element, role, label: std::mem::take(&mut label) });
        }
    }
}

/// Corrects what the tree calls list items. Items that are headings or code lose their tags, so that they are read by their
/// looks. A single item without a mark becomes a paragraph. What the tree puts into such items moves out to their level.
fn release_items(parts: &mut [Part]) {
    let lone = lone_items(parts);
    let (mut section, mut open) = (0, None);
    for (at, part) in parts.iter_mut().enumerate() {
        let Part::Lines { role, lines, .. } = part else { continue };
        match role {
            LineRole::Item(depth) if belief::is_no_item(lines) => {
                (section, open) = (*depth, Some(0));
                lines.iter_mut().for_each(|line| line.tag = None);
                continue;
            }
            LineRole::Item(depth) if lone.contains(&at) => {
                let inside = open.unwrap_or(0).min(depth.saturating_sub(1));
                (*role, open) = (LineRole::Paragraph(inside), open.or(Some(0)));
            }
            LineRole::Item(depth) => {
                *depth = depth.saturating_sub(section).max(1);
                open = Some(*depth);
            }
            LineRole::Paragraph(0) | LineRole::Heading(_) => (section, open) = (0, Some(0)),
            LineRole::Paragraph(depth) => {
                let inside = depth.saturating_sub(section).max(u8::from(open > Some(0)));
                *depth = inside.min(open.unwrap_or(u8::MAX));
            }
            _ => (),
        }
        lines.iter_mut().filter_map(|line| line.tag.as_mut()).for_each(|tag| tag.role = *role);
    }
}

/// The items without a mark between others that have one. A list whose items have none is one all the same.
fn lone_items(parts: &[Part]) -> HashSet<usize> {
    let is_bare = |lines: &[Line]| !belief::has_mark(lines) && !belief::is_no_item(lines);
    let items = parts.iter().enumerate().filter_map(|(at, part)| match part {
        Part::Lines { role: LineRole::Item(_), lines, .. } => Some((at, is_bare(lines))),
        _ => None,
    });
    let items: Vec<(usize, bool)> = items.collect();
    let runs = items.chunk_by(|(_, above), (_, below)| above == below).filter(|run| run.len() == 1 && items.len() > 1);
    runs.flatten().filter(|(_, is_bare)| *is_bare).map(|(at, _)| *at).collect()
}

/// Whether lines after the first begin with bullets: it is a list, whatever the tree says.
fn holds_items(parts: &[Part]) -> bool {
    let lines = parts.iter().filter_map(|part| if let Part::Lines { lines, .. } = part { Some(lines) } else { None });
    let begins_item =
        |line: &Line| line.words.len() > 1 && line.words.first().is_some_and(|word| is_bullet(&word.text));
    lines.flatten().skip(1).any(begins_item)
}

/// The number of characters of a label with which a part begins.
fn label_length(part: Option<&Part>, label: &str) -> u16 {
    let Some(Part::Lines { lines, .. }) = part else { return 0 };
    let words = lines.first().map(|line| line.words.as_slice()).unwrap_or_default();
    let text: String = words.iter().take(label.len()).map(|word| word.text.as_str()).collect();
    let is_first = !label.is_empty() && text.starts_with(label);
    if is_first { u16::try_from(label.chars().count()).unwrap_or(0) } else { 0 }
}
