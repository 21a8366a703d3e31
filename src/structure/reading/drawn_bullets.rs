//! Bullets that are drawn, not typed: small marks to the left of lines.

use super::super::bounds::Frame;
use super::super::page_structure::LineWord;
use super::MAX_RULES;
use super::segments::Segment;
use crate::bounds::quarters;
use pagewise_text::{Bounds, PageLayout};
use std::collections::BTreeMap;
use std::ops::Range;

/// Further shapes are not looked at.
const MAX_SHAPES: usize = 20_000;
/// A bullet is so large, in points and in ems of its line.
const SIZE_PT: Range<f32> = 0.8..16.0;
const SIZE_EM: Range<f32> = 0.1..0.75;
/// The picture of a bullet is larger, with white space around it.
const PICTURE_EM: Range<f32> = 0.4..1.5;
/// It stands so far from the text, in ems.
const GAP_EM: Range<f32> = 0.1..2.5;
/// A bullet is at least so far, in ems, from any text or drawing to its left.
const MIN_GAP_EM: f32 = 0.8;
/// It is at least so far, in ems, from any drawing on another side.
const ALONE_EM: f32 = 0.4;
/// Larger drawings, in ems, are bars, frames and grounds, which may be nearer.
const MAX_PART_EM: f32 = 3.0;
/// Maximum number of marks and of texts at the height of a line that are compared with it.
const MAX_NEAR: usize = 500;
/// The end of a rule that is nearer, in points, touches a mark.
const TOUCH_PT: f32 = 0.5;
/// Its middle is so far above the baseline, in ems.
const RISE_EM: Range<f32> = 0.08..0.65;

/// Puts a bullet before each line that has a drawn one.
pub(super) fn insert(segments: &mut [Segment], page: &PageLayout, frame: Frame) {
    let (marks, pictures, ends) = (marks(page, frame), pictures(page, frame), ends_of_rules(page, frame));
    let mut shapes: Vec<Bounds> = shapes_of(page).take(MAX_SHAPES).map(|bounds| frame.of_page(bounds)).collect();
    shapes.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    let mut texts: Vec<(f32, Bounds)> = segments.iter().map(|segment| (segment.baseline, segment.bounds)).collect();
    texts.sort_by(|a, b| a.0.total_cmp(&b.0));
    for segment in segments.iter_mut().filter(|segment| segment.block.is_none()) {
        let bullet = bullet_of(segment, &marks, &SIZE_EM).or_else(|| bullet_of(segment, &pictures, &PICTURE_EM));
        let is_apart = |mark: Bounds| is_alone(mark, segment.size, &shapes) && !follows_text(mark, segment, &texts);
        let bullet = bullet.filter(|bullet| !touches(*bullet, &ends) && is_apart(*bullet));
        if let (Some(bounds), Some(word)) = (bullet, segment.words.first()) {
            let (text, style) = ("•".to_owned(), word.style);
            let bullet = LineWord { text, bounds, style, is_spaced: true, ..LineWord::default() };
            segment.bounds = segment.bounds.union(bounds);
            if let Some(word) = segment.words.first_mut() {
                word.is_spaced = true;
            }
            segment.words.insert(0, bullet);
        }
    }
}

/// Whether a rule ends at a mark: then it is an arrowhead, or the corner of a box.
fn touches(mark: Bounds, ends: &[(f32, f32)]) -> bool {
    let area = mark.grown(TOUCH_PT);
    let first = ends.partition_point(|end| end.1 < area.y0);
    let mut near = ends.iter().skip(first).take_while(|end| end.1 <= area.y1).take(MAX_NEAR);
    near.any(|end| area.holds(*end))
}

/// The ends of rules, from top to bottom.
fn ends_of_rules(page: &PageLayout, frame: Frame) -> Vec<(f32, f32)> {
    let rules = page.rules.iter().take(MAX_RULES).map(|rule| frame.of_page(rule.bounds));
    let ends = rules.flat_map(|rule| {
        let (x, y) = rule.center();
        let is_upright = rule.height() > rule.width();
        if is_upright { [(x, rule.y0), (x, rule.y1)] } else { [(rule.x0, y), (rule.x1, y)] }
    });
    let mut ends: Vec<(f32, f32)> = ends.collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    ends
}

