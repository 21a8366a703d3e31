//! The bitmap fonts of TeX. They have no names. Many programs read their codes as ASCII, which is wrong for fonts of formulas.
//! The widths of the glyphs tell which font it is.

use super::font_style::{first_code, glyph_names};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Stream};
use hayro_interpret::kurbo::{Affine, Rect};
use pagewise_charset::decode_text;
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization;

/// What the codes of such a font are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TexEncoding {
    Ot1,
    T1,
    /// That of text in PostScript fonts, which is also named 8r.
    Base1,
    /// Letters of formulas, OML.
    MathLetters,
    /// Symbols of formulas, OMS.
    MathSymbols,
    /// Signs of formulas that grow, OMX.
    MathExtension,
}

/// What OT1 has at codes of controls and instead of signs of ASCII: runs of codes, each with the first.
const OT1: [(u32, &[&str]); 7] = [
    (0x00, &["Γ", "Δ", "Θ", "Λ", "Ξ", "Π", "Σ", "Υ", "Φ", "Ψ", "Ω", "ff", "fi", "fl", "ffi", "ffl", "ı", "ȷ"]),
    (0x12, &["`", "´", "ˇ", "˘", "¯", "˚", "¸", "ß", "æ", "œ", "ø", "Æ", "Œ", "Ø"]),
    (0x22, &["”"]),
    (0x3C, &["¡"]),
    (0x3E, &["¿"]),
    (0x5C, &["“", "]", "ˆ", "˙"]),
    (0x7B, &["–", "—", "˝", "˜", "¨"]),
];

/// The same for T1, which is also named Cork, up to its letters with accents.
const T1: [(u32, &[&str]); 3] = [
    (0x00, &["`", "´", "ˆ", "˜", "¨", "˝", "˚", "ˇ", "˘", "¯", "˙", "¸", "˛"]),
    (0x0D, &["‚", "‹", "›", "“", "”", "„", "«", "»", "–", "—"]),
    (0x19, &["ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl"]),
];
/// The codes of the ligature fi in both. That of fl is the next.
const OT1_FI: u32 = 0x0C;
const T1_FI: u32 = 0x1C;
const FIRST_T1_LETTER: u32 = 0x80;
const T1_LETTERS: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£\
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß";
/// Below this code they are not those of Latin-1.
const FIRST_LATIN1_LETTER: u32 = 0xC0;
/// So many letters with accents are as wide as those without.
const MIN_ACCENTED: usize = 2;

/// The same for 8r. Its codes from 80 on are those of Windows-1252.
const BASE1: [(u32, &[&str]); 6] = [
    (0x01, &["˙", "fi", "fl", "⁄", "˝", "Ł", "ł", "˛", "˚"]),
    (0x0B, &["˘", "−"]),
    (0x0E, &["Ž", "ž", "ˇ", "ı", "ȷ", "ff", "ffi", "ffl"]),
    (0x1E, &["`", "'"]),
    (0x27, &["’"]),
    (0x60, &["‘"]),
];
const BASE1_FI: u32 = 0x02;
const FIRST_WINDOWS_CODE: u32 = 0x80;
/// A ligature is narrower than its letters by at most this share.
const LIGATURE_WIDTH: f32 = 0.15;

/// The characters of the encodings for formulas, by their codes. Digits of OML have the old style.
const OML: &str = "ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁˓˒▹◃0123456789.,</>⋆∂ABCDEFGHIJKLMNOPQRSTUVWXYZ♭♮♯⌣⌢\
    ℓabcdefghijklmnopqrstuvwxyzıȷ℘\u{20D7}\u{311}";
const OMS: &str = "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯∘•≍≡⊆⊇≤≥≼≽∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽\u{338}↦∀∃¬∅ℜℑ⊤⊥ℵ\
    ABCDEFGHIJKLMNOPQRSTUVWXYZ∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{}⟨⟩|‖↕⇕∖≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠";
