//! Collects the shapes of a page.

use super::outline::{Outline, outlines};
use crate::page_layout::{Bounds, ContentMark, Fill, MAX_DRAWINGS, MAX_FILLS, MAX_RULES, Rule};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape};
use hayro_interpret::{DrawMode, Paint};
use std::collections::BTreeMap;

/// A rectangle that is thinner is a rule.
const RULE_PT: f64 = 2.0;

/// Shorter lines are no rules, unless they are dashes of one.
const MIN_RULE_PT: f64 = 2.0;

/// The largest gap between the dashes of a rule.
const DASH_GAP_PT: f64 = 4.0;

/// The largest difference of the edges of dashes of one rule.
const DASH_PT: f64 = 0.3;

/// The widest border that is drawn as the area between two rectangles.
const BORDER_PT: f64 = 3.0;

/// The least width of an image that is a rule.
const MIN_IMAGE_RULE_PT: f64 = 10.0;

/// The colour that stands for patterns.
const PATTERN_COLOR: [u8; 3] = [192, 192, 192];

/// The shapes of a page, in drawing order.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    pub(crate) rules: Vec<Rule>,
    pub(crate) fills: Vec<Fill>,
    pub(crate) images: Vec<Bounds>,
    pub(crate) drawings: Vec<Bounds>,
    /// The areas of images and paths in marked content, by its identifier.
    pub(crate) marked_areas: BTreeMap<u16, Bounds>,
}

/// Collects the shapes of a page within its clipping paths.
#[derive(Debug)]
pub(crate) struct ShapeCollector {
    page: Rect,
    /// The bounding boxes of the open clipping paths, each within the one before.
    clips: Vec<Rect>,
    /// The last dot, which may be the first of a dotted rule.
    dot: Option<(Rect, [u8; 3])>,
    /// The exact area of the last rule.
    last_rule: Rect,
    mark: ContentMark,
    shapes: Shapes,
}

impl ShapeCollector {
    pub(crate) fn new(page: Rect) -> Self {
        let (mark, shapes) = (ContentMark::default(), Shapes::default());
        Self { page, clips: Vec::new(), dot: None, last_rule: Rect::ZERO, mark, shapes }
    }

    pub(crate) fn finish(self) -> Shapes {
        self.shapes
    }

    /// The open part of the page.
    fn clip(&self) -> Rect {
        self.clips.last().copied().unwrap_or(self.page)
    }

    /// Says to which marked content further shapes belong.
    pub(crate) fn set_mark(&mut self, mark: ContentMark) {
        self.mark = mark;
    }

    /// Adds an area to that of its marked content.
    fn add_marked(&mut self, area: impl FnOnce() -> Rect) {
        let ContentMark::Sequence(id) = self.mark else { return };
        if let Some(area) = self.seen(area()).map(Bounds::from) {
            self.shapes.marked_areas.entry(id).and_modify(|all| *all = all.union(area)).or_insert(area);
        }
    }

    /// Opens a clipping path with this bounding box.
    pub(crate) fn push_clip(&mut self, extent: Rect) {
        self.clips.push(self.clip().intersect(extent));
    }

    /// Closes the last clipping path.
    pub(crate) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    /// The part of `area` that is seen; `None` if there is none.
    fn seen(&self, area: Rect) -> Option<Rect> {
        let (area, clip) = (area.abs(), self.clip());
        let overlaps = area.x0 <= clip.x1 && area.x1 >= clip.x0 && area.y0 <= clip.y1 && area.y1 >= clip.y0;
        let is_open = clip.width() > 0.0 && clip.height() > 0.0;
        (overlaps && is_open && area.is_finite()).then(|| area.intersect(clip))
    }

    /// Adds an image.
    pub(crate) fn add_image(&mut self, area: Rect) {
        self.add_marked(|| area);
        let Some(area) = self.seen(area) else { return };
        if area.height() < RULE_PT && area.width() >= MIN_IMAGE_RULE_PT {
            return self.push_rule(area, [0; 3]);
        }
        if self.shapes.images.len() < MAX_DRAWINGS && area.area() > 0.0 {
            self.shapes.images.push(area.into());
        }
    }

