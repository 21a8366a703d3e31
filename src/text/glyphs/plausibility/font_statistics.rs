//! Statistics on the text of one font on a page.

use super::FontReading;
use super::double_bytes::DoubleBytes;
use super::letter_pairs::{CHANCE, LETTERS, PAIRS};
use crate::glyphs::{GlyphText, PlacedGlyph, WritingDirection};
use pagewise_document::fast_hash::FastMap;

/// The largest gap between glyphs of one word, as a share of an em.
const WORD_EM: f64 = 0.15;

/// The most runs whose codes are recorded. More add nothing.
const MAX_RECORDED_RUNS: u32 = 32;

/// The most codes that are recorded.
const MAX_RECORDED_CODES: usize = 512;

/// Words of a language have at least so many distinct letters. Ratings and ornaments have fewer signs.
const MIN_WORDLESS: usize = 8;

/// The character and the end of the last glyph.
struct LastGlyph {
    character: char,
    direction: WritingDirection,
    end: f64,
    across: f64,
    size: f64,
}

/// Statistics on the text of one font on a page.
pub(crate) struct FontStatistics {
    /// Counts of letter pairs.
    pairs: Box<[[u32; LETTERS]; LETTERS]>,
    letters: [u32; LETTERS],
    /// Pairs of two accented letters or signs.
    odd_pairs: u32,
    all_pairs: u32,
    /// Pairs of two ASCII signs that rarely occur together.
    sign_pairs: u32,
    /// Pairs of two characters of which no words consist.
    wordless_pairs: u32,
    /// These characters, each once, and no more than needed.
    wordless: Vec<char>,
    /// Pairs of two lowercase letters.
    small_pairs: u32,
    /// A bit set of the ASCII signs that occur.
    signs: u128,
    glyphs: u32,
    private: u32,
    /// Number of glyphs without a character.
    unknown: u32,
    /// Number of glyphs whose characters are their codes, for want of anything better.
    guesses: u32,
    codes: FastMap<u32, char>,
    pub(crate) double_bytes: DoubleBytes,
    recorded_runs: u32,
    last: Option<LastGlyph>,
}

impl Default for FontStatistics {
    fn default() -> Self {
        Self {
            pairs: Box::new([[0; LETTERS]; LETTERS]),
            letters: [0; LETTERS],
            odd_pairs: 0,
            all_pairs: 0,
            sign_pairs: 0,
            wordless_pairs: 0,
            wordless: Vec::new(),
            small_pairs: 0,
            signs: 0,
            glyphs: 0,
            private: 0,
            unknown: 0,
            guesses: 0,
            codes: FastMap::default(),
            double_bytes: DoubleBytes::default(),
            recorded_runs: 0,
            last: None,
        }
    }
}

