//! Rivers: white space between columns that stand as close as words do, and that no line of the table crosses.

use crate::measures::FLUSH_EM;
use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine};

/// Minimum width of a river, in ems. Word spaces are narrower than two in one place over many lines.
const MIN_EM: f32 = 0.3;
/// Minimum number of lines with text on both sides.
const MIN_LINES: usize = 4;
/// The texts after it begin at one edge, but for the lines of a head, and for at most one line in so many.
const ODD_LINES: usize = 5;
const MAX_HEADS: usize = 2;
/// A line that is a single chunk wider than this share of the table is the title of a group of rows.
const MAX_WIDTH: f32 = 0.6;

/// Divides the chunks of lines at rivers.
pub(super) fn divide(lines: &mut [TextLine]) {
    let left = lines.iter().flat_map(|l| &l.chunks).map(|c| c.bounds.x0).fold(f32::INFINITY, f32::min);
    let right = lines.iter().flat_map(|l| &l.chunks).map(|c| c.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
    let is_title = |line: &TextLine| match line.chunks.as_slice() {
        [only] => only.bounds.width() > MAX_WIDTH * (right - left),
        _ => false,
    };
    let rows: Vec<&TextLine> = lines.iter().filter(|line| !is_title(line)).collect();
    let mut starts: Vec<f32> = rows.iter().flat_map(|line| inner_starts(line)).collect();
    starts.sort_by(f32::total_cmp);
    starts.dedup_by(|a, b| (*a - *b).abs() < 0.5);
    starts.retain(|x| is_river(*x, &rows));
    let chunks = |line: &mut TextLine| {
        let whole = std::mem::take(&mut line.chunks);
        line.chunks = whole.into_iter().flat_map(|chunk| divided(chunk, &starts)).collect();
    };
    if !starts.is_empty() {
        let titles: Vec<bool> = lines.iter().map(is_title).collect();
        lines.iter_mut().zip(titles).filter(|(_, is_title)| !is_title).for_each(|(line, _)| chunks(line));
    }
}

/// Where words within chunks begin.
fn inner_starts(line: &TextLine) -> impl Iterator<Item = f32> {
    let words = line.chunks.iter().flat_map(|chunk| chunk.words.iter().skip(1));
    words.filter(|word| word.word.is_spaced).map(|word| word.word.bounds.x0)
}

/// Whether no line has text right before `x`, and enough have text on both sides, which begins at `x`.
fn is_river(x: f32, rows: &[&TextLine]) -> bool {
    let (mut both, mut flush, mut heads) = (0, 0, 0);
    for line in rows {
        let words = || line.chunks.iter().flat_map(|chunk| &chunk.words);
        let em = line.size.max(1.0);
        let crosses = |w: &PlacedWord| w.word.bounds.x0 < x - FLUSH_EM * em && w.word.bounds.x1 > x - MIN_EM * em;
        if words().any(crosses) {
            return false;
        }
        let after = words().map(|w| w.word.bounds.x0).filter(|start| *start >= x - FLUSH_EM * em);
        let next = after.fold(f32::INFINITY, f32::min);
        if next.is_finite() && words().any(|w| w.word.bounds.x1 < x) {
            both += 1;
            flush += usize::from(next - x < FLUSH_EM * em);
            heads += usize::from(flush == 0 && heads < MAX_HEADS);
        }
    }
    flush >= MIN_LINES && ODD_LINES * (both - flush - heads) <= both
}

fn divided<'p>(chunk: Chunk<'p>, rivers: &[f32]) -> Vec<Chunk<'p>> {
    let side = |word: &PlacedWord| rivers.partition_point(|x| *x < word.word.bounds.x0 + 1.0);
    chunk.words.chunk_by(|a, b| side(a) == side(b)).filter_map(|words| Chunk::new(words.to_vec())).collect()
}
