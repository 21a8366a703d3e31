//! Columns from the white space between chunks.

use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine};

/// An area with more columns than this is no table.
const MAX_COLUMNS: usize = 100;

/// A column of chunks that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    pub(crate) lo: f32,
    pub(crate) hi: f32,
    /// How many chunks stand in it.
    pub(crate) count: usize,
}

/// A chunk and the columns that it covers, from `first` to `last`.
#[derive(Debug, Clone)]
pub(crate) struct Piece<'p> {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) chunk: Chunk<'p>,
}

/// The columns of these lines from left to right; none if there are too many.
pub(crate) fn columns_of(lines: &[TextLine]) -> Vec<Column> {
    let mut chunks: Vec<&Chunk> = lines.iter().flat_map(|l| &l.chunks).collect();
    chunks.sort_by(|a, b| width(a).total_cmp(&width(b)));
    let mut columns: Vec<Column> = Vec::new();
    for chunk in chunks {
        add(&mut columns, chunk);
        if columns.len() > MAX_COLUMNS {
            return Vec::new();
        }
    }
    join_symbols(&mut columns, lines);
    join_disjoint(&mut columns, lines);
    columns
}

fn width(chunk: &Chunk) -> f32 {
    chunk.bounds.x1 - chunk.bounds.x0
}

/// Adds a chunk to the column that it overlaps; a chunk over several columns belongs to none.
fn add(columns: &mut Vec<Column>, chunk: &Chunk) {
    let slack = 0.1 * chunk.size();
    let (lo, hi) = (chunk.bounds.x0, chunk.bounds.x1);
    let first = columns.partition_point(|c| c.hi <= lo + slack);
    let last = columns.partition_point(|c| c.lo < hi - slack);
    let own = Column { lo, hi, count: 1 };
    if last <= first {
        columns.insert(first.min(columns.len()), own);
    } else if last - first == 1 {
        if let Some(column) = columns.get_mut(first) {
            grow(column, &own);
        }
    } else if let Some(met) = columns.get(first..last)
        && met.iter().filter(|c| c.count > 1).count() < 2
    {
        let joined = met.iter().fold(own, |mut sum, c| {
            grow(&mut sum, c);
            sum
        });
        columns.splice(first..last, [joined]);
    }
}

fn grow(column: &mut Column, by: &Column) {
    column.lo = column.lo.min(by.lo);
    column.hi = column.hi.max(by.hi);
    column.count += by.count;
}

/// A column of nothing but signs belongs to the values beside it.
fn join_symbols(columns: &mut Vec<Column>, lines: &[TextLine]) {
    let mut at = 0;
    while at < columns.len() {
        let Some(column) = columns.get(at).copied() else { break };
        let texts: Vec<&str> =
            chunks_in(lines, &column).flat_map(|c| c.words.iter().map(|w| w.word.text.as_str())).collect();
        let is_signs = !texts.is_empty()
            && (texts.iter().all(|t| t.chars().count() == 1 && t.chars().all(is_sign))
                || texts.iter().all(|t| is_marker(t)));
        let trails = texts.iter().any(|t| matches!(*t, "%" | ")" | "*" | "†" | "‡"));
        let host = if trails { at.checked_sub(1) } else { Some(at + 1).filter(|h| *h < columns.len()) };
        match host {
            Some(host) if is_signs => join_pair(columns, at.min(host)),
            _ => at += 1,
        }
    }
}

/// Whether a word is the marker of a list item.
fn is_marker(text: &str) -> bool {
    let body = text.trim_start_matches(['(', '[']).trim_end_matches(['.', ')', ']', ':']);
    let is_bullet = matches!(
        text,
        "•" | "◦" | "▪" | "■" | "□" | "●" | "○" | "‣" | "–" | "-" | "*" | "➢" | "✓" | "\u{f0b7}" | "\u{f0a7}"
    );
    let is_number = body.len() < text.len()
        && !body.is_empty()
        && body.chars().count() <= 3
        && (body.chars().all(|c| c.is_ascii_digit())
            || body.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
            || body.chars().count() == 1 && body.chars().all(char::is_alphabetic));
    is_bullet || is_number
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
        && !matches!(c, '-' | '–' | '—' | '−' | '•' | '·' | '…' | '✓' | '✔' | '✗' | '×' | '●' | '○' | '+')
}

/// Joins the column at `at` with the next one.
fn join_pair(columns: &mut Vec<Column>, at: usize) {
    if let Some(next) = columns.get(at + 1).copied() {
        columns.remove(at + 1);
        if let Some(column) = columns.get_mut(at) {
            grow(column, &next);
        }
    }
}

