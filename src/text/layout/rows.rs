//! Rows of words: what stands on one baseline across a page, and the gaps in it.

use crate::page_layout::{Bounds, Word};

/// Baselines that differ by no more than this share of the smaller em are one. Fonts that stand side by side differ by a
/// tenth, the columns of a form by a quarter; lines of text are an em apart. Superscripts have the baseline of their line.
pub const SAME_LINE_EM: f32 = 0.3;

/// Words that overlap by more, in ems, are printed over each other. Kerning and slanted letters overlap by less.
const OVERPRINT_EM: f32 = 0.3;

/// At most this many texts are printed over each other on a row: an amount over a description over another.
const MAX_STRANDS: usize = 8;

/// A gap wider than this, in ems, divides columns. Spaces between words are a quarter of an em, in justified lines a half.
pub const COLUMN_GAP_EM: f32 = 0.65;

/// The least space between two words that do not follow each other in the page's text, in ems.
const SPACE_EM: f32 = 0.15;

/// Where a word stands on a page.
#[derive(Debug, Clone, Copy)]
pub struct WordPlace {
    pub bounds: Bounds,
    /// The y coordinate of its line's baseline.
    pub baseline: f32,
    /// The em.
    pub size: f32,
    /// Its place in the reading order.
    pub order: usize,
    /// Whether a space is before it in the text, or a line begins with it.
    pub is_spaced: bool,
}

/// Something that has a place on a page.
pub trait HasPlace {
    fn place(&self) -> WordPlace;
}

impl HasPlace for (usize, &Word) {
    fn place(&self) -> WordPlace {
        let (order, Word { bounds, baseline, size, is_spaced, .. }) = *self;
        WordPlace { bounds: *bounds, baseline: *baseline, size: *size, order, is_spaced: *is_spaced }
    }
}

/// Whether two words are on one baseline.
pub fn are_level(one: &impl HasPlace, other: &impl HasPlace) -> bool {
    let (one, other) = (one.place(), other.place());
    (one.baseline - other.baseline).abs() <= SAME_LINE_EM * one.size.min(other.size)
}

/// Whether a word ends beyond the beginning of the next, and they are neither only raised and lowered there, nor the parts
/// of one word, as in a logo.
fn are_overprinted(one: &impl HasPlace, next: &impl HasPlace) -> bool {
    let (one, next) = (one.place(), next.place());
    let is_one_word = one.order + 1 == next.order && !next.is_spaced;
    !is_one_word && are_boxes_overprinted(one.bounds, next.bounds, one.size.min(next.size))
}

/// Whether a text ends beyond the beginning of the next.
pub fn are_boxes_overprinted(a: Bounds, b: Bounds, em: f32) -> bool {
    let height = a.height().min(b.height());
    a.x1 - b.x0 > OVERPRINT_EM * em && 2.0 * (a.y1.min(b.y1) - a.y0.max(b.y0)) > height
}

/// Whether two words that do not follow each other in the page's text have a space between them, or one is printed over
/// the other.
pub fn are_apart(one: Bounds, next: Bounds, em: f32) -> bool {
    let gap = (next.x0 - one.x1).max(one.x0 - next.x1);
    !(-OVERPRINT_EM * em..=SPACE_EM * em).contains(&gap)
}

