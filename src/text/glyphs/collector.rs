//! Collects the glyphs of a page with their positions, and counts what else is drawn.

use super::characters::{CharacterResolver, text_of_string};
use super::content_marks::ContentMarks;
use super::font_map::{FontMap, SignFont};
use super::glyph_list::{GlyphList, PaintFacts, SeparatedGlyphs, Visibility};
use super::paint_log::{PaintLog, PaintOrder};
use super::plausibility::{FontIndex, FontReading, PageFonts, PairReader, ReadGlyph};
use super::publisher_fonts::PublisherFont;
use super::replacement_text::{ReplacementText, ReplacementTracker};
use super::run_metrics::{CharacterSources, HorizontalScaling, ReadCharacter, RunCharacters, is_flat, type3_em};
use crate::ContentMark;
use crate::fonts::{GlyphStyle, PageFontDictionaries, StyleCollector, StyleIndex, is_type3};
use crate::glyphs::{GlyphPlacement, GlyphText, PlacedGlyph, WritingDirection};
use crate::shapes::{ShapeCollector, Shapes, color_of};
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Rect, Shape};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask};
use pagewise_base::limits::Limits;
use pagewise_document::{PageBudget, text_string};

/// The advance of glyphs in vertical writing, in thousandths of an em. Other values are rare.
const VERTICAL_ADVANCE: f64 = 1000.0;

/// Smaller glyphs cannot be seen.
const MIN_SIZE_PT: f64 = 1.0;

/// The most bytes of a text string for one byte of text.
const STRING_BYTES_A_BYTE: usize = 4;

/// The glyphs of a page, and counts of what else is drawn.
#[derive(Debug, Default)]
pub(crate) struct PageGlyphs {
    pub(crate) glyphs: Vec<PlacedGlyph>,
    /// Number of glyphs that are not painted, over images: the text of a scan.
    pub(crate) invisible: u64,
    /// Glyphs that are not seen, for other reasons than that they are outside the page.
    pub(crate) hidden: Vec<PlacedGlyph>,
    /// Number of glyphs outside the page, which are left out.
    pub(crate) off_page: u64,
    /// Number of glyphs with unknown characters.
    pub(crate) undecoded: u64,
    /// Sum of the areas of images, in square points.
    pub(crate) picture_area: f64,
    /// Number of paths and rectangles.
    pub(crate) paths: u64,
    /// Number of letters that seem to be drawn as paths.
    pub(crate) drawn_letters: u64,
    /// Whether the text exceeds the limit.
    pub(crate) is_full: bool,
    /// The styles of glyphs, by their index; empty if no layout is wanted.
    pub(crate) styles: Vec<GlyphStyle>,
    /// Empty if no layout is wanted.
    pub(crate) shapes: Shapes,
}

/// Collects what only a layout needs: the styles of glyphs, and shapes.
pub(crate) struct LayoutCollector {
    pub(crate) styles: StyleCollector,
    pub(crate) shapes: ShapeCollector,
}

/// Collects the glyphs that a page draws.
pub(crate) struct GlyphCollector<'c, 'p> {
    pub(crate) collected: PageGlyphs,
    characters: &'c mut CharacterResolver,
    dictionaries: PageFontDictionaries<'c, 'p>,
    page: Rect,
    bytes_left: usize,
    budget: &'c PageBudget,
    replacements: ReplacementTracker,
    marks: ContentMarks,
    fonts: PageFonts,
    glyphs: GlyphList,
    paints: PaintLog,
    /// The facts of the first glyph of the open replacement text.
    replaced: Option<PaintFacts>,
    /// The glyphs of the run that is drawn.
    run: Vec<(PlacedGlyph, PaintFacts)>,
    /// `None` if only the text is wanted.
    layout: Option<LayoutCollector>,
    /// Whether the page has fonts whose characters are not what they are said to be.
    has_fonts_of_signs: bool,
}