impl FontStatistics {
    /// Records the codes of a run with their characters, unless enough runs were recorded.
    pub(crate) fn record_codes<'k>(&mut self, codes: impl Iterator<Item = (u32, &'k GlyphText)>) {
        if self.recorded_runs == MAX_RECORDED_RUNS {
            return;
        }
        self.recorded_runs += 1;
        for (code, text) in codes {
            if let GlyphText::One(character) = text
                && !character.is_whitespace()
                && self.codes.len() < MAX_RECORDED_CODES
            {
                self.codes.insert(code, *character);
            }
        }
    }

    /// Counts glyphs: those whose character is not known, and those whose code is taken for the character.
    pub(crate) fn add_unknown(&mut self, unknown: u32, guesses: u32) {
        self.unknown = self.unknown.saturating_add(unknown);
        self.guesses = self.guesses.saturating_add(guesses);
    }

    /// Adds a glyph.
    pub(crate) fn add(&mut self, glyph: &PlacedGlyph) {
        let last = self.last.take().filter(|last| is_next(last, glyph)).map(|last| last.character);
        let last = match &glyph.text {
            GlyphText::One(character) => self.add_character(last, *character),
            GlyphText::Many(text) => text.chars().fold(last, |last, character| self.add_character(last, character)),
        };
        let PlacedGlyph { direction, end, across, size, .. } = *glyph;
        self.last = last.map(|character| LastGlyph { character, direction, end, across, size });
    }

    pub(crate) fn add_character(&mut self, last: Option<char>, character: char) -> Option<char> {
        if character.is_whitespace() {
            return None;
        }
        self.glyphs += 1;
        self.private += u32::from(is_private(character));
        if character.is_ascii_punctuation() {
            self.signs |= 1 << u32::from(character);
        }
        if let Some(letter) = letter(character).and_then(|letter| self.letters.get_mut(letter)) {
            *letter += 1;
        }
        if let Some(last) = last.filter(|last| *last != character && !are_in_order(*last, character)) {
            self.add_pair(last, character);
        }
        Some(character)
    }

    fn add_pair(&mut self, first: char, second: char) {
        self.all_pairs += 1;
        self.sign_pairs += u32::from(is_lone_sign(first) && is_lone_sign(second));
        self.small_pairs += u32::from(first.is_lowercase() && second.is_lowercase());
        self.odd_pairs += u32::from(is_odd(first) && is_odd(second));
        if is_wordless(first) && is_wordless(second) {
            self.wordless_pairs += 1;
            if self.wordless.len() < MIN_WORDLESS && !self.wordless.contains(&first) {
                self.wordless.push(first);
            }
        }
        if let (Some(row), Some(column)) = (letter(first), letter(second))
            && let Some(count) = self.pairs.get_mut(row).and_then(|row| row.get_mut(column))
        {
            *count += 1;
        }
    }

    /// How the font's codes become characters, after they were read by `last`.
    pub(crate) fn next_reading(&self, last: FontReading) -> FontReading {
        match (last, self.double_bytes.charset()) {
            (FontReading::Trusted, Some(charset)) => FontReading::Pairs(charset),
            (FontReading::Trusted, None) if !self.is_plausible() => FontReading::Distrusted,
            (FontReading::Distrusted, _) if self.is_cipher() => FontReading::Unknown,
            _ => last,
        }
    }

    /// Whether the characters are plausible text.
    pub(crate) fn is_plausible(&self) -> bool {
        self.has_plausible_pairs()
            && !self.has_odd_pairs()
            && !self.is_wordless()
            && !self.is_mostly_private()
            && !self.has_fabricated_map()
            && !self.is_guesswork()
    }

    /// Whether letter pairs look like words, are too few to judge, or look random.
    pub(super) fn has_plausible_pairs(&self) -> bool {
        /// With fewer distinct pairs, the mean weight says nothing.
        const FEW: f64 = 30.0;
        /// With this many distinct pairs, the mean weight is reliable.
        const MANY: f64 = 45.0;
        /// The least mean weight of text, with a margin for lists of commands and processor instructions.
        const MEAN: f64 = -1.5;
        /// The least mean weight if there are few distinct pairs.
        const MEAN_OF_FEW: f64 = -1.9;
        /// The thresholds are lower by this if the font has a character map.
        const STEP: f64 = 0.2;
        let (kinds, mean) = self.pair_mean();
        let least = if kinds >= MANY { MEAN } else { MEAN_OF_FEW };
        let least = if self.has_map() { least - STEP } else { least };
        kinds < FEW || mean >= least || !self.is_uneven()
    }

    /// Whether its letters stand for others beyond doubt, as where each name of a glyph is that of the next letter.
    fn is_cipher(&self) -> bool {
        /// More distinct pairs than in a table of parts.
        const MANY: f64 = 60.0;
        const MEAN: f64 = -1.9;
        let (kinds, mean) = self.pair_mean();
        kinds >= MANY && mean < MEAN && self.is_uneven()
    }

    /// The number of distinct pairs, and the mean of their weights.
    fn pair_mean(&self) -> (f64, f64) {
        let weighed = PAIRS.iter().zip(self.pairs.iter()).flat_map(|(weights, counts)| weights.iter().zip(counts));
        let (mut kinds, mut sum, mut all) = (0.0, 0.0, 0.0);
        for (weight, count) in weighed.filter(|(_, count)| **count > 0) {
            let often = f64::from(count.saturating_add(1)).log2();
            kinds += 1.0;
            sum += (f64::from(weight.saturating_sub(b'0')) - CHANCE) * often;
            all += often;
        }
        (kinds, if all > 0.0 { sum / all } else { 0.0 })
    }

    /// Whether letter frequencies are as uneven as in text, with enough distinct letters.
    fn is_uneven(&self) -> bool {
        /// The least number of distinct letters in text. Hexadecimal digits have 6, genes 4.
        const MIN_LETTERS: usize = 12;
        /// The least index of coincidence of text. It is 0.038 for 26 equally frequent letters.
        const MIN_COINCIDENCE: f64 = 0.05;
        let used = self.letters.iter().filter(|count| **count > 0).count();
        let all = self.letters.iter().map(|count| f64::from(*count)).sum::<f64>();
        let same = self.letters.iter().map(|count| f64::from(*count) * (f64::from(*count) - 1.0)).sum::<f64>();
        used >= MIN_LETTERS && same >= MIN_COINCIDENCE * all * (all - 1.0)
    }

    /// Whether most pairs are accented letters and signs, or words are full of ASCII signs.
    fn has_odd_pairs(&self) -> bool {
        /// More odd pairs than in a single word.
        const MIN_ODD_PAIRS: u32 = 6;
        /// More sign pairs than in a line of code.
        const MIN_SIGN_PAIRS: u32 = 10;
        /// At least one of this many pairs has two signs. Code has fewer, and words besides.
        const SIGN_SHARE: u32 = 12;
        /// At most one of this many pairs has two lowercase letters.
        const SMALL_SHARE: u32 = 5;
        /// The signs from `!` to `/`, as bits. Codes in order begin with them, so that a text has so many of them. Commands and
        /// patterns have fewer.
        const FIRST_SIGNS: u128 = 0x7FFF << 0x21;
        const MIN_SIGNS: u32 = 11;
        let is_accented = self.odd_pairs >= MIN_ODD_PAIRS && self.odd_pairs.saturating_mul(2) >= self.all_pairs;
        let is_signed = self.sign_pairs >= MIN_SIGN_PAIRS
            && self.sign_pairs.saturating_mul(SIGN_SHARE) >= self.all_pairs
            && self.small_pairs.saturating_mul(SMALL_SHARE) <= self.all_pairs
            && (self.signs & FIRST_SIGNS).count_ones() >= MIN_SIGNS;
        is_accented || is_signed
    }

    /// Whether words consist of signs, boxes or combining marks.
    fn is_wordless(&self) -> bool {
        /// More pairs than in ratings, ornaments and legends.
        const MIN_PAIRS: u32 = 20;
        self.wordless_pairs >= MIN_PAIRS
            && self.wordless_pairs.saturating_mul(4) >= self.all_pairs.saturating_mul(3)
            && self.wordless.len() >= MIN_WORDLESS
    }

    /// Whether most characters are private use characters.
    fn is_mostly_private(&self) -> bool {
        self.private > 0 && self.private.saturating_mul(2) >= self.glyphs
    }

    /// Whether most characters are codes in a font most of whose codes are no characters: they are numbers of its glyphs.
    fn is_guesswork(&self) -> bool {
        /// More glyphs than the Greek letters and operators of a formula.
        const MIN_UNKNOWN: u32 = 20;
        self.unknown >= MIN_UNKNOWN && self.unknown > self.glyphs && self.guesses.saturating_mul(2) > self.glyphs
    }

    /// Whether many codes map to the same few characters.
    fn has_fabricated_map(&self) -> bool {
        /// Fewer codes may be an accident.
        const MIN_CODES: usize = 8;
        /// The number of codes for each character.
        const CODES_A_CHARACTER: usize = 4;
        let mut characters = self.codes.values().collect::<Vec<_>>();
        characters.sort_unstable();
        characters.dedup();
        self.codes.len() >= MIN_CODES && characters.len() * CODES_A_CHARACTER <= self.codes.len()
    }

    /// Whether most codes differ from their characters, so that the font must have a character map.
    fn has_map(&self) -> bool {
        let mapped = self.codes.iter().filter(|(code, character)| **code != u32::from(**character)).count();
        mapped * 2 > self.codes.len()
    }
}

