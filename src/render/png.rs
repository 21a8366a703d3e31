//! Encodes pixels as a PNG with the smallest colour type that fits, and decodes PNGs of our own.

use super::RenderError;
use hayro::hayro_interpret::{ImageData, LumaData};
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
    let size = (width.into(), height.into());
    match reduce_colors(pixels) {
        ReducedPixels::Gray(data) => write(size, ColorType::Grayscale, None, &data),
        ReducedPixels::Palette { colors, indices } => write(size, ColorType::Indexed, Some(colors), &indices),
        ReducedPixels::Rgb(data) => write(size, ColorType::Rgb, None, &data),
    }
}

/// Encodes the samples of an image and its mask, stretched to `size`: its own, or that of a finer mask.
pub(super) fn encode_image(data: ImageData, mask: Option<&LumaData>, size: (u32, u32)) -> Result<Vec<u8>, RenderError> {
    let own = (data.width(), data.height());
    let (color, channels, samples) = match data {
        ImageData::Luma(luma) => (ColorType::Grayscale, 1, luma.data),
        ImageData::Rgb(rgb) => (ColorType::Rgb, 3, rgb.data),
    };
    let Some(mask) = mask else { return write(own, color, None, &samples) };
    let color = if channels == 1 { ColorType::GrayscaleAlpha } else { ColorType::Rgba };
    let mut pixels = Vec::new();
    for row in 0..size.1 {
        for column in 0..size.0 {
            let sample = sample_at(own, size, (column, row)).saturating_mul(channels);
            pixels.extend(samples.iter().skip(sample).take(channels));
            let sample = sample_at((mask.width, mask.height), size, (column, row));
            pixels.push(mask.data.get(sample).copied().unwrap_or(u8::MAX));
        }
    }
    write(size, color, None, &pixels)
}

/// The index of the sample of an image of `own` size that is seen at `at` when the image is stretched to `size`.
fn sample_at(own: (u32, u32), size: (u32, u32), at: (u32, u32)) -> usize {
    let nearest = |own: u32, size: u32, at: u32| u64::from(at) * u64::from(own) / u64::from(size.max(1));
    let index = nearest(own.1, size.1, at.1) * u64::from(own.0) + nearest(own.0, size.0, at.0);
    usize::try_from(index).unwrap_or(usize::MAX)
}

fn write(
    (width, height): (u32, u32),
    color: ColorType,
    palette: Option<Vec<u8>>,
    data: &[u8],
) -> Result<Vec<u8>, RenderError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_color(color);
    if let Some(colors) = palette {
        encoder.set_palette(colors);
    }
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(data)?;
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
