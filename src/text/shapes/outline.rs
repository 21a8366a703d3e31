//! The parts of a path.

use hayro_interpret::kurbo::{Affine, BezPath, CubicBez, ParamCurve, PathEl, Point, QuadBez, Rect};

/// Lines that are off an axis by no more points are parallel to it.
const AXIS_PT: f64 = 0.2;

/// A shape that covers at least this share of its bounding box is a rectangle, perhaps with rounded corners.
const RECTANGLE_SHARE: f64 = 0.85;

/// A subpath, in coordinates of the page.
#[derive(Debug)]
pub(crate) struct Outline {
    points: Vec<Point>,
    is_curved: bool,
    is_closed: bool,
}

impl Outline {
    fn new(start: Point) -> Self {
        Self { points: vec![start], is_curved: false, is_closed: false }
    }

    /// The bounding box of its points.
    pub(crate) fn extent(&self) -> Rect {
        let mut points = self.points.iter();
        let Some(first) = points.next() else { return Rect::ZERO };
        points.fold(Rect::from_points(*first, *first), |extent, point| extent.union_pt(*point))
    }

    /// Its lines, and the closing line if it is closed.
    fn lines(&self) -> impl Iterator<Item = (Point, Point)> {
        let lines = self.points.iter().zip(self.points.iter().skip(1)).map(|(from, to)| (*from, *to));
        let closing = self.points.last().copied().zip(self.points.first().copied()).filter(|_| self.is_closed);
        lines.chain(closing)
    }

    /// Its lines, if all are parallel to an axis.
    pub(super) fn axis_lines(&self) -> Option<Vec<(Point, Point)>> {
        let is_axis_line =
            |(from, to): &(Point, Point)| (from.x - to.x).abs() <= AXIS_PT || (from.y - to.y).abs() <= AXIS_PT;
        let lines = self.lines().collect::<Vec<_>>();
        (!self.is_curved && lines.iter().all(is_axis_line)).then_some(lines)
    }

    /// Whether it nearly fills its bounding box.
    pub(super) fn is_rectangle(&self) -> bool {
        let extent = self.extent();
        let is_thin = !self.is_curved && extent.width().min(extent.height()) <= AXIS_PT;
        is_thin || self.area() >= extent.area() * RECTANGLE_SHARE
    }

    /// The area within its points, as if its curves were lines.
    fn area(&self) -> f64 {
        let Some(first) = self.points.first() else { return 0.0 };
        let closed = self.points.iter().zip(self.points.iter().skip(1).chain([first]));
        closed.map(|(from, to)| from.to_vec2().cross(to.to_vec2())).sum::<f64>().abs() / 2.0
    }
}

/// The subpaths of a path, placed on the page. Curves have their middles among the points.
pub(crate) fn outlines(path: &BezPath, to_page: Affine) -> Vec<Outline> {
    let mut outlines: Vec<Outline> = Vec::new();
    for element in path.elements() {
        let last = outlines.last().and_then(|outline| outline.points.last()).copied().unwrap_or_default();
        let (middle, end) = match to_page * *element {
            PathEl::MoveTo(start) => {
                outlines.push(Outline::new(start));
                continue;
            }
            PathEl::LineTo(end) => (None, end),
            PathEl::QuadTo(control, end) => (Some(QuadBez::new(last, control, end).eval(0.5)), end),
            PathEl::CurveTo(one, other, end) => (Some(CubicBez::new(last, one, other, end).eval(0.5)), end),
            PathEl::ClosePath => {
                close(&mut outlines);
                continue;
            }
        };
        if let Some(outline) = outlines.last_mut() {
            outline.points.extend(middle);
            outline.points.push(end);
            outline.is_curved |= middle.is_some();
        }
    }
    outlines.retain(|outline| outline.points.len() > 1 && outline.points.iter().all(|point| point.is_finite()));
    outlines
}

/// Closes the last subpath. What follows without a move begins at its start.
fn close(outlines: &mut Vec<Outline>) {
    let Some(last) = outlines.last_mut() else { return };
    last.is_closed = true;
    if let Some(start) = last.points.first().copied() {
        outlines.push(Outline::new(start));
    }
}
