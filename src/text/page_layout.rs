//! What a page shows and where: words, rules, areas, pictures and links.
//!
//! Coordinates are in points from the top left of the page as displayed (rotated and cropped), y downwards. Lines that are a
//! little aslant are level: see [`Word::shift`].

use serde::{Deserialize, Serialize};

use super::layout::Script;
use hayro_interpret::kurbo::Rect;
use std::collections::BTreeMap;

/// The most words of a page. Further words are left out of its layout.
pub(crate) const MAX_WORDS: usize = 200_000;

/// The most rules of a page. Further rules are left out.
pub(crate) const MAX_RULES: usize = 50_000;

/// The most filled areas of a page. Further areas are left out.
pub(crate) const MAX_FILLS: usize = 20_000;

/// The most images, and the most other drawings, of a page. Further ones are left out.
pub(crate) const MAX_DRAWINGS: usize = 20_000;

/// The most link areas of a page. Further ones are left out.
pub(crate) const MAX_LINKS: usize = 10_000;

/// The largest coordinate. No page is so large.
const MAX_PT: f64 = 1e6;

/// A rectangle. `x0 <= x1`, `y0 <= y1`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "[f32; 4]", into = "[f32; 4]")]
pub struct Bounds {
    /// The left edge.
    pub x0: f32,
    /// The top edge.
    pub y0: f32,
    /// The right edge.
    pub x1: f32,
    /// The bottom edge.
    pub y1: f32,
}

impl Bounds {
    /// Contains nothing: the union with it is the other one.
    pub const NOTHING: Self =
        Self { x0: f32::INFINITY, y0: f32::INFINITY, x1: f32::NEG_INFINITY, y1: f32::NEG_INFINITY };

    /// The baseline of a word of this box, which is not that of its ink.
    #[must_use]
    pub fn baseline(self, em: f32) -> f32 {
        self.y1 - 0.2 * em
    }

    /// The smallest rectangle that contains all of these.
    pub fn around(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self::NOTHING, Self::union)
    }

    /// The length of its upper side.
    #[must_use]
    pub fn width(self) -> f32 {
        self.x1 - self.x0
    }

    /// The length of its left side.
    #[must_use]
    pub fn height(self) -> f32 {
        self.y1 - self.y0
    }

    /// Its middle.
    #[must_use]
    pub fn center(self) -> (f32, f32) {
        (f32::midpoint(self.x0, self.x1), f32::midpoint(self.y0, self.y1))
    }

    /// Whether a point is in it.
    #[must_use]
    pub fn holds(self, (x, y): (f32, f32)) -> bool {
        self.x0 <= x && x <= self.x1 && self.y0 <= y && y <= self.y1
    }

    /// The width that both have; negative if they are apart.
    #[must_use]
    pub fn shared_width(self, other: Self) -> f32 {
        self.x1.min(other.x1) - self.x0.max(other.x0)
    }

    /// Whether both share an area.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.shared_width(other) > 0.0 && self.y0 < other.y1 && other.y0 < self.y1
    }

    /// The smallest rectangle that contains both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// The rectangle so far to the right and so far below.
    #[must_use]
    pub fn moved(self, [x, y]: [f32; 2]) -> Self {
        Self { x0: self.x0 + x, y0: self.y0 + y, x1: self.x1 + x, y1: self.y1 + y }
    }

    /// The rectangle with so much around it on each side.
    #[must_use]
    pub fn grown(self, by: f32) -> Self {
        Self { x0: self.x0 - by, y0: self.y0 - by, x1: self.x1 + by, y1: self.y1 + by }
    }

    /// The left, top, right and bottom edges.
    #[must_use]
    pub fn edges(self) -> [f32; 4] {
        [self.x0, self.y0, self.x1, self.y1]
    }
}

impl From<[f32; 4]> for Bounds {
    fn from([x0, y0, x1, y1]: [f32; 4]) -> Self {
        Self { x0, y0, x1, y1 }
    }
}

impl From<Bounds> for [f32; 4] {
    fn from(bounds: Bounds) -> Self {
        bounds.edges()
    }
}

impl From<Rect> for Bounds {
    fn from(rect: Rect) -> Self {
        let rect = rect.abs();
        Self { x0: to_points(rect.x0), y0: to_points(rect.y0), x1: to_points(rect.x1), y1: to_points(rect.y1) }
    }
}

