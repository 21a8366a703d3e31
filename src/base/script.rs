//! Scripts, as far as they decide where words end.

/// Whether a sign is Chinese or Japanese, or their punctuation, which is written without spaces. Korean has spaces.
#[must_use]
pub fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is a Korean syllable. A line of Korean may end within a word, without a hyphen.
#[must_use]
pub fn is_hangul(sign: char) -> bool {
    matches!(sign, '\u{ac00}'..='\u{d7a3}')
}

/// Whether a sign is of a script that runs to the left.
#[must_use]
pub fn is_right_to_left(sign: char) -> bool {
    matches!(sign, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Whether more letters of these texts run to the left than to the right.
#[must_use]
pub fn runs_left<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (mut left, mut right) = (0_usize, 0_usize);
    for letter in texts.flat_map(str::chars).filter(|sign| sign.is_alphabetic()) {
        *if is_right_to_left(letter) { &mut left } else { &mut right } += 1;
    }
    left > right
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
