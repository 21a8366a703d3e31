//! The main engine: hayro-interpret places the glyphs, and this room puts them in reading order.

use super::characters::Characters;
use super::collect::{Account, Collected, Collector};
use super::page_text::{PageKind, PageText, TextEngine};
use super::plain::plain;
use super::plausible::{PageFonts, is_private};
use super::{TextError, hyphens, join, lines, order, stacks, write};
use crate::document::effort::{CountedFile, LoadedFonts, Reach, Steps};
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
pub(super) fn page_text(file: &Bytes, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
    let steps = Steps::new(limits);
    let file = CountedFile::new(file.clone(), &steps);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| unreadable("it does not open"))?;
    Pages::new(&pdf, &steps).text(index, limits)
}

/// Extracts the text of pages of one document, with caches of their fonts.
pub(super) struct Pages<'p> {
    pdf: &'p Pdf,
    steps: &'p Steps,
    /// Fonts in the cache.
    loaded: LoadedFonts,
    cache: InterpreterCache<'p>,
    characters: Characters<'p>,
}

impl<'p> Pages<'p> {
    /// An extractor for pages of `pdf`. `steps` is the budget of each page, including reads of the file.
    pub(super) fn new(pdf: &'p Pdf, steps: &'p Steps) -> Self {
        let (cache, characters) = (InterpreterCache::new(), Characters::new(pdf));
        Self { pdf, steps, loaded: LoadedFonts::default(), cache, characters }
    }

    /// Whether characters were looked up by font names, which need not be unique in a document.
    pub(super) fn went_by_names(&self) -> bool {
        self.characters.went_by_names()
    }

    pub(super) fn text(&mut self, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
        let pages = self.pdf.pages();
        let at = usize::try_from(index.0).unwrap_or(usize::MAX);
        let page = pages.get(at).ok_or_else(|| unreadable("it does not find the page"))?;
        self.steps.restart();
        let reach = Reach::of(page, self.steps, limits, &mut self.loaded);
        self.steps.take(reach.page_steps);
        let (width, height) = page.render_dimensions();
        let shown = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let (collected, fonts) = self.collect(page, &reach, shown, PageFonts::default(), limits)?;
        let collected = match fonts.judge() {
            None => collected,
            // Collect again without the character maps of fonts whose text is implausible.
            Some(fonts) => self.collect(page, &reach, shown, fonts, limits)?.0,
        };
        Ok(laid_out(collected, shown.area()))
    }

    fn collect(
        &mut self,
        page: &Page<'p>,
        reach: &Reach,
        shown: Rect,
        fonts: PageFonts,
        limits: &Limits,
    ) -> Result<(Collected, PageFonts), TextError> {
        let (settings, xref) = (InterpreterSettings::default(), self.pdf.xref());
        let mut context = Context::new(page.initial_transform(true).to_kurbo(), shown, &self.cache, xref, settings);
        let account = Account::new(self.steps, reach);
        let mut collector = Collector::new(&mut self.characters, fonts, shown, limits, account);
        interpret_page(page, &mut context, &mut collector);
        let (collected, fonts) = collector.finish();
        if collected.is_full {
            let limit = limits.max_text_bytes;
            return Err(LimitExceeded { which: Limit::TextBytes, limit, found: limit.saturating_add(1) }.into());
        }
        Ok((collected, fonts))
    }
}

fn laid_out(collected: Collected, page_area: f64) -> PageText {
    let Collected { marks, invisible, off_page, undecoded, picture_area, paths, is_full: _ } = collected;
    let lines = join::joined(stacks::stacked(lines::lines(marks)));
    let (text, joints) = hyphens::join_words(&plain(&write::text(&order::blocks(lines))));
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
