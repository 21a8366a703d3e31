//! Fonts of publishers that draw signs, such as `°`, for the codes and glyph names of other characters, such as `8`.
//!
//! Journals of the years from 2000 on, most of them made with Arbortext Advanced Print Publisher, draw a degree sign for `8`,
//! "less than" for `b`, and a bracket for `ð`. A font with the same name has the same signs in all documents. The tables
//! below give the signs that these fonts draw.

use super::font_map::SignFont;
use crate::fonts::TexEncoding;

/// Which signs the codes of a font have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PublisherFont {
    /// Those of an encoding of TeX.
    Tex(TexEncoding),
    /// Those of Symbol.
    Symbol,
    /// Other ones: pairs of a character and the sign that stands for it.
    Pairs(&'static str),
}

/// What fonts of symbols have beyond the codes of TeX.
const TEX_SYMBOLS: &str = "ð(Þ)½[\u{8A}]¼=þ+";
const PI_ONE: &str = "8°mμsσfφaαDΔpπhηbβCΨgγkκ";
const PI_TWO: &str = "sσfφrρ%‰aαlλmμtτZηnνpπdδyθgγ?→xξbβzζFΦDΔoωkκeε";
const ADVANCED_PI_ONE: &str = "8°4>mμ*∼+±DΔsσaαdδ5<{†6×gγFΦ&≈7−bβCΨpπtτlλkκ";
const GREEK_BY_SOUND: &str = "aαbβcχdδeεfφgγhηjψkκlλmμnνpπqθrρsσtτuωv∂xξzζ3ε4φDΔFΦGΓUΩV∇";
const GREEK_IN_ORDER: &str =
    "aαbβcγdδeεfζgηhθiιjκkλlμmνnξoοpπqρrσsτtυuφvχwψxωAΑBΒCΓDΔEΕFΖGΗHΘIΙJΚKΛLΜMΝNΞOΟPΠQΡRΣSΤTΥUΦVΧWΨXΩ/ϕ";
const SIGNS: &str = "8°,<2−.>5=6±9′3×$≥#≤1+DΔmμ";

