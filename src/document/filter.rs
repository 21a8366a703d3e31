//! Stream filters (ISO 32000-2, 7.4) that give bytes: Flate, LZW, ASCII85, ASCIIHex and RunLength, with predictors.
//!
//! Image codecs (DCT, JPX, JBIG2, CCITT) are not decoded: a page carries them as they are. Whole Flate streams go
//! through libdeflate; what it refuses is inflated again piece by piece, so that the sound beginning of a damaged
//! stream is had, marked as damaged.

mod flate;
mod predictor;

use super::error::DocumentError;
use super::lexer::{hexadecimal_digit, is_white_space};
use super::object::{Dictionary, Object};
use crate::limits::{LimitExceeded, Limits, RATIO_FREE_BYTES};
use flate::inflate;
use predictor::unpredict;
use std::borrow::Cow;

/// Decoded stream data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    /// The bytes; for a damaged stream those before the damage.
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Whether every filter came to its end.
    pub(crate) intact: bool,
    /// The first filter that was not applied, an image codec or an unknown one.
    pub(crate) stopped_at: Option<usize>,
}

/// The filters of a stream and their parameters, with references resolved by `resolve`.
pub(crate) fn filters_of(
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

/// Runs `data` through `filters` until one is an image codec or unknown.
pub(crate) fn decode<'a>(
    data: &'a [u8],
    filters: &[(Object, Object)],
    limits: &Limits,
) -> Result<Decoded<'a>, DocumentError> {
    LimitExceeded::check("max_filters", filters.len() as u64, u64::from(limits.max_filters))?;
    check_decoded(0, limits)?;
    let mut decoded = Decoded { bytes: Cow::Borrowed(data), intact: true, stopped_at: None };
    for (at, (filter, parameters)) in filters.iter().enumerate() {
        let Some(step) = apply(filter.as_name().unwrap_or_default(), &decoded.bytes, parameters, limits) else {
            decoded.stopped_at = Some(at);
            break;
        };
        let (bytes, intact) = step?;
        check_ratio(data.len(), bytes.len(), limits)?;
        check_decoded(bytes.len(), limits)?;
        decoded.bytes = Cow::Owned(bytes);
        decoded.intact &= intact;
    }
    Ok(decoded)
}

/// What the beginning of Flate data decodes to: 1,000 bytes, where there are as many.
pub(crate) fn inflated_beginning(data: &[u8]) -> Vec<u8> {
    flate::beginning(data)
}

/// Counts what the operation at hand decodes, wherever it does so.
fn check_decoded(decoded: usize, limits: &Limits) -> Result<(), LimitExceeded> {
    let spent = limits.deadline.spend(decoded as u64);
    LimitExceeded::check("max_decoded_bytes", spent, limits.max_decoded_bytes)
}

/// Refuses what grows out of all proportion: a few bytes that become many are a bomb, or an empty picture.
fn check_ratio(stored: usize, decoded: usize, limits: &Limits) -> Result<(), LimitExceeded> {
    let (stored, decoded) = (stored as u64, decoded as u64);
    if decoded <= RATIO_FREE_BYTES {
        return Ok(());
    }
    LimitExceeded::check("max_ratio", decoded.div_ceil(stored.max(1)), limits.max_ratio)
}

type Step = Result<(Vec<u8>, bool), DocumentError>;

fn apply(filter: &[u8], input: &[u8], parameters: &Object, limits: &Limits) -> Option<Step> {
    match filter {
        b"FlateDecode" | b"Fl" => Some(inflate(input, limits).and_then(|step| unpredict(step, parameters))),
        b"LZWDecode" | b"LZW" => Some(lzw(input, parameters, limits).and_then(|step| unpredict(step, parameters))),
        b"ASCIIHexDecode" | b"AHx" => Some(Ok(ascii_hex(input))),
        b"ASCII85Decode" | b"A85" => Some(ascii85(input, limits)),
        b"RunLengthDecode" | b"RL" => Some(run_length(input, limits)),
        _ => None,
    }
}

fn limit_bytes(limits: &Limits) -> usize {
    usize::try_from(limits.max_stream_bytes).unwrap_or(usize::MAX)
}

fn too_large(limits: &Limits, found: usize) -> DocumentError {
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    LimitExceeded { which: "max_stream_bytes", limit: limits.max_stream_bytes, found }.into()
}

