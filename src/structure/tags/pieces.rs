//! The words of a page by the blocks of its structure tree.

use super::blocks::{BlockIndex, BlockMap};
use super::cells::TreeTable;
use crate::list_marks::is_bullet;
use crate::measures::{MARGIN, SAME_LINE_EM};
use crate::page_structure::{LineRole, TableArea};
use crate::reading::{self, is_dots};
use pagewise_document::PageTags;
use pagewise_text::{Bounds, ContentMark, PageLayout, Word};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of bullets of a page that the tree leaves out. Each stands on the line of its item, so near to it, in ems.
const MAX_BULLETS: usize = 500;
const BULLET_EM: f32 = 3.0;

/// A figure with fewer words is part of its line, such as an icon or a formula.
const MIN_FIGURE_WORDS: usize = 4;

/// To whom a word belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// An element, by its index.
    Element(usize),
    /// The page: an artifact in its margins.
    Margin,
    Nobody,
    /// A table, or another owner that has taken it.
    Taken,
}

/// The owner of each word of a page.
pub(super) struct WordOwners(pub(super) Vec<Owner>);

impl WordOwners {
    pub(super) fn of(page: &PageLayout, tags: &PageTags, blocks: &BlockMap) -> Self {
        let is_inner = |word: &&Word| word.mark == ContentMark::Artifact && !is_in_margin(word, page);
        let inner: BTreeSet<u32> = page.words.iter().filter(is_inner).map(|word| word.block).collect();
        let owner = |word: &Word| match word.mark {
            // A side bar stays whole if it ends in a margin.
            ContentMark::Artifact if is_in_margin(word, page) && !inner.contains(&word.block) => Owner::Margin,
            ContentMark::Artifact | ContentMark::Unmarked => Owner::Nobody,
            ContentMark::Sequence(id) => {
                let element = tags.owners.get(usize::from(id)).copied().flatten();
                match element {
                    Some(element) if !blocks.context(element).is_artifact => Owner::Element(element),
                    Some(_) if is_in_margin(word, page) => Owner::Margin,
                    _ => Owner::Nobody,
                }
            }
        };
        Self(page.words.iter().map(owner).collect())
    }

    /// The words of an owner, with their indices.
    pub(super) fn words<'p>(&self, page: &'p PageLayout, owner: Owner) -> Vec<&'p Word> {
        page.words.iter().zip(&self.0).filter(|(_, own)| **own == owner).map(|(word, _)| word).collect()
    }
}

fn is_in_margin(word: &Word, page: &PageLayout) -> bool {
    let y = word.bounds.center().1;
    y < MARGIN * page.height || y > (1.0 - MARGIN) * page.height
}

/// The tables of a page, by the tree or by what is drawn.
pub(super) struct TableClaims<'t> {
    pub(super) by_tree: &'t [TreeTable],
    /// The elements of tables that only lay out text.
    pub(super) refused: &'t BTreeSet<usize>,
    pub(super) by_place: &'t [TableArea],
}

/// What stands together in the order of the tree.
#[derive(Debug, Clone)]
pub(super) struct Piece<'p> {
    pub(super) content: PieceContent,
    /// In the order of the tree.
    pub(super) words: Vec<&'p Word>,
    /// The characters of its label.
    pub(super) label: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PieceContent {
    /// A block of the tree: the object number of its element and its role.
    Block(u32, LineRole),
    /// Text in a group that says nothing of it.
    Open,
    Table(TableArea),
    /// A figure: the index of its element, and its place.
    Figure(usize, Bounds),
}

/// Where a piece stands in the order of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PieceKey(usize, PieceRank);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PieceRank {
    Table(usize),
    Figure,
    Text,
    /// Text of an outer block after the block of the key.
    Rest,
}

