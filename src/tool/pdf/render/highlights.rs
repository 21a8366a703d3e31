//! Finds what a picture is to highlight.

use crate::context::OpenPdf;
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{Highlight, RenderArguments};
use pagewise_base::page::PageIndex;
use pagewise_render::RenderOptions;
use pagewise_text::{Bounds, Case, Pattern, QuerySyntax, TextBoxes};

/// The most places of a text that are highlighted on a page.
const MAX_PLACES: usize = 200;

/// The options for drawing a page, and a note if the text to highlight is not on it.
pub(super) fn options_for(
    pdf: &OpenPdf,
    page: PageIndex,
    arguments: &RenderArguments,
) -> Result<(RenderOptions, Option<String>), ToolError> {
    let highlights = match arguments.highlight() {
        None => Vec::new(),
        Some(Highlight::Box(edges)) => vec![edges],
        Some(Highlight::Text(text)) => boxes_of_text(pdf, page, &text).into_iter().map(Bounds::edges).collect(),
    };
    let is_missed = arguments.highlight.is_some() && highlights.is_empty();
    let note = is_missed.then(|| "the text to highlight is not on the page".to_owned());
    let region = arguments.region()?;
    Ok((RenderOptions { dpi: arguments.dpi(), region, highlights, ..RenderOptions::default() }, note))
}

/// The boxes of a text on a page, in any case.
pub(super) fn boxes_of_text(pdf: &OpenPdf, page: PageIndex, text: &str) -> Vec<Bounds> {
    let Ok(pattern) = Pattern::new(text, QuerySyntax::Literal, Case::Insensitive) else { return Vec::new() };
    let Ok((page_text, words)) = pdf.document.page_words(page) else { return Vec::new() };
    let (hits, _) = pattern.hits(&page_text, MAX_PLACES);
    let boxes = TextBoxes::new(&page_text.text, &words);
    hits.iter().flat_map(|hit| &hit.places).flat_map(|place| boxes.of(place)).collect()
}
