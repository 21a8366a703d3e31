//! Serializes objects (ISO 32000-2, 7.3) with one spelling for each value.

use pagewise_document::lexer::{is_delimiter, is_regular};

/// Writes a name with its slash; irregular bytes as `#xx`.
pub(crate) fn name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for &byte in name {
        if byte.is_ascii_graphic() && byte != b'#' && is_regular(byte) {
            out.push(byte);
        } else {
            out.push(b'#');
            out.extend(hexadecimal(byte));
        }
    }
}

/// Writes a string: literal, or hexadecimal if that is shorter.
pub(crate) fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let escapes = bytes.iter().filter(|byte| matches!(byte, b'(' | b')' | b'\\' | b'\r')).count();
    if escapes > bytes.len() {
        out.push(b'<');
        bytes.iter().for_each(|byte| out.extend(hexadecimal(*byte)));
        out.push(b'>');
        return;
    }
    out.push(b'(');
    for &byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => out.extend([b'\\', byte]),
            // A bare carriage return would be read as a line feed (7.3.4.2).
            b'\r' => out.extend(b"\\r"),
            _ => out.push(byte),
        }
    }
    out.push(b')');
}

fn hexadecimal(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'A' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}

/// Writes an integer.
pub(crate) fn integer(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    write_unsigned(out, value.unsigned_abs());
}

/// Writes an unsigned integer.
pub(crate) fn write_unsigned(out: &mut Vec<u8>, value: u64) {
    let start = out.len();
    let mut rest = value;
    loop {
        // A remainder below ten always fits.
        out.push(b'0' + u8::try_from(rest % 10).unwrap_or(0));
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// Writes `number 0 R`.
pub(crate) fn reference(out: &mut Vec<u8>, number: u32) {
    separate(out);
    write_unsigned(out, u64::from(number));
    out.extend(b" 0 R");
}

/// Writes a space if the next token would run into the previous one, which may be an empty name.
pub(crate) fn separate(out: &mut Vec<u8>) {
    if out.last().is_some_and(|byte| *byte == b'/' || !is_delimiter(*byte) && !byte.is_ascii_whitespace()) {
        out.push(b' ');
    }
}
