//! Fonts of generated appearances: character codes and widths.

use super::font_widths::{
    HELVETICA, HELVETICA_BOLD, TIMES_BOLD, TIMES_BOLD_ITALIC, TIMES_ITALIC, TIMES_ROMAN, Widths, ZAPF_DINGBATS,
};
use super::form_font::FormFont;
use super::text_style::TextStyle;
use lopdf::{Dictionary, Object};
use std::fmt::Write;
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum AppearanceFont {
    /// A font of the form's default resources.
    Form(Rc<FormFont>),
    /// A standard font in `WinAnsiEncoding`.
    Standard(&'static str),
    /// ZapfDingbats.
    Dingbats,
    /// A composite font that the renderer substitutes, named by its character collection.
    Composite(&'static str),
}

/// The `/ToUnicode` map of a [`AppearanceFont::Composite`]: its codes are UTF-16.
pub(super) const TO_UNICODE: &[u8] = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def \
    1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end end";

impl AppearanceFont {
    pub(super) fn resource_name(&self) -> &'static str {
        match self {
            Self::Form(_) => "F",
            Self::Standard(_) => "T",
            Self::Dingbats => "Z",
            Self::Composite(_) => "W",
        }
    }

    pub(super) fn font(&self, to_unicode: Object) -> Dictionary {
        let name = |text: &str| Object::Name(text.as_bytes().to_vec());
        let font =
            |entries: Vec<(&str, Object)>| Dictionary::from_iter([("Type", name("Font"))].into_iter().chain(entries));
        match self {
            Self::Form(form_font) => form_font.dictionary.clone(),
            Self::Standard(base) => {
                font(vec![("Subtype", name("Type1")), ("BaseFont", name(base)), ("Encoding", name("WinAnsiEncoding"))])
            }
            Self::Dingbats => font(vec![("Subtype", name("Type1")), ("BaseFont", name("ZapfDingbats"))]),
            Self::Composite(ordering) => {
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

    /// `text` as a hexadecimal string in this font's encoding.
    pub(super) fn hex_string(&self, text: &str) -> String {
        let mut operand = String::from("<");
        for character in text.chars() {
            let written = match self {
                Self::Composite(_) => {
                    let code = u16::try_from(u32::from(character)).unwrap_or(0xFFFD);
                    write!(operand, "{code:04X}")
                }
                Self::Form(form_font) => write!(operand, "{:02X}", form_font.code(character).unwrap_or(b'?')),
                Self::Standard(_) | Self::Dingbats => write!(operand, "{:02X}", win_ansi(character).unwrap_or(b'?')),
            };
            debug_assert!(written.is_ok(), "a string takes all");
        }
        operand.push('>');
        operand
    }

    /// The width of a character in ems.
    pub(super) fn width_of(&self, character: char) -> f64 {
        match self {
            Self::Form(form_font) => form_font.width(character).unwrap_or(0.5),
            Self::Standard(name) => standard_widths(name).map_or(0.6, |widths| width_in(widths, character)),
            Self::Dingbats => width_in(&ZAPF_DINGBATS, character),
            Self::Composite("Identity") => 0.6,
            Self::Composite(_) => 1.0,
        }
    }
}

/// The fonts of one text. Each character is set in the first font that has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FontSet {
    form_font: Option<AppearanceFont>,
    standard: AppearanceFont,
    composite: AppearanceFont,
}

impl FontSet {
    /// The fonts for `text` in this style.
    pub(super) fn new(text: &str, style: &TextStyle) -> Self {
        // Mixing the form's font with a standard font looks broken, so it must have all Latin characters of the text.
        let has_all = |form_font: &Rc<FormFont>| {
            text.chars().all(|character| form_font.code(character).is_some() || win_ansi(character).is_none())
        };
        Self {
            form_font: style.form_font.clone().filter(has_all).map(AppearanceFont::Form),
            standard: AppearanceFont::Standard(standard_font(&style.font)),
            composite: AppearanceFont::Composite(collection_of(text)),
        }
    }

    pub(super) fn of(&self, character: char) -> &AppearanceFont {
        match &self.form_font {
            Some(form_font @ AppearanceFont::Form(font)) if font.code(character).is_some() => form_font,
            _ if win_ansi(character).is_some() => &self.standard,
            _ => &self.composite,
        }
    }

    /// The width of `text` in ems.
    pub(super) fn width(&self, text: &str) -> f64 {
        text.chars().map(|character| self.of(character).width_of(character)).sum()
    }

    /// Splits `text` into runs of one font each.
    pub(super) fn runs<'f, 't>(&'f self, text: &'t str) -> Vec<(&'f AppearanceFont, &'t str)> {
        let mut runs: Vec<(&AppearanceFont, &str)> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let font = self.of(first);
            let end =
                rest.find(|character| self.of(character).resource_name() != font.resource_name()).unwrap_or(rest.len());
            let Some((run, more)) = rest.split_at_checked(end) else { break };
            runs.push((font, run));
            rest = more;
        }
        runs
    }
}

/// The character collection for the script of characters that the standard fonts lack.
fn collection_of(text: &str) -> &'static str {
    let has = |from: char, to: char| text.chars().any(|character| (from..=to).contains(&character));
    match () {
        () if has('\u{3040}', '\u{30FF}') => "Japan1",
        () if has('\u{AC00}', '\u{D7AF}') => "Korea1",
        () if has('\u{2E80}', '\u{9FFF}') => "GB1",
        () => "Identity",
    }
}

/// The widths of a standard font; `None` for a monospaced one.
fn standard_widths(name: &str) -> Option<&'static Widths> {
    Some(match name {
        "Helvetica" | "Helvetica-Oblique" => &HELVETICA,
        "Helvetica-Bold" | "Helvetica-BoldOblique" => &HELVETICA_BOLD,
        "Times-Roman" => &TIMES_ROMAN,
        "Times-Bold" => &TIMES_BOLD,
        "Times-Italic" => &TIMES_ITALIC,
        "Times-BoldItalic" => &TIMES_BOLD_ITALIC,
        _ => return None,
    })
}

