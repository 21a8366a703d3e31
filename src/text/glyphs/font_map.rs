//! What a font dictionary says of its characters, besides what the interpreter reads of it.

use super::character_maps;
use super::glyph_names::{named_codes, tex_codes};
use super::publisher_fonts::PublisherFont;
use crate::fonts::{BitmapFont, TexEncoding, base_name, without_tag};
use hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream, String as PdfString};
use hayro_interpret::kurbo::Rect;
use std::collections::HashMap;

/// The most lines of a damaged character map that are read.
const MAX_LINES: usize = 1 << 17;

/// The characters of a font's codes.
#[derive(Debug, Default)]
pub(super) struct FontMap {
    /// The sound lines of a damaged `/ToUnicode`.
    to_unicode: Option<CMap>,
    collection: Option<CidCollection>,
    /// The codes whose glyphs are named, with what the names say.
    names: HashMap<u32, Option<String>>,
    /// Whether the codes are characters.
    is_unicode: bool,
    /// If it is a Type 3 font, what its widths say.
    bitmaps: Option<BitmapFont>,
    has_to_unicode: bool,
    /// If it is a publisher's font of signs, what its codes are.
    publisher: Option<PublisherFont>,
    /// Whether it is a font of variables made for TeX, and has no `ToUnicode` map.
    is_math_italic: bool,
    /// Whether it is an embedded TrueType font without `/Encoding` and `/ToUnicode`: nothing says which characters its codes
    /// are.
    is_bare: bool,
    /// Its signs, whose codes programs give as private characters.
    signs: Option<SignFont>,
    /// Whether it is a composite font, whose codes are numbers of glyphs.
    is_composite: bool,
}

/// A font of signs whose codes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignFont {
    Symbol,
    Wingdings,
}

/// Where the private characters of the codes of symbol fonts begin (OpenType, platform 3, encoding 0).
const PRIVATE_CODES: u32 = 0xF000;

