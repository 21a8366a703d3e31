//! The fonts of appearances that are made here: codes and widths of what a form field says.

use lopdf::{Dictionary, Object};
use std::fmt::Write;

/// A font that an appearance uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    /// One of the standard fonts, in `WinAnsiEncoding`.
    Standard(&'static str),
    /// ZapfDingbats.
    Dingbats,
    /// A font from outside for what the standard fonts lack, by the character collection that names its script.
    Wide(&'static str),
}

/// The map of a [`Face::Wide`]: codes are UTF-16.
pub(super) const TO_UNICODE: &[u8] = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def \
    1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end end";

impl Face {
    pub(super) fn resource_name(&self) -> &'static str {
        match self {
            Self::Standard(_) => "T",
            Self::Dingbats => "Z",
            Self::Wide(_) => "W",
        }
    }

    /// The font's dictionary.
    pub(super) fn font(&self, to_unicode: Object) -> Dictionary {
        let name = |text: &str| Object::Name(text.as_bytes().to_vec());
        let font =
            |entries: Vec<(&str, Object)>| Dictionary::from_iter([("Type", name("Font"))].into_iter().chain(entries));
        match self {
            Self::Standard(base) => {
                font(vec![("Subtype", name("Type1")), ("BaseFont", name(base)), ("Encoding", name("WinAnsiEncoding"))])
            }
            Self::Dingbats => font(vec![("Subtype", name("Type1")), ("BaseFont", name("ZapfDingbats"))]),
            Self::Wide(ordering) => {
                let system = Dictionary::from_iter([
                    ("Registry", Object::string_literal("Adobe")),
                    ("Ordering", Object::string_literal(*ordering)),
                    ("Supplement", Object::Integer(0)),
                ]);
                let width = if *ordering == "Identity" { 600 } else { 1_000 };
                let descendant = font(vec![
                    ("Subtype", name("CIDFontType2")),
                    ("BaseFont", name("FieldValue")),
                    ("CIDSystemInfo", Object::Dictionary(system)),
                    ("DW", Object::Integer(width)),
                ]);
                font(vec![
                    ("Subtype", name("Type0")),
                    ("BaseFont", name("FieldValue")),
                    ("Encoding", name("Identity-H")),
                    ("DescendantFonts", Object::Array(vec![Object::Dictionary(descendant)])),
                    ("ToUnicode", to_unicode),
                ])
            }
        }
    }

    /// For text in a font of this name.
    pub(super) fn for_text(text: &str, font: &[u8]) -> Self {
        if text.chars().all(|character| character == '\n' || win_ansi(character).is_some()) {
            return Self::Standard(standard_font(font));
        }
        let has = |from: char, to: char| text.chars().any(|character| (from..=to).contains(&character));
        Self::Wide(match () {
            () if has('\u{3040}', '\u{30FF}') => "Japan1",
            () if has('\u{AC00}', '\u{D7AF}') => "Korea1",
            () if has('\u{2E80}', '\u{9FFF}') => "GB1",
            () => "Identity",
        })
    }

    /// `text` as the operand of an operator that shows it.
    pub(super) fn shown(self, text: &str) -> String {
        let mut operand = String::from("<");
        for character in text.chars() {
            let written = match self {
                Self::Wide(_) => {
                    let code = u16::try_from(u32::from(character)).unwrap_or(0xFFFD);
                    write!(operand, "{code:04X}")
                }
                Self::Standard(_) | Self::Dingbats => write!(operand, "{:02X}", win_ansi(character).unwrap_or(b'?')),
            };
            debug_assert!(written.is_ok(), "a string takes all");
        }
        operand.push('>');
        operand
    }

    /// The width of `text` in ems.
    pub(super) fn width(self, text: &str) -> f64 {
        text.chars().map(|character| self.width_of(character)).sum()
    }

    pub(super) fn width_of(self, character: char) -> f64 {
        let helvetica = || {
            let at = usize::try_from(u32::from(character)).ok().and_then(|code| code.checked_sub(32));
            f64::from(at.and_then(|at| HELVETICA_WIDTHS.get(at)).copied().unwrap_or(556)) / 1_000.0
        };
        match self {
            Self::Standard(name) if name.starts_with("Courier") => 0.6,
            // Times is about a tenth narrower.
            Self::Standard(name) if name.starts_with("Times") => helvetica() * 0.9,
            Self::Standard(_) => helvetica(),
            Self::Dingbats => 0.77,
            Self::Wide("Identity") => 0.6,
            Self::Wide(_) => 1.0,
        }
    }
}

/// Widths of Helvetica from the space to the tilde, in thousandths of an em.
const HELVETICA_WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// The standard font that is nearest to one of this name.
fn standard_font(name: &[u8]) -> &'static str {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let is = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let (bold, slanted) = (is(&["bold", "hebo", "tibo", "cobo"]), is(&["italic", "oblique"]));
    let family = match () {
        () if is(&["cour", "mono"]) => ["Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"],
        () if is(&["times", "tiro", "tibo", "serif"]) => {
            ["Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"]
        }
        () => ["Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"],
    };
    let [regular, heavy, oblique, both] = family;
    match (bold, slanted) {
        (false, false) => regular,
        (true, false) => heavy,
        (false, true) => oblique,
        (true, true) => both,
    }
}

/// The code of a character in `WinAnsiEncoding` (ISO 32000-2, D.2).
fn win_ansi(character: char) -> Option<u8> {
    /// From 128 on; what has no character there is a space.
    const UPPER: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
    match character {
        ' '..='~' | '\u{A0}'..='\u{FF}' => u8::try_from(u32::from(character)).ok(),
        other => UPPER.chars().zip(128..).find(|(known, _)| *known == other && other != ' ').map(|(_, code)| code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_stands_for_what_its_name_says() {
        let names = [b"Helv".as_slice(), b"ArialMT", b"TimesNewRomanPS-BoldMT", b"CourierNew,Italic", b"HeBo"];
        let expected = ["Helvetica", "Helvetica", "Times-Bold", "Courier-Oblique", "Helvetica-Bold"];
        assert_eq!(names.map(standard_font), expected);
    }

    #[test]
    fn characters_have_their_codes() {
        assert_eq!(
            ['A', 'é', '€', '’', 'Ÿ', '漢', 'ж'].map(win_ansi),
            [Some(0x41), Some(0xE9), Some(0x80), Some(0x92), Some(0x9F), None, None]
        );
    }
}