impl<'c, 'p> GlyphCollector<'c, 'p> {
    /// A collector for a page with the visible area `page`. `fonts` are the fonts judged so far.
    pub(crate) fn new(
        characters: &'c mut CharacterResolver,
        mut dictionaries: PageFontDictionaries<'c, 'p>,
        fonts: PageFonts,
        page: Rect,
        limits: &Limits,
        budget: &'c PageBudget,
        layout: Option<LayoutCollector>,
    ) -> Self {
        let is_font_of_signs = |name: &str| PublisherFont::of(name).is_some() || SignFont::of(name).is_some();
        let has_fonts_of_signs = dictionaries.has_named(is_font_of_signs);
        Self {
            has_fonts_of_signs,
            collected: PageGlyphs::default(),
            fonts,
            characters,
            dictionaries,
            page,
            bytes_left: usize::try_from(limits.max_text_bytes).unwrap_or(usize::MAX),
            budget,
            replacements: ReplacementTracker::default(),
            marks: ContentMarks::default(),
            glyphs: GlyphList::default(),
            paints: PaintLog::new(page),
            replaced: None,
            run: Vec::new(),
            layout,
        }
    }

    fn collect_glyph(&mut self, run: RunFacts, text: Option<GlyphText>, place: GlyphPlacement, advance: f64) {
        // Within replaced content, unknown characters do not matter.
        let is_unknown = text.as_ref().is_none_or(GlyphText::is_unknown) && !self.replacements.is_open();
        self.collected.undecoded += u64::from(is_unknown);
        if is_unknown && text.is_none() {
            return;
        }
        let glyph = PlacedGlyph {
            text: text.unwrap_or(GlyphText::UNKNOWN),
            direction: place.direction,
            start: place.start,
            end: place.start + advance * place.unit,
            across: place.across,
            size: place.size,
            ink: place.ink,
            style: run.style,
            mark: self.marks.current(),
            shift: [0.0; 2],
        };
        if !glyph.is_finite() {
            return;
        }
        if !glyph.is_within(self.page) {
            if !glyph.text.is_space() && !self.replacements.count_off_page() {
                self.collected.off_page += 1;
            }
            return;
        }
        let facts = self.paint_facts(run, &glyph);
        if self.replacements.add_glyph(&glyph) {
            self.replaced.get_or_insert(facts);
        } else if is_unknown {
            self.add_mark(glyph, facts);
        } else {
            self.fonts.add(run.font, &glyph, run.is_one_glyph);
            self.add_glyph(glyph, facts);
        }
    }

    /// Adds a glyph to the run.
    fn add_glyph(&mut self, glyph: PlacedGlyph, facts: PaintFacts) {
        self.count_bytes(glyph.text.len());
        if !self.collected.is_full {
            self.run.push((glyph, facts));
        }
    }

