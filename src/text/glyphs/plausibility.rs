//! Decides whether the characters of a font are plausible text.
//!
//! A font's character map may be missing or wrong: the page shows words, and the extracted text is `7KLV LV D WHVW`.
//! Nothing in the file tells, so each font of a page is judged by its text, without a dictionary:
//!
//! - *Pairs.* Frequencies of letter pairs are similar in all languages of Latin script. Each pair within words has a
//!   weight: how much more frequent than chance it is in these languages. Repeated pairs count by their logarithm. A
//!   font is implausible if the mean weight is far below that of any text and its letters are as unevenly used as in
//!   text; so random strings such as keys and hashes are plausible. Alphabetic sequences are charts and do not count.
//! - *Signs.* Adjacent accented letters and signs mean that Cyrillic, Greek or Thai codes were read as Latin. Adjacent
//!   ASCII signs with hardly any lowercase words mean that codes were assigned in order.
//!   Words of other signs, of boxes or of combining marks are none in any language.
//! - *Codes.* Private use characters carry no meaning, and many codes for one character mean a fabricated map. Where
//!   nothing but the codes is known and most are no characters, the others are none either.
//!
//! In some fonts two codes are one Chinese or Korean character. They are joined, and decoded by their charset.
//!
//! Other scripts are not judged: fonts that reach them have a map. A font whose codes equal its characters may have no
//! map, and is trusted a little less. Short text is always trusted.

mod double_bytes;
mod font_statistics;
mod letter_pairs;

pub(crate) use double_bytes::{PairReader, ReadGlyph};
pub(crate) use font_statistics::{FontStatistics, is_private};

use crate::glyphs::PlacedGlyph;
use hayro_interpret::font::{Glyph, GlyphRun};
use pagewise_charset::Charset;
use pagewise_document::fast_hash::FastMap;

/// The most fonts of a page that are judged. Further fonts are trusted.
const MAX_FONTS: usize = 1_000;

/// The texts of a page's fonts.
#[derive(Default)]
pub(crate) struct PageFonts {
    by_glyph: FastMap<u128, usize>,
    fonts: Vec<FontStatistics>,
    /// The text of runs of one glyph, which do not show their fonts. Some producers place each glyph.
    lone_glyphs: FontStatistics,
    /// How each font is to be read, once they were judged.
    readings: Vec<FontReading>,
}

/// How the codes of a font become characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FontReading {
    /// By the file's character map.
    Trusted,
    /// By the font program alone.
    Distrusted,
    /// Not at all: what the font program says is no text either.
    Unknown,
    /// As pairs of bytes in a charset.
    Pairs(Charset),
}

/// The index of a font in [`PageFonts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FontIndex(pub(crate) usize);

impl PageFonts {
    /// The font of a run, identified by the outlines of its glyphs.
    pub(crate) fn font_of(&mut self, run: &GlyphRun<'_, '_>) -> Option<FontIndex> {
        let mut glyphs = run.glyphs().iter().map(|glyph| key(glyph));
        let first = glyphs.next()?;
        if let Some(font) = self.by_glyph.get(&first) {
            return Some(FontIndex(*font));
        }
        let others = glyphs.collect::<Vec<_>>();
        let known = others.iter().find_map(|glyph| self.by_glyph.get(glyph).copied());
        let font = known.unwrap_or(self.fonts.len());
        if font == self.fonts.len() {
            if font >= MAX_FONTS {
                return None;
            }
            self.fonts.push(FontStatistics::default());
        }
        self.by_glyph.extend(others.into_iter().chain([first]).map(|glyph| (glyph, font)));
        Some(FontIndex(font))
    }

    /// The charset of a font whose codes are halves of characters.
    pub(crate) fn charset(&self, font: Option<FontIndex>) -> Option<Charset> {
        match self.reading(font) {
            FontReading::Pairs(charset) => Some(charset),
            FontReading::Trusted | FontReading::Distrusted | FontReading::Unknown => None,
        }
    }

    /// How the font is to be read, as judged when the page was read before.
    pub(crate) fn reading(&self, font: Option<FontIndex>) -> FontReading {
        font.and_then(|font| self.readings.get(font.0).copied()).unwrap_or(FontReading::Trusted)
    }

    /// Adds a glyph of a run to the text of its font.
    pub(crate) fn add(&mut self, font: Option<FontIndex>, glyph: &PlacedGlyph, is_alone: bool) {
        if is_alone {
            self.lone_glyphs.add(glyph);
        }
        if let Some(statistics) = self.statistics(font) {
            statistics.add(glyph);
        }
    }

    /// The text of a font; `None` if the font is not judged.
    pub(crate) fn statistics(&mut self, font: Option<FontIndex>) -> Option<&mut FontStatistics> {
        self.fonts.get_mut(font?.0)
    }

    /// Judges the fonts. Returns them for reading the page again; `None` if they are read as well as they can be.
    pub(crate) fn take_implausible(self) -> Option<Self> {
        let last = |font| self.reading(Some(FontIndex(font)));
        let mut kinds = vec![0_usize; self.fonts.len()];
        self.by_glyph.values().for_each(|font| kinds.iter_mut().skip(*font).take(1).for_each(|count| *count += 1));
        let reading = |(at, (font, kinds)): (usize, (&FontStatistics, usize))| match font.next_reading(last(at)) {
            same if same == last(at) && kinds == 1 && !self.lone_glyphs.has_plausible_pairs() => {
                self.lone_glyphs.next_reading(same)
            }
            other => other,
        };
        let readings = self.fonts.iter().zip(kinds).enumerate().map(reading).collect::<Vec<_>>();
        if readings.iter().enumerate().all(|(at, reading)| *reading == last(at)) {
            return None;
        }
        let fonts = self.fonts.iter().map(|_| FontStatistics::default()).collect();
        Some(Self { by_glyph: self.by_glyph, fonts, readings, ..Self::default() })
    }
}

/// At least two of three characters of a text are letters and digits. Of codes by chance, little more than half are.
const LETTER_SHARE: (usize, usize) = (2, 3);

/// Whether text from another engine is plausible: it has letters and digits, and these look like words.
pub(crate) fn is_text(text: &str) -> bool {
    let mut whole = FontStatistics::default();
    text.chars().fold(None, |last, character| whole.add_character(last, character));
    let shown = || text.chars().filter(|character| !character.is_whitespace());
    let letters = shown().filter(|character| character.is_alphabetic() || character.is_ascii_digit());
    letters.count() * LETTER_SHARE.1 >= shown().count() * LETTER_SHARE.0 && whole.is_plausible()
}

/// The key of a glyph's font. All Type 3 fonts share one, since telling them apart is expensive.
fn key(glyph: &Glyph<'_>) -> u128 {
    match glyph {
        Glyph::Outline(outline) => outline.identifier().cache_key(),
        Glyph::Type3(_) => 0,
    }
}
