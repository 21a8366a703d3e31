//! The glyphs collected so far, without duplicates.
//!
//! A run is a duplicate as a whole: the second stroke of fake bold type, or a shadow. Of a run that is drawn over another
//! one, some glyphs may have the same character and place by accident. Signs that only the second has are kept.

use super::paint_log::{Cover, PaintLog, PaintOrder};
use crate::glyphs::{GlyphText, PlacedGlyph, row_of};
use hayro_interpret::kurbo::Rect;
use pagewise_document::fast_hash::FastMap;
use std::collections::{BTreeMap, BTreeSet};

/// A second glyph of the same character within this share of an em is a duplicate: fake bold type.
const DUPLICATE_EM: f64 = 0.12;

/// A run is a duplicate if this share of its glyphs is: fonts may have several codes for what looks the same.
const REPEATED_SHARE: (usize, usize) = (4, 5);

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
    /// Not painted, but part of a clipping path: what is painted later shows in it.
    Clipping,
    /// Outside of the clipping path.
    Clipped,
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
    /// Whether the last run was a duplicate.
    is_repeating: bool,
}

/// The glyphs of a page, when all is painted.
pub(super) struct SeparatedGlyphs {
    pub(super) seen: Vec<PlacedGlyph>,
    pub(super) hidden: Vec<PlacedGlyph>,
    /// The number of those among `seen` that are not painted, or beneath the picture of the page: they are what was recognised
    /// in it.
    pub(super) invisible: u64,
}

impl GlyphList {
    /// Adds the glyphs of a run, unless the same glyphs are there already. These count as painted now. Returns whether it
    /// added them.
    pub(super) fn push_run(&mut self, run: Vec<(PlacedGlyph, PaintFacts)>) -> bool {
        let is_space = run.iter().all(|(glyph, _)| glyph.text.is_space());
        let known = run.iter().map(|(glyph, facts)| {
            let character = compared_character(glyph, *facts)?;
            Some(self.index_of(character, glyph))
        });
        let known = known.collect::<Vec<_>>();
        let compared = known.iter().flatten().count();
        let repeated = known.iter().flatten().flatten().count();
        let is_repeated = compared > 0 && repeated * REPEATED_SHARE.1 >= compared * REPEATED_SHARE.0;
        // A space goes with what precedes it.
        self.is_repeating = is_repeated || (is_space && self.is_repeating);
        let dropped = if self.is_repeating { run.len() } else { self.repeated_start(&known) };
        let missing = if self.is_repeating { missing_glyphs(&known) } else { Vec::new() };
        for (at, (_, facts)) in known.iter().zip(&run).take(dropped) {
            if let Some(known) = at.flatten().and_then(|at| self.facts.get_mut(at))
                && facts.visibility == Visibility::Painted
            {
                *known = *facts;
            }
        }
        let run = run.into_iter().enumerate().filter(|(at, _)| *at >= dropped || missing.binary_search(at).is_ok());
        run.for_each(|(_, (glyph, facts))| self.push(glyph, facts));
        !self.is_repeating
    }

    /// How many glyphs at the beginning of a run are the last ones of another run, drawn again. `known` has the compared
    /// glyphs of the run, with the glyphs that they repeat.
    fn repeated_start(&self, known: &[Option<Option<usize>>]) -> usize {
        let start = known.iter().map_while(|known| known.flatten()).collect::<Vec<_>>();
        let order = |at: usize| self.facts.get(at).map(|facts| facts.order);
        let is_end = start.last().is_some_and(|last| order(*last) != order(last + 1));
        if is_end && start.is_sorted() { start.len() } else { 0 }
    }

    fn push(&mut self, glyph: PlacedGlyph, facts: PaintFacts) {
        if let Some(character) = compared_character(&glyph, facts) {
            let before = self.last_places.insert((character, row_of(glyph.across, ROW_PT)), self.places.len());
            self.places.push(GlyphPlace { start: glyph.start, across: glyph.across, glyph: self.glyphs.len(), before });
        }
        self.glyphs.push(glyph);
        self.facts.push(facts);
    }

    /// The index of a glyph of the same character in the same place.
    fn index_of(&self, character: char, glyph: &PlacedGlyph) -> Option<usize> {
        let distance = glyph.size * DUPLICATE_EM;
        let is_near = |place: &&GlyphPlace| {
            (place.start - glyph.start).abs() <= distance && (place.across - glyph.across).abs() <= distance
        };
        let (row, above, below) = (
            row_of(glyph.across, ROW_PT),
            row_of(glyph.across - distance, ROW_PT),
            row_of(glyph.across + distance, ROW_PT),
        );
        let mut rows = std::iter::once(row).chain([above, below].into_iter().filter(|other| *other != row));
        let known = rows.find_map(|row| self.places_in(character, row).take(MAX_COMPARED).find(is_near));
        known.map(|place| place.glyph)
    }

    /// The places of a character in a row, the last one first.
    fn places_in(&self, character: char, row: i64) -> impl Iterator<Item = &GlyphPlace> {
        let last = self.last_places.get(&(character, row)).and_then(|last| self.places.get(*last));
        std::iter::successors(last, |place| self.places.get(place.before?))
    }

