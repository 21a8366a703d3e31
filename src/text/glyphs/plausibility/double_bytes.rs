//! Fonts whose codes are halves of characters.
//!
//! Programs without composite fonts show Chinese and Korean in simple fonts of the system, with two codes a character. The
//! file calls the codes Latin, so that `宋体` reads `ËÎÌå`. Such codes come in pairs, which are text in a charset older than
//! Unicode.

use crate::glyphs::characters::text_of_string;
use crate::glyphs::{GlyphPlacement, GlyphText};
use pagewise_charset::{Charset, Extent};
use std::collections::BTreeSet;

/// The least number of different pairs. A few may be an accident: languages of Latin script repeat some, such as `çã`.
const MIN_PAIRS: usize = 8;

/// At most one of this many halves stands alone. In Latin text, most accented letters do.
const ALONE_SHARE: usize = 32;

/// The most bytes of a font's text that are recorded. More add nothing.
const MAX_BYTES: usize = 4_096;

/// The codes that may be one byte of a character of two. In GB 2312 and KS X 1001, both bytes are among them.
const HALVES: std::ops::RangeInclusive<u32> = 0xA1..=0xFE;

/// The least character of scripts with double-byte charsets, and of their punctuation.
const FIRST_WIDE: char = '\u{2010}';

/// The codes of a font that may be halves of characters.
#[derive(Default)]
pub(crate) struct DoubleBytes {
    pairs: Vec<u8>,
    lead: Option<u8>,
    /// The number of halves that stand alone.
    alone: usize,
}

impl DoubleBytes {
    /// Adds the next glyph of a run: the half that it may be.
    fn add(&mut self, half: Option<u8>) {
        match (half, self.lead.take()) {
            (Some(half), Some(first)) => self.pairs.extend([first, half]),
            (Some(half), None) => self.lead = Some(half),
            (None, Some(_)) => self.alone += 1,
            (None, None) => {}
        }
    }

    pub(crate) fn append(&mut self, run: &Self) {
        self.alone = self.alone.saturating_add(run.alone + usize::from(run.lead.is_some()));
        let room = MAX_BYTES.saturating_sub(self.pairs.len());
        self.pairs.extend(run.pairs.iter().take(room));
    }

    /// The charset of the codes, if they are halves of characters.
    pub(crate) fn charset(&self) -> Option<Charset> {
        let pairs = self.pairs.len() / 2;
        let different = self.pairs.chunks(2).collect::<BTreeSet<_>>().len();
        if different < MIN_PAIRS || self.alone.saturating_mul(ALONE_SHARE) > pairs {
            return None;
        }
        let charset = Charset::detect(&self.pairs, Extent::Whole).filter(|charset| !charset.is_unicode())?;
        charset.decode(&self.pairs).0.chars().all(|character| character >= FIRST_WIDE).then_some(charset)
    }
}

/// Joins the halves of characters of a run, or finds which codes may be halves.
pub(crate) struct PairReader {
    /// `None` if the codes are whole characters, as far as is known.
    charset: Option<Charset>,
    lead: Option<(u8, GlyphPlacement)>,
    /// The codes that may be halves, if the charset is not known.
    pub(crate) found: DoubleBytes,
}

impl PairReader {
    pub(crate) fn new(charset: Option<Charset>) -> Self {
        Self { charset, lead: None, found: DoubleBytes::default() }
    }

    /// Whether a glyph with this code has to be read here: it may be half of a character, or end one that is open.
    pub(crate) fn concerns(&self, code: u32) -> bool {
        HALVES.contains(&code) || self.lead.is_some() || self.found.lead.is_some()
    }

    /// The character that ends with this glyph; `None` if the glyph is the first half of one.
    pub(crate) fn read(&mut self, code: u32, glyph: ReadGlyph) -> Option<ReadGlyph> {
        let half = half_of(code, glyph.text.as_ref());
        let Some(charset) = self.charset else {
            self.found.add(half);
            return Some(glyph);
        };
        match (half, self.lead.take()) {
            (Some(half), Some((first, place))) => {
                let end = glyph.place.start + glyph.advance * glyph.place.unit;
                let text = text_of_string(&charset.decode(&[first, half]).0);
                Some(ReadGlyph { text, place, advance: (end - place.start) / place.unit })
            }
            (Some(half), None) => {
                self.lead = Some((half, glyph.place));
                None
            }
            (None, _) => Some(glyph),
        }
    }
}

