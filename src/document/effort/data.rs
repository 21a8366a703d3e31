//! Determines the decoded length of streams and the size of images before the engine allocates memory for them.

use super::{Interruption, Steps, length, price, reading_steps};
use crate::DocumentError;
use crate::filter;
use crate::object::{Dictionary, Object as OurObject};
use flate2::{Decompress, FlushDecompress, Status};
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, Stream};
use memchr::memmem;
use pagewise_base::limits::{Limit, Limits};
use std::borrow::Cow;

/// The decoded length below which streams are not checked.
const FREE_BYTES: u64 = 4 << 20;

/// The decoded length below which streams are decoded as a whole to find their length.
const SMALL_BYTES: u64 = 16 << 20;

/// The steps for keeping `bytes` bytes.
pub(crate) fn memory_steps(bytes: u64) -> u64 {
    bytes / price::HELD_BYTES_PER_STEP
}

/// Decodes `stream` unless it is an image. The length is checked first.
pub(crate) fn decode_stream<'a>(stream: &Stream<'a>, steps: &Steps, limits: &Limits) -> Option<Cow<'a, [u8]>> {
    let filters = stream.filters();
    if filters.iter().copied().any(is_codec) {
        return None;
    }
    let raw = stream.raw_data();
    let intact =
        if has_parameters(stream.dict()) { None } else { decode_intact(&raw, &filters, limits, |limit| limit.leave()) };
    let decoded = match intact {
        Some(decoded) => Cow::Owned(decoded),
        None => {
            check_length(stream, steps, limits);
            stream.decoded_data().ok()?
        }
    };
    steps.take(reading_steps(length(&decoded)));
    Some(decoded)
}

/// Decodes intact data with our own filters, which are faster and check the deadline. Calls `on_limit` if a limit on decoded
/// data is exceeded.
fn decode_intact(raw: &[u8], filters: &[Filter], limits: &Limits, on_limit: fn(Interruption)) -> Option<Vec<u8>> {
    let named = filters.iter().map(|filter| (name_of(*filter), OurObject::Null)).collect::<Vec<_>>();
    match filter::decode(raw, &named, limits) {
        Ok(decoded) if decoded.is_intact && decoded.stopped_at.is_none() => Some(decoded.bytes.into_owned()),
        Err(DocumentError::Stopped(stopped)) => Interruption::Stopped(stopped).leave(),
        Err(DocumentError::Limit(limit)) if limit.which == Limit::DecodedBytes => Interruption::Limit(limit).leave(),
        Err(DocumentError::Limit(limit)) => {
            on_limit(Interruption::Limit(limit));
            None
        }
        Ok(_) | Err(_) => None,
    }
}

fn has_parameters(dictionary: &Dict<'_>) -> bool {
    [b"DecodeParms".as_slice(), b"DP", b"F"].iter().any(|key| dictionary.contains_key(key))
}

/// Takes the steps for the decoded length of `stream`, up to an image codec, unless it is surely small. Returns the length,
/// or its upper bound.
pub(crate) fn check_length(stream: &Stream<'_>, steps: &Steps, limits: &Limits) -> u64 {
    let filters = stream.filters();
    let plain = filters.iter().copied().take_while(|filter| !is_codec(*filter)).collect::<Vec<_>>();
    let raw = stream.raw_data();
    let most = max_decoded_length(&raw, &plain);
    if most <= FREE_BYTES {
        return most;
    }
    let found = decoded_length(&raw, &plain, stream.dict(), steps, limits);
    steps.take(memory_steps(found));
    found
}

/// The same for content streams that the engine concatenates. A stream counts as often as it is listed.
pub(crate) fn check_lengths<'a>(streams: impl Iterator<Item = Stream<'a>>, steps: &Steps, limits: &Limits) {
    let mut all = 0_u64;
    for stream in streams {
        steps.take(price::CONTENT);
        let (raw, filters) = (stream.raw_data(), stream.filters());
        all = all.saturating_add(max_decoded_length(&raw, &filters));
        if all > FREE_BYTES {
            let found = match decode_intact(&raw, &filters, limits, |limit| limit.leave()) {
                Some(decoded) => length(&decoded),
                None => decoded_length(&raw, &filters, stream.dict(), steps, limits),
            };
            steps.take(memory_steps(found));
        }
    }
}

/// The largest length that `raw` can decode to.
fn max_decoded_length(raw: &[u8], filters: &[Filter]) -> u64 {
    filters.iter().fold(length(raw), |most, filter| most.saturating_mul(max_expansion(*filter)))
}

