//! Columns from the white space between chunks.

use crate::list_marks::is_list_mark;
use crate::measures::FLUSH_EM;
use crate::tables::layout::edges::Edge;
use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, is_item};
use crate::tables::layout::signs::is_currency_of;

/// An area with more columns than this is no table.
const MAX_COLUMNS: usize = 100;
/// A line with at least this share of the chunks of the fullest line shows where the columns are.
const FULL_LINE: (usize, usize) = (3, 4);
/// Heads that stand closer than their columns are further apart than this many ems: word spaces are a quarter to a third.
pub(super) const MIN_SEAM: f32 = 0.4;
/// Each of them stands at the left, the middle or the right of its column, within this many ems.
const OFF_COLUMN: f32 = 0.6;
/// Single words that stand over a column each, within this many ems, are heads however close they are. So are words that begin
/// at the left edges of at least so many columns.
const ON_COLUMN: f32 = 0.3;
const MIN_FLUSH: usize = 4;

/// Minimum number of them.
const MIN_VALUES: usize = 3;

/// Upright edges divide columns if they are drawn over this share of the height. Pieces nearer than `SAME_PT` points are one
/// edge, and edges nearer than `NEAR_PT` the sides of one border.
const DRAWN_SHARE: f32 = 0.8;
const SAME_PT: f32 = 1.0;
const NEAR_PT: f32 = 6.0;

/// A column of chunks that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    pub(crate) lo: f32,
    pub(crate) hi: f32,
    /// How many chunks stand in it.
    pub(crate) count: usize,
    /// Whether its chunks are values that begin at its left edge. `false` until [`mark_values`] was called.
    has_values: bool,
}

impl Column {
    /// Whether a chunk stands at its left, its right or its middle, within `limit` ems.
    pub(crate) fn is_aligned(&self, chunk: &Chunk, limit: f32) -> bool {
        let b = &chunk.bounds;
        let middle = (b.x0 + b.x1 - self.lo - self.hi).abs() / 2.0;
        (b.x0 - self.lo).abs().min((b.x1 - self.hi).abs()).min(middle) < limit * chunk.size()
    }
}

/// A chunk and the columns that it covers, from `first` to `last`.
#[derive(Debug, Clone)]
pub(crate) struct Piece<'p> {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) chunk: Chunk<'p>,
}

impl Piece<'_> {
    pub(super) fn is_item(&self) -> bool {
        is_item(&self.chunk.words)
    }
}

/// The columns of these lines from left to right; none if there are too many.
pub(crate) fn columns_of<'l, 'p>(lines: &'l [TextLine<'p>]) -> Vec<Column> {
    // Lines of many chunks first: a head or a title over several columns must not begin one of its own.
    let most = lines.iter().map(|line| line.chunks.len()).max().unwrap_or(0);
    let is_whole = |line: &TextLine| FULL_LINE.1 * line.chunks.len() >= FULL_LINE.0 * most;
    let (whole, rest): (Vec<&TextLine>, Vec<&TextLine>) = lines.iter().partition(|line| is_whole(line));
    let by_width = |lines: &[&'l TextLine<'p>]| {
        let is_alone = |line: &TextLine| line.chunks.len() == 1;
        let own = lines.iter().flat_map(|line| line.chunks.iter().map(|chunk| (chunk, is_alone(line))));
        let mut chunks: Vec<(&Chunk, bool)> = own.collect();
        chunks.sort_by(|(a, _), (b, _)| a.bounds.width().total_cmp(&b.bounds.width()));
        chunks
    };
    let all: Vec<&TextLine> = lines.iter().collect();
    let mut columns: Vec<Column> = Vec::new();
    for (own, lines) in [(&whole, &whole), (&rest, &all)] {
        let chunks = by_width(own);
        for (chunk, is_alone) in &chunks {
            add(&mut columns, chunk, *is_alone);
            if columns.len() > MAX_COLUMNS {
                return Vec::new();
            }
        }
        join_crossed(&mut columns, lines);
        // What stood over two columns may be the text of both as one.
        chunks.into_iter().for_each(|(chunk, _)| widen(&mut columns, chunk));
    }
    join_symbols(&mut columns, lines);
    join_where(&mut columns, |a, b| are_currencies(a, b, lines));
    join_where(&mut columns, |a, b| are_disjoint(a, b, lines));
    columns
}