/// The bullets, boxes, ticks, numbers and arrows of Wingdings: runs of codes, each with the first. Its other signs are pictures.
const WINGDINGS: [(u32, &str); 9] = [
    (0x28, "☎✆✉"),
    (0x45, "☜☞☝☟"),
    (0x6C, "●❍■☐❐❑❒⬧♦◆❖⬥☒"),
    (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    (0x9E, "·•"),
    (0xA7, "▪☐"),
    (0xD8, "➢"),
    (0xDF, "←→↑↓↖↗↙↘"),
    (0xFB, "✗✓☒☑"),
];

/// The characters of Symbol (ISO 32000-2, D.5), in the same way. Greek letters and brackets are those of
/// Unicode, for some of which Adobe's list of glyph names has compatibility forms.
const SYMBOL: [(u32, &str); 3] = [
    (0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u{203E}αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼"),
    (0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"),
    (0xF1, "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"),
];

/// Fonts of signs, by what is in their names. Their codes are no characters.
const FONTS_OF_SIGNS: [&str; 5] = ["symbol", "wingding", "webding", "dingbat", "marlett"];

/// The fonts of TeX in its encoding for letters of formulas, by the beginning of their names.
const MATH_ITALICS: [&str; 6] = ["cmmi", "lmmathitalic", "txmi", "pxmi", "rtxmi", "rpxmi"];

/// Maps the codes of a CID font to characters.
#[derive(Debug)]
struct CidCollection {
    encoding: CMap,
    to_unicode: CMap,
}

impl FontMap {
    pub(super) fn of(font: &Dict<'_>) -> Self {
        let names = font.get::<Dict<'_>>(b"Encoding").and_then(|encoding| encoding.get::<Array<'_>>(b"Differences"));
        Self {
            to_unicode: damaged_map(font),
            collection: collection(font),
            names: names
                .map(|names| named_codes(&names, &base_name(font)))
                .or_else(|| program_names(font))
                .unwrap_or_default(),
            is_unicode: has_unicode_codes(font),
            bitmaps: BitmapFont::of(font),
            has_to_unicode: font.contains_key(b"ToUnicode"),
            publisher: PublisherFont::of(&base_name(font)),
            is_math_italic: is_math_italic(font),
            is_bare: is_bare(font),
            signs: SignFont::of(&base_name(font)),
            is_composite: font.contains_key(b"DescendantFonts"),
        }
    }

    /// The Greek letter of a code. Adobe's list of glyph names has the two forms of a letter the other way round than TeX, or
    /// one of them.
    pub(super) fn greek_form(&self, code: u32) -> Option<char> {
        let form = TexEncoding::MathLetters.text(code)?.chars().next()?;
        (self.is_math_italic && matches!(form, 'ϵ' | 'ϕ' | 'ε' | 'φ')).then_some(form)
    }

    /// The sign that a font of signs has for a code, or for the private character that stands for it.
    pub(super) fn sign(&self, code: u32) -> Option<char> {
        self.signs?.sign(code.checked_sub(PRIVATE_CODES).unwrap_or(code))
    }

    /// The sign that a font without letters has for the letter that a code was read as. A map that gives the numbers of glyphs
    /// for characters says nothing.
    pub(super) fn sign_of_letter(&self, letter: char, code: u32) -> Option<char> {
        let is_number = self.is_composite && u32::from(letter) == code;
        let is_letter = self.signs == Some(SignFont::Wingdings) && letter <= '\u{FF}' && !is_number;
        self.sign(letter.into()).filter(|_| is_letter)
    }

    /// The sign of a code of which nothing else is known.
    pub(super) fn sign_of_code(&self, code: u32) -> Option<char> {
        self.sign(code).filter(|_| !self.is_composite && !self.is_named(code))
    }

    /// Whether a code is to be read in Windows-1252. Some programs leave out the encodings of TrueType fonts, and other readers
    /// take this one then.
    pub(super) fn is_windows_code(&self, code: u32) -> bool {
        self.is_bare && code <= 0xFF
    }

    /// The text of a code; `None` if unknown.
    pub(super) fn text(&self, code: u32) -> Option<BfString> {
        let by_map = || self.to_unicode.as_ref()?.lookup_bf_string(code);
        let by_publisher = || self.publisher?.sign(char::from_u32(code)?).map(BfString::String);
        let own = self.tex_text(code).or_else(by_map).or_else(|| self.name_text(code)).or_else(by_publisher);
        own.or_else(|| self.collection.as_ref()?.text(code))
    }

    /// The text that a code has in a bitmap font of TeX.
    pub(super) fn tex_text(&self, code: u32) -> Option<BfString> {
        self.bitmaps.as_ref()?.encoding?.text(code).map(BfString::String)
    }

    /// The sign that a publisher's font of signs draws for a code that was read as `character`. `None` if `/ToUnicode` gave the
    /// character, and it is neither the code itself nor what the glyph's name says: such a map was made for this font.
    pub(super) fn publisher_sign(&self, character: char, code: u32) -> Option<BfString> {
        let is_said = |text: BfString| matches!(text, BfString::String(text) if text.chars().eq([character]));
        let is_own = u32::from(character) == code || !self.has_to_unicode || self.name_text(code).is_some_and(is_said);
        self.publisher.filter(|_| is_own)?.sign(character).map(BfString::String)
    }

    /// The em of a Type 3 font, in thousandths of the unit of text space.
    pub(super) fn em(&self) -> Option<f64> {
        self.bitmaps.as_ref()?.em
    }

    /// The extent of a sign of a Type 3 font that grows, in the same unit.
    pub(super) fn extent(&self, code: u32) -> Option<Rect> {
        self.bitmaps.as_ref()?.extents.get(&code).copied()
    }

    /// What the name of a code's glyph says.
    pub(super) fn name_text(&self, code: u32) -> Option<BfString> {
        self.names.get(&code).cloned().flatten().map(BfString::String)
    }

    /// The character that a code is itself; `None` if codes are no characters.
    pub(super) fn character(&self, code: u32) -> Option<char> {
        char::from_u32(code).filter(|_| self.is_unicode)
    }

    /// Whether the font names the glyph of a code, so that the code says nothing.
    pub(super) fn is_named(&self, code: u32) -> bool {
        self.names.contains_key(&code)
    }
}

impl CidCollection {
    fn text(&self, code: u32) -> Option<BfString> {
        let cid = (1..=4).find_map(|length| self.encoding.lookup_cid_code(code, length))?;
        self.to_unicode.lookup_bf_string(cid)
    }
}

/// The predefined character collection of a CID font (ISO 32000-2, 9.7.5.2).
fn collection(font: &Dict<'_>) -> Option<CidCollection> {
    let encoding = encoding(&font.get::<Object<'_>>(b"Encoding")?)?;
    let own = encoding.metadata().character_collection.as_ref().map(|collection| collection.family.clone());
    let family = own.filter(|family| *family != CidFamily::AdobeIdentity).or_else(|| family(&descendant(font)?))?;
    let to_unicode = CMap::parse(load_embedded(family.ucs2_cmap()?)?, load_embedded)?;
    Some(CidCollection { encoding, to_unicode })
}

fn descendant<'p>(font: &Dict<'p>) -> Option<Dict<'p>> {
    font.get::<Array<'p>>(b"DescendantFonts")?.iter::<Dict<'p>>().next()
}

fn family(descendant: &Dict<'_>) -> Option<CidFamily> {
    let info = descendant.get::<Dict<'_>>(b"CIDSystemInfo")?;
    let (registry, ordering) = (info.get::<PdfString<'_>>(b"Registry")?, info.get::<PdfString<'_>>(b"Ordering")?);
    Some(CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes()))
}