/// The chunks whose centre is in a column.
fn chunks_in<'a, 'p>(lines: &'a [TextLine<'p>], column: &Column) -> impl Iterator<Item = &'a Chunk<'p>> {
    let (lo, hi) = (column.lo, column.hi);
    lines.iter().flat_map(|l| &l.chunks).filter(move |c| lo <= c.bounds.x0 + 0.1 && c.bounds.x1 - 0.1 <= hi)
}

/// Neighbours of which no line fills both are one column, if one of them is sparse.
fn join_disjoint(columns: &mut Vec<Column>, lines: &[TextLine]) {
    let mut at = 0;
    while at + 1 < columns.len() {
        if is_disjoint(columns, at, lines) {
            join_pair(columns, at);
        } else {
            at += 1;
        }
    }
}

/// Whether the column at `at` and the next one are never filled by one line.
fn is_disjoint(columns: &[Column], at: usize, lines: &[TextLine]) -> bool {
    let (Some(a), Some(b)) = (columns.get(at), columns.get(at + 1)) else { return false };
    let holds = |line: &TextLine, column: &Column| {
        line.chunks.iter().any(|c| c.bounds.x0 < column.hi && column.lo < c.bounds.x1)
    };
    let both = lines.iter().any(|l| holds(l, a) && holds(l, b));
    let is_near = b.lo - a.hi < 4.0 * lines.iter().map(|l| l.size).fold(0.0, f32::max);
    !both && is_near && 3 * a.count.min(b.count) <= a.count.max(b.count)
}

/// The pieces of a line, each with the columns that it covers.
pub(crate) fn pieces_of<'p>(line: &TextLine<'p>, columns: &[Column]) -> Vec<Piece<'p>> {
    line.chunks.iter().flat_map(|c| pieces_of_chunk(c, columns)).collect()
}

/// Divides a chunk where a space of it lies between two columns.
fn pieces_of_chunk<'p>(chunk: &Chunk<'p>, columns: &[Column]) -> Vec<Piece<'p>> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest: Vec<PlacedWord> = Vec::new();
    for word in &chunk.words {
        let divides = rest.last().is_some_and(|last| is_divided(last, word, columns));
        if divides {
            pieces.extend(piece(std::mem::take(&mut rest), columns));
        }
        rest.push(*word);
    }
    pieces.extend(piece(rest, columns));
    pieces
}

/// Whether the border of two columns lies in the space between two words, and the space is wide for a word space.
fn is_divided(last: &PlacedWord, word: &PlacedWord, columns: &[Column]) -> bool {
    let (lo, hi) = (last.word.bounds.x1, word.word.bounds.x0);
    let are_values = [last, word].iter().all(|w| w.word.text.chars().any(char::is_numeric));
    if hi - lo < if are_values { 0.22 } else { 0.35 } * word.word.size {
        return false;
    }
    let mut borders = columns.iter().zip(columns.iter().skip(1));
    borders.any(|(a, b)| {
        a.hi <= hi + 0.5 && lo - 0.5 <= b.lo && a.hi >= lo - 1.5 * word.word.size && b.lo <= hi + 1.5 * word.word.size
    })
}

fn piece<'p>(words: Vec<PlacedWord<'p>>, columns: &[Column]) -> Option<Piece<'p>> {
    let chunk = Chunk::new(words)?;
    let (first, last) = covered(&chunk, columns);
    Some(Piece { first, last, chunk })
}

/// The columns that a chunk covers, or the nearest one.
fn covered(chunk: &Chunk, columns: &[Column]) -> (usize, usize) {
    let (lo, hi) = (chunk.bounds.x0, chunk.bounds.x1);
    let slack = 0.25 * chunk.size();
    let met = |c: &Column| (hi.min(c.hi) - lo.max(c.lo)) > slack.min(0.5 * (c.hi - c.lo)).min(0.5 * (hi - lo));
    let first = columns.iter().position(met);
    let last = columns.iter().rposition(met);
    match (first, last) {
        (Some(first), Some(last)) => (first, last),
        _ => {
            let nearest = nearest(columns, (lo + hi) / 2.0);
            (nearest, nearest)
        }
    }
}

/// The column nearest to a place.
fn nearest(columns: &[Column], x: f32) -> usize {
    let distance = |c: &Column| (c.lo - x).max(x - c.hi);
    let best = columns.iter().enumerate().min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
    best.map_or(0, |(at, _)| at)
}