fn is_codec(filter: Filter) -> bool {
    matches!(filter, Filter::DctDecode | Filter::JpxDecode | Filter::Jbig2Decode | Filter::CcittFaxDecode)
}

/// The largest number of bytes that a filter makes of one (ISO 32000-2, 7.4).
fn max_expansion(filter: Filter) -> u64 {
    match filter {
        Filter::FlateDecode => 1_032,
        // A code of 12 bits stands for at most 4,096 bytes.
        Filter::LzwDecode => 2_731,
        Filter::RunLengthDecode => 64,
        Filter::Ascii85Decode => 4,
        _ => 1,
    }
}

/// The decoded length of `raw`, as far as the steps allow. The output of the last filter is not kept.
fn decoded_length(raw: &[u8], filters: &[Filter], dictionary: &Dict<'_>, steps: &Steps, limits: &Limits) -> u64 {
    let most = steps.left().saturating_add(1).saturating_mul(price::HELD_BYTES_PER_STEP);
    let (last, before) = match filters.split_last() {
        Some((Filter::FlateDecode, before)) => (true, before),
        _ => (false, filters),
    };
    let small = Limits { max_stream_bytes: SMALL_BYTES, max_ratio: u64::MAX, ..limits.clone() };
    if let Some(small) = decode_intact(raw, filters, &small, drop) {
        return length(&small);
    }
    let limits = Limits { max_stream_bytes: most.min(limits.max_stream_bytes), ..small };
    let named = before.iter().enumerate().map(|(at, filter)| (name_of(*filter), parameters_of(dictionary, at)));
    let Ok(decoded) = filter::decode(raw, &named.collect::<Vec<_>>(), &limits) else { return u64::MAX };
    if last { inflated_length(&decoded.bytes, most, steps) } else { length(&decoded.bytes) }
}

fn name_of(filter: Filter) -> OurObject {
    OurObject::name(match filter {
        Filter::FlateDecode => b"FlateDecode",
        Filter::LzwDecode => b"LZWDecode",
        Filter::RunLengthDecode => b"RunLengthDecode",
        Filter::Ascii85Decode => b"ASCII85Decode",
        Filter::AsciiHexDecode => b"ASCIIHexDecode",
        _ => b"Crypt",
    })
}

/// The filter parameters that affect the length. Predictors are omitted, since they make nothing longer.
fn parameters_of(dictionary: &Dict<'_>, at: usize) -> OurObject {
    let all = dictionary.get::<Object<'_>>(b"DecodeParms").or_else(|| dictionary.get(b"DP"));
    let own = match all {
        Some(Object::Dict(own)) => Some(own),
        Some(Object::Array(each)) => nth_dictionary(&each, at),
        _ => None,
    };
    let mut parameters = Dictionary::new();
    if let Some(early) = own.and_then(|own| own.get::<i32>(b"EarlyChange")) {
        parameters.set(b"EarlyChange", OurObject::Integer(early.into()));
    }
    OurObject::Dictionary(parameters)
}

fn nth_dictionary<'a>(array: &Array<'a>, at: usize) -> Option<Dict<'a>> {
    array.iter::<Object<'_>>().nth(at)?.into_dict()
}

/// The inflated length of zlib data. Counting stops soon after `most`.
fn inflated_length(data: &[u8], most: u64, steps: &Steps) -> u64 {
    let mut inflater = Decompress::new(true);
    let mut piece = vec![0_u8; 64 << 10];
    while inflater.total_out() <= most {
        steps.take(0);
        let before = (inflater.total_in(), inflater.total_out());
        let rest = usize::try_from(before.0).ok().and_then(|read| data.get(read..)).unwrap_or_default();
        let status = inflater.decompress(rest, &mut piece, FlushDecompress::None);
        match status {
            Ok(Status::StreamEnd) | Err(_) => break,
            Ok(_) if (inflater.total_in(), inflater.total_out()) == before => break,
            Ok(_) => {}
        }
    }
    inflater.total_out()
}

/// The size of an image in pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImageSize {
    pub columns: u64,
    pub rows: u64,
}

impl ImageSize {
    /// The number of pixels.
    pub(crate) fn pixels(self) -> u64 {
        self.columns.saturating_mul(self.rows)
    }

    fn or(self, other: Self) -> Self {
        Self { columns: self.columns.max(other.columns), rows: self.rows.max(other.rows) }
    }
}