fn encoding(encoding: &Object<'_>) -> Option<CMap> {
    match encoding {
        Object::Name(name) => match CMapName::from_bytes(name) {
            CMapName::IdentityH => Some(CMap::identity_h()),
            CMapName::IdentityV => Some(CMap::identity_v()),
            other => CMap::parse(character_maps::load(other)?, character_maps::load),
        },
        Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, character_maps::load),
        _ => None,
    }
}

/// Whether the codes of a CID font are Unicode: they are identifiers, and a map of its own leads from these to glyphs. With
/// the identity map, they would be numbers of glyphs.
fn has_unicode_codes(font: &Dict<'_>) -> bool {
    let is_identity =
        font.get::<Name<'_>>(b"Encoding").is_some_and(|name| matches!(&*name, b"Identity-H" | b"Identity-V"));
    is_identity && descendant(font).is_some_and(|descendant| descendant.get::<Stream<'_>>(b"CIDToGIDMap").is_some())
}

fn is_bare(font: &Dict<'_>) -> bool {
    let is_sign = |name: &str| FONTS_OF_SIGNS.iter().any(|word| name.contains(word));
    let descriptor = font.get::<Dict<'_>>(b"FontDescriptor");
    descriptor.is_some_and(|descriptor| descriptor.contains_key(b"FontFile2"))
        && font.get::<Name<'_>>(b"Subtype").is_some_and(|subtype| *subtype == *b"TrueType")
        && ![b"Encoding".as_slice(), b"ToUnicode"].iter().any(|key| font.contains_key(key))
        && !is_sign(&base_name(font).to_lowercase())
}

impl SignFont {
    /// The font of signs with this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let name = without_tag(&name);
        // Others have what they are made for in their names.
        let is_symbol = |rest: &str| !rest.trim_start_matches("mt").starts_with(char::is_alphanumeric);
        // The sequels, Wingdings 2 and 3, have other signs.
        let is_wingdings = |rest: &str| !rest.contains(['2', '3']);
        let symbol = name.strip_prefix("symbol").is_some_and(is_symbol).then_some(Self::Symbol);
        symbol.or_else(|| name.strip_prefix("wingdings").is_some_and(is_wingdings).then_some(Self::Wingdings))
    }

    pub(super) fn sign(self, code: u32) -> Option<char> {
        let runs = match self {
            Self::Symbol => SYMBOL.as_slice(),
            Self::Wingdings => WINGDINGS.as_slice(),
        };
        runs.iter().find_map(|(first, run)| run.chars().nth(usize::try_from(code.checked_sub(*first)?).ok()?))
    }
}

fn is_math_italic(font: &Dict<'_>) -> bool {
    let is_named = |name: Name<'_>| {
        let name = String::from_utf8_lossy(&name).to_lowercase();
        MATH_ITALICS.iter().any(|begin| without_tag(&name).starts_with(begin))
    };
    font.get::<Name<'_>>(b"BaseFont").is_some_and(is_named) && font.get::<Stream<'_>>(b"ToUnicode").is_none()
}

