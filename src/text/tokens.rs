//! What text costs a model, estimated: tokenizers differ, and none of a provider's is at hand.
//!
//! Runs of one kind of character are counted as byte-pair tokenizers tend to divide them: common words whole, long ones
//! in parts, digits by threes, other scripts by letters. The weights were set against o200k_base, a public vocabulary;
//! the README says how far off they are.

/// Parts that a token is counted in.
const TOKEN: u64 = 20;

/// A letter of East Asian scripts: somewhat less than a token, since common words are one.
const EAST_ASIAN: u64 = 17;

/// A mark: some of them come in pairs.
const MARK: u64 = 16;

/// Letters of a word that is one token.
const WHOLE_WORD: u64 = 7;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Latin,
    Digit,
    EastAsian,
    Letter,
    LineEnd,
    Blank,
    Mark,
}

impl Kind {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Self::Latin,
            '0'..='9' => Self::Digit,
            '\n' => Self::LineEnd,
            // From the first CJK radical on.
            '\u{2E80}'.. => Self::EastAsian,
            blank if blank.is_whitespace() => Self::Blank,
            letter if letter.is_alphabetic() => Self::Letter,
            _ => Self::Mark,
        }
    }

    /// What a run of so many characters costs, in parts of a token.
    fn cost(self, count: u64) -> u64 {
        match self {
            Self::Latin if count <= WHOLE_WORD => TOKEN,
            Self::Latin => TOKEN * (1 + (count - 2) / 6),
            Self::Digit | Self::Letter => TOKEN * count.div_ceil(3),
            Self::EastAsian => EAST_ASIAN * count,
            Self::LineEnd => TOKEN,
            // One blank belongs to the word that follows.
            Self::Blank => TOKEN * u64::from(count > 1),
            Self::Mark => MARK * count,
        }
    }
}

/// Tokens that `text` will cost a model, roughly.
#[must_use]
pub fn estimated_tokens(text: &str) -> u64 {
    let mut parts = 0_u64;
    let mut run: Option<(Kind, u64)> = None;
    for character in text.chars() {
        let kind = Kind::of(character);
        run = match run {
            Some((same, count)) if same == kind => Some((kind, count + 1)),
            other => {
                parts += other.map_or(0, |(kind, count)| kind.cost(count));
                Some((kind, 1))
            }
        };
    }
    parts += run.map_or(0, |(kind, count)| kind.cost(count));
    parts.div_ceil(TOKEN)
}

#[cfg(test)]
mod tests {
    use super::estimated_tokens;

    #[test]
    fn runs_are_counted_by_their_kind() {
        let cases = [
            ("", 0),
            ("abcdefg", 1),
            ("abcdefgh", 2),
            ("two words", 2),
            ("two\nlines", 3),
            ("1234", 2),
            ("漢字漢字", 4),
            ("слово", 2),
            ("(a)", 3),
        ];
        for (text, expected) in cases {
            assert_eq!(estimated_tokens(text), expected, "{text}");
        }
    }
}