fn lzw(input: &[u8], parameters: &Object, limits: &Limits) -> Step {
    let early = parameters.as_dictionary().and_then(|entries| entries.get(b"EarlyChange")).and_then(Object::as_integer);
    let order = weezl::BitOrder::Msb;
    let mut decoder = match early {
        Some(0) => weezl::decode::Decoder::new(order, 8),
        _ => weezl::decode::Decoder::with_tiff_size_switch(order, 8),
    };
    let mut out = Vec::new();
    let mut piece = vec![0_u8; 64 << 10];
    let mut rest = input;
    loop {
        limits.deadline.check()?;
        let step = decoder.decode_bytes(rest, &mut piece);
        out.extend_from_slice(piece.get(..step.consumed_out).unwrap_or_default());
        rest = rest.get(step.consumed_in..).unwrap_or_default();
        if out.len() > limit_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
        match step.status {
            Ok(weezl::LzwStatus::Ok) if step.consumed_in > 0 || step.consumed_out > 0 => {}
            Ok(weezl::LzwStatus::Done) => return Ok((out, true)),
            // Encoders that leave out the end code are common, and every reader takes them.
            Ok(_) => return Ok((out, rest.is_empty())),
            Err(_) => return Ok((out, false)),
        }
    }
}

fn ascii_hex(input: &[u8]) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(input.len() / 2);
    let mut high = None;
    for &byte in input.iter().filter(|byte| !is_white_space(**byte)) {
        if byte == b'>' {
            out.extend(high.map(|digit: u8| digit << 4));
            return (out, true);
        }
        let Some(digit) = hexadecimal_digit(byte) else { return (out, false) };
        match high.take() {
            None => high = Some(digit),
            Some(high) => out.push(high << 4 | digit),
        }
    }
    out.extend(high.map(|digit| digit << 4));
    (out, true)
}

fn ascii85(input: &[u8], limits: &Limits) -> Step {
    let mut out = Vec::with_capacity(input.len() / 5 * 4);
    let (mut group, mut digits) = (0_u32, 0);
    let mut rest = input.strip_prefix(b"<~").unwrap_or(input);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'~' => break,
            b'z' if digits == 0 => {
                // Bombs are made of these: all in a row at once.
                let more = rest.iter().take_while(|byte| **byte == b'z').count();
                let length = out.len() + 4 * (more + 1);
                if length > limit_bytes(limits) {
                    return Err(too_large(limits, length));
                }
                out.resize(length, 0);
                rest = rest.get(more..).unwrap_or_default();
            }
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                digits += 1;
            }
            _ if is_white_space(byte) => {}
            _ => return Ok((out, false)),
        }
        if digits == 5 {
            out.extend_from_slice(&group.to_be_bytes());
            (group, digits) = (0, 0);
        }
    }
    if digits > 1 {
        let whole = (digits..5).fold(group, |group, _| group.wrapping_mul(85).wrapping_add(84));
        out.extend(whole.to_be_bytes().into_iter().take(digits - 1));
    }
    Ok((out, true))
}

fn run_length(input: &[u8], limits: &Limits) -> Step {
    let mut out = Vec::new();
    let mut rest = input;
    while let Some((&length, after)) = rest.split_first() {
        match length {
            128 => return Ok((out, true)),
            0..=127 => {
                let count = usize::from(length) + 1;
                let Some(run) = after.get(..count) else { return Ok((out, false)) };
                out.extend_from_slice(run);
                rest = after.get(count..).unwrap_or_default();
            }
            _ => {
                let Some((&byte, after)) = after.split_first() else { return Ok((out, false)) };
                // A run at once, not byte by byte.
                out.extend_from_slice([byte; 128].get(..257 - usize::from(length)).unwrap_or_default());
                rest = after;
            }
        }
        limits.deadline.check()?;
        if out.len() > limit_bytes(limits) {
            return Err(too_large(limits, out.len()));
        }
    }
    Ok((out, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii85_is_read_in_groups_and_runs() {
        let decoded = |input: &[u8]| ascii85(input, &Limits::default()).unwrap_or_default();
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
        assert_eq!(at(12), Ok((vec![0; 12], true)));
        let limit = LimitExceeded { which: "max_stream_bytes", limit: 11, found: 12 };
        assert_eq!(at(11), Err(limit.into()));
    }
}
