//! The classes of characters (ISO 32000-2, 7.2.3).

/// Whether `byte` is white space (table 1).
#[inline]
pub(crate) fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

/// Whether `byte` is a delimiter (table 2).
#[inline]
pub(crate) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Whether `byte` is a regular character.
#[inline]
pub(crate) fn is_regular(byte: u8) -> bool {
    REGULAR.get(usize::from(byte)).copied().unwrap_or(false)
}

/// [`is_regular`] for each byte: tokens are scanned byte by byte, and one look-up is a third of the comparisons.
#[allow(clippy::indexing_slicing, reason = "it is evaluated when it is compiled, where a wrong index is an error")]
const REGULAR: [bool; 256] = {
    let mut table = [true; 256];
    let others = b"\0\t\n\x0C\r ()<>[]{}/%";
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = false;
        at += 1;
    }
    table
};