/// The columns between the upright edges that run along most of the height of these lines. Empty if there are too many.
pub(super) fn drawn_columns(lines: &[TextLine], uprights: &[Edge]) -> Vec<Column> {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Vec::new() };
    let height = last.baseline - first.baseline + first.size;
    let mut sorted: Vec<&Edge> = uprights.iter().collect();
    sorted.sort_by(|a, b| a.at.total_cmp(&b.at));
    let places = sorted.chunk_by(|a, b| b.at - a.at < SAME_PT).filter(|own| drawn_length(own) > DRAWN_SHARE * height);
    let places: Vec<f32> = places.filter_map(|own| Some(own.first()?.at)).collect();
    let mut sides = vec![f32::MIN];
    for border in places.chunk_by(|a, b| b - a < NEAR_PT) {
        sides.extend(border.first().into_iter().chain(border.last()));
    }
    sides.push(f32::MAX);
    if sides.len() > 2 * MAX_COLUMNS {
        return Vec::new();
    }
    // Dots lead to the values.
    let has_text = |chunk: &&Chunk| chunk.words.iter().any(|word| word.word.text.contains(|sign| sign != '.'));
    let chunks = || lines.iter().flat_map(|line| &line.chunks).filter(has_text);
    let column = |between: &[f32]| {
        let [left, right] = between else { return None };
        let is_within = |chunk: &&Chunk| *left < chunk.bounds.x0 + SAME_PT && chunk.bounds.x1 < *right + SAME_PT;
        let lo = chunks().filter(is_within).map(|chunk| chunk.bounds.x0).fold(f32::MAX, f32::min);
        let hi = chunks().filter(is_within).map(|chunk| chunk.bounds.x1).fold(f32::MIN, f32::max);
        let count = chunks().filter(is_within).count();
        (count >= MIN_VALUES).then_some(Column { lo, hi, count, has_values: false })
    };
    sides.chunks(2).filter_map(column).collect()
}

/// The length that edges of one place cover together.
fn drawn_length(edges: &[&Edge]) -> f32 {
    let mut parts: Vec<(f32, f32)> = edges.iter().map(|edge| (edge.start, edge.end)).collect();
    parts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut length, mut end) = (0.0, f32::MIN);
    for (start, own) in parts {
        length += (own - start.max(end)).max(0.0);
        end = end.max(own);
    }
    length
}

/// Marks the columns whose chunks, but for a head, are values that begin at their left.
pub(super) fn mark_values(columns: &mut [Column], lines: &[TextLine]) {
    for column in columns {
        let lo = column.lo;
        let is_value = |chunk: &&Chunk| chunk.is_value() && (chunk.bounds.x0 - lo).abs() < FLUSH_EM * chunk.size();
        let values = chunks_in(lines, column).filter(is_value).count();
        column.has_values = values >= MIN_VALUES && values + 1 >= chunks_in(lines, column).count();
    }
}

/// Neighbours are one column if more chunks run over their border than lines stop at it: wide spaces of justified text
/// divide few of its lines.
fn join_crossed(columns: &mut Vec<Column>, lines: &[&TextLine]) {
    join_where(columns, |a, b| {
        let (crossing, divided) = border_use(a, b, lines);
        crossing > divided
    });
}

