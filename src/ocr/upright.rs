//! Turns the picture of a page until its lines run from left to right, and are level.
//!
//! The tilt is the angle at which the rows of the page differ most from one to the next: lines of text and the gaps
//! between them (Postl, "Detection of linear oblique structures and skew scan in digitized documents", ICPR 1986).

use std::borrow::Cow;

use super::geometry::{Direction, brightness, share_of, whole};
use super::gray::GrayImage;
use super::recogniser::{LineSample, RecognisedLine};

/// The longer side of the copy on which the tilt is measured, in pixels.
const SIDE: usize = 1_200;

/// Columns of the copy that are counted together.
const BAND: usize = 16;

/// A pixel is ink if it is so much darker than the paper.
const INK: f32 = 40.0;

/// The tilts that are tried to each side: how many, and how many degrees lie between two. Fine ones are tried around the
/// best coarse one.
const COARSE: (i8, f32) = (12, 0.5);
const FINE: (i8, f32) = (5, 0.1);

/// A smaller tilt stays, in degrees.
const LEAST_TILT: f32 = 0.3;

/// A page is turned only if its rows then differ so many times as much. Those of a picture without text do not.
const CLEARER: f32 = 1.3;

/// The height of a line in pixels that Tesseract needs. Pages with higher lines are reduced, which saves time.
const LINE_HEIGHT: f32 = 28.0;

/// Pages are reduced to this share at most.
const LEAST_SCALE: f32 = 0.5;

/// A picture whose lines are upright and level, and the way back to that of the page.
pub(super) struct UprightPage<'i> {
    pub(super) picture: Cow<'i, GrayImage>,
    /// Width and height of the page's picture.
    size: [f32; 2],
    /// How many quarter turns clockwise were made first.
    quarters: usize,
    /// The direction of the lines after these turns, before they were made level.
    tilt: Direction,
    /// The size of the picture as a share of the page's.
    scale: f32,
}

impl<'i> UprightPage<'i> {
    /// The page after clockwise quarter turns, and made level.
    pub(super) fn of(image: &'i GrayImage, quarters: usize) -> Self {
        let turned = match quarters % 4 {
            0 => Cow::Borrowed(image),
            quarters => Cow::Owned(image.turned(quarters)),
        };
        let tilt = tilt_of(&turned);
        let picture = if tilt == Direction::RIGHT { turned } else { Cow::Owned(level(&turned, tilt)) };
        Self { picture, size: [image.width() as f32, image.height() as f32], quarters, tilt, scale: 1.0 }
    }

    /// The page, reduced if its lines are higher than is needed. `height` is that of its lines, in pixels.
    pub(super) fn with_lines_of(self, height: Option<f32>) -> Self {
        let scale = height.map_or(1.0, |height| (LINE_HEIGHT / height.max(LINE_HEIGHT)).max(LEAST_SCALE));
        if scale >= 1.0 {
            return self;
        }
        let side = |length: usize| whole((length as f32 * scale).ceil()).max(1);
        let picture = self.picture.resized(side(self.picture.width()), side(self.picture.height()));
        Self { picture: Cow::Owned(picture), scale, ..self }
    }

    /// A line of this picture, on that of the page.
    pub(super) fn on_page(&self, line: RecognisedLine) -> RecognisedLine {
        let line = line.enlarged(1.0 / self.scale);
        let [x, y] = line.place.origin;
        let [width, height] = self.size;
        let center =
            if self.quarters.is_multiple_of(2) { [width / 2.0, height / 2.0] } else { [height / 2.0, width / 2.0] };
        let [x, y] = self.tilt.point(center, x - center[0], y - center[1]);
        let (origin, direction) = match self.quarters % 4 {
            0 => ([x, y], self.tilt),
            1 => ([y, height - x], self.tilt.quarter_turn().reverse()),
            2 => ([width - x, height - y], self.tilt.reverse()),
            _ => ([width - y, x], self.tilt.quarter_turn()),
        };
        RecognisedLine { place: LineSample { origin, direction, ..line.place }, ..line }
    }
}

/// The picture turned about its middle, so that lines in the direction `tilt` become level. Corners become white.
fn level(image: &GrayImage, tilt: Direction) -> GrayImage {
    let [width, height] = [image.width() as f32, image.height() as f32];
    let center = [width / 2.0, height / 2.0];
    image.redrawn(|x, y| {
        let [x, y] = tilt.point(center, x as f32 - center[0], y as f32 - center[1]);
        let is_inside = x >= 0.0 && y >= 0.0 && x < width && y < height;
        if is_inside { brightness(image.sample(x, y)) } else { u8::MAX }
    })
}

/// The direction of a page's lines: to the right, unless another makes them clearer.
fn tilt_of(image: &GrayImage) -> Direction {
    let bands = InkBands::of(&image.reduced(image.width().max(image.height()).div_ceil(SIDE)));
    let best = |around: f32, (count, step): (i8, f32)| {
        let tilts = (-count..=count).map(|at| around + f32::from(at) * step);
        let rated = tilts.map(|degrees| (bands.contrast(degrees), degrees));
        rated.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, 0.0))
    };
    let (contrast, degrees) = best(best(0.0, COARSE).1, FINE);
    let is_clearer = contrast > CLEARER * bands.contrast(0.0);
    if is_clearer && degrees.abs() >= LEAST_TILT { Direction::at_angle(degrees.to_radians()) } else { Direction::RIGHT }
}

