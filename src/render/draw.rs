//! Draws pages with hayro.

use super::RenderError;
use super::count::{SharedCounts, StepCounter};
use super::fonts::FontResolver;
use super::size::Canvas;
use bytes::Bytes;
use hayro::hayro_interpret::{
    Context, Device, InterpreterCache, InterpreterSettings, InterpreterWarning, TransformExt, interpret_page,
};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::effort::{CountedFile, LoadedFonts, PageCost, Steps};
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

/// Counts the steps of drawing one page of a file, then draws it.
pub(super) fn draw_page(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
) -> Result<DrawnPage, RenderError> {
    with_page(file, index, canvas, fonts, limits, |page, settings, to_canvas, cost| {
        let mut context = RenderContext::new(canvas.width, canvas.height);
        let render_settings = RenderSettings { hinting: !cost.has_many_substitutions, ..RenderSettings::default() };
        render_into(page, &RenderCache::new(), settings, &render_settings, &mut context, to_canvas);
        context.flush();
        let mut pixmap = Pixmap::new(canvas.width, canvas.height);
        let white_background =
            RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
        context.render_with(&mut pixmap, &mut Resources::default(), white_background);
        (pixmap.data_as_u8_slice().to_vec(), cost.may_draw)
    })
    .map(|((pixels, may_draw), notes)| DrawnPage { pixels, notes, may_draw })
}

/// Counts the steps of drawing one page of a file, then shows the page to a device that draws no more than the engine.
pub(super) fn interpret(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
    device: &mut impl for<'a> Device<'a>,
) -> Result<(), RenderError> {
    with_page(file, index, canvas, fonts, limits, |page, settings, to_canvas, _| {
        let target = Rect::new(0.0, 0.0, canvas.width.into(), canvas.height.into());
        let cache = InterpreterCache::new();
        let mut context = Context::new(to_canvas, target, &cache, page.xref(), settings.clone());
        interpret_page(page, &mut context, device);
    })
    .map(|((), _)| ())
}

/// Counts the steps of drawing one page of a file, and calls `run` with it. Returns the engine's notes too.
fn with_page<T>(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<FontResolver>,
    limits: &Limits,
    run: impl FnOnce(&Page<'_>, &InterpreterSettings, Affine, &PageCost) -> T,
) -> Result<(T, BTreeSet<String>), RenderError> {
    let steps = Steps::for_picture(limits, u64::from(canvas.width) * u64::from(canvas.height));
    let file = CountedFile::new(file.clone(), &steps);
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
    let cost = count_steps(page, canvas, to_canvas, &settings, &steps, limits);
    let outcome = run(page, &settings, to_canvas, &cost);
    let notes = std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((outcome, notes))
}

/// Counts the steps of drawing the page. Stops the engine if there are too many.
fn count_steps<'a>(
    page: &Page<'a>,
    canvas: &Canvas,
    to_canvas: Affine,
    settings: &InterpreterSettings,
    steps: &Steps,
    limits: &Limits,
) -> PageCost {
    steps.restart();
    let cost = PageCost::of(page, steps, limits, &mut LoadedFonts::default());
    steps.take(cost.page_steps);
    let counts = SharedCounts::new(steps, &cost, limits);
    let mut counter = StepCounter::new(&counts, canvas.width, canvas.height);
    let target = Rect::new(0.0, 0.0, canvas.width.into(), canvas.height.into());
    let cache = InterpreterCache::new();
    let mut context = Context::new(to_canvas, target, &cache, page.xref(), settings.clone());
    interpret_page(page, &mut context, &mut counter);
    steps.restart();
    cost
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
