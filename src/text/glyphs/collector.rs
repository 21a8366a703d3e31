//! Collects the glyphs of a page with their positions, and counts what else is drawn.

use super::characters::{CharacterResolver, text_of_string};
use super::plausibility::{FontIndex, PageFonts};
use super::replacement_text::{ReplacementText, ReplacementTracker};
use super::run_metrics::{HorizontalScaling, RunCharacters, type3_em};
use super::step_account::StepAccount;
use crate::document::text_string;
use crate::limits::Limits;
use crate::text::fonts::{GlyphStyle, StyleCollector, StyleIndex};
use crate::text::glyphs::{GlyphPlacement, GlyphText, PlacedGlyph};
use crate::text::shapes::{ShapeCollector, Shapes, color_of};
use hayro_interpret::font::GlyphRun;
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Shape};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask};
use std::collections::HashMap;

/// The advance of glyphs in vertical writing, in thousandths of an em. Other values are rare.
const VERTICAL_ADVANCE: f64 = 1000.0;

/// A second glyph of the same character within this share of an em is a duplicate: fake bold type.
const DUPLICATE_EM: f64 = 0.12;

/// The height of the rows in which duplicates are looked up, in points.
const ROW_PT: f64 = 8.0;

/// The most glyphs of one character in a row that a glyph is compared with. A line hardly has more.
const MAX_COMPARED: usize = 64;

/// The most bytes of a text string for one byte of text.
const STRING_BYTES_A_BYTE: usize = 4;

/// The glyphs of a page, and counts of what else is drawn.
#[derive(Debug, Default)]
pub(crate) struct PageGlyphs {
    pub(crate) glyphs: Vec<PlacedGlyph>,
    /// Number of invisible glyphs.
    pub(crate) invisible: u64,
    /// Number of glyphs outside the page, which are left out.
    pub(crate) off_page: u64,
    /// Number of glyphs with unknown characters.
    pub(crate) undecoded: u64,
    /// Sum of the areas of images, in square points.
    pub(crate) picture_area: f64,
    /// Number of paths and rectangles.
    pub(crate) paths: u64,
    /// Whether the text exceeds the limit.
    pub(crate) is_full: bool,
    /// The styles of glyphs, by their index; empty if no layout is wanted.
    pub(crate) styles: Vec<GlyphStyle>,
    /// Empty if no layout is wanted.
    pub(crate) shapes: Shapes,
}

/// Collects what only a layout needs: the styles of glyphs, and shapes.
pub(crate) struct LayoutCollector<'c, 'p> {
    pub(crate) styles: StyleCollector<'c, 'p>,
    pub(crate) shapes: ShapeCollector,
}

/// Collects the glyphs that a page draws.
pub(crate) struct GlyphCollector<'c, 'p> {
    pub(crate) collected: PageGlyphs,
    characters: &'c mut CharacterResolver<'p>,
    page: Rect,
    bytes_left: usize,
    account: StepAccount<'c>,
    replacements: ReplacementTracker,
    fonts: PageFonts,
    places: HashMap<(char, i64), Vec<(f64, f64)>>,
    /// `None` if only the text is wanted.
    layout: Option<LayoutCollector<'c, 'p>>,
}

impl<'c, 'p> GlyphCollector<'c, 'p> {
    /// A collector for a page with the visible area `page`. `fonts` are the fonts judged so far.
    pub(crate) fn new(
        characters: &'c mut CharacterResolver<'p>,
        fonts: PageFonts,
        page: Rect,
        limits: &Limits,
        account: StepAccount<'c>,
        layout: Option<LayoutCollector<'c, 'p>>,
    ) -> Self {
        Self {
            collected: PageGlyphs::default(),
            fonts,
            characters,
            page,
            bytes_left: usize::try_from(limits.max_text_bytes).unwrap_or(usize::MAX),
            account,
            replacements: ReplacementTracker::default(),
            places: HashMap::new(),
            layout,
        }
    }

