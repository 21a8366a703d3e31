//! Maps glyph names to characters.

use super::publisher_fonts::PublisherFont;
use crate::fonts::{MAX_CODES, glyph_names};
use hayro_interpret::hayro_syntax::object::Array;
use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;
use std::collections::HashMap;

/// The characters of the standard glyph names in `post` tables, from `space` on (OpenType, "Glyph names").
const STANDARD: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\
    ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰\
    ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ";

/// The most bytes of a font program in which its encoding is looked for.
const MAX_ENCODING: usize = 1 << 15;

/// The number of standard names before `space`, which are invisible.
const FIRST: usize = 3;

/// The character of a glyph name: a standard name, a single letter, or a code point such as `uni0041` or `u1F600`. A
/// suffix after a full stop names a variant.
pub(crate) fn character_of(name: &str) -> Option<char> {
    let name = name.split('.').next().filter(|base| !base.is_empty())?;
    let mut letters = name.chars();
    if let (Some(only), None) = (letters.next(), letters.next()) {
        return Some(only);
    }
    parse_number(name).or_else(|| {
        let mut names = DEFAULT_GLYPH_NAMES.iter().skip(FIRST).zip(STANDARD.chars());
        names.find(|(known, _)| **known == name).map(|(_, character)| character)
    })
}

/// The text of a glyph name: that of its parts, which name a ligature, or of the letter whose variant it names.
pub(super) fn text_of(name: &str) -> Option<String> {
    let name = name.split('.').next()?;
    let endings = ["oldstyle", "small", "sign"].into_iter();
    let variant = endings.filter_map(|ending| name.strip_suffix(ending)).find(|base| character_of(base).is_some());
    variant.unwrap_or(name).split('_').map(character_of).collect()
}

/// The signs of Mathematical Pi by the numbers in their names, `H11005`: runs of numbers, each with the first.
const PI: [(u32, &str); 36] = [
    (6_036, "ℏ"),
    (7_001, "∀∃"),
    (9_001, CAPITALS),
    (9_251, "αβγδεζηθικλμνξοπρσςτυφχψωϖϑϕ"),
    (9_280, "ϵ"),
    (11_001, "+−×÷=±∓∝∞"),
    (11_011, "∼"),
    (11_013, "≡"),
    (11_015, "≈"),
    (11_021, "<>"),
    (11_030, "∴∵′″°"),
    (11_036, "⊥"),
    (11_061, "≅"),
    (11_080, "·"),
    (11_083, "∅"),
    (11_088, "⩽"),
    (11_091, "⩾"),
    (11_128, "∂"),
    (11_229, "≃"),
    (11_270, "≪≫"),
    (11_341, "|"),
    (11_349, "≤≥≲"),
    (11_407, "≳/"),
    (11_541, "′″°"),
    (11_545, "+−×÷=±∓"),
    (11_554, "·"),
    (11_556, "∝∞"),
    (11_568, "∘∗"),
    (11_612, "∇"),
    (11_633, "∇∂"),
    (17_003, "◇◆△▽"),
    (17_009, "▲▼"),
    (17_033, "●○"),
    (17_039, "■□"),
    (20_668, "∪∩"),
    (20_678, "∈"),
];
/// The sign with a stroke.
const PI_UNEQUAL: &str = "HS11005";

/// The character of a glyph of Mathematical Pi.
fn pi_character(name: &str) -> Option<char> {
    if name == PI_UNEQUAL {
        return Some('≠');
    }
    let number: u32 = name.strip_prefix('H')?.parse().ok()?;
    let sign = |(first, run): &(u32, &str)| run.chars().nth(usize::try_from(number.checked_sub(*first)?).ok()?);
    PI.iter().find_map(sign)
}

/// The names of the Greek letters, in the order of their alphabet.
const GREEK: [&str; 24] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
];
const CAPITALS: &str = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ";
const SMALL: &str = "αβγδεζηθικλμνξοπρστυφχψω";

/// The Greek letter in a name that adds a number to it: `Delta1`, `betatwo`.
fn greek_character(name: &str) -> Option<char> {
    let base = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let base = ["one", "two", "three"].iter().find_map(|number| base.strip_suffix(number)).unwrap_or(base);
    let at = GREEK.iter().position(|letter| base.eq_ignore_ascii_case(letter))?;
    (if base.starts_with(char::is_uppercase) { CAPITALS } else { SMALL }).chars().nth(at)
}

