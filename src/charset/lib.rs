//! Charsets of texts: detects them, and decodes.
//!
//! Most files say nothing of their charset. UTF-8 and UTF-16 prove themselves; [`chardetng`] guesses the others, as Firefox
//! does. It takes any bytes for text, so [`Charset::detect`] first rules out what no text contains.

mod declared;

pub use declared::decode_text;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The charset of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(&'static Encoding);

/// Whether bytes are the whole text or its beginning, which may end within a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The whole text.
    Whole,
    /// The beginning of a longer text.
    Beginning,
}

impl Charset {
    pub const UTF_8: Self = Self(UTF_8);

    /// The name in the WHATWG's standard, such as `windows-1252` for Latin-1, `Shift_JIS` or `UTF-16LE`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Whether it is UTF-8 or UTF-16. Others are a guess.
    #[must_use]
    pub fn is_unicode(self) -> bool {
        [UTF_8, UTF_16LE, UTF_16BE].contains(&self.0)
    }

    /// The charset of these bytes; `None` if they are no text.
    #[must_use]
    pub fn detect(bytes: &[u8], extent: Extent) -> Option<Self> {
        if let Some((encoding, _)) = Encoding::for_bom(bytes) {
            return Self(encoding).decodes(bytes, extent).filter(|text| !text.contains('\0')).map(|_| Self(encoding));
        }
        if bytes.contains(&0) {
            return utf16_without_mark(bytes, extent).map(Self);
        }
        if bytes.is_ascii() && memchr::memmem::find(bytes, ISO_2022_ESCAPE).is_some() {
            return legacy(bytes, extent).or(Some(UTF_8)).map(Self);
        }
        let utf8 = Self::UTF_8.decodes(bytes, extent).map(|_| UTF_8);
        utf8.or_else(|| legacy(bytes, extent)).map(Self)
    }

    /// The text without a byte order mark, and whether all bytes were valid. Invalid ones become U+FFFD.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (String, bool) {
        let (text, had_errors) = self.0.decode_with_bom_removal(bytes);
        (text.into_owned(), !had_errors)
    }

    /// The text, if all bytes are valid. A text that goes on may end within a character.
    fn decodes(self, bytes: &[u8], extent: Extent) -> Option<String> {
        let mut decoder = self.0.new_decoder_with_bom_removal();
        let mut text = String::with_capacity(decoder.max_utf8_buffer_length_without_replacement(bytes.len())?);
        let is_last = extent == Extent::Whole;
        match decoder.decode_to_string_without_replacement(bytes, &mut text, is_last) {
            (DecoderResult::InputEmpty, _) => Some(text),
            _ => None,
        }
    }
}

/// Begins the Japanese parts of a text in ISO-2022-JP, whose bytes are all ASCII.
const ISO_2022_ESCAPE: &[u8] = b"\x1b$";

/// UTF-16, by the order of bytes that gives more characters of ASCII: texts in every language have spaces or line ends.
fn utf16_without_mark(bytes: &[u8], extent: Extent) -> Option<&'static Encoding> {
    let candidates = [UTF_16LE, UTF_16BE].into_iter().filter_map(|encoding| {
        let text = Charset(encoding).decodes(bytes, extent).filter(|text| is_plausible(text, 19, 20))?;
        let (ascii, all) = (text.chars().filter(char::is_ascii).count(), text.chars().count());
        // A few bytes at random may be a few letters.
        let is_enough =
            if all < 16 { ascii.saturating_mul(3) >= all * 2 } else { ascii.saturating_mul(MIN_ASCII) >= all };
        is_enough.then_some((ascii, encoding))
    });
    candidates.max_by_key(|(ascii, _)| *ascii).map(|(_, encoding)| encoding)
}

/// One of the charsets before Unicode.
fn legacy(bytes: &[u8], extent: Extent) -> Option<&'static Encoding> {
    // DOS ended its texts so.
    let text = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    if text.iter().any(|byte| is_binary(*byte)) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(text, extent == Extent::Whole);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let ascii = text.iter().filter(|byte| byte.is_ascii()).count();
    if encoding.is_single_byte() && ascii.saturating_mul(MIN_ASCII) < text.len() {
        return None;
    }
    Charset(encoding).decodes(text, extent).filter(|text| is_plausible(text, 3, 4)).map(|_| encoding)
}

/// One character in so many of a text is ASCII, where each is one byte or two: words are shorter than that.
const MIN_ASCII: usize = 20;

