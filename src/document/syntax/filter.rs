//! Decodes stream filters (ISO 32000-2, 7.4): Flate, LZW, ASCII85, ASCIIHex and RunLength, with predictors.
//!
//! Image codecs (DCT, JPX, JBIG2, CCITT) are not decoded. Flate data goes through libdeflate. If that refuses it, the
//! data is inflated piecewise, which yields the part before the damage.

mod flate;
mod parameters;
mod predictor;

use crate::error::DocumentError;
use crate::lexer::{hexadecimal_digit, is_white_space};
use crate::object::{Dictionary, Object};
use flate::inflate;
use pagewise_base::limits::{Limit, LimitExceeded, Limits, RATIO_FREE_BYTES};
use parameters::are_known;
use predictor::unpredict;
use std::borrow::Cow;

/// Decoded stream data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedData<'a> {
    /// The decoded bytes; for a damaged stream, those before the damage.
    pub bytes: Cow<'a, [u8]>,
    /// Whether every filter reached the end of its data.
    pub is_intact: bool,
    /// Whether all bytes and parameters were used as specified, so that no reader can decode anything else.
    pub is_exact: bool,
    /// The index of the first filter that was not applied: an image codec or an unknown one.
    pub stopped_at: Option<usize>,
}

impl DecodedData<'_> {
    /// Why objects or cross-references cannot be read from the data, which was decoded by `filters`.
    pub(crate) fn damage(&self, filters: &[(Object, Object)]) -> Option<&'static str> {
        match self.stopped_at.map(|at| filters.get(at).and_then(|(filter, _)| filter.as_name())) {
            Some(Some(b"BrotliDecode")) => Some("objects are compressed with BrotliDecode, which is not supported"),
            Some(_) => Some("objects are compressed with a filter that is not supported"),
            None => (!self.is_intact).then_some("an object or cross-reference stream that does not decode"),
        }
    }
}

/// A stream's filters with their parameters. `resolve` resolves references.
pub fn filters_of(
    dictionary: &Dictionary,
    resolve: &mut dyn FnMut(&Object) -> Result<Object, DocumentError>,
) -> Result<Vec<(Object, Object)>, DocumentError> {
    let filter = dictionary.get(b"Filter").or_else(|| dictionary.get(b"F"));
    let parameters = dictionary.get(b"DecodeParms").or_else(|| dictionary.get(b"DP"));
    let filter = filter.map(&mut *resolve).transpose()?.unwrap_or(Object::Null);
    let parameters = parameters.map(&mut *resolve).transpose()?.unwrap_or(Object::Null);
    match filter {
        Object::Array(filters) => {
            let mut out = Vec::with_capacity(filters.len().min(25));
            for (at, filter) in filters.iter().enumerate() {
                let own = match &parameters {
                    Object::Array(each) => each.get(at).map(&mut *resolve).transpose()?.unwrap_or(Object::Null),
                    other if filters.len() == 1 => other.clone(),
                    _ => Object::Null,
                };
                out.push((resolve(filter)?, own));
            }
            Ok(out)
        }
        Object::Name(_) => {
            let own = match parameters {
                Object::Array(each) => each.first().map(&mut *resolve).transpose()?.unwrap_or(Object::Null),
                other => other,
            };
            Ok(vec![(filter, own)])
        }
        _ => Ok(Vec::new()),
    }
}

/// Applies `filters` to `data`, up to the first image codec or unknown filter.
pub fn decode<'a>(
    data: &'a [u8],
    filters: &[(Object, Object)],
    limits: &Limits,
) -> Result<DecodedData<'a>, DocumentError> {
    LimitExceeded::check(Limit::Filters, filters.len() as u64, u64::from(limits.max_filters))?;
    check_decoded(0, limits)?;
    let mut decoded = DecodedData { bytes: Cow::Borrowed(data), is_intact: true, is_exact: true, stopped_at: None };
    for (at, (filter, parameters)) in filters.iter().enumerate() {
        let name = filter.as_name().unwrap_or_default();
        let Some(step) = apply(name, &decoded.bytes, parameters, limits) else {
            decoded.stopped_at = Some(at);
            break;
        };
        let FilterOutput { bytes, is_intact, is_exact } = step?;
        check_ratio(data.len(), bytes.len(), limits)?;
        check_decoded(bytes.len(), limits)?;
        decoded.bytes = Cow::Owned(bytes);
        decoded.is_intact &= is_intact;
        decoded.is_exact &= is_intact && is_exact && are_known(name, parameters);
    }
    Ok(decoded)
}