    /// Adds U+FFFD for an unknown glyph, or extends the one before it: glyphs in a row have one mark.
    fn add_mark(&mut self, glyph: PlacedGlyph, facts: PaintFacts) {
        match self.run.last_mut() {
            Some((last, _)) if last.text.is_unknown() => last.end = glyph.end,
            _ => self.add_glyph(glyph, facts),
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        let bytes: usize = run.iter().map(|(glyph, _)| glyph.text.len()).sum();
        if !self.glyphs.push_run(run) {
            self.bytes_left = self.bytes_left.saturating_add(bytes);
        }
    }

    fn paint_facts(&mut self, run: RunFacts, glyph: &PlacedGlyph) -> PaintFacts {
        let visibility = match run.color.filter(|_| run.is_visible) {
            None => Visibility::Unpainted,
            Some(_) if glyph.size < MIN_SIZE_PT || run.is_flat => Visibility::Unseen,
            Some(color) if self.paints.is_ground(color, glyph.middle()) => Visibility::Unseen,
            Some(_) if self.paints.is_clipped(glyph) => Visibility::Clipped,
            Some(_) => Visibility::Painted,
        };
        PaintFacts { order: run.order, visibility }
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
        let facts = self.replaced.take();
        let Some(extent) = replacement.extent() else { return };
        let text = replacement.text();
        // Part of its bytes was counted when the sequence began.
        let paid = text.len().min(replacement.string.len() / STRING_BYTES_A_BYTE);
        self.bytes_left = self.bytes_left.saturating_add(paid);
        let unknown = text.chars().filter(|character| *character == char::REPLACEMENT_CHARACTER);
        self.collected.undecoded += u64::try_from(unknown.count()).unwrap_or(u64::MAX);
        // The text of letters that are drawn as paths is not covered by these.
        let facts = facts.unwrap_or_else(|| PaintFacts { order: self.paints.advance(), ..PaintFacts::default() });
        let mark = if extent.mark == ContentMark::Unmarked { self.marks.current() } else { extent.mark };
        let extent = PlacedGlyph { mark, ..extent.clone() };
        let space = |at: f64| PlacedGlyph { text: GlyphText::One(' '), start: at, end: at, ..extent.clone() };
        if text.starts_with(char::is_whitespace) {
            self.add_glyph(space(extent.start), facts);
        }
        if let Some(text) = text_of_string(text.trim()) {
            self.add_glyph(PlacedGlyph { text, ..extent.clone() }, facts);
        }
        if text.ends_with(char::is_whitespace) {
            self.add_glyph(space(extent.end), facts);
        }
        self.end_run();
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
        self.collected.drawn_letters = self.paints.drawn_letters();
        let SeparatedGlyphs { seen, hidden, invisible } = self.glyphs.separate(&mut self.paints);
        (self.collected.glyphs, self.collected.hidden, self.collected.invisible) = (seen, hidden, invisible);
        if let Some(LayoutCollector { styles, shapes }) = self.layout {
            self.collected.styles = styles.finish();
            self.collected.shapes = shapes.finish();
        }
        (self.collected, self.fonts)
    }

    fn collect_run(&mut self, run: &GlyphRun<'_, '_>, to_page: Affine, paint: &Paint<'_>, is_visible: bool) {
        let is_vertical = run.writing_mode() == WritingMode::Vertical;
        let stretch = HorizontalScaling::of(run, to_page);
        let (clip, _) = self.paints.clip();
        let font = self.fonts.font_of(run);
        let style = self.style_of(font, run, to_page, paint, clip);
        let color = color_of(paint);
        let (order, is_visible) = (self.paints.advance(), is_visible && color.is_some());
        let is_math = self.layout.as_ref().is_some_and(|layout| layout.styles.is_math(style));
        let (is_flat, is_one_glyph) = (is_flat(run, to_page), run.glyphs().len() == 1);
        let is_short = run.glyphs().len() <= MAX_SIGNS;
        let facts = RunFacts { font, style, is_visible, is_flat, is_one_glyph, order, color };
        let mut pairs = PairReader::new(self.fonts.charset(font));
        let type3 = is_type3(run).then(|| {
            let (characters, dictionaries) = (&mut *self.characters, &mut self.dictionaries);
            dictionaries.dictionary_of(run, clip).map(|font| characters.map_of(&font))
        });
        let type3 = type3.flatten();
        let em = type3_em(run).map(|guess| type3.as_ref().and_then(|font| font.em()).unwrap_or(guess));
        let mut run_characters = RunCharacters::new(self.fonts.reading(font), self.has_fonts_of_signs, type3.clone());
        let (mut unknown, mut guesses) = (0, 0);
        for glyph in run.glyphs() {
            self.budget.check();
            let transform = to_page * glyph.transform();
            let (characters, dictionaries) = (&mut *self.characters, &mut self.dictionaries);
            let sources = CharacterSources { run, clip, characters, dictionaries };
            let ReadCharacter { mut text, advance, is_guess, figure } = run_characters.resolve(glyph, sources);
            unknown += u32::from(text.is_none());
            guesses += u32::from(is_guess);
            if is_visible && text.as_ref().and_then(GlyphText::first) == Some(QUARTZ_SEPARATOR) && paints_nothing(glyph)
            {
                text = Some(GlyphText::One(' '));
            }
            if is_vertical {
                self.collect_glyph(facts, text, GlyphPlacement::vertical(transform), VERTICAL_ADVANCE);
                continue;
            }
            let mut place = GlyphPlacement::horizontal(transform);
            match em {
                Some(em) => place.size = place.unit * em,
                None => place.unit = stretch.unit(&place),
            }
            figure.into_iter().for_each(|figure| figure.settle(&mut place));
            if let Some(sign) = text.as_ref().and_then(GlyphText::first).filter(|sign| grows_in_formulas(*sign)) {
                let ink = (is_math || is_short)
                    .then(|| ink_of(glyph, type3.as_deref(), transform, place.direction))
                    .flatten();
                // Without a layout it is not known which fonts are those of formulas.
                if is_short && !is_bracket_piece(sign) {
                    ink.into_iter().for_each(|ink| place.settle(ink));
                }
                place.ink = ink.filter(|_| is_math);
            }
            // A sign without width is part of the next one.
            let is_shown = || is_visible && advance > 0.0 && has_ink(glyph);
            if text.is_none() && is_shown() && self.fonts.reading(font) == FontReading::Trusted {
                text = Some(GlyphText::UNKNOWN);
            }
            let code = glyph.char_code();
            if !pairs.concerns(code) {
                self.collect_glyph(facts, text, place, advance);
            } else if let Some(read) = pairs.read(code, ReadGlyph { text, place, advance }) {
                self.collect_glyph(facts, read.text, read.place, read.advance);
            }
        }
        self.end_run();
        if let Some(statistics) = self.fonts.statistics(font) {
            statistics.double_bytes.append(&pairs.found);
            statistics.record_codes(run_characters.texts());
            statistics.add_unknown(unknown, guesses);
        }
    }

    /// The style of a run, if a layout is wanted.
    fn style_of(
        &mut self,
        font: Option<FontIndex>,
        run: &GlyphRun<'_, '_>,
        to_page: Affine,
        paint: &Paint<'_>,
        clip: Rect,
    ) -> StyleIndex {
        let Some(layout) = &mut self.layout else { return StyleIndex::default() };
        let font = font.map(|font| font.0);
        let color = color_of(paint).unwrap_or_default();
        layout.styles.style_of(&mut self.dictionaries, font, run, to_page, color, clip)
    }

    /// Remembers what is painted within `extent`.
    fn log_area(&mut self, extent: Rect, is_rectangle: bool, props: &DrawProps<'_>) {
        let is_upright = matches!(props.transform.as_coeffs(), [_, 0.0, 0.0, _, ..] | [0.0, _, _, 0.0, ..]);
        self.paints.add_path(props.transform.transform_rect_bbox(extent), is_rectangle && is_upright, props);
    }

    /// Shapes belong to the marked content that is open.
    fn mark_shapes(&mut self) {
        let mark = self.marks.current();
        self.with_shapes(|shapes| shapes.set_mark(mark));
    }

    /// Adds to the layout, if one is wanted.
    fn with_shapes(&mut self, add: impl FnOnce(&mut ShapeCollector)) {
        if let Some(layout) = &mut self.layout {
            add(&mut layout.shapes);
        }
    }
}

/// Quartz writes the separators of lines and paragraphs as this sign, in a glyph without ink.
const QUARTZ_SEPARATOR: char = '!';

/// Whether a glyph shows anything, as far as is known without drawing it.
fn has_ink(glyph: &Glyph<'_>) -> bool {
    match glyph {
        Glyph::Outline(outline) => !outline.outline().elements().is_empty(),
        Glyph::Type3(_) => true,
    }
}

/// Whether a glyph of a font that is in the file has no ink.
fn paints_nothing(glyph: &Glyph<'_>) -> bool {
    matches!(glyph, Glyph::Outline(outline) if outline.font_data().is_some() && !has_ink(glyph))
}

fn is_filled(mode: &DrawMode) -> bool {
    matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..))
}

