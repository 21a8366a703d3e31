//! Pages as MCP resources: as PDF under the URIs that `get_file` embeds, as PNG, and as text.

use super::caller::Caller;
use super::error::{ErrorCode, ToolError};
use super::pdf::{DocumentArguments, TextArguments, cut, extract_text};
use crate::context::{ContextError, ContextManager, DocumentBlock, NoProgress, OpenPdf};
use bytes::Bytes;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_base::page::PageNumber;
use pagewise_render::RenderOptions;
use pagewise_view::Principal;

/// The formats in which a page can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceForm {
    /// The page as a PDF of its own.
    Pdf,
    /// A picture of it.
    Png,
    /// Its text.
    Text,
}

/// One resource template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceTemplateRow {
    /// The form.
    pub form: ResourceForm,
    /// The URI template (RFC 6570).
    pub template: &'static str,
    /// Its MIME type.
    pub mime_type: &'static str,
    /// Its name, by which clients tell templates apart.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    suffix: &'static str,
}

const TEXT: ResourceTemplateRow = ResourceTemplateRow {
    form: ResourceForm::Text,
    template: "pagewise://{blake3}/page/{number}.txt",
    mime_type: "text/plain",
    name: "page-text",
    title: "One page as text",
    suffix: ".txt",
};

/// All resource templates. Answers embed the first.
pub const RESOURCE_TEMPLATES: [ResourceTemplateRow; 3] = [
    ResourceTemplateRow {
        form: ResourceForm::Pdf,
        template: "pagewise://{blake3}/page/{number}.pdf",
        mime_type: "application/pdf",
        name: "page-pdf",
        title: "One page as a PDF",
        suffix: ".pdf",
    },
    ResourceTemplateRow {
        form: ResourceForm::Png,
        template: "pagewise://{blake3}/page/{number}.png",
        mime_type: "image/png",
        name: "page-picture",
        title: "One page as a picture",
        suffix: ".png",
    },
    TEXT,
];

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceContent {
    /// For a picture or a PDF.
    Bytes(Bytes),
    /// Of a text.
    Text(String),
}

/// The content of a page resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageResource {
    /// The MIME type of the content.
    pub mime_type: &'static str,
    /// The content.
    pub content: ResourceContent,
}

/// The URI of a page in `resources/read` and in embedded resources.
#[must_use]
pub fn page_uri(document: &DocumentBlock) -> String {
    format!("pagewise://{}/page/{}.pdf", document.source, document.page)
}

/// Reads the page at a URI that an answer of this process named in a conversation of `owner`.
///
/// # Errors
/// `content_not_found` for any other URI, for a file that was not requested before, and for one that has changed; and
/// the errors of the file and the PDF.
pub fn read_page(
    context: &ContextManager,
    uri: &str,
    owner: Option<Principal>,
    cancellation: &Cancellation,
) -> Result<PageResource, ToolError> {
    let (content, page, row) = parse_page_uri(uri).ok_or_else(|| unknown(uri))?;
    let pdf = context.pdf_by_content(&content, owner, cancellation)?.ok_or_else(|| unknown(uri))?;
    let page_count = pdf.document.page_count();
    if page.index().0 >= page_count {
        let out_of_range = ContextError::PageOutOfRange { number: page.get().into(), page_count, is_zero_based: false };
        return Err(out_of_range.into());
    }
    Ok(PageResource { mime_type: row.mime_type, content: content_of(&pdf, page, row.form)? })
}

fn content_of(pdf: &OpenPdf, page: PageNumber, form: ResourceForm) -> Result<ResourceContent, ToolError> {
    let failed = |error| ToolError::from(ContextError::Pdf { path: pdf.path.clone(), error });
    match form {
        ResourceForm::Pdf => Ok(ResourceContent::Bytes(cut(pdf, page)?.bytes)),
        ResourceForm::Png => {
            let picture = pdf.document.picture(page.index(), &RenderOptions::default()).map_err(failed)?;
            Ok(ResourceContent::Bytes(picture.png))
        }
        ResourceForm::Text => {
            let document = DocumentArguments { path: pdf.path.clone(), ..DocumentArguments::default() };
            let pages = Some(page.to_string()).into();
            let arguments = TextArguments { document, pages, ..TextArguments::default() };
            let text = extract_text(pdf, &arguments, &NoProgress)?;
            // A resource is the same each time.
            let [text, remarks] = text.texts(&Caller::direct());
            Ok(ResourceContent::Text(format!("{text}\n\n{remarks}").trim_end().to_owned()))
        }
    }
}

fn parse_page_uri(uri: &str) -> Option<(ContentHash, PageNumber, ResourceTemplateRow)> {
    // A fragment names a place on the page.
    let uri = uri.split_once('#').map_or(uri, |(uri, _)| uri);
    let (content, rest) = uri.strip_prefix("pagewise://")?.split_once("/page/")?;
    let named = RESOURCE_TEMPLATES.into_iter().find_map(|row| Some((rest.strip_suffix(row.suffix)?, row)));
    // The link of a quotation names no form; every document has text.
    let (number, row) = named.unwrap_or((rest, TEXT));
    let number = number.parse().ok()?;
    Some((content.parse().ok()?, PageNumber::new(number)?, row))
}

fn unknown(uri: &str) -> ToolError {
    ToolError::new(ErrorCode::ContentNotFound, format!("No such resource: {uri}"))
        .hint("Pages can be read only from files that get_file has read in this session, until they change.")
}

/// Completes a page number from a prefix of the number or the printed label, or from part of an outline title. Returns
/// at most `most` numbers, and the total.
///
/// # Errors
/// Every refusal of the file and the PDF.
pub fn complete_page(
    context: &ContextManager,
    content: &str,
    typed: &str,
    owner: Option<Principal>,
    most: usize,
) -> Result<(Vec<String>, usize), ToolError> {
    let Ok(content) = content.parse::<ContentHash>() else { return Ok((Vec::new(), 0)) };
    let Some(pdf) = context.pdf_by_content(&content, owner, &Cancellation::new())? else { return Ok((Vec::new(), 0)) };
    let wanted = typed.trim().to_lowercase();
    let titled = pdf.document.outline(MAX_ENTRIES).items.into_iter();
    let titled: Vec<_> =
        titled.filter(|item| !wanted.is_empty() && item.title.to_lowercase().contains(&wanted)).collect();
    let is_meant = |page: &PageNumber| {
        let label = pdf.document.page_label(page.index());
        page.to_string().starts_with(&wanted)
            || label.is_some_and(|label| label.0.to_lowercase().starts_with(&wanted))
            || titled.iter().any(|item| item.page == Some(page.index()))
    };
    let pages = (1..=pdf.document.page_count().min(MAX_PAGES)).filter_map(PageNumber::new);
    let meant = pages.filter(is_meant).map(|page| page.to_string()).collect::<Vec<_>>();
    let total = meant.len();
    Ok((meant.into_iter().take(most).collect(), total))
}

/// Outline entries searched for a title.
const MAX_ENTRIES: usize = 5_000;

/// Pages searched for a completion.
const MAX_PAGES: u32 = 20_000;
