//! Character classes (ISO 32000-2, 7.2.3).

/// Whether `byte` is white space (table 1).
#[inline]
pub fn is_white_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

/// Whether `byte` is a delimiter (table 2).
#[inline]
pub fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// Whether `byte` is a regular character.
#[inline]
pub fn is_regular(byte: u8) -> bool {
    REGULAR.get(usize::from(byte)).copied().unwrap_or(false)
}

/// Whether `byte` is a delimiter other than `/`.
#[inline]
pub(super) fn is_structural(byte: u8) -> bool {
    STRUCTURAL.get(usize::from(byte)).copied().unwrap_or(false)
}

/// [`is_regular`] for each byte: a look-up is faster than comparisons.
const REGULAR: [bool; 256] = others_than(b"\0\t\n\x0C\r ()<>[]{}/%", true);

/// [`is_structural`] for each byte.
const STRUCTURAL: [bool; 256] = others_than(b"()<>[]{}%", false);

/// A table with `is_so` for each byte except `others`.
#[allow(clippy::indexing_slicing, reason = "it is evaluated when it is compiled, where a wrong index is an error")]
const fn others_than(others: &[u8], is_so: bool) -> [bool; 256] {
    let mut table = [is_so; 256];
    let mut at = 0;
    while at < others.len() {
        table[others[at] as usize] = !is_so;
        at += 1;
    }
    table
}