/// Whether `mark` is the next glyph of a word.
fn is_next(last: &LastGlyph, glyph: &PlacedGlyph) -> bool {
    let reach = WORD_EM * last.size.max(glyph.size);
    last.direction == glyph.direction
        && (glyph.start - last.end).abs() <= reach
        && (glyph.across - last.across).abs() <= reach
}

/// The row of a letter in [`PAIRS`].
fn letter(character: char) -> Option<usize> {
    match character.to_ascii_lowercase() {
        plain @ 'a'..='z' => usize::try_from(u32::from(plain).checked_sub(u32::from('a'))?).ok(),
        accented if is_accented(accented) => Some(LETTERS - 1),
        _ => None,
    }
}

fn is_accented(character: char) -> bool {
    matches!(character, '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Whether a character is an accented letter, or a sign that occurs in no word.
fn is_odd(character: char) -> bool {
    let is_sign = matches!(character, '¡'..='¨' | 'ª' | '¬' | '¯' | '´'..='¶' | '¸'..='º' | '¿' | '×' | '÷')
        || matches!(character, '\u{2C6}'..='\u{2DD}' | 'ƒ' | '†' | '‡' | '‰' | '‹' | '›' | '‚' | '„');
    is_accented(character) || is_sign
}

/// Whether a character is a sign of Latin-1, a spacing or combining mark, a shape or a dingbat.
fn is_wordless(character: char) -> bool {
    matches!(character, '\u{A1}'..='\u{BF}' | '×' | '÷' | '\u{2B0}'..='\u{36F}' | '\u{25A0}'..='\u{27BF}')
        && !matches!(character, 'ª' | 'µ' | 'º')
}

/// Whether a character is an ASCII sign that rarely stands next to another one.
fn is_lone_sign(character: char) -> bool {
    character.is_ascii_punctuation() && !"()[]{},.-_".contains(character)
}

/// Whether a character is for private use, except codes of symbol fonts and those that the Adobe Glyph List assigns.
pub(crate) fn is_private(character: char) -> bool {
    let is_symbol = matches!(character, '\u{F020}'..='\u{F0FF}' | '\u{F6BE}'..='\u{F8FF}');
    !is_symbol && matches!(character, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}')
}

/// Whether the characters are consecutive, as in charts.
fn are_in_order(first: char, second: char) -> bool {
    u32::from(second).checked_sub(u32::from(first)) == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn font(text: &str, code: impl Fn(char) -> u32) -> FontStatistics {
        let mut font = FontStatistics::default();
        let glyph_texts = text.chars().map(GlyphText::One).collect::<Vec<_>>();
        font.record_codes(text.chars().map(code).zip(&glyph_texts));
        PlacedGlyph::line(text, 0.0, 0.0, 10.0).iter().for_each(|glyph| font.add(glyph));
        font
    }

    fn is_plausible(text: &str) -> bool {
        font(text, u32::from).is_plausible()
    }

    const ENGLISH: &str = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age \
        of foolishness, it was the epoch of belief, it was the epoch of incredulity, it was the season of Light";

    const TEXTS: [&str; 14] = [
        ENGLISH,
        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, während die Übrigen schweigend zusahen",
        "Příliš žluťoučký kůň úpěl ďábelské ódy, zatímco ostatní koně mlčky přihlíželi a čekali na večeři",
        "Mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi, phải đối xử với nhau trong tình",
        "Egy hűtlen vejét fülöncsípő, dühös mexikói úr Wesselényinél mázol Quitóban, aztán továbbáll egy kocsin",
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan; heille on annettu järki",
        "if (isNull(ptr) || getSize(buf) != len) { fprintf(stderr, \"bad hdr\\n\"); return -EINVAL; } sscanf(str, fmt)",
        "SN74HC595N BC547B LM7805CT 2N2222A ATMEGA328P-PU NE555P 1N4148 IRFZ44N TL072CP CD4017BE MAX232N L298N",
        "3f9aa2c0d1b4 77fe01ab99cd deadbeef cafebabe 0badf00d 8badf00d abad1dea faceb00c feedface ba5eba11 defec8ed",
        "QmFzZTY0IGlzIGEgZ3JvdXAgb2YgYmluYXJ5LXRvLXRleHQgZW5jb2Rpbmcgc2NoZW1lcyB0aGF0IHJlcHJlc2VudCBiaW5hcnk",
        "GATTACAGATTACCAGGATCCTTAGGCATTAGCCTAGGATTCAGGCATTACGGATCCATTAGACCATTAG",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ",
        r"[!-?A-~]{1,254} \*|[:lower:^*=][:lower:]* ([0-9]+[MIDNSHP=X])+ \*|=|[:upper:^*=][:upper:]* [A-Za-z=.]+ [!-~]+",
        "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH",
    ];

    #[test]
    fn text_code_tables_and_strings_of_chance_are_plausible() {
        for text in TEXTS {
            assert!(is_plausible(text), "{text} {:?}", font(text, u32::from).pair_mean());
        }
        for text in
            ["Все люди рождаются свободными", "すべての人間は、生まれながらにして自由", "ทุกคนเกิดมามีอิสระ", "\u{F0B7}"]
        {
            assert!(is_plausible(text), "{text}");
        }
    }

    #[test]
    fn text_whose_codes_are_moved_or_exchanged_is_not() {
        let moved = |by: u32| {
            ENGLISH
                .chars()
                .map(move |letter| {
                    let code = u32::from(letter);
                    char::from_u32(code.saturating_sub(by)).filter(|_| code > 32).unwrap_or(' ')
                })
                .collect::<String>()
        };
        let mirrored = |letter: char| match letter {
            'a'..='z' => char::from_u32(u32::from('a') + u32::from('z') - u32::from(letter)).unwrap_or(letter),
            other => other,
        };
        let mut order = Vec::new();
        let numbered = |letter: char| {
            let at = order.iter().position(|known| *known == letter).unwrap_or_else(|| {
                order.push(letter);
                order.len() - 1
            });
            let code = u32::try_from(at + 33).unwrap_or_default();
            if letter == ' ' { ' ' } else { char::from_u32(code).unwrap_or_default() }
        };
        let numbered = ENGLISH.chars().map(numbered).collect();
        for text in [moved(29), moved(31), ENGLISH.chars().map(mirrored).collect(), numbered] {
            assert!(!is_plausible(&text), "{text} {:?}", font(&text, u32::from).pair_mean());
        }
        let mapped = font(&moved(29), |letter| u32::from(letter) + 1_000);
        assert!(mapped.has_map() && !mapped.is_plausible());
    }

    #[test]
    fn letters_that_the_font_program_exchanges_too_are_unknown() {
        let next = |letter: char| match letter {
            'a' => 'Z',
            'b'..='z' => char::from_u32(u32::from(letter) - 1).unwrap_or(letter),
            other => other,
        };
        let more =
            "; a page of a report has more words, which name products, quantities, customers and their back orders";
        let cipher = font(&ENGLISH.chars().chain(more.chars()).map(next).collect::<String>(), u32::from);
        assert_eq!(cipher.next_reading(FontReading::Trusted), FontReading::Distrusted);
        assert_eq!(cipher.next_reading(FontReading::Distrusted), FontReading::Unknown, "{:?}", cipher.pair_mean());
        assert_eq!(cipher.next_reading(FontReading::Unknown), FontReading::Unknown);
        for text in TEXTS.iter().map(|text| font(text, u32::from)) {
            assert_eq!(text.next_reading(FontReading::Trusted), FontReading::Trusted);
            assert_eq!(text.next_reading(FontReading::Distrusted), FontReading::Distrusted);
        }
    }

    #[test]
    fn scripts_that_are_taken_for_latin_and_made_up_maps_are_not() {
        assert!(!is_plausible("Âñå ëþäè ðîæäàþòñÿ ñâîáîäíûìè"));
        assert!(!is_plausible("\u{E001}\u{E002} \u{E003}"));
        let turned = |turn: fn(u32) -> u32| {
            ENGLISH
                .chars()
                .map(move |letter| if letter == ' ' { ' ' } else { char::from_u32(turn(letter.into())).unwrap_or(' ') })
        };
        assert!(!is_plausible(&turned(|code| 0x120 - code).collect::<String>()));
        assert!(!is_plausible(&turned(|code| 0x300 + code % 60).collect::<String>()));
        assert!(is_plausible("★★★☆☆ ★☆☆☆☆ ★★☆☆☆ ★★★★☆ ★★★☆☆ ★☆☆☆☆ ★★☆☆☆ ★★★★☆ ★★★☆☆ ★☆☆☆☆ ★★☆☆☆ ★★★★☆"));
        let mut code = 0;
        let mut made_up = FontStatistics::default();
        let text = vec![GlyphText::One('x'); 9];
        made_up.record_codes(text.iter().map(|text| {
            code += 1;
            (code, text)
        }));
        assert!(!made_up.is_plausible());
    }
}
