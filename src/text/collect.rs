//! A page's content → its glyphs with their places, and what else there is on it.

use super::characters::Characters;
use super::mark::{Mark, Place, Said};
use crate::document::effort::{Reach, Steps, price};
use crate::limits::Limits;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Rect};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};
use std::collections::HashMap;

/// Advance of glyphs in vertical writing, in thousandths of an em; other values are rare.
const VERTICAL_ADVANCE: f64 = 1000.0;

/// Share of an em within which a second glyph of the same character is the same: bold type that is faked.
const DUPLICATE_EM: f64 = 0.12;

/// Points in which places are looked up across the lines.
const ROW_PT: f64 = 8.0;

/// Glyphs of one character in a row that a glyph is compared with: a line has hardly more of them.
const MAX_COMPARED: usize = 64;

/// Characters of one run that are remembered: texts repeat some fifty, and a longer list is slow to search.
const MAX_KNOWN: usize = 64;

/// What is drawn on a page, as far as text is concerned.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) marks: Vec<Mark>,
    /// Glyphs drawn with nothing to be seen.
    pub(super) invisible: u64,
    /// Glyphs outside the page, which are left out.
    pub(super) off_page: u64,
    /// Glyphs of which nobody knows the character.
    pub(super) undecoded: u64,
    /// Sum of the areas of pictures, in squares of a point.
    pub(super) picture_area: f64,
    /// Paths and rectangles that are drawn.
    pub(super) paths: u64,
    /// Whether the text was more than was asked for.
    pub(super) is_full: bool,
}

/// On whose account a page is read.
pub(super) struct Account<'c> {
    steps: &'c Steps,
    reach: &'c Reach,
    /// Pieces of content that were begun.
    begun: u64,
}

impl<'c> Account<'c> {
    pub(super) fn new(steps: &'c Steps, reach: &'c Reach) -> Self {
        Self { steps, reach, begun: 0 }
    }

    fn call(&self) {
        self.steps.take(price::CALL);
    }

    fn image(&self) {
        self.steps.take(price::IMAGE);
    }

    fn marked(&self, open: usize) {
        self.steps.take(price::OPERATOR.saturating_add(u64::try_from(open / 8).unwrap_or(u64::MAX)));
    }

    fn glyphs(&self, count: usize) {
        self.steps.take(price::GLYPH.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)));
    }

    /// What clips with a box may be a form.
    fn clip(&mut self, clip: &ClipPath) {
        self.call();
        if clip.path.elements().len() == 5 {
            self.steps.take(self.reach.content_steps(self.begun));
            self.begun = self.begun.saturating_add(1);
        }
    }
}

/// Collects the glyphs that a page draws.
pub(super) struct Collector<'c, 'p> {
    pub(super) collected: Collected,
    characters: &'c mut Characters<'p>,
    page: Rect,
    left_bytes: usize,
    account: Account<'c>,
    spans: Vec<Option<Span>>,
    places: HashMap<(char, i64), Vec<(f64, f64)>>,
}

/// A marked sequence with a text of its own (ISO 32000-2, 14.9.4).
struct Span {
    text: String,
    extent: Option<Mark>,
}

impl<'c, 'p> Collector<'c, 'p> {
    /// For a page that is shown as `page`, within `max_text_bytes` of `limits`, on `account`.
    pub(super) fn new(characters: &'c mut Characters<'p>, page: Rect, limits: &Limits, account: Account<'c>) -> Self {
        Self {
            collected: Collected::default(),
            characters,
            page,
            left_bytes: usize::try_from(limits.max_text_bytes).unwrap_or(usize::MAX),
            account,
            spans: Vec::new(),
            places: HashMap::new(),
        }
    }

    fn glyph(&mut self, said: Option<Said>, place: Place, advance: f64, is_visible: bool) {
        let Some(said) = said else {
            self.collected.undecoded += 1;
            return;
        };
        let mark = Mark {
            said,
            frame: place.frame,
            start: place.start,
            end: place.start + advance * place.unit,
            across: place.across,
            size: place.size,
        };
        if !mark.start.is_finite() || !mark.end.is_finite() || !mark.across.is_finite() || !mark.size.is_finite() {
            return;
        }
        if !self.page.contains(mark.middle()) {
            self.collected.off_page += u64::from(!mark.said.is_space());
            return;
        }
        self.collected.invisible += u64::from(!is_visible && !mark.said.is_space());
        match self.spans.iter_mut().flatten().next() {
            Some(span) => span.cover(mark),
            None => self.keep(mark),
        }
    }

    fn keep(&mut self, mark: Mark) {
        if self.is_duplicate(&mark) {
            return;
        }
        match self.left_bytes.checked_sub(mark.said.len()) {
            Some(left) => self.left_bytes = left,
            None => self.collected.is_full = true,
        }
        if !self.collected.is_full {
            self.collected.marks.push(mark);
        }
    }

    fn is_duplicate(&mut self, mark: &Mark) -> bool {
        let Said::One(character) = mark.said else { return false };
        if character.is_whitespace() {
            return false;
        }
        let reach = mark.size * DUPLICATE_EM;
        let is_near =
            |(start, across): &(f64, f64)| (start - mark.start).abs() <= reach && (across - mark.across).abs() <= reach;
        let is_known = |places: &Vec<(f64, f64)>| places.iter().rev().take(MAX_COMPARED).any(is_near);
        let (row, above, below) = (row_of(mark.across), row_of(mark.across - reach), row_of(mark.across + reach));
        let beside = [above, below].into_iter().filter(|other| *other != row);
        if beside.filter_map(|other| self.places.get(&(character, other))).any(is_known) {
            return true;
        }
        let places = self.places.entry((character, row)).or_default();
        if is_known(places) {
            return true;
        }
        places.push((mark.start, mark.across));
        false
    }