/// Takes the steps of decoding an image and its masks. Returns the larger of the sizes in its dictionary and its data.
pub fn take_image_steps(stream: &Stream<'_>, declared: ImageSize, steps: &Steps, limits: &Limits) -> ImageSize {
    let size = take_decoding_steps(stream, declared, steps, limits);
    for key in [b"SMask".as_slice(), b"Mask"] {
        if let Some(mask) = stream.dict().get::<Stream<'_>>(key) {
            let side = |long: &[u8], short: &[u8]| mask.dict().get::<u32>(short).or_else(|| mask.dict().get(long));
            let (columns, rows) = (side(b"Width", b"W").unwrap_or(0), side(b"Height", b"H").unwrap_or(0));
            take_decoding_steps(&mask, ImageSize { columns: columns.into(), rows: rows.into() }, steps, limits);
        }
    }
    size
}

fn take_decoding_steps(stream: &Stream<'_>, declared: ImageSize, steps: &Steps, limits: &Limits) -> ImageSize {
    let data = check_length(stream, steps, limits);
    let parameters = stream.dict().get::<Dict<'_>>(b"DecodeParms");
    if let Some(globals) = parameters.and_then(|own| own.get::<Stream<'_>>(b"JBIG2Globals")) {
        check_length(&globals, steps, limits);
    }
    let is_coded = stream.filters().last().copied().is_some_and(is_codec);
    let size = match is_coded {
        true => declared.or(codec_size(stream, limits).unwrap_or_default()),
        // Without a codec, the data limits the rows, since each pixel has at least one bit.
        false => {
            ImageSize { rows: declared.rows.min(data.saturating_mul(8) / declared.columns.max(1) + 1), ..declared }
        }
    };
    // The engine allocates a row in any case, and reserves memory for the declared size.
    steps.take(size.columns.saturating_mul(2));
    steps.take(declared.pixels() / CLAIMED_PIXELS_PER_STEP);
    steps.take(size.pixels() / PIXELS_PER_STEP);
    size
}

/// The declared pixels of an image for one step.
const CLAIMED_PIXELS_PER_STEP: u64 = 16;

/// The pixels that are decoded and converted in one step.
const PIXELS_PER_STEP: u64 = 8;

/// The size in the data of an image codec.
fn codec_size(stream: &Stream<'_>, limits: &Limits) -> Option<ImageSize> {
    let filters = stream.filters();
    let (last, before) = filters.split_last()?;
    if !is_codec(*last) {
        return None;
    }
    let raw = stream.raw_data();
    let names = before.iter().enumerate().map(|(at, filter)| (name_of(*filter), parameters_of(stream.dict(), at)));
    let decoded = filter::decode(&raw, &names.collect::<Vec<_>>(), limits).ok()?;
    match last {
        Filter::DctDecode => jpeg_size(&decoded.bytes),
        Filter::JpxDecode => jpeg_2000_size(&decoded.bytes),
        Filter::Jbig2Decode => jbig2_size(&decoded.bytes),
        _ => fax_size(stream.dict()),
    }
}

/// The size in the parameters of a CCITT fax (7.4.6).
fn fax_size(dictionary: &Dict<'_>) -> Option<ImageSize> {
    let all = dictionary.get::<Object<'_>>(b"DecodeParms").or_else(|| dictionary.get(b"DP"))?;
    let own = match all {
        Object::Dict(own) => Some(own),
        Object::Array(each) => each.iter::<Object<'_>>().filter_map(Object::into_dict).last(),
        _ => None,
    }?;
    let side = |key: &[u8]| own.get::<u32>(key).map_or(0, u64::from);
    Some(ImageSize { columns: side(b"Columns"), rows: side(b"Rows") })
}

/// The most segments and markers that are read.
const MAX_SEGMENTS: usize = 10_000;

fn read_u16(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u16::from_be_bytes(*bytes)))
}

fn read_u32(data: &[u8], at: usize) -> Option<u64> {
    data.get(at..)?.first_chunk().map(|bytes| u64::from(u32::from_be_bytes(*bytes)))
}

/// The size in the frame header of a JPEG (ITU-T T.81, B.2.2).
fn jpeg_size(data: &[u8]) -> Option<ImageSize> {
    let mut rest = data;
    for _ in 0..MAX_SEGMENTS {
        let at = memchr::memchr(0xFF, rest)?;
        let kind = *rest.get(at + 1)?;
        let after = rest.get(at + 2..)?;
        rest = match kind {
            0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Some(ImageSize { columns: read_u16(after, 5)?, rows: read_u16(after, 3)? });
            }
            // Markers without a length.
            0x00 | 0x01 | 0xD0..=0xD9 => after,
            0xFF => rest.get(at + 1..)?,
            _ => after.get(usize::try_from(read_u16(after, 0)?).ok()?..)?,
        };
    }
    None
}

