//! TIFF and PNG predictors of Flate and LZW (ISO 32000-2, 7.4.4.4).

use super::{FilterOutput, FilterResult};
use crate::error::DocumentError;
use crate::object::Object;

/// Undoes a predictor (7.4.4.4).
pub(super) fn unpredict(step: FilterOutput, parameters: &Object) -> FilterResult {
    let Some(parameters) = parameters.as_dictionary() else { return Ok(step) };
    let number = |key: &[u8], default: i64| parameters.get(key).and_then(Object::as_integer).unwrap_or(default);
    let predictor = number(b"Predictor", 1);
    if predictor < 2 {
        return Ok(step);
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
        return Ok(tiff_unpredict(step, row, pixel, bits, colors));
    }
    let rows = png_unpredict(step.bytes, row, pixel.max(1));
    Ok(FilterOutput { bytes: rows.bytes, is_intact: step.is_intact, is_exact: step.is_exact && rows.are_sound })
}

/// Undoes TIFF predictor 2. Components other than 8 and 16 bits are not supported and count as damaged.
fn tiff_unpredict(mut step: FilterOutput, row: usize, pixel: usize, bits: i64, colors: i64) -> FilterOutput {
    let colors = usize::try_from(colors).unwrap_or(1);
    // Readers disagree about an incomplete last row.
    step.is_exact &= step.bytes.len().is_multiple_of(row);
    for line in step.bytes.chunks_mut(row) {
        match bits {
            8 => add_left(line, colors),
            16 => add_left_pairs(line, pixel),
            _ => return FilterOutput::damaged(step.bytes),
        }
    }
    step
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

/// Rows after their predictor was undone.
struct UnpredictedRows {
    bytes: Vec<u8>,
    /// Whether all rows are complete and of a type that the specification defines.
    are_sound: bool,
}

/// Undoes PNG predictors. Each row begins with its type.
fn png_unpredict(mut bytes: Vec<u8>, row: usize, pixel: usize) -> UnpredictedRows {
    let mut are_sound = true;
    // A row may claim to be longer than the data.
    let mut above = vec![0_u8; row.min(bytes.len())];
    // Words extend past the end of the last row.
    let mut out = vec![0; bytes.len().saturating_add(WORD)];
    let (mut at, mut to) = (0, 0);
    loop {
        if row <= WORD {
            let rows = bytes.get(at..).unwrap_or_default();
            let count = add_up_words(rows, row, &mut above, out.get_mut(to..).unwrap_or_default());
            at += count * (row + 1);
            to += count * row;
        }
        let end = at.saturating_add(row).saturating_add(1).min(bytes.len());
        let Some((kind, line)) = bytes.get_mut(at..end).and_then(<[u8]>::split_first_mut) else { break };
        are_sound &= line.len() == row;
        let above = above.get_mut(..line.len()).unwrap_or_default();
        match *kind {
            2 => above.iter_mut().zip(&*line).for_each(|(up, byte)| *up = up.wrapping_add(*byte)),
            1 => add_left(line, pixel),
            3 => png_average(line, above, pixel),
            4 => png_paeth(line, above, pixel),
            0 => {}
            _ => are_sound = false,
        }
        if *kind != 2 {
            above.copy_from_slice(line);
        }
        out.get_mut(to..to + line.len()).unwrap_or_default().copy_from_slice(above);
        (at, to) = (end, to + line.len());
    }
    out.truncate(to);
    UnpredictedRows { bytes: out, are_sound }
}

/// Bytes added at once.
const WORD: usize = 8;

/// Undoes the type Up for leading rows of at most [`WORD`] bytes, and returns their number. Cross-reference streams
/// consist of such rows, and a word at a time is much faster.
fn add_up_words(mut rows: &[u8], row: usize, above: &mut [u8], mut out: &mut [u8]) -> usize {
    let mut last = [0; WORD];
    for (to, from) in last.iter_mut().zip(&*above) {
        *to = *from;
    }
    let mut count = 0;
    while let Some((2, line)) = rows.split_first()
        && let Some(line) = line.first_chunk::<WORD>()
        && let Some(place) = out.first_chunk_mut::<WORD>()
    {
        // Bytes beyond the row are added too; the next row overwrites them.
        last = add_each(last, *line);
        *place = last;
        rows = rows.get(row + 1..).unwrap_or_default();
        out = std::mem::take(&mut out).get_mut(row..).unwrap_or_default();
        count += 1;
    }
    for (to, from) in above.iter_mut().zip(last) {
        *to = from;
    }
    count
}

/// Adds bytes pairwise, without carry between them.
fn add_each(left: [u8; WORD], right: [u8; WORD]) -> [u8; WORD] {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let (left, right) = (u64::from_le_bytes(left), u64::from_le_bytes(right));
    // The highest bit of each byte is added without carry.
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
    use super::png_unpredict;

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
                    assert_eq!(again.bytes, rows, "rows of {row}, {length} bytes");
                    assert_eq!(again.are_sound, length % row == 0, "rows of {row}, {length} bytes");
                }
            }
        }
        // A row of which only the type is there.
        assert_eq!(png_unpredict(vec![2, 1, 2, 2, 1, 1, 2], 2, 1).bytes, [1, 2, 2, 3]);
        assert_eq!(png_unpredict(vec![2, 9], usize::MAX, 1).bytes, [9]);
        assert!(!png_unpredict(vec![5, 9], 1, 1).are_sound, "a type that nobody knows");
    }
}
