//! Glyphs placed on the page.

use crate::fonts::StyleIndex;
use crate::page_layout::ContentMark;
use hayro_interpret::kurbo::{Affine, Point, Rect, Vec2};

/// Directions within this many degrees of a quarter turn count as one: scans are rarely straight.
const SNAP_DEGREES: f64 = 3.0;

/// A sign hangs from its baseline if its ink begins no further above it, in ems, and is higher than this.
const HANGING_EM: f64 = 0.1;
const LARGE_EM: f64 = 0.8;

/// The middle of a large sign stands so far above the baseline of its line, in ems: .25, and .35 for a root over letters.
const MIDDLE_EM: f64 = 0.3;

/// The direction of a line of text in degrees clockwise: 0 is to the right, 90 is down the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct WritingDirection(u16);

impl WritingDirection {
    /// The direction of `vector`, with the y axis pointing down.
    pub(crate) fn of(vector: Vec2) -> Self {
        // A fast path for nearly all text.
        if vector.y == 0.0 && vector.x > 0.0 {
            return Self(0);
        }
        let degrees = vector.y.atan2(vector.x).to_degrees();
        let quarter = (degrees / 90.0).round() * 90.0;
        let snapped = if (degrees - quarter).abs() <= SNAP_DEGREES { quarter } else { degrees.round() };
        // NaN becomes 0.
        let whole = (0..360_u16).find(|whole| (snapped.rem_euclid(360.0) - f64::from(*whole)).abs() < 0.5);
        Self(whole.unwrap_or(0))
    }

    /// The coordinate of `point` along lines of this direction.
    pub(crate) fn along(self, point: Point) -> f64 {
        let (sin, cos) = self.turn();
        point.x * cos + point.y * sin
    }

    /// The coordinate of `point` across lines of this direction.
    pub(crate) fn across(self, point: Point) -> f64 {
        let (sin, cos) = self.turn();
        point.y * cos - point.x * sin
    }

    /// The point on the page with these coordinates.
    pub(crate) fn point(self, along: f64, across: f64) -> Point {
        let (sin, cos) = self.turn();
        Point::new(along * cos - across * sin, along * sin + across * cos)
    }

    /// Its degrees clockwise.
    pub(crate) fn degrees(self) -> u16 {
        self.0
    }

    /// The nearest direction in whole quarter turns.
    pub(crate) fn nearest_quarter(self) -> Self {
        Self((self.0 + 45) / 90 * 90 % 360)
    }

    /// Its degrees clockwise from the nearest quarter turn.
    pub(crate) fn tilt(self) -> f64 {
        f64::from((self.0 + 45) % 90) - 45.0
    }

    /// This direction after a clockwise quarter turn.
    pub(crate) fn after_quarter_turn(self) -> Self {
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GlyphText {
    One(char),
    /// Several characters: a ligature, or the replacement text of a marked-content sequence.
    Many(Box<str>),
}

impl GlyphText {
    /// What stands for a glyph whose character is unknown.
    pub(crate) const UNKNOWN: Self = Self::One(char::REPLACEMENT_CHARACTER);

    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::UNKNOWN
    }

    pub(crate) fn first(&self) -> Option<char> {
        match self {
            Self::One(character) => Some(*character),
            Self::Many(text) => text.chars().next(),
        }
    }

    /// Whether it is only white space.
    pub(crate) fn is_space(&self) -> bool {
        match self {
            Self::One(character) => character.is_whitespace(),
            Self::Many(text) => text.chars().all(char::is_whitespace),
        }
    }

    /// Whether it is a character for private use.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self, Self::One('\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}'))
    }

    /// The length in bytes of UTF-8.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(character) => character.len_utf8(),
            Self::Many(text) => text.len(),
        }
    }

    /// Appends a character.
    pub(crate) fn push(&mut self, character: char) {
        let mut text = String::new();
        self.push_to(&mut text);
        text.push(character);
        *self = Self::Many(text.into_boxed_str());
    }

    pub(crate) fn push_to(&self, text: &mut String) {
        match self {
            Self::One(character) => text.push(*character),
            Self::Many(more) => text.push_str(more),
        }
    }
}

