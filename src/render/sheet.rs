//! Puts pictures of pages side by side on one picture, each with its number.

use bytes::Bytes;

use super::png::{Pixels, decode, encode};
use super::{Dpi, Picture, RenderError};
use pagewise_document::PageGeometry;

/// The pages of one sheet. More would be too small to tell apart.
pub const MAX_SHEET_PAGES: usize = 30;

/// The longer side of a sheet in pixels. Models scale larger pictures down.
const MAX_SIDE: u16 = 1_568;

/// The strip under a page, for its number.
const STRIP: u16 = 20;

/// The gap around a page.
const GAP: u16 = 4;

/// Where the pages of a sheet stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLayout {
    columns: u16,
    rows: u16,
    /// The room of a page with its gap and its strip.
    cell_width: u16,
    cell_height: u16,
}

impl SheetLayout {
    /// The layout for so many pages, at most [`MAX_SHEET_PAGES`], of about the shape of `page`.
    #[must_use]
    pub fn of(pages: usize, page: &PageGeometry) -> Self {
        let pages = u16::try_from(pages.clamp(1, MAX_SHEET_PAGES)).unwrap_or(1);
        let shape = (page.width_pt / page.height_pt).clamp(0.5, 2.0);
        let shape = if shape.is_nan() { 1.0 } else { shape };
        let columns = whole((f64::from(pages) / shape).sqrt().ceil()).clamp(1, pages);
        let rows = pages.div_ceil(columns);
        let cell_width = MAX_SIDE / columns;
        let usual_height = whole(f64::from(cell_width) / shape).saturating_add(STRIP);
        Self { columns, rows, cell_width, cell_height: usual_height.min(MAX_SIDE / rows) }
    }

    /// The resolution at which a page fits into its room.
    #[must_use]
    pub fn dpi(&self, page: &PageGeometry) -> Dpi {
        let (width, height) = self.room();
        let scale = (f64::from(width) / page.width_pt).min(f64::from(height) / page.height_pt);
        Dpi::at_most(whole(scale * 72.0).into())
    }

    /// The pixels that a page may take.
    fn room(&self) -> (u16, u16) {
        (self.cell_width.saturating_sub(2 * GAP), self.cell_height.saturating_sub(STRIP + GAP))
    }
}

/// The sheet of these pages: the number and the PNG of each, or none for a page that could not be drawn.
///
/// # Errors
/// [`RenderError::Encoding`].
pub fn contact_sheet(layout: SheetLayout, pages: &[(u32, Option<Bytes>)]) -> Result<Picture, RenderError> {
    let mut sheet = Sheet::new(layout);
    for ((number, png), cell) in pages.iter().zip(0..) {
        let (left, top) = ((cell % layout.columns) * layout.cell_width, (cell / layout.columns) * layout.cell_height);
        if let Some(pixels) = png.as_ref().and_then(|png| decode(png, layout.room())) {
            sheet.draw(&pixels, left + (layout.cell_width.saturating_sub(pixels.width)) / 2, top + GAP);
        }
        sheet.write(*number, left, top + layout.cell_height.saturating_sub(STRIP) + GAP / 2);
    }
    let png = encode(sheet.pixels, sheet.width, sheet.height)?;
    Ok(Picture { png: png.into(), width: sheet.width.into(), height: sheet.height.into(), notes: Vec::new() })
}

/// A sheet that is being drawn.
struct Sheet {
    width: u16,
    height: u16,
    /// Where numbers are centred.
    cell_width: u16,
    pixels: Vec<u8>,
}

/// The ground, so that white pages stand out.
const GROUND: [u8; 4] = [0xD8, 0xD8, 0xD8, 0xFF];

const INK: [u8; 4] = [0x20, 0x20, 0x20, 0xFF];

/// Digits of 5 by 7 dots, each row in the low five bits.
const DIGITS: [[u8; 7]; 10] = [
    [0x0E, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0E],
    [0x04, 0x0C, 0x04, 0x04, 0x04, 0x04, 0x0E],
    [0x0E, 0x11, 0x01, 0x02, 0x04, 0x08, 0x1F],
    [0x1F, 0x02, 0x04, 0x02, 0x01, 0x11, 0x0E],
    [0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02],
    [0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E],
    [0x06, 0x08, 0x10, 0x1E, 0x11, 0x11, 0x0E],
    [0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08],
    [0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E],
    [0x0E, 0x11, 0x11, 0x0F, 0x01, 0x02, 0x0C],
];

/// Pixels of a dot, and of a digit with the gap after it.
const DOT: u16 = 2;
const DIGIT: u16 = 6 * DOT;

