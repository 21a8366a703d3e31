//! Rows from lines: which lines of a table belong to one row.

use super::area::Proof;
use super::centred::HALF_PITCH;
use super::columns::{Column, Piece};
use super::head::is_valued;
use crate::measures::WORD_SPACE_EM;
use std::ops::Range;

/// A line end that leaves more room than this many ems after the next word was no line end of a paragraph.
const ROOM: f32 = 1.0;
/// So many items with further lines show that these describe the item above.
const MIN_ITEMS: usize = 3;
/// The further lines of a cell hang if they begin so far to the right of its first line, in ems.
const HANG_EM: Range<f32> = 0.4..3.0;
/// Lines further apart than this many ems are not of one row.
const MAX_PITCH: f32 = 2.2;

/// A line of a table: its pieces and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct RowLine<'p> {
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) pieces: Vec<Piece<'p>>,
}

impl<'p> RowLine<'p> {
    /// Whether a piece stands in this column.
    pub(crate) fn fills(&self, column: usize) -> bool {
        self.pieces.iter().any(|p| p.first <= column && column <= p.last)
    }

    /// Whether a value stands alone in this column. A word is one in a column of values.
    fn has_value(&self, column: usize, is_valued: bool) -> bool {
        let is_value = |piece: &Piece| piece.chunk.is_value() || is_valued && piece.chunk.words.len() == 1;
        self.pieces.iter().any(|p| p.first == column && p.last == column && is_value(p) && !p.is_item())
    }

    /// Whether its only piece is in the first column.
    pub(super) fn is_label(&self) -> bool {
        matches!(self.pieces.as_slice(), [only] if only.first == 0)
    }

    /// Whether its only piece stands over all columns, or over all but the first.
    fn is_group(&self, columns: usize) -> bool {
        let is_wide = |piece: &Piece| piece.first <= 1 && piece.first < piece.last && piece.last + 1 == columns;
        matches!(self.pieces.as_slice(), [only] if is_wide(only))
    }

    /// The piece that shares columns with another.
    fn piece_at(&self, piece: &Piece) -> Option<&Piece<'p>> {
        self.pieces.iter().find(|p| p.first <= piece.last && piece.first <= p.last)
    }
}

/// Divides lines into rows, each a range of consecutive lines. `joins` tells for each line whether it belongs to the row of
/// the line before it, where that is known. `is_ruled` tells whether a rule lies between the baselines of two lines. Where
/// nothing is drawn, lines that overlap may be the labels of a chart.
pub(crate) fn rows_of(
    lines: &[RowLine],
    columns: &[Column],
    joins: &[Option<bool>],
    proof: Proof,
    is_ruled: impl Fn(&RowLine, &RowLine) -> bool,
) -> Vec<Range<usize>> {
    let ruled: Vec<bool> = lines.windows(2).map(|pair| matches!(pair, [a, b] if is_ruled(a, b))).collect();
    let ruled_count = ruled.iter().filter(|r| **r).count();
    let unruled = lines.windows(2).zip(&ruled).filter(|(_, ruled)| !**ruled).map(|(pair, _)| pair);
    let wordless = vec![false; columns.len()];
    let is_whole = |line: &RowLine| (0..columns.len()).all(|column| line.fills(column));
    let is_new = |above: &RowLine, line: &RowLine| {
        is_whole(above) && is_whole(line) && wrapping(std::slice::from_ref(above), line, columns) == Wrapping::Ended
    };
    let is_pair = |pair: &&[RowLine]| matches!(pair, [a, b] if repeats_value(a, b, &wordless) || is_new(a, b));
    // Where rules stand between groups of rows, the lines between two rules have values in the same columns, or fill all.
    let is_grouped = 4 * unruled.clone().filter(is_pair).count() > unruled.count();
    let is_banded = ruled_count >= 2 && 4 * (ruled_count + 1) >= lines.len() && !is_grouped;
    let inner = inner_pitch(lines, columns, if proof.is_drawn() { HALF_PITCH } else { 0.0 });
    let valued = valued_columns(lines, columns);
    let context = Context { lines, columns, valued, inner, is_banded };
    let mut rows = Vec::new();
    let mut start = 0;
    for at in 1..lines.len() {
        let is_joined = || ruled.get(at - 1) != Some(&true) && context.continues(at, start);
        if !joins.get(at).copied().flatten().unwrap_or_else(is_joined) {
            rows.push(start..at);
            start = at;
        }
    }
    if start < lines.len() {
        rows.push(start..lines.len());
    }
    with_details(rows, lines, |at| ruled.get(at - 1) == Some(&true))
}