    /// Counts the last glyphs as a clipping path if they are one with this extent.
    pub(super) fn use_as_clip(&mut self, extent: Rect, order: PaintOrder) {
        let last = self.glyphs.iter().zip(&mut self.facts).rev().take(MAX_CLIPPING);
        for (glyph, facts) in last.take_while(|(_, facts)| facts.visibility == Visibility::Unpainted) {
            if extent.contains(glyph.middle()) {
                *facts = PaintFacts { order, visibility: Visibility::Clipping };
            }
        }
    }

    /// The runs that are not painted, and for most of whose glyphs letters are drawn as paths.
    fn drawn_runs(&self, paints: &mut PaintLog) -> BTreeSet<PaintOrder> {
        let glyphs = self.glyphs.iter().zip(&self.facts).filter(|(glyph, _)| !glyph.text.is_space());
        let mut counts: BTreeMap<PaintOrder, (usize, usize)> = BTreeMap::new();
        for (glyph, facts) in glyphs.filter(|(_, facts)| facts.visibility == Visibility::Unpainted) {
            let (drawn, all) = counts.entry(facts.order).or_default();
            *drawn += usize::from(paints.has_drawing(glyph));
            *all += 1;
        }
        counts.retain(|_, (drawn, all)| *drawn * 2 > *all);
        counts.into_keys().collect()
    }

    /// The runs of which nothing is seen, and those that end under other text. Another run that is cut off, such as the value
    /// of a field, is read whole.
    fn clipped_runs(&self) -> BTreeSet<PaintOrder> {
        let shown = || self.glyphs.iter().zip(&self.facts).filter(|(glyph, _)| !glyph.text.is_space());
        let is_clipped = |facts: &PaintFacts| facts.visibility == Visibility::Clipped;
        let mut runs =
            shown().filter(|(_, facts)| is_clipped(facts)).map(|(_, facts)| facts.order).collect::<BTreeSet<_>>();
        if runs.is_empty() {
            return runs;
        }
        let mut rows: BTreeMap<i64, Vec<(f64, f64)>> = BTreeMap::new();
        let mut begun = BTreeSet::new();
        for (glyph, facts) in shown().filter(|(_, facts)| facts.visibility == Visibility::Painted) {
            rows.entry(row_of(glyph.across, ROW_PT)).or_default().push((glyph.start, glyph.end));
            begun.insert(facts.order);
        }
        rows.values_mut().for_each(|row| row.sort_by(|one, other| one.0.total_cmp(&other.0)));
        let is_under = |glyph: &PlacedGlyph| {
            let middle = f64::midpoint(glyph.start, glyph.end);
            rows.get(&row_of(glyph.across, ROW_PT)).is_some_and(|row| {
                let after = row.partition_point(|(start, _)| *start <= middle);
                after.checked_sub(1).and_then(|at| row.get(at)).is_some_and(|(_, end)| middle < *end)
            })
        };
        let under = shown().filter(|(glyph, facts)| is_clipped(facts) && is_under(glyph)).map(|(_, facts)| facts.order);
        let under = under.collect::<BTreeSet<_>>();
        runs.retain(|run| under.contains(run) || !begun.contains(run));
        runs
    }

    /// Separates the glyphs that are seen from those that are not.
    pub(super) fn separate(self, paints: &mut PaintLog) -> SeparatedGlyphs {
        let (drawn, clipped) = (self.drawn_runs(paints), self.clipped_runs());
        let mut separated = SeparatedGlyphs { seen: Vec::new(), hidden: Vec::new(), invisible: 0 };
        let mut is_seen = true;
        for (glyph, facts) in self.glyphs.into_iter().zip(self.facts) {
            // A space goes with what precedes it.
            if !glyph.text.is_space() {
                let is_recognised;
                (is_seen, is_recognised) = match facts.visibility {
                    Visibility::Unseen => (false, false),
                    Visibility::Clipped => (!clipped.contains(&facts.order), false),
                    Visibility::Clipping => (paints.is_painted(glyph.middle(), facts.order), false),
                    Visibility::Painted => match paints.cover_of(glyph.middle(), facts.order) {
                        Cover::Opaque => (false, false),
                        cover => (true, cover == Cover::Scan),
                    },
                    Visibility::Unpainted => {
                        let is_seen = drawn.contains(&facts.order) || paints.has_image(glyph.middle());
                        (is_seen, is_seen)
                    }
                };
                separated.invisible += u64::from(is_recognised);
            }
            if is_seen { separated.seen.push(glyph) } else { separated.hidden.push(glyph) }
        }
        separated
    }
}

/// The places in a run of the glyphs that stand between two which follow each other in the run that it repeats. `known` has
/// the compared glyphs of the run, with the glyphs that they repeat.
fn missing_glyphs(known: &[Option<Option<usize>>]) -> Vec<usize> {
    let places = known.iter().enumerate().filter_map(|(at, known)| Some((at, (*known)??))).collect::<Vec<_>>();
    let neighbours = places.windows(2).filter_map(|pair| match pair {
        [(start, before), (end, after)] if before + 1 == *after => Some(start + 1..*end),
        _ => None,
    });
    neighbours.flatten().filter(|at| matches!(known.get(*at), Some(Some(None)))).collect()
}

/// The character of a glyph that is compared with others. What is not seen must not take the place of what is.
fn compared_character(glyph: &PlacedGlyph, facts: PaintFacts) -> Option<char> {
    let is_seen = !matches!(facts.visibility, Visibility::Unseen | Visibility::Clipped);
    match glyph.text {
        GlyphText::One(character) if !character.is_whitespace() && is_seen => Some(character),
        _ => None,
    }
}
