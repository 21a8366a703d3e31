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

/// Whether a sign is a vowel or another mark that is written at a Hebrew or an Arabic letter.
fn is_point(sign: char) -> bool {
    matches!(sign, '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}')
}

/// Whether more letters of these texts run to the left than to the right.
#[must_use]
pub fn runs_left<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    Letters::of(texts.flat_map(str::chars)).run_left()
}

/// A line among text that runs to the left does so too if one of so many of its letters does.
const FEW: usize = 4;

/// How many letters of a text run to the left, and to the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Letters {
    left: usize,
    right: usize,
}

impl Letters {
    /// Counts those of a text. Digits and signs are none.
    #[must_use]
    pub fn of(text: impl Iterator<Item = char>) -> Self {
        let mut letters = Self::default();
        for letter in text.filter(|sign| sign.is_alphabetic() && !is_point(*sign)) {
            *if is_right_to_left(letter) { &mut letters.left } else { &mut letters.right } += 1;
        }
        letters
    }

    /// Whether more run to the left than to the right.
    #[must_use]
    pub fn run_left(self) -> bool {
        self.left > self.right
    }

    /// Whether a line with these letters runs to the left among text that does.
    #[must_use]
    pub fn run_left_among_left(self) -> bool {
        self.left > 0 && FEW * self.left >= self.left + self.right
    }
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
