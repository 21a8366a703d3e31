//! Encodes pixels as a PNG with the smallest colour type that fits, and decodes PNGs of our own.

use super::RenderError;
use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Transformations};
use std::collections::HashMap;
use std::io::Cursor;

/// The most colours of a palette.
const MAX_COLORS: usize = 256;

/// Larger pictures have no palette: there is no room for its indices beside the pixels.
const MAX_INDEXED_PIXELS: usize = 32_000_000;

/// Pixels in a colour type of PNG.
enum ReducedPixels {
    Gray(Vec<u8>),
    Palette { colors: Vec<u8>, indices: Vec<u8> },
    Rgb(Vec<u8>),
}

/// Encodes RGBA pixels with opaque alpha.
pub(super) fn encode(pixels: Vec<u8>, width: u16, height: u16) -> Result<Vec<u8>, RenderError> {
    let mut file = Vec::new();
    let reduced = reduce_colors(pixels);
    let mut encoder = Encoder::new(&mut file, width.into(), height.into());
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let data = match reduced {
        ReducedPixels::Gray(data) => {
            encoder.set_color(ColorType::Grayscale);
            data
        }
        ReducedPixels::Palette { colors, indices } => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(colors);
            indices
        }
        ReducedPixels::Rgb(data) => {
            encoder.set_color(ColorType::Rgb);
            data
        }
    };
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&data)?;
        writer.finish()
    });
    written.map_err(|error| RenderError::Encoding { reason: error.to_string() })?;
    Ok(file)
}

/// The first bytes of a PNG.
const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The width and height of a PNG that is whole by its chunks; `None` for anything else. Nothing is decoded.
#[must_use]
pub fn png_size(png: &[u8]) -> Option<(u32, u32)> {
    let number = |bytes: &[u8], at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let mut rest = png.strip_prefix(SIGNATURE)?;
    let size = (number(rest, 8)?, number(rest, 12)?);
    let mut is_first = true;
    loop {
        let (length, name) = (usize::try_from(number(rest, 0)?).ok()?, rest.get(4..8)?);
        // The length, the name and the checksum are not counted.
        let next = rest.get(length.checked_add(12)?..)?;
        match name {
            b"IHDR" if is_first && length == 13 => is_first = false,
            b"IEND" if !is_first => return (length == 0 && next.is_empty()).then_some(size),
            _ if is_first => return None,
            _ => {}
        }
        rest = next;
    }
}

/// Pixels of four bytes, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pixels {
    /// Pixels from left to right.
    pub width: u16,
    /// Pixels from top to bottom.
    pub height: u16,
    /// Red, green, blue and alpha of each.
    pub rgba: Vec<u8>,
}

/// The pixels of a PNG that fits into `room`; `None` for any other.
#[must_use]
pub fn decode(png: &[u8], room: (u16, u16)) -> Option<Pixels> {
    let mut decoder = Decoder::new(Cursor::new(png));
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    let width = u16::try_from(reader.info().width).ok().filter(|width| *width <= room.0)?;
    let height = u16::try_from(reader.info().height).ok().filter(|height| *height <= room.1)?;
    let mut data = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut data).ok()?;
    data.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        ColorType::Rgba => data,
        ColorType::GrayscaleAlpha => {
            data.as_chunks().0.iter().flat_map(|[gray, alpha]| [*gray, *gray, *gray, *alpha]).collect()
        }
        _ => return None,
    };
    Some(Pixels { width, height, rgba })
}

/// Large pictures leave no room for another copy, so the pixels are reduced in place.
fn reduce_colors(pixels: Vec<u8>) -> ReducedPixels {
    let (colors, _) = pixels.as_chunks::<4>();
    if colors.iter().all(|[red, green, blue, _]| red == green && green == blue) {
        return ReducedPixels::Gray(first_channels(pixels, 1));
    }
    let indexed = if colors.len() <= MAX_INDEXED_PIXELS { index_colors(colors) } else { None };
    indexed.unwrap_or_else(|| ReducedPixels::Rgb(first_channels(pixels, 3)))
}

/// The first `count` of the four channels of each pixel.
fn first_channels(mut pixels: Vec<u8>, count: usize) -> Vec<u8> {
    let total = pixels.len() / 4;
    for at in 0..total {
        pixels.copy_within(at * 4..at * 4 + count, at * count);
    }
    pixels.truncate(total * count);
    pixels
}

/// The pixels as indices into a palette; `None` if they have too many colours.
fn index_colors(pixels: &[[u8; 4]]) -> Option<ReducedPixels> {
    let mut known: HashMap<[u8; 4], u8> = HashMap::new();
    let mut colors = Vec::new();
    let mut indices = Vec::with_capacity(pixels.len());
    let mut last = None;
    for pixel in pixels {
        let index = match last {
            Some((before, index)) if before == *pixel => index,
            _ => match known.get(pixel) {
                Some(index) => *index,
                None => {
                    let index = u8::try_from(known.len()).ok().filter(|_| known.len() < MAX_COLORS)?;
                    known.insert(*pixel, index);
                    colors.extend(pixel.iter().take(3));
                    index
                }
            },
        };
        last = Some((*pixel, index));
        indices.push(index);
    }
    Some(ReducedPixels::Palette { colors, indices })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    fn color_type(pixels: &[u8], width: u16) -> u8 {
        // Offset of the colour type in the header chunk.
        encode(pixels.to_vec(), width, 1).unwrap()[25]
    }

    #[test]
    fn colours_take_the_fewest_bits() {
        assert_eq!(color_type(&[7, 7, 7, 255], 1), 0);
        assert_eq!(color_type(&[7, 7, 8, 255], 1), 3);
        let many = |count: u16| (0..count).flat_map(|at| [at.to_le_bytes()[0], at.to_le_bytes()[1], 9, 255]);
        assert_eq!(color_type(&many(256).collect::<Vec<_>>(), 256), 3);
        assert_eq!(color_type(&many(257).collect::<Vec<_>>(), 257), 2);
    }
}
