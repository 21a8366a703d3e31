//! The first engine: glyphs as hayro-interpret places them, put in order by this room.

use super::characters::Characters;
use super::collect::{Account, Collected, Collector};
use super::page_text::{Engine, PageKind, PageText};
use super::plain::plain;
use super::{TextError, join, lines, order, stacks, write};
use crate::document::effort::{CountedFile, LoadedFonts, Reach, Steps};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use bytes::Bytes;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, TransformExt, interpret_page};
use std::sync::Arc;

/// Share of a page that the pictures of a scan cover.
const SCAN_SHARE: f64 = 0.5;

/// The text of one page of a file.
pub(super) fn page_text(file: &Bytes, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
    let steps = Steps::new(limits);
    let file = CountedFile::new(file.clone(), &steps);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| unreadable("it does not open"))?;
    Pages::new(&pdf, &steps).text(index, limits)
}

/// The pages of a document, and what is known of their fonts.
pub(super) struct Pages<'p> {
    pdf: &'p Pdf,
    steps: &'p Steps,
    /// Fonts that are in the cache.
    loaded: LoadedFonts,
    cache: InterpreterCache<'p>,
    characters: Characters<'p>,
}

impl<'p> Pages<'p> {
    /// The pages of `pdf`, each on account of `steps`, from which reading its file takes too.
    pub(super) fn new(pdf: &'p Pdf, steps: &'p Steps) -> Self {
        let (cache, characters) = (InterpreterCache::new(), Characters::new(pdf));
        Self { pdf, steps, loaded: LoadedFonts::default(), cache, characters }
    }

    /// Whether characters were told by the names of fonts, which need not be one font throughout a document.
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
        let (settings, xref) = (InterpreterSettings::default(), self.pdf.xref());
        let mut context = Context::new(page.initial_transform(true).to_kurbo(), shown, &self.cache, xref, settings);
        let mut collector = Collector::new(&mut self.characters, shown, limits, Account::new(self.steps, &reach));
        interpret_page(page, &mut context, &mut collector);
        if collector.collected.is_full {
            let limit = limits.max_text_bytes;
            return Err(LimitExceeded { which: "max_text_bytes", limit, found: limit.saturating_add(1) }.into());
        }
        Ok(laid_out(collector.collected, shown.area()))
    }
}

fn laid_out(collected: Collected, page_area: f64) -> PageText {
    let Collected { marks, invisible, off_page, undecoded, picture_area, paths, is_full: _ } = collected;
    let lines = join::joined(stacks::stacked(lines::lines(marks)));
    let text = plain(&write::text(&order::blocks(lines)));
    let kind = match () {
        () if !text.is_empty() => PageKind::Text,
        () if undecoded > 0 => PageKind::Undecodable,
        () if picture_area > page_area * SCAN_SHARE => PageKind::Scan,
        () if picture_area > 0.0 || paths > 0 => PageKind::Picture,
        () => PageKind::Empty,
    };
    let picture_percent = percent(picture_area, page_area);
    PageText { text, kind, invisible, off_page, undecoded, picture_percent, paths, engine: Engine::Collector }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100; NaN is 0")]
fn percent(part: f64, whole: f64) -> u8 {
    (part / whole * 100.0).clamp(0.0, 100.0) as u8
}

fn unreadable(reason: &str) -> TextError {
    TextError::Unreadable { reason: reason.to_owned() }
}
