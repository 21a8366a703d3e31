//! What is drawn of a page: how, and with which highlights.

use crate::context::{ContextError, OpenPdf, points, select_page};
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{Highlight, RenderArguments};
use pagewise_base::page::PageIndex;
use pagewise_render::{Picture, RenderOptions};
use pagewise_text::{Bounds, Case, Pattern, QuerySyntax, TextBoxes};

/// The most places of a text that are highlighted on a page.
const MAX_PLACES: usize = 200;

/// A page that is to be drawn.
pub(super) struct Drawing {
    pub(super) page: PageIndex,
    pub(super) options: RenderOptions,
    pub(super) notes: Vec<String>,
}

impl Drawing {
    /// The one page that `arguments` select.
    pub(super) fn of_selected(pdf: &OpenPdf, arguments: &RenderArguments) -> Result<Self, ToolError> {
        let (page, note) = select_page(&arguments.page, &*pdf.document)?;
        let mut drawing = Self::of(pdf, page, arguments)?;
        drawing.notes.extend(note);
        Ok(drawing)
    }

    /// A page as `arguments` ask for it, with a note if the text to highlight is not on it.
    pub(super) fn of(pdf: &OpenPdf, page: PageIndex, arguments: &RenderArguments) -> Result<Self, ToolError> {
        let highlights = match arguments.highlight() {
            None => Vec::new(),
            Some(Highlight::Box(edges)) => vec![edges],
            Some(Highlight::Text(text)) => boxes_of_text(pdf, page, &text).into_iter().map(Bounds::edges).collect(),
        };
        let notes = missed_note(pdf, page, arguments.highlight.as_deref(), &highlights);
        let region = arguments.region()?;
        let options = RenderOptions { dpi: arguments.dpi(), region, highlights, ..RenderOptions::default() };
        Ok(Self { page, options, notes: notes.into_iter().chain(arguments.dpi_note()).collect() })
    }

    /// Draws it.
    pub(super) fn draw(self, pdf: &OpenPdf) -> Result<Picture, ToolError> {
        let failed = |error| ContextError::Pdf { path: pdf.path.clone(), error };
        let mut picture = pdf.document.picture(self.page, &self.options).map_err(failed)?;
        picture.notes.extend(self.notes);
        Ok(picture)
    }
}

/// Says that nothing on the page is highlighted.
fn missed_note(pdf: &OpenPdf, page: PageIndex, highlight: Option<&str>, boxes: &[[f32; 4]]) -> Option<String> {
    let highlight = highlight?;
    let Some([left, top, ..]) = boxes.first() else {
        let is_like_box = highlight.contains(',') && !highlight.contains(char::is_alphabetic);
        let or_box = if is_like_box { "; highlight is not a box of four numbers either" } else { "" };
        return Some(format!("the text to highlight is not on the page{or_box}"));
    };
    let size = pdf.document.page_geometry(page).ok()?;
    let is_outside = f64::from(*left) >= size.width_pt || f64::from(*top) >= size.height_pt;
    is_outside.then(|| {
        format!("the box to highlight is outside the page ({} x {} pt)", points(size.width_pt), points(size.height_pt))
    })
}

/// The boxes of a text on a page, in any case.
pub(super) fn boxes_of_text(pdf: &OpenPdf, page: PageIndex, text: &str) -> Vec<Bounds> {
    let Ok(pattern) = Pattern::new(text, QuerySyntax::Literal, Case::Insensitive) else { return Vec::new() };
    let Ok((page_text, words)) = pdf.document.page_words(page) else { return Vec::new() };
    let (hits, _) = pattern.hits(&page_text, MAX_PLACES);
    let boxes = TextBoxes::new(&page_text.text, &words);
    hits.iter().flat_map(|hit| &hit.places).flat_map(|place| boxes.of(place)).collect()
}