/// The first bytes, at most 1 KiB, that Flate data decodes to.
pub(crate) fn inflated_beginning(data: &[u8]) -> Vec<u8> {
    flate::beginning(data)
}

/// Counts bytes against the operation's `max_decoded_bytes`.
fn check_decoded(decoded: usize, limits: &Limits) -> Result<(), LimitExceeded> {
    let spent = limits.deadline.count_decoded(decoded as u64);
    LimitExceeded::check(Limit::DecodedBytes, spent, limits.max_decoded_bytes)
}

/// Refuses decompression bombs, by the ratio of decoded to stored bytes.
fn check_ratio(stored: usize, decoded: usize, limits: &Limits) -> Result<(), LimitExceeded> {
    let (stored, decoded) = (stored as u64, decoded as u64);
    if decoded <= RATIO_FREE_BYTES {
        return Ok(());
    }
    LimitExceeded::check(Limit::Ratio, decoded.div_ceil(stored.max(1)), limits.max_ratio)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct FilterOutput {
    bytes: Vec<u8>,
    /// Whether the filter reached the end of its data.
    is_intact: bool,
    /// Whether only white space follows that end, and nothing before it was skipped.
    is_exact: bool,
}

impl FilterOutput {
    /// Damaged data; `bytes` precede the damage.
    fn damaged(bytes: Vec<u8>) -> Self {
        Self { bytes, is_intact: false, is_exact: false }
    }

    /// Complete data; `rest` follows its end.
    fn ended(bytes: Vec<u8>, rest: &[u8]) -> Self {
        Self { bytes, is_intact: true, is_exact: is_blank(rest) }
    }
}

/// Whether data is only white space. An end of line before `endstream` is often counted as data.
fn is_blank(data: &[u8]) -> bool {
    data.iter().all(|byte| is_white_space(*byte))
}

type FilterResult = Result<FilterOutput, DocumentError>;

fn apply(filter: &[u8], input: &[u8], parameters: &Object, limits: &Limits) -> Option<FilterResult> {
    match filter {
        // Empty data is accepted, although these filters have an end marker.
        b"FlateDecode" | b"Fl" | b"LZWDecode" | b"LZW" if input.is_empty() => {
            Some(Ok(FilterOutput::ended(Vec::new(), &[])))
        }
        b"FlateDecode" | b"Fl" => Some(inflate(input, limits).and_then(|step| unpredict(step, parameters))),
        b"LZWDecode" | b"LZW" => Some(lzw(input, parameters, limits).and_then(|step| unpredict(step, parameters))),
        b"ASCIIHexDecode" | b"AHx" => Some(Ok(ascii_hex(input))),
        b"ASCII85Decode" | b"A85" => Some(ascii85(input, limits)),
        b"RunLengthDecode" | b"RL" => Some(run_length(input, limits)),
        _ => None,
    }
}

fn max_bytes(limits: &Limits) -> usize {
    usize::try_from(limits.max_stream_bytes).unwrap_or(usize::MAX)
}

fn too_large(limits: &Limits, found: usize) -> DocumentError {
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    LimitExceeded { which: Limit::StreamBytes, limit: limits.max_stream_bytes, found }.into()
}

fn lzw(input: &[u8], parameters: &Object, limits: &Limits) -> FilterResult {
    let mut decoder = lzw_decoder(parameters);
    let mut out = Vec::new();
    let mut piece = vec![0_u8; 64 << 10];
    let mut rest = input;
    loop {
        limits.deadline.check()?;
        let step = decoder.decode_bytes(rest, &mut piece);
        out.extend_from_slice(piece.get(..step.consumed_out).unwrap_or_default());
        rest = rest.get(step.consumed_in..).unwrap_or_default();
        if out.len() > max_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
        match step.status {
            Ok(weezl::LzwStatus::Ok) if step.consumed_in > 0 || step.consumed_out > 0 => {}
            Ok(weezl::LzwStatus::Done) => {
                let used = input.len().saturating_sub(rest.len());
                return Ok(FilterOutput::ended(out, after_lzw(input, used, parameters, limits)?));
            }
            // Encoders often leave out the end code, and every reader accepts that.
            Ok(_) => return Ok(FilterOutput { bytes: out, is_intact: rest.is_empty(), is_exact: false }),
            Err(_) => return Ok(FilterOutput::damaged(out)),
        }
    }
}

fn lzw_decoder(parameters: &Object) -> weezl::decode::Decoder {
    let early = parameters.as_dictionary().and_then(|entries| entries.get(b"EarlyChange")).and_then(Object::as_integer);
    match early {
        Some(0) => weezl::decode::Decoder::new(weezl::BitOrder::Msb, 8),
        _ => weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8),
    }
}

