//! Draws pages with hayro.
//!
//! The engine's painting device has no callbacks, so a survey checks the page and its time before it paints.

use super::RenderError;
use super::fonts::FontResolver;
use super::scan::{SampleFinder, Samples};
use super::size::Canvas;
use super::survey::survey;
use bytes::Bytes;
use hayro::hayro_interpret::{
    Context, Device, InterpreterCache, InterpreterSettings, InterpreterWarning, TransformExt, interpret_page,
};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::Array;
use hayro::hayro_syntax::page::{Page, Resources};
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::peniko::ImageAlphaType;
use hayro::vello_cpu::{self, Pixmap, RasterizerSettings, RenderContext, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{BudgetedFile, DecodedSizes, PageBudget};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The pixels of a page, and notes about what is missing from them.
pub(super) struct DrawnPage {
    /// RGBA pixels with opaque alpha, from the upper left corner.
    pub(super) pixels: Vec<u8>,
    pub(super) notes: BTreeSet<String>,
    /// Whether the page has resources that can draw something, or annotations.
    pub(super) may_draw: bool,
}

/// Draws one page of a file.
pub(super) fn draw_page(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
) -> Result<DrawnPage, RenderError> {
    with_page(file, index, canvas, fonts, limits, None, |painter| (painter.paint(), may_draw(painter.page)))
        .map(|((pixels, may_draw), notes)| DrawnPage { pixels, notes, may_draw })
}

/// Paints a page that was surveyed.
pub(super) struct PagePainter<'p> {
    page: &'p Page<'p>,
    settings: &'p InterpreterSettings,
    to_canvas: Affine,
    canvas: Canvas,
    is_hinted: bool,
    /// The samples of the one picture that the page is, if that was looked for.
    pub(super) samples: Option<Samples>,
}

impl PagePainter<'_> {
    /// RGBA pixels with opaque alpha, from the upper left corner.
    pub(super) fn paint(&self) -> Vec<u8> {
        let Canvas { width, height, .. } = self.canvas;
        let mut context = RenderContext::new(width, height);
        let render_settings = RenderSettings { hinting: self.is_hinted, ..RenderSettings::default() };
        let cache = RenderCache::new();
        render_into(self.page, &cache, self.settings, &render_settings, &mut context, self.to_canvas);
        context.flush();
        let mut pixmap = Pixmap::new(width, height);
        let white_background =
            RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
        context.render_with(&mut pixmap, &mut vello_cpu::Resources::default(), white_background);
        pixmap.take_rgba8(ImageAlphaType::AlphaPremultiplied)
    }
}

/// Surveys a page of a file, and calls `run` with what paints it. A `finder` sees what the survey sees. Returns the
/// engine's notes too.
pub(super) fn with_page<T>(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
    mut finder: Option<SampleFinder>,
    run: impl FnOnce(PagePainter<'_>) -> T,
) -> Result<(T, BTreeSet<String>), RenderError> {
    open_page(file, index, canvas, fonts, limits, |opened| {
        survey(&opened.budget, limits, opened.target(), finder.as_mut(), |survey| opened.interpret(survey));
        let samples = finder.and_then(|finder| finder.found);
        let OpenedPage { page, settings, to_canvas, canvas, is_hinted, .. } = opened;
        run(PagePainter { page, settings, to_canvas, canvas, is_hinted, samples })
    })
}

/// A page that can be interpreted: what it refers to was measured.
pub(super) struct OpenedPage<'p> {
    page: &'p Page<'p>,
    settings: &'p InterpreterSettings,
    to_canvas: Affine,
    canvas: Canvas,
    is_hinted: bool,
    pub(super) budget: PageBudget,
}

impl<'p> OpenedPage<'p> {
    fn target(&self) -> Rect {
        Rect::new(0.0, 0.0, self.canvas.width.into(), self.canvas.height.into())
    }

    /// Sends what the page draws to `device`.
    pub(super) fn interpret(&self, device: &mut impl Device<'p>) {
        let cache = InterpreterCache::new();
        let mut context = Context::new(self.to_canvas, self.target(), &cache, self.page.xref(), self.settings.clone());
        interpret_page(self.page, &mut context, device);
        self.budget.check_now();
    }
}

/// Opens a page of a file. Returns the engine's notes too.
pub(super) fn open_page<T>(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
    run: impl FnOnce(OpenedPage<'_>) -> T,
) -> Result<(T, BTreeSet<String>), RenderError> {
    let budget = PageBudget::new(limits);
    let file = BudgetedFile::new(file.clone(), &budget);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| RenderError::Unreadable)?;
    let pages = pdf.pages();
    let page = pages.get(usize::try_from(index.0).unwrap_or(usize::MAX)).ok_or(RenderError::Unreadable)?;
    let warnings = Arc::new(Mutex::new(BTreeSet::new()));
    let sink = Arc::clone(&warnings);
    let settings = InterpreterSettings {
        font_resolver: fonts.engine_callback(),
        warning_sink: Arc::new(move |warning| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).extend(note(warning).map(str::to_owned));
        }),
        ..InterpreterSettings::default()
    };
    let to_canvas = Affine::translate((-canvas.left, -canvas.top))
        * Affine::scale(canvas.scale)
        * page.initial_transform(true).to_kurbo();
    let mut sizes = DecodedSizes::default();
    sizes.check(page, &budget, limits);
    let is_hinted = !sizes.has_many_substitutions();
    let outcome = run(OpenedPage { page, settings: &settings, to_canvas, canvas: *canvas, is_hinted, budget });
    let notes = std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((outcome, notes))
}

/// Whether the page has resources or annotations.
fn may_draw(page: &Page<'_>) -> bool {
    let Resources { ext_g_states, fonts, properties, color_spaces, x_objects, patterns, shadings } = page.resources();
    let resources = [ext_g_states, fonts, properties, color_spaces, x_objects, patterns, shadings];
    let annotations = page.raw().get::<Array<'_>>(b"Annots");
    resources.iter().any(|names| !names.is_empty()) || annotations.is_some_and(|all| all.raw_iter().next().is_some())
}

fn note(warning: InterpreterWarning) -> Option<&'static str> {
    match warning {
        InterpreterWarning::UnsupportedFont => Some("a font of the page cannot be read; its text is not drawn"),
        InterpreterWarning::ImageDecodeFailure => Some("a picture of the page cannot be decoded and is not drawn"),
        InterpreterWarning::UnresolvedAnnotationAppearance => {
            Some("an annotation without a usable appearance is not drawn")
        }
        _ => None,
    }
}
