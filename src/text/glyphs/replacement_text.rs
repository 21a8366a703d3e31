//! The `/ActualText` of marked-content sequences (ISO 32000-2, 14.9.4).

use crate::glyphs::PlacedGlyph;
use crate::layout::hyphens::HYPHENS;
use hayro_interpret::kurbo::Rect;
use pagewise_document::text_string;
use std::ops::RangeInclusive;

/// The largest distance of baselines of one line, as a share of an em.
const OFF_LINE_EM: f64 = 0.5;

/// A hyphen is narrower than this, in ems.
const HYPHEN_EM: f64 = 0.6;

/// Boxes, other shapes, and ticks.
const SIGNS: RangeInclusive<char> = '\u{25A0}'..='\u{27BF}';

/// Tracks open marked-content sequences, and the outermost one with a replacement text.
#[derive(Debug, Default)]
pub(crate) struct ReplacementTracker {
    /// Number of open sequences, with and without replacement text.
    depth: usize,
    open: Option<(usize, ReplacementText)>,
}

/// A replacement text and the position of the content that it replaces.
#[derive(Debug)]
pub(crate) struct ReplacementText {
    /// The encoded text string.
    pub(crate) string: Vec<u8>,
    /// The extent of the glyphs on the first line of the sequence.
    glyphs: Option<PlacedGlyph>,
    /// The extent of the first image or path, for letters drawn without a font.
    area: Option<PlacedGlyph>,
    /// Number of glyphs outside the page.
    off_page: u64,
}

impl ReplacementText {
    /// The position of the text; `None` if nothing is drawn on the page.
    pub(crate) fn extent(&self) -> Option<&PlacedGlyph> {
        self.glyphs.as_ref().or(self.area.as_ref())
    }

    /// The text, with its spaces. Some programs replace the hyphen at the end of a line with nothing, whether it divides a word or
    /// not, and boxes with the letters that have their codes.
    pub(crate) fn text(&self) -> String {
        let text = text_string::decode_whole(&self.string);
        let own = self.glyphs.as_ref().filter(|own| text.is_empty() && own.end - own.start < HYPHEN_EM * own.size);
        let hyphen = own.and_then(|own| own.text.first()).filter(|sign| HYPHENS.contains(sign));
        let sign = self.glyphs.as_ref().and_then(|own| own.text.first()).filter(|sign| SIGNS.contains(sign));
        let mut letters = text.chars();
        let is_code = matches!((letters.next(), letters.next()), (Some(..='\u{FF}'), None));
        hyphen.or(sign.filter(|_| is_code)).map_or(text, String::from)
    }

    /// The number of glyphs outside the page, if none is on it.
    pub(crate) fn off_page(&self) -> u64 {
        if self.extent().is_none() { self.off_page } else { 0 }
    }
}

impl ReplacementTracker {
    /// Opens a sequence. `string` is not called within a sequence that has a replacement text.
    pub(crate) fn begin(&mut self, string: impl FnOnce() -> Option<Vec<u8>>) {
        self.depth += 1;
        if self.open.is_none() {
            self.open =
                string().map(|string| (self.depth, ReplacementText { string, glyphs: None, area: None, off_page: 0 }));
        }
    }

    /// Closes the innermost sequence, and returns its replacement text, if any.
    pub(crate) fn end(&mut self) -> Option<ReplacementText> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.open.take_if(|(opened, _)| *opened >= depth).map(|(_, replacement)| replacement)
    }

    /// Closes all sequences at the end of the page.
    pub(crate) fn finish(&mut self) -> Option<ReplacementText> {
        self.open.take().map(|(_, replacement)| replacement)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Adds a glyph to the open sequence. Returns false if none is open.
    pub(crate) fn add_glyph(&mut self, glyph: &PlacedGlyph) -> bool {
        let Some((_, ReplacementText { glyphs, .. })) = &mut self.open else { return false };
        match glyphs {
            Some(extent) if is_on_line(extent, glyph) => {
                extent.start = extent.start.min(glyph.start);
                extent.end = extent.end.max(glyph.end);
            }
            // The text stays at the first line of the sequence.
            Some(_) => {}
            none => *none = Some(glyph.clone()),
        }
        true
    }

    /// Counts a glyph outside the page for the open sequence. Returns false if none is open.
    pub(crate) fn count_off_page(&mut self) -> bool {
        if let Some((_, replacement)) = &mut self.open {
            replacement.off_page += 1;
        }
        self.open.is_some()
    }

    /// Adds an image or a path to the open sequence.
    pub(crate) fn add_area(&mut self, area: impl FnOnce() -> Rect) {
        if let Some((_, replacement)) = &mut self.open
            && replacement.extent().is_none()
        {
            let area = area();
            let is_seen = area.is_finite() && area.width() > 0.0 && area.height() > 0.0;
            replacement.area = is_seen.then(|| PlacedGlyph::of_area(area));
        }
    }
}

fn is_on_line(extent: &PlacedGlyph, glyph: &PlacedGlyph) -> bool {
    let size = extent.size.max(glyph.size);
    extent.direction == glyph.direction && (extent.across - glyph.across).abs() <= size * OFF_LINE_EM
}
