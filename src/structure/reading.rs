//! Reads one page: words to lines, and lines to columns.

use super::page_structure::{Column, Line, LineWord, PageStructure, Region, Style, TableArea};
use crate::text::{Bounds, PageLayout, Word};

/// The lines of a page in reading order, and the places of its tables.
#[must_use]
pub fn read_page(page: &PageLayout, tables: &[TableArea]) -> PageStructure {
    let is_in_table = |word: &&Word| tables.iter().any(|table| contains(table.bounds, word.bounds));
    let words = page.words.iter().filter(|word| !is_in_table(word)).collect::<Vec<_>>();
    let blocks = words.chunk_by(|one, other| one.block == other.block);
    let columns = blocks.map(|words| Region::Column(column_of(words)));
    PageStructure {
        width: page.width,
        height: page.height,
        regions: columns.chain(tables.iter().copied().map(Region::Table)).collect(),
        figures: page.images.clone(),
        rules: page.rules.iter().filter(|rule| rule.is_horizontal).map(|rule| rule.bounds).collect(),
        targets: Vec::new(),
    }
}

fn contains(outer: Bounds, inner: Bounds) -> bool {
    let (x, y) = (f32::midpoint(inner.x0, inner.x1), f32::midpoint(inner.y0, inner.y1));
    outer.x0 <= x && x <= outer.x1 && outer.y0 <= y && y <= outer.y1
}

fn column_of(words: &[&Word]) -> Column {
    let lines = words.chunk_by(|one, other| one.line == other.line).filter_map(line_of);
    Column { turn: words.first().map_or(0, |word| word.turn), is_plain: false, lines: lines.collect() }
}

fn line_of(words: &[&Word]) -> Option<Line> {
    let first = words.first()?;
    Some(Line {
        words: words.iter().map(|word| line_word(word)).collect(),
        bounds: words.iter().fold(first.bounds, |bounds, word| bounds.union(word.bounds)),
        baseline: first.baseline,
        size: first.size,
        ground: None,
    })
}

fn line_word(word: &Word) -> LineWord {
    let Word { size, is_bold, is_italic, is_monospace, font, color, .. } = *word;
    LineWord {
        text: word.text.clone(),
        bounds: word.bounds,
        style: Style { size, is_bold, is_italic, is_monospace, font, color },
        is_spaced: word.is_spaced,
        is_raised: false,
        target: None,
    }
}
