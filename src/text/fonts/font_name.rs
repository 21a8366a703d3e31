//! What the name of a font says about its style.

use super::font_style::FontStyle;
use crate::page_layout::MathFont;

/// Words of bold fonts.
const BOLD: [&str; 5] = ["bold", "black", "heavy", "demi", "fett"];

/// Ends of names of bold fonts.
const BOLD_ENDS: [&str; 6] = ["-medi", "-mediital", "-bd", "-b", "-bi", "-bdit"];

/// Words of italic and slanted fonts.
const ITALIC: [&str; 5] = ["ital", "obli", "slant", "kursiv", "inclin"];

/// Ends of names of italic fonts.
const ITALIC_ENDS: [&str; 5] = ["-it", "-bi", "-bdit", "-i", "-ita"];

/// Words of fonts with a fixed pitch.
const MONOSPACE: [&str; 9] =
    ["mono", "courier", "typewriter", "consol", "menlo", "monaco", "sourcecode", "firacode", "cascadia"];

/// A foundry, whose name says nothing of a pitch.
const MONOTYPE: &str = "monotype";

/// Fonts of the Computer Modern family by the beginning of their names, after the two letters of their encoding.
const TEX_BOLD: [&str; 3] = ["bx", "b1", "ssbx"];
const TEX_ITALIC: [&str; 7] = ["ti", "sl", "bxti", "bxsl", "ssi", "mi", "itt"];
const TEX_MONOSPACE: [&str; 4] = ["tt", "itt", "sltt", "tcsc"];

/// The first two letters of fonts of the Computer Modern family.
const TEX_FAMILIES: [&str; 5] = ["cm", "sf", "ec", "tc", "la"];

/// Fonts of formulas by the beginning of their names, with what they make of letters.
const MATH: [(MathFont, &str); 4] = [
    (MathFont::DoubleStruck, "msbm bbm bbold dsrom dsss"),
    (MathFont::Fraktur, "eufm eufb"),
    (MathFont::Script, "cmsy cmbsy eusm eusb rsfs lmmathsymbols txsy pxsy ntxsy zpzccm kp--m-sy"),
    (
        MathFont::Letters,
        "cmmi cmex msam eurm lmmath txmi txex pxmi pxex ntxmi ntxex rtxmi rpxmi mtmi mtsy mtex stmary esint \
        advp4c4e46 advp4c4e59 advp4c4e74 advmt-sy advmt-mi \
        standardsym zplm zptm futmi fouriermath euex kp--m rtxbmi rpxbmi eurb",
    ),
];
/// What other fonts of formulas have in their names.
const MATH_WORD: &str = "math";

fn math_font(name: &str) -> MathFont {
    let named =
        MATH.iter().find(|(_, names)| names.split(' ').any(|begin| name.starts_with(begin))).map(|(font, _)| *font);
    named.unwrap_or(if name.contains(MATH_WORD) { MathFont::Letters } else { MathFont::None })
}

/// The style that a font's name tells.
pub(super) fn style_of_name(name: &str) -> FontStyle {
    let name = without_tag(name).to_lowercase().replace([',', '_', ' ', '.'], "-");
    // Some producers divide a font into parts, and add `+` and at most two characters to the name of each.
    let name = name.rsplit_once('+').filter(|(_, part)| part.len() <= 2).map_or(&*name, |(name, _)| name);
    let tex = tex_style(name);
    let pitch = name.replace(MONOTYPE, "");
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let ends = |words: &[&str]| words.iter().any(|word| name.ends_with(word));
    FontStyle {
        is_bold: has(&BOLD) || ends(&BOLD_ENDS) || tex.is_bold,
        is_italic: has(&ITALIC) || ends(&ITALIC_ENDS) || tex.is_italic,
        is_monospace: MONOSPACE.iter().any(|word| pitch.contains(word)) || tex.is_monospace,
        is_proportional: false,
        math: math_font(name),
    }
}

/// The style of a font of the Computer Modern family, such as `cmbx10`.
fn tex_style(name: &str) -> FontStyle {
    let is_tex = name.ends_with(|last: char| last.is_ascii_digit()) && !name.contains('-');
    let rest = TEX_FAMILIES.iter().find_map(|family| name.strip_prefix(family)).filter(|_| is_tex);
    let begins = |words: &[&str]| rest.is_some_and(|rest| words.iter().any(|word| rest.starts_with(word)));
    FontStyle {
        is_bold: begins(&TEX_BOLD),
        is_italic: begins(&TEX_ITALIC),
        is_monospace: begins(&TEX_MONOSPACE),
        ..FontStyle::default()
    }
}

/// A font name without the tag of a subset (ISO 32000-2, 9.9.2).
pub(crate) fn without_tag(name: &str) -> &str {
    name.split_once('+').filter(|(tag, _)| tag.len() == 6).map_or(name, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::style_of_name;

    #[test]
    fn names_tell_styles() {
        let letters = |name: &str| {
            let style = style_of_name(name);
            let known = [(style.is_bold, 'b'), (style.is_italic, 'i'), (style.is_monospace, 'm')];
            known.into_iter().filter(|(is_so, _)| *is_so).map(|(_, letter)| letter).collect::<String>()
        };
        for (name, expected) in [
            ("Helvetica", ""),
            ("ABCDEF+Arial,BoldItalic", "bi"),
            ("TimesNewRomanPS-BoldItalicMT", "bi"),
            ("NimbusRomNo9L-Medi", "b"),
            ("ABCDEF+AdvOT66af078c.B+20", "b"),
            ("AdvOT1ae6bdaa.BI", "bi"),
            ("NimbusRomNo9L-MediItal", "bi"),
            ("NimbusRomNo9L-Regu", ""),
            ("HelveticaNeue-Medium", ""),
            ("OpenSans-SemiboldItalic", "bi"),
            ("CMR10", ""),
            ("XYZABC+CMBX12", "b"),
            ("CMTI10", "i"),
            ("SFTT1000", "m"),
            ("CMITT10", "im"),
            ("CMSSBX10", "b"),
            ("LMMono10-Regular", "m"),
            ("DejaVuSansMono-Bold", "bm"),
            ("Courier", "m"),
            ("MonotypeCorsiva", ""),
            ("CourierNewPS-BoldItalicMT", "bim"),
            ("Lato-Black", "b"),
            ("Calibri-Light", ""),
            ("ECCSerif-It", "i"),
        ] {
            assert_eq!(letters(name), expected, "{name}");
        }
    }
}