/// How much ink there is in each row of bands of columns.
struct InkBands {
    width: usize,
    bands: Vec<Vec<f32>>,
}

impl InkBands {
    fn of(image: &GrayImage) -> Self {
        let paper = f32::from(share_of(image.pixels().to_vec(), 0.9));
        let mut bands = vec![Vec::with_capacity(image.height()); image.width().div_ceil(BAND)];
        let ink = |pixel: u8| Some(paper - f32::from(pixel)).filter(|ink| *ink > INK).unwrap_or(0.0);
        for row in image.rows() {
            for (band, pixels) in bands.iter_mut().zip(row.chunks(BAND)) {
                band.push(pixels.iter().map(|pixel| ink(*pixel)).sum());
            }
        }
        Self { width: image.width(), bands }
    }

    /// How much the rows differ from one to the next, along lines with this tilt.
    fn contrast(&self, degrees: f32) -> f32 {
        let slope = degrees.to_radians().tan();
        let mut rows = vec![0.0_f32; self.bands.first().map_or(0, Vec::len)];
        for (band, ink) in self.bands.iter().enumerate() {
            let drop = ((band * BAND + BAND / 2) as f32 - self.width as f32 / 2.0) * slope;
            let distance = whole(drop.abs() + 0.5);
            let (to, from) = if drop < 0.0 { (distance, 0) } else { (0, distance) };
            rows.iter_mut().skip(to).zip(ink.iter().skip(from)).for_each(|(row, ink)| *row += ink);
        }
        rows.windows(2).map(|pair| pair.iter().fold(0.0, |before, row| row - before).powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    /// A page of lines with this slope: so many pixels down for one to the right.
    fn page(slope: f32) -> GrayImage {
        let white = GrayImage::new(400, 600, vec![255; 240_000]).unwrap();
        white.redrawn(|x, y| {
            let along = y as f32 - (x as f32 - 200.0) * slope;
            let is_line = (40..360).contains(&x) && (60.0..540.0).contains(&along) && along % 20.0 < 8.0;
            if is_line && x % 12 < 9 { 30 } else { 245 }
        })
    }

    fn line_at(x: f32, y: f32) -> RecognisedLine {
        let place = LineSample { origin: [x, y], direction: Direction::RIGHT, length: 9.0, thickness: 4.0 };
        RecognisedLine { place, characters: Vec::new() }
    }

    #[test]
    fn tilted_pages_become_level_and_others_stay() {
        for degrees in [-4.0_f32, -0.8, 1.5, 5.0] {
            let image = page(degrees.to_radians().tan());
            let found = tilt_of(&image);
            assert!((found.angle().to_degrees() - degrees).abs() <= 0.25, "{degrees}: {}", found.angle().to_degrees());
            let upright = UprightPage::of(&image, 0);
            assert_eq!(tilt_of(&upright.picture), Direction::RIGHT, "{degrees}");
        }
        assert!(matches!(UprightPage::of(&page(0.0), 0).picture, Cow::Borrowed(_)));
        let mut random = 1_u32;
        let mut pixel = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random.to_be_bytes()[0]
        };
        let noise = GrayImage::new(400, 400, (0..160_000).map(|_| pixel()).collect()).unwrap();
        assert_eq!(tilt_of(&noise), Direction::RIGHT, "no lines");
        assert_eq!(tilt_of(&GrayImage::new(1, 1, vec![0]).unwrap()), Direction::RIGHT);
    }

    #[test]
    fn lines_go_back_to_where_they_stand_on_the_page() {
        let image = page(3.0_f32.to_radians().tan());
        let upright = UprightPage::of(&image, 0);
        let middle = upright.on_page(line_at(200.0, 300.0)).place;
        assert_eq!(middle.origin, [200.0, 300.0]);
        let right = upright.on_page(line_at(300.0, 300.0)).place;
        assert!((right.origin[1] - 305.2).abs() < 0.5, "{right:?}");
        assert!((right.direction.angle().to_degrees() - 3.0).abs() < 0.25);
        let small = UprightPage::of(&image, 0).with_lines_of(Some(9.0 * LINE_HEIGHT));
        assert_eq!((small.picture.width(), small.picture.height()), (200, 300));
        let middle = small.on_page(line_at(100.0, 150.0)).place;
        assert_eq!((middle.origin, middle.length, middle.thickness), ([200.0, 300.0], 18.0, 8.0));
        for (quarters, origin) in [(0, [5.0, 7.0]), (1, [7.0, 595.0]), (2, [395.0, 593.0]), (3, [393.0, 5.0])] {
            let level = page(0.0).turned(4 - quarters).turned(quarters);
            let upright = UprightPage {
                picture: Cow::Owned(level),
                size: [400.0, 600.0],
                quarters,
                tilt: Direction::RIGHT,
                scale: 1.0,
            };
            assert_eq!(upright.on_page(line_at(5.0, 7.0)).place.origin, origin, "{quarters}");
        }
    }
}
