//! Counts the steps of filling and stroking paths.

use hayro::hayro_interpret::util::x_y_advances;
use hayro::hayro_interpret::{DrawMode, StrokeProps};
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect};
use pagewise_document::effort::{ImageSize, price, to_steps};

/// The pixels of an edge in one of the engine's tiles.
const SQUARE_PIXELS: f64 = 4.0;

/// The steps for a tile that an edge crosses.
const SQUARE_STEPS: f64 = 5.0;

/// The additional steps for a filled and a stroked curve. Stroking fits curves to both sides.
const CURVE_STEPS: u64 = 8;
const STROKED_CURVE_STEPS: u64 = 120;

/// The steps for a dash and for a corner of a stroke.
const DASH_STEPS: f64 = 60.0;
const CORNER_STEPS: u64 = 24;

/// The steps for the memory of a segment.
const HELD_SEGMENT_STEPS: u64 = 9;

/// The size of a canvas in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CanvasSize {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The measures of a path that determine its steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PathMeasure {
    pub(super) bounds: Rect,
    lines: u64,
    curves: u64,
    /// An upper bound of the length of all edges, with curves measured along their control points.
    length: f64,
    /// An upper bound of the filled area: the triangles between the start of a subpath and each edge.
    area: f64,
}

impl PathMeasure {
    pub(super) fn of(path: &BezPath) -> Self {
        let mut outline = Self { bounds: path.control_box(), lines: 0, curves: 0, length: 0.0, area: 0.0 };
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(point) => (start, last) = (point, point),
                PathEl::LineTo(point) => outline.add_edge(start, &mut last, point),
                PathEl::ClosePath => outline.add_edge(start, &mut last, start),
                PathEl::QuadTo(control, point) => {
                    [control, point].into_iter().for_each(|point| outline.add_edge(start, &mut last, point));
                }
                PathEl::CurveTo(first, second, point) => {
                    [first, second, point].into_iter().for_each(|point| outline.add_edge(start, &mut last, point));
                }
            }
            match element {
                PathEl::QuadTo(..) | PathEl::CurveTo(..) => outline.curves += 1,
                PathEl::MoveTo(_) | PathEl::LineTo(_) | PathEl::ClosePath => outline.lines += 1,
            }
        }
        outline
    }

    fn add_edge(&mut self, start: Point, last: &mut Point, point: Point) {
        self.length += point.distance(*last);
        self.area += (*last - start).cross(point - start).abs() / 2.0;
        *last = point;
    }

    /// The most pixels that a fill covers.
    pub(super) fn filled_pixels(&self, transform: &Affine) -> f64 {
        self.area * transform.determinant().abs()
    }

    /// The most pixels that a stroke covers.
    pub(super) fn stroked_pixels(&self, width: f64, factor: f64) -> f64 {
        self.length * factor * (width * factor).max(1.0)
    }

    fn segments(&self) -> u64 {
        self.lines.saturating_add(self.curves)
    }

    /// The tiles that the edges cross, with each edge limited to the size of the canvas.
    fn squares(&self, factor: f64, canvas: CanvasSize) -> f64 {
        let longest = (canvas.width + canvas.height) * self.segments().max(1) as f64;
        let length = self.length * factor;
        if length.is_nan() { longest } else { length.min(longest) / SQUARE_PIXELS }
    }

    /// The steps of filling the path, where a unit is `factor` pixels.
    pub(super) fn fill_steps(&self, factor: f64, canvas: CanvasSize) -> u64 {
        let segments = self.segments().saturating_mul(price::SEGMENT);
        let curves = self.curves.saturating_mul(CURVE_STEPS);
        segments.saturating_add(curves).saturating_add(to_steps(self.squares(factor, canvas) * SQUARE_STEPS))
    }

    /// The steps of stroking the path.
    pub(super) fn stroke_steps(&self, stroke: &StrokeProps, factor: f64, canvas: CanvasSize) -> u64 {
        let corners = self.segments().saturating_mul(CORNER_STEPS);
        let curves = self.curves.saturating_mul(STROKED_CURVE_STEPS);
        let edges = to_steps(self.squares(factor, canvas) * SQUARE_STEPS * 2.0);
        let dashes = to_steps(self.dashes(stroke) * DASH_STEPS);
        corners.saturating_add(curves).saturating_add(edges).saturating_add(dashes)
    }

    /// The number of dashes of a stroke (8.4.3.6), which is infinite if their lengths add up to 0.
    fn dashes(&self, stroke: &StrokeProps) -> f64 {
        if stroke.dash_array.is_empty() {
            return 0.0;
        }
        let each = stroke.dash_array.iter().map(|dash| f64::from(*dash));
        let (count, period) = each.fold((0.0, 0.0), |(count, period), dash| (count + 1.0, period + dash));
        match period > 0.0 {
            true => self.length / period * count + count,
            // The engine would not finish such a stroke.
            false if period <= 0.0 => f64::INFINITY,
            false => 0.0,
        }
    }

    /// The steps of a glyph with this outline. Small ones are copied from an earlier painting.
    pub(super) fn glyph_steps(&self, mode: &DrawMode, factor: f64, canvas: CanvasSize) -> u64 {
        match mode {
            DrawMode::Invisible => 0,
            DrawMode::Fill(_) if self.is_small(factor) => self.segments() / 8,
            DrawMode::Fill(_) => self.fill_steps(factor, canvas),
            DrawMode::Stroke(stroke) => self.stroke_steps(stroke, factor, canvas),
            DrawMode::FillAndStroke(_, stroke) => {
                self.fill_steps(factor, canvas).saturating_add(self.stroke_steps(stroke, factor, canvas))
            }
        }
    }

    fn is_small(&self, factor: f64) -> bool {
        self.bounds.width().max(self.bounds.height()) * factor < 128.0
    }

    /// The steps for the memory of the segments.
    pub(super) fn held_steps(&self) -> u64 {
        self.segments().saturating_mul(HELD_SEGMENT_STEPS)
    }
}

/// An upper bound of the length of a transformed unit.
pub(super) fn factor(transform: &Affine) -> f64 {
    let (x, y) = x_y_advances(transform);
    x.length() + y.length()
}

/// The steps that a clip adds to each path in it.
pub(super) fn clip_steps(steps: u64, rows: f64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    let steps = steps as f64;
    (steps / 8.0).max(rows / 8.0)
}

/// The rows of tiles in a box on a canvas.
pub(super) fn rows(bounds: Rect, canvas: CanvasSize) -> f64 {
    bounds.height().min(canvas.height).max(0.0) / SQUARE_PIXELS
}

/// Whether a clip is a rectangle, like the bounding boxes of forms and tiles.
pub(super) fn is_box(path: &BezPath) -> bool {
    path.elements().len() == 5
}

/// The pixels that the engine keeps of an image. It stores a reduced image at the size on the canvas.
pub(super) fn stored_pixels(size: ImageSize, transform: &Affine) -> f64 {
    let (x, y) = x_y_advances(transform);
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    let (columns, rows) = (size.columns as f64, size.rows as f64);
    if x.length() >= 1.0 && y.length() >= 1.0 {
        return columns * rows;
    }
    let side = |pixels: f64, scale: f64| (pixels * scale).ceil().clamp(1.0, f64::from(u16::MAX / 2));
    side(columns, x.length()) * side(rows, y.length())
}