/// The bytes after the end code of LZW data. The decoder consumed `used` bytes, some of them ahead.
fn after_lzw<'a>(
    input: &'a [u8],
    used: usize,
    parameters: &Object,
    limits: &Limits,
) -> Result<&'a [u8], DocumentError> {
    /// The most bytes that the decoder reads ahead.
    const AHEAD: usize = 16;
    let mut end = used;
    for _ in 0..AHEAD {
        let shorter = end.checked_sub(1).and_then(|shorter| input.get(..shorter));
        match shorter {
            Some(shorter) if ends_lzw(shorter, parameters, limits)? => end = shorter.len(),
            _ => break,
        }
    }
    Ok(input.get(end..).unwrap_or_default())
}

/// Whether LZW data contains its end code.
fn ends_lzw(mut rest: &[u8], parameters: &Object, limits: &Limits) -> Result<bool, DocumentError> {
    let mut decoder = lzw_decoder(parameters);
    let mut piece = vec![0_u8; 64 << 10];
    loop {
        limits.deadline.check()?;
        let step = decoder.decode_bytes(rest, &mut piece);
        rest = rest.get(step.consumed_in..).unwrap_or_default();
        match step.status {
            Ok(weezl::LzwStatus::Ok) if step.consumed_in > 0 || step.consumed_out > 0 => {}
            status => return Ok(matches!(status, Ok(weezl::LzwStatus::Done))),
        }
    }
}

fn ascii_hex(input: &[u8]) -> FilterOutput {
    let mut out = Vec::with_capacity(input.len() / 2);
    let mut high = None;
    let mut rest = input;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'>' {
            break;
        }
        if is_white_space(byte) {
            continue;
        }
        let Some(digit) = hexadecimal_digit(byte) else { return FilterOutput::damaged(out) };
        match high.take() {
            None => high = Some(digit),
            Some(high) => out.push(high << 4 | digit),
        }
    }
    out.extend(high.map(|digit: u8| digit << 4));
    FilterOutput::ended(out, rest)
}

fn ascii85(input: &[u8], limits: &Limits) -> FilterResult {
    let mut out = Vec::with_capacity(input.len() / 5 * 4);
    let (mut group, mut digits) = (0_u32, 0);
    let mut is_exact = true;
    let mut rest = input.strip_prefix(b"<~").unwrap_or(input);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'~' => {
                rest = rest.strip_prefix(b">").unwrap_or(rest);
                break;
            }
            b'z' if digits == 0 => {
                // A run of `z` may be a bomb, so it is expanded at once.
                let more = rest.iter().take_while(|byte| **byte == b'z').count();
                let length = out.len() + 4 * (more + 1);
                if length > max_bytes(limits) {
                    return Err(too_large(limits, length));
                }
                out.resize(length, 0);
                rest = rest.get(more..).unwrap_or_default();
            }
            b'!'..=b'u' => {
                let digit = u32::from(byte - b'!');
                is_exact &= group.checked_mul(85).and_then(|group| group.checked_add(digit)).is_some();
                group = group.wrapping_mul(85).wrapping_add(digit);
                digits += 1;
            }
            _ if is_white_space(byte) => {}
            _ => return Ok(FilterOutput::damaged(out)),
        }
        if digits == 5 {
            out.extend_from_slice(&group.to_be_bytes());
            (group, digits) = (0, 0);
        }
    }
    // A single remaining digit encodes no byte.
    is_exact &= digits != 1;
    if digits > 1 {
        let whole = (digits..5).fold(group, |group, _| group.wrapping_mul(85).wrapping_add(84));
        out.extend(whole.to_be_bytes().into_iter().take(digits - 1));
    }
    Ok(FilterOutput { bytes: out, is_intact: true, is_exact: is_exact && is_blank(rest) })
}

