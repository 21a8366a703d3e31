//! What a page says, and what it costs in each form.

use crate::context::answer::{document_usage, text_usage};
use crate::context::{ContextError, OpenPdf, image_tokens, read_markdown};
use pagewise_base::page::PageIndex;
use pagewise_view::PageForm;
use pagewise_view::Usage;

/// What a page says, and what it costs.
#[derive(Debug, Clone, Default)]
pub struct PageInspection {
    /// The printed label.
    pub label: Option<String>,
    /// Its text.
    pub text: String,
    /// The same as Markdown.
    pub markdown: String,
    /// What it costs, by form. The bytes of a picture depend on its size, and count as 0.
    pub costs: Vec<(PageForm, Usage)>,
    /// Notes on its text, and why it could not be read.
    pub notes: Vec<String>,
}

/// Reads a page in all forms but the picture.
///
/// # Errors
/// A page that the document does not have, and a cancelled request. A page that cannot be read has notes.
pub fn inspect_page(pdf: &OpenPdf, page: PageIndex) -> Result<PageInspection, ContextError> {
    let document = &*pdf.document;
    if page.0 >= document.page_count() {
        let (number, page_count) = (page.number().get().into(), document.page_count());
        return Err(ContextError::PageOutOfRange { number, page_count, is_zero_based: false });
    }
    let mut inspection =
        PageInspection { label: document.page_label(page).map(|label| label.0), ..PageInspection::default() };
    match document.cut(page) {
        Ok(chunk) => inspection.costs.push((PageForm::Document, document_usage(chunk.bytes.len()))),
        Err(error) => inspection.notes.push(error.to_string()),
    }
    let tokens = document.page_geometry(page).map_or(0, |geometry| image_tokens(&geometry));
    inspection.costs.push((PageForm::Image, Usage { blocks: 1, tokens, ..Usage::default() }));
    let read = read_markdown(document, &mut [page].into_iter().collect(), || pdf.check().is_ok());
    pdf.check()?;
    match read.into_iter().find(|(read, _)| *read == page) {
        Some((_, Ok(read))) => {
            inspection.notes.extend(read.text.remarks().iter().map(ToString::to_string));
            (inspection.text, inspection.markdown) = (read.text.text, read.markdown);
            inspection.costs.push((PageForm::Text, text_usage(&inspection.text)));
            inspection.costs.push((PageForm::Markdown, text_usage(&inspection.markdown)));
        }
        Some((_, Err(error))) => inspection.notes.push(error.to_string()),
        None => {}
    }
    Ok(inspection)
}