impl Sheet {
    fn new(layout: SheetLayout) -> Self {
        let (width, height) = (layout.columns * layout.cell_width, layout.rows * layout.cell_height);
        let pixels = GROUND.repeat(usize::from(width) * usize::from(height));
        Self { width, height, cell_width: layout.cell_width, pixels }
    }

    fn draw(&mut self, pixels: &Pixels, left: u16, top: u16) {
        let row_bytes = usize::from(pixels.width) * 4;
        for (row, y) in pixels.rgba.chunks_exact(row_bytes.max(4)).zip(top..) {
            let start = (usize::from(y) * usize::from(self.width) + usize::from(left)) * 4;
            if let Some(place) = self.pixels.get_mut(start..start + row_bytes).filter(|_| y < self.height) {
                place.copy_from_slice(row);
            }
        }
    }

    /// Writes a number in the middle of its cell.
    fn write(&mut self, number: u32, left: u16, top: u16) {
        let digits = number.to_string();
        let length = u16::try_from(digits.len()).unwrap_or(u16::MAX).saturating_mul(DIGIT);
        let start = left + self.cell_width.saturating_sub(length) / 2;
        let places = (0_u16..).map(|at| start.saturating_add(at * DIGIT));
        for (digit, x) in digits.bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).zip(places) {
            for (row, y) in digit.iter().zip((0_u16..).map(|at| top + at * DOT)) {
                for bit in (0..5_u16).filter(|bit| row & (0x10 >> bit) != 0) {
                    self.dot(x.saturating_add(bit * DOT), y);
                }
            }
        }
    }

    fn dot(&mut self, left: u16, top: u16) {
        for (x, y) in (0..DOT * DOT).map(|at| (left + at % DOT, top + at / DOT)) {
            let start = (usize::from(y) * usize::from(self.width) + usize::from(x)) * 4;
            if let Some(pixel) = self.pixels.get_mut(start..start + 4).filter(|_| x < self.width && y < self.height) {
                pixel.copy_from_slice(&INK);
            }
        }
    }
}

/// A length in whole pixels.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(pixels: f64) -> u16 {
    pixels.floor() as u16
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    fn page(width_pt: f64, height_pt: f64) -> PageGeometry {
        PageGeometry { width_pt, height_pt, rotate: 0, user_unit: 1.0 }
    }

    #[test]
    fn a_sheet_has_room_for_its_pages_and_is_not_larger_than_models_see() {
        for (width, height) in [(612.0, 792.0), (960.0, 540.0), (100.0, 10_000.0), (10_000.0, 100.0), (0.0, 0.0)] {
            for pages in 1..=MAX_SHEET_PAGES {
                let layout = SheetLayout::of(pages, &page(width, height));
                assert!(usize::from(layout.columns) * usize::from(layout.rows) >= pages);
                assert!(layout.columns * layout.cell_width <= MAX_SIDE && layout.rows * layout.cell_height <= MAX_SIDE);
                let (room_width, room_height) = layout.room();
                assert!(room_width > 30 && room_height > 30, "{layout:?}");
            }
        }
        let layout = SheetLayout::of(12, &page(612.0, 792.0));
        assert_eq!((layout.columns, layout.rows, layout.dpi(&page(612.0, 792.0)).get()), (4, 3, 45));
    }

    #[test]
    fn pages_and_numbers_stand_in_their_cells() {
        let layout = SheetLayout::of(2, &page(100.0, 100.0));
        let white = encode(vec![0xFF; 4 * 100], 10, 10).unwrap();
        let too_wide = encode(vec![0xFF; 4 * 1_600], 1_600, 1).unwrap();
        let drawn = |pages: &[(u32, Option<Bytes>)]| contact_sheet(layout, pages).unwrap();
        let count = |picture: &Picture, value: u8| {
            let room = (u16::try_from(picture.width).unwrap(), u16::try_from(picture.height).unwrap());
            let pixels = decode(&picture.png, room).unwrap();
            pixels.rgba.as_chunks::<4>().0.iter().filter(|pixel| pixel[0] == value).count()
        };
        let sheet = drawn(&[(1, Some(white.into())), (47, None)]);
        assert_eq!(count(&sheet, 0xFF), 100);
        // The dots of 1, 4 and 7.
        assert_eq!(count(&sheet, INK[0]), 4 * (10 + 14 + 11));
        assert_eq!(count(&drawn(&[(1, Some(too_wide.into())), (2, Some(Bytes::from_static(b"no PNG")))]), 0xFF), 0);
    }
}
