//! The main engine: hayro-interpret places the glyphs, and this room puts them in reading order.

use super::TextError;
use super::glyphs::{CharacterResolver, GlyphCollector, PageFonts, PageGlyphs, StepAccount, is_private};
use super::layout::{group_into_lines, join_lines, join_words, merge_stacks, order_blocks, write_blocks};
use super::normalize::normalize_text;
use super::page_text::{PageKind, PageText, TextEngine};
use crate::document::effort::{CountedFile, LoadedFonts, PageCost, Steps};
use crate::limits::{Limit, LimitExceeded, Limits};
use crate::page::PageIndex;
use bytes::Bytes;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};
use std::sync::Arc;

/// The least share of a page that the images of a scan cover.
const SCAN_SHARE: f64 = 0.5;

/// The text of one page of a file.
pub(super) fn extract_page(file: &Bytes, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
    let steps = Steps::new(limits);
    let file = CountedFile::new(file.clone(), &steps);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| unreadable("it does not open"))?;
    TextExtractor::new(&pdf, &steps).page_text(index, limits)
}

/// Extracts the text of pages of one document, with caches of their fonts.
pub(super) struct TextExtractor<'p> {
    pdf: &'p Pdf,
    steps: &'p Steps,
    /// Fonts in the cache.
    loaded: LoadedFonts,
    cache: InterpreterCache<'p>,
    characters: CharacterResolver<'p>,
}

impl<'p> TextExtractor<'p> {
    /// An extractor for pages of `pdf`. `steps` is the budget of each page, including reads of the file.
    pub(super) fn new(pdf: &'p Pdf, steps: &'p Steps) -> Self {
        let (cache, characters) = (InterpreterCache::new(), CharacterResolver::new(pdf));
        Self { pdf, steps, loaded: LoadedFonts::default(), cache, characters }
    }

    /// Whether characters were looked up by font names, which need not be unique in a document.
    pub(super) fn used_font_names(&self) -> bool {
        self.characters.used_font_names()
    }

    pub(super) fn page_text(&mut self, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
        let pages = self.pdf.pages();
        let at = usize::try_from(index.0).unwrap_or(usize::MAX);
        let page = pages.get(at).ok_or_else(|| unreadable("it does not find the page"))?;
        self.steps.restart();
        let cost = PageCost::of(page, self.steps, limits, &mut self.loaded);
        self.steps.take(cost.page_steps);
        let (width, height) = page.render_dimensions();
        let shown = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let (page_glyphs, fonts) = self.collect(page, &cost, shown, PageFonts::default(), limits)?;
        let page_glyphs = match fonts.take_implausible() {
            None => page_glyphs,
            // Collect again without the character maps of fonts whose text is implausible.
            Some(fonts) => self.collect(page, &cost, shown, fonts, limits)?.0,
        };
        Ok(lay_out(page_glyphs, shown.area()))
    }

    fn collect(
        &mut self,
        page: &Page<'p>,
        cost: &PageCost,
        shown: Rect,
        fonts: PageFonts,
        limits: &Limits,
    ) -> Result<(PageGlyphs, PageFonts), TextError> {
        let (settings, xref) = (InterpreterSettings::default(), self.pdf.xref());
        let mut context = Context::new(page.initial_transform(true).to_kurbo(), shown, &self.cache, xref, settings);
        let account = StepAccount::new(self.steps, cost);
        let mut collector = GlyphCollector::new(&mut self.characters, fonts, shown, limits, account);
        interpret_page(page, &mut context, &mut collector);
        let (page_glyphs, fonts) = collector.finish();
        if page_glyphs.is_full {
            let limit = limits.max_text_bytes;
            return Err(LimitExceeded { which: Limit::TextBytes, limit, found: limit.saturating_add(1) }.into());
        }
        Ok((page_glyphs, fonts))
    }
}

fn lay_out(page_glyphs: PageGlyphs, page_area: f64) -> PageText {
    let PageGlyphs { glyphs, invisible, off_page, undecoded, picture_area, paths, is_full: _ } = page_glyphs;
    let lines = join_lines(merge_stacks(group_into_lines(glyphs)));
    let (text, joints) = join_words(&normalize_text(&write_blocks(&order_blocks(lines))));
    let (private, said) = count_characters(&text);
    let undecoded = undecoded.saturating_add(private);
    let kind = match () {
        () if undecoded > said => PageKind::Undecodable,
        () if !text.is_empty() => PageKind::Text,
        () if picture_area > page_area * SCAN_SHARE => PageKind::Scan,
        () if picture_area > 0.0 || paths > 0 => PageKind::Picture,
        () => PageKind::Empty,
    };
    let picture_percent = percent(picture_area, page_area);
    let engine = TextEngine::Collector;
    PageText { text, joints, kind, invisible, off_page, undecoded, picture_percent, paths, engine }
}

/// The number of private use characters in a text, and of all others except white space.
fn count_characters(text: &str) -> (u64, u64) {
    let mut counts = (0, 0);
    for character in text.chars().filter(|character| !character.is_whitespace()) {
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