fn run_length(input: &[u8], limits: &Limits) -> FilterResult {
    let mut out = Vec::new();
    let mut rest = input;
    while let Some((&length, after)) = rest.split_first() {
        match length {
            128 => return Ok(FilterOutput::ended(out, after)),
            0..=127 => {
                let count = usize::from(length) + 1;
                let Some(run) = after.get(..count) else { return Ok(FilterOutput::damaged(out)) };
                out.extend_from_slice(run);
                rest = after.get(count..).unwrap_or_default();
            }
            _ => {
                let Some((&byte, after)) = after.split_first() else { return Ok(FilterOutput::damaged(out)) };
                // Faster than byte by byte.
                out.extend_from_slice([byte; 128].get(..257 - usize::from(length)).unwrap_or_default());
                rest = after;
            }
        }
        limits.deadline.check()?;
        if out.len() > max_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
    }
    Ok(FilterOutput::ended(out, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii85_is_read_in_groups_and_runs() {
        let decoded = |input: &[u8]| {
            let step = ascii85(input, &Limits::default()).unwrap_or_default();
            (step.bytes, step.is_intact)
        };
        assert_eq!(decoded(b"<~87cURD]i,\"Ebo80~>"), (b"Hello World!".to_vec(), true));
        assert_eq!(decoded(b"zz 87c\nUR"), (b"\0\0\0\0\0\0\0\0Hell".to_vec(), true));
        assert_eq!(decoded(b"87cURDZ~>"), (b"Hello".to_vec(), true));
        assert_eq!(decoded(b"87cURz"), (b"Hell\0\0\0\0".to_vec(), true));
        assert_eq!(decoded(b"87cz"), (Vec::new(), false), "a z within a group");
        assert_eq!(decoded(b"~>"), (Vec::new(), true));
    }

    #[test]
    fn a_row_of_zeros_is_no_longer_than_a_stream_may_be() {
        let at = |max_stream_bytes: u64| ascii85(b"zzz", &Limits { max_stream_bytes, ..Limits::default() });
        assert_eq!(at(12), Ok(FilterOutput { bytes: vec![0; 12], is_intact: true, is_exact: true }));
        let limit = LimitExceeded { which: Limit::StreamBytes, limit: 11, found: 12 };
        assert_eq!(at(11), Err(limit.into()));
    }

    /// Whether `data` in this filter is intact, and whether it is exact.
    fn is_intact_and_exact(filter: &[u8], data: &[u8], parameters: Object) -> (bool, bool) {
        let decoded = decode(data, &[(Object::name(filter), parameters)], &Limits::default());
        decoded.map(|decoded| (decoded.is_intact, decoded.is_exact)).unwrap_or_default()
    }

    #[test]
    fn only_what_is_used_to_the_last_byte_is_exact() {
        const WHOLE: (bool, bool) = (true, true);
        const LEFT_OVER: (bool, bool) = (true, false);
        for (filter, data, expected) in [
            (&b"ASCIIHexDecode"[..], &b"4142>\r\n"[..], WHOLE),
            (b"ASCIIHexDecode", b"414", WHOLE),
            (b"ASCIIHexDecode", b"4142>43", LEFT_OVER),
            (b"ASCII85Decode", b"87cUR~>\n", WHOLE),
            (b"ASCII85Decode", b"87cUR~>x", LEFT_OVER),
            (b"ASCII85Decode", b"87cUR~x", LEFT_OVER),
            (b"ASCII85Decode", b"87cUR8~>", LEFT_OVER),
            (b"ASCII85Decode", b"uuuuu~>", LEFT_OVER),
            (b"RunLengthDecode", b"\x01ab\x80\n", WHOLE),
            (b"RunLengthDecode", b"\x01ab", WHOLE),
            (b"RunLengthDecode", b"\x01ab\x80c", LEFT_OVER),
            (b"RunLengthDecode", b"\x02ab", (false, false)),
            (b"FlateDecode", b"", WHOLE),
            (b"LZWDecode", b"", WHOLE),
            (b"LZWDecode", b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", WHOLE),
            (b"LZWDecode", b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01x", LEFT_OVER),
            (b"LZWDecode", b"\x80\x0b\x60\x50\x22\x0c\x0c", LEFT_OVER),
        ] {
            assert_eq!(is_intact_and_exact(filter, data, Object::Null), expected, "{} {data:?}", filter.escape_ascii());
        }
    }
}