/// The pieces of a page in the order of the tree. Words of tables are taken from their owners.
pub(super) fn gather<'p>(
    page: &'p PageLayout,
    tags: &PageTags,
    blocks: &BlockMap,
    owners: &mut WordOwners,
    tables: &TableClaims<'_>,
) -> Vec<Piece<'p>> {
    let mut pieces: BTreeMap<PieceKey, Piece<'p>> = BTreeMap::new();
    for table in tables.by_tree {
        pieces.insert(PieceKey(table.element, PieceRank::Table(table.area.index)), Piece::of_table(table.area));
        table.words.iter().for_each(|word| take(owners, *word));
    }
    let mut placed = BTreeSet::new();
    for (figure, bounds) in figures(page, tags, blocks) {
        pieces.insert(PieceKey(figure, PieceRank::Figure), Piece::new(PieceContent::Figure(figure, bounds)));
    }
    let texts = TextBlocks::of(page, blocks, owners, tables.refused);
    let keys = text_keys(page, tags, &texts, owners);
    for (index, word) in page.words.iter().enumerate() {
        let Some(Owner::Element(element)) = owners.0.get(index).copied() else { continue };
        let Some(key) = sequence(word).and_then(|id| keys.get(&id)).copied() else { continue };
        if let Some(area) = tables.by_place.iter().find(|area| reading::is_in_table(word, &[**area])) {
            if placed.insert(area.index) {
                pieces.insert(PieceKey(key.0, PieceRank::Table(area.index)), Piece::of_table(*area));
            }
            take(owners, index);
            continue;
        }
        let (block, role) = texts.block(element);
        let content = role.map_or(PieceContent::Open, |role| {
            let role = if key.1 == PieceRank::Rest { role_of_rest(role) } else { role };
            PieceContent::Block(blocks.id(block), role)
        });
        let piece = pieces.entry(key).or_insert_with(|| Piece::new(content));
        piece.words.push(word);
        if blocks.context(element).is_label {
            piece.label.push_str(&word.text);
        }
    }
    let is_placed = |area: &&TableArea| placed.contains(&area.index);
    let drawn: Vec<TableArea> = tables.by_place.iter().filter(is_placed).copied().collect();
    take_from_tables(page, owners, &drawn);
    let mut pieces: Vec<Piece> = pieces.into_values().collect();
    attach_bullets(&mut pieces, page, owners);
    pieces.iter_mut().for_each(|piece| piece.words.sort_by_key(|word| place_in_tree(word, tags)));
    attach_leaders(&mut pieces, page, owners);
    joined(pieces)
}

/// The block of each element's text. The words of a figure are a group of their own, whatever it stands in, and so are
/// those of the cells of a table that only lays out text.
struct TextBlocks<'t> {
    blocks: &'t BlockMap,
    refused: &'t BTreeSet<usize>,
    /// The figures with words.
    figures: BTreeSet<usize>,
}

impl<'t> TextBlocks<'t> {
    fn of(page: &PageLayout, blocks: &'t BlockMap, owners: &WordOwners, refused: &'t BTreeSet<usize>) -> Self {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, owner) in page.words.iter().zip(&owners.0) {
            let Owner::Element(element) = owner else { continue };
            blocks.context(*element).figure.into_iter().for_each(|figure| *counts.entry(figure).or_default() += 1);
        }
        let figures = counts.into_iter().filter(|(_, count)| *count >= MIN_FIGURE_WORDS).map(|(figure, _)| figure);
        Self { blocks, refused, figures: figures.collect() }
    }

    fn block(&self, element: usize) -> (BlockIndex, Option<LineRole>) {
        let context = self.blocks.context(element);
        if let Some(table) = context.table.filter(|table| context.cell.is_some() && self.refused.contains(table)) {
            return (BlockIndex(table), None);
        }
        let figure = context.figure.filter(|figure| self.figures.contains(figure));
        match (context.block, figure) {
            (Some((block, role)), None) => (block, Some(role)),
            (Some((block, role)), Some(figure)) if block.0 > figure => (block, Some(role)),
            (_, Some(figure)) => (BlockIndex(figure), None),
            (None, None) => (BlockIndex(element), None),
        }
    }
}