/// The fonts by the ends of their names, without `_`.
const FONTS: [(&str, PublisherFont); 67] = [
    ("TeXCMRoman", PublisherFont::Tex(TexEncoding::Ot1)),
    ("AdvMathRom1", PublisherFont::Tex(TexEncoding::Ot1)),
    ("AdvP4C4E59", PublisherFont::Tex(TexEncoding::Ot1)),
    ("TeXCMMathsSymbols", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("TeXCMBoldMathsSymbols", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("AdvP4C4E74", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("AdvMacMthSyN", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("AdvMathSymb", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("AdvMTSY", PublisherFont::Tex(TexEncoding::MathSymbols)),
    ("TeXCMMathsItalic", PublisherFont::Tex(TexEncoding::MathLetters)),
    ("AdvP4C4E51", PublisherFont::Tex(TexEncoding::MathLetters)),
    ("AdvMathExt1", PublisherFont::Tex(TexEncoding::MathLetters)),
    ("AdvMTMI", PublisherFont::Tex(TexEncoding::MathLetters)),
    ("TeXCMMathsExtension", PublisherFont::Tex(TexEncoding::MathExtension)),
    ("AdvP4C4E46", PublisherFont::Tex(TexEncoding::MathExtension)),
    ("AdvMTEX", PublisherFont::Tex(TexEncoding::MathExtension)),
    ("AdvPSSym", PublisherFont::Symbol),
    ("AdvPSSSYI", PublisherFont::Symbol),
    ("AdvPSSSYR", PublisherFont::Symbol),
    ("AdvP3EAA99", PublisherFont::Symbol),
    ("AdvTT3f84ef53", PublisherFont::Symbol),
    ("AdvTT52b432ec", PublisherFont::Symbol),
    ("AdvTTab7e17fd", PublisherFont::Symbol),
    ("AdvTTb19eb3c6", PublisherFont::Symbol),
    ("AdvTTcd7bcd39", PublisherFont::Symbol),
    ("AdvPS3F4C13", PublisherFont::Pairs(GREEK_BY_SOUND)),
    ("AdvP3F4C13", PublisherFont::Pairs(GREEK_BY_SOUND)),
    ("AdvPS4721B4", PublisherFont::Pairs(GREEK_BY_SOUND)),
    ("AdvP4721B4", PublisherFont::Pairs(GREEK_BY_SOUND)),
    ("AdvPSMP10", PublisherFont::Pairs(GREEK_IN_ORDER)),
    ("AdvPSMP13", PublisherFont::Pairs(GREEK_IN_ORDER)),
    ("AdvP697C", PublisherFont::Pairs("mμ")),
    ("MathematicalPi-One", PublisherFont::Pairs(PI_ONE)),
    ("AdvPi1", PublisherFont::Pairs(ADVANCED_PI_ONE)),
    ("AdvPi2", PublisherFont::Pairs(PI_TWO)),
    ("AdvPi3", PublisherFont::Pairs("#©")),
    ("AdvP7DA6", PublisherFont::Pairs(SIGNS)),
    ("AdvPS7DA6", PublisherFont::Pairs(SIGNS)),
    ("AdvP7DB7", PublisherFont::Pairs(",∼")),
    ("AdvP80675", PublisherFont::Pairs("6±2−5=3×1+")),
    ("AdvPS44A44B", PublisherFont::Pairs("e–d—C+D+G±K−$·]=")),
    ("AdvPS3FDD77", PublisherFont::Pairs("w∼z≈Z=[=y≅,•/⋯")),
    ("AdvPS4731B1", PublisherFont::Pairs("!<O>N∞")),
    ("AdvPS48994E", PublisherFont::Pairs("^±")),
    ("AdvPSMP4", PublisherFont::Pairs("\\<[>P≥")),
    ("AdvPSSPS-AS", PublisherFont::Pairs("&✉)−A–@=")),
    ("AdvP0004", PublisherFont::Pairs("B“0=I·")),
    ("AdvP0005", PublisherFont::Pairs("^”")),
    ("AdvP44E6F4", PublisherFont::Pairs("u°")),
    ("AdvTA42", PublisherFont::Pairs("&©n*")),
    ("AdvTirsymb", PublisherFont::Pairs("9×?+C≥B≤-−")),
    ("AdvTT1143c7e7", PublisherFont::Pairs("Q”b“T’d‘")),
    ("AdvTT32a07b98", PublisherFont::Pairs("F±f∼")),
    ("AdvTT432ab7ab", PublisherFont::Pairs("V′AμDη")),
    ("AdvTT454a7a89", PublisherFont::Pairs("b<N>4∗d·")),
    ("AdvTT4ff65459", PublisherFont::Pairs("*✉")),
    ("AdvTTa420abf6", PublisherFont::Pairs("D©")),
    ("AdvEls-ent2", PublisherFont::Pairs("w†")),
    ("AdvEls-ent3", PublisherFont::Pairs("r©")),
    ("AdvEls-ent4", PublisherFont::Pairs("o<r≤p≤")),
    ("AdvEls-ent5", PublisherFont::Pairs("1°Z≥")),
    ("AdvEls-ent7", PublisherFont::Pairs("B∼E≈")),
    ("AdvEls-ent8", PublisherFont::Pairs("7±")),
    ("MathTechnicalP01", PublisherFont::Pairs("~<1>`>^≤")),
    ("MathTechnicalP03", PublisherFont::Pairs("c+p=F∼B±P−;≈")),
    ("ScienceTypeCustomPi-No3T", PublisherFont::Pairs("-<)>\"±=×;∼X′(≤")),
    ("ScienceTypeCustomPi-No5T", PublisherFont::Pairs("r/q+s=y−x]w[F≤G≥f≈")),
];

impl PublisherFont {
    /// The publisher's font with this name; `None` if it is another font.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.replace('_', "");
        // Those of TeX may be numbered.
        let base = name.trim_end_matches(|last: char| last.is_ascii_digit());
        let is_named = |known: &str| name.ends_with(known) || known.starts_with("TeX") && base.ends_with(known);
        FONTS.iter().find(|(known, _)| is_named(known)).map(|(_, font)| *font)
    }

    /// The sign that is read as `character`, which stands for its code.
    pub(super) fn sign(self, character: char) -> Option<String> {
        match self {
            Self::Tex(TexEncoding::MathSymbols) if let Some(sign) = paired(TEX_SYMBOLS, character) => {
                Some(sign.to_string())
            }
            Self::Tex(encoding) => encoding.text(standard_code(character)),
            Self::Symbol => SignFont::Symbol.sign(character.into()).map(String::from),
            Self::Pairs(pairs) => paired(pairs, character).map(String::from),
        }
    }

    /// The sign of a glyph that is named by the letter C and its code.
    pub(super) fn named_sign(self, name: &str) -> Option<String> {
        self.sign(char::from_u32(name.strip_prefix('C')?.parse().ok()?)?)
    }
}

fn paired(pairs: &str, character: char) -> Option<char> {
    let keys = pairs.chars().step_by(2);
    keys.zip(pairs.chars().skip(1).step_by(2)).find(|(key, _)| *key == character).map(|(_, sign)| sign)
}

/// The code of a character in the standard encoding, where it is that of another character elsewhere.
fn standard_code(character: char) -> u32 {
    match character {
        '‘' => 0x60,
        '’' => 0x27,
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(font: &str, characters: &str) -> String {
        let font = PublisherFont::of(font);
        let sign =
            |character: char| font.and_then(|font| font.sign(character)).unwrap_or_else(|| character.to_string());
        characters.chars().map(sign).collect()
    }

    #[test]
    fn the_characters_of_publishers_fonts_stand_for_their_codes() {
        assert_eq!(signs("ABCDEF+AdvP4C4E74", "ð0Þ¼þ!½1fg’"), "(′)=+→[∞{}≃");
        assert_eq!(signs("AdvP4C4E74x", "ð0Þ"), "ð0Þ");
        assert_eq!(signs("ABCDEF+AdvP4C4E51", "@;x=ð"), "∂,x/ð");
        assert_eq!(signs("ABCDEF+AdvP4C4E46", "ZX"), "∫∑");
        assert_eq!(signs("XxkbtbTeX_CM_Maths_Symbols16", "ð¼Þ"), "(=)");
        assert_eq!(signs("ABCDEF+AdvTTab7e17fd", "qsD"), "θσΔ");
        assert_eq!(signs("AdvPS_SSYR", "D£"), "Δ≤");
        assert_eq!(signs("ABCDEF+AdvPi1", "84x"), "°>x");
        assert_eq!(signs("ABCDEF+AdvPSMP13", "alD"), "αμΔ");
    }

    #[test]
    fn a_name_with_a_number_is_that_of_the_code() {
        let named =
            |font, name: &str| PublisherFont::of(font).and_then(|font| font.named_sign(name)).unwrap_or_default();
        assert_eq!(named("AdvPi1", "C56"), "°");
        assert_eq!(named("AdvTTab7e17fd", "C176"), "°");
        assert_eq!(named("AdvMathSymb", "C138"), "]");
        assert_eq!(named("AdvP4C4E74", "C0"), "−");
        assert_eq!(named("AdvP4C4E74", "Cent") + &named("Times", "C0"), "");
    }

    #[test]
    fn the_tables_are_pairs_of_different_characters() {
        let pairs = FONTS
            .iter()
            .filter_map(|(_, font)| if let PublisherFont::Pairs(pairs) = font { Some(*pairs) } else { None });
        for pairs in pairs.chain([TEX_SYMBOLS]) {
            assert_eq!(pairs.chars().count() % 2, 0, "{pairs}");
            let keys = || pairs.chars().step_by(2);
            assert!(keys().all(|key| keys().filter(|other| *other == key).count() == 1), "{pairs}");
            assert!(keys().all(|key| paired(pairs, key) != Some(key)), "{pairs}");
        }
    }
}