/// Joins the rows that describe the item above them to its row: each is a cell in the column of its text, and stands beside
/// neither a number nor an amount. `is_ruled` tells whether a rule lies above a line.
fn with_details(rows: Vec<Range<usize>>, lines: &[RowLine], is_ruled: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let own = |row: &Range<usize>| lines.get(row.clone()).unwrap_or_default();
    let column = |row: &Range<usize>| match own(row) {
        [RowLine { pieces, .. }] => match pieces.as_slice() {
            [only] if only.first > 0 && only.first == only.last => Some(only.first),
            _ => None,
        },
        _ => None,
    };
    let is_item = |row: &Range<usize>, text: usize| {
        let first = own(row).first();
        let has_amount = |line: &RowLine| line.pieces.iter().any(|piece| piece.first > text && piece.chunk.is_value());
        let has_text = |line: &RowLine| line.pieces.iter().any(|own| own.first == text && !own.chunk.is_value());
        first.is_some_and(|line| line.fills(0) && has_text(line) && has_amount(line))
    };
    let details = rows.iter().filter_map(column);
    let Some(text) = details.clone().next() else { return rows };
    let first = rows.iter().position(|row| is_item(row, text)).unwrap_or(rows.len());
    let (before, list) = rows.split_at(first);
    let (items, others): (Vec<&Range<usize>>, Vec<&Range<usize>>) = list.iter().partition(|row| is_item(row, text));
    let are_details = others.iter().all(|row| column(row) == Some(text) && !is_ruled(row.start));
    if items.len() < MIN_ITEMS || others.len() < items.len() || !are_details {
        return rows;
    }
    let mut joined = before.to_vec();
    for row in list {
        match joined.last_mut().filter(|_| !is_item(row, text)) {
            Some(item) => item.end = row.end,
            None => joined.push(row.clone()),
        }
    }
    joined
}

/// The number of lines of the first row, if rows stand wider than lines, and else one.
pub(super) fn first_row(lines: &[RowLine], columns: &[Column]) -> usize {
    let Some(inner) = inner_pitch(lines, columns, 0.0) else { return 1 };
    let is_one = |pair: &&[RowLine]| matches!(pair, [a, b] if pitch(a, b).is_some_and(|pitch| pitch <= inner));
    1 + lines.windows(2).take_while(is_one).count()
}

/// The largest distance, in ems, of two lines of one cell; `None` if rows are as near as lines. Lines nearer than `least` ems
/// overlap: they are no two rows, but cells beside each other.
fn inner_pitch(lines: &[RowLine], columns: &[Column], least: f32) -> Option<f32> {
    let pairs = || lines.windows(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)));
    let mut pitches: Vec<f32> = pairs().filter_map(|(a, b)| pitch(a, b)).collect();
    pitches.sort_by(f32::total_cmp);
    let jumps = pitches.iter().zip(pitches.iter().skip(1));
    let widest =
        jumps.filter(|(low, high)| **low <= 1.45 && **high > 1.0).max_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    let inner = widest.filter(|(low, high)| **high > 1.18 * **low).map(|(low, high)| (low + high) / 2.0)?;
    // A label that stands alone is wrapped, or the title of the rows below it.
    let wordless = vec![false; columns.len()];
    let is_near = |a: &RowLine, b: &RowLine| {
        (!a.is_label() || a.has_value(0, false)) && pitch(a, b).is_some_and(|pitch| pitch <= inner)
    };
    let near = || pairs().filter(|(a, b)| is_near(a, b));
    let is_new = |a: &RowLine, b: &RowLine| {
        let is_ended = || wrapping(std::slice::from_ref(a), b, columns) == Wrapping::Ended;
        // Words right below a row, without a label, are the next entry of a cell.
        let is_entry = !b.fills(0) && !b.pieces.iter().all(|piece| piece.chunk.is_value());
        let is_below = pitch(a, b).is_some_and(|pitch| pitch >= least);
        repeats_value(a, b, &wordless) || is_below && !b.is_label() && !is_entry && is_ended()
    };
    let rows = near().filter(|(a, b)| is_new(a, b)).count();
    (3 * rows <= near().count()).then_some(inner)
}