/// What was read of a glyph. The advance is in thousandths of an em.
pub(crate) struct ReadGlyph {
    pub(crate) text: Option<GlyphText>,
    pub(crate) place: GlyphPlacement,
    pub(crate) advance: f64,
}

/// The byte of a code that the file calls a Latin letter or sign, and that may be half of a character.
fn half_of(code: u32, text: Option<&GlyphText>) -> Option<u8> {
    let byte = u8::try_from(code).ok().filter(|_| HALVES.contains(&code))?;
    let is_latin = match text? {
        // The code of a soft hyphen shows a hyphen.
        GlyphText::One(character) => *character == char::from(byte) || (*character == '-' && byte == 0xAD),
        GlyphText::Many(_) => false,
    };
    is_latin.then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of the charset of a font whose runs have these bytes.
    fn charset(runs: &[&[u8]]) -> Option<&'static str> {
        let mut font = DoubleBytes::default();
        for run in runs {
            let mut found = DoubleBytes::default();
            run.iter().for_each(|byte| found.add(half_of((*byte).into(), Some(&GlyphText::One(char::from(*byte))))));
            font.append(&found);
        }
        font.charset().map(Charset::name)
    }

    /// 人人生而自由，在尊严和权利上一律平等。
    const CHINESE: &[u8] =
        b"\xC8\xCB\xC8\xCB\xC9\xFA\xB6\xF8\xD7\xD4\xD3\xC9\xA3\xAC\xD4\xDA\xD7\xF0\xD1\xCF\xBA\xCD\xC8\xA8\
        \xC0\xFB\xC9\xCF\xD2\xBB\xC2\xC9\xC6\xBD\xB5\xC8\xA1\xA3";

    /// 모든 인간은 자유로우며 동등하다
    const KOREAN: &[u8] =
        b"\xB8\xF0\xB5\xE7 \xC0\xCE\xB0\xA3\xC0\xBA \xC0\xDA\xC0\xAF\xB7\xCE\xBF\xEC\xB8\xE7 \xB5\xBF\xB5\xEE\
        \xC7\xCF\xB4\xD9";

    #[test]
    fn pairs_that_are_text_have_a_charset() {
        assert_eq!(charset(&[CHINESE]), Some("GBK"));
        assert_eq!(charset(&[b"No. 1 ", CHINESE, b"2011"]), Some("GBK"));
        assert_eq!(charset(&[KOREAN]), Some("EUC-KR"));
    }

    #[test]
    fn latin_text_and_short_text_have_none() {
        // Western European, and Cyrillic that is taken for it.
        let latin =
            b"cr\xE8me br\xFBl\xE9e, na\xEFve fa\xE7ade, d\xE9j\xE0 vu, \xC5ngstr\xF6m, \xFCber, pi\xF1ata, gar\xE7on";
        let cyrillic = b"\xC2\xF1\xE5 \xEB\xFE\xE4\xE8 \xF0\xEE\xE6\xE4\xE0\xFE\xF2\xF1\xFF \xF1\xE2\xEE\xE1\xEE\xE4\xED\xFB\xEC\xE8";
        let repeated = b"pontua\xE7\xE3o ".repeat(20);
        for text in [&latin[..], &cyrillic[..], &repeated, CHINESE.get(..8).unwrap_or_default(), b"plain"] {
            assert_eq!(charset(&[text]), None);
        }
        // Halves in runs of their own stand alone.
        assert_eq!(charset(&CHINESE.chunks(1).collect::<Vec<_>>()), None);
    }

    #[test]
    fn codes_with_another_meaning_are_no_halves() {
        assert_eq!(half_of(0xC8, Some(&GlyphText::One('È'))), Some(0xC8));
        assert_eq!(half_of(0xC8, Some(&GlyphText::One('人'))), None);
        assert_eq!(half_of(0x1C8, Some(&GlyphText::One('ǈ'))), None);
        assert_eq!(half_of(0xC8, None), None);
    }
}
