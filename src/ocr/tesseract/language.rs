//! The program's names of languages, and signs of the language of a text.

/// The bytes of a language tag that are read; real tags are shorter (RFC 5646, 4.4.1).
const MAX_TAG_BYTES: usize = 35;

/// The language of a tag such as `de-DE` (RFC 5646), by the program's names.
pub(super) fn language_of_tag(tag: &str) -> Option<&'static str> {
    let tag = tag.get(..tag.len().min(MAX_TAG_BYTES))?.to_ascii_lowercase();
    let mut parts = tag.split(['-', '_']);
    let language = parts.next()?;
    if language == "zh" {
        let is_traditional = parts.any(|part| ["hant", "tw", "hk", "mo"].contains(&part));
        return Some(if is_traditional { "chi_tra" } else { "chi_sim" });
    }
    LANGUAGES.iter().find(|(code, name)| language == *code || language == *name).map(|(_, name)| *name)
}

/// Languages by ISO 639-1, and by the program's names.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &str)] = &[
    ("ar", "ara"), ("bg", "bul"), ("ca", "cat"), ("cs", "ces"), ("da", "dan"), ("de", "deu"), ("el", "ell"),
    ("en", "eng"), ("es", "spa"), ("et", "est"), ("eu", "eus"), ("fa", "fas"), ("fi", "fin"), ("fr", "fra"),
    ("ga", "gle"), ("gl", "glg"), ("he", "heb"), ("hi", "hin"), ("hr", "hrv"), ("hu", "hun"), ("id", "ind"),
    ("is", "isl"), ("it", "ita"), ("ja", "jpn"), ("ko", "kor"), ("lt", "lit"), ("lv", "lav"), ("nb", "nor"),
    ("nl", "nld"), ("nn", "nor"), ("no", "nor"), ("pl", "pol"), ("pt", "por"), ("ro", "ron"), ("ru", "rus"),
    ("sk", "slk"), ("sl", "slv"), ("sq", "sqi"), ("sr", "srp"), ("sv", "swe"), ("th", "tha"), ("tr", "tur"),
    ("uk", "ukr"), ("vi", "vie"),
];

/// The usual language of a script, by the program's names.
pub(super) fn language_of_script(script: &str) -> Option<&'static str> {
    Some(match script {
        "Han" => "chi_sim",
        "Japanese" | "Katakana" | "Hiragana" => "jpn",
        "Hangul" | "Korean" => "kor",
        "Cyrillic" => "rus",
        "Greek" => "ell",
        "Arabic" => "ara",
        "Hebrew" => "heb",
        "Devanagari" => "hin",
        "Thai" => "tha",
        _ => return None,
    })
}

/// In a Japanese text, at least one of so many characters is a syllable (kana). Usually two of three are.
const SYLLABLE_SHARE: usize = 3;

/// In a Chinese or Japanese text, at least one of so many letters belongs to these scripts. The others are foreign words.
const CHARACTER_SHARE: usize = 4;

/// The language of a text with Chinese or Japanese characters, by the program's names. Japanese has syllables between them,
/// and a reader of either language takes the characters of the other for its own. `least` characters are needed.
pub(super) fn east_asian_language(text: &str, least: usize) -> Option<&'static str> {
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    let syllables = text.chars().filter(|character| is_syllable(*character)).count();
    let characters = syllables + text.chars().filter(|character| is_han(*character)).count();
    if characters < least || CHARACTER_SHARE * characters < letters {
        return None;
    }
    Some(if SYLLABLE_SHARE * syllables >= characters { "jpn" } else { "chi_sim" })
}

/// Whether most letters of a text are Latin, or it has none.
pub(super) fn is_latin(text: &str) -> bool {
    let letters = || text.chars().filter(|character| character.is_alphabetic());
    let latin = letters().filter(|letter| matches!(letter, '\0'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')).count();
    2 * latin >= letters().count()
}

/// Whether it belongs to a script that is written without spaces.
pub(super) fn is_unspaced(character: char) -> bool {
    let is_mark = matches!(character, '\u{3001}'..='\u{303F}' | '\u{30FB}'..='\u{30FF}' | '\u{FF01}'..='\u{FF60}');
    is_mark || is_han(character) || is_syllable(character)
}

fn is_syllable(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30FA}')
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_languages_are_the_names_of_the_program() {
        for (tag, name) in [
            ("de-DE", Some("deu")),
            ("EN_us", Some("eng")),
            ("deu", Some("deu")),
            ("zh-Hant-HK", Some("chi_tra")),
            ("zh", Some("chi_sim")),
            ("", None),
            ("../eng", None),
            ("\u{e9}", None),
        ] {
            assert_eq!(language_of_tag(tag), name, "{tag}");
        }
    }

    #[test]
    fn syllables_tell_japanese_from_chinese() {
        let han = "\u{6771}\u{4EAC}".repeat(10);
        assert_eq!(east_asian_language(&han, 20), Some("chi_sim"));
        assert_eq!(east_asian_language(&format!("{han}{}", "\u{306E}\u{30AB}".repeat(6)), 20), Some("jpn"));
        assert_eq!(east_asian_language(&format!("{han} {}", "words ".repeat(10)), 20), Some("chi_sim"));
        assert_eq!(east_asian_language(&format!("{han} {}", "words ".repeat(20)), 20), None);
        assert_eq!(east_asian_language("\u{6771}\u{4EAC}", 20), None);
    }
}