/// The keys of the page's text, by the sequences of marked content that show it. A block ends where one inside it begins:
/// what it says after that is another piece. Notes and captions stand anywhere, and end nothing.
fn text_keys(
    page: &PageLayout,
    tags: &PageTags,
    blocks: &TextBlocks,
    owners: &WordOwners,
) -> BTreeMap<usize, PieceKey> {
    let is_owned = |owner: Owner| matches!(owner, Owner::Element(_) | Owner::Taken);
    let owned = page.words.iter().zip(&owners.0).filter(|(_, owner)| is_owned(**owner)).filter_map(|(word, _)| {
        let id = sequence(word)?;
        let place = tags.places.get(id).copied().unwrap_or(usize::MAX);
        Some((place, id, tags.owners.get(id).copied().flatten()?))
    });
    let (mut keys, mut rests) = (BTreeMap::new(), BTreeMap::new());
    let (mut inner, mut latest): (Option<BlockIndex>, usize) = (None, 0);
    for (_, id, element) in owned.collect::<BTreeSet<_>>() {
        let (own, role) = blocks.block(element);
        if inner.is_some_and(|inner| inner > own) {
            rests.insert(own, PieceKey(latest, PieceRank::Rest));
        }
        keys.insert(id, rests.get(&own).copied().unwrap_or(PieceKey(own.0, PieceRank::Text)));
        if !matches!(role, Some(LineRole::Note | LineRole::Caption)) {
            inner = Some(own);
        }
        latest = latest.max(element);
    }
    keys
}

/// What the text of a block is after a block inside it: an item has begun before.
fn role_of_rest(role: LineRole) -> LineRole {
    if let LineRole::Item(depth) = role { LineRole::Paragraph(depth) } else { role }
}

/// The figures that something is drawn for, and their places.
fn figures(page: &PageLayout, tags: &PageTags, blocks: &BlockMap) -> BTreeMap<usize, Bounds> {
    let mut figures: BTreeMap<usize, Bounds> = BTreeMap::new();
    for (id, area) in &page.marked_areas {
        let owner = tags.owners.get(usize::from(*id)).copied().flatten();
        let Some(figure) = owner.and_then(|owner| blocks.context(owner).figure) else { continue };
        figures.entry(figure).and_modify(|all| *all = all.union(*area)).or_insert(*area);
    }
    figures
}

fn take(owners: &mut WordOwners, word: usize) {
    if let Some(owner) = owners.0.get_mut(word) {
        *owner = Owner::Taken;
    }
}

/// Takes the words of tables that the tree leaves out: the tables say them.
fn take_from_tables(page: &PageLayout, owners: &mut WordOwners, tables: &[TableArea]) {
    for (owner, word) in owners.0.iter_mut().zip(&page.words) {
        if matches!(owner, Owner::Nobody | Owner::Margin) && reading::is_in_table(word, tables) {
            *owner = Owner::Taken;
        }
    }
}

/// Adds each bullet that the structure tree leaves out to the item whose first line is beside it.
fn attach_bullets<'p>(pieces: &mut [Piece<'p>], page: &'p PageLayout, owners: &mut WordOwners) {
    let words = page.words.iter().enumerate().zip(&owners.0);
    let is_free = |owner: Owner| matches!(owner, Owner::Nobody | Owner::Margin);
    let free = words.filter(|((_, word), owner)| is_free(**owner) && is_bullet(&word.text));
    let bullets: Vec<(usize, &Word)> = free.map(|(bullet, _)| bullet).take(MAX_BULLETS).collect();
    let items = pieces.iter_mut().filter(|piece| matches!(piece.content, PieceContent::Block(_, LineRole::Item(_))));
    for item in items.filter(|item| item.label.is_empty()) {
        let Some(first) = item.words.first() else { continue };
        let is_before = |(_, bullet): &&(usize, &Word)| {
            bullet.turn == first.turn
                && (bullet.baseline - first.baseline).abs() < SAME_LINE_EM * first.size
                && (0.0..BULLET_EM * first.size).contains(&(first.bounds.x0 - bullet.bounds.x1))
        };
        let Some((index, bullet)) = bullets.iter().find(is_before) else { continue };
        take(owners, *index);
        bullet.text.clone_into(&mut item.label);
        item.words.insert(0, bullet);
    }
}