/// A coordinate in hundredths of a point, so that equal pages have equal layouts.
#[allow(clippy::cast_possible_truncation, reason = "the cast rounds, and the coordinate is bounded")]
pub fn to_points(coordinate: f64) -> f32 {
    ((coordinate.clamp(-MAX_PT, MAX_PT) * 100.0).round() / 100.0) as f32
}

/// The marked content to which something belongs (ISO 32000-2, 14.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContentMark {
    /// It is not marked.
    #[default]
    Unmarked,
    /// It is an artifact: a running head, a page number, a decoration.
    Artifact,
    /// A sequence with this identifier, to which the structure tree refers.
    Sequence(u16),
}

/// Whether a font is made for formulas, and what it makes of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MathFont {
    /// It is made for text.
    #[default]
    None,
    /// Variables and signs.
    Letters,
    /// Its capitals are calligraphic.
    Script,
    /// Its capitals are double-struck, as those of sets of numbers.
    DoubleStruck,
    Fraktur,
}

/// A word, or a part of a word in one style. It ends at a space, at a gap, and where the style changes.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the word")]
pub struct Word {
    /// In logical order.
    pub text: String,
    /// The width of its glyphs, from about .8 em above to .2 em below the baseline. Operators, roots and brackets of formulas
    /// have the height of their ink.
    pub bounds: Bounds,
    /// The y coordinate of its line's baseline, or the x coordinate if `turn` is 90 or 270.
    pub baseline: f32,
    /// The em.
    pub size: f32,
    /// Whether its font is bold.
    pub is_bold: bool,
    /// Whether its font is italic or slanted.
    pub is_italic: bool,
    /// Whether its font has a fixed pitch.
    pub is_monospace: bool,
    /// Whether the widths of its font say that it has no pitch.
    pub is_proportional: bool,
    /// Whether its font is one of formulas.
    pub math: MathFont,
    /// Its font: an index without meaning beyond the page.
    pub font: u16,
    /// The fill colour, RGB.
    pub color: [u8; 3],
    /// The direction of its line in degrees clockwise: 0 to the right, 90 down the page.
    pub turn: u16,
    /// Whether it is the first of its line, or follows a space.
    pub is_spaced: bool,
    /// Whether it is a superscript or a subscript.
    pub script: Script,
    /// Its line, numbered in reading order. A line may run through several columns.
    pub line: u32,
    /// Its block of lines, numbered in reading order.
    pub block: u32,
    /// That of its first glyph.
    pub mark: ContentMark,
    /// How far it was moved from where it is seen, in points: words of lines that are a little aslant are level here.
    pub shift: [f32; 2],
}

impl Word {
    /// Its box where it is seen.
    #[must_use]
    pub fn seen(&self) -> Bounds {
        let [x, y] = self.shift;
        self.bounds.moved([-x, -y])
    }
}

/// A line parallel to an axis, or a rectangle thinner than 2 points: a rule of a table, an underline, a separator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Its area.
    pub bounds: Bounds,
    /// Whether it is wider than high.
    pub is_horizontal: bool,
    /// Its colour, RGB.
    pub color: [u8; 3],
}

/// A filled rectangle that is no rule: the ground of a cell, a row or a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fill {
    /// Its area.
    pub bounds: Bounds,
    /// Its colour, RGB.
    pub color: [u8; 3],
}

/// An area that leads to an address or to a place in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkArea {
    /// Its area.
    pub bounds: Bounds,
    /// A URI, or empty for places in the document.
    pub target: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageLayout {
    pub width: f32,
    pub height: f32,
    /// In reading order.
    pub words: Vec<Word>,
    /// In drawing order.
    pub rules: Vec<Rule>,
    /// In drawing order.
    pub fills: Vec<Fill>,
    /// The areas of images.
    pub images: Vec<Bounds>,
    /// The areas of other paths: curves and slanted lines, as in charts.
    pub drawings: Vec<Bounds>,
    /// In the order of the page's annotations.
    pub links: Vec<LinkArea>,
    /// The areas of the images and paths in marked content, by its identifier.
    pub marked_areas: BTreeMap<u16, Bounds>,
}