/// What fonts of formulas made for TeX call signs that have no standard names.
const TEX_SIGNS: [(&str, char); 8] = [
    // The bar of the sign, before an arrow.
    ("mapsto", '↦'),
    ("mapstochar", '↦'),
    ("nequal", '≠'),
    ("nelement", '∉'),
    ("simequal", '≅'),
    ("barex", '|'),
    ("hatwide", '\u{302}'),
    ("tildewide", '\u{303}'),
];
/// Ends of the names of calligraphic and double-struck capitals, with these, and of the sizes of brackets and roots.
const TEX_CAPITALS: [(&str, &str); 2] = [("cal", "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵"), ("bbb", "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ")];
const TEX_SIZES: [&str; 5] = ["bigg", "Bigg", "big", "Big", "low"];

/// The private character of the first calligraphic capital in the fonts of the STIX project.
const STIX_CAPITALS: u32 = 0xE22D;

/// The character of a glyph of formulas: `nequal`, `Rbbb`, `parenleftbig1`.
fn tex_character(name: &str) -> Option<char> {
    let name = name.trim_end_matches(|digit: char| digit.is_ascii_digit() && !name.starts_with("uni"));
    let sign = TEX_SIGNS.iter().find(|(sign, _)| *sign == name).map(|(_, sign)| *sign);
    let capital = |at: usize, capitals: &str| capitals.chars().nth(at);
    let named = || {
        let (letter, capitals) = TEX_CAPITALS.iter().find_map(|(end, all)| Some((name.strip_suffix(end)?, *all)))?;
        capital(('A'..='Z').position(|capital| letter.chars().eq([capital]))?, capitals)
    };
    let private = || {
        let at = u32::from(parse_number(name)?).checked_sub(STIX_CAPITALS)?;
        TEX_CAPITALS.first().and_then(|(_, capitals)| capital(usize::try_from(at).ok()?, capitals))
    };
    let sized = || TEX_SIZES.iter().find_map(|size| name.strip_suffix(size)).and_then(character_of);
    sign.or_else(named).or_else(private).or_else(sized)
}

/// The codes that the program of a Type 1 font names as TeX does (Adobe Type 1 Font Format, 2.2). Its encoding is plain text.
pub(super) fn tex_codes(program: &[u8]) -> HashMap<u32, Option<String>> {
    let plain = String::from_utf8_lossy(program.get(..MAX_ENCODING.min(program.len())).unwrap_or_default());
    let plain = plain.split("eexec").next().unwrap_or_default();
    let named = plain.split("dup ").filter_map(|entry| {
        let (code, name) = entry.split_once('/')?;
        let character = tex_character(name.split_whitespace().next()?)?;
        Some((code.trim().parse().ok()?, Some(character.to_string())))
    });
    named.take(MAX_CODES).collect()
}

/// The codes that `/Differences` of the font `font` names (ISO 32000-2, 9.6.5.2), with the text that each name says.
///
/// Old programs name the glyphs of a font by the codes that its characters had before: `/G41`, `/a65`.
pub(super) fn named_codes(differences: &Array<'_>, font: &str) -> HashMap<u32, Option<String>> {
    let names = glyph_names(differences);
    let unknown =
        names.iter().map(|(_, name)| name.as_str()).filter(|name| text_of(name).is_none()).collect::<Vec<_>>();
    let naming = CodeNaming::of(&unknown).filter(|_| unknown.len() * 2 >= names.len());
    let own = PublisherFont::of(font);
    let text = |name: &str| {
        own.and_then(|own| own.named_sign(name))
            .or_else(|| pi_character(name).map(String::from))
            .or_else(|| text_of(name))
            .or_else(|| greek_character(name).map(String::from))
            .or_else(|| naming?.character(name).map(String::from))
    };
    names.iter().map(|(code, name)| (*code, text(name))).collect()
}

/// How names say codes: a letter, and a number in base 16 or 10.
#[derive(Debug, Clone, Copy)]
struct CodeNaming {
    radix: u32,
}

impl CodeNaming {
    /// The naming that all names follow; `None` if some do not, so that the numbers are no codes.
    fn of(names: &[&str]) -> Option<Self> {
        let letter = names.first()?.chars().next().filter(char::is_ascii_alphabetic)?;
        if !names.iter().all(|name| name.starts_with(letter)) {
            return None;
        }
        let numbers = || names.iter().filter_map(|name| name.get(1..));
        let is_hexadecimal =
            letter == 'G' || numbers().any(|number| number.contains(|digit: char| !digit.is_ascii_digit()));
        let naming = Self { radix: if is_hexadecimal { 16 } else { 10 } };
        names.iter().all(|name| naming.character(name).is_some()).then_some(naming)
    }

