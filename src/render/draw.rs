//! The engine: hayro.

use super::RenderError;
use super::fonts::Resolver;
use super::size::Canvas;
use crate::page::PageIndex;
use bytes::Bytes;
use hayro::hayro_interpret::{InterpreterSettings, InterpreterWarning, TransformExt};
use hayro::hayro_syntax::Pdf;
use hayro::kurbo::Affine;
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
}

/// Draws one page of a file.
pub(super) fn page(
    file: &Bytes,
    index: PageIndex,
    canvas: &Canvas,
    fonts: &Arc<Resolver>,
    hinting: bool,
) -> Result<Drawn, RenderError> {
    let pdf = Pdf::new(Arc::new(file.clone())).map_err(|_| RenderError::Unreadable)?;
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
    let mut context = RenderContext::new(canvas.width, canvas.height);
    let how = RenderSettings { hinting, ..RenderSettings::default() };
    render_into(page, &RenderCache::new(), &settings, &how, &mut context, to_canvas);
    context.flush();
    let mut pixmap = Pixmap::new(canvas.width, canvas.height);
    let onto_white = RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    context.render_with(&mut pixmap, &mut Resources::default(), onto_white);
    let notes = std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Drawn { pixels: pixmap.data_as_u8_slice().to_vec(), notes })
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
