//! Checks picture files: whole, and of a size that models take.
//!
//! A provider refuses every later request of a conversation that holds a picture it cannot decode.

use std::io::Cursor;

use serde::{Deserialize, Serialize};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Maximum number of pixels on a side. Providers refuse larger pictures.
pub const MAX_PICTURE_SIDE: u32 = 8_000;

/// Maximum number of bytes that a decoder keeps at once: a picture of the largest size, with four bytes a pixel.
const MAX_DECODER_BYTES: usize = 8_000 * 8_000 * 4;

/// Maximum number of pixels decoded of an animation. Its later frames go unchecked.
const MAX_ANIMATION_PIXELS: u64 = 256_000_000;

/// Why a picture file cannot be sent to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureFault {
    /// It does not decode.
    Damaged {
        /// What the decoder found.
        reason: String,
    },
    /// A side has more than [`MAX_PICTURE_SIDE`] pixels.
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
}

impl PictureFault {
    fn damaged(reason: impl ToString) -> Self {
        Self::Damaged { reason: reason.to_string() }
    }
}

/// Decodes a JPEG, PNG, GIF or WebP. Returns what is wrong with it; `None` if nothing is.
#[must_use]
pub fn picture_fault(bytes: &[u8]) -> Option<PictureFault> {
    let checked = match bytes {
        [0x89, b'P', b'N', b'G', ..] => check_png(bytes),
        [0xFF, 0xD8, ..] => check_jpeg(bytes),
        [b'G', b'I', b'F', b'8', ..] => check_gif(bytes),
        [b'R', b'I', b'F', b'F', ..] => check_webp(bytes),
        _ => Err(PictureFault::damaged("it is not a picture")),
    };
    checked.err()
}

/// The format of a picture file and its width and height, as its header says; `None` if it is none of those that
/// [`picture_fault`] knows.
#[must_use]
pub fn picture_size(bytes: &[u8]) -> Option<(&'static str, [u32; 2])> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => {
            let mut decoder = png::Decoder::new(Cursor::new(bytes));
            let header = decoder.read_header_info().ok()?;
            Some(("PNG", [header.width, header.height]))
        }
        [0xFF, 0xD8, ..] => {
            let mut decoder = JpegDecoder::new(ZCursor::new(bytes));
            decoder.decode_headers().ok()?;
            let (width, height) = decoder.dimensions()?;
            Some(("JPEG", [u32::try_from(width).ok()?, u32::try_from(height).ok()?]))
        }
        [b'G', b'I', b'F', b'8', ..] => {
            let decoder = gif::DecodeOptions::new().read_info(bytes).ok()?;
            Some(("GIF", [decoder.width().into(), decoder.height().into()]))
        }
        [b'R', b'I', b'F', b'F', ..] => {
            let (width, height) = image_webp::WebPDecoder::new(Cursor::new(bytes)).ok()?.dimensions();
            Some(("WebP", [width, height]))
        }
        _ => None,
    }
}

fn check_side(width: u32, height: u32) -> Result<(), PictureFault> {
    if width.max(height) > MAX_PICTURE_SIDE { Err(PictureFault::TooLarge { width, height }) } else { Ok(()) }
}

