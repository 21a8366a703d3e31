//! Collects the glyphs of a page with their positions, and counts what else is drawn.

use super::characters::{self, Characters};
use super::mark::{Mark, Place, Said};
use super::plausible::{FontPlace, PageFonts};
use super::replacement::{Replacement, Replacements};
use crate::document::effort::{Reach, Steps, price};
use crate::document::text_string;
use crate::limits::Limits;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Shape};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};
use std::collections::HashMap;

/// The advance of glyphs in vertical writing, in thousandths of an em. Other values are rare.
const VERTICAL_ADVANCE: f64 = 1000.0;

/// A second glyph of the same character within this share of an em is a duplicate: fake bold type.
const DUPLICATE_EM: f64 = 0.12;

/// The height of the rows in which duplicates are looked up, in points.
const ROW_PT: f64 = 8.0;

/// The most glyphs of one character in a row that a glyph is compared with. A line hardly has more.
const MAX_COMPARED: usize = 64;

/// The most characters of one run that are cached. Longer lists are slow to search.
const MAX_KNOWN: usize = 64;

/// The most bytes of a text string for one byte of text.
const STRING_BYTES_A_BYTE: usize = 4;

/// The glyphs of a page, and counts of what else is drawn.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) marks: Vec<Mark>,
    /// Number of invisible glyphs.
    pub(super) invisible: u64,
    /// Number of glyphs outside the page, which are left out.
    pub(super) off_page: u64,
    /// Number of glyphs with unknown characters.
    pub(super) undecoded: u64,
    /// Sum of the areas of images, in square points.
    pub(super) picture_area: f64,
    /// Number of paths and rectangles.
    pub(super) paths: u64,
    /// Whether the text exceeds the limit.
    pub(super) is_full: bool,
}

/// Takes the steps of interpreting a page from its budget.
pub(super) struct Account<'c> {
    steps: &'c Steps,
    reach: &'c Reach,
    /// Number of content streams begun so far.
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

    /// A marked-content sequence with `bytes` of replacement text.
    fn marked(&self, bytes: usize) {
        self.steps.take(price::OPERATOR.saturating_add(u64::try_from(bytes / 8).unwrap_or(u64::MAX)));
    }

    fn glyphs(&self, count: usize) {
        self.steps.take(price::GLYPH.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)));
    }

    /// Clipping to a rectangle may be the beginning of a form XObject.
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
    replacements: Replacements,
    fonts: PageFonts,
    places: HashMap<(char, i64), Vec<(f64, f64)>>,
}

impl<'c, 'p> Collector<'c, 'p> {
    /// A collector for a page with the visible area `page`. `fonts` are the fonts judged so far.
    pub(super) fn new(
        characters: &'c mut Characters<'p>,
        fonts: PageFonts,
        page: Rect,
        limits: &Limits,
        account: Account<'c>,
    ) -> Self {
        Self {
            collected: Collected::default(),
            fonts,
            characters,
            page,
            left_bytes: usize::try_from(limits.max_text_bytes).unwrap_or(usize::MAX),
            account,
            replacements: Replacements::default(),
            places: HashMap::new(),
        }
    }

    fn glyph(&mut self, font: Option<FontPlace>, said: Option<Said>, place: Place, advance: f64, is_visible: bool) {
        if said.is_none() && !self.replacements.is_open() {
            self.collected.undecoded += 1;
            return;
        }
        let mark = Mark {
            // Within replaced content, unknown characters do not matter.
            said: said.unwrap_or(Said::One(char::REPLACEMENT_CHARACTER)),
            frame: place.frame,
            start: place.start,
            end: place.start + advance * place.unit,
            across: place.across,
            size: place.size,
        };
        if !mark.is_finite() {
            return;
        }
        if !self.page.contains(mark.middle()) {
            if !mark.said.is_space() && !self.replacements.miss() {
                self.collected.off_page += 1;
            }
            return;
        }
        self.collected.invisible += u64::from(!is_visible && !mark.said.is_space());
        if !self.replacements.cover(&mark) {
            if let Some(text) = self.fonts.text(font) {
                text.add(&mark);
            }
            self.keep(mark);
        }
    }

    fn keep(&mut self, mark: Mark) {
        if self.is_duplicate(&mark) {
            return;
        }
        self.spend(mark.said.len());
        if !self.collected.is_full {
            self.collected.marks.push(mark);
        }
    }

    fn spend(&mut self, bytes: usize) {
        match self.left_bytes.checked_sub(bytes) {
            Some(left) => self.left_bytes = left,
            None => self.collected.is_full = true,
        }
    }