/// A glyph with its text and position. Coordinates are along and across its writing direction, in points.
#[derive(Debug, Clone)]
pub(crate) struct PlacedGlyph {
    pub(crate) text: GlyphText,
    pub(crate) direction: WritingDirection,
    /// Its start along the line.
    pub(crate) start: f64,
    /// The start of the next glyph.
    pub(crate) end: f64,
    /// The position of the baseline, or in vertical writing of the middle of the column.
    pub(crate) across: f64,
    /// The em.
    pub(crate) size: f64,
    /// Of a sign that grows in formulas: where its ink begins and ends across the line.
    pub(crate) ink: Option<(f64, f64)>,
    pub(crate) style: StyleIndex,
    pub(crate) mark: ContentMark,
    /// How far it was moved on the page from where it is seen.
    pub(crate) shift: [f32; 2],
}

impl PlacedGlyph {
    /// A placeholder for an image drawn in `area`.
    pub(crate) fn of_area(area: Rect) -> Self {
        let (direction, size) = (WritingDirection::default(), area.height());
        let (style, mark, shift) = (StyleIndex::default(), ContentMark::default(), [0.0; 2]);
        let (start, end, across) = (area.x0, area.x1, area.y1);
        Self { text: GlyphText::One(' '), direction, start, end, across, size, ink: None, style, mark, shift }
    }

    pub(crate) fn is_finite(&self) -> bool {
        [self.start, self.end, self.across, self.size].into_iter().all(f64::is_finite)
    }

    /// The middle of the glyph on the page.
    pub(crate) fn middle(&self) -> Point {
        self.inner_point(0.5)
    }

    /// Whether enough of the glyph is within `page` to be read.
    pub(crate) fn is_within(&self, page: Rect) -> bool {
        [0.5, 0.25, 0.75].into_iter().any(|share| page.contains(self.inner_point(share)))
    }

    /// The point at half the height of its ink and this share of its length.
    fn inner_point(&self, share: f64) -> Point {
        let height_em = match self.text.first() {
            Some('.' | ',' | '…' | '_' | '‚' | '„') => 0.05,
            Some('-' | '\u{AD}' | '‐' | '‑' | '–' | '—') => 0.22,
            Some('\'' | '"' | '*' | '^' | '`' | '°' | '´' | '‘' | '’' | '“' | '”') => 0.6,
            _ => 0.3,
        };
        self.direction.point(self.start + (self.end - self.start) * share, self.across - self.size * height_em)
    }
}

/// Glyphs of tests, on a line to the right.
#[cfg(test)]
impl PlacedGlyph {
    pub(crate) fn character(text: char, start: f64, end: f64, across: f64, size: f64) -> Self {
        Self { text: GlyphText::One(text), start, end, across, size, ..Self::of_area(Rect::ZERO) }
    }

    /// Characters of half an em each, from `start` on.
    pub(crate) fn line(text: &str, start: f64, across: f64, size: f64) -> Vec<Self> {
        let place = |at: u32| start + f64::from(at) * size / 2.0;
        let glyph = |(at, text): (u32, char)| Self::character(text, place(at), place(at + 1), across, size);
        (0..).zip(text.chars()).map(glyph).collect()
    }
}

/// The position of a glyph, from the transform of its 1,000 unit em to the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GlyphPlacement {
    pub(crate) direction: WritingDirection,
    pub(crate) start: f64,
    pub(crate) across: f64,
    pub(crate) size: f64,
    /// The length of a thousandth of an em along the line.
    pub(crate) unit: f64,
    /// As that of [`PlacedGlyph`].
    pub(crate) ink: Option<(f64, f64)>,
}

