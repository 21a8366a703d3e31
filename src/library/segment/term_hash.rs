//! The hash by which a segment knows a term.

/// The hash of a key: FNV-1a, mixed so that its high bits are evenly spread. It is stored, so it stays as it is.
///
/// Two keys with one hash share their postings. The text of a page decides then.
pub(crate) fn term_hash(key: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    let mut hash = key.bytes().fold(0xCBF2_9CE4_8422_2325, fold);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_same_hash_in_every_version() {
        assert_eq!(term_hash("income"), 8_670_936_151_174_987_611);
        assert_ne!(term_hash("income"), term_hash("incomf"));
    }
}