/// What the program of a Type 1 font without `/Encoding` calls its signs of formulas.
fn program_names(font: &Dict<'_>) -> Option<HashMap<u32, Option<String>>> {
    let descriptor = font.get::<Dict<'_>>(b"FontDescriptor").filter(|_| !font.contains_key(b"Encoding"))?;
    Some(tex_codes(&descriptor.get::<Stream<'_>>(b"FontFile")?.decoded_data().ok()?))
}

/// The sound lines of a `/ToUnicode` that the interpreter refuses as a whole.
fn damaged_map(font: &Dict<'_>) -> Option<CMap> {
    let map = font.get::<Stream<'_>>(b"ToUnicode")?.decoded_data().ok()?;
    match CMap::parse(&map, character_maps::load) {
        Some(_) => None,
        None => CMap::parse(sound_lines(&String::from_utf8_lossy(&map)).as_bytes(), character_maps::load),
    }
}

/// The lines of a character map that say which characters codes have.
fn sound_lines(map: &str) -> String {
    let mut sound = String::new();
    let mut section = None;
    for line in map.lines().take(MAX_LINES) {
        let (before, keyword) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line.trim()));
        match keyword.trim() {
            "beginbfchar" => section = Some(("beginbfchar", "endbfchar", 2)),
            "beginbfrange" => section = Some(("beginbfrange", "endbfrange", 3)),
            "endbfchar" | "endbfrange" => section = None,
            _ => {
                let Some((begin, end, operands)) = section else { continue };
                let strings = hexadecimal_strings(line);
                if before.contains('[') || strings.is_empty() || !strings.len().is_multiple_of(operands) {
                    continue;
                }
                sound.push_str(&format!("1 {begin} {} {end}\n", strings.join(" ")));
            }
        }
    }
    sound
}

/// The hexadecimal strings of a line, none if it holds others.
fn hexadecimal_strings(line: &str) -> Vec<&str> {
    let strings = line.split_inclusive('>').map(str::trim).filter(|string| !string.is_empty()).collect::<Vec<_>>();
    let is_sound = |string: &&str| {
        let digits = string.strip_prefix('<').and_then(|string| string.strip_suffix('>'));
        digits.is_some_and(|digits| !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_hexdigit()))
    };
    if strings.iter().all(is_sound) { strings } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_private_characters_of_fonts_of_signs_are_their_signs() {
        let signs = |signs| {
            let font = FontMap { signs, ..FontMap::default() };
            [0xF0A8, 0xF041, 0xFE, 0xF071, 0x81].map(|code| font.sign(code))
        };
        assert_eq!(signs(Some(SignFont::Wingdings)), [Some('☐'), None, Some('☑'), Some('❑'), Some('①')]);
        assert_eq!(signs(Some(SignFont::Symbol)), [Some('♦'), Some('Α'), Some('⎭'), Some('θ'), None]);
        assert_eq!(signs(None), [None; 5]);
    }

    #[test]
    fn wingdings_has_no_letters_unless_they_are_numbers_of_glyphs() {
        let font = |signs, is_composite| FontMap { signs: Some(signs), is_composite, ..FontMap::default() };
        let wingdings = font(SignFont::Wingdings, true);
        let read = [('þ', 0x88), ('o', 0x52), ('þ', 0xFE), ('☑', 0x88)];
        assert_eq!(
            read.map(|(letter, code)| wingdings.sign_of_letter(letter, code)),
            [Some('☑'), Some('☐'), None, None]
        );
        assert_eq!(font(SignFont::Wingdings, false).sign_of_letter('þ', 0xFE), Some('☑'));
        assert_eq!(font(SignFont::Symbol, false).sign_of_letter('a', 0x61), None);
    }

    #[test]
    fn signs_of_symbol_have_their_codes() {
        let sign = |code| SignFont::Symbol.sign(code).unwrap_or_default();
        assert_eq!([0x2D, 0x44, 0x57, 0x60, 0x6D, 0x7E].map(sign), ['−', 'Δ', 'Ω', '\u{203E}', 'µ', '∼']);
        assert_eq!(
            [0xA3, 0xB0, 0xB1, 0xB4, 0xD6, 0xE1, 0xE5, 0xF1, 0xFE].map(sign),
            ['≤', '°', '±', '×', '√', '⟨', '∑', '⟩', '⎭']
        );
        assert_eq!([0x1F, 0x7F, 0x9F, 0xF0, 0xFF].map(|code| SignFont::Symbol.sign(code)), [None; 5]);
    }

    #[test]
    fn a_bad_line_of_a_map_costs_only_itself() {
        let map = "/CMapName /X def\n3 beginbfchar\n<01> <0041>\n<02> <>\n<03> <0043\n<04> <0044>\nendbfchar\n\
            2 beginbfrange\n<10> <12> <0061>\n<20> 5\nendbfrange\nend";
        assert!(CMap::parse(map.as_bytes(), character_maps::load).is_none());
        let sound = CMap::parse(sound_lines(map).as_bytes(), character_maps::load);
        let text = |code| sound.as_ref().and_then(|map| map.lookup_bf_string(code));
        assert_eq!(text(1), Some(BfString::Char('A')));
        assert_eq!(text(2), None);
        assert_eq!(text(4), Some(BfString::Char('D')));
        assert_eq!(text(0x12), Some(BfString::Char('c')));
    }
}