fn check_png(bytes: &[u8]) -> Result<(), PictureFault> {
    let limits = png::Limits { bytes: MAX_DECODER_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    let header = decoder.read_header_info().map_err(PictureFault::damaged)?;
    check_side(header.width, header.height)?;
    let mut reader = decoder.read_info().map_err(PictureFault::damaged)?;
    while reader.next_row().map_err(PictureFault::damaged)?.is_some() {}
    reader.finish().map_err(PictureFault::damaged)
}

fn check_jpeg(bytes: &[u8]) -> Result<(), PictureFault> {
    // The bounds of the decoder are above ours, so that the error is ours.
    let options = DecoderOptions::default().set_max_width(1 << 16).set_max_height(1 << 16);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(PictureFault::damaged)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
    check_side(side(width), side(height))?;
    decoder.decode().map_err(PictureFault::damaged)?;
    // The decoder fills in what is missing at the end.
    if has_jpeg_end(bytes) { Ok(()) } else { Err(PictureFault::damaged("it ends early")) }
}

/// Whether the segments of a JPEG lead to its end (ISO/IEC 10918-1, annex B).
fn has_jpeg_end(bytes: &[u8]) -> bool {
    const END: u8 = 0xD9;
    const SCAN: u8 = 0xDA;
    let mut rest = bytes.get(2..).unwrap_or_default();
    loop {
        // Fill bytes may stand before a marker, and a scan has stuffed bytes and restart markers.
        let Some(at) = memchr::memchr(0xFF, rest) else { return false };
        rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
        let [marker, after @ ..] = rest else { return false };
        match *marker {
            END => return true,
            0x00 | 0x01 | 0xFF | 0xD0..=0xD8 => {}
            SCAN => rest = after,
            _ => {
                let Some(length) = after.first_chunk().map(|length| usize::from(u16::from_be_bytes(*length))) else {
                    return false;
                };
                rest = after.get(length..).unwrap_or_default();
            }
        }
    }
}

fn check_gif(bytes: &[u8]) -> Result<(), PictureFault> {
    let mut options = gif::DecodeOptions::new();
    options
        .set_memory_limit(gif::MemoryLimit::Bytes(std::num::NonZeroU64::MIN.saturating_add(MAX_DECODER_BYTES as u64)));
    let mut decoder = options.read_info(bytes).map_err(PictureFault::damaged)?;
    check_side(decoder.width().into(), decoder.height().into())?;
    let (mut frames, mut pixels) = (0_u64, 0_u64);
    while pixels < MAX_ANIMATION_PIXELS {
        let Some(frame) = decoder.read_next_frame().map_err(PictureFault::damaged)? else { break };
        frames = frames.saturating_add(1);
        pixels = pixels.saturating_add(u64::from(frame.width) * u64::from(frame.height));
    }
    if frames > 0 { Ok(()) } else { Err(PictureFault::damaged("it has no frame")) }
}

fn check_webp(bytes: &[u8]) -> Result<(), PictureFault> {
    let announced = bytes.get(4..).and_then(<[u8]>::first_chunk).map(|length| u32::from_le_bytes(*length));
    let whole = announced.map(|length| u64::from(length).saturating_add(8));
    if whole.is_none_or(|whole| whole > bytes.len() as u64) {
        return Err(PictureFault::damaged("it ends early"));
    }
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(PictureFault::damaged)?;
    let (width, height) = decoder.dimensions();
    check_side(width, height)?;
    decoder.set_memory_limit(MAX_DECODER_BYTES);
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap_or_default()];
    decoder.read_image(&mut pixels).map_err(PictureFault::damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Grayscale);
        let pixels = vec![0x80; usize::try_from(width * height).unwrap_or_default()];
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
        assert!(written.is_ok());
        file
    }

    fn is_damaged(bytes: &[u8]) -> bool {
        matches!(picture_fault(bytes), Some(PictureFault::Damaged { .. }))
    }

    #[test]
    fn a_png_is_whole_and_no_side_is_too_long() {
        let whole = png(40, 30);
        assert_eq!(picture_fault(&whole), None);
        for length in [8, 20, 40, whole.len() - 1, whole.len() - 13] {
            assert!(is_damaged(whole.get(..length).unwrap_or_default()), "{length}");
        }
        assert_eq!(picture_fault(&png(MAX_PICTURE_SIDE, 1)), None);
        assert_eq!(picture_size(&whole), Some(("PNG", [40, 30])));
        assert_eq!(picture_size(whole.get(..20).unwrap_or_default()), None);
        let large = PictureFault::TooLarge { width: 1, height: MAX_PICTURE_SIDE + 1 };
        assert_eq!(picture_fault(&png(1, MAX_PICTURE_SIDE + 1)), Some(large));
    }

    #[test]
    fn a_gif_has_a_frame() {
        let whole = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";
        assert_eq!(picture_fault(whole), None);
        assert_eq!(picture_size(whole), Some(("GIF", [1, 1])));
        assert!(is_damaged(b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"));
        assert!(is_damaged(whole.get(..30).unwrap_or_default()));
    }

    #[test]
    fn a_webp_is_whole() {
        let mut whole = Vec::new();
        let encoder = image_webp::WebPEncoder::new(&mut whole);
        assert!(encoder.encode(&[7; 3 * 64], 8, 8, image_webp::ColorType::Rgb8).is_ok());
        assert_eq!(picture_fault(&whole), None);
        assert_eq!(picture_size(&whole), Some(("WebP", [8, 8])));
        for length in [4, 12, 20, whole.len() - 2] {
            assert!(is_damaged(whole.get(..length).unwrap_or_default()), "{length}");
        }
    }

    #[test]
    fn a_jpeg_without_a_frame_or_an_end_is_damaged() {
        assert!(is_damaged(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"));
        // The end within a segment, such as a thumbnail's, is not the picture's.
        assert!(!has_jpeg_end(b"\xff\xd8\xff\xe1\x00\x06ab\xff\xd9\xff\xda\x00\x02cd\xff\x00\xff\xd0"));
        assert!(has_jpeg_end(b"\xff\xd8\xff\xe1\x00\x06ab\xff\xd9\xff\xda\x00\x02cd\xff\x00\xff\xd0\xff\xd9"));
    }
}