const OMX: &str = "()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩/\\()[]⌊⌋⌈⌉{}⟨⟩/\\/\\⎛⎞⎡⎤⎣⎦⎢⎥⎧⎫⎩⎭⎨⎬⎪⏐⎝⎠⎜⎟⟨⟩⨆⨆∮∮⨀⨀⨁⨁⨂⨂∑∏∫⋃⋂⨄⋀⋁∑∏∫⋃⋂⨄⋀⋁\
    ∐∐ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}√√√√⎷⏐√‖↑↓⏞⏞⏞⏞⇑⇓";

/// Widths are given in thousandths of the unit of text space.
const UNITS: f64 = 1000.0;

/// Widths of bitmaps that differ by a smaller share are the same.
const SAME_WIDTH: f32 = 0.02;

/// In a font without a fixed pitch, the letter i is narrower than this share of the width of n.
const NARROW_WIDTH: f32 = 0.8;

/// A font of the Computer Modern family.
struct Family {
    name: &'static str,
    /// If it is a font of formulas.
    encoding: Option<TexEncoding>,
    /// By its codes, in thousandths of an em. Those of other sizes are nearly in proportion.
    widths: [u16; 128],
}

const FAMILIES: [Family; 6] = [
    Family {
        name: "cmmi10",
        encoding: Some(TexEncoding::MathLetters),
        widths: [
            615, 833, 763, 694, 742, 831, 780, 583, 667, 612, 772, 640, 566, 518, 444, 406, 438, 497, 469, 354, 576,
            583, 603, 494, 438, 570, 517, 571, 437, 540, 596, 626, 651, 622, 466, 591, 828, 517, 363, 654, 1000, 1000,
            1000, 1000, 278, 278, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 500, 778,
            500, 531, 750, 759, 715, 828, 738, 643, 786, 831, 440, 555, 849, 681, 970, 803, 763, 642, 791, 759, 613,
            584, 683, 583, 944, 828, 581, 683, 389, 389, 389, 1000, 1000, 417, 529, 429, 433, 520, 466, 490, 477, 576,
            345, 412, 521, 298, 878, 600, 485, 503, 446, 451, 469, 361, 572, 485, 716, 572, 490, 465, 322, 384, 636,
            500, 278,
        ],
    },
    Family {
        name: "cmsy10",
        encoding: Some(TexEncoding::MathSymbols),
        widths: [
            778, 278, 778, 500, 778, 500, 778, 778, 778, 778, 778, 778, 778, 1000, 500, 500, 778, 778, 778, 778, 778,
            778, 778, 778, 778, 778, 778, 778, 1000, 1000, 778, 778, 1000, 1000, 500, 500, 1000, 1000, 1000, 778, 1000,
            1000, 611, 611, 1000, 1000, 1000, 778, 275, 1000, 667, 667, 889, 889, 0, 0, 556, 556, 667, 500, 722, 722,
            778, 778, 611, 798, 657, 527, 771, 528, 719, 595, 845, 545, 678, 762, 690, 1201, 820, 796, 696, 817, 848,
            606, 545, 626, 613, 988, 713, 668, 725, 667, 667, 667, 667, 667, 611, 611, 444, 444, 444, 444, 500, 500,
            389, 389, 278, 500, 500, 611, 500, 278, 833, 750, 833, 417, 667, 667, 778, 778, 444, 444, 444, 611, 778,
            778, 778, 778,
        ],
    },
    Family {
        name: "cmex10",
        encoding: Some(TexEncoding::MathExtension),
        widths: [
            458, 458, 417, 417, 472, 472, 472, 472, 583, 583, 472, 472, 333, 556, 578, 578, 597, 597, 736, 736, 528,
            528, 583, 583, 583, 583, 750, 750, 750, 750, 1044, 1044, 792, 792, 583, 583, 639, 639, 639, 639, 806, 806,
            806, 806, 1278, 1278, 811, 811, 875, 875, 667, 667, 667, 667, 667, 667, 889, 889, 889, 889, 889, 889, 889,
            667, 875, 875, 875, 875, 611, 611, 833, 1111, 472, 556, 1111, 1511, 1111, 1511, 1111, 1511, 1056, 944, 472,
            833, 833, 833, 833, 833, 1444, 1278, 556, 1111, 1111, 1111, 1111, 1111, 944, 1278, 556, 1000, 1444, 556,
            1000, 1444, 472, 472, 528, 528, 528, 528, 667, 667, 1000, 1000, 1000, 1000, 1056, 1056, 1056, 778, 667,
            667, 450, 450, 450, 450, 778, 778,
        ],
    },
    Family {
        name: "cmr10",
        encoding: None,
        widths: [
            625, 833, 778, 694, 667, 750, 722, 778, 722, 778, 722, 583, 556, 556, 833, 833, 278, 306, 500, 500, 500,
            500, 500, 750, 444, 500, 722, 778, 500, 903, 1014, 778, 278, 278, 500, 833, 500, 833, 778, 278, 389, 389,
            500, 778, 278, 333, 278, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 278, 778, 472,
            472, 778, 750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917, 750, 778, 681, 778, 736, 556,
            722, 750, 750, 1028, 750, 750, 611, 278, 500, 278, 500, 278, 278, 500, 556, 444, 556, 444, 306, 500, 556,
            278, 306, 528, 278, 833, 556, 500, 556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 1000, 500,
            500, 500,
        ],
    },
    Family {
        name: "cmti10",
        encoding: None,
        widths: [
            627, 818, 767, 692, 664, 743, 716, 767, 716, 767, 716, 613, 562, 588, 882, 894, 307, 332, 511, 511, 511,
            511, 511, 831, 460, 537, 716, 716, 511, 883, 985, 767, 256, 307, 514, 818, 769, 818, 767, 307, 409, 409,
            511, 767, 307, 358, 307, 511, 511, 511, 511, 511, 511, 511, 511, 511, 511, 511, 307, 307, 307, 767, 511,
            511, 767, 743, 704, 716, 755, 678, 653, 774, 743, 386, 525, 769, 627, 897, 743, 767, 678, 767, 729, 562,
            716, 743, 743, 999, 743, 743, 613, 307, 514, 307, 511, 307, 307, 511, 460, 460, 511, 460, 307, 460, 511,
            307, 307, 460, 256, 818, 562, 511, 511, 460, 422, 409, 332, 537, 460, 664, 464, 486, 409, 511, 1022, 511,
            511, 511,
        ],
    },
    Family {
        name: "cmbx10",
        encoding: None,
        widths: [
            692, 958, 894, 806, 767, 900, 831, 894, 831, 894, 831, 671, 639, 639, 958, 958, 319, 351, 575, 575, 575,
            575, 575, 869, 511, 597, 831, 894, 575, 1042, 1169, 894, 319, 350, 603, 958, 575, 958, 894, 319, 447, 447,
            575, 894, 319, 383, 319, 575, 575, 575, 575, 575, 575, 575, 575, 575, 575, 575, 319, 319, 350, 894, 543,
            543, 894, 869, 818, 831, 882, 756, 724, 904, 900, 436, 594, 901, 692, 1092, 900, 864, 786, 864, 862, 639,
            800, 885, 869, 1189, 869, 869, 703, 319, 603, 319, 575, 319, 319, 559, 639, 511, 639, 527, 351, 575, 639,
            319, 351, 607, 319, 958, 639, 575, 639, 607, 474, 454, 447, 639, 607, 831, 607, 607, 511, 575, 1150, 575,
            575, 575,
        ],
    },
];