/// Whether a replacement text is white space alone. What it should replace may be text all the same.
fn is_blank(string: &[u8]) -> bool {
    let text = text_string::decode_whole(string);
    !text.is_empty() && text.chars().all(char::is_whitespace)
}

/// A line that leans by more than this share of its width is no rectangle.
const LINE_LEAN: f64 = 0.05;

/// The area of a straight line along an axis: programs draw the ground of a heading as a line as wide as the text is high.
fn line_area(path: &BezPath, extent: Rect, mode: &DrawMode) -> Option<Rect> {
    let DrawMode::Stroke(stroke) = mode else { return None };
    let width = f64::from(stroke.line_width);
    let is_line = path.elements().len() == 2 && stroke.dash_array.is_empty();
    let is_straight = extent.width().min(extent.height()) <= LINE_LEAN * width;
    let (along, across) = if extent.width() > extent.height() { (0.0, width / 2.0) } else { (width / 2.0, 0.0) };
    (is_line && is_straight).then(|| extent.inflate(along, across))
}

/// A page shows large signs of formulas one by one, or at most so many at once. More at once are text in some other font.
const MAX_SIGNS: usize = 4;

/// Signs of formulas that have several sizes, besides the ranges below: operators, roots, brackets and their pieces.
const GROWING_SIGNS: &str = "⊕⊗⊙∪∩∨∧⊎⊔()[]{}|√∏∐∑‖∥∣⟨⟩";

fn grows_in_formulas(sign: char) -> bool {
    GROWING_SIGNS.contains(sign)
        || is_bracket_piece(sign)
        || matches!(sign, '∫'..='∳' | '⋀'..='⋃' | '⌈'..='⌋' | '⨀'..='⨆')
}