    /// Adds a path as it is painted.
    pub(crate) fn add_path(&mut self, path: &BezPath, to_page: Affine, paint: &Paint<'_>, mode: &DrawMode) {
        let Some(color) = color_of(paint) else { return };
        if !matches!(mode, DrawMode::Invisible) {
            self.add_marked(|| to_page.transform_rect_bbox(path.bounding_box()));
        }
        let (is_filled, stroke) = match mode {
            DrawMode::Invisible => return,
            DrawMode::Fill(_) => (true, None),
            DrawMode::Stroke(stroke) => (false, Some(stroke)),
            DrawMode::FillAndStroke(_, stroke) => (true, Some(stroke)),
        };
        let outlines = outlines(path, to_page);
        if is_filled {
            self.fill(&outlines, color);
        }
        if let Some(stroke) = stroke {
            self.stroke(&outlines, f64::from(stroke.line_width) * to_page.determinant().abs().sqrt(), color);
        }
    }

    fn fill(&mut self, outlines: &[Outline], color: [u8; 3]) {
        let mut areas = Vec::new();
        for outline in outlines {
            match outline.is_rectangle() {
                true => areas.push(outline.extent()),
                false => self.add_drawing(outline.extent()),
            }
        }
        let mut areas = areas.into_iter().peekable();
        while let Some(area) = areas.next() {
            match areas.next_if(|inner| is_border(area, *inner) || is_border(*inner, area)) {
                Some(inner) => self.add_border(area.union(inner), area.intersect(inner), color),
                None => self.add_area(area, color),
            }
        }
    }

    fn stroke(&mut self, outlines: &[Outline], width: f64, color: [u8; 3]) {
        for outline in outlines {
            match outline.axis_lines() {
                Some(lines) => lines.into_iter().for_each(|line| self.add_line(line, width, color)),
                None => self.add_drawing(outline.extent()),
            }
        }
    }

    /// Adds the area between two rectangles as four rules.
    fn add_border(&mut self, outer: Rect, inner: Rect, color: [u8; 3]) {
        for side in [
            Rect { y1: inner.y0, ..outer },
            Rect { y0: inner.y1, ..outer },
            Rect { x1: inner.x0, ..outer },
            Rect { x0: inner.x1, ..outer },
        ] {
            self.add_area(side, color);
        }
    }

    fn add_line(&mut self, (from, to): (Point, Point), width: f64, color: [u8; 3]) {
        let line = Rect::from_points(from, to);
        let half = width / 2.0;
        let area = if line.width() >= line.height() { line.inflate(0.0, half) } else { line.inflate(half, 0.0) };
        self.add_area(area, color);
    }

    /// Adds a filled rectangle.
    fn add_area(&mut self, area: Rect, color: [u8; 3]) {
        let Some(area) = self.seen(area) else { return };
        if area.width() < RULE_PT || area.height() < RULE_PT {
            self.push_rule(area, color);
        } else if self.shapes.fills.len() < MAX_FILLS {
            self.shapes.fills.push(Fill { bounds: area.into(), color });
        }
    }

    fn push_rule(&mut self, area: Rect, color: [u8; 3]) {
        if self.extend_rule(area, color) {
            return;
        }
        let mut whole = area;
        if area.width().max(area.height()) <= MIN_RULE_PT {
            match self.dot.replace((area, color)) {
                Some((before, same)) if same == color && are_dashes(before, area) => whole = before.union(area),
                _ => return,
            }
        }
        if self.shapes.rules.len() < MAX_RULES {
            self.dot = None;
            self.last_rule = whole;
            let is_horizontal = whole.width() >= whole.height();
            self.shapes.rules.push(Rule { bounds: whole.into(), is_horizontal, color });
        }
    }

    /// Extends the last rule if `area` is its next dash.
    fn extend_rule(&mut self, area: Rect, color: [u8; 3]) -> bool {
        let Some(last) = self.shapes.rules.last_mut() else { return false };
        let is_dash = area.width().max(area.height()) <= MIN_RULE_PT;
        if !is_dash || last.color != color || !are_dashes(self.last_rule, area) {
            return false;
        }
        self.last_rule = self.last_rule.union(area);
        last.bounds = self.last_rule.into();
        last.is_horizontal = self.last_rule.width() >= self.last_rule.height();
        true
    }

