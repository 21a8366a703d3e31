//! Writes every page of a PDF to a file of its own.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde::Serialize;

use super::arguments::selected_pages;
use super::page::{cut, write_chunk, write_failed};
use super::parallel::for_each_page;
use crate::context::{OpenPdf, ProgressListener, SelectedPages};
use crate::tool::error::ToolError;
use pagewise_base::page::{PageIndex, PageNumber};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SplitResult {
    /// The document, as the request named it.
    pub file: String,
    /// Pages of the document.
    pub pages: u32,
    /// The folder written to.
    #[serde(rename = "outDir")]
    pub out_dir: PathBuf,
    /// Files written.
    pub written: usize,
    /// Bytes of them together.
    pub bytes: usize,
    /// Pages that could not be cut or written, in page order.
    pub failed: Vec<FailedPage>,
    /// Whether it was stopped early.
    pub interrupted: bool,
    /// How the pages were found.
    pub notes: Vec<String>,
}

/// A page that could not be cut or written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPage {
    /// Its 1-based number.
    pub page: u32,
    /// Why.
    pub reason: String,
}

/// Writes the pages of `selection`, or all, to `out_dir` as `{stem}-{number}.pdf`.
///
/// # Errors
/// `invalid_page` and `invalid_page_range` for the selection, `write_failed` for the folder. A page that fails is
/// listed in the result and does not stop the others.
pub fn split(
    pdf: &OpenPdf,
    selection: Option<&str>,
    out_dir: &Path,
    progress: &dyn ProgressListener,
) -> Result<SplitResult, ToolError> {
    let SelectedPages { pages, note } = selected_pages(pdf, selection)?;
    pdf.check_layout()?;
    let digits = pdf.document.page_count().to_string().len();
    std::fs::create_dir_all(out_dir).map_err(|error| write_failed(out_dir, &error))?;
    progress.starts(pages.len());
    let job = SplitJob { pdf, out_dir, progress, digits, tally: SplitTally::default() };
    job.run(&pages.iter().collect::<Vec<_>>());
    Ok(SplitResult { notes: note.into_iter().collect(), ..job.result() })
}

struct SplitJob<'a> {
    pdf: &'a OpenPdf,
    out_dir: &'a Path,
    progress: &'a dyn ProgressListener,
    digits: usize,
    tally: SplitTally,
}

#[derive(Default)]
struct SplitTally {
    written: AtomicUsize,
    bytes: AtomicUsize,
    failed: Mutex<Vec<FailedPage>>,
    is_interrupted: AtomicBool,
}

impl SplitJob<'_> {
    fn run(&self, pages: &[PageIndex]) {
        let is_interrupted = for_each_page(
            pages,
            self.progress,
            || Some(()),
            |(), page| match self.write(page.number()) {
                Ok(bytes) => {
                    self.tally.written.fetch_add(1, Ordering::Relaxed);
                    self.tally.bytes.fetch_add(bytes, Ordering::Relaxed);
                }
                Err(error) => self.fail(page.number(), error),
            },
        );
        self.tally.is_interrupted.store(is_interrupted, Ordering::Relaxed);
    }

    fn write(&self, page: PageNumber) -> Result<usize, ToolError> {
        let chunk = cut(self.pdf, page)?;
        write_chunk(&chunk, &self.out_dir.join(self.file_name(page)))?;
        Ok(chunk.bytes.len())
    }

    fn file_name(&self, page: PageNumber) -> String {
        let stem =
            Path::new(&self.pdf.path).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
        format!("{stem}-{:0digits$}.pdf", page.get(), digits = self.digits)
    }

    fn fail(&self, page: PageNumber, error: ToolError) {
        let failed = FailedPage { page: page.get(), reason: error.message };
        self.tally.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(failed);
    }

    fn result(self) -> SplitResult {
        let mut failed = self.tally.failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        failed.sort_by_key(|failed| failed.page);
        SplitResult {
            file: self.pdf.path.clone(),
            pages: self.pdf.document.page_count(),
            out_dir: self.out_dir.to_owned(),
            written: self.tally.written.into_inner(),
            bytes: self.tally.bytes.into_inner(),
            failed,
            interrupted: self.tally.is_interrupted.into_inner(),
            notes: Vec::new(),
        }
    }
}
