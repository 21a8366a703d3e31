//! The picture of a page for the recognition of text.
//!
//! If the page shows one picture and nothing over it, its samples are taken as they are: drawing would blur them. Any other
//! page is drawn.

use super::draw::{PagePainter, with_page};
use super::fonts::{FontResolver, FontSource};
use super::size::{Canvas, Dpi};
use super::{RenderError, RenderOptions};
use hayro::hayro_interpret::{BlendMode, DrawMode, Image, ImageData, ImageDrawProps, RasterImage};
use hayro::kurbo::{Affine, Rect};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, PageGeometry, run_contained};
use std::sync::Arc;

/// The resolution at which pages are drawn for recognition.
const DRAWING_DPI: u16 = 200;

/// The longest side of a drawn page in pixels; larger pages are drawn at a lower resolution.
const MAX_DRAWN_SIDE: f64 = 4_000.0;

/// The least share of the page that its only picture covers.
const COVERING: f64 = 0.9;

/// A slant below this is a rounding error.
const MAX_SLANT: f64 = 1e-6;

/// A page as a picture in shades of gray.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// The pixels row by row, 0 is black.
    pub pixels: Vec<u8>,
    /// The distance of its upper left corner from that of the page, in points.
    pub origin_pt: [f64; 2],
    /// The size of a pixel in points.
    pub pixel_pt: [f64; 2],
    /// The width and the height of the page in points.
    pub page_pt: [f64; 2],
    /// Width and height of a pixel in pixels of the drawn page.
    pub drawn_share: [f64; 2],
}

/// The picture of a page for the recognition of its text.
///
/// # Errors
/// As [`page_picture`](super::page_picture).
pub fn page_scan(document: &Document, index: PageIndex, fonts: &Arc<dyn FontSource>) -> Result<Scan, RenderError> {
    let geometry = document.page_geometry(index)?;
    let options = RenderOptions { dpi: drawing_dpi(&geometry), ..RenderOptions::default() };
    let canvas = Canvas::of(&geometry, &options, document.limits())?;
    let file = document.engine_file(index)?.file;
    let resolver = FontResolver::new(fonts);
    let page_pt = [geometry.width_pt, geometry.height_pt];
    let scan = |mut painter: PagePainter<'_>| match painter.samples.take() {
        Some(samples) => samples.on_page(&canvas, page_pt),
        None => drawn_scan(&painter.paint(), &canvas, page_pt),
    };
    let finder = Some(SampleFinder::new(canvas));
    let (scan, _) = run_contained(|| with_page(&file, index, &canvas, &resolver, document.limits(), finder, scan))??;
    Ok(scan)
}

/// The usual resolution, or less for a large page.
fn drawing_dpi(page: &PageGeometry) -> Dpi {
    let side = page.width_pt.max(page.height_pt) * page.user_unit.max(1.0);
    let most = (MAX_DRAWN_SIDE * 72.0 / side.max(1.0)).min(f64::from(DRAWING_DPI));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 200; NaN is 0")]
    let dpi = most as u64;
    Dpi::at_most(dpi)
}

fn drawn_scan(pixels: &[u8], canvas: &Canvas, page_pt: [f64; 2]) -> Scan {
    let (pixels, _) = pixels.as_chunks::<4>();
    let pixels = pixels.iter().map(|[red, green, blue, _]| gray(*red, *green, *blue)).collect();
    let (width, height) = (canvas.width.into(), canvas.height.into());
    let [page_width, page_height] = page_pt;
    let pixel_pt = [page_width / f64::from(width), page_height / f64::from(height)];
    Scan { width, height, pixels, origin_pt: [0.0, 0.0], pixel_pt, page_pt, drawn_share: [1.0, 1.0] }
}

/// The brightness of a colour (Rec. ITU-R BT.601).
fn gray(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    u8::try_from(sum / 1000).unwrap_or(u8::MAX)
}

/// The samples of a picture, and their place on the canvas.
pub(super) struct Samples {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    /// From samples to the canvas: upright, neither turned nor slanted.
    to_canvas: Affine,
}