/// Widths of another size that are nearly in proportion differ by a smaller share, and this share of them does.
const IN_PROPORTION: f32 = 0.05;
const MOST_WIDTHS: f32 = 0.8;
/// A greater difference tells no more.
const MAX_DIFFERENCE: f32 = 0.2;
/// So many widths, and so many different ones, tell a font. `FEW_WIDTHS` are enough if one of them has the code of a control
/// character, all are in proportion, and no font with another encoding fits nearly as well: each is off by `CLEAR_DIFFERENCE` more.
const MIN_WIDTHS: usize = 4;
const MIN_DIFFERENT: usize = 3;
const FEW_WIDTHS: usize = 2;
const CLEAR_DIFFERENCE: f32 = 0.05;

/// With fewer widths, the bold font of text is not told from the upright one.
const MIN_TEXT_WIDTHS: usize = 12;

/// Lower codes are those of controls.
const FIRST_SIGN: u32 = 0x20;

/// The first sign of OMS, and the most that its height is of its width. No other encoding begins with a flat sign.
const MINUS: u32 = 0;
const MINUS_HEIGHT: f64 = 0.2;

/// The extent of a glyph is not read from a longer description, in bytes as they stand in the file.
const MAX_GLYPH_BYTES: usize = 1 << 12;

/// What the widths and the glyph descriptions of a Type 3 font say (ISO 32000-2, 9.6.4).
#[derive(Debug)]
pub(crate) struct BitmapFont {
    pub(crate) encoding: Option<TexEncoding>,
    /// The em, in thousandths of the unit of text space.
    pub(crate) em: Option<f64>,
    /// The extents of the signs of formulas that grow, by their codes, in the same unit.
    pub(crate) extents: HashMap<u32, Rect>,
}

