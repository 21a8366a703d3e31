//! The visible size of a page (ISO 32000-2, 14.11.2).

use serde::{Deserialize, Serialize};

use super::page_tree::Leaf;
use crate::Document;
use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::object::Object;
use crate::objects::Objects;
use pagewise_base::checked_on_arrival;
use pagewise_base::page::PageIndex;

/// The visible size and rotation of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageGeometry {
    /// Width in points (1/72 inch) of the crop box within the media box, after rotation and user unit.
    pub width_pt: f64,
    /// Height in points, computed likewise.
    pub height_pt: f64,
    /// `/Rotate` as 0, 90, 180 or 270 degrees clockwise.
    pub rotate: u16,
    /// `/UserUnit`: points in one unit of user space. 1 except for very large pages.
    pub user_unit: f64,
}

/// US Letter, which readers assume for a page without a media box.
const DEFAULT_BOX: Rectangle = Rectangle { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0 };

#[derive(Debug, Clone, Copy, PartialEq)]
struct Rectangle {
    left: f64,
    bottom: f64,
    right: f64,
    top: f64,
}

checked_on_arrival!(PageGeometry);

impl PageGeometry {
    /// Whether its sides have a length and it is turned by quarters.
    fn is_valid(&self) -> bool {
        self.width_pt >= 0.0 && self.height_pt >= 0.0 && self.rotate.is_multiple_of(90)
    }
}

impl Document {
    /// The size of the page at `index`: the crop box within the media box, rotated, in points.
    ///
    /// A missing or empty crop box falls back to the media box, and that to 612 by 792 points.
    ///
    /// # Errors
    /// [`DocumentError::PageOutOfRange`], or the first reader's error if no reader can read the page.
    pub fn page_geometry(&self, index: PageIndex) -> Result<PageGeometry, DocumentError> {
        let geometry = self.with_page(index, page_geometry, DocumentError::is_worth_another_reader);
        geometry.map(|(geometry, _)| geometry)
    }
}

impl Document {
    /// How the page at `index` is displayed.
    pub(crate) fn page_placement(&self, index: PageIndex) -> Result<PagePlacement, DocumentError> {
        let placement = self.with_page(index, PagePlacement::of, DocumentError::is_worth_another_reader);
        placement.map(|(placement, _)| placement)
    }
}

fn page_geometry(parsed: &ParsedDocument, leaf: &Leaf) -> Result<PageGeometry, DocumentError> {
    let placement = PagePlacement::of(parsed, leaf)?;
    let (width, height) = placement.size();
    let PagePlacement { rotate, user_unit, .. } = placement;
    let (width_pt, height_pt) = if rotate % 180 == 0 { (width, height) } else { (height, width) };
    Ok(PageGeometry { width_pt, height_pt, rotate, user_unit })
}

/// How user space is displayed: the visible box, the rotation and the user unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PagePlacement {
    shown: Rectangle,
    rotate: u16,
    user_unit: f64,
}

impl PagePlacement {
    /// The placement of the page `leaf`.
    pub(crate) fn of(parsed: &ParsedDocument, leaf: &Leaf) -> Result<Self, DocumentError> {
        let objects = &*parsed.objects;
        let media = media_box(objects, leaf)?.unwrap_or(DEFAULT_BOX);
        let crop = rectangle(objects, leaf.inherited.crop_box.as_ref())?;
        let shown = crop.and_then(|crop| crop.within(media)).unwrap_or(media);
        let rotate = match &leaf.inherited.rotate {
            Some(rotate) => snap_to_quarter_turn(objects.resolve(rotate)?.as_number().unwrap_or(0.0)),
            None => 0,
        };
        let user_unit = match leaf.dictionary.as_dictionary().and_then(|page| page.get(b"UserUnit")) {
            Some(unit) => objects.resolve(unit)?.as_number().filter(|unit| unit.is_finite() && *unit > 0.0),
            None => None,
        };
        Ok(Self { shown, rotate, user_unit: user_unit.unwrap_or(1.0) })
    }

    /// Width and height in points, before rotation.
    fn size(&self) -> (f64, f64) {
        let Rectangle { left, bottom, right, top } = self.shown;
        ((right - left) * self.user_unit, (top - bottom) * self.user_unit)
    }

    /// The point of user space that is displayed at `x` and `y`, in points from the top left.
    pub(crate) fn in_user_space(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = self.size();
        let (right, down) = match self.rotate {
            90 => (y, height - x),
            180 => (width - x, height - y),
            270 => (width - y, x),
            _ => (x, y),
        };
        (self.shown.left + right / self.user_unit, self.shown.top - down / self.user_unit)
    }

    /// Where a rectangle of user space, by two opposite corners, is displayed.
    pub(crate) fn displayed(&self, [x1, y1, x2, y2]: [f64; 4]) -> DisplayedArea {
        let ((ax, ay), (bx, by)) = (self.point(x1, y1), self.point(x2, y2));
        DisplayedArea {
            left: to_points(ax.min(bx)),
            top: to_points(ay.min(by)),
            right: to_points(ax.max(bx)),
            bottom: to_points(ay.max(by)),
        }
    }

