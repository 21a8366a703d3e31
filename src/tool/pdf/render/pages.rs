//! Renders several pages at once: to a file each, or side by side on a contact sheet.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::drawing::Drawing;
use super::page::{RenderResult, result};
use crate::context::{
    ContextError, ContextManager, OpenPdf, PageNotes, ProgressListener, SelectedPages, page_or_pages, write_whole,
};
use crate::tool::caller::Caller;
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{RenderArguments, selected_pages};
use crate::tool::pdf::page::write_failed;
use crate::tool::pdf::parallel::for_each_page;
use crate::tool::pdf::split::FailedPage;
use pagewise_base::page::{PageIndex, PageNumber, PageSet};
use pagewise_render::{MAX_SHEET_PAGES, Picture, RenderOptions, SheetLayout, contact_sheet};
use pagewise_text::PageRemark;

/// What was drawn of several pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderedPages {
    /// The document, as the request named it.
    pub file: String,
    /// Pages of the document.
    pub pages: u32,
    /// The pictures, in page order.
    pub pictures: Vec<RenderResult>,
    /// Pages that could not be drawn, in page order.
    pub failed: Vec<FailedPage>,
    /// Whether it was stopped early.
    pub interrupted: bool,
    /// How the pages were found, and which are left.
    pub notes: Vec<String>,
}

/// Pages side by side on one picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SheetResult {
    /// The file written.
    pub file: PathBuf,
    /// The pages on it, as a selection.
    pub page_numbers: String,
    /// Pages of the document.
    pub pages: u32,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// Bytes written.
    pub bytes: usize,
    /// Pages that could not be drawn, in page order.
    pub failed: Vec<FailedPage>,
    /// How the pages were found, and which are left.
    pub notes: Vec<String>,
}

/// A document whose pages are drawn by several readers.
pub(super) struct PageDrawing<'a> {
    context: &'a ContextManager,
    arguments: &'a RenderArguments,
    caller: &'a Caller,
    progress: &'a dyn ProgressListener,
    path: String,
    page_count: u32,
    first_page: Option<pagewise_document::PageGeometry>,
    file: crate::context::PdfFile,
    pub(super) pages: PageSet,
    notes: Vec<String>,
}

impl<'a> PageDrawing<'a> {
    /// The pages that `arguments` select. Its own reader is free again afterwards: a request that kept one while it waits
    /// for others could wait for ever.
    pub(super) fn of(
        context: &'a ContextManager,
        arguments: &'a RenderArguments,
        caller: &'a Caller,
        progress: &'a dyn ProgressListener,
    ) -> Result<Self, ToolError> {
        let pdf = arguments.document.open(context, caller)?;
        let SelectedPages { pages, note } = selected_pages(&pdf, Some(&arguments.page))?;
        pdf.check_layout()?;
        let first = pages.iter().next().unwrap_or(PageIndex(0));
        let first_page = pdf.document.page_geometry(first).ok();
        let dpi_note = arguments.dpi_note().filter(|_| !arguments.contact_sheet);
        Ok(Self {
            context,
            arguments,
            caller,
            progress,
            path: pdf.path.clone(),
            page_count: pdf.document.page_count(),
            first_page,
            file: pdf.file(),
            pages,
            notes: note.into_iter().chain(dpi_note).collect(),
        })
    }

    /// Leaves only the first `max` pages, and notes the others with `next`.
    pub(super) fn keep(&mut self, max: usize, next: impl Fn(&PageSet) -> String) {
        let rest = self.pages.iter().skip(max).collect::<PageSet>();
        if !rest.is_empty() {
            self.pages = self.pages.iter().take(max).collect();
            let are = if rest.len() == 1 { "is" } else { "are" };
            let left = page_or_pages(&rest);
            self.notes.push(format!("At most {max} pages are drawn at once; {left} {are} left. {}", next(&rest)));
        }
    }