impl BitmapFont {
    /// `None` for a font of another type.
    pub(crate) fn of(font: &Dict<'_>) -> Option<Self> {
        let widths = Widths::of(font)?;
        let matrix = font.get::<[f64; 6]>(b"FontMatrix").map(Affine::new)?;
        let encoding = TexEncoding::of(font, &widths);
        let em = widths.em() * matrix.as_coeffs()[0].abs() * UNITS;
        let grows = encoding == Some(TexEncoding::MathExtension);
        let wanted = |code: u32| grows && widths.of_code(code).is_some();
        let extents = extents(font, Affine::scale(UNITS) * matrix, wanted);
        Some(Self { encoding, em: (em > 0.0 && em.is_finite()).then_some(em), extents })
    }
}

/// The name of the font of the Computer Modern family that a Type 3 font is.
pub(super) fn family_name(font: &Dict<'_>) -> Option<&'static str> {
    let widths = Widths::of(font)?;
    let encoding = TexEncoding::of(font, &widths);
    let of_formulas = FAMILIES.iter().find(|family| family.encoding.is_some() && family.encoding == encoding);
    let of_text = || widths.family().filter(|_| widths.all().count() >= MIN_TEXT_WIDTHS).map(|(family, _)| family);
    of_formulas.or_else(of_text).map(|family| family.name)
}

/// The bounding boxes of the glyphs of the wanted codes, which are operands of `d1` at the beginning of their descriptions.
fn extents(font: &Dict<'_>, matrix: Affine, wanted: impl Fn(u32) -> bool) -> HashMap<u32, Rect> {
    let names = font.get::<Dict<'_>>(b"Encoding").and_then(|encoding| encoding.get::<Array<'_>>(b"Differences"));
    let descriptions = font.get::<Dict<'_>>(b"CharProcs").unwrap_or_default();
    let named = names.map(|names| glyph_names(&names)).unwrap_or_default();
    // A code may be named several times.
    let named: HashMap<u32, String> = named.into_iter().filter(|(code, _)| wanted(*code)).collect();
    let extent = |(code, name): (u32, String)| {
        let description = descriptions.get::<Stream<'_>>(name.as_bytes())?;
        (description.raw_data().len() <= MAX_GLYPH_BYTES).then_some(())?;
        let extent = matrix.transform_rect_bbox(extent_of(&description.decoded_data().ok()?)?);
        Some((code, extent))
    };
    named.into_iter().filter_map(extent).collect()
}

/// The operands of d1, which is the first operator: a width, and the corners.
fn extent_of(description: &[u8]) -> Option<Rect> {
    let mut words = description.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut operand = || std::str::from_utf8(words.next()?).ok()?.parse::<f64>().ok().filter(|own| own.is_finite());
    let [_, _, x0, y0, x1, y1] = [operand()?, operand()?, operand()?, operand()?, operand()?, operand()?];
    (words.next() == Some(b"d1")).then(|| Rect::new(x0, y0, x1, y1).abs())
}

/// The widths of the codes that a Type 3 font has.
struct Widths {
    first: u32,
    widths: Vec<f32>,
}

