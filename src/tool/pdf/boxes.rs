//! The boxes of passages on their pages.

use std::ops::Range;

use crate::worker::Pages;
use pagewise_base::page::PageIndex;
use pagewise_text::{Bounds, TextBoxes};

/// The most passages of a page whose boxes are told.
const MAX_PASSAGES: usize = 200;

/// The boxes of each of `passages` on a page, in points from the top left; none if its words cannot be read.
pub(super) fn boxes_of(document: &dyn Pages, page: PageIndex, passages: &[Range<usize>]) -> Vec<Vec<Bounds>> {
    let Ok((text, words)) = document.page_words(page) else { return Vec::new() };
    let boxes = TextBoxes::new(&text.text, &words);
    passages.iter().take(MAX_PASSAGES).map(|passage| boxes.of(passage)).collect()
}

/// The box around all of `boxes`.
pub(super) fn box_around(boxes: &[Bounds]) -> Option<Bounds> {
    boxes.iter().copied().reduce(Bounds::union)
}

/// The left, top, right and bottom edges, in hundredths of a point.
pub(super) fn edges_of(bounds: Bounds) -> [f64; 4] {
    bounds.edges().map(|edge| (f64::from(edge) * 100.0).round() / 100.0)
}

/// A box as a fragment of a link: left, top, width and height in whole points.
pub(super) fn fragment(bounds: Bounds) -> String {
    let Bounds { x0, y0, x1, y1 } = bounds;
    format!("#{:.0},{:.0},{:.0},{:.0}", x0.floor(), y0.floor(), (x1 - x0.floor()).ceil(), (y1 - y0.floor()).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_contains_its_box() {
        assert_eq!(fragment(Bounds::from([10.4, 20.6, 30.2, 31.0])), "#10,20,21,11");
    }
}