impl GlyphPlacement {
    /// The position of a glyph in horizontal writing.
    pub(crate) fn horizontal(place: Affine) -> Self {
        let [a, b, c, d, _, _] = place.as_coeffs();
        let direction = WritingDirection::of(Vec2::new(a, b));
        let origin = place * Point::ZERO;
        Self {
            direction,
            start: direction.along(origin),
            across: direction.across(origin),
            size: c.hypot(d) * 1000.0,
            unit: a.hypot(b),
            ink: None,
        }
    }

    /// Puts a sign that hangs from its baseline, as the large ones of fonts of TeX do, on the line beside which its middle is.
    pub(crate) fn settle(&mut self, (top, bottom): (f64, f64)) {
        if top > self.across - HANGING_EM * self.size && bottom - top > LARGE_EM * self.size {
            self.across = f64::midpoint(top, bottom) + MIDDLE_EM * self.size;
        }
    }

    /// The ratio of an em's width to its height, in horizontal writing.
    pub(crate) fn ratio(place: Affine) -> f64 {
        let [a, b, c, d, _, _] = place.as_coeffs();
        a.hypot(b) / c.hypot(d)
    }

    /// The position of a glyph in vertical writing. Its origin is at the bottom left of the em.
    pub(crate) fn vertical(place: Affine) -> Self {
        let [a, b, c, d, _, _] = place.as_coeffs();
        let direction = WritingDirection::of(Vec2::new(-c, -d));
        let top = place * Point::new(500.0, 880.0);
        Self {
            direction,
            start: direction.along(top),
            across: direction.across(top),
            size: a.hypot(b) * 1000.0,
            unit: c.hypot(d),
            ink: None,
        }
    }
}

/// The number of the row in which a place lies, where rows have this height.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
pub(crate) fn row_of(place: f64, height: f64) -> i64 {
    (place / height).floor() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_snap_and_wrap() {
        let degrees = |x, y| WritingDirection::of(Vec2::new(x, y)).0;
        assert_eq!(degrees(1.0, 0.02), 0);
        assert_eq!(degrees(1.0, -0.02), 0);
        assert_eq!(degrees(0.0, 1.0), 90);
        assert_eq!(degrees(0.0, -1.0), 270);
        assert_eq!(degrees(1.0, 1.0), 45);
        assert_eq!(degrees(f64::NAN, 0.0), 0);
    }

    #[test]
    fn a_sign_that_hangs_from_its_baseline_stands_on_that_of_its_line() {
        let settled = |ink: (f64, f64)| {
            let mut place = GlyphPlacement::horizontal(Affine::new([0.01, 0.0, 0.0, -0.01, 50.0, 100.0]));
            place.settle(ink);
            place.across
        };
        assert_eq!(settled((100.0, 110.0)), 108.0);
        for ink in [(92.0, 102.0), (100.0, 106.0)] {
            assert_eq!(settled(ink), 100.0);
        }
    }

    #[test]
    fn a_sign_is_within_a_clipping_path_that_holds_no_more_than_its_ink() {
        for (sign, ink) in [(',', (98.0, 101.0)), ('-', (97.0, 99.0)), ('”', (92.0, 95.5)), ('a', (95.0, 100.0))] {
            let glyph = PlacedGlyph::character(sign, 50.0, 55.0, 100.0, 10.0);
            assert!(glyph.is_within(Rect::new(50.0, ink.0, 55.0, ink.1)), "{sign}");
            assert!(!glyph.is_within(Rect::new(50.0, 100.5, 55.0, 120.0)), "{sign}");
        }
    }

    #[test]
    fn a_point_comes_back_from_its_distances() {
        for direction in [
            WritingDirection(0),
            WritingDirection(90),
            WritingDirection(180),
            WritingDirection(270),
            WritingDirection(45),
        ] {
            let point = Point::new(3.0, 4.0);
            let back = direction.point(direction.along(point), direction.across(point));
            assert!((back - point).hypot() < 1e-9, "{direction:?}");
        }
    }
}