/// Joins neighbours that satisfy a condition, the nearest ones first: a head stands nearer to its values than to the next
/// column.
fn join_where(columns: &mut Vec<Column>, are_one: impl Fn(&Column, &Column) -> bool) {
    let gap = |columns: &[Column], at: usize| match columns.get(at..at + 2) {
        Some([a, b]) if are_one(a, b) => Some(b.lo - a.hi),
        _ => None,
    };
    let mut gaps: Vec<Option<f32>> = (0..columns.len()).map(|at| gap(columns, at)).collect();
    let nearest = |gaps: &[Option<f32>]| {
        let own = gaps.iter().enumerate().filter_map(|(at, gap)| gap.map(|gap| (at, gap)));
        own.min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
    };
    while let Some(at) = nearest(&gaps) {
        join_pair(columns, at);
        gaps.remove(at);
        for beside in at.saturating_sub(1)..=at {
            gaps.iter_mut().skip(beside).take(1).for_each(|own| *own = gap(columns, beside));
        }
    }
}

/// How many lines run over the border of two columns, and how many have text on both sides of it.
fn border_use(a: &Column, b: &Column, lines: &[&TextLine]) -> (usize, usize) {
    let border = (a.hi + b.lo) / 2.0;
    let (mut crossing, mut divided) = (0, 0);
    for line in lines.iter().filter(|line| line.chunks.len() > 1) {
        let is_crossed = line.chunks.iter().any(|c| c.bounds.x0 < border && border < c.bounds.x1);
        let ends = line.chunks.iter().any(|c| c.bounds.x0 < a.hi && a.lo < c.bounds.x1 && c.bounds.x1 <= border);
        let starts = line.chunks.iter().any(|c| c.bounds.x0 < b.hi && b.lo < c.bounds.x1 && border <= c.bounds.x0);
        crossing += usize::from(is_crossed);
        divided += usize::from(!is_crossed && ends && starts);
    }
    (crossing, divided)
}

/// Adds a chunk to the column that it overlaps; a chunk over several columns, or over all of the space between two, belongs to
/// none. One that is alone in its line may be the title of a group, and does not reach into the columns beside its own.
fn add(columns: &mut Vec<Column>, chunk: &Chunk, is_alone: bool) {
    let slack = 0.1 * chunk.size();
    let (lo, hi) = (chunk.bounds.x0, chunk.bounds.x1);
    let first = columns.partition_point(|c| c.hi <= lo + slack);
    let last = columns.partition_point(|c| c.lo < hi - slack).max(first);
    let (before, after) = (first.checked_sub(1).and_then(|at| columns.get(at)), columns.get(last));
    if last == first && before.zip(after).is_some_and(|(a, b)| fills_gap(chunk, a, b)) {
        return;
    }
    let is_border = |column: &&Column| is_alone && column.count >= MIN_VALUES;
    let (before, after) = (before.filter(is_border), after.filter(is_border));
    let (lo, hi) = (before.map_or(lo, |c| lo.max(c.hi)), after.map_or(hi, |c| hi.min(c.lo)));
    let own = Column { lo, hi, count: 1, has_values: false };
    if last == first {
        columns.insert(first, own);
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

/// Whether a chunk stands over all of the space between two columns, as a head of both does.
fn fills_gap(chunk: &Chunk, before: &Column, after: &Column) -> bool {
    let gap = (chunk.bounds.x0 - before.hi).max(after.lo - chunk.bounds.x1);
    before.count.min(after.count) > 1 && gap < 0.1 * chunk.size()
}

/// Widens the only column that a chunk overlaps.
fn widen(columns: &mut [Column], chunk: &Chunk) {
    let (lo, hi) = (chunk.bounds.x0, chunk.bounds.x1);
    let mut own = columns.iter_mut().filter(|column| lo < column.hi && column.lo < hi);
    if let (Some(column), None) = (own.next(), own.next()) {
        (column.lo, column.hi) = (column.lo.min(lo), column.hi.max(hi));
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
                || texts.iter().all(|t| is_list_mark(t)));
        let trails = texts.iter().any(|t| matches!(*t, "%" | ")" | "*" | "†" | "‡"));
        let host = if trails { at.checked_sub(1) } else { Some(at + 1).filter(|h| *h < columns.len()) };
        match host {
            Some(host) if is_signs => join_pair(columns, at.min(host)),
            _ => at += 1,
        }
    }
}

/// Whether all texts of a column that stand beside one of the next column are the currencies of its values. A head may stand
/// over both.
fn are_currencies(signs: &Column, values: &Column, lines: &[TextLine]) -> bool {
    let mut count = 0;
    let is_beside = |line: &TextLine| {
        let own = std::slice::from_ref(line);
        let (Some(sign), Some(value)) = (chunks_in(own, signs).next(), chunks_in(own, values).next()) else {
            return true;
        };
        count += 1;
        let ([sign], Some(value)) = (sign.words.as_slice(), value.words.first()) else { return false };
        is_currency_of(&sign.word.text, &value.word.text)
    };
    lines.iter().all(is_beside) && count > 0
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

/// Whether no line fills two neighbours, of which one is sparse: they are one column.
fn are_disjoint(a: &Column, b: &Column, lines: &[TextLine]) -> bool {
    let holds = |line: &TextLine, column: &Column| {
        line.chunks.iter().any(|c| c.bounds.x0 < column.hi && column.lo < c.bounds.x1)
    };
    let both = lines.iter().any(|l| holds(l, a) && holds(l, b));
    let is_near = b.lo - a.hi < 4.0 * lines.iter().map(|l| l.size).fold(0.0, f32::max);
    !both && is_near && 3 * a.count.min(b.count) <= a.count.max(b.count)
}

/// The pieces of a line, each with the columns that it covers.
pub(crate) fn pieces_of<'p>(line: &TextLine<'p>, columns: &[Column]) -> Vec<Piece<'p>> {
    let mut pieces: Vec<Piece> = line.chunks.iter().flat_map(|c| pieces_of_chunk(c, columns)).collect();
    // Text that runs on beneath other text belongs to the column where it begins.
    let starts: Vec<usize> = pieces.iter().map(|piece| piece.first).collect();
    for piece in pieces.iter_mut().filter(|piece| piece.last > piece.first) {
        let next = starts.iter().filter(|start| **start > piece.first && **start <= piece.last).min();
        piece.last = next.map_or(piece.last, |next| next - 1);
    }
    joined_by_column(pieces)
}