/// Groups words into rows by their baselines. The rows go from top to bottom, and the words of a row from left to right.
pub fn rows_of<W: HasPlace>(mut words: Vec<W>) -> Vec<Vec<W>> {
    words.sort_by(|one, other| one.place().baseline.total_cmp(&other.place().baseline));
    let mut rows: Vec<Vec<W>> = Vec::new();
    for word in words {
        match rows.last_mut().filter(|row| row.first().is_some_and(|first| are_level(first, &word))) {
            Some(row) => row.push(word),
            None => rows.push(vec![word]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|one, other| one.place().bounds.x0.total_cmp(&other.place().bounds.x0)));
    rows
}

/// The words of a row as runs that are not printed over each other; as one if there are too many.
pub fn strands<W: HasPlace>(row: Vec<W>) -> Vec<Vec<W>> {
    let is_plain = !row.windows(2).any(|pair| matches!(pair, [one, next] if are_overprinted(one, next)));
    let Some((count, places)) = (!is_plain).then(|| strand_of_each(&row)).flatten() else { return vec![row] };
    let mut strands: Vec<Vec<W>> = (0..count).map(|_| Vec::new()).collect();
    for (word, place) in row.into_iter().zip(places) {
        if let Some(strand) = strands.get_mut(place) {
            strand.push(word);
        }
    }
    strands
}

/// The number of strands, and the strand of each word; `None` if there are too many. Words that follow each other in the
/// reading order are of one strand.
fn strand_of_each<W: HasPlace>(row: &[W]) -> Option<(usize, Vec<usize>)> {
    let mut read: Vec<(usize, &W)> = row.iter().enumerate().collect();
    read.sort_by_key(|(_, word)| word.place().order);
    let follows = |one: &(usize, &W), next: &(usize, &W)| {
        one.1.place().order + 1 == next.1.place().order && !are_overprinted(one.1, next.1)
    };
    let mut runs: Vec<&[(usize, &W)]> = read.chunk_by(follows).collect();
    runs.sort_by_key(|run| run.first().map(|(at, _)| *at));
    let (mut ends, mut places): (Vec<&W>, _) = (Vec::new(), vec![0; row.len()]);
    for run in runs {
        let (Some((_, first)), Some((_, last))) = (run.first(), run.last()) else { continue };
        let free = ends.iter().position(|end| !are_overprinted(*end, *first));
        let strand = free.unwrap_or(ends.len());
        match ends.get_mut(strand) {
            Some(end) => *end = last,
            None => ends.push(last),
        }
        if ends.len() > MAX_STRANDS {
            return None;
        }
        for (at, _) in run.iter() {
            places.iter_mut().skip(*at).take(1).for_each(|place| *place = strand);
        }
    }
    Some((ends.len(), places))
}

/// The parts of a run of words that gaps divide. `is_divided` is asked for each word but the first, with the gap before it
/// in ems of the larger neighbour.
pub fn parts<W: HasPlace>(run: Vec<W>, mut is_divided: impl FnMut(usize, f32) -> bool) -> Vec<Vec<W>> {
    let mut parts: Vec<Vec<W>> = Vec::new();
    let mut end = f32::NEG_INFINITY;
    for (at, word) in run.into_iter().enumerate() {
        let WordPlace { bounds: Bounds { x0, x1, .. }, size, .. } = word.place();
        match parts.last_mut() {
            Some(part)
                if !is_divided(at, (x0 - end) / part.last().map_or(size, |last| last.place().size.max(size))) =>
            {
                end = end.max(x1);
                part.push(word);
            }
            _ => {
                end = x1;
                parts.push(vec![word]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Sketch {
        at: usize,
        x: [f32; 2],
        baseline: f32,
        is_spaced: bool,
    }

    impl HasPlace for Sketch {
        fn place(&self) -> WordPlace {
            let Self { at, x, baseline, is_spaced } = *self;
            WordPlace {
                bounds: [x[0], baseline - 8.0, x[1], baseline + 2.0].into(),
                baseline,
                size: 10.0,
                order: at,
                is_spaced,
            }
        }
    }

    /// Words of an em of ten, in their reading order.
    fn words<const N: usize>(places: [(f32, f32, f32); N]) -> Vec<Sketch> {
        let placed = |(at, (left, right, baseline))| Sketch { at, x: [left, right], baseline, is_spaced: true };
        places.into_iter().enumerate().map(placed).collect()
    }

    fn orders(groups: Vec<Vec<Sketch>>) -> Vec<Vec<usize>> {
        groups.into_iter().map(|group| group.into_iter().map(|word| word.at).collect()).collect()
    }

    #[test]
    fn a_row_has_one_baseline_and_goes_from_left_to_right() {
        let page = words([(50.0, 90.0, 102.0), (0.0, 40.0, 100.0), (0.0, 40.0, 112.0), (50.0, 90.0, 88.0)]);
        assert_eq!(orders(rows_of(page)), [vec![3], vec![1, 0], vec![2]]);
    }

    #[test]
    fn texts_that_are_printed_over_each_other_are_kept_apart() {
        let row = words([(0.0, 30.0, 100.0), (33.0, 60.0, 100.0), (10.0, 40.0, 100.0), (45.0, 70.0, 100.0)]);
        assert_eq!(orders(rows_of(row.clone()).into_iter().flat_map(strands).collect()), [vec![0, 1], vec![2, 3]]);
        let touching = words([(0.0, 30.0, 100.0), (28.0, 60.0, 100.0)]);
        assert_eq!(orders(strands(touching)), [vec![0, 1]]);
        let mut logo = words([(0.0, 6.0, 100.0), (2.0, 30.0, 98.0), (33.0, 60.0, 100.0)]);
        assert_eq!(strands(logo.clone()).len(), 2);
        logo.iter_mut().skip(1).take(1).for_each(|word| word.is_spaced = false);
        assert_eq!(orders(strands(logo)), [vec![0, 1, 2]]);
        let many = (0..9)
            .map(|at| Sketch { at: 2 * at, x: [0.0, 30.0], baseline: 100.0, is_spaced: true })
            .collect::<Vec<_>>();
        assert_eq!(strands(many).len(), 1);
    }

    #[test]
    fn a_part_ends_at_a_gap_but_not_beside_a_word_that_reaches_over_it() {
        let run = words([(0.0, 80.0, 100.0), (10.0, 20.0, 100.0), (82.0, 90.0, 100.0), (97.0, 99.0, 100.0)]);
        assert_eq!(orders(parts(run, |_, gap| gap > COLUMN_GAP_EM)), [vec![0, 1, 2], vec![3]]);
    }
}
