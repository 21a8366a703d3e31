//! Draws pages in the terminal.
//!
//! Terminals take pictures in four ways, and each has a small writer here. Crates that have all four bring a decoder of
//! pictures, a toolkit for windows in terminals, or C libraries; the pictures here are PNGs of our own.

mod blocks;
mod inline;
mod palette;
mod protocol;
#[cfg(all(unix, not(pagewise_portable)))]
mod query;
mod resample;
mod sixel;
mod window;

use std::io::IsTerminal as _;

pub(crate) use self::protocol::Protocol;

use self::blocks::Depth;
use self::inline::Cells;
use self::resample::Raster;
use self::window::Window;
use crate::tool::{Dpi, ErrorCode, OpenPdf, PageGeometry, Picture, Region, RenderOptions, ToolError, decode_picture};
use pagewise_base::page::PageIndex;

/// Rows below a picture: the shell's prompt, and the line before it.
const ROWS_BELOW: usize = 2;

/// Pixels from left to right whose mean is the colour of a half block.
const PIXELS_OF_HALF_BLOCK: f64 = 4.0;

/// How pages are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawingOptions {
    /// `None` draws in the best way that the terminal knows.
    pub(crate) protocol: Option<Protocol>,
    /// `None` fits the page to the terminal.
    pub(crate) dpi: Option<Dpi>,
    pub(crate) region: Option<Region>,
    /// Whether a page may be higher than the terminal.
    pub(crate) fits_width: bool,
}

/// Draws pages in the terminal of standard output.
pub(crate) struct PageDrawer {
    window: Window,
    options: DrawingOptions,
}

/// A page in the form that the terminal takes, and notes on it.
pub(crate) struct DrawnPage {
    pub(crate) text: String,
    pub(crate) notes: Vec<String>,
}

impl PageDrawer {
    /// # Errors
    /// `validation_error` if standard output is no terminal, and no protocol is named.
    pub(crate) fn new(options: DrawingOptions) -> Result<Self, ToolError> {
        if options.protocol.is_none() && !std::io::stdout().is_terminal() {
            let refused = ToolError::validation("Standard output is no terminal, so nothing can be drawn there");
            return Err(refused.hint("pagewise render writes a PNG; --protocol draws in spite of it."));
        }
        Ok(Self { window: Window::of_stdout(options.protocol), options })
    }

    /// Draws a page.
    pub(crate) fn draw(&self, pdf: &OpenPdf, page: PageIndex) -> Result<DrawnPage, ToolError> {
        let geometry = pdf.document.page_geometry(page).map_err(|error| pdf_error(pdf, error))?;
        let shown = Shown::of(&geometry, self.options.region);
        let (width, height) = self.room(&shown);
        let is_blocks = self.window.protocol == Protocol::Blocks;
        let finer = if is_blocks { PIXELS_OF_HALF_BLOCK / f64::from(self.window.cell.0) } else { 1.0 };
        let dpi = self.options.dpi.unwrap_or_else(|| shown.dpi(width * finer, height * finer));
        let options = RenderOptions { dpi, region: self.options.region, ..RenderOptions::default() };
        let picture = pdf.document.picture(page, &options).map_err(|error| pdf_error(pdf, error))?;
        let text = self.text(&picture)?;
        Ok(DrawnPage { text, notes: picture.notes })
    }

    /// The pixels that a page may take.
    fn room(&self, shown: &Shown) -> (f64, f64) {
        let Cells { columns, rows } = self.window.cells;
        let room = Cells { columns, rows: rows.saturating_sub(ROWS_BELOW).max(1) };
        let (width, height) = self.window.pixels(room);
        // A page of half blocks is too small to read unless it takes the whole width.
        let fits_width = self.options.fits_width || self.window.protocol == Protocol::Blocks;
        if fits_width { (width, shown.height_at(width)) } else { (width, height) }
    }

    fn text(&self, picture: &Picture) -> Result<String, ToolError> {
        let (width, height) = (f64::from(picture.width), f64::from(picture.height));
        let cells = self.window.covered(width, height);
        match self.window.protocol {
            Protocol::Kitty => Ok(inline::kitty(&picture.png, cells)),
            Protocol::Iterm => Ok(inline::iterm(&picture.png, cells)),
            Protocol::Sixel => Ok(sixel::draw(&raster(picture)?)),
            Protocol::Blocks => {
                let depth = if self.window.has_true_colors { Depth::True } else { Depth::Palette };
                Ok(blocks::draw(&self.in_halves(&raster(picture)?), depth))
            }
        }
    }

    /// The picture in pixels of half a cell. It takes the width that the page has, at most that of the terminal.
    fn in_halves(&self, raster: &Raster) -> Raster {
        let columns = self.window.cells.columns.min(raster.width.max(1));
        let (cell_width, cell_height) = self.window.cell;
        let across = usize::from(cell_width).saturating_mul(2).saturating_mul(columns);
        let along = usize::from(cell_height).saturating_mul(raster.width.max(1));
        let rows = raster.rows.len().saturating_mul(across).div_ceil(along.max(1));
        raster.scaled(columns, rows.max(1))
    }
}

/// The size of the part of a page that is drawn, in points.
struct Shown {
    width_pt: f64,
    height_pt: f64,
}

impl Shown {
    fn of(page: &PageGeometry, region: Option<Region>) -> Self {
        let [left, top, right, bottom] = region.map_or([0.0, 0.0, 1.0, 1.0], |region| region.corners());
        let (width, height) = (right - left, bottom - top);
        let points = |size: f64, share: f64| if size * share > 1.0 { size * share } else { 1.0 };
        Self { width_pt: points(page.width_pt, width), height_pt: points(page.height_pt, height) }
    }

    /// The resolution at which it fits into so many pixels.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
    fn dpi(&self, width: f64, height: f64) -> Dpi {
        let scale = (width / self.width_pt).min(height / self.height_pt);
        Dpi::at_most((scale * 72.0).floor() as u64)
    }

    fn height_at(&self, width: f64) -> f64 {
        width * self.height_pt / self.width_pt
    }
}

/// The most pixels from side to side of a picture that is decoded.
const MAX_SIDE: u16 = 20_000;

fn raster(picture: &Picture) -> Result<Raster, ToolError> {
    let pixels = decode_picture(&picture.png, (MAX_SIDE, MAX_SIDE));
    let failed = || ToolError::new(ErrorCode::PdfError, "Failed to render PDF page: the picture is too large to draw");
    pixels.as_ref().map(Raster::of).ok_or_else(failed)
}

fn pdf_error(pdf: &OpenPdf, error: crate::tool::PdfError) -> ToolError {
    ToolError::from(crate::tool::ContextError::Pdf { path: pdf.path.clone(), error })
}
