//! Bullets that are drawn, not typed: small marks to the left of lines.

use super::super::bounds::{Frame, center};
use super::super::page_structure::LineWord;
use super::segments::Segment;
use crate::text::{Bounds, PageLayout};

/// Further shapes are not looked at.
const MAX_SHAPES: usize = 20_000;
/// A bullet is so large, in points and in ems of its line.
const SIZE_PT: std::ops::Range<f32> = 0.8..16.0;
const SIZE_EM: std::ops::Range<f32> = 0.1..0.75;
/// It stands so far from the text, in ems.
const GAP_EM: std::ops::Range<f32> = 0.1..2.5;
/// Its middle is so far above the baseline, in ems.
const RISE_EM: std::ops::Range<f32> = 0.08..0.65;

/// Puts a bullet before each line that has a drawn one.
pub(super) fn insert(segments: &mut [Segment], page: &PageLayout, frame: Frame) {
    let marks = marks(page, frame);
    for segment in segments.iter_mut().filter(|segment| segment.table.is_none()) {
        let (top, bottom) = (segment.baseline - segment.size, segment.baseline);
        let first = marks.partition_point(|mark| center(*mark).1 < top);
        let near = marks.iter().skip(first).take_while(|mark| center(**mark).1 <= bottom).take(500);
        let bullet = near.copied().filter(|mark| is_bullet(*mark, segment)).max_by(|a, b| a.x1.total_cmp(&b.x1));
        if let (Some(bounds), Some(word)) = (bullet, segment.words.first()) {
            let style = word.style;
            let bullet =
                LineWord { text: "•".to_owned(), bounds, style, is_spaced: true, is_raised: false, target: None };
            segment.bounds = segment.bounds.union(bounds);
            if let Some(word) = segment.words.first_mut() {
                word.is_spaced = true;
            }
            segment.words.insert(0, bullet);
        }
    }
}

/// Small shapes that are about as high as wide, by height on the page.
fn marks(page: &PageLayout, frame: Frame) -> Vec<Bounds> {
    let shapes = page
        .fills
        .iter()
        .map(|fill| fill.bounds)
        .chain(page.drawings.iter().copied())
        .chain(page.images.iter().copied());
    let is_mark = |b: &Bounds| {
        let (width, height) = (b.x1 - b.x0, b.y1 - b.y0);
        SIZE_PT.contains(&width) && SIZE_PT.contains(&height) && width < 1.6 * height && height < 1.6 * width
    };
    let mut marks: Vec<Bounds> = shapes.filter(is_mark).take(MAX_SHAPES).map(|bounds| frame.of_page(bounds)).collect();
    marks.sort_by(|a, b| center(*a).1.total_cmp(&center(*b).1));
    marks
}

fn is_bullet(mark: Bounds, line: &Segment) -> bool {
    let em = line.size.max(0.1);
    let rise = (line.baseline - center(mark).1) / em;
    let gap = (line.bounds.x0 - mark.x1) / em;
    SIZE_EM.contains(&((mark.x1 - mark.x0) / em)) && RISE_EM.contains(&rise) && GAP_EM.contains(&gap)
}