/// Control characters that no text contains. In bytes at random, every tenth is one.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// Whether `usual` of `all` characters or more are letters, digits, spaces and punctuation, and none is a control character.
fn is_plausible(text: &str, usual: usize, all: usize) -> bool {
    let is_control =
        |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0C' | '\x1B');
    let is_private = |character: char| matches!(character, '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'..='\u{FFFF}');
    if text.chars().any(|character| is_control(character) || is_private(character)) {
        return false;
    }
    let is_usual = |character: &char| {
        character.is_ascii() || character.is_alphanumeric() || character.is_whitespace() || is_punctuation(*character)
    };
    let (found, length) = (text.chars().filter(is_usual).count(), text.chars().count());
    found.saturating_mul(all) >= length.saturating_mul(usual)
}

fn is_punctuation(character: char) -> bool {
    matches!(character, '¡' | '«' | '·' | '»' | '¿' | '\u{2010}'..='\u{205E}' | '\u{2500}'..='\u{257F}'
        | '\u{3001}'..='\u{303F}' | '\u{FF01}'..='\u{FF65}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(bytes: &[u8]) -> Option<&'static str> {
        Charset::detect(bytes, Extent::Whole).map(Charset::name)
    }

    fn encoded(text: &str, label: &str) -> Vec<u8> {
        match label {
            "UTF-16LE" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            "UTF-16BE" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => {
                let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(UTF_8);
                encoding.encode(text).0.into_owned()
            }
        }
    }

    #[test]
    fn texts_are_known_by_their_bytes() {
        for (text, label) in [
            ("", "UTF-8"),
            ("Grüße aus Köln", "UTF-8"),
            ("café noir", "windows-1252"),
            ("Die Prüfung der Bücher – „für später“ – kostet 5 €.", "windows-1252"),
            ("Příliš žluťoučký kůň úpěl ďábelské ódy", "windows-1250"),
            ("Съешь же ещё этих мягких французских булок", "windows-1251"),
            ("Съешь же ещё этих мягких французских булок", "KOI8-U"),
            ("吾輩は猫である。名前はまだ無い。", "Shift_JIS"),
            ("吾輩は猫である。名前はまだ無い。", "EUC-JP"),
            ("吾輩は猫である。名前はまだ無い。", "ISO-2022-JP"),
            ("人人生而自由，在尊严和权利上一律平等。", "GBK"),
            ("人人生而自由，在尊嚴和權利上一律平等。", "Big5"),
            ("모든 인간은 태어날 때부터 자유로우며", "EUC-KR"),
            ("hello", "UTF-16LE"),
            ("Grüße\r\naus Köln", "UTF-16BE"),
            ("吾輩は猫である。\n名前はまだ無い。\n", "UTF-16LE"),
        ] {
            let bytes = encoded(text, label);
            assert_eq!(detected(&bytes), Some(label), "{text}");
            assert_eq!(
                Charset::detect(&bytes, Extent::Whole).map(|charset| charset.decode(&bytes)),
                Some((text.into(), true))
            );
        }
    }

    #[test]
    fn a_mark_decides_and_is_no_part_of_the_text() {
        for (bytes, name) in
            [(&b"\xEF\xBB\xBFhi"[..], "UTF-8"), (b"\xFF\xFEh\0i\0", "UTF-16LE"), (b"\xFE\xFF\0h\0i", "UTF-16BE")]
        {
            let charset = Charset::detect(bytes, Extent::Whole);
            assert_eq!(charset.map(|charset| (charset.name(), charset.decode(bytes).0)), Some((name, "hi".into())));
        }
        assert_eq!(detected(b"\xEF\xBB\xBF\xFF"), None);
        assert_eq!(detected(b"\xFF\xFE\0\xD8"), None, "half a pair");
        assert_eq!(detected(b"\xFF\xFE\0\0"), None);
    }

    #[test]
    fn what_is_no_text_has_no_charset() {
        let noise = |seed: u32| {
            let next = |state: &mut u32| {
                *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                Some(state.to_le_bytes()[3])
            };
            std::iter::successors(Some(seed), |_| Some(seed))
                .scan(seed, move |state, _| next(state))
                .take(256)
                .collect::<Vec<_>>()
        };
        assert!((0..200).all(|seed| detected(&noise(seed)).is_none()));
        for bytes in [
            &b"a\0b"[..],
            b"a\0\x01\x02",
            b"\x80\x81\x82\x83",
            &[0x80; 100],
            b"\x01\x02\xE9",
            b"caf\xE9\x7F",
            b"1\0\0\0\x10\0\0\0",
            &[1, 0, 2, 0, 3, 0],
            b"\x30\x10\x06\x07\x2A\x86\x48\xCE\x3D\x02\x01\x06\x05\x2B\x81\x04\x00\x22",
        ] {
            assert_eq!(detected(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn a_character_may_be_cut_only_where_the_text_goes_on() {
        for bytes in [&b"gr\xC3"[..], b"h\0i\0\x41"] {
            assert!(Charset::detect(bytes, Extent::Beginning).is_some_and(Charset::is_unicode));
            assert!(!Charset::detect(bytes, Extent::Whole).is_some_and(Charset::is_unicode));
        }
    }
}
