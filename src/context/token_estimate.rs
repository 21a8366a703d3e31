//! Estimates the number of tokens in a text, since providers' tokenizers differ and are not available.
//!
//! Runs of one kind of character are counted as byte-pair tokenizers tend to split them: common words whole, long words in
//! parts, digits by threes, other scripts by letters, runs of one mark nearly for free, rare characters by bytes. The
//! weights were fitted to the public vocabulary o200k_base; `benches/README.md` has the errors.

use pagewise_base::script::is_hangul;

/// Units in a token. All weights are in these units.
const TOKEN: u64 = 20;

/// An East Asian letter: less than a token, since common words are one token.
const EAST_ASIAN: u64 = 17;

/// A Korean syllable.
const HANGUL: u64 = 15;

/// A punctuation mark: some pairs are one token.
const MARK: u64 = 16;

/// An arrow, a box, or a mathematical sign.
const SYMBOL: u64 = 26;

/// A character that vocabularies have only as bytes.
const RARE: u64 = 40;

/// An accent in a short word. Many such words are one token.
const SHORT_ACCENT: u64 = 4;

/// The most letters of a short word.
const SHORT_WORD: u64 = 4;

/// The most letters of a word that is one token.
const WHOLE_WORD: u64 = 7;

/// A run of at least this many equal marks is about one token.
const LEADER: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Latin,
    Digit,
    EastAsian,
    Hangul,
    Letter,
    /// A letter of a script that is written without spaces.
    Unspaced,
    LineEnd,
    Blank,
    Mark,
    Symbol,
    Rare,
}

impl CharacterKind {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Self::Latin,
            '0'..='9' => Self::Digit,
            '\n' => Self::LineEnd,
            ' ' => Self::Blank,
            '!'..='~' => Self::Mark,
            accented if is_accented(accented) => Self::Latin,
            blank if blank.is_whitespace() => Self::Blank,
            '\u{E00}'..='\u{E7F}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' => Self::Unspaced,
            // Listed by range, since vowel signs are not alphabetic.
            '\u{900}'..='\u{DFF}' => Self::Letter,
            letter if is_common(letter) && letter.is_alphabetic() => Self::Letter,
            '\0'..='\u{6FF}' | '\u{2010}'..='\u{2027}' => Self::Mark,
            '\u{2000}'..='\u{2BFF}' => Self::Symbol,
            hangul if is_hangul(hangul) => Self::Hangul,
            // CJK from the first radical, without private use characters.
            '\u{2E80}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FFEF}' => {
                Self::EastAsian
            }
            _ => Self::Rare,
        }
    }
}

/// Whether a character is an accented Latin letter or a combining accent.
fn is_accented(letter: char) -> bool {
    matches!(letter, '\u{C0}'..='\u{24F}' | '\u{300}'..='\u{36F}' | '\u{1E00}'..='\u{1EFF}')
        && !matches!(letter, '×' | '÷')
}

/// Whether vocabularies have parts of words of this script: Greek to Arabic, Georgian, accented Greek.
fn is_common(letter: char) -> bool {
    matches!(letter, '\0'..='\u{77F}' | '\u{10A0}'..='\u{10FF}' | '\u{1F00}'..='\u{1FFF}')
}

/// A run of characters of one kind.
struct CharacterRun {
    kind: CharacterKind,
    count: u64,
    accents: u64,
    last: char,
    /// Whether all characters are the same.
    is_same: bool,
}

impl CharacterRun {
    fn new(kind: CharacterKind, character: char) -> Self {
        Self { kind, count: 1, accents: u64::from(is_accented(character)), last: character, is_same: true }
    }

    fn append(&mut self, character: char) {
        self.count += 1;
        self.accents += u64::from(is_accented(character));
        self.is_same &= character == self.last;
        self.last = character;
    }

    /// The cost in units of [`TOKEN`].
    fn cost(&self) -> u64 {
        let count = self.count;
        let is_leader = self.is_same && count >= LEADER;
        match self.kind {
            CharacterKind::Latin if count <= SHORT_WORD => TOKEN + SHORT_ACCENT * self.accents,
            CharacterKind::Latin if count <= WHOLE_WORD => TOKEN * (1 + self.accents),
            CharacterKind::Latin => TOKEN * (1 + (count - 2) / 6 + self.accents),
            CharacterKind::Digit | CharacterKind::Letter => TOKEN * count.div_ceil(3),
            CharacterKind::Unspaced => TOKEN * count.div_ceil(2),
            CharacterKind::EastAsian if is_leader => EAST_ASIAN + count,
            CharacterKind::EastAsian => EAST_ASIAN * count,
            CharacterKind::Hangul => HANGUL * count,
            CharacterKind::LineEnd => TOKEN,
            // A single blank belongs to the next word.
            CharacterKind::Blank => TOKEN * u64::from(count > 1),
            CharacterKind::Mark if is_leader => TOKEN + count,
            CharacterKind::Mark => MARK * count,
            CharacterKind::Symbol if is_leader => TOKEN + 2 * count,
            CharacterKind::Symbol => SYMBOL * count,
            CharacterKind::Rare => RARE * count,
        }
    }

    /// The additional cost before `next`: numbers do not include the blank before them.
    fn cost_before(&self, next: CharacterKind) -> u64 {
        if self.kind == CharacterKind::Blank && next == CharacterKind::Digit { TOKEN } else { 0 }
    }
}

/// The approximate number of tokens in `text`.
#[must_use]
pub(crate) fn estimated_tokens(text: &str) -> u64 {
    let mut parts = 0_u64;
    let mut run: Option<CharacterRun> = None;
    for character in text.chars() {
        let kind = CharacterKind::of(character);
        match &mut run {
            Some(run) if run.kind == kind => run.append(character),
            _ => {
                parts += run.as_ref().map_or(0, |run| run.cost() + run.cost_before(kind));
                run = Some(CharacterRun::new(kind, character));
            }
        }
    }
    parts += run.map_or(0, |run| run.cost());
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
            ("and 12 of 34", 6),
            ("漢字漢字", 4),
            ("한국어로", 3),
            ("слово", 2),
            ("ไทย", 2),
            ("(a)", 3),
            ("đã", 2),
            ("élève", 3),
            ("a........................................b", 5),
            ("→∑∫√", 6),
            ("\u{F02B}", 2),
            ("የሰው", 6),
        ];
        for (text, expected) in cases {
            assert_eq!(estimated_tokens(text), expected, "{text}");
        }
    }
}