    fn character(self, name: &str) -> Option<char> {
        let number = name.get(1..).filter(|number| self.radix == 10 || number.len() == 2)?;
        let code = u8::from_str_radix(number, self.radix).ok()?;
        Some(char::from(code)).filter(|character| !character.is_control())
    }
}

fn parse_number(name: &str) -> Option<char> {
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    if !(4..=6).contains(&digits.len()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_characters() {
        let names = ["uni0041", "u1F600", "A", "a.sc", "eacute", "hyphen", "dcroat", "fi", "Ograve"];
        let characters = names.map(|name| character_of(name).unwrap_or('?'));
        assert_eq!(characters, ['A', '😀', 'A', 'a', 'é', '-', 'đ', 'ﬁ', 'Ò']);
        for name in ["uniform", ".notdef", "g12", "uni00"] {
            assert_eq!(character_of(name), None, "{name}");
        }
    }

    #[test]
    fn names_of_ligatures_and_variants_say_their_letters() {
        let names = ["f_i", "fi", "f_f_l.liga", "zerooldstyle", "Asmall", "uni0041_uni0042", "dollarsign"];
        let texts = names.map(|name| text_of(name).unwrap_or_default());
        assert_eq!(texts, ["fi", "ﬁ", "ffl", "0", "A", "AB", "$"]);
        assert_eq!(text_of("G41"), None);
    }

    #[test]
    fn names_that_are_codes_say_their_characters() {
        let characters = |names: &[&str]| {
            let naming = CodeNaming::of(names)?;
            names.iter().map(|name| naming.character(name)).collect::<Option<String>>()
        };
        assert_eq!(characters(&["G54", "G68", "G65"]).as_deref(), Some("The"));
        assert_eq!(characters(&["a84", "a104", "a101"]).as_deref(), Some("The"));
        assert_eq!(characters(&["c6A", "c54"]).as_deref(), Some("jT"));
        for others in [["g3", "g12"], ["a84", "b104"], ["G54", "G1"], ["H11005", "H9004"]] {
            assert_eq!(characters(&others), None, "{others:?}");
        }
    }

    #[test]
    fn names_of_signs_by_tex_say_their_characters() {
        let names = ["nequal", "Rbbb", "Lcal", "uniE234", "parenleftbig1", "bracerightBigg", "radicallow"];
        assert_eq!(names.map(|name| tex_character(name).unwrap_or('?')), ['≠', 'ℝ', 'ℒ', 'ℋ', '(', '}', '√']);
        assert_eq!(["Rcala", "big", "calbbb", "n1", "uni0041", "uniE247"].map(tex_character), [None; 6]);
        let program = "/Encoding 256 array\ndup 44 /nequal put\ndup 65 /A put\ncurrentfile eexec dup 45 /nequal put";
        assert_eq!(tex_codes(program.as_bytes()), HashMap::from([(44, Some("≠".to_owned()))]));
    }

    #[test]
    fn each_standard_name_has_a_character() {
        assert_eq!(DEFAULT_GLYPH_NAMES.len(), STANDARD.chars().count() + FIRST);
    }

    #[test]
    fn the_numbers_of_mathematical_pi_are_signs_and_greek_letters() {
        let names = ["H11005", "H11001", "H11021", "H9251", "H9268", "H9273", "H9004", "H9024", "H11350", "HS11005"];
        let signs = ['=', '+', '<', 'α', 'σ', 'χ', 'Δ', 'Ω', '≥', '≠'];
        assert_eq!(names.map(|name| pi_character(name).unwrap_or('?')), signs);
        assert_eq!(["H", "H1", "H12011", "G11005", "H9279"].map(pi_character), [None; 5]);
    }

    #[test]
    fn names_of_variants_of_greek_letters_say_these() {
        let names = ["Delta1", "betatwo", "Sigma", "epsilon1", "omega"];
        assert_eq!(names.map(|name| greek_character(name).unwrap_or('?')), ['Δ', 'β', 'Σ', 'ε', 'ω']);
        assert_eq!(["two", "deltas", "pie", "Mux"].map(greek_character), [None; 4]);
    }
}