fn width_in(widths: &[u16], character: char) -> f64 {
    let at = win_ansi(character).and_then(|code| code.checked_sub(b' ')).map(usize::from);
    f64::from(at.and_then(|at| widths.get(at)).copied().unwrap_or(500)) / 1_000.0
}

/// The standard font closest to a font name.
fn standard_font(name: &[u8]) -> &'static str {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let is = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let is_short = |names: &[&str]| names.contains(&name.as_str());
    let bold = is(&["bold", "black"]) || is_short(&["hebo", "tibo", "cobo", "hebi", "tibi", "cobi"]);
    let slanted = is(&["italic", "oblique"]) || is_short(&["heob", "tiit", "coob", "hebi", "tibi", "cobi"]);
    let family = match () {
        () if is(&["cour", "mono"]) || is_short(&["cobo", "coob", "cobi"]) => {
            ["Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"]
        }
        () if is(&["times", "tiro", "serif", "georgia", "garamond"]) || is_short(&["tibo", "tiit", "tibi"]) => {
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
    /// Codes from 128; a space marks an unused code.
    const UPPER: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
    match character {
        ' '..='~' | '\u{A0}'..='\u{FF}' => u8::try_from(u32::from(character)).ok(),
        other => UPPER.chars().zip(128..).find(|(known, _)| *known == other && other != ' ').map(|(_, code)| code),
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_style::Quadding;
    use super::*;

    #[test]
    fn a_font_stands_for_what_its_name_says() {
        let names = [b"Helv".as_slice(), b"ArialMT", b"TimesNewRomanPS-BoldMT", b"CourierNew,Italic", b"HeBo", b"TiBI"];
        let expected =
            ["Helvetica", "Helvetica", "Times-Bold", "Courier-Oblique", "Helvetica-Bold", "Times-BoldItalic"];
        assert_eq!(names.map(standard_font), expected);
    }

    #[test]
    fn each_character_is_set_in_a_font_that_has_it() {
        let style = TextStyle::parse(b"/Helv 10 Tf", Quadding::Left);
        let fonts = FontSet::new("WW 漢字 W", &style);
        let runs =
            fonts.runs("WW 漢字 W").into_iter().map(|(font, run)| (font.resource_name(), run)).collect::<Vec<_>>();
        assert_eq!(runs, [("T", "WW "), ("W", "漢字"), ("T", " W")]);
        assert_eq!(fonts.width("W漢"), 0.944 + 1.0);
    }

    #[test]
    fn characters_have_their_codes() {
        assert_eq!(
            ['A', 'é', '€', '’', 'Ÿ', '漢', 'ж'].map(win_ansi),
            [Some(0x41), Some(0xE9), Some(0x80), Some(0x92), Some(0x9F), None, None]
        );
    }
}
