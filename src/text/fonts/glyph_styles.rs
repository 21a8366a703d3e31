//! Collects the styles of a page's glyphs.

use super::font_style::FontStyle;
use super::page_fonts::{FontKey, PageFontDictionaries, is_type3};
use super::stems::Stems;
use crate::page_layout::MathFont;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::kurbo::{Affine, Rect};
use std::collections::{HashMap, HashSet};

/// The most styles of a page. Further ones count as the first.
const MAX_STYLES: usize = 1 << 12;

/// Glyphs whose uprights lean by such a share of their height are slanted.
const SLANT: std::ops::Range<f64> = 0.14..0.6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct GlyphStyle {
    /// An index without meaning beyond the page.
    pub(crate) font: u16,
    pub(crate) style: FontStyle,
    /// Whether another font of the page may be meant.
    pub(crate) is_guess: bool,
    pub(crate) color: [u8; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct StyleIndex(u16);

impl StyleIndex {
    /// The style in the list that the collector returns.
    pub(crate) fn of(self, styles: &[GlyphStyle]) -> GlyphStyle {
        styles.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// Finds the styles of a page's glyphs.
pub(crate) struct StyleCollector {
    /// By the index that the caller has for a font. One font may have several.
    known: HashMap<usize, (u16, FontStyle)>,
    numbers: HashMap<FontKey, u16>,
    /// Of fonts that are bold by no sign of their dictionary or program.
    stems: HashMap<u16, Stems>,
    styles: Vec<GlyphStyle>,
    indices: HashMap<GlyphStyle, StyleIndex>,
}

impl Default for StyleCollector {
    fn default() -> Self {
        let (known, numbers, indices) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { known, numbers, stems: HashMap::new(), styles: vec![GlyphStyle::default()], indices }
    }
}

impl StyleCollector {
    /// The style of a run's glyphs. `font` is the index of its font, and `clip` is the open part of the page.
    pub(crate) fn style_of(
        &mut self,
        fonts: &mut PageFontDictionaries<'_, '_>,
        font: Option<usize>,
        run: &GlyphRun<'_, '_>,
        to_page: Affine,
        color: [u8; 3],
        clip: Rect,
    ) -> StyleIndex {
        let (font, mut style, is_guess) = self.font_style(fonts, font, run, clip).unwrap_or_default();
        if !style.is_bold && style.math == MathFont::None && font > 0 {
            self.measure(font, run);
        }
        style.is_italic |= run.glyphs().first().is_some_and(|glyph| is_slanted(to_page * glyph.transform()));
        self.index_of(GlyphStyle { font, style, is_guess, color })
    }

    /// Whether a style is that of a font of formulas.
    pub(crate) fn is_math(&self, style: StyleIndex) -> bool {
        style.of(&self.styles).style.math != MathFont::None
    }

    /// The styles, by their index.
    pub(crate) fn finish(mut self) -> Vec<GlyphStyle> {
        let bold: HashSet<u16> =
            self.stems.into_iter().filter_map(|(font, stems)| stems.are_bold().then_some(font)).collect();
        self.styles.iter_mut().filter(|style| bold.contains(&style.font)).for_each(|style| style.style.is_bold = true);
        self.styles
    }

    fn measure(&mut self, font: u16, run: &GlyphRun<'_, '_>) {
        let stems = self.stems.entry(font).or_default();
        for glyph in run.glyphs() {
            match &**glyph {
                Glyph::Outline(outline) if !stems.are_enough() => stems.add(outline),
                _ => return,
            }
        }
    }

    /// The number and the style of a run's font, and whether another may be meant.
    fn font_style(
        &mut self,
        fonts: &mut PageFontDictionaries<'_, '_>,
        font: Option<usize>,
        run: &GlyphRun<'_, '_>,
        clip: Rect,
    ) -> Option<(u16, FontStyle, bool)> {
        // All Type 3 fonts share one index.
        let is_type3 = is_type3(run);
        let font = font.filter(|_| !is_type3);
        if let Some(known) = font.and_then(|font| self.known.get(&font)) {
            return Some((known.0, known.1, false));
        }
        let (key, style, is_guess) = match is_type3 {
            true => fonts.type3_style(run, clip)?,
            false => fonts.outline_style(run).map(|(key, style)| (key, style, false))?,
        };
        let next = u16::try_from(self.numbers.len() + 1).unwrap_or(u16::MAX);
        let number = if next == u16::MAX { next } else { *self.numbers.entry(key).or_insert(next) };
        self.known.extend(font.map(|font| (font, (number, style))));
        Some((number, style, is_guess))
    }

    fn index_of(&mut self, style: GlyphStyle) -> StyleIndex {
        if let Some(known) = self.indices.get(&style) {
            return *known;
        }
        if self.styles.len() >= MAX_STYLES {
            return StyleIndex::default();
        }
        let index = StyleIndex(u16::try_from(self.styles.len()).unwrap_or_default());
        self.styles.push(style);
        self.indices.insert(style, index);
        index
    }
}

/// Whether glyphs are slanted by their transform.
fn is_slanted(place: Affine) -> bool {
    let [a, b, c, d, _, _] = place.as_coeffs();
    let lean = (a * c + b * d) / (a.hypot(b) * c.hypot(d));
    SLANT.contains(&lean.abs())
}