    /// Adds a replacement text at the position of the content that it replaces.
    fn replace(&mut self, replacement: &Replacement) {
        self.collected.off_page += replacement.off_page();
        let Some(extent) = replacement.extent() else { return };
        let text = text_string::decode_whole(&replacement.string);
        // Part of its bytes was counted when the sequence began.
        let paid = text.len().min(replacement.string.len() / STRING_BYTES_A_BYTE);
        self.left_bytes = self.left_bytes.saturating_add(paid);
        let unknown = text.chars().filter(|character| *character == char::REPLACEMENT_CHARACTER);
        self.collected.undecoded += u64::try_from(unknown.count()).unwrap_or(u64::MAX);
        let space = |at: f64| Mark { said: Said::One(' '), start: at, end: at, ..extent.clone() };
        if text.starts_with(char::is_whitespace) {
            self.keep(space(extent.start));
        }
        if let Some(said) = characters::many(text.trim()) {
            self.keep(Mark { said, ..extent.clone() });
        }
        if text.ends_with(char::is_whitespace) {
            self.keep(space(extent.end));
        }
    }

    /// Adds an area to the open sequence, clipped to the page.
    fn cover_area(&mut self, area: impl FnOnce() -> Rect) {
        let page = self.page;
        self.replacements.cover_area(|| area().intersect(page));
    }

    /// The collected glyphs, including the replacement text of an unclosed sequence.
    pub(super) fn finish(mut self) -> (Collected, PageFonts) {
        if let Some(replacement) = self.replacements.finish() {
            self.replace(&replacement);
        }
        (self.collected, self.fonts)
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
        let font = self.fonts.font_of(run);
        let mut known = Known { is_distrusted: self.fonts.is_distrusted(font), characters: Vec::new() };
        for glyph in run.glyphs() {
            let place = to_page * glyph.transform();
            let (said, advance) = known.of(glyph, self.characters);
            if is_vertical {
                self.glyph(font, said, Place::vertical(place), VERTICAL_ADVANCE, is_visible);
                continue;
            }
            let mut place = Place::horizontal(place);
            match type3_em {
                Some(em) => place.size = place.unit * em,
                None => place.unit = stretch.unit(&place),
            }
            self.glyph(font, said, place, advance, is_visible);
        }
        if let Some(text) = self.fonts.text(font) {
            text.note_codes(known.characters.iter().filter_map(|(code, said, _)| Some((*code, said.as_ref()?))));
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
fn row_of(across: f64) -> i64 {
    (across / ROW_PT).floor() as i64
}

/// A cache of the characters and widths of one run, which has one font. Looking them up is slow.
struct Known {
    /// Whether the file's character map of the font is ignored.
    is_distrusted: bool,
    characters: Vec<(u32, Option<Said>, f64)>,
}

impl Known {
    fn of(&mut self, glyph: &Glyph<'_>, characters: &mut Characters<'_>) -> (Option<Said>, f64) {
        let code = glyph.char_code();
        if let Some((_, said, advance)) = self.characters.iter().find(|(known, ..)| *known == code) {
            return (said.clone(), *advance);
        }
        let said = if self.is_distrusted { characters.of_program(glyph) } else { characters.of(glyph) };
        let advance = advance_of(glyph);
        if self.characters.len() < MAX_KNOWN {
            self.characters.push((code, said.clone(), advance));
        }
        (said, advance)
    }
}

/// The horizontal scaling of a run's glyphs besides the font size.
///
/// Glyphs of a substitute font are squeezed to the original widths, each by its own factor. A factor common to all
/// glyphs of a run is the text's horizontal scaling.
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

/// The em of a Type 3 run in glyph space units, estimated from widths: bitmap fonts have no meaningful em.
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
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        self.account.call();
        self.collected.paths += 1;
        self.cover_area(|| props.transform.transform_rect_bbox(path.bounding_box()));
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
        self.cover_area(|| shown);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, _: &DrawMode) {
        self.account.call();
        self.collected.paths += 1;
        self.cover_area(|| props.transform.transform_rect_bbox(*rect));
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let properties = properties.filter(|_| !self.collected.is_full);
        let mut bytes = 0;
        self.replacements.begin(|| {
            let string = properties?.get::<PdfString<'_>>(b"ActualText")?.as_bytes().to_vec();
            bytes = string.len();
            Some(string)
        });
        self.account.marked(bytes);
        // Many sequences may share one long string and draw nothing.
        self.spend(bytes / STRING_BYTES_A_BYTE);
    }

    fn end_marked_content(&mut self) {
        if let Some(replacement) = self.replacements.end() {
            self.replace(&replacement);
        }
    }
}