impl Samples {
    fn on_page(self, canvas: &Canvas, page_pt: [f64; 2]) -> Scan {
        let [page_width, page_height] = page_pt;
        let unit = [page_width / f64::from(canvas.width), page_height / f64::from(canvas.height)];
        let [x_scale, _, _, y_scale, left, top] = self.to_canvas.as_coeffs();
        let Self { width, height, pixels, .. } = self;
        let [x_unit, y_unit] = unit;
        Scan {
            width,
            height,
            pixels,
            origin_pt: [left * x_unit, top * y_unit],
            pixel_pt: [x_scale * x_unit, y_scale * y_unit],
            page_pt,
            drawn_share: [x_scale, y_scale],
        }
    }
}

/// Finds the one picture that covers a page. Whatever is seen over it, or a clip, makes the page no picture.
pub(super) struct SampleFinder {
    page: Rect,
    pub(super) found: Option<Samples>,
    is_mixed: bool,
}

impl SampleFinder {
    fn new(canvas: Canvas) -> Self {
        Self { page: Rect::new(0.0, 0.0, canvas.width.into(), canvas.height.into()), found: None, is_mixed: false }
    }

    /// Something else is painted. Below the picture it does not matter.
    pub(super) fn mix(&mut self, mode: &DrawMode) {
        if !matches!(mode, DrawMode::Invisible) {
            self.refuse_over_picture();
        }
    }

    fn refuse_over_picture(&mut self) {
        if self.found.take().is_some() {
            self.is_mixed = true;
        }
    }

    /// The page is no picture.
    pub(super) fn refuse(&mut self) {
        self.is_mixed = true;
    }

    pub(super) fn add_image(&mut self, image: &Image<'_, '_>, props: &ImageDrawProps<'_>) {
        self.refuse_over_picture();
        if let Image::Raster(image) = image
            && !self.is_mixed
        {
            self.found = self.take(image, props);
            self.is_mixed |= self.found.is_none();
        } else {
            self.is_mixed = true;
        }
    }

    /// A clip that leaves a part of the page.
    pub(super) fn clip(&mut self, clip: Rect) {
        self.is_mixed |= covered_share(self.page, clip) < COVERING;
    }

    fn take(&mut self, image: &RasterImage<'_>, props: &ImageDrawProps<'_>) -> Option<Samples> {
        let [x_scale, x_slant, y_slant, y_scale, ..] = props.transform.as_coeffs();
        let is_upright = x_scale > 0.0
            && y_scale > 0.0
            && x_slant.abs() < MAX_SLANT * x_scale
            && y_slant.abs() < MAX_SLANT * y_scale;
        let is_plain = props.soft_mask.is_none() && props.blend_mode == BlendMode::Normal;
        let extent = Rect::new(0.0, 0.0, image.width().into(), image.height().into());
        let share = covered_share(self.page, props.transform.transform_rect_bbox(extent));
        if !is_upright || !is_plain || share < COVERING {
            return None;
        }
        let mut samples = None;
        image.with_rgba(
            |data, alpha| {
                let (x_factor, y_factor) = data.scale_factors();
                let factors = Affine::scale_non_uniform(x_factor.into(), y_factor.into());
                let (width, height) = (data.width(), data.height());
                let pixels = gray_pixels(data);
                let to_canvas = props.transform * factors;
                samples = alpha.is_none().then_some(Samples { width, height, pixels, to_canvas });
            },
            None,
        );
        samples
    }
}

/// The share of `page` that `area` covers.
fn covered_share(page: Rect, area: Rect) -> f64 {
    let common = page.intersect(area);
    common.width().max(0.0) * common.height().max(0.0) / page.area().max(1.0)
}

fn gray_pixels(data: ImageData) -> Vec<u8> {
    match data {
        ImageData::Luma(luma) => luma.data,
        ImageData::Rgb(rgb) => {
            let (pixels, _) = rgb.data.as_chunks::<3>();
            pixels.iter().map(|[red, green, blue]| gray(*red, *green, *blue)).collect()
        }
    }
}