/// The size in the first SIZ segment of a JPEG 2000 codestream (ISO 15444-1, A.5.1). Other images have up to four components,
/// so each further four count as more rows.
fn jpeg_2000_size(data: &[u8]) -> Option<ImageSize> {
    let sizes = data.get(memmem::find(data, &[0xFF, 0x4F, 0xFF, 0x51])? + 8..)?;
    let side = |end, start| Some(read_u32(sizes, end)?.saturating_sub(read_u32(sizes, start)?));
    let components = read_u16(sizes, 32)?.div_ceil(4).max(1);
    Some(ImageSize { columns: side(0, 8)?, rows: side(4, 12)?.saturating_mul(components) })
}

/// The largest page or region of embedded JBIG2 data (ISO 14492, 7.2 to 7.4).
fn jbig2_size(data: &[u8]) -> Option<ImageSize> {
    let (mut rest, mut size) = (data, ImageSize::default());
    for _ in 0..MAX_SEGMENTS {
        let Some((segment, after)) = jbig2_segment(rest) else { break };
        size = size.or(segment);
        rest = after;
    }
    Some(size)
}

/// The size that a segment declares, and the data after it.
fn jbig2_segment(data: &[u8]) -> Option<(ImageSize, &[u8])> {
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
    let tells = matches!(flags & 0x3F, 48 | 4 | 6 | 7 | 20 | 22 | 23 | 36 | 38 | 39 | 40 | 42 | 43);
    let (columns, rows) = (read_u32(body, 0).unwrap_or(0), read_u32(body, 4).unwrap_or(0));
    // 0xFFFFFFFF stands for an unknown height.
    let rows = if rows == 0xFFFF_FFFF { 0 } else { rows };
    let size = if tells { ImageSize { columns, rows } } else { ImageSize::default() };
    // Only a region at the end can have an unknown length.
    let after = usize::try_from(length).ok().and_then(|length| body.get(length..)).unwrap_or_default();
    Some((size, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_tells_its_size() {
        let frame = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 9, 9, 0xFF, 0xC2, 0, 17, 8, 0x01, 0x00, 0x02, 0x00, 3];
        assert_eq!(jpeg_size(&frame), Some(ImageSize { columns: 512, rows: 256 }));
        let numbers = [70_000_u32, 10, 0, 0, 1, 1, 0, 0].map(u32::to_be_bytes).concat();
        let codestream = [&[0, 0, 0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0][..], &numbers, &[0, 9]].concat();
        assert_eq!(jpeg_2000_size(&codestream), Some(ImageSize { columns: 70_000, rows: 30 }));
        assert_eq!(jpeg_2000_size(b"nothing"), None);
    }

    #[test]
    fn regions_of_jbig2_tell_their_size() {
        let segment = |number: u32, kind: u8, referred: &[u8], side: u32| {
            let mut out = number.to_be_bytes().to_vec();
            out.extend([kind, u8::try_from(referred.len()).unwrap_or(0) << 5]);
            out.extend(referred);
            out.extend([1, 0, 0, 0, 19]);
            out.extend([side.to_be_bytes(), [0, 0, 0, 2], [0; 4], [0; 4]].concat());
            out.extend([0; 3]);
            out
        };
        let data = [segment(0, 48, &[], 9), segment(2, 0, &[0], 1_000_000), segment(3, 6, &[0, 1], 40_000)].concat();
        assert_eq!(jbig2_size(&data), Some(ImageSize { columns: 40_000, rows: 2 }));
        assert_eq!(jbig2_size(data.get(..20).unwrap_or_default()), Some(ImageSize { columns: 9, rows: 2 }));
    }

    #[test]
    fn data_is_inflated_no_further_than_it_may_be() {
        let mut deflater = libdeflater::Compressor::default();
        let mut zeros = vec![0; 4 << 10];
        assert!(deflater.zlib_compress(&vec![0; 1 << 20], &mut zeros).is_ok());
        let steps = Steps::new(&Limits::default());
        assert_eq!(inflated_length(&zeros, 2 << 20, &steps), 1 << 20);
        let some = inflated_length(&zeros, 1 << 10, &steps);
        assert!(some > 1 << 10 && some < 1 << 20, "{some}");
    }
}
