//! Whether what a font says is text.
//!
//! A font may name its glyphs by codes of its own, without a map to Unicode or with one that lies: the page shows words, and
//! what is read is `7KLV LV D WHVW`. Nothing in the file says so, but what is read then looks like no text. Each font of a
//! page is judged by what it says there, by three measures that need no language and no dictionary:
//!
//! - *Pairs.* Which letters follow each other is much alike in all languages of Latin script. Each pair of neighbours within
//!   words is weighed by how much more often these languages have it than chance; the more often a pair occurs, the more it
//!   weighs, but by the logarithm, so that one word said a hundred times is one word. A font is implausible where the mean is
//!   far below that of any text, although its letters are as unevenly used as those of a text: random strings such as keys
//!   and hashes are honest. Neighbours in the alphabet are charts, and do not count.
//! - *Signs.* Letters with accents and signs beside each other are what Cyrillic, Greek or Thai are when their codes are
//!   taken for Latin ones; signs of ASCII beside each other, and hardly a
//!   word in small letters, are codes that were given out in order.
//! - *Codes.* Characters of private use say nothing, and many codes of one character are a map that was made up.
//!
//! Other scripts are not weighed: fonts that reach them have a map. A font whose codes are its characters may have none,
//! and is believed a little less. Text that is too short is believed.

mod font_text;
mod pairs;

pub(super) use font_text::{FontText, is_private};

use hayro_interpret::font::{Glyph, GlyphRun};
use std::collections::HashMap;

/// Fonts of a page that are told apart; the others are believed.
const MAX_FONTS: usize = 1_000;

/// What the fonts of a page say.
#[derive(Default)]
pub(super) struct PageFonts {
    by_glyph: HashMap<u128, usize>,
    fonts: Vec<FontText>,
    /// By the fonts' places, once they were judged.
    distrusted: Vec<bool>,
}

/// The place of a font in [`PageFonts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FontPlace(usize);

impl PageFonts {
    /// The font of a run: that of the first glyph, known by its outline.
    pub(super) fn font_of(&mut self, run: &GlyphRun<'_, '_>) -> Option<FontPlace> {
        let mut glyphs = run.glyphs().iter().map(|glyph| key(glyph));
        let first = glyphs.next()?;
        if let Some(font) = self.by_glyph.get(&first) {
            return Some(FontPlace(*font));
        }
        let others = glyphs.collect::<Vec<_>>();
        let known = others.iter().find_map(|glyph| self.by_glyph.get(glyph).copied());
        let font = known.unwrap_or(self.fonts.len());
        if font == self.fonts.len() {
            if font >= MAX_FONTS {
                return None;
            }
            self.fonts.push(FontText::default());
        }
        self.by_glyph.extend(others.into_iter().chain([first]).map(|glyph| (glyph, font)));
        Some(FontPlace(font))
    }

    /// Whether the font was found implausible when the page was read before.
    pub(super) fn is_distrusted(&self, font: Option<FontPlace>) -> bool {
        font.is_some_and(|font| self.distrusted.get(font.0).copied().unwrap_or(false))
    }

    /// What a font says; `None` for one that is not told apart.
    pub(super) fn text(&mut self, font: Option<FontPlace>) -> Option<&mut FontText> {
        self.fonts.get_mut(font?.0)
    }

    /// The same fonts with what was found of them, for reading the page again; `None` where all are plausible.
    pub(super) fn judge(self) -> Option<Self> {
        let distrusted = self.fonts.iter().map(|font| !font.is_plausible()).collect::<Vec<_>>();
        if !distrusted.contains(&true) {
            return None;
        }
        let fonts = self.fonts.iter().map(|_| FontText::default()).collect();
        Some(Self { by_glyph: self.by_glyph, fonts, distrusted })
    }
}

/// Whether what another engine gives for a page may be text.
pub(super) fn is_text(text: &str) -> bool {
    let mut whole = FontText::default();
    text.chars().fold(None, |last, character| whole.add_character(last, character));
    whole.is_plausible()
}

/// What fonts are told apart by. Those of Type 3 are judged together, since telling them apart takes reading each anew.
fn key(glyph: &Glyph<'_>) -> u128 {
    match glyph {
        Glyph::Outline(outline) => outline.identifier().cache_key(),
        Glyph::Type3(_) => 0,
    }
}