/// Whether a character is one of the pieces of which high brackets and roots are made.
#[must_use]
pub fn is_bracket_piece(sign: char) -> bool {
    matches!(sign, '\u{239b}'..='\u{23ae}' | '⎷')
}

/// Where the ink of a glyph begins and ends across its line. `type3` is its font if that is a Type 3 font.
fn ink_of(
    glyph: &Glyph<'_>,
    type3: Option<&FontMap>,
    to_page: Affine,
    direction: WritingDirection,
) -> Option<(f64, f64)> {
    let extent = match glyph {
        Glyph::Outline(outline) => outline.outline().bounding_box(),
        Glyph::Type3(glyph) => type3?.extent(glyph.char_code())?,
    };
    let ink = to_page.transform_rect_bbox(extent);
    let across = [(ink.x0, ink.y0), (ink.x1, ink.y1)].map(|corner| direction.across(corner.into()));
    let (top, bottom) =
        (across.into_iter().fold(f64::INFINITY, f64::min), across.into_iter().fold(f64::NEG_INFINITY, f64::max));
    (bottom > top && top.is_finite() && bottom.is_finite()).then_some((top, bottom))
}

/// What all glyphs of a run share.
#[derive(Clone, Copy)]
struct RunFacts {
    font: Option<FontIndex>,
    style: StyleIndex,
    is_visible: bool,
    is_flat: bool,
    is_one_glyph: bool,
    order: PaintOrder,
    color: Option<[u8; 3]>,
}

impl<'a> Device<'a> for GlyphCollector<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.check();
        self.collected.paths += 1;
        let extent = path.bounding_box();
        self.add_area(|| props.transform.transform_rect_bbox(extent));
        self.paints.add_strokes(path, props.transform);
        match line_area(path, extent, mode) {
            Some(line) => self.log_area(line, true, &props),
            None if is_filled(mode) => self.log_area(extent, false, &props),
            None => {}
        }
        self.with_shapes(|shapes| shapes.add_path(path, props.transform, &props.paint, mode));
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.budget.check();
        let extent = clip.path.bounding_box();
        let order = self.paints.advance();
        self.glyphs.use_as_clip(extent, order);
        self.paints.push_clip(extent, false);
        self.with_shapes(|shapes| shapes.push_clip(extent));
    }

    fn push_clip_rect(&mut self, clip: &Rect) {
        self.budget.check();
        self.paints.push_clip(*clip, true);
        self.with_shapes(|shapes| shapes.push_clip(*clip));
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend: BlendMode) {
        self.budget.check();
        self.paints.push_group(opacity, mask.is_some(), blend);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.check();
        if !self.collected.is_full {
            self.collect_run(run, props.transform, &props.paint, !matches!(mode, DrawMode::Invisible));
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.budget.check();
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let area = props.transform.transform_rect_bbox(pixels);
        let shown = area.intersect(self.page);
        self.collected.picture_area += shown.width().max(0.0) * shown.height().max(0.0);
        self.add_area(|| shown);
        self.paints.add_image(area, &image, &props);
        self.with_shapes(|shapes| shapes.add_image(area));
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.check();
        self.collected.paths += 1;
        self.add_area(|| props.transform.transform_rect_bbox(*rect));
        if is_filled(mode) {
            self.log_area(*rect, true, &props);
        }
        self.with_shapes(|shapes| shapes.add_path(&rect.to_path(0.1), props.transform, &props.paint, mode));
    }

    fn pop_clip(&mut self) {
        self.paints.pop_clip();
        self.with_shapes(ShapeCollector::pop_clip);
    }

    fn pop_transparency_group(&mut self) {
        self.paints.pop_group();
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        self.marks.begin(tag, properties);
        self.mark_shapes();
        let properties = properties.filter(|_| !self.collected.is_full);
        let mut bytes = 0;
        self.replacements.begin(|| {
            let string = properties?.get::<PdfString<'_>>(b"ActualText")?.as_bytes().to_vec();
            bytes = string.len();
            Some(string).filter(|string| !is_blank(string))
        });
        self.budget.check();
        // Many sequences may share one long string and draw nothing.
        self.count_bytes(bytes / STRING_BYTES_A_BYTE);
    }

    fn end_marked_content(&mut self) {
        if let Some(replacement) = self.replacements.end() {
            self.add_replacement_text(&replacement);
        }
        self.marks.end();
        self.mark_shapes();
    }
}
