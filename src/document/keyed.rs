//! Hash tables whose keys are short: object numbers and names.
//!
//! The hash of the standard library takes some 180 instructions for a number, which came to 4 % of a split. This one
//! multiplies and folds, by two words that are drawn for each process: no file can know which of its numbers or names fall
//! together.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// A map by short keys.
pub(crate) type KeyedMap<K, V> = HashMap<K, V, Keyed>;

/// A set of short keys.
pub(crate) type KeyedSet<K> = HashSet<K, Keyed>;

static WORDS: LazyLock<Keyed> = LazyLock::new(|| {
    let drawn = RandomState::new();
    Keyed { start: drawn.hash_one(0), factor: drawn.hash_one(1) | 1 }
});

/// Makes hashes by the words of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keyed {
    start: u64,
    factor: u64,
}

impl Default for Keyed {
    fn default() -> Self {
        *WORDS
    }
}

impl BuildHasher for Keyed {
    type Hasher = Folding;

    fn build_hasher(&self) -> Folding {
        Folding { state: self.start, factor: self.factor }
    }
}

/// A hash in the making.
#[derive(Debug)]
pub(crate) struct Folding {
    state: u64,
    factor: u64,
}

impl Folding {
    #[inline]
    fn word(&mut self, word: u64) {
        self.state = folded(self.state ^ word, self.factor);
    }
}

/// The product, its upper half folded onto the lower one.
#[inline]
fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let low = u64::try_from(product & u128::from(u64::MAX)).unwrap_or_default();
    low ^ u64::try_from(product >> 64).unwrap_or_default()
}

impl Hasher for Folding {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        // The length tells what ends in zeroes from what does not.
        self.word(u64::from_le_bytes(last) ^ (bytes.len() as u64).rotate_right(8));
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u16(&mut self, value: u16) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.word(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.word(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.word(value as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // Tables take their places from the lowest bits and from the highest.
        folded(self.state, self.factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_spread() {
        let keyed = Keyed::default();
        let numbers: HashSet<u64> = (0..100_000_u32).map(|number| keyed.hash_one(number) >> 32).collect();
        assert!(numbers.len() > 99_000, "{} of the upper halves", numbers.len());
        let slots: HashSet<u64> = (0..100_000_u32).map(|number| keyed.hash_one(number << 12) & 0xF_FFFF).collect();
        assert!(slots.len() > 90_000, "{} of the lower bits", slots.len());
        let names = [&b""[..], b"\0", b"\0\0", b"F1", b"F1\0", b"12345678", b"12345678\0", b"\x0112345678"];
        let hashes: HashSet<u64> = names.iter().map(|name| keyed.hash_one(name)).collect();
        assert_eq!(hashes.len(), names.len());
    }
}