    fn run(&mut self, run: &GlyphRun<'_, '_>, to_page: Affine, is_visible: bool) {
        let is_vertical = run.writing_mode() == WritingMode::Vertical;
        let stretch = Stretch::of(run, to_page);
        let type3_em = type3_em(run);
        let mut known = Known::default();
        for glyph in run.glyphs() {
            let place = to_page * glyph.transform();
            let (said, advance) = known.of(glyph, self.characters);
            if is_vertical {
                self.glyph(said, Place::vertical(place), VERTICAL_ADVANCE, is_visible);
                continue;
            }
            let mut place = Place::horizontal(place);
            match type3_em {
                Some(em) => place.size = place.unit * em,
                None => place.unit = stretch.unit(&place),
            }
            self.glyph(said, place, advance, is_visible);
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
fn row_of(across: f64) -> i64 {
    (across / ROW_PT).floor() as i64
}

/// Characters and widths of one run, which has one font: looking them up by the names of glyphs takes a third of the
/// time of all that is done for a page.
#[derive(Default)]
struct Known(Vec<(u32, Option<Said>, f64)>);

impl Known {
    fn of(&mut self, glyph: &Glyph<'_>, characters: &mut Characters<'_>) -> (Option<Said>, f64) {
        let code = glyph.char_code();
        if let Some((_, said, advance)) = self.0.iter().find(|(known, ..)| *known == code) {
            return (said.clone(), *advance);
        }
        let (said, advance) = (characters.of(glyph), advance_of(glyph));
        if self.0.len() < MAX_KNOWN {
            self.0.push((code, said.clone(), advance));
        }
        (said, advance)
    }
}

impl Span {
    fn cover(&mut self, mark: Mark) {
        match &mut self.extent {
            Some(extent) if extent.frame == mark.frame => {
                extent.start = extent.start.min(mark.start);
                extent.end = extent.end.max(mark.end);
            }
            Some(_) => {}
            none => *none = Some(mark),
        }
    }
}

/// What the lengths of glyphs are multiplied with besides the size of the font.
///
/// Glyphs of a font that stands in for another are squeezed to the other's widths, each by its own factor; what is
/// the same for all glyphs of a run is the text's own horizontal scaling.
enum Stretch {
    OfText,
    OfGlyphs,
}

impl Stretch {
    fn of(run: &GlyphRun<'_, '_>, to_page: Affine) -> Self {
        let mut ratios = run.glyphs().iter().map(|glyph| Place::ratio(to_page * glyph.transform()));
        let Some(first) = ratios.next() else { return Self::OfText };
        if ratios.any(|ratio| (ratio - first).abs() > 0.001 * first) { Self::OfGlyphs } else { Self::OfText }
    }

    fn unit(&self, place: &Place) -> f64 {
        match self {
            Self::OfText => place.unit,
            Self::OfGlyphs => place.size / 1000.0,
        }
    }
}

/// The em of a Type 3 run in its own units: fonts of bitmaps have no em worth the name, but letters have widths.
fn type3_em(run: &GlyphRun<'_, '_>) -> Option<f64> {
    let widths = run.glyphs().iter().filter(|glyph| matches!(***glyph, Glyph::Type3(_))).map(|glyph| advance_of(glyph));
    let (count, sum) =
        widths.filter(|width| *width > 0.0).fold((0.0, 0.0), |(count, sum), width| (count + 1.0, sum + width));
    (count > 0.0).then(|| 2.0 * sum / count)
}

fn advance_of(glyph: &Glyph<'_>) -> f64 {
    let advance = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    };
    f64::from(advance.unwrap_or(0.0))
}

impl<'a> Device<'a> for Collector<'_, '_> {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.account.call();
        self.collected.paths += 1;
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.account.clip(clip);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.account.call();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.account.call();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.account.call();
        self.account.glyphs(run.glyphs().len());
        if !self.collected.is_full {
            self.run(run, props.transform, !matches!(mode, DrawMode::Invisible));
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.account.image();
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let shown = props.transform.transform_rect_bbox(pixels).intersect(self.page);
        self.collected.picture_area += shown.width().max(0.0) * shown.height().max(0.0);
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {
        self.account.call();
        self.collected.paths += 1;
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        // All that are open are looked at.
        self.account.marked(self.spans.len());
        let is_nested = self.spans.iter().any(Option::is_some);
        let text = properties.filter(|_| !is_nested).and_then(|dict| dict.get::<PdfString<'_>>(b"ActualText"));
        let span = text.map(|text| Span { text: crate::document::text_string::decode(text.as_bytes()), extent: None });
        self.spans.push(span);
    }

    fn end_marked_content(&mut self) {
        if let Some(Some(Span { text, extent: Some(extent) })) = self.spans.pop()
            && !text.is_empty()
        {
            self.keep(Mark { said: Said::Many(text.into_boxed_str()), ..extent });
        }
    }
}
