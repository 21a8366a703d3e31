//! The decoded length of streams.

use crate::DocumentError;
use crate::filter;
use crate::object::{Dictionary, Object as OurObject};
use crate::page_budget::{Interruption, PageBudget, leave_beyond};
use flate2::{Decompress, FlushDecompress, Status};
use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::Page;
use pagewise_base::limits::{Limit, Limits, RATIO_FREE_BYTES};
use std::collections::HashMap;

/// Streams are not measured while all of them together cannot decode to more bytes than this.
const FREE_BYTES: u64 = 16 << 20;

/// The decoded lengths of streams. As long as their upper bounds are small together, these are taken for the lengths. After
/// that, each stream is decoded and measured: the bounds of many short ones, such as the glyphs of Type 3 fonts, add up to far
/// more than they decode to.
#[derive(Debug, Default)]
pub(super) struct DecodedLengths {
    most: u64,
}

impl DecodedLengths {
    /// The decoded length of `stream`. Leaves the engine if it is more than a stream may have.
    pub(super) fn of(&mut self, stream: &Stream<'_>, budget: &PageBudget, limits: &Limits) -> u64 {
        let bound = max_decoded_length(stream);
        self.most = self.most.saturating_add(bound);
        if self.most > FREE_BYTES { counted_stream(stream, budget, limits) } else { bound }
    }
}

/// Checks the content streams of a page, which an engine joins. A stream counts as often as it is listed.
pub(super) fn check_contents(page: &Page<'_>, budget: &PageBudget, limits: &Limits) {
    let (mut lengths, mut all) = (DecodedLengths::default(), 0_u64);
    let mut known = HashMap::<ObjectIdentifier, u64>::new();
    let mut add = |stream: &Stream<'_>| {
        budget.check();
        let length = *known.entry(stream.obj_id()).or_insert_with(|| lengths.of(stream, budget, limits));
        all = all.saturating_add(length);
        leave_beyond(Limit::StreamBytes, all, limits.max_stream_bytes);
    };
    match page.raw().get::<Object<'_>>(b"Contents") {
        Some(Object::Stream(stream)) => add(&stream),
        Some(Object::Array(items)) => {
            items.iter::<Object<'_>>().filter_map(Object::into_stream).for_each(|stream| add(&stream));
        }
        _ => {}
    }
}

/// The length of an image's data without the filters before its codec, or the upper bound of it if that is small. A page with
/// more than `most` bytes is given up. The ratio is not limited: blank images are compressed more than other streams may be.
pub(super) fn image_length(image: &Stream<'_>, most: u64, budget: &PageBudget, limits: &Limits) -> u64 {
    match max_decoded_length(image) {
        bound if bound <= FREE_BYTES => bound,
        _ => counted_length(image, most, budget, limits),
    }
}

fn counted_stream(stream: &Stream<'_>, budget: &PageBudget, limits: &Limits) -> u64 {
    let length = counted_length(stream, limits.max_stream_bytes, budget, limits);
    leave_beyond(Limit::StreamBytes, length, limits.max_stream_bytes);
    if length > RATIO_FREE_BYTES {
        let stored = u64::try_from(stream.raw_data().len()).unwrap_or(u64::MAX);
        leave_beyond(Limit::Ratio, length.div_ceil(stored.max(1)), limits.max_ratio);
    }
    length
}

/// The largest length that `stream` can decode to.
fn max_decoded_length(stream: &Stream<'_>) -> u64 {
    let raw = u64::try_from(stream.raw_data().len()).unwrap_or(u64::MAX);
    plain_filters(stream).into_iter().fold(raw, |most, filter| most.saturating_mul(max_expansion(filter)))
}

/// The filters before an image codec.
pub(super) fn plain_filters(stream: &Stream<'_>) -> Vec<Filter> {
    stream.filters().iter().copied().take_while(|filter| !is_codec(*filter)).collect()
}

pub(super) fn is_codec(filter: Filter) -> bool {
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

/// The decoded length, counted until it is more than `most`. Data that our filters cannot decode counts as too long.
fn counted_length(stream: &Stream<'_>, most: u64, budget: &PageBudget, limits: &Limits) -> u64 {
    budget.check_now();
    let filters = plain_filters(stream);
    // The output of the last filter is not kept.
    let (is_last_flate, before) = match filters.split_last() {
        Some((Filter::FlateDecode, before)) => (true, before),
        _ => (false, filters.as_slice()),
    };
    let raw = stream.raw_data();
    let limits = Limits { max_stream_bytes: most.saturating_add(1), max_ratio: u64::MAX, ..limits.clone() };
    let decoded = match filter::decode(&raw, &named(before, stream.dict()), &limits) {
        Ok(decoded) => decoded.bytes,
        Err(DocumentError::Stopped(stopped)) => Interruption::Stopped(stopped).leave(),
        Err(_) => return u64::MAX,
    };
    match is_last_flate {
        true => inflated_length(&decoded, most, budget),
        false => u64::try_from(decoded.len()).unwrap_or(u64::MAX),
    }
}

/// Filters as ours take them, with the parameters that affect the length. Predictors make nothing longer.
pub(super) fn named(filters: &[Filter], dictionary: &Dict<'_>) -> Vec<(OurObject, OurObject)> {
    filters.iter().enumerate().map(|(at, filter)| (name_of(*filter), parameters_of(dictionary, at))).collect()
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
fn inflated_length(data: &[u8], most: u64, budget: &PageBudget) -> u64 {
    let mut inflater = Decompress::new(true);
    let mut piece = vec![0_u8; 64 << 10];
    while inflater.total_out() <= most {
        budget.check();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_inflated_no_further_than_it_may_be() {
        let mut deflater = libdeflater::Compressor::default();
        let mut zeros = vec![0; 4 << 10];
        assert!(deflater.zlib_compress(&vec![0; 1 << 20], &mut zeros).is_ok());
        let budget = PageBudget::new(&Limits::default());
        assert_eq!(inflated_length(&zeros, 2 << 20, &budget), 1 << 20);
        let some = inflated_length(&zeros, 1 << 10, &budget);
        assert!(some > 1 << 10 && some < 1 << 20, "{some}");
    }
}
