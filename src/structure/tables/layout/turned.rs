//! Pages whose text runs down, up or upside down are turned, read, and turned back.

use crate::bounds::Frame;
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
    let own = || page.words.iter().filter(|word| table.bounds.holds(word.bounds.center()));
    2 * own().filter(|word| word.turn == 0).count() >= own().count()
}

/// The page with text of `turn` running to the right.
fn turned_page(page: &PageLayout, turn: u16) -> PageLayout {
    let is_sideways = turn != 180;
    let (width, height) = if is_sideways { (page.height, page.width) } else { (page.width, page.height) };
    let frame = Frame { turn, width: page.width, height: page.height };
    let place = |b: &Bounds| frame.of_page(*b);
    let word = |w: &Word| Word {
        bounds: place(&w.bounds),
        baseline: frame.baseline(w.baseline),
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

/// A table of the turned page in places of the page as displayed.
fn turned_table(mut table: Table, turn: u16, page: &PageLayout) -> Table {
    let frame = Frame { turn, width: page.width, height: page.height };
    table.bounds = frame.to_page(table.bounds);
    for cell in &mut table.cells {
        cell.bounds = frame.to_page(cell.bounds);
    }
    table
}
