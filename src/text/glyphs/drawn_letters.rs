//! Counts letters that are drawn as paths, as in posters and charts whose text was converted to outlines before it was saved.

use hayro_interpret::kurbo::Rect;

/// The heights of letters, in points.
const HEIGHT_PT: std::ops::Range<f64> = 3.0..60.0;
/// The most that a letter is wide, in its height.
const MAX_WIDTH: f64 = 2.0;
/// The gap to the letter before it, as a share of its line's height. Negative: letters may touch, and dots stand above.
const GAP: std::ops::Range<f64> = -0.3..0.6;
/// The most that a part of a letter is wider than the rest, as a share of the line's height.
const GAP_ABOVE: f64 = 0.1;
/// The most that a letter is higher than those before it.
const MAX_GROWTH: f64 = 2.0;
/// A line of fewer letters may be a row of signs.
const MIN_LETTERS: usize = 6;
/// Sizes that differ more, in points or as a share of the line's height, are different.
const SAME_PT: f64 = 0.2;
const SAME_SHARE: f64 = 0.06;

/// The number of letters in lines of letters among the extents of subpaths, in drawing order.
pub(super) fn count_drawn_letters(strokes: &[Rect]) -> u64 {
    let (mut letters, mut line) = (0, Line::default());
    for stroke in strokes {
        match line.place_of(*stroke) {
            Place::Part => {}
            Place::Next => line.push(*stroke),
            Place::Elsewhere => {
                letters += line.count();
                line = Line::default();
                line.push(*stroke);
            }
        }
    }
    letters + line.count()
}

/// Shapes beside each other.
#[derive(Default)]
struct Line {
    shapes: Vec<Rect>,
    extent: Option<Rect>,
}

/// Where a shape lies.
enum Place {
    /// Within, above or below the last shape: the counter of an `o`, the dot of an `i`.
    Part,
    /// Beside the last shape.
    Next,
    Elsewhere,
}

impl Line {
    fn place_of(&self, next: Rect) -> Place {
        let Some((last, extent)) = self.shapes.last().zip(self.extent) else { return Place::Elsewhere };
        let height = extent.height();
        let is_at_last = last.x0 - GAP_ABOVE * height <= next.x0 && next.x1 <= last.x1 + GAP_ABOVE * height;
        if is_at_last && next.y1 >= extent.y0 - height && next.y0 <= extent.y1 + height / 2.0 {
            return Place::Part;
        }
        let shared = extent.y1.min(next.y1) - extent.y0.max(next.y0);
        let is_beside = HEIGHT_PT.contains(&height)
            && next.height() <= MAX_GROWTH * height
            && next.width() <= MAX_WIDTH * height
            && GAP.contains(&((next.x0 - last.x1) / height))
            && shared >= next.height().min(height) / 2.0;
        if is_beside { Place::Next } else { Place::Elsewhere }
    }

    fn push(&mut self, shape: Rect) {
        self.extent = Some(self.extent.map_or(shape, |extent| extent.union(shape)));
        self.shapes.push(shape);
    }

    /// How many letters it has. Its shapes must have several widths and heights, unlike dots, bars and hatchings.
    fn count(&self) -> u64 {
        let tolerance = SAME_PT.max(SAME_SHARE * self.extent.unwrap_or_default().height());
        let differ = |size: fn(&Rect) -> f64| {
            let mut sizes = self.shapes.iter().map(size).collect::<Vec<_>>();
            sizes.sort_by(f64::total_cmp);
            sizes.windows(2).any(|pair| matches!(pair, [small, large] if large - small > tolerance))
        };
        let are_letters = self.shapes.len() >= MIN_LETTERS && differ(Rect::width) && differ(Rect::height);
        if are_letters { u64::try_from(self.shapes.len()).unwrap_or(u64::MAX) } else { 0 }
    }
}