/// The distance of two baselines in ems.
fn pitch(a: &RowLine, b: &RowLine) -> Option<f32> {
    let size = a.size.max(b.size);
    (size > 0.0).then(|| (b.baseline - a.baseline) / size)
}

/// For each column whether most of its pieces are values. The first one has labels.
fn valued_columns(lines: &[RowLine], columns: &[Column]) -> Vec<bool> {
    (0..columns.len()).map(|column| column > 0 && is_valued(lines, column)).collect()
}

/// Whether a column has a value on both lines. A word is one in a column of values, unless there are words in several of these
/// columns, as in heads.
fn repeats_value(above: &RowLine, line: &RowLine, valued: &[bool]) -> bool {
    let is_word = |piece: &&Piece| !piece.chunk.is_value() && valued.get(piece.first) == Some(&true);
    let is_head = [above, line].iter().any(|line| line.pieces.iter().filter(is_word).count() > 1);
    (0..).zip(valued).any(|(column, is_valued)| {
        let is_valued = *is_valued && !is_head;
        above.has_value(column, is_valued) && line.has_value(column, is_valued)
    })
}

/// What a line is to the lines of a row above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapping {
    /// It reads as the rest of its cells.
    GoesOn,
    /// The first word would have fitted on the line above, or that line has nothing in its column.
    Ended,
    /// Neither.
    Unclear,
}

/// Whether the cells of a row go on in a line.
fn wrapping(row: &[RowLine], line: &RowLine, columns: &[Column]) -> Wrapping {
    let Some(above) = row.last() else { return Wrapping::Unclear };
    if hangs(row, above, line, columns) {
        return Wrapping::GoesOn;
    }
    if line.is_label() && line.pieces.len() < above.pieces.len() || line.is_label() && above.is_label() {
        return if is_wrapped_label(above, line) { Wrapping::GoesOn } else { Wrapping::Ended };
    }
    let is_rest = !line.fills(0) && row.first().is_some_and(|first| line.pieces.len() < first.pieces.len());
    // Small letters begin each cell of some tables: a line of all cells goes on only if most of them do.
    let is_whole = line.fills(0) && row.iter().all(|above| above.pieces.len() <= line.pieces.len());
    let mut open = 0;
    for piece in &line.pieces {
        let Some(before) = above.piece_at(piece) else { return Wrapping::Ended };
        if has_room(before, piece, columns)
            && !is_hyphenated(before)
            && !(is_rest && (piece.is_item() || piece.chunk.begins_small()))
        {
            return Wrapping::Ended;
        }
        let is_text = before.chunk.words.len() > 1 || piece.chunk.words.len() > 1;
        open += usize::from(is_hyphenated(before) || is_text && piece.chunk.begins_small());
    }
    let is_open = open > 0 && (!is_whole || 2 * open > line.pieces.len());
    let are_words = line.pieces.iter().all(|p| !p.chunk.is_value() || p.is_item());
    if is_open || is_rest && are_words { Wrapping::GoesOn } else { Wrapping::Unclear }
}

/// Whether all cells of a line are set in below the first line of a row of words, and had no room on the line above. A label
/// below values may be that of the next ones.
fn hangs(row: &[RowLine], above: &RowLine, line: &RowLine, columns: &[Column]) -> bool {
    let Some(first) = row.first() else { return false };
    let left = |piece: &Piece| piece.chunk.bounds.x0;
    let hangs = |piece: &Piece| {
        let shift = first.piece_at(piece).map_or(0.0, |own| left(piece) - left(own));
        HANG_EM.contains(&(shift / piece.chunk.size()))
            && !piece.chunk.is_value()
            && above.piece_at(piece).is_some_and(|before| !has_room(before, piece, columns))
    };
    first.pieces.len() > 1 && !first.pieces.iter().any(|piece| piece.chunk.is_value()) && line.pieces.iter().all(hangs)
}