/// How widths compare with those of a font of another size.
#[derive(Clone, Copy)]
struct Likeness {
    /// One of them for a thousandth of the other's.
    scale: f32,
    /// The mean share by which they differ.
    difference: f32,
    /// The share of them that hardly does.
    alike: f32,
}

impl Widths {
    fn of(font: &Dict<'_>) -> Option<Self> {
        font.get::<Name<'_>>(b"Subtype").filter(|subtype| **subtype == *b"Type3")?;
        let widths = font.get::<Array<'_>>(b"Widths")?.iter::<f32>().take(256).collect();
        Some(Self { first: first_code(font)?, widths })
    }

    fn of_code(&self, code: u32) -> Option<f32> {
        let at = usize::try_from(code.checked_sub(self.first)?).ok()?;
        self.widths.get(at).copied().filter(|width| *width > 0.0)
    }

    fn all(&self) -> impl Iterator<Item = (u32, f32)> {
        (self.first..).zip(self.widths.iter().copied()).filter(|(_, width)| *width > 0.0)
    }

    /// `None` if the other font lacks some.
    fn likeness(&self, other: &[u16; 128]) -> Option<Likeness> {
        let ratio = |(code, width): (u32, f32)| {
            let other = other.get(usize::try_from(code).ok()?).filter(|width| **width > 0)?;
            Some(width / f32::from(*other))
        };
        let mut ratios = self.all().map(ratio).collect::<Option<Vec<f32>>>()?;
        ratios.sort_by(f32::total_cmp);
        let scale = *ratios.get(ratios.len() / 2)?;
        let differences = || ratios.iter().map(|ratio| (ratio / scale - 1.0).abs());
        let count = ratios.iter().map(|_| 1.0).sum::<f32>();
        let difference = differences().map(|difference| difference.min(MAX_DIFFERENCE)).sum::<f32>() / count;
        let alike = differences().filter(|difference| *difference < IN_PROPORTION).map(|_| 1.0).sum::<f32>() / count;
        Some(Likeness { scale, difference, alike })
    }

    /// The most alike family.
    fn family(&self) -> Option<(&'static Family, Likeness)> {
        let known = || FAMILIES.iter().filter_map(|family| Some((family, self.likeness(&family.widths)?)));
        let (family, likeness) = known().min_by(|(_, one), (_, other)| one.difference.total_cmp(&other.difference))?;
        let mut different: Vec<f32> = self.all().map(|(_, width)| width).collect();
        let count = different.len();
        different.sort_by(f32::total_cmp);
        different.dedup();
        let others = known().filter(|(other, _)| other.encoding != family.encoding).map(|(_, other)| other.difference);
        let is_clear = others.fold(f32::INFINITY, f32::min) - likeness.difference >= CLEAR_DIFFERENCE;
        let has_control = self.all().any(|(code, _)| code < FIRST_SIGN);
        let is_known = match count >= MIN_WIDTHS && different.len() >= MIN_DIFFERENT {
            true => likeness.alike >= MOST_WIDTHS,
            false => count >= FEW_WIDTHS && has_control && likeness.alike >= 1.0 && is_clear,
        };
        is_known.then_some((family, likeness))
    }

    /// The em in glyph space: that of the family, or twice the mean width.
    fn em(&self) -> f64 {
        let (count, sum) =
            self.all().fold((0.0, 0.0), |(count, sum), (_, width)| (count + 1.0, sum + f64::from(width)));
        self.family().map_or(2.0 * sum / count, |(_, likeness)| 1000.0 * f64::from(likeness.scale))
    }
}

impl TexEncoding {
    fn of(font: &Dict<'_>, widths: &Widths) -> Option<Self> {
        let has_minus = || {
            let minus = extents(font, Affine::IDENTITY, |code| code == MINUS).remove(&MINUS);
            minus.is_some_and(|extent| extent.height() < MINUS_HEIGHT * extent.width())
        };
        let by_minus = || {
            let is_small = widths.all().count() < MIN_WIDTHS && widths.of_code(MINUS).is_some();
            (is_small && has_minus()).then_some(Self::MathSymbols)
        };
        let of_formulas = widths.family().and_then(|(family, _)| family.encoding);
        of_formulas.or_else(|| Self::of_text(widths)).or_else(by_minus)
    }