/// Neighbours in one column as one piece: the spaces of justified text may be wide.
fn joined_by_column<'p>(pieces: Vec<Piece<'p>>) -> Vec<Piece<'p>> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if (last.first, last.last) == (piece.first, piece.last) && last.first == last.last => {
                last.chunk.extend(piece.chunk);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

/// Divides a chunk where a space of it lies between two columns, or so that each part stands over its own column.
fn pieces_of_chunk<'p>(chunk: &Chunk<'p>, columns: &[Column]) -> Vec<Piece<'p>> {
    let pieces = cleared_pieces(chunk, columns);
    let parts = |piece: &Piece<'p>| flush(piece, columns).or_else(|| abreast(piece, columns));
    pieces.into_iter().flat_map(|piece| parts(&piece).unwrap_or_else(|| vec![piece])).collect()
}

/// The parts of a piece over many columns that begin at the left edges of these: heads that are as long as their columns are
/// wide.
fn flush<'p>(piece: &Piece<'p>, columns: &[Column]) -> Option<Vec<Piece<'p>>> {
    let own = columns.get(piece.first..=piece.last).filter(|own| own.len() >= MIN_FLUSH)?;
    let words = &piece.chunk.words;
    let begins = |column: &Column| {
        words.iter().position(|w| (w.word.bounds.x0 - column.lo).abs() < ON_COLUMN * w.word.size && w.word.is_spaced)
    };
    let mut starts: Vec<usize> = own.iter().skip(1).map(begins).collect::<Option<_>>()?;
    starts.insert(0, 0);
    starts.push(words.len());
    let part = |(at, range): (usize, &[usize])| match range {
        [start, end] if start < end => piece_at(words.get(*start..*end)?, piece.first + at),
        _ => None,
    };
    starts.windows(2).enumerate().map(part).collect()
}

