//! A glyph where it stands on the page.

use hayro_interpret::kurbo::{Affine, Point, Rect, Vec2};

/// Degrees within which a direction counts as upright: scans are rarely straight.
const SNAP_DEGREES: f64 = 3.0;

/// The direction that text runs in, in degrees clockwise; 0 is to the right, 90 is down the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct Frame(u16);

impl Frame {
    /// The direction of `vector` in a space whose second axis points down.
    pub(super) fn of(vector: Vec2) -> Self {
        // Nearly all text.
        if vector.y == 0.0 && vector.x > 0.0 {
            return Self(0);
        }
        let degrees = vector.y.atan2(vector.x).to_degrees();
        let quarter = (degrees / 90.0).round() * 90.0;
        let snapped = if (degrees - quarter).abs() <= SNAP_DEGREES { quarter } else { degrees.round() };
        // Only whole degrees from 0 to 359 are left; what is no number reads to the right.
        let whole = (0..360_u16).find(|whole| (snapped.rem_euclid(360.0) - f64::from(*whole)).abs() < 0.5);
        Self(whole.unwrap_or(0))
    }

    /// How far `point` is along the lines of this direction.
    pub(super) fn along(self, point: Point) -> f64 {
        let (sin, cos) = self.turn();
        point.x * cos + point.y * sin
    }

    /// How far `point` is from line to line.
    pub(super) fn across(self, point: Point) -> f64 {
        let (sin, cos) = self.turn();
        point.y * cos - point.x * sin
    }

    /// The point of the page at these distances.
    pub(super) fn point(self, along: f64, across: f64) -> Point {
        let (sin, cos) = self.turn();
        Point::new(along * cos - across * sin, along * sin + across * cos)
    }

    /// The direction of columns where lines have this one: a quarter turn on.
    pub(super) fn turned(self) -> Self {
        Self((self.0 + 90) % 360)
    }

    fn turn(self) -> (f64, f64) {
        match self.0 {
            0 => (0.0, 1.0),
            90 => (1.0, 0.0),
            180 => (0.0, -1.0),
            270 => (-1.0, 0.0),
            other => f64::from(other).to_radians().sin_cos(),
        }
    }
}

/// What a glyph says: one character, mostly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// One character.
    One(char),
    /// A ligature, or the replacement of a marked sequence.
    Many(Box<str>),
}

impl Said {
    /// The first character.
    pub(super) fn first(&self) -> Option<char> {
        match self {
            Self::One(character) => Some(*character),
            Self::Many(text) => text.chars().next(),
        }
    }

    /// Whether it is nothing but white space.
    pub(super) fn is_space(&self) -> bool {
        match self {
            Self::One(character) => character.is_whitespace(),
            Self::Many(text) => text.chars().all(char::is_whitespace),
        }
    }

    /// Bytes of it in UTF-8.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(character) => character.len_utf8(),
            Self::Many(text) => text.len(),
        }
    }

    pub(super) fn push_to(&self, text: &mut String) {
        match self {
            Self::One(character) => text.push(*character),
            Self::Many(more) => text.push_str(more),
        }
    }
}

/// A glyph's text and place, in the direction that it is written.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) said: Said,
    pub(super) frame: Frame,
    /// Where it begins along the line.
    pub(super) start: f64,
    /// Where the next glyph would begin.
    pub(super) end: f64,
    /// The baseline; of vertical writing the middle of the column.
    pub(super) across: f64,
    /// The height of an em.
    pub(super) size: f64,
}

impl Mark {
    /// A mark that says nothing yet, in place of a picture that is drawn in `area`.
    pub(super) fn of_area(area: Rect) -> Self {
        let (frame, size) = (Frame::default(), area.height());
        Self { said: Said::One(' '), frame, start: area.x0, end: area.x1, across: area.y1, size }
    }

    pub(super) fn is_finite(&self) -> bool {
        [self.start, self.end, self.across, self.size].into_iter().all(f64::is_finite)
    }

    /// The middle of the glyph on the page.
    pub(super) fn middle(&self) -> Point {
        self.frame.point(f64::midpoint(self.start, self.end), self.across - self.size * 0.3)
    }
}

/// Where a glyph of an em of 1,000 stands that `place` maps to the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) frame: Frame,
    pub(super) start: f64,
    pub(super) across: f64,
    pub(super) size: f64,
    /// Length along the line of a thousandth of an em.
    pub(super) unit: f64,
}

impl Place {
    /// Of a glyph of horizontal writing.
    pub(super) fn horizontal(place: Affine) -> Self {
        let [a, b, c, d, _, _] = place.as_coeffs();
        let frame = Frame::of(Vec2::new(a, b));
        let origin = place * Point::ZERO;
        Self {
            frame,
            start: frame.along(origin),
            across: frame.across(origin),
            size: c.hypot(d) * 1000.0,
            unit: a.hypot(b),
        }
    }

    /// The width of an em by its height, of a glyph of horizontal writing.
    pub(super) fn ratio(place: Affine) -> f64 {
        let [a, b, c, d, _, _] = place.as_coeffs();
        a.hypot(b) / c.hypot(d)
    }

    /// Of a glyph of vertical writing, whose origin is at the foot of its em, left of the column's middle.
    pub(super) fn vertical(place: Affine) -> Self {
        let [a, b, c, d, _, _] = place.as_coeffs();
        let frame = Frame::of(Vec2::new(-c, -d));
        let top = place * Point::new(500.0, 880.0);
        Self { frame, start: frame.along(top), across: frame.across(top), size: a.hypot(b) * 1000.0, unit: c.hypot(d) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_snap_and_wrap() {
        let degrees = |x, y| Frame::of(Vec2::new(x, y)).0;
        assert_eq!(degrees(1.0, 0.02), 0);
        assert_eq!(degrees(1.0, -0.02), 0);
        assert_eq!(degrees(0.0, 1.0), 90);
        assert_eq!(degrees(0.0, -1.0), 270);
        assert_eq!(degrees(1.0, 1.0), 45);
        assert_eq!(degrees(f64::NAN, 0.0), 0);
    }

    #[test]
    fn a_point_comes_back_from_its_distances() {
        for frame in [Frame(0), Frame(90), Frame(180), Frame(270), Frame(45)] {
            let point = Point::new(3.0, 4.0);
            let back = frame.point(frame.along(point), frame.across(point));
            assert!((back - point).hypot() < 1e-9, "{frame:?}");
        }
    }
}