    /// Of a font of text: the ligatures fi and fl are as wide as the letter n in OT1 and T1, and the Greek letters that have
    /// their codes in fonts of formulas are narrower; in PostScript fonts they are nearly as wide as their letters. Letters
    /// with accents are as wide as those without. In a font of fixed pitch, the widths say nothing.
    fn of_text(widths: &Widths) -> Option<Self> {
        let width = |code: u32| widths.of_code(code);
        let are_same = |one: f32, other: f32| (one - other).abs() <= SAME_WIDTH * one;
        let (n, i) = (width('n'.into())?, width('i'.into())?);
        if i >= NARROW_WIDTH * n {
            return None;
        }
        let is_n = |width: f32| are_same(n, width);
        let has_ligatures = |fi: u32| width(fi).is_some_and(is_n) && width(fi + 1).is_none_or(is_n);
        if has_ligatures(OT1_FI) {
            return Some(Self::Ot1);
        }
        let accented = (FIRST_T1_LETTER..FIRST_LATIN1_LETTER).filter_map(|code| {
            let base = Self::T1.text(code)?.nfd().next()?;
            Some(are_same(width(code)?, width(base.into())?))
        });
        let (same, other): (Vec<bool>, Vec<bool>) = accented.partition(|is_same| *is_same);
        let has_accented = same.len() >= MIN_ACCENTED && same.len() > other.len();
        if has_ligatures(T1_FI) || has_accented {
            return Some(Self::T1);
        }
        let letters = width('f'.into())? + i;
        let is_ligature =
            |width: f32| (letters * (1.0 - LIGATURE_WIDTH)..=letters * (1.0 + SAME_WIDTH)).contains(&width);
        width(BASE1_FI).is_some_and(is_ligature).then_some(Self::Base1)
    }

    /// The text of a code; of a font of text, only where it is not the character of ASCII.
    pub(crate) fn text(self, code: u32) -> Option<String> {
        let at = |first: u32| usize::try_from(code.checked_sub(first)?).ok();
        let character = |all: &str, first: u32| all.chars().nth(at(first)?).map(String::from);
        let sign = |runs: &[(u32, &[&str])]| {
            runs.iter().find_map(|(first, run)| run.get(at(*first)?)).map(|text| (*text).to_owned())
        };
        match self {
            Self::Ot1 => sign(&OT1),
            Self::T1 => sign(&T1).or_else(|| character(T1_LETTERS, FIRST_T1_LETTER)),
            Self::Base1 if code >= FIRST_WINDOWS_CODE => windows_text(code),
            Self::Base1 => sign(&BASE1),
            Self::MathLetters => character(OML, 0),
            Self::MathSymbols => character(OMS, 0),
            Self::MathExtension => character(OMX, 0),
        }
    }
}

/// The text of a code in Windows-1252.
pub(crate) fn windows_text(code: u32) -> Option<String> {
    Some(decode_text(&[u8::try_from(code).ok()?], Some("text/plain; charset=windows-1252")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extent_of_a_glyph_stands_before_d1() {
        assert_eq!(extent_of(b"49.8 0 6 -124 44 1 d1\n38 0 0 125 6 -124 cm"), Some(Rect::new(6.0, -124.0, 44.0, 1.0)));
        assert_eq!(extent_of(b"49.8 0 d0 6 -124 44 1 re f"), None);
        assert_eq!(extent_of(b"49.8 0 6 -124 44 NaN d1"), None);
    }

    #[test]
    fn the_encodings_of_formulas_have_all_codes() {
        for all in [OML, OMS, OMX] {
            assert_eq!(all.chars().count(), 128, "{all}");
        }
        let encodings = [TexEncoding::MathLetters, TexEncoding::MathSymbols, TexEncoding::MathExtension];
        let text = |encoding: TexEncoding| encoding.text(0x70).unwrap_or_default();
        assert_eq!(encodings.map(text), ["p", "√", "√"]);
    }
}
