//! A page drawn for people, as wide as their screen has room for.

use super::drawing::boxes_of_text;
use crate::context::{ContextError, OpenPdf};
use crate::tool::error::ToolError;
use pagewise_base::page::PageIndex;
use pagewise_render::{Dpi, Picture, RenderOptions};
use pagewise_text::Bounds;

/// A picture is at most so many times as high as it is wide.
const MAX_HEIGHT: f64 = 3.0;

/// Draws a page about `width` pixels wide, or less if it is very high, with `highlight` painted over in yellow.
///
/// # Errors
/// A page that the document does not have, or that cannot be drawn within the limits.
pub fn draw_to_width(
    pdf: &OpenPdf,
    page: PageIndex,
    width: u32,
    highlight: Option<&str>,
) -> Result<Picture, ToolError> {
    let page_count = pdf.document.page_count();
    if page.0 >= page_count {
        let number = page.number().get().into();
        return Err(ContextError::PageOutOfRange { number, page_count, is_zero_based: false }.into());
    }
    let failed = |error| ContextError::Pdf { path: pdf.path.clone(), error };
    let geometry = pdf.document.page_geometry(page).map_err(failed)?;
    let width = f64::from(width);
    let scale = (width / geometry.width_pt.max(1.0)).min(width * MAX_HEIGHT / geometry.height_pt.max(1.0));
    let boxes = highlight.map(|text| boxes_of_text(pdf, page, text)).unwrap_or_default();
    let options = RenderOptions {
        dpi: whole_dpi(scale * 72.0),
        highlights: boxes.into_iter().map(Bounds::edges).collect(),
        ..RenderOptions::default()
    };
    Ok(pdf.document.picture(page, &options).map_err(failed)?)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole_dpi(dpi: f64) -> Dpi {
    Dpi::at_most(dpi.ceil() as u64)
}
