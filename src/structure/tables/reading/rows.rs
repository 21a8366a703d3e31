//! Rows from lines: which lines of a table belong to one row.

use super::columns::Piece;

/// A line of a table: its pieces and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct RowLine<'p> {
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) pieces: Vec<Piece<'p>>,
}

impl RowLine<'_> {
    /// Whether a piece stands in this column.
    pub(crate) fn fills(&self, column: usize) -> bool {
        self.pieces.iter().any(|p| p.first <= column && column <= p.last)
    }

    /// Whether a value stands alone in this column.
    fn has_value(&self, column: usize) -> bool {
        self.pieces.iter().any(|p| p.first == column && p.last == column && p.chunk.is_value())
    }

    /// Whether its only piece is in the first column.
    fn is_label(&self) -> bool {
        matches!(self.pieces.as_slice(), [only] if only.first == 0)
    }
}

/// The rows of these lines: runs of lines of one row. `is_ruled` says whether a rule lies between two lines' baselines.
pub(crate) fn rows_of(
    lines: &[RowLine],
    columns: usize,
    is_ruled: impl Fn(&RowLine, &RowLine) -> bool,
) -> Vec<std::ops::Range<usize>> {
    let spacing = Spacing::of(lines, columns);
    let ruled: Vec<bool> = lines.windows(2).map(|pair| matches!(pair, [a, b] if is_ruled(a, b))).collect();
    let ruled_count = ruled.iter().filter(|r| **r).count();
    let is_banded = ruled_count >= 2 && 4 * (ruled_count + 1) >= lines.len();
    let context = Context { lines, columns, spacing, is_banded };
    let mut rows = Vec::new();
    let mut start = 0;
    for at in 1..lines.len() {
        if ruled.get(at - 1) == Some(&true) || !context.continues(at, start) {
            rows.push(start..at);
            start = at;
        }
    }
    if start < lines.len() {
        rows.push(start..lines.len());
    }
    rows
}

/// The leading inside cells and the pitch of rows, where they differ.
#[derive(Debug, Clone, Copy)]
struct Spacing {
    /// A pitch up to this lies inside a cell, if rows stand wider than lines.
    inner: Option<f32>,
}

impl Spacing {
    /// Finds the widest jump between pitches in order.
    fn of(lines: &[RowLine], columns: usize) -> Self {
        let found = Self::jump(lines);
        let Some(inner) = found.inner else { return found };
        let near = || {
            lines
                .windows(2)
                .filter_map(|w| Some((w.first()?, w.get(1)?)))
                .filter(|(a, b)| pitch(a, b).is_some_and(|p| p <= inner))
        };
        let rows = near().filter(|(a, b)| repeats_value(a, b, columns)).count();
        if 3 * rows > near().count() { Self { inner: None } } else { found }
    }

    fn jump(lines: &[RowLine]) -> Self {
        let mut pitches: Vec<f32> = lines.windows(2).filter_map(|w| pitch(w.first()?, w.get(1)?)).collect();
        pitches.sort_by(f32::total_cmp);
        let jumps = pitches.iter().zip(pitches.iter().skip(1));
        let best = jumps.filter(|(low, _)| **low <= 1.45).max_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
        Self { inner: best.filter(|(low, high)| **high > 1.18 * **low).map(|(low, high)| (low + high) / 2.0) }
    }
}

/// The distance of two baselines in ems.
fn pitch(a: &RowLine, b: &RowLine) -> Option<f32> {
    let size = a.size.max(b.size);
    (size > 0.0).then(|| (b.baseline - a.baseline) / size)
}

/// Whether a column has a value on both lines.
fn repeats_value(above: &RowLine, line: &RowLine, columns: usize) -> bool {
    (0..columns).any(|c| above.has_value(c) && line.has_value(c))
}

struct Context<'a, 'p> {
    lines: &'a [RowLine<'p>],
    columns: usize,
    spacing: Spacing,
    is_banded: bool,
}

impl Context<'_, '_> {
    /// Whether the line at `at` continues the row of the line before it.
    fn continues(&self, at: usize, start: usize) -> bool {
        let (Some(above), Some(line)) = (self.lines.get(at - 1), self.lines.get(at)) else { return false };
        let Some(pitch) = pitch(above, line) else { return false };
        if repeats_value(above, line, self.columns) || pitch > 2.2 {
            return false;
        }
        if self.is_banded {
            return true;
        }
        match self.spacing.inner {
            Some(inner) if pitch > inner => false,
            Some(_) => self.goes_on(above, line, self.lines.get(start).unwrap_or(above)),
            None => self.is_wrapped(above, line),
        }
    }

    /// Whether a line at a narrow pitch goes on: two whole lines are two rows.
    fn goes_on(&self, above: &RowLine, line: &RowLine, start: &RowLine) -> bool {
        if above.is_label() && line.fills(0) && line.pieces.len() > 1 {
            return self.is_wrapped_label(above, line);
        }
        if line.is_label() && above.is_label() {
            return self.is_wrapped_label(above, line);
        }
        if self.is_partial(start, line) || self.is_partial(line, start) {
            return true;
        }
        line.pieces.len() < 2 && (!line.fills(0) || self.is_wrapped_label(above, line))
    }

    /// Whether `line` leaves columns empty that `whole` fills.
    fn is_partial(&self, whole: &RowLine, line: &RowLine) -> bool {
        (0..self.columns).any(|c| whole.fills(c) && !line.fills(c))
    }

    /// Whether a line reads as the rest of the cells above, at a pitch that says nothing.
    fn is_wrapped(&self, above: &RowLine, line: &RowLine) -> bool {
        let is_covered = line.pieces.iter().all(|p| (p.first..=p.last).all(|c| above.fills(c)));
        let is_words = line.pieces.iter().all(|p| !p.chunk.is_value());
        if !is_covered || !is_words || line.pieces.len() >= above.pieces.len() {
            return false;
        }
        if line.is_label() {
            return self.is_wrapped_label(above, line);
        }
        !line.fills(0)
    }

    /// Whether a lone label goes on from the label above: in small letters, or after an open end.
    fn is_wrapped_label(&self, above: &RowLine, line: &RowLine) -> bool {
        let (Some(start), Some(last)) = (line.pieces.first(), above.pieces.first()) else { return false };
        let first = start.chunk.words.first().and_then(|w| w.word.text.chars().next());
        let end = last.chunk.words.last().and_then(|w| w.word.text.chars().next_back());
        let is_open = end.is_some_and(|c| matches!(c, '-' | '/' | ',' | '‐' | '–' | '&'));
        first.is_some_and(|c| c.is_lowercase() || c == '(') || is_open
    }
}