    fn collect_glyph(&mut self, run: RunFacts, text: Option<GlyphText>, place: GlyphPlacement, advance: f64) {
        if text.is_none() && !self.replacements.is_open() {
            self.collected.undecoded += 1;
            return;
        }
        let glyph = PlacedGlyph {
            // Within replaced content, unknown characters do not matter.
            text: text.unwrap_or(GlyphText::One(char::REPLACEMENT_CHARACTER)),
            direction: place.direction,
            start: place.start,
            end: place.start + advance * place.unit,
            across: place.across,
            size: place.size,
            style: run.style,
        };
        if !glyph.is_finite() {
            return;
        }
        if !self.page.contains(glyph.middle()) {
            if !glyph.text.is_space() && !self.replacements.count_off_page() {
                self.collected.off_page += 1;
            }
            return;
        }
        self.collected.invisible += u64::from(!run.is_visible && !glyph.text.is_space());
        if !self.replacements.add_glyph(&glyph) {
            if let Some(statistics) = self.fonts.statistics(run.font) {
                statistics.add(&glyph);
            }
            self.add_glyph(glyph);
        }
    }

    fn add_glyph(&mut self, glyph: PlacedGlyph) {
        if self.is_duplicate(&glyph) {
            return;
        }
        self.count_bytes(glyph.text.len());
        if !self.collected.is_full {
            self.collected.glyphs.push(glyph);
        }
    }

    fn count_bytes(&mut self, bytes: usize) {
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => self.bytes_left = left,
            None => self.collected.is_full = true,
        }
    }

    /// Adds a replacement text at the position of the content that it replaces.
    fn add_replacement_text(&mut self, replacement: &ReplacementText) {
        self.collected.off_page += replacement.off_page();
        let Some(extent) = replacement.extent() else { return };
        let text = text_string::decode_whole(&replacement.string);
        // Part of its bytes was counted when the sequence began.
        let paid = text.len().min(replacement.string.len() / STRING_BYTES_A_BYTE);
        self.bytes_left = self.bytes_left.saturating_add(paid);
        let unknown = text.chars().filter(|character| *character == char::REPLACEMENT_CHARACTER);
        self.collected.undecoded += u64::try_from(unknown.count()).unwrap_or(u64::MAX);
        let space = |at: f64| PlacedGlyph { text: GlyphText::One(' '), start: at, end: at, ..extent.clone() };
        if text.starts_with(char::is_whitespace) {
            self.add_glyph(space(extent.start));
        }
        if let Some(text) = text_of_string(text.trim()) {
            self.add_glyph(PlacedGlyph { text, ..extent.clone() });
        }
        if text.ends_with(char::is_whitespace) {
            self.add_glyph(space(extent.end));
        }
    }

    /// Adds an area to the open sequence, clipped to the page.
    fn add_area(&mut self, area: impl FnOnce() -> Rect) {
        let page = self.page;
        self.replacements.add_area(|| area().intersect(page));
    }

    /// The collected glyphs, including the replacement text of an unclosed sequence.
    pub(crate) fn finish(mut self) -> (PageGlyphs, PageFonts) {
        if let Some(replacement) = self.replacements.finish() {
            self.add_replacement_text(&replacement);
        }
        if let Some(LayoutCollector { styles, shapes }) = self.layout {
            self.collected.styles = styles.finish();
            self.collected.shapes = shapes.finish();
        }
        (self.collected, self.fonts)
    }

    fn is_duplicate(&mut self, glyph: &PlacedGlyph) -> bool {
        let GlyphText::One(character) = glyph.text else { return false };
        if character.is_whitespace() {
            return false;
        }
        let cost = glyph.size * DUPLICATE_EM;
        let is_near =
            |(start, across): &(f64, f64)| (start - glyph.start).abs() <= cost && (across - glyph.across).abs() <= cost;
        let is_known = |places: &Vec<(f64, f64)>| places.iter().rev().take(MAX_COMPARED).any(is_near);
        let (row, above, below) = (row_of(glyph.across), row_of(glyph.across - cost), row_of(glyph.across + cost));
        let beside = [above, below].into_iter().filter(|other| *other != row);
        if beside.filter_map(|other| self.places.get(&(character, other))).any(is_known) {
            return true;
        }
        let places = self.places.entry((character, row)).or_default();
        if is_known(places) {
            return true;
        }
        places.push((glyph.start, glyph.across));
        false
    }

    fn collect_run(&mut self, run: &GlyphRun<'_, '_>, to_page: Affine, paint: &Paint<'_>, is_visible: bool) {
        let is_vertical = run.writing_mode() == WritingMode::Vertical;
        let stretch = HorizontalScaling::of(run, to_page);
        let type3_em = type3_em(run);
        let font = self.fonts.font_of(run);
        let style = self.style_of(font, run, to_page, paint, is_visible);
        let facts = RunFacts { font, style, is_visible };
        let mut run_characters = RunCharacters::new(self.fonts.is_distrusted(font));
        for glyph in run.glyphs() {
            let place = to_page * glyph.transform();
            let (text, advance) = run_characters.resolve(glyph, self.characters);
            if is_vertical {
                self.collect_glyph(facts, text, GlyphPlacement::vertical(place), VERTICAL_ADVANCE);
                continue;
            }
            let mut place = GlyphPlacement::horizontal(place);
            match type3_em {
                Some(em) => place.size = place.unit * em,
                None => place.unit = stretch.unit(&place),
            }
            self.collect_glyph(facts, text, place, advance);
        }
        if let Some(statistics) = self.fonts.statistics(font) {
            statistics.record_codes(
                run_characters.characters.iter().filter_map(|(code, text, _)| Some((*code, text.as_ref()?))),
            );
        }
    }

    /// The style of a run, if a layout is wanted.
    fn style_of(
        &mut self,
        font: Option<FontIndex>,
        run: &GlyphRun<'_, '_>,
        to_page: Affine,
        paint: &Paint<'_>,
        is_visible: bool,
    ) -> StyleIndex {
        let Some(layout) = &mut self.layout else { return StyleIndex::default() };
        let color = color_of(paint);
        let is_invisible = !is_visible || color.is_none();
        layout.styles.style_of(font.map(|font| font.0), run, to_page, color.unwrap_or_default(), is_invisible)
    }

    /// Adds to the layout, if one is wanted.
    fn with_shapes(&mut self, add: impl FnOnce(&mut ShapeCollector)) {
        if let Some(layout) = &mut self.layout {
            add(&mut layout.shapes);
        }
    }
}

