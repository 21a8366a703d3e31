//! The size of images, as their dictionaries and their data give it.

use super::streams::{DecodedLengths, image_length, is_codec, named, plain_filters};
use crate::filter;
use crate::page_budget::{PageBudget, leave_beyond};
use bytes::Bytes;
use hayro_syntax::Filter;
use hayro_syntax::object::{Dict, Object, Stream};
use memchr::memmem;
use pagewise_base::limits::{Limit, Limits};

/// The bytes of a decoded pixel: red, green and blue.
const PIXEL_BYTES: u64 = 3;

/// The pixels without data that count as one.
const RESERVED_PIXELS: u64 = 16;

/// Checks an image and its masks before the engine decodes them. Leaves the engine if they have too many pixels.
pub fn check_image(stream: &Stream<'_>, budget: &PageBudget, limits: &Limits) {
    budget.check_now();
    let masks = [b"SMask".as_slice(), b"Mask"].into_iter().filter_map(|key| stream.dict().get::<Stream<'_>>(key));
    let pixels = std::iter::once(stream.clone()).chain(masks).map(|image| pixels_of(&image, budget, limits));
    leave_beyond(Limit::ImagePixels, pixels.fold(0, u64::saturating_add), limits.max_image_pixels);
}

/// The pixels that decoding `image` may allocate.
fn pixels_of(image: &Stream<'_>, budget: &PageBudget, limits: &Limits) -> u64 {
    let most = limits.max_image_pixels.saturating_mul(PIXEL_BYTES);
    let parameters = image.dict().get::<Dict<'_>>(b"DecodeParms");
    if let Some(globals) = parameters.and_then(|own| own.get::<Stream<'_>>(b"JBIG2Globals")) {
        DecodedLengths::default().of(&globals, budget, limits);
    }
    let data = image_length(image, most, budget, limits);
    let side = |short: &[u8], long: &[u8]| image.dict().get::<u32>(short).or_else(|| image.dict().get(long));
    let (columns, rows) = (side(b"W", b"Width").map(u64::from), side(b"H", b"Height").map(u64::from));
    let declared = area(columns, rows);
    if image.filters().last().copied().is_some_and(is_codec) {
        return declared.max(codec_pixels(image, limits).unwrap_or(0));
    }
    // Each pixel has at least one bit of the data. The engine reserves memory for the others, but does not use it.
    let rows_of_data = data.saturating_mul(8) / columns.unwrap_or(0).max(1) + 1;
    let read = area(columns, rows.map(|rows| rows.min(rows_of_data)));
    read.max(data / PIXEL_BYTES).max(declared / RESERVED_PIXELS)
}

fn area(columns: Option<u64>, rows: Option<u64>) -> u64 {
    columns.unwrap_or(0).saturating_mul(rows.unwrap_or(0))
}

/// The pixels that the data of an image codec has.
fn codec_pixels(image: &Stream<'_>, limits: &Limits) -> Option<u64> {
    let codec = image.filters().last().copied().filter(|last| is_codec(*last))?;
    if codec == Filter::CcittFaxDecode {
        return fax_pixels(image.dict());
    }
    let data = coded_data(image, limits)?;
    match codec {
        Filter::DctDecode => jpeg_pixels(&data),
        Filter::JpxDecode => jpeg_2000_pixels(&data),
        _ => jbig2_pixels(&data),
    }
}

/// The data of an image's codec, decoded up to it; `None` if that fails or takes more than `limits` allow.
pub fn coded_data(image: &Stream<'_>, limits: &Limits) -> Option<Bytes> {
    let raw = image.raw_data();
    let data = filter::decode(&raw, &named(&plain_filters(image), image.dict()), limits).ok()?;
    Some(Bytes::from(data.bytes.into_owned()))
}

/// The pixels by the parameters of a CCITT fax (ISO 32000-2, 7.4.6).
fn fax_pixels(dictionary: &Dict<'_>) -> Option<u64> {
    let all = dictionary.get::<Object<'_>>(b"DecodeParms").or_else(|| dictionary.get(b"DP"))?;
    let own = match all {
        Object::Dict(own) => Some(own),
        Object::Array(each) => each.iter::<Object<'_>>().filter_map(Object::into_dict).last(),
        _ => None,
    }?;
    let side = |key: &[u8]| own.get::<u32>(key).map(u64::from);
    // Without a number of rows, the image's height is used.
    let rows = side(b"Rows").filter(|rows| *rows > 0);
    let height = || dictionary.get::<u32>(b"H").or_else(|| dictionary.get(b"Height")).map(u64::from);
    Some(area(side(b"Columns").or(Some(1_728)), rows.or_else(height)))
}

/// The most segments and markers that are read.
const MAX_SEGMENTS: usize = 10_000;

fn read_u16(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u16::from_be_bytes(*bytes)))
}

fn read_u32(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u32::from_be_bytes(*bytes)))
}

/// The pixels by the frame header of a JPEG (ITU-T T.81, B.2.2).
fn jpeg_pixels(data: &[u8]) -> Option<u64> {
    let mut rest = data;
    for _ in 0..MAX_SEGMENTS {
        let at = memchr::memchr(0xFF, rest)?;
        let kind = *rest.get(at + 1)?;
        let after = rest.get(at + 2..)?;
        rest = match kind {
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some(area(read_u16(after, 5), read_u16(after, 3)));
            }
            // Markers without a length.
            0x00 | 0x01 | 0xD0..=0xD9 => after,
            0xFF => rest.get(at + 1..)?,
            _ => after.get(usize::try_from(read_u16(after, 0)?).ok()?..)?,
        };
    }
    None
}

