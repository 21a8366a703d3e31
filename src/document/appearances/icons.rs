//! Icons of text, file attachment and caret annotations (ISO 32000-2, 12.5.6.4, 12.5.6.11 and 12.5.6.15).
//!
//! The standard leaves the icons to the reader. One for each subtype is enough to show that something is there.

use lopdf::Dictionary;

use super::AppearanceGenerator;
use super::field_box::color;
use super::markup::Markup;

/// The subtypes that have an icon.
pub(super) const ICONS: [&[u8]; 3] = [b"Text", b"FileAttachment", b"Caret"];

/// The side of the square that icons are designed in.
const UNITS: f64 = 24.0;

/// Plausible sizes of an icon on the page, in points.
const LEAST_PT: f64 = 6.0;
const MOST_PT: f64 = 48.0;

/// A sheet with a folded corner and three lines.
const NOTE: &str = "0.25 G 1 w 1 j 3 2.5 m 21 2.5 l 21 16 l 15.5 21.5 l 3 21.5 l b 15.5 21.5 m 15.5 16 l 21 16 l S \
    6 12.5 m 18 12.5 l 6 9 m 18 9 l 6 5.5 m 14 5.5 l S";

/// A paper clip, without its colour.
const CLIP: &str = "1.6 w 1 J 16.5 16.5 m 16.5 7 l 16.5 0.5 7.5 0.5 7.5 7 c 7.5 17 l 7.5 23 14.5 23 14.5 17 c \
    14.5 8 l 14.5 5 10.5 5 10.5 8 c 10.5 16.5 l S";

/// A wedge pointing up.
const WEDGE: &str = "12 23 m 12 11 8 3 3 1 c 21 1 l 16 3 12 11 12 23 c f";

impl AppearanceGenerator {
    /// The icon of an annotation of one of [`ICONS`], at the upper left of its rectangle. A wedge fills the rectangle.
    pub(super) fn icon(&self, annotation: &Dictionary, kind: &[u8]) -> Option<Markup> {
        // Replies are shown in the thread of the annotation that they reply to.
        if annotation.has(b"IRT") {
            return None;
        }
        let corners = self.numbers_of(self.get(annotation, b"Rect")?);
        let [a, b, c, d] = *corners.first_chunk::<4>()?;
        let (left, top, width, height) = (a.min(c), b.max(d), (c - a).abs(), (d - b).abs());
        let (width, height) = match kind {
            b"Caret" => (width.max(1.0), height.max(1.0)),
            _ => {
                let side = width.min(height);
                let side = if side < LEAST_PT { UNITS } else { side.min(MOST_PT) };
                (side, side)
            }
        };
        let parts = self.get(annotation, b"C").map(|parts| self.numbers_of(parts)).unwrap_or_default();
        let (operators, usual, drawing) = match kind {
            b"Text" => (["g", "rg", "k"], "1 0.9 0.4 rg", NOTE),
            b"FileAttachment" => (["G", "RG", "K"], "0.25 G", CLIP),
            _ => (["g", "rg", "k"], "0 0 1 rg", WEDGE),
        };
        let color = color(&parts, operators).unwrap_or_else(|| usual.to_owned());
        let bounds = [left, top - height, left + width, top];
        let place = format!("{} 0 0 {} {left} {} cm", width / UNITS, height / UNITS, top - height);
        let content = format!("/G gs {place} {color} {drawing}\n");
        Some(Markup { content, bounds, state: self.state(annotation, kind) })
    }
}
