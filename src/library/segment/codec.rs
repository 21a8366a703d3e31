//! Numbers and texts as bytes. Reading checks every length.

/// Appends a number in as few bytes as it needs, seven bits in each.
pub(crate) fn put_number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

fn low_bits(value: u32) -> u8 {
    u8::try_from(value & 0x7F).unwrap_or_default()
}

/// Appends a text with its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, u32::try_from(text.len()).unwrap_or(u32::MAX));
    out.extend_from_slice(text.as_bytes());
}

/// Reads what the functions above wrote. Each call gives `None` at the first damage.
#[derive(Debug, Clone)]
pub(crate) struct Decoder<'a> {
    bytes: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Reads `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Whether all is read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes that are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len()
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    /// A number of at most 32 bits.
    pub(crate) fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7F).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*first)
    }

    /// A number of four bytes.
    pub(crate) fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// A number of eight bytes.
    pub(crate) fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// A text with its length.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read_and_damage_is_seen() {
        let mut bytes = Vec::new();
        for value in [0, 127, 128, 70_000, u32::MAX] {
            put_number(&mut bytes, value);
        }
        put_text(&mut bytes, "naïve");
        let mut decoder = Decoder::new(&bytes);
        let numbers = std::array::from_fn(|_| decoder.number());
        assert_eq!(numbers, [Some(0), Some(127), Some(128), Some(70_000), Some(u32::MAX)]);
        assert_eq!(decoder.text(), Some("naïve"));
        assert!(decoder.is_at_end());
        assert_eq!(Decoder::new(&[0xFF; 9]).number(), None);
        assert_eq!(Decoder::new(&[9, b'a']).text(), None);
    }
}