/// The pixels by the first SIZ segment of a JPEG 2000 codestream (ISO 15444-1, A.5.1). Other images have up to four
/// components, so each further four count as another image.
fn jpeg_2000_pixels(data: &[u8]) -> Option<u64> {
    let sizes = data.get(memmem::find(data, &[0xFF, 0x4F, 0xFF, 0x51])? + 8..)?;
    let side = |end, start| Some(read_u32(sizes, end)?.saturating_sub(read_u32(sizes, start)?));
    let components = read_u16(sizes, 32)?.div_ceil(4).max(1);
    Some(area(side(0, 8), side(4, 12)).saturating_mul(components))
}

/// The pixels of all regions of embedded JBIG2 data, or of the page if it has more (ISO 14492, 7.2 to 7.4).
fn jbig2_pixels(data: &[u8]) -> Option<u64> {
    let (mut rest, mut page, mut regions) = (data, 0_u64, 0_u64);
    for _ in 0..MAX_SEGMENTS {
        let Some((segment, after)) = jbig2_segment(rest) else { return Some(page.max(regions)) };
        match segment {
            Jbig2Segment::Page(pixels) => page = page.max(pixels),
            Jbig2Segment::Region(pixels) => regions = regions.saturating_add(pixels),
            Jbig2Segment::Other => {}
        }
        rest = after;
    }
    // No scanner writes so many.
    Some(u64::MAX)
}

/// What a segment tells of its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jbig2Segment {
    Page(u64),
    Region(u64),
    Other,
}

/// A segment, and the data after it.
fn jbig2_segment(data: &[u8]) -> Option<(Jbig2Segment, &[u8])> {
    let (number, flags) = (read_u32(data, 0)?, *data.get(4)?);
    let count = u64::from(data.get(5)? >> 5);
    // A longer form is used for references to more than four segments, with a bit for each.
    let (count, after_count) = match count {
        7 => {
            let count = read_u32(data, 5)? & 0x1FFF_FFFF;
            (count, 9 + usize::try_from(count.div_ceil(8)).ok()?.checked_add(usize::from(count.is_multiple_of(8)))?)
        }
        _ => (count, 6),
    };
    let bytes_each = if number <= 256 { 1 } else { 2 + 2 * u64::from(number > 65_536) };
    let referred = usize::try_from(count.checked_mul(bytes_each)?).ok()?;
    let page = if flags & 0x40 == 0 { 1 } else { 4 };
    let at = after_count.checked_add(referred)?.checked_add(page)?;
    let length = read_u32(data, at)?;
    let body = data.get(at + 4..)?;
    // 0xFFFFFFFF stands for an unknown height.
    let pixels = area(read_u32(body, 0), read_u32(body, 4).filter(|rows| *rows != 0xFFFF_FFFF));
    let segment = match flags & 0x3F {
        48 => Jbig2Segment::Page(pixels),
        4 | 6 | 7 | 20 | 22 | 23 | 36 | 38 | 39 | 40 | 42 | 43 => Jbig2Segment::Region(pixels),
        _ => Jbig2Segment::Other,
    };
    // Only a region at the end can have an unknown length.
    let after = usize::try_from(length).ok().and_then(|length| body.get(length..)).unwrap_or_default();
    Some((segment, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_tells_its_size() {
        let frame = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 9, 9, 0xFF, 0xC2, 0, 17, 8, 0x01, 0x00, 0x02, 0x00, 3];
        assert_eq!(jpeg_pixels(&frame), Some(512 * 256));
        let numbers = [70_000_u32, 10, 0, 0, 1, 1, 0, 0].map(u32::to_be_bytes).concat();
        let codestream = [&[0, 0, 0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0][..], &numbers, &[0, 9]].concat();
        assert_eq!(jpeg_2000_pixels(&codestream), Some(70_000 * 10 * 3));
        assert_eq!(jpeg_2000_pixels(b"nothing"), None);
    }

    fn segment(number: u32, kind: u8, referred: &[u8], side: u32) -> Vec<u8> {
        let mut out = number.to_be_bytes().to_vec();
        out.extend([kind, u8::try_from(referred.len()).unwrap_or(0) << 5]);
        out.extend(referred);
        out.extend([1, 0, 0, 0, 19]);
        out.extend([side.to_be_bytes(), [0, 0, 0, 2], [0; 4], [0; 4]].concat());
        out.extend([0; 3]);
        out
    }

    #[test]
    fn regions_of_jbig2_count_together() {
        let region = |number| segment(number, 6, &[0, 1], 40_000);
        let data = [segment(0, 48, &[], 9), segment(2, 0, &[0], 1_000_000), region(3), region(4)].concat();
        assert_eq!(jbig2_pixels(&data), Some(2 * 40_000 * 2));
        assert_eq!(jbig2_pixels(data.get(..20).unwrap_or_default()), Some(9 * 2));
        let many = (0..10_001).flat_map(|_| segment(0, 0, &[], 0)).collect::<Vec<_>>();
        assert_eq!(jbig2_pixels(&many), Some(u64::MAX));
    }
}
