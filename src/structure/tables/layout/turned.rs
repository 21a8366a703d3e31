//! Pages whose text runs down, up or upside down are turned, read, and turned back.

use crate::bounds::{center, holds};
use crate::tables::Table;
use pagewise_text::{Bounds, Fill, PageLayout, Rule, Word};
use std::collections::BTreeMap;

/// A turn with fewer words than this has no table of its own.
const MIN_WORDS: usize = 12;

/// Reads a page once for each direction of its text, turned so that this text runs to the right. A drawn table is found in
/// each of these readings, and kept in the one in which most of its words run to the right.
pub(crate) fn with_each_turn(page: &PageLayout, read: impl Fn(&PageLayout) -> Vec<Table>) -> Vec<Table> {
    let has_text = |turn: &u16| {
        let count = page.words.iter().filter(|w| w.turn == *turn).count();
        count >= MIN_WORDS && 5 * count >= page.words.len()
    };
    let turns: Vec<u16> = [90, 180, 270].into_iter().filter(has_text).collect();
    let mut tables = read(page);
    tables.retain(|table| turns.is_empty() || is_upright(table, page));
    for turn in turns {
        let turned = turned_page(page, turn);
        let own = read(&turned).into_iter().filter(|table| is_upright(table, &turned));
        tables.extend(own.map(|table| turned_table(table, turn, page)));
    }
    tables
}

/// Whether at least half of the words of a table run to the right.
fn is_upright(table: &Table, page: &PageLayout) -> bool {
    let own = || page.words.iter().filter(|word| holds(table.bounds, center(word.bounds)));
    2 * own().filter(|word| word.turn == 0).count() >= own().count()
}

/// The page with text of `turn` running to the right.
fn turned_page(page: &PageLayout, turn: u16) -> PageLayout {
    let is_sideways = turn != 180;
    let (width, height) = if is_sideways { (page.height, page.width) } else { (page.width, page.height) };
    let place = |b: &Bounds| upright(b, turn, page.width, page.height);
    let word = |w: &Word| Word {
        bounds: place(&w.bounds),
        baseline: baseline(w, turn, page),
        turn: (w.turn + 360 - turn) % 360,
        ..w.clone()
    };
    PageLayout {
        width,
        height,
        words: page.words.iter().map(word).collect(),
        rules: page
            .rules
            .iter()
            .map(|r| Rule { bounds: place(&r.bounds), is_horizontal: r.is_horizontal != is_sideways, ..*r })
            .collect(),
        fills: page.fills.iter().map(|f| Fill { bounds: place(&f.bounds), ..*f }).collect(),
        images: page.images.iter().map(place).collect(),
        drawings: page.drawings.iter().map(place).collect(),
        links: Vec::new(),
        marked_areas: BTreeMap::new(),
    }
}

fn baseline(word: &Word, turn: u16, page: &PageLayout) -> f32 {
    match turn {
        90 => page.width - word.baseline,
        180 => page.height - word.baseline,
        _ => word.baseline,
    }
}

/// A box on the page turned back by `turn`.
fn upright(b: &Bounds, turn: u16, width: f32, height: f32) -> Bounds {
    match turn {
        90 => Bounds { x0: b.y0, y0: width - b.x1, x1: b.y1, y1: width - b.x0 },
        180 => Bounds { x0: width - b.x1, y0: height - b.y1, x1: width - b.x0, y1: height - b.y0 },
        _ => Bounds { x0: height - b.y1, y0: b.x0, x1: height - b.y0, y1: b.x1 },
    }
}

/// A table of the turned page in places of the page as displayed.
fn turned_table(mut table: Table, turn: u16, page: &PageLayout) -> Table {
    let (width, height) = if turn == 180 { (page.width, page.height) } else { (page.height, page.width) };
    let back = |b: &Bounds| upright(b, (360 - turn) % 360, width, height);
    table.bounds = back(&table.bounds);
    for cell in &mut table.cells {
        cell.bounds = back(&cell.bounds);
    }
    table
}
