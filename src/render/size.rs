//! Converts a page's size in points into pixels.

use serde::{Deserialize, Serialize};

use super::RenderOptions;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::PageGeometry;

/// A resolution in pixels per inch, from 72 to 300. Only a budget of pixels can make it lower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u16", into = "u16")]
pub struct Dpi(u16);

impl Dpi {
    /// The lowest resolution that can be requested: one pixel per point.
    pub const MIN: u16 = 72;
    /// The highest resolution.
    pub const MAX: u16 = 300;

    /// The nearest allowed resolution.
    #[must_use]
    pub fn clamped(dpi: u64) -> Self {
        let clamped = dpi.clamp(Self::MIN.into(), Self::MAX.into());
        Self(u16::try_from(clamped).unwrap_or(Self::MAX))
    }

    /// At most `dpi`, and at least 1. It may be below [`Dpi::MIN`], for pictures under a budget of pixels.
    #[must_use]
    pub fn at_most(dpi: u64) -> Self {
        Self(u16::try_from(dpi.clamp(1, Self::MAX.into())).unwrap_or(Self::MAX))
    }

    /// Pixels per inch.
    #[must_use]
    pub fn get(self) -> u16 {
        self.0
    }
}

impl From<u16> for Dpi {
    fn from(dpi: u16) -> Self {
        Self::at_most(dpi.into())
    }
}

impl From<Dpi> for u16 {
    fn from(dpi: Dpi) -> Self {
        dpi.0
    }
}

impl Default for Dpi {
    fn default() -> Self {
        Self(150)
    }
}

/// A part of the visible page, in fractions of its width and height from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "[f64; 4]", into = "[f64; 4]")]
pub struct Region {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Corners that bound no part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no region of a page")]
pub struct NoRegion;

impl TryFrom<[f64; 4]> for Region {
    type Error = NoRegion;

    fn try_from([left, top, right, bottom]: [f64; 4]) -> Result<Self, NoRegion> {
        Self::new(left, top, right, bottom).ok_or(NoRegion)
    }
}

impl From<Region> for [f64; 4] {
    fn from(region: Region) -> Self {
        region.corners()
    }
}

impl Region {
    /// The part between two corners; `None` if it is empty or exceeds the range from 0 to 1.
    #[must_use]
    pub fn new(left: f64, top: f64, right: f64, bottom: f64) -> Option<Self> {
        let is_within = [left, top, right, bottom].iter().all(|share| (0.0..=1.0).contains(share));
        (is_within && left < right && top < bottom).then_some(Self { left, top, right, bottom })
    }

    /// Left, top, right and bottom.
    #[must_use]
    pub fn corners(&self) -> [f64; 4] {
        [self.left, self.top, self.right, self.bottom]
    }

    const WHOLE: Self = Self { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
}

/// The canvas on which a page is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Canvas {
    pub(super) width: u16,
    pub(super) height: u16,
    /// The pixels per unit of user space.
    pub(super) scale: f64,
    /// The pixels of the page to the left of the canvas.
    pub(super) left: f64,
    /// The pixels of the page above the canvas.
    pub(super) top: f64,
}

impl Canvas {
    /// The canvas for a page of this geometry.
    pub(super) fn of(page: &PageGeometry, options: &RenderOptions, limits: &Limits) -> Result<Self, LimitExceeded> {
        let pixels_per_point = f64::from(options.dpi.get()) / 72.0;
        let region = options.region.unwrap_or(Region::WHOLE);
        let width = whole(page.width_pt * pixels_per_point * (region.right - region.left));
        let height = whole(page.height_pt * pixels_per_point * (region.bottom - region.top));
        let max_pixels = options.max_pixels.min(limits.max_pixels);
        LimitExceeded::check(Limit::Pixels, width.saturating_mul(height), max_pixels)?;
        Ok(Self {
            width: side(width, limits.max_side_pixels)?,
            height: side(height, limits.max_side_pixels)?,
            scale: pixels_per_point * page.user_unit,
            left: (page.width_pt * pixels_per_point * region.left).floor(),
            top: (page.height_pt * pixels_per_point * region.top).floor(),
        })
    }
}

/// Checks a side of the canvas.
fn side(pixels: u64, limit: u16) -> Result<u16, LimitExceeded> {
    let side = u16::try_from(pixels).ok().filter(|side| *side <= limit);
    side.ok_or(LimitExceeded { which: Limit::SidePixels, limit: limit.into(), found: pixels })
}

/// Rounds down to whole pixels, at least 1. A small tolerance keeps the last pixel of sizes that are whole except for
/// rounding errors.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(pixels: f64) -> u64 {
    ((pixels + 1e-6).floor() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canvas(width_pt: f64, height_pt: f64, dpi: u64, region: Option<Region>) -> Result<[u16; 2], LimitExceeded> {
        let page = PageGeometry { width_pt, height_pt, rotate: 0, user_unit: 1.0 };
        let options = RenderOptions { dpi: Dpi::clamped(dpi), region, ..RenderOptions::default() };
        Canvas::of(&page, &options, &Limits::default()).map(|canvas| [canvas.width, canvas.height])
    }

    #[test]
    fn resolutions_are_clamped() {
        assert_eq!(
            [0, 71, 72, 150, 300, 301, u64::MAX].map(|dpi| Dpi::clamped(dpi).get()),
            [72, 72, 72, 150, 300, 300, 300]
        );
    }

    #[test]
    fn lengths_are_rounded_down() {
        assert_eq!(canvas(612.0, 792.0, 150, None), Ok([1275, 1650]));
        assert_eq!(canvas(595.276, 841.89, 150, None), Ok([1240, 1753]));
        assert_eq!(canvas(0.1, 0.1, 72, None), Ok([1, 1]));
        assert_eq!(canvas(612.0, 792.0, 150, Region::new(0.5, 0.0, 1.0, 0.5)), Ok([637, 825]));
    }

    #[test]
    fn a_picture_has_at_most_so_many_pixels_and_so_long_sides() {
        assert_eq!(canvas(10_000.0, 10_000.0, 72, None), Ok([10_000, 10_000]));
        let limit = LimitExceeded { which: Limit::Pixels, limit: 100_000_000, found: 100_010_000 };
        assert_eq!(canvas(10_001.0, 10_000.0, 72, None), Err(limit));
        assert_eq!(canvas(65_535.0, 1.0, 72, None), Ok([65_535, 1]));
        let limit = LimitExceeded { which: Limit::SidePixels, limit: 65_535, found: 65_536 };
        assert_eq!(canvas(65_536.0, 1.0, 72, None), Err(limit));
        assert!(canvas(f64::INFINITY, f64::INFINITY, 72, None).is_err());
    }

    #[test]
    fn regions_lie_within_the_page() {
        assert!(Region::new(0.0, 0.0, 1.0, 1.0).is_some());
        assert!(Region::new(0.5, 0.0, 0.5, 1.0).is_none());
        assert!(Region::new(0.0, 0.0, 1.1, 1.0).is_none());
        assert!(Region::new(f64::NAN, 0.0, 1.0, 1.0).is_none());
    }
}
