//! The main engine: hayro-interpret places the glyphs, and this room puts them in reading order.

use super::TextError;
use super::drawn_signs;
use super::fonts::{PageFontDictionaries, SharedFonts, StyleCollector};
use super::glyphs::{
    CharacterResolver, GlyphCollector, LayoutCollector, PageFonts, PageGlyphs, PlacedGlyph, is_private, settings,
};
use super::layout::{
    TextBlock, attach_initials, attach_scripts, group_into_lines, join_lines, join_words, level, merge_stacks,
    order_blocks, settle, words_of, write_blocks,
};
use super::link_areas::link_areas;
use super::normalize::normalize_text;
use super::page_layout::{PageLayout, to_points};
use super::page_text::{PageKind, PageText, TextEngine, is_hidden_layer};
use super::shapes::{ShapeCollector, Shapes};
use bytes::Bytes;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{Context, InterpreterCache, TransformExt, interpret_page};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{BudgetedFile, DecodedSizes, PageBudget};
use std::sync::Arc;

/// The least share of a page that the images of a scan cover.
const SCAN_SHARE: f64 = 0.5;

/// Reads one page of a file.
pub(super) fn read_page(
    file: &Bytes,
    index: PageIndex,
    extent: Extent,
    limits: &Limits,
) -> Result<TextAndLayout, TextError> {
    let budget = PageBudget::new(limits);
    let file = BudgetedFile::new(file.clone(), &budget);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| unreadable("it does not open"))?;
    TextExtractor::new(&pdf, &budget).read_page(index, extent, limits)
}

/// Extracts the text of pages of one document, with caches of their fonts.
pub(super) struct TextExtractor<'p> {
    pdf: &'p Pdf,
    budget: &'p PageBudget,
    sizes: DecodedSizes,
    cache: InterpreterCache<'p>,
    characters: CharacterResolver,
    /// Fonts that were loaded for their dictionaries.
    fonts: SharedFonts<'p>,
}

impl<'p> TextExtractor<'p> {
    /// An extractor for pages of `pdf`. `budget` is the budget of each page, including reads of the file.
    pub(super) fn new(pdf: &'p Pdf, budget: &'p PageBudget) -> Self {
        let (cache, characters) = (InterpreterCache::new(), CharacterResolver::default());
        let fonts = SharedFonts::new(settings());
        Self { pdf, budget, sizes: DecodedSizes::default(), cache, characters, fonts }
    }

    pub(super) fn read_page(
        &mut self,
        index: PageIndex,
        extent: Extent,
        limits: &Limits,
    ) -> Result<TextAndLayout, TextError> {
        let page = self.page(index)?;
        let (mut page_glyphs, shown) = self.page_glyphs(page, extent, limits)?;
        let styles = std::mem::take(&mut page_glyphs.styles);
        let Shapes { rules, fills, images, drawings, marked_areas } = std::mem::take(&mut page_glyphs.shapes);
        let (text, blocks) = lay_out(page_glyphs, shown.area());
        if extent == Extent::Text && !text.is_doubtful() {
            return Ok((text, PageLayout::default()));
        }
        let (mut words, links) = (words_of(&blocks, &styles), link_areas(page, shown));
        drawn_signs::add(&mut words, &rules, &fills, &drawings);
        let (width, height) = (to_points(shown.width()), to_points(shown.height()));
        Ok((text, PageLayout { width, height, words, rules, fills, images, drawings, links, marked_areas }))
    }

    fn page(&self, index: PageIndex) -> Result<&'p Page<'p>, TextError> {
        let at = usize::try_from(index.0).unwrap_or(usize::MAX);
        self.pdf.pages().get(at).ok_or_else(|| unreadable("it does not find the page"))
    }

    /// The glyphs of a page, and its visible area.
    fn page_glyphs(
        &mut self,
        page: &Page<'p>,
        extent: Extent,
        limits: &Limits,
    ) -> Result<(PageGlyphs, Rect), TextError> {
        self.budget.restart();
        self.sizes.check(page, self.budget, limits);
        let (width, height) = page.render_dimensions();
        let request =
            GlyphRequest { page, shown: Rect::new(0.0, 0.0, f64::from(width), f64::from(height)), extent, limits };
        let (mut page_glyphs, mut fonts) = self.collect(&request, PageFonts::default())?;
        // Collect again without the character maps of fonts whose text is implausible, then without their names.
        while let Some(implausible) = fonts.take_implausible() {
            (page_glyphs, fonts) = self.collect(&request, implausible)?;
        }
        Ok((page_glyphs, request.shown))
    }