/// Whether the first word of a piece had room after the piece above it.
pub(super) fn has_room(above: &Piece, piece: &Piece, columns: &[Column]) -> bool {
    let (Some(column), Some(first)) = (columns.get(piece.last.max(above.last)), piece.chunk.words.first()) else {
        return false;
    };
    let em = first.word.size;
    let parts = piece.chunk.words.iter().skip(1).take_while(|part| !part.word.is_spaced);
    let width = parts.fold(first.word.bounds.x1, |end, part| end.max(part.word.bounds.x1)) - first.word.bounds.x0;
    above.chunk.bounds.x1 - above.chunk.bounds.x0 + WORD_SPACE_EM * em + width + ROOM * em < column.hi - column.lo
}

pub(crate) fn is_hyphenated(piece: &Piece) -> bool {
    let end = piece.chunk.words.last().and_then(|w| w.word.text.chars().next_back());
    piece.chunk.len() > 1 && end.is_some_and(|c| matches!(c, '-' | '\u{2010}' | '\u{ad}'))
}

/// Whether a label goes on from the label above: in small letters, or after an open end.
fn is_wrapped_label(above: &RowLine, line: &RowLine) -> bool {
    let (Some(start), Some(last)) = (line.pieces.first(), above.pieces.first()) else { return false };
    let end = last.chunk.words.last().and_then(|w| w.word.text.chars().next_back());
    start.chunk.begins_small() || end.is_some_and(|c| matches!(c, '-' | '/' | ',' | '‐' | '–' | '&'))
}

struct Context<'a, 'p> {
    lines: &'a [RowLine<'p>],
    columns: &'a [Column],
    valued: Vec<bool>,
    inner: Option<f32>,
    is_banded: bool,
}

impl Context<'_, '_> {
    /// Whether the line at `at` continues the row that begins at `start`.
    fn continues(&self, at: usize, start: usize) -> bool {
        let (Some(row), Some(line)) = (self.lines.get(start..at), self.lines.get(at)) else { return false };
        let Some((above, pitch)) = row.last().and_then(|above| Some((above, pitch(above, line)?))) else {
            return false;
        };
        let count = self.columns.len();
        if above.is_group(count) || line.is_group(count) {
            return above.is_group(count)
                && pitch < MAX_PITCH
                && matches!(line.pieces.as_slice(), [only] if only.chunk.begins_small());
        }
        if pitch > MAX_PITCH {
            return false;
        }
        if row.iter().any(|above| repeats_value(above, line, &self.valued)) {
            return false;
        }
        if above.is_label() && line.fills(0) && line.pieces.len() > 1 {
            let is_full = matches!((above.pieces.first(), line.pieces.first()), (Some(a), Some(b)) if !has_room(a, b, self.columns));
            return is_wrapped_label(above, line) || is_full && self.inner.is_some_and(|inner| pitch <= inner);
        }
        let wrapping = wrapping(row, line, self.columns);
        match (self.is_banded, self.inner) {
            (_, Some(inner)) if pitch > inner => wrapping == Wrapping::GoesOn,
            (true, _) => self.is_partial(row, line) || is_wrapped_label(above, line) || wrapping != Wrapping::Ended,
            (false, Some(_)) => !line.is_label() || wrapping != Wrapping::Ended || self.is_partial(row, line),
            (false, None) => wrapping == Wrapping::GoesOn,
        }
    }

    /// Whether a line and the first of a row leave columns empty that the other fills.
    fn is_partial(&self, row: &[RowLine], line: &RowLine) -> bool {
        let (Some(first), Some(above)) = (row.first(), row.last()) else { return false };
        !(line.is_label() && above.is_label()) && (0..self.columns.len()).any(|c| first.fills(c) != line.fills(c))
    }
}
