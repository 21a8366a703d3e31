//! The tool `pdf_render_page`.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde::Serialize;
use serde_json::Value;

use super::drawing::Drawing;
use super::pages::PageDrawing;
use super::place::drawing_of_quote;
use crate::context::{
    Block, BoundExceeded, ContextManager, Delivery, ImageBlock, OpenPdf, ProgressListener, ResultBudget, SelectedPages,
    grouped, one_line, untrusted, write_whole,
};
use crate::tool::arguments::ToolArguments as _;
use crate::tool::caller::Caller;
use crate::tool::data_answer::result_json;
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{RenderArguments, selected_pages};
use crate::tool::pdf::page::write_failed;
use pagewise_base::page::{PageIndex, PageNumber, PageSet};
use pagewise_render::{MAX_SHEET_PAGES, Picture, RenderOptions};

/// The MIME type of a rendered page.
const PNG: &str = "image/png";

/// What was drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RenderResult {
    /// The file written.
    pub file: PathBuf,
    /// The page's 1-based number.
    pub page: u32,
    /// The printed label, if the document has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Pages of the document.
    pub pages: u32,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// Pixels per inch.
    pub dpi: u16,
    /// The part that was drawn, in shares of the page: left, top, right, bottom. The whole page without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<[f64; 4]>,
    /// Bytes written.
    pub bytes: usize,
    /// Notes on what could not be rendered.
    pub notes: Vec<String>,
}

/// The result of `pdf_render_page`.
#[derive(Debug)]
pub struct RenderAnswer {
    /// The description and the picture that it announces.
    pub blocks: Vec<Block>,
    /// The same for programs.
    pub details: Value,
    /// Commit it once the picture was written to the client: it counts against provider limits.
    pub delivery: Option<Delivery>,
}

/// Pages that one call renders.
const MAX_RENDERED_PAGES: usize = 100;

