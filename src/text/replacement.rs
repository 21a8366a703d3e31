//! Replacement text of marked-content sequences (ISO 32000-2, 14.9.4).

use super::mark::Mark;
use hayro_interpret::kurbo::Rect;

/// The largest distance of baselines of one line, as a share of an em.
const OFF_LINE_EM: f64 = 0.5;

/// Tracks open marked-content sequences, and the outermost one with a replacement text.
#[derive(Debug, Default)]
pub(super) struct Replacements {
    /// Number of open sequences, with and without replacement text.
    depth: usize,
    open: Option<(usize, Replacement)>,
}

/// A replacement text and the position of the content that it replaces.
#[derive(Debug)]
pub(super) struct Replacement {
    /// The encoded text string.
    pub(super) string: Vec<u8>,
    /// The extent of the glyphs on the first line of the sequence.
    glyphs: Option<Mark>,
    /// The extent of the first image or path, for letters drawn without a font.
    area: Option<Mark>,
    /// Number of glyphs outside the page.
    off_page: u64,
}

impl Replacement {
    /// The position of the text; `None` if nothing is drawn on the page.
    pub(super) fn extent(&self) -> Option<&Mark> {
        self.glyphs.as_ref().or(self.area.as_ref())
    }

    /// The number of glyphs outside the page, if none is on it.
    pub(super) fn off_page(&self) -> u64 {
        if self.extent().is_none() { self.off_page } else { 0 }
    }
}

impl Replacements {
    /// Opens a sequence. `string` is not called within a sequence that has a replacement text.
    pub(super) fn begin(&mut self, string: impl FnOnce() -> Option<Vec<u8>>) {
        self.depth += 1;
        if self.open.is_none() {
            self.open =
                string().map(|string| (self.depth, Replacement { string, glyphs: None, area: None, off_page: 0 }));
        }
    }

    /// Closes the innermost sequence, and returns its replacement text, if any.
    pub(super) fn end(&mut self) -> Option<Replacement> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.open.take_if(|(opened, _)| *opened >= depth).map(|(_, replacement)| replacement)
    }

    /// Closes all sequences at the end of the page.
    pub(super) fn finish(&mut self) -> Option<Replacement> {
        self.open.take().map(|(_, replacement)| replacement)
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Adds a glyph to the open sequence. Returns false if none is open.
    pub(super) fn cover(&mut self, mark: &Mark) -> bool {
        let Some((_, Replacement { glyphs, .. })) = &mut self.open else { return false };
        match glyphs {
            Some(extent) if is_on_line(extent, mark) => {
                extent.start = extent.start.min(mark.start);
                extent.end = extent.end.max(mark.end);
            }
            // The text stays at the first line of the sequence.
            Some(_) => {}
            none => *none = Some(mark.clone()),
        }
        true
    }

    /// Counts a glyph outside the page for the open sequence. Returns false if none is open.
    pub(super) fn miss(&mut self) -> bool {
        if let Some((_, replacement)) = &mut self.open {
            replacement.off_page += 1;
        }
        self.open.is_some()
    }

    /// Adds an image or a path to the open sequence.
    pub(super) fn cover_area(&mut self, area: impl FnOnce() -> Rect) {
        if let Some((_, replacement)) = &mut self.open
            && replacement.extent().is_none()
        {
            let area = area();
            let is_seen = area.is_finite() && area.width() > 0.0 && area.height() > 0.0;
            replacement.area = is_seen.then(|| Mark::of_area(area));
        }
    }
}

fn is_on_line(extent: &Mark, mark: &Mark) -> bool {
    let size = extent.size.max(mark.size);
    extent.frame == mark.frame && (extent.across - mark.across).abs() <= size * OFF_LINE_EM
}