    /// Draws every page, and has `save` write its picture.
    pub(super) fn render(
        self,
        save: impl Fn(PageNumber, &Picture) -> Result<PathBuf, ToolError> + Sync,
    ) -> Result<RenderedPages, ToolError> {
        let draw = |pdf: &OpenPdf, page: PageIndex| {
            // Of several pages, most lack the text to highlight.
            let Drawing { options, .. } = Drawing::of(pdf, page, self.arguments)?;
            let picture = self.picture(pdf, page, &options)?;
            let file = save(page.number(), &picture)?;
            Ok(result(pdf, page.number(), file, &options, &picture))
        };
        let Drawn { done, failed, interrupted } = self.draw_all(draw)?;
        let pictures = done.into_iter().map(|(_, picture)| picture).collect();
        Ok(RenderedPages { file: self.path, pages: self.page_count, pictures, failed, interrupted, notes: self.notes })
    }

    /// Draws the pages on a contact sheet.
    pub(super) fn sheet(&self) -> Result<(Picture, Vec<FailedPage>), ToolError> {
        let failed = |error| ToolError::from(ContextError::Pdf { path: self.path.clone(), error });
        let Some(first_page) = &self.first_page else {
            let page = self.pages.iter().next().unwrap_or(PageIndex(0));
            return Err(ContextError::PageOutOfRange {
                number: i128::from(page.0) + 1,
                page_count: self.page_count,
                is_zero_based: false,
            }
            .into());
        };
        let layout = SheetLayout::of(usize::try_from(self.pages.len()).unwrap_or(usize::MAX), first_page);
        let draw = |pdf: &OpenPdf, page: PageIndex| {
            let geometry = pdf.document.page_geometry(page).map_err(failed)?;
            let options = RenderOptions { dpi: layout.dpi(&geometry), ..RenderOptions::default() };
            Ok(self.picture(pdf, page, &options)?.png)
        };
        let Drawn { mut done, failed: unread, .. } = self.draw_all(draw)?;
        let mut cells = Vec::new();
        for page in self.pages.iter() {
            let at = done.iter().position(|(drawn, _)| *drawn == page);
            cells.push((page.number().get(), at.map(|at| done.swap_remove(at).1)));
        }
        let sheet = contact_sheet(layout, &cells).map_err(|error| {
            ToolError::new(crate::tool::error::ErrorCode::PdfError, format!("Failed to render PDF page: {error}"))
        })?;
        Ok((sheet, unread))
    }

    fn picture(&self, pdf: &OpenPdf, page: PageIndex, options: &RenderOptions) -> Result<Picture, ToolError> {
        let failed = |error| ToolError::from(ContextError::Pdf { path: self.path.clone(), error });
        pdf.document.picture(page, options).map_err(failed)
    }

    /// Has as many readers as there are processors draw the pages.
    fn draw_all<T: Send>(
        &self,
        draw: impl Fn(&OpenPdf, PageIndex) -> Result<T, ToolError> + Sync,
    ) -> Result<Drawn<T>, ToolError> {
        let outcomes = Mutex::new(Vec::new());
        let refusal = Mutex::new(None);
        let pages = self.pages.iter().collect::<Vec<_>>();
        self.progress.starts(self.pages.len());
        let open = || {
            let password = self.arguments.document.password.as_deref();
            let opened = self.context.open_pdf_again(&self.file, password, &self.caller.cancellation);
            opened.map_err(|error| *locked(&refusal) = Some(error)).ok()
        };
        let interrupted = for_each_page(&pages, self.progress, open, |pdf, page| {
            let outcome = draw(pdf, page);
            locked(&outcomes).push((page, outcome));
        });
        self.caller.cancellation.check().map_err(|stopped| ToolError::stopped(&self.path, stopped))?;
        let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        // As long as one reader could be had, it has drawn all pages.
        if let Some(error) =
            refusal.into_inner().unwrap_or_else(PoisonError::into_inner).filter(|_| outcomes.is_empty())
        {
            return Err(error.into());
        }
        outcomes.sort_by_key(|(page, _)| *page);
        let mut drawn = Drawn { done: Vec::new(), failed: Vec::new(), interrupted };
        for (page, outcome) in outcomes {
            match outcome {
                Ok(picture) => drawn.done.push((page, picture)),
                Err(error) => drawn.failed.push(FailedPage { page: page.number().get(), reason: error.message }),
            }
        }
        Ok(drawn)
    }
}

/// What came of the pages.
struct Drawn<T> {
    done: Vec<(PageIndex, T)>,
    failed: Vec<FailedPage>,
    interrupted: bool,
}

