//! The glyphs collected so far, without duplicates.

use super::paint_log::{PaintLog, PaintOrder};
use crate::glyphs::{GlyphText, PlacedGlyph};
use hayro_interpret::kurbo::Rect;
use pagewise_document::fast_hash::FastMap;

/// A second glyph of the same character within this share of an em is a duplicate: fake bold type.
const DUPLICATE_EM: f64 = 0.12;

/// The height of the rows in which duplicates are looked up, in points.
const ROW_PT: f64 = 8.0;

/// The most glyphs of one character in a row that a glyph is compared with. A line hardly has more.
const MAX_COMPARED: usize = 64;

/// The most glyphs of a clipping path.
const MAX_CLIPPING: usize = 1_000;

/// A glyph of a character on the page.
struct GlyphPlace {
    start: f64,
    across: f64,
    /// Its index among the collected glyphs.
    glyph: usize,
    /// The index of the previous place of the same character in the same row.
    before: Option<usize>,
}

/// When and how a glyph is painted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PaintFacts {
    pub(super) order: PaintOrder,
    pub(super) visibility: Visibility,
}

/// Whether a glyph is seen where it is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Visibility {
    #[default]
    Painted,
    /// In a text rendering mode that paints nothing, or in a transparent colour.
    Unpainted,
    /// In the colour of its ground, or too small.
    Unseen,
}

/// The glyphs collected so far.
#[derive(Default)]
pub(super) struct GlyphList {
    glyphs: Vec<PlacedGlyph>,
    /// The facts of each glyph.
    facts: Vec<PaintFacts>,
    /// The places of the glyphs that later ones are compared with.
    places: Vec<GlyphPlace>,
    /// The index of the latest place, for each character and row of the page.
    last_places: FastMap<(char, i64), usize>,
    /// The glyph that the last one repeated, if it was a duplicate.
    repeated: Option<usize>,
}

/// The glyphs of a page, when all is painted.
pub(super) struct SeparatedGlyphs {
    pub(super) seen: Vec<PlacedGlyph>,
    pub(super) hidden: Vec<PlacedGlyph>,
    /// The number of those among `seen` that are not painted: they are what was recognised in an image.
    pub(super) invisible: u64,
}

impl GlyphList {
    /// Adds a glyph that is no duplicate.
    pub(super) fn push(&mut self, glyph: PlacedGlyph, facts: PaintFacts) {
        if let GlyphText::One(character) = glyph.text
            && is_compared(character, facts)
        {
            let before = self.last_places.insert((character, row_of(glyph.across)), self.places.len());
            self.places.push(GlyphPlace { start: glyph.start, across: glyph.across, glyph: self.glyphs.len(), before });
        }
        self.glyphs.push(glyph);
        self.facts.push(facts);
        self.repeated = None;
    }

    /// Whether the same glyph is there already. If so, it counts as painted now.
    pub(super) fn merge_duplicate(&mut self, glyph: &PlacedGlyph, facts: PaintFacts) -> bool {
        let repeated = self.repeated.take();
        if glyph.text.is_space() {
            // A space goes with what precedes it.
            self.repeated = repeated.map(|before| before + 1).filter(|at| self.is_space_at(*at, glyph));
            return self.repeated.is_some();
        }
        let GlyphText::One(character) = glyph.text else { return false };
        if !is_compared(character, facts) {
            return false;
        }
        let distance = glyph.size * DUPLICATE_EM;
        let is_near = |place: &&GlyphPlace| {
            (place.start - glyph.start).abs() <= distance && (place.across - glyph.across).abs() <= distance
        };
        let (row, above, below) =
            (row_of(glyph.across), row_of(glyph.across - distance), row_of(glyph.across + distance));
        let mut rows = std::iter::once(row).chain([above, below].into_iter().filter(|other| *other != row));
        let known = rows.find_map(|row| self.places_in(character, row).take(MAX_COMPARED).find(is_near));
        let Some(at) = known.map(|place| place.glyph) else { return false };
        if let Some(known) = self.facts.get_mut(at)
            && facts.visibility == Visibility::Painted
        {
            *known = facts;
        }
        self.drop_repeated_space(at);
        self.repeated = Some(at);
        true
    }

    /// The places of a character in a row, the last one first.
    fn places_in(&self, character: char, row: i64) -> impl Iterator<Item = &GlyphPlace> {
        let last = self.last_places.get(&(character, row)).and_then(|last| self.places.get(*last));
        std::iter::successors(last, |place| self.places.get(place.before?))
    }

    /// Whether the glyph at an index is a space in the place of `space`.
    fn is_space_at(&self, at: usize, space: &PlacedGlyph) -> bool {
        let is_near = |one: f64, other: f64| (one - other).abs() <= space.size * DUPLICATE_EM;
        self.glyphs.get(at).is_some_and(|known| {
            known.text.is_space() && is_near(known.start, space.start) && is_near(known.across, space.across)
        })
    }

    /// Drops a space that was added last if it repeats the one before the glyph at an index.
    fn drop_repeated_space(&mut self, at: usize) {
        let Some((last, space)) = self.glyphs.iter().enumerate().next_back() else { return };
        if space.text.is_space() && last > at && at.checked_sub(1).is_some_and(|before| self.is_space_at(before, space))
        {
            self.glyphs.pop();
            self.facts.pop();
        }
    }

    /// Counts the last glyphs as painted if they are a clipping path with this extent: what is painted shows in them.
    pub(super) fn use_as_clip(&mut self, extent: Rect) {
        let last = self.glyphs.iter().zip(&mut self.facts).rev().take(MAX_CLIPPING);
        for (glyph, facts) in last.take_while(|(_, facts)| facts.visibility == Visibility::Unpainted) {
            if extent.contains(glyph.middle()) {
                facts.visibility = Visibility::Painted;
            }
        }
    }

    /// Separates the glyphs that are seen from those that are not.
    pub(super) fn separate(self, paints: &mut PaintLog) -> SeparatedGlyphs {
        let mut separated = SeparatedGlyphs { seen: Vec::new(), hidden: Vec::new(), invisible: 0 };
        let mut was_seen = true;
        for (glyph, facts) in self.glyphs.into_iter().zip(self.facts) {
            let is_seen = match facts.visibility {
                // A space goes with what precedes it.
                _ if glyph.text.is_space() => was_seen,
                Visibility::Unseen => false,
                Visibility::Painted => !paints.is_covered(glyph.middle(), facts.order),
                Visibility::Unpainted => paints.has_image(glyph.middle()),
            };
            was_seen = is_seen;
            let is_recognised = is_seen && facts.visibility == Visibility::Unpainted && !glyph.text.is_space();
            separated.invisible += u64::from(is_recognised);
            if is_seen { separated.seen.push(glyph) } else { separated.hidden.push(glyph) }
        }
        separated
    }
}

/// Whether a glyph is compared with others. What is not seen must not take the place of what is.
fn is_compared(character: char, facts: PaintFacts) -> bool {
    !character.is_whitespace() && facts.visibility != Visibility::Unseen
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
fn row_of(across: f64) -> i64 {
    (across / ROW_PT).floor() as i64
}