/// The parts of a piece over several columns, one aligned with each: heads that stand closer than their columns.
fn abreast<'p>(piece: &Piece<'p>, columns: &[Column]) -> Option<Vec<Piece<'p>>> {
    let own = columns.get(piece.first..=piece.last)?;
    let words = &piece.chunk.words;
    if own.len() < 2 || words.len() < own.len() {
        return None;
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, pair) in own.windows(2).enumerate() {
        let [a, b] = pair else { continue };
        let last_end = words.len() - (own.len() - 1 - at);
        let end = (start + 1..=last_end).min_by(|i, j| seam(words, *i, a, b).total_cmp(&seam(words, *j, a, b)))?;
        parts.push(piece_at(words.get(start..end)?, piece.first + at)?);
        start = end;
    }
    parts.push(piece_at(words.get(start..)?, piece.last)?);
    let are_over = |limit: f32| {
        parts.iter().all(|part| columns.get(part.first).is_some_and(|column| column.is_aligned(&part.chunk, limit)))
    };
    let are_words = parts.iter().all(|part| part.chunk.words.len() == 1);
    (are_over(OFF_COLUMN) && has_wide_seams(&parts) || are_words && are_over(ON_COLUMN)).then_some(parts)
}

/// How badly words divide before `at` for two columns: by how far both sides are from them.
fn seam(words: &[PlacedWord], at: usize, a: &Column, b: &Column) -> f32 {
    let middle = |c: &Column| (c.lo + c.hi) / 2.0;
    let (Some(last), Some(next)) = (at.checked_sub(1).and_then(|i| words.get(i)), words.get(at)) else {
        return f32::MAX;
    };
    let (end, start) = (last.word.bounds.x1, next.word.bounds.x0);
    let border = (a.hi + b.lo) / 2.0;
    let centre = (end + start) / 2.0;
    if centre < middle(a) || centre > middle(b) { f32::MAX } else { (centre - border).abs() - 4.0 * (start - end) }
}

/// Whether the gaps between the parts are wide, and wider than those in them.
fn has_wide_seams(parts: &[Piece]) -> bool {
    let inner = parts.iter().flat_map(|part| part.chunk.words.iter().zip(part.chunk.words.iter().skip(1)));
    let widest = inner.map(|(a, b)| a.gap_to(b)).fold(0.0, f32::max);
    let mut seams =
        parts.iter().zip(parts.iter().skip(1)).map(|(a, b)| a.chunk.words.last().zip(b.chunk.words.first()));
    seams.all(|seam| seam.is_some_and(|(a, b)| a.gap_to(b) > MIN_SEAM.max(1.25 * widest)))
}

fn piece_at<'p>(words: &[PlacedWord<'p>], column: usize) -> Option<Piece<'p>> {
    Some(Piece { first: column, last: column, chunk: Chunk::new(words.to_vec())? })
}

fn cleared_pieces<'p>(chunk: &Chunk<'p>, columns: &[Column]) -> Vec<Piece<'p>> {
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

/// Whether the border of two columns lies between two words of a line. The space between the words must be wide, unless the
/// second is a value at the left edge of a column of values.
fn is_divided(last: &PlacedWord, word: &PlacedWord, columns: &[Column]) -> bool {
    let (lo, hi, em) = (last.word.bounds.x1, word.word.bounds.x0, word.word.size);
    let is_value = |w: &PlacedWord| w.word.text.contains(char::is_numeric);
    let is_wide = hi - lo >= if is_value(last) && is_value(word) { 0.22 } else { 0.35 } * em;
    let is_flush = |column: &Column| column.has_values && (hi - column.lo).abs() < FLUSH_EM * em;
    let is_apart = hi - lo >= 0.22 * em && is_value(word) && !is_value(last);
    let mut borders = columns.iter().zip(columns.iter().skip(1));
    borders.any(|(a, b)| {
        let is_near = || a.hi >= lo - 1.5 * em && b.lo <= hi + 1.5 * em;
        a.hi <= hi + 0.5 && lo - 0.5 <= b.lo && (is_wide && is_near() || is_apart && is_flush(b))
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