    fn point(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = self.size();
        let (right, down) = ((x - self.shown.left) * self.user_unit, (self.shown.top - y) * self.user_unit);
        match self.rotate {
            90 => (height - down, right),
            180 => (width - right, height - down),
            270 => (down, width - right),
            _ => (right, down),
        }
    }
}

/// An area of a page as displayed: points from the top left corner of the visible page, downwards.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct DisplayedArea {
    /// The left edge.
    pub left: f32,
    /// The top edge.
    pub top: f32,
    /// The right edge.
    pub right: f32,
    /// The bottom edge.
    pub bottom: f32,
}

impl DisplayedArea {
    /// The left, top, right and bottom edges.
    #[must_use]
    pub fn edges(self) -> [f32; 4] {
        [self.left, self.top, self.right, self.bottom]
    }
}

/// The largest coordinate. No page is so large.
const MAX_PT: f64 = 1e6;

/// A coordinate in hundredths of a point.
#[allow(clippy::cast_possible_truncation, reason = "the cast rounds, and the coordinate is bounded")]
fn to_points(coordinate: f64) -> f32 {
    ((coordinate.clamp(-MAX_PT, MAX_PT) * 100.0).round() / 100.0) as f32
}

fn media_box(objects: &dyn Objects, leaf: &Leaf) -> Result<Option<Rectangle>, DocumentError> {
    rectangle(objects, leaf.inherited.media_box.as_ref())
}

/// Whether the page has a media box with an area. Otherwise US Letter is assumed.
///
/// # Errors
/// The box cannot be read.
pub fn has_media_box(objects: &dyn Objects, leaf: &Leaf) -> Result<bool, DocumentError> {
    media_box(objects, leaf).map(|found| found.is_some())
}

/// A rectangle (7.9.5) from any two opposite corners; `None` if it is malformed or has no area.
fn rectangle(objects: &dyn Objects, value: Option<&Object>) -> Result<Option<Rectangle>, DocumentError> {
    let Some(value) = value else { return Ok(None) };
    let value = objects.resolve(value)?;
    let Some([a, b, c, d]) = value.as_array().and_then(|corners| corners.first_chunk::<4>()) else { return Ok(None) };
    let number = |value: &Object| -> Result<f64, DocumentError> {
        Ok(objects.resolve(value)?.as_number().filter(|number| number.is_finite()).unwrap_or(0.0))
    };
    let (x1, y1, x2, y2) = (number(a)?, number(b)?, number(c)?, number(d)?);
    let corners = Rectangle { left: x1.min(x2), bottom: y1.min(y2), right: x1.max(x2), top: y1.max(y2) };
    Ok(corners.with_area())
}

impl Rectangle {
    fn within(self, other: Self) -> Option<Self> {
        let common = Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        };
        common.with_area()
    }

    fn with_area(self) -> Option<Self> {
        (self.right > self.left && self.top > self.bottom).then_some(self)
    }
}

/// The nearest quarter turn, as in MuPDF.
fn snap_to_quarter_turn(degrees: f64) -> u16 {
    let turn = ((degrees.rem_euclid(360.0) + 45.0) / 90.0).floor();
    match turn {
        1.0 => 90,
        2.0 => 180,
        3.0 => 270,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{DisplayedArea, PagePlacement, Rectangle, snap_to_quarter_turn};

    #[test]
    fn areas_are_displayed_from_the_top_left_of_the_turned_page() {
        let shown = Rectangle { left: 10.0, bottom: 20.0, right: 110.0, top: 220.0 };
        let cases = [
            (0, 1.0, [0.0, 180.0, 30.0, 190.0]),
            (90, 1.0, [10.0, 0.0, 20.0, 30.0]),
            (180, 1.0, [70.0, 10.0, 100.0, 20.0]),
            (270, 1.0, [180.0, 70.0, 190.0, 100.0]),
            (0, 2.0, [0.0, 360.0, 60.0, 380.0]),
        ];
        for (rotate, user_unit, expected) in cases {
            let placement = PagePlacement { shown, rotate, user_unit };
            let area = placement.displayed([40.0, 30.0, 10.0, 40.0]);
            assert_eq!(area.edges(), expected, "{rotate} degrees, unit {user_unit}");
        }
        let far = PagePlacement { shown, rotate: 0, user_unit: 1.0 }.displayed([f64::MAX, 0.0, f64::NAN, 0.0]);
        assert!(matches!(far, DisplayedArea { right: 1e6, .. }), "{far:?}");
    }

    #[test]
    fn rotations_snap_to_quarter_turns() {
        let cases = [(0.0, 0), (90.0, 90), (-90.0, 270), (450.0, 90), (44.0, 0), (46.0, 90), (359.0, 0), (f64::NAN, 0)];
        for (degrees, expected) in cases {
            assert_eq!(snap_to_quarter_turn(degrees), expected, "{degrees}");
        }
    }
}
