//! Marked sequences with a text of their own (ISO 32000-2, 14.9.4).

use super::mark::Mark;
use hayro_interpret::kurbo::Rect;

/// Share of an em that glyphs of one line may stand off each other.
const OFF_LINE_EM: f64 = 0.5;

/// The marked sequence that is open, if it has a text of its own.
#[derive(Debug, Default)]
pub(super) struct Replacements {
    /// Sequences that are open, with and without a text.
    depth: usize,
    open: Option<(usize, Replacement)>,
}

/// A text in place of what a marked sequence draws.
#[derive(Debug)]
pub(super) struct Replacement {
    /// The text string as it stands in the file.
    pub(super) string: Vec<u8>,
    /// The glyphs on the first line of the sequence.
    glyphs: Option<Mark>,
    /// The first picture or path, for a text whose letters are drawn.
    area: Option<Mark>,
    /// Glyphs outside of the page.
    off_page: u64,
}

impl Replacement {
    /// Where the text stands; `None` where nothing is drawn.
    pub(super) fn extent(&self) -> Option<&Mark> {
        self.glyphs.as_ref().or(self.area.as_ref())
    }

    /// Glyphs outside of the page, where none is on it.
    pub(super) fn off_page(&self) -> u64 {
        if self.extent().is_none() { self.off_page } else { 0 }
    }
}

impl Replacements {
    /// Opens a sequence. Within one that has a text of its own, `string` is not asked.
    pub(super) fn begin(&mut self, string: impl FnOnce() -> Option<Vec<u8>>) {
        self.depth += 1;
        if self.open.is_none() {
            self.open =
                string().map(|string| (self.depth, Replacement { string, glyphs: None, area: None, off_page: 0 }));
        }
    }

    /// Closes the innermost sequence; gives its text where it has one.
    pub(super) fn end(&mut self) -> Option<Replacement> {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        self.open.take_if(|(opened, _)| *opened >= depth).map(|(_, replacement)| replacement)
    }

    /// Closes what the page left open.
    pub(super) fn finish(&mut self) -> Option<Replacement> {
        self.open.take().map(|(_, replacement)| replacement)
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes a glyph into the open sequence; false where none is open.
    pub(super) fn cover(&mut self, mark: &Mark) -> bool {
        let Some((_, Replacement { glyphs, .. })) = &mut self.open else { return false };
        match glyphs {
            Some(extent) if is_on_line(extent, mark) => {
                extent.start = extent.start.min(mark.start);
                extent.end = extent.end.max(mark.end);
            }
            // A sequence that goes on in the next line stands where it begins.
            Some(_) => {}
            none => *none = Some(mark.clone()),
        }
        true
    }

    /// Takes a glyph outside of the page into the open sequence; false where none is open.
    pub(super) fn miss(&mut self) -> bool {
        if let Some((_, replacement)) = &mut self.open {
            replacement.off_page += 1;
        }
        self.open.is_some()
    }

    /// Takes a picture or a path into the open sequence.
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
