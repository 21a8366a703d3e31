//! The engine: hayro.

use super::RenderError;
use super::count::{Counter, Ledger};
use super::fonts::Resolver;
use super::size::Canvas;
use crate::document::effort::{CountedFile, LoadedFonts, Reach, Steps};
use crate::limits::Limits;
use crate::page::PageIndex;
use bytes::Bytes;
use hayro::hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings, InterpreterWarning, TransformExt, interpret_page,
};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, Rect};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Pixels, and what is missing from them.
pub(super) struct Drawn {
    /// Red, green, blue and an opaque fourth, from the upper left corner.
    pub(super) pixels: Vec<u8>,
    pub(super) notes: BTreeSet<String>,
    /// Whether the page names fonts, pictures or the like, or has annotations.
    pub(super) is_something: bool,
}

/// Draws one page of a file, once what drawing it comes to is counted.
pub(super) fn page(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<Resolver>,
    limits: &Limits,
) -> Result<Drawn, RenderError> {
    let steps = Steps::for_picture(limits, u64::from(canvas.width) * u64::from(canvas.height));
    let file = CountedFile::new(file.clone(), &steps);
    let pdf = Pdf::new(Arc::new(file)).map_err(|_| RenderError::Unreadable)?;
    let pages = pdf.pages();
    let page = pages.get(usize::try_from(index.0).unwrap_or(usize::MAX)).ok_or(RenderError::Unreadable)?;
    let warnings = Arc::new(Mutex::new(BTreeSet::new()));
    let sink = Arc::clone(&warnings);
    let settings = InterpreterSettings {
        font_resolver: fonts.answers(),
        warning_sink: Arc::new(move |warning| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).extend(note(warning).map(str::to_owned));
        }),
        ..InterpreterSettings::default()
    };
    let to_canvas = Affine::translate((-canvas.left, -canvas.top))
        * Affine::scale(canvas.scale)
        * page.initial_transform(true).to_kurbo();
    let reach = count(page, canvas, to_canvas, &settings, &steps, limits);
    let mut context = RenderContext::new(canvas.width, canvas.height);
    let how = RenderSettings { hinting: !reach.has_rules, ..RenderSettings::default() };
    render_into(page, &RenderCache::new(), &settings, &how, &mut context, to_canvas);
    context.flush();
    let mut pixmap = Pixmap::new(canvas.width, canvas.height);
    let onto_white = RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixmap, &mut Resources::default(), onto_white);
    let notes = std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Drawn { pixels: pixmap.data_as_u8_slice().to_vec(), notes, is_something: reach.is_something })
}

/// Counts what drawing the page comes to. Leaves the engine where that is too much.
fn count<'a>(
    page: &Page<'a>,
    canvas: &Canvas,
    to_canvas: Affine,
    settings: &InterpreterSettings,
    steps: &Steps,
    limits: &Limits,
) -> Reach {
    steps.restart();
    let reach = Reach::of(page, steps, limits, &mut LoadedFonts::default());
    steps.take(reach.page_steps);
    let ledger = Ledger::new(steps, &reach, limits);
    let mut counter = Counter::new(&ledger, canvas.width, canvas.height);
    let target = Rect::new(0.0, 0.0, canvas.width.into(), canvas.height.into());
    let cache = InterpreterCache::new();
    let mut context = Context::new(to_canvas, target, &cache, page.xref(), settings.clone());
    interpret_page(page, &mut context, &mut counter);
    steps.restart();
    reach
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