fn locked<T>(value: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Renders the selected pages into the folder `out` as `{stem}-page{number}.png`.
///
/// # Errors
/// Every refusal of the file and the selection. A page that fails is listed in the result.
pub fn write_pictures(
    context: &ContextManager,
    arguments: &RenderArguments,
    out: &Path,
    progress: &dyn ProgressListener,
) -> Result<RenderedPages, ToolError> {
    let caller = Caller::direct();
    let drawing = PageDrawing::of(context, arguments, &caller, progress)?;
    std::fs::create_dir_all(out).map_err(|error| write_failed(out, &error))?;
    let digits = drawing.page_count.to_string().len();
    let stem = Path::new(&drawing.path).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
    let stem = stem.into_owned();
    drawing.render(|page, picture| {
        let file = out.join(format!("{stem}-page{:0digits$}.png", page.get()));
        write_whole(&file, &picture.png).map_err(|error| write_failed(&file, &error))?;
        Ok(file)
    })
}

/// Renders the selected pages side by side, at most [`MAX_SHEET_PAGES`], and writes the picture to `out`.
///
/// # Errors
/// As [`write_pictures`].
pub fn write_sheet(
    context: &ContextManager,
    arguments: &RenderArguments,
    out: &Path,
    progress: &dyn ProgressListener,
) -> Result<SheetResult, ToolError> {
    let caller = Caller::direct();
    let mut drawing = PageDrawing::of(context, arguments, &caller, progress)?;
    drawing.keep(MAX_SHEET_PAGES, |rest| format!("Next: --pages {rest}."));
    let (sheet, failed) = drawing.sheet()?;
    write_whole(out, &sheet.png).map_err(|error| write_failed(out, &error))?;
    Ok(drawing.sheet_result(out.to_owned(), &sheet, failed))
}

impl PageDrawing<'_> {
    pub(super) fn sheet_result(self, file: PathBuf, sheet: &Picture, failed: Vec<FailedPage>) -> SheetResult {
        SheetResult {
            file,
            page_numbers: self.pages.to_string(),
            pages: self.page_count,
            width: sheet.width,
            height: sheet.height,
            bytes: sheet.png.len(),
            failed,
            notes: self.notes,
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }
}

/// The failed pages and the notes, one line each.
fn remarks(failed: &[FailedPage], notes: &[String]) -> Vec<String> {
    let failed = failed.iter().map(|failed| format!("Page {} failed: {}", failed.page, failed.reason));
    failed.chain(notes.iter().map(|note| format!("Note: {note}"))).collect()
}

impl RenderedPages {
    /// What could not be drawn, each kind once with its pages.
    #[must_use]
    pub fn page_notes(&self) -> Vec<String> {
        let mut notes = PageNotes::default();
        for picture in &self.pictures {
            let Some(page) = PageNumber::new(picture.page) else { continue };
            picture.notes.iter().for_each(|note| notes.add(page.index(), &PageRemark::plain(note.clone())));
        }
        notes.sentences()
    }

    /// The result as lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        let numbers = self.pictures.iter().filter_map(|picture| PageNumber::new(picture.page)).map(PageNumber::index);
        let numbers = numbers.collect::<PageSet>();
        let folder = self.pictures.first().and_then(|picture| picture.file.parent()).map(|folder| folder.display());
        let mut lines = Vec::new();
        if let Some(folder) = folder {
            lines.push(format!("Rendered {} to {folder}:", page_or_pages(&numbers)));
        }
        lines.extend(self.pictures.iter().map(|picture| {
            let name = picture.file.file_name().unwrap_or_default().to_string_lossy();
            format!("{name}: {}x{}, {} bytes", picture.width, picture.height, picture.bytes)
        }));
        lines.extend(remarks(&self.failed, &self.notes));
        lines.extend(self.page_notes().into_iter().map(|note| format!("Note: {note}")));
        lines.extend(self.interrupted.then(|| "Interrupted: the other pages were not rendered".to_owned()));
        lines.join("\n")
    }
}

impl SheetResult {
    /// The result as lines of text.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { file, page_numbers, width, height, bytes, .. } = self;
        let mut lines = vec![
            format!("Pages {page_numbers} rendered side by side and saved to: {}", file.display()),
            format!("Resolution: {width}x{height}"),
            format!("File size: {bytes} bytes"),
        ];
        lines.extend(remarks(&self.failed, &self.notes));
        lines.join("\n")
    }
}