fn place_in_tree(word: &Word, tags: &PageTags) -> Option<usize> {
    sequence(word).and_then(|id| tags.places.get(id).copied())
}

/// A word of a line: one of a piece, or a dot that belongs to none.
enum LinePlace {
    Piece { at: usize, place: usize },
    Free(usize),
}

/// Adds the dots of leaders that the structure tree leaves out to the text that they follow on its line.
fn attach_leaders<'p>(pieces: &mut [Piece<'p>], page: &'p PageLayout, owners: &mut WordOwners) {
    let words = page.words.iter().enumerate().zip(&owners.0);
    let is_free = |owner: Owner| matches!(owner, Owner::Nobody | Owner::Margin);
    let free = words.filter(|((_, word), owner)| is_free(**owner) && is_dots(&word.text));
    let dots: Vec<(usize, &Word)> = free.map(|(dot, _)| dot).collect();
    if dots.is_empty() {
        return;
    }
    let own = |(at, piece): (usize, &Piece<'p>)| {
        piece
            .words
            .iter()
            .enumerate()
            .map(move |(place, word)| (*word, LinePlace::Piece { at, place }))
            .collect::<Vec<_>>()
    };
    let mut words: Vec<(&Word, LinePlace)> = pieces.iter().enumerate().flat_map(own).collect();
    words.extend(dots.into_iter().map(|(index, word)| (word, LinePlace::Free(index))));
    words.sort_by(|(a, _), (b, _)| a.turn.cmp(&b.turn).then(a.baseline.total_cmp(&b.baseline)));
    let is_line = |(above, _): &(&Word, _), (below, _): &(&Word, _)| {
        above.turn == below.turn && below.baseline - above.baseline < SAME_LINE_EM * below.size
    };
    let mut leaders: BTreeMap<(usize, usize), Vec<&'p Word>> = BTreeMap::new();
    for line in words.chunk_by_mut(is_line) {
        line.sort_by(|(a, _), (b, _)| a.bounds.x0.total_cmp(&b.bounds.x0));
        let mut last = None;
        for (word, place) in line.iter() {
            match (place, last) {
                (LinePlace::Piece { at, place }, _) => last = Some((*at, *place)),
                (LinePlace::Free(index), Some(place)) => {
                    take(owners, *index);
                    leaders.entry(place).or_default().push(*word);
                }
                (LinePlace::Free(_), None) => (),
            }
        }
    }
    for ((at, place), leader) in leaders.into_iter().rev() {
        if let Some(piece) = pieces.get_mut(at) {
            piece.words.splice(place + 1..place + 1, leader);
        }
    }
}

/// The identifier of the marked content that shows a word.
fn sequence(word: &Word) -> Option<usize> {
    match word.mark {
        ContentMark::Sequence(id) => Some(usize::from(id)),
        ContentMark::Artifact | ContentMark::Unmarked => None,
    }
}

/// Open text that follows each other is one piece, and a label that stands alone belongs to the block after it.
fn joined(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        if let Some(last) = joined.last_mut() {
            if last.content == PieceContent::Open && piece.content == PieceContent::Open {
                last.words.append(&mut piece.words);
                continue;
            }
            if last.is_lone_label() && matches!(piece.content, PieceContent::Block(_, LineRole::Heading(_))) {
                last.words.append(&mut piece.words);
                (last.content, last.label) = (piece.content, String::new());
                continue;
            }
        }
        joined.push(piece);
    }
    joined
}

impl Piece<'_> {
    fn new(content: PieceContent) -> Self {
        Self { content, words: Vec::new(), label: String::new() }
    }

    fn of_table(area: TableArea) -> Self {
        Self::new(PieceContent::Table(area))
    }

    /// Whether it is a list item that has a label and no text. Some producers tag the number of a heading so.
    fn is_lone_label(&self) -> bool {
        let length: usize = self.words.iter().map(|word| word.text.len()).sum();
        matches!(self.content, PieceContent::Block(_, LineRole::Item(_))) && self.label.len() == length
    }
}