    fn collect(
        &mut self,
        request: &GlyphRequest<'_, 'p>,
        fonts: PageFonts,
    ) -> Result<(PageGlyphs, PageFonts), TextError> {
        let GlyphRequest { page, shown, extent, limits } = *request;
        let (settings, xref) = (settings(), self.pdf.xref());
        let mut context = Context::new(page.initial_transform(true).to_kurbo(), shown, &self.cache, xref, settings);
        let layout = (extent == Extent::Layout)
            .then(|| LayoutCollector { styles: StyleCollector::default(), shapes: ShapeCollector::new(shown) });
        let dictionaries = PageFontDictionaries::new(page, self.budget, &mut self.fonts);
        let mut collector =
            GlyphCollector::new(&mut self.characters, dictionaries, fonts, shown, limits, self.budget, layout);
        interpret_page(page, &mut context, &mut collector);
        self.budget.check_now();
        let (page_glyphs, fonts) = collector.finish();
        if page_glyphs.is_full {
            let limit = limits.max_text_bytes;
            return Err(LimitExceeded { which: Limit::TextBytes, limit, found: limit.saturating_add(1) }.into());
        }
        Ok((page_glyphs, fonts))
    }
}

pub(super) type TextAndLayout = (PageText, PageLayout);

/// How much of a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Its text. A page of doubtful text has its words and links too, since its picture may be read.
    Text,
    /// Its text and its layout, which costs a third more.
    Layout,
}

/// A page whose glyphs are wanted.
#[derive(Clone, Copy)]
struct GlyphRequest<'r, 'p> {
    page: &'r Page<'p>,
    shown: Rect,
    extent: Extent,
    limits: &'r Limits,
}

/// The text of glyphs, and their blocks in reading order.
fn lay_out(page_glyphs: PageGlyphs, page_area: f64) -> (PageText, Vec<TextBlock>) {
    let PageGlyphs { glyphs, invisible, hidden, off_page, undecoded, picture_area, paths, drawn_letters, .. } =
        page_glyphs;
    let picture_percent = percent(picture_area, page_area);
    let glyphs = without_many_marks(glyphs, undecoded);
    let letters = glyphs.iter().filter(|glyph| !glyph.text.is_space()).count();
    let blocks = blocks_of(glyphs, is_hidden_layer(invisible, letters, picture_percent));
    let (text, joints) = text_of(&blocks);
    let hidden = text_of(&blocks_of(hidden, false)).0;
    let (private, said) = count_characters(&text);
    let undecoded = undecoded.saturating_add(private);
    let kind = match () {
        () if undecoded > said => PageKind::Undecodable,
        () if !text.is_empty() => PageKind::Text,
        () if picture_area > page_area * SCAN_SHARE => PageKind::Scan,
        () if picture_area > 0.0 || paths > 0 => PageKind::Picture,
        () => PageKind::Empty,
    };
    let page = PageText {
        text,
        joints,
        kind,
        invisible,
        hidden,
        off_page,
        undecoded,
        picture_percent,
        paths,
        drawn_letters,
        is_size_assumed: false,
        is_damaged: false,
        engine: TextEngine::Collector,
    };
    (page, blocks)
}

fn blocks_of(glyphs: Vec<PlacedGlyph>, are_recognised: bool) -> Vec<TextBlock> {
    let mut lines = merge_stacks(level(group_into_lines(glyphs), are_recognised));
    if !are_recognised {
        return order_blocks(attach_initials(attach_scripts(join_lines(lines))));
    }
    settle(&mut lines);
    let mut lines = join_lines(lines);
    settle(&mut lines);
    order_blocks(lines)
}

/// The text of blocks, and the places of its hyphens that were removed.
pub(super) fn text_of(blocks: &[TextBlock]) -> (String, Vec<u64>) {
    join_words(&normalize_text(&write_blocks(blocks)))
}

/// The glyphs without the marks of unknown ones, where these are more than the others: a page of marks says nothing.
fn without_many_marks(mut glyphs: Vec<PlacedGlyph>, undecoded: u64) -> Vec<PlacedGlyph> {
    let known = glyphs.iter().filter(|glyph| !glyph.text.is_space() && !glyph.text.is_unknown()).count();
    if undecoded > u64::try_from(known).unwrap_or(u64::MAX) {
        glyphs.retain(|glyph| !glyph.text.is_unknown());
    }
    glyphs
}

/// The number of private use characters in a text, and of all other known ones except white space.
fn count_characters(text: &str) -> (u64, u64) {
    let mut counts = (0, 0);
    let is_known = |character: &char| !character.is_whitespace() && *character != char::REPLACEMENT_CHARACTER;
    for character in text.chars().filter(is_known) {
        match is_private(character) {
            true => counts.0 += 1,
            false => counts.1 += 1,
        }
    }
    counts
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100; NaN is 0")]
fn percent(part: f64, whole: f64) -> u8 {
    (part / whole * 100.0).clamp(0.0, 100.0) as u8
}

fn unreadable(reason: &str) -> TextError {
    TextError::Unreadable { reason: reason.to_owned() }
}