/// Whether a mark stands directly after the text of another segment on the baseline: a sign in the line, such as the
/// badge after the name of an author.
fn follows_text(mark: Bounds, line: &Segment, texts: &[(f32, Bounds)]) -> bool {
    let reach = 0.3 * line.size;
    let first = texts.partition_point(|(baseline, _)| *baseline < line.baseline - reach);
    let mut row =
        texts.iter().skip(first).take_while(|(baseline, _)| *baseline <= line.baseline + reach).take(MAX_NEAR);
    row.any(|(_, text)| text.x0 < mark.x0 && mark.x0 < text.x1 + MIN_GAP_EM * line.size)
}

/// Whether no other drawing stands beside a mark: parts of an icon, of a diagram or of a word that is drawn are no bullets.
/// `shapes` are in the order of their tops.
fn is_alone(mark: Bounds, size: f32, shapes: &[Bounds]) -> bool {
    let area = Bounds { x0: mark.x0 - MIN_GAP_EM * size, ..mark.grown(ALONE_EM * size) };
    let holds = |outer: Bounds, inner: Bounds| {
        let outer = outer.grown(TOUCH_PT);
        outer.holds((inner.x0, inner.y0)) && outer.holds((inner.x1, inner.y1))
    };
    let above = shapes.get(..shapes.partition_point(|shape| shape.y0 <= area.y1)).unwrap_or_default();
    let mut near = above.iter().rev().take(MAX_NEAR).filter(|shape| shape.overlaps(area));
    !near.any(|shape| {
        let is_part = shape.width().max(shape.height()) < MAX_PART_EM * size;
        // The bullet of another line.
        let is_like = [shape.x0 - mark.x0, shape.x1 - mark.x1].iter().all(|difference| difference.abs() < TOUCH_PT);
        is_part && !is_like && !holds(mark, *shape) && !holds(*shape, mark)
    })
}

/// The mark next to a line on its left.
fn bullet_of(line: &Segment, marks: &[Bounds], sizes: &Range<f32>) -> Option<Bounds> {
    let (top, bottom) = (line.baseline - line.size, line.baseline);
    let first = marks.partition_point(|mark| mark.center().1 < top);
    let near = marks.iter().skip(first).take_while(|mark| mark.center().1 <= bottom).take(MAX_NEAR);
    near.copied().filter(|mark| is_bullet(*mark, line, sizes)).max_by(|a, b| a.x1.total_cmp(&b.x1))
}

/// Small pictures of one size that stand below each other, two at least.
fn pictures(page: &PageLayout, frame: Frame) -> Vec<Bounds> {
    let key = |b: &Bounds| [b.x0, b.width(), b.height()].map(quarters);
    let mut pictures = marks_of(page.images.iter().copied(), frame);
    let mut counts: BTreeMap<[i32; 3], usize> = BTreeMap::new();
    pictures.iter().for_each(|picture| *counts.entry(key(picture)).or_default() += 1);
    pictures.retain(|picture| counts.get(&key(picture)).is_some_and(|count| *count > 1));
    pictures
}

/// Small shapes that are about as high as wide, by height on the page.
fn marks(page: &PageLayout, frame: Frame) -> Vec<Bounds> {
    marks_of(shapes_of(page), frame)
}

/// What a page draws besides rules.
fn shapes_of(page: &PageLayout) -> impl Iterator<Item = Bounds> {
    let fills = page.fills.iter().map(|fill| fill.bounds);
    fills.chain(page.drawings.iter().chain(&page.images).copied())
}

fn marks_of(shapes: impl Iterator<Item = Bounds>, frame: Frame) -> Vec<Bounds> {
    let is_mark = |b: &Bounds| {
        let (width, height) = (b.width(), b.height());
        SIZE_PT.contains(&width) && SIZE_PT.contains(&height) && width < 1.6 * height && height < 1.6 * width
    };
    let mut marks: Vec<Bounds> = shapes.filter(is_mark).take(MAX_SHAPES).map(|bounds| frame.of_page(bounds)).collect();
    marks.sort_by(|a, b| a.center().1.total_cmp(&b.center().1));
    marks
}

fn is_bullet(mark: Bounds, line: &Segment, sizes: &Range<f32>) -> bool {
    let em = line.size.max(0.1);
    let rise = (line.baseline - mark.center().1) / em;
    let gap = (line.bounds.x0 - mark.x1) / em;
    sizes.contains(&(mark.width().max(mark.height()) / em)) && RISE_EM.contains(&rise) && GAP_EM.contains(&gap)
}