/// Renders a page for a model, and writes the picture to the output directory. Of several pages, only names the files, or
/// shows them side by side on a contact sheet.
///
/// # Errors
/// Every refusal of the file and the page, and `limit_exceeded` for a picture of too many pixels.
pub fn render_page(
    context: &ContextManager,
    arguments: &RenderArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<RenderAnswer, ToolError> {
    let (pdf, drawing) = match &arguments.quote {
        Some(quote) => drawing_of_quote(context, quote, arguments, caller, progress)?,
        None => {
            let pdf = arguments.document.open(context, caller)?;
            let SelectedPages { pages, .. } = selected_pages(&pdf, Some(&arguments.page))?;
            if arguments.contact_sheet || pages.len() > 1 {
                drop(pdf);
                return render_several(context, arguments, caller, progress);
            }
            let drawing = Drawing::of_selected(&pdf, arguments)?;
            (pdf, drawing)
        }
    };
    let (page, options) = (drawing.page.number(), drawing.options.clone());
    let picture = drawing.draw(&pdf)?;
    let file = context.write_picture(&pdf.path, page, &picture.png)?;
    let result = result(&pdf, page, file, &options, &picture);
    let text = format!("{}\n{}", result.text(), untrusted(&pdf.path));
    let whole = result.region.is_none().then(|| PageSet::from_iter([page.index()]));
    let read = whole.as_ref().map(|pages| (&pdf, pages));
    shown(context, arguments, caller, picture.png, read, text, result_json(&result)?)
}

/// Answers with a picture, which shows the pages `read` whole, or with why it is not shown.
fn shown(
    context: &ContextManager,
    arguments: &RenderArguments,
    caller: &Caller,
    png: Bytes,
    read: Option<(&OpenPdf, &PageSet)>,
    text: String,
    details: Value,
) -> Result<RenderAnswer, ToolError> {
    let (blocks, delivery) = match picture_block(context, arguments, caller, png, read)? {
        // Some clients drop pictures without a word.
        Ok((image, delivery)) => (vec![Block::Text(format!("{text}\nThe picture follows.")), image], delivery),
        Err(why) => (vec![Block::Text(format!("{text}\nThe picture is not shown: {why}"))], None),
    };
    Ok(RenderAnswer { blocks, details, delivery })
}

fn render_several(
    context: &ContextManager,
    arguments: &RenderArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<RenderAnswer, ToolError> {
    let mut drawing = PageDrawing::of(context, arguments, caller, progress)?;
    let next = |rest: &PageSet| arguments.next_call(&[("page", rest.to_string().into())]);
    let path = drawing.path().to_owned();
    if arguments.contact_sheet {
        drawing.keep(MAX_SHEET_PAGES, next);
        let (sheet, failed) = drawing.sheet()?;
        let first = drawing.pages.iter().next().unwrap_or(PageIndex(0)).number();
        let name = format!("{}-sheet.pdf", Path::new(&path).with_extension("").display());
        let file = context.write_picture(&name, first, &sheet.png)?;
        let result = drawing.sheet_result(file, &sheet, failed);
        let text = format!("{}\n{}", result.text(), untrusted(&path));
        return shown(context, arguments, caller, sheet.png, None, text, result_json(&result)?);
    }
    drawing.keep(MAX_RENDERED_PAGES, next);
    let result = drawing.render(|page, picture| Ok(context.write_picture(&path, page, &picture.png)?))?;
    let text =
        format!("{}\nTo see them at once, ask with contact_sheet: true; to see one, ask for it alone.", result.text());
    Ok(RenderAnswer { blocks: vec![Block::Text(text)], details: result_json(&result)?, delivery: None })
}

/// The picture to show and its delivery, or why it is not shown.
type ShownPicture = Result<(Block, Option<Delivery>), String>;

fn picture_block(
    context: &ContextManager,
    arguments: &RenderArguments,
    caller: &Caller,
    png: Bytes,
    read: Option<(&OpenPdf, &PageSet)>,
) -> Result<ShownPicture, ToolError> {
    let settings = context.settings();
    let result = caller.client.result_bytes(settings.max_result_bytes);
    let budget = result.map_or(u64::MAX, |bytes| ResultBudget::of(bytes).data_bytes());
    let bytes = png.len() as u64;
    if bytes > budget.min(settings.max_picture_bytes) {
        let (limit, setting) = match result.filter(|_| bytes > budget) {
            Some(limit) if limit < settings.max_result_bytes => (limit, "maxResultBytes of your client"),
            Some(limit) => (limit, "max_result_bytes"),
            None => (settings.max_picture_bytes, "max_picture_bytes"),
        };
        let what = if result.is_some_and(|_| bytes > budget) { "a result" } else { "a picture" };
        return Ok(Err(format!(
            "its {} bytes do not fit in {what} of {} bytes ({setting}). Call pdf_render_page with a lower dpi, or with a \
             region.",
            grouped(bytes),
            grouped(limit)
        )));
    }
    let image = Block::Image(ImageBlock { mime_type: PNG, bytes: png });
    let conversation = caller.conversation(arguments.document.conversation.as_deref())?;
    let requester = caller.requester(conversation.as_ref());
    Ok(context
        .delivery_of_reading(requester, std::slice::from_ref(&image), read)
        .map(|delivery| (image, delivery))
        .map_err(|full| {
            format!(
                "{full}. {} Call context_forget once your context has been compacted, and draw it again.",
                BoundExceeded::WHY
            )
        }))
}

/// Renders a page to `out`, atomically.
///
/// # Errors
/// As [`render_page`], and `write_failed`.
pub fn write_picture(pdf: &OpenPdf, arguments: &RenderArguments, out: &Path) -> Result<RenderResult, ToolError> {
    write_drawing(pdf, Drawing::of_selected(pdf, arguments)?, out)
}

/// Renders the place of the quotation of `arguments` to `out`, atomically.
///
/// # Errors
/// As [`render_page`], and `write_failed`.
pub fn write_quote_picture(
    context: &ContextManager,
    quote: &str,
    arguments: &RenderArguments,
    out: impl FnOnce(PageNumber) -> PathBuf,
    progress: &dyn ProgressListener,
) -> Result<RenderResult, ToolError> {
    let (pdf, drawing) = drawing_of_quote(context, quote, arguments, &Caller::direct(), progress)?;
    let out = out(drawing.page.number());
    write_drawing(&pdf, drawing, &out)
}

fn write_drawing(pdf: &OpenPdf, drawing: Drawing, out: &Path) -> Result<RenderResult, ToolError> {
    let (page, options) = (drawing.page.number(), drawing.options.clone());
    let picture = drawing.draw(pdf)?;
    write_whole(out, &picture.png).map_err(|error| write_failed(out, &error))?;
    Ok(result(pdf, page, out.to_owned(), &options, &picture))
}

pub(super) fn result(
    pdf: &OpenPdf,
    page: PageNumber,
    file: PathBuf,
    options: &RenderOptions,
    picture: &Picture,
) -> RenderResult {
    RenderResult {
        file,
        page: page.get(),
        label: pdf.document.page_label(page.index()).map(|label| label.0),
        pages: pdf.document.page_count(),
        width: picture.width,
        height: picture.height,
        dpi: options.dpi.get(),
        region: options.region.map(|region| region.corners().map(|share| (share * 1_000.0).round() / 1_000.0)),
        bytes: picture.png.len(),
        notes: picture.notes.clone(),
    }
}

impl RenderResult {
    /// The result as lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { file, page, width, height, dpi, bytes, .. } = self;
        let mut lines = vec![
            format!("Page {page} rendered and saved to: {}", file.display()),
            format!("Resolution: {width}x{height} ({dpi} DPI)"),
            format!("File size: {bytes} bytes"),
        ];
        let region = self.region.map(|shares| shares.map(|share| share.to_string()).join(", "));
        lines.extend(region.map(|shares| format!("Region: {shares}")));
        lines.extend(self.label.as_ref().map(|label| format!("Label: {}", one_line(label))));
        lines.extend(self.notes.iter().map(|note| format!("Note: {}", one_line(note))));
        lines.join("\n")
    }
}