    fn add_drawing(&mut self, area: Rect) {
        if let Some(area) = self.seen(area)
            && self.shapes.drawings.len() < MAX_DRAWINGS
        {
            self.shapes.drawings.push(area.into());
        }
    }
}

/// The colour of a paint; `None` if it is transparent.
pub(crate) fn color_of(paint: &Paint<'_>) -> Option<[u8; 3]> {
    match paint {
        Paint::Color(color) => match color.to_rgba().to_rgba8() {
            [_, _, _, 0] => None,
            [red, green, blue, _] => Some([red, green, blue]),
        },
        Paint::Pattern(_) => Some(PATTERN_COLOR),
    }
}

/// Whether the area between two rectangles is a border.
fn is_border(outer: Rect, inner: Rect) -> bool {
    let margins = [inner.x0 - outer.x0, inner.y0 - outer.y0, outer.x1 - inner.x1, outer.y1 - inner.y1];
    margins.into_iter().all(|margin| margin > 0.0 && margin <= BORDER_PT)
}

/// Whether two areas are neighbouring dashes of a rule.
fn are_dashes(before: Rect, next: Rect) -> bool {
    let is_near = |one: f64, other: f64| (one - other).abs() <= DASH_PT;
    let gap = |end: f64, start: f64| (0.0..=DASH_GAP_PT).contains(&(start - end + DASH_PT));
    let is_row = is_near(before.y0, next.y0) && is_near(before.y1, next.y1);
    let is_column = is_near(before.x0, next.x0) && is_near(before.x1, next.x1);
    (is_row && (gap(before.x1, next.x0) || gap(next.x1, before.x0)))
        || (is_column && (gap(before.y1, next.y0) || gap(next.y1, before.y0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro_interpret::color::Color;
    use hayro_interpret::kurbo::Shape;
    use hayro_interpret::{FillRule, StrokeProps};

    fn collector() -> ShapeCollector {
        ShapeCollector::new(Rect::new(0.0, 0.0, 100.0, 100.0))
    }

    fn paint() -> Paint<'static> {
        Paint::Color(Color::from_rgba(hayro_interpret::color::AlphaColor::from_rgba8(255, 0, 0, 255)))
    }

    fn filled(parts: &[Rect]) -> Shapes {
        let mut collector = collector();
        let path = parts.iter().flat_map(|part| part.to_path(0.1)).collect::<BezPath>();
        collector.add_path(&path, Affine::IDENTITY, &paint(), &DrawMode::Fill(FillRule::NonZero));
        collector.finish()
    }

    fn edges(rules: &[Rule]) -> Vec<([f32; 4], bool)> {
        rules.iter().map(|rule| (rule.bounds.edges(), rule.is_horizontal)).collect()
    }

    #[test]
    fn thin_rectangles_are_rules_and_others_are_fills() {
        let shapes = filled(&[
            Rect::new(10.0, 10.0, 60.0, 10.5),
            Rect::new(10.0, 10.0, 11.0, 40.0),
            Rect::new(20.0, 20.0, 40.0, 30.0),
            Rect::new(120.0, 20.0, 140.0, 30.0),
        ]);
        assert_eq!(edges(&shapes.rules), [([10.0, 10.0, 60.0, 10.5], true), ([10.0, 10.0, 11.0, 40.0], false)]);
        assert_eq!(shapes.fills, [Fill { bounds: [20.0, 20.0, 40.0, 30.0].into(), color: [255, 0, 0] }]);
    }

    #[test]
    fn a_stroked_rectangle_is_four_rules_as_wide_as_its_line() {
        let mut collector = collector();
        let path = Rect::new(5.0, 10.0, 25.0, 15.0).to_path(0.1);
        let stroke = StrokeProps { line_width: 0.5, ..StrokeProps::default() };
        collector.add_path(&path, Affine::scale(2.0), &paint(), &DrawMode::Stroke(stroke));
        let shapes = collector.finish();
        let mut found = edges(&shapes.rules);
        found.sort_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
        let expected = [
            ([9.5, 20.0, 10.5, 30.0], false),
            ([10.0, 19.5, 50.0, 20.5], true),
            ([10.0, 29.5, 50.0, 30.5], true),
            ([49.5, 20.0, 50.5, 30.0], false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_thick_line_is_an_area() {
        let mut collector = collector();
        let mut path = BezPath::new();
        path.move_to((10.0, 50.0));
        path.line_to((90.0, 50.0));
        let stroke = StrokeProps { line_width: 12.0, ..StrokeProps::default() };
        collector.add_path(&path, Affine::IDENTITY, &paint(), &DrawMode::Stroke(stroke));
        let shapes = collector.finish();
        assert_eq!(shapes.fills.first().map(|fill| fill.bounds.edges()), Some([10.0, 44.0, 90.0, 56.0]));
        assert!(shapes.rules.is_empty());
    }

    #[test]
    fn a_rectangle_within_a_rectangle_is_a_border() {
        let shapes = filled(&[Rect::new(10.0, 10.0, 50.0, 30.0), Rect::new(11.0, 11.0, 49.0, 29.0)]);
        assert_eq!((shapes.rules.len(), shapes.fills.len()), (4, 0));
    }

    #[test]
    fn dots_in_a_row_are_one_rule_and_a_single_dot_is_none() {
        let dot = |at: f64| Rect::new(at, 50.0, at + 1.0, 51.0);
        let row = (0..20).map(|at| dot(10.0 + 3.0 * f64::from(at))).collect::<Vec<_>>();
        assert_eq!(edges(&filled(&row).rules), [([10.0, 50.0, 68.0, 51.0], true)]);
        assert!(filled(&[dot(10.0), dot(60.0)]).rules.is_empty());
    }

    #[test]
    fn slanted_lines_and_curves_are_drawings_and_rounded_boxes_are_areas() {
        let mut collector = collector();
        let mut path = BezPath::new();
        path.move_to((10.0, 10.0));
        path.line_to((40.0, 30.0));
        let stroke = DrawMode::Stroke(StrokeProps::default());
        collector.add_path(&path, Affine::IDENTITY, &paint(), &stroke);
        let rounded = Rect::new(10.0, 10.0, 90.0, 40.0).to_rounded_rect(4.0).to_path(0.1);
        collector.add_path(&rounded, Affine::IDENTITY, &paint(), &DrawMode::Fill(FillRule::EvenOdd));
        let shapes = collector.finish();
        assert_eq!((shapes.drawings.len(), shapes.fills.len(), shapes.rules.len()), (1, 1, 0));
    }

    #[test]
    fn a_circle_of_two_curves_is_as_high_as_it_is_drawn() {
        let mut collector = collector();
        let mut path = BezPath::new();
        path.move_to((10.0, 12.0));
        path.curve_to((10.0, 9.3), (14.0, 9.3), (14.0, 12.0));
        path.curve_to((14.0, 14.7), (10.0, 14.7), (10.0, 12.0));
        collector.add_path(&path, Affine::IDENTITY, &paint(), &DrawMode::Fill(FillRule::EvenOdd));
        let heights = collector.finish().drawings.iter().map(|area| area.height()).collect::<Vec<_>>();
        assert!(matches!(heights[..], [height] if (height - 4.0).abs() < 0.1), "{heights:?}");
    }

    #[test]
    fn a_clip_cuts_and_hides() {
        let mut collector = collector();
        collector.push_clip(Rect::new(0.0, 0.0, 50.0, 50.0));
        let (mode, area) = (DrawMode::Fill(FillRule::NonZero), Rect::new(40.0, 40.0, 60.0, 60.0));
        collector.add_path(&area.to_path(0.1), Affine::IDENTITY, &paint(), &mode);
        collector.add_path(
            &(area + hayro_interpret::kurbo::Vec2::new(20.0, 0.0)).to_path(0.1),
            Affine::IDENTITY,
            &paint(),
            &mode,
        );
        collector.pop_clip();
        assert_eq!(
            collector.finish().fills.iter().map(|fill| fill.bounds.edges()).collect::<Vec<_>>(),
            [[40.0, 40.0, 50.0, 50.0]]
        );
    }

    #[test]
    fn more_rules_than_a_page_may_have_are_left_out() {
        let many = (0..=MAX_RULES).map(|_| Rect::new(10.0, 10.0, 60.0, 10.5)).collect::<Vec<_>>();
        assert_eq!(filled(many.get(1..).unwrap_or_default()).rules.len(), MAX_RULES);
        assert_eq!(filled(&many).rules.len(), MAX_RULES);
    }
}
