//! Scripts, as far as they decide where words end.

/// Whether a sign is Chinese or Japanese, or their punctuation, which is written without spaces. Korean has spaces.
#[must_use]
pub fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::is_ideograph;

    #[test]
    fn signs_of_other_scripts_beyond_the_ideographs_are_none() {
        assert!(['漢', 'か', 'カ', '。', '！', '\u{20000}'].into_iter().all(is_ideograph));
        // Korean, a presentation form of Arabic, a ligature of Latin, an emoji.
        assert!(!['한', '\u{fedf}', '\u{fb01}', '\u{1f600}', 'a'].into_iter().any(is_ideograph));
    }
}
