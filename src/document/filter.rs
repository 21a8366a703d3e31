//! Stream filters (ISO 32000-2, 7.4) that give bytes: Flate, LZW, ASCII85, ASCIIHex and RunLength, with predictors.
//!
//! Image codecs (DCT, JPX, JBIG2, CCITT) are not decoded: a page carries them as they are. Whole Flate streams go
//! through libdeflate; what it refuses is inflated again piece by piece, so that the sound beginning of a damaged
//! stream is had, marked as damaged.

mod flate;

use super::error::DocumentError;
use super::lexer::{hexadecimal_digit, is_white_space};
use super::object::{Dictionary, Object};
use crate::limits::{LimitExceeded, Limits, RATIO_FREE_BYTES};
use flate::inflate;
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

/// Some of what `data` decodes to from its first byte on: 1,000 bytes at least, where there are as many.
pub(crate) fn beginning(data: &[u8], filters: &[(Object, Object)], limits: &Limits) -> Result<Vec<u8>, DocumentError> {
    match filters {
        [(filter, Object::Null)] if filter.is_name(b"FlateDecode") => Ok(flate::beginning(data)),
        _ => decode(data, filters, limits).map(|decoded| decoded.bytes.into_owned()),
    }
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

/// Undoes a predictor (7.4.4.4).
fn unpredict((bytes, intact): (Vec<u8>, bool), parameters: &Object) -> Step {
    let Some(parameters) = parameters.as_dictionary() else { return Ok((bytes, intact)) };
    let number = |key: &[u8], default: i64| parameters.get(key).and_then(Object::as_integer).unwrap_or(default);
    let predictor = number(b"Predictor", 1);
    if predictor < 2 {
        return Ok((bytes, intact));
    }
    let (colors, bits, columns) = (number(b"Colors", 1), number(b"BitsPerComponent", 8), number(b"Columns", 1));
    let row_bits = colors.checked_mul(bits).and_then(|bits| bits.checked_mul(columns));
    let to_bytes = |bits: i64| u64::try_from(bits).ok().and_then(|bits| usize::try_from(bits.div_ceil(8)).ok());
    let row = row_bits.and_then(to_bytes).filter(|bytes| *bytes > 0);
    let pixel = colors.checked_mul(bits).and_then(to_bytes);
    let (Some(row), Some(pixel)) = (row, pixel) else {
        return Err(DocumentError::damaged("a predictor with impossible parameters"));
    };
    if predictor == 2 {
        return Ok(tiff_unpredict(bytes, row, pixel, bits, colors, intact));
    }
    Ok((png_unpredict(bytes, row, pixel.max(1)), intact))
}

/// TIFF predictor 2; component sizes other than 8 and 16 bits are left as they are, and marked so.
fn tiff_unpredict(
    mut bytes: Vec<u8>,
    row: usize,
    pixel: usize,
    bits: i64,
    colors: i64,
    intact: bool,
) -> (Vec<u8>, bool) {
    let colors = usize::try_from(colors).unwrap_or(1);
    for line in bytes.chunks_mut(row) {
        match bits {
            8 => add_left(line, colors),
            16 => add_left_pairs(line, pixel),
            _ => return (bytes, false),
        }
    }
    (bytes, intact)
}

fn add_left(line: &mut [u8], distance: usize) {
    for at in distance..line.len() {
        let left = at.checked_sub(distance).and_then(|left| line.get(left)).copied().unwrap_or(0);
        if let Some(byte) = line.get_mut(at) {
            *byte = byte.wrapping_add(left);
        }
    }
}

fn add_left_pairs(line: &mut [u8], distance: usize) {
    let pair = |line: &[u8], at: usize| match line.get(at..at + 2) {
        Some(&[high, low]) => u16::from_be_bytes([high, low]),
        _ => 0,
    };
    for at in (distance..line.len().saturating_sub(1)).step_by(2) {
        let sum = pair(line, at).wrapping_add(pair(line, at - distance));
        if let Some(place) = line.get_mut(at..at + 2) {
            place.copy_from_slice(&sum.to_be_bytes());
        }
    }
}

/// PNG predictors: each row is preceded by its type.
fn png_unpredict(mut bytes: Vec<u8>, row: usize, pixel: usize) -> Vec<u8> {
    // A row may claim to be longer than the data: no more is reserved than there is.
    let mut above = vec![0_u8; row.min(bytes.len())];
    // Words go past the end of the last row.
    let mut out = vec![0; bytes.len().saturating_add(WORD)];
    let (mut at, mut to) = (0, 0);
    loop {
        if row <= WORD {
            let rows = bytes.get(at..).unwrap_or_default();
            let passed = add_up_words(rows, row, &mut above, out.get_mut(to..).unwrap_or_default());
            at += passed * (row + 1);
            to += passed * row;
        }
        let end = at.saturating_add(row).saturating_add(1).min(bytes.len());
        let Some((kind, line)) = bytes.get_mut(at..end).and_then(<[u8]>::split_first_mut) else { break };
        let above = above.get_mut(..line.len()).unwrap_or_default();
        match *kind {
            2 => above.iter_mut().zip(&*line).for_each(|(up, byte)| *up = up.wrapping_add(*byte)),
            1 => add_left(line, pixel),
            3 => png_average(line, above, pixel),
            4 => png_paeth(line, above, pixel),
            _ => {}
        }
        if *kind != 2 {
            above.copy_from_slice(line);
        }
        out.get_mut(to..to + line.len()).unwrap_or_default().copy_from_slice(above);
        (at, to) = (end, to + line.len());
    }
    out.truncate(to);
    out
}

/// Bytes that are added at once.
const WORD: usize = 8;

/// Adds up rows of at most [`WORD`] bytes as long as their type is Up: how many. That is what cross-reference streams are
/// made of: of a document with 46,000 objects one took 7.9 million instructions row by row, a third of cutting a page.
fn add_up_words(mut rows: &[u8], row: usize, above: &mut [u8], mut out: &mut [u8]) -> usize {
    let mut last = [0; WORD];
    for (to, from) in last.iter_mut().zip(&*above) {
        *to = *from;
    }
    let mut passed = 0;
    while let Some((2, line)) = rows.split_first()
        && let Some(line) = line.first_chunk::<WORD>()
        && let Some(place) = out.first_chunk_mut::<WORD>()
    {
        // What comes after the row in both is added too, and written over by the next.
        last = add_each(last, *line);
        *place = last;
        rows = rows.get(row + 1..).unwrap_or_default();
        out = std::mem::take(&mut out).get_mut(row..).unwrap_or_default();
        passed += 1;
    }
    for (to, from) in above.iter_mut().zip(last) {
        *to = from;
    }
    passed
}

/// The sums of bytes, each by itself.
fn add_each(left: [u8; WORD], right: [u8; WORD]) -> [u8; WORD] {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let (left, right) = (u64::from_le_bytes(left), u64::from_le_bytes(right));
    // The highest bits are added without what would be carried out of them.
    (((left & LOW) + (right & LOW)) ^ ((left ^ right) & !LOW)).to_le_bytes()
}

fn png_average(line: &mut [u8], above: &[u8], pixel: usize) {
    for at in 0..line.len() {
        let left = at.checked_sub(pixel).and_then(|left| line.get(left)).copied().unwrap_or(0);
        let up = above.get(at).copied().unwrap_or(0);
        if let Some(byte) = line.get_mut(at) {
            *byte = byte.wrapping_add(left.midpoint(up));
        }
    }
}

fn png_paeth(line: &mut [u8], above: &[u8], pixel: usize) {
    for at in 0..line.len() {
        let before = at.checked_sub(pixel);
        let left = before.and_then(|left| line.get(left)).copied().unwrap_or(0);
        let corner = before.and_then(|left| above.get(left)).copied().unwrap_or(0);
        let up = above.get(at).copied().unwrap_or(0);
        if let Some(byte) = line.get_mut(at) {
            *byte = byte.wrapping_add(paeth(left, up, corner));
        }
    }
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |byte: u8| (estimate - i16::from(byte)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of type Up, or of none where `is_plain` says so.
    fn predicted(rows: &[u8], row: usize, is_plain: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut above = vec![0; row];
        for (at, line) in rows.chunks(row).enumerate() {
            let up = |(byte, up): (&u8, &u8)| byte.wrapping_sub(*up);
            out.push(if is_plain(at) { 0 } else { 2 });
            out.extend(line.iter().zip(&above).map(|pair| if is_plain(at) { *pair.0 } else { up(pair) }));
            above = line.to_vec();
        }
        out
    }

    #[test]
    fn rows_of_any_length_and_type_are_added_up() {
        let data: Vec<u8> = (0..1_000_u32).map(|at| (at * at * 7).to_le_bytes()[1]).collect();
        for row in 1..=17 {
            for length in [0, 1, row - 1, row, row + 1, 7 * row, 64, 1_000] {
                let rows = data.get(..length).unwrap_or_default();
                for is_plain in [|_| false, |at| at % 5 == 3, |at| at % 2 == 0] {
                    let again = png_unpredict(predicted(rows, row, is_plain), row, 1);
                    assert_eq!(again, rows, "rows of {row}, {length} bytes");
                }
            }
        }
        // A row of which only the type is there.
        assert_eq!(png_unpredict(vec![2, 1, 2, 2, 1, 1, 2], 2, 1), [1, 2, 2, 3]);
        assert_eq!(png_unpredict(vec![2, 9], usize::MAX, 1), [9]);
    }

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