/// What all glyphs of a run share.
#[derive(Clone, Copy)]
struct RunFacts {
    font: Option<FontIndex>,
    style: StyleIndex,
    is_visible: bool,
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
fn row_of(across: f64) -> i64 {
    (across / ROW_PT).floor() as i64
}

impl<'a> Device<'a> for GlyphCollector<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.account.take_call();
        self.collected.paths += 1;
        self.add_area(|| props.transform.transform_rect_bbox(path.bounding_box()));
        self.with_shapes(|shapes| shapes.add_path(path, props.transform, &props.paint, mode));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.account.take_clip(clip);
        self.with_shapes(|shapes| shapes.push_clip(clip.path.bounding_box()));
    }

    fn push_clip_rect(&mut self, clip: &Rect) {
        self.account.take_call();
        self.with_shapes(|shapes| shapes.push_clip(*clip));
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.account.take_call();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.account.take_call();
        self.account.take_glyphs(run.glyphs().len());
        if !self.collected.is_full {
            self.collect_run(run, props.transform, &props.paint, !matches!(mode, DrawMode::Invisible));
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.account.take_image();
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let area = props.transform.transform_rect_bbox(pixels);
        let shown = area.intersect(self.page);
        self.collected.picture_area += shown.width().max(0.0) * shown.height().max(0.0);
        self.add_area(|| shown);
        self.with_shapes(|shapes| shapes.add_image(area));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.account.take_call();
        self.collected.paths += 1;
        self.add_area(|| props.transform.transform_rect_bbox(*rect));
        self.with_shapes(|shapes| shapes.add_path(&rect.to_path(0.1), props.transform, &props.paint, mode));
    }

    fn pop_clip(&mut self) {
        self.with_shapes(ShapeCollector::pop_clip);
    }

    fn pop_transparency_group(&mut self) {}

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let properties = properties.filter(|_| !self.collected.is_full);
        let mut bytes = 0;
        self.replacements.begin(|| {
            let string = properties?.get::<PdfString<'_>>(b"ActualText")?.as_bytes().to_vec();
            bytes = string.len();
            Some(string)
        });
        self.account.take_marked_content(bytes);
        // Many sequences may share one long string and draw nothing.
        self.count_bytes(bytes / STRING_BYTES_A_BYTE);
    }

    fn end_marked_content(&mut self) {
        if let Some(replacement) = self.replacements.end() {
            self.add_replacement_text(&replacement);
        }
    }
}
