//! A folder in place of a file: its PDFs with their page counts, sizes and titles.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use super::ContextManager;
use super::answer::{AnswerDetails, Block, FileAnswer};
use super::error::ContextError;
use super::files::{IdentifiedFile, source_error};
use super::phrases::{count_of, file_size, grouped, one_line, untrusted};
use super::request::{FileRequest, RequestedPart};
use crate::document::ReadAt;
use crate::limits::{Cancellation, StopReason};
use crate::source::{SourceError, is_url};
use crate::worker::PdfError;

/// PDFs in one listing.
pub const MAX_LISTED_PDFS: usize = 50;

/// The MIME type of a folder.
pub const FOLDER: &str = "inode/directory";

/// Time to count the pages of a listing. PDFs that it does not suffice for are listed without.
const COUNTING_TIME: Duration = Duration::from_secs(2);

/// The PDFs beneath a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderListing {
    /// The folder, as the request named it.
    pub path: String,
    /// PDFs beneath it.
    pub total: usize,
    /// The number of the first listed one, from 1.
    pub first: usize,
    /// Those of the folder itself first, by name.
    pub documents: Vec<ListedPdf>,
    /// Other files beneath it.
    pub others: usize,
    /// Whether there are more files than a walk reads.
    pub is_cut: bool,
}

/// The paths of PDFs beneath a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderPdfs {
    /// Those of the folder itself first, by name.
    pub paths: Vec<String>,
    /// Whether there are more files than a walk reads.
    pub is_cut: bool,
}

/// A PDF of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPdf {
    /// Its path beneath the folder.
    pub name: String,
    /// Bytes of the file, if it could be opened.
    pub bytes: Option<u64>,
    /// What is known of its pages.
    pub pages: ListedPages,
}

/// What a listing tells of a PDF's pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedPages {
    /// Read.
    Counted {
        /// Their number.
        count: u32,
        /// `/Title`, where it is not blank.
        title: Option<String>,
    },
    /// There was no time to count them.
    NotCounted,
    /// They cannot be read, with the reason.
    Unreadable(&'static str),
}

impl ContextManager {
    /// Lists the PDFs beneath a folder, at most [`MAX_LISTED_PDFS`] from number `first` on. Files are PDFs by name: opening
    /// all of them would take too long.
    ///
    /// # Errors
    /// Every refusal of the folder, [`ContextError::StartLine`] if it has fewer PDFs, and
    /// [`StopReason::Cancelled`].
    pub fn list_folder(
        &self,
        reference: &str,
        first: Option<u64>,
        count: Option<u64>,
        cancellation: &Cancellation,
    ) -> Result<FolderListing, ContextError> {
        let folder = self.sources.resolve(reference)?.path().to_path_buf();
        let walk = self.sources.roots.walk(&folder).map_err(|error| source_error(reference, error))?;
        let (pdfs, others): (Vec<_>, Vec<_>) = walk.files.into_iter().partition(|file| is_pdf_name(file));
        let start = first.map_or(1, |first| usize::try_from(first).unwrap_or(usize::MAX));
        if start > pdfs.len().max(1) {
            let lines = u64::try_from(pdfs.len()).unwrap_or(u64::MAX);
            return Err(ContextError::StartLine { path: reference.to_owned(), start_line: first.unwrap_or(1), lines });
        }
        let count = count.map_or(MAX_LISTED_PDFS, |count| usize::try_from(count).unwrap_or(MAX_LISTED_PDFS));
        let listed = pdfs.iter().skip(start - 1).take(count.min(MAX_LISTED_PDFS)).collect::<Vec<_>>();
        let documents = self.describe(&folder, &listed, cancellation);
        let stopped = |error: StopReason| ContextError::Pdf { path: reference.to_owned(), error: error.into() };
        cancellation.check().map_err(stopped)?;
        Ok(FolderListing {
            path: reference.to_owned(),
            total: pdfs.len(),
            first: start,
            documents,
            others: others.len(),
            is_cut: walk.is_cut,
        })
    }

    /// The paths of the PDFs beneath a folder, as a call may give them; `None` if `reference` is no folder.
    ///
    /// # Errors
    /// Every refusal of the folder.
    pub fn pdfs_in(&self, reference: &str) -> Result<Option<FolderPdfs>, ContextError> {
        if is_url(reference) {
            return Ok(None);
        }
        let folder = self.sources.resolve(reference)?;
        if !matches!(self.sources.roots.open(&folder), Err(SourceError::IsDirectory { .. })) {
            return Ok(None);
        }
        let walk = self.sources.roots.walk(folder.path()).map_err(|error| source_error(reference, error))?;
        let pdfs = walk.files.iter().filter(|file| is_pdf_name(file));
        let paths = pdfs.map(|file| Path::new(reference).join(file).display().to_string()).collect();
        Ok(Some(FolderPdfs { paths, is_cut: walk.is_cut }))
    }

    fn describe(&self, folder: &Path, files: &[&PathBuf], cancellation: &Cancellation) -> Vec<ListedPdf> {
        let counting = Cancellation::new();
        let outer = counting.clone();
        let _linked = cancellation.on_cancel(move || outer.cancel());
        let (done, ended) = mpsc::channel::<()>();
        let late = counting.clone();
        let end_counting = move || {
            if ended.recv_timeout(COUNTING_TIME) == Err(mpsc::RecvTimeoutError::Timeout) {
                late.cancel();
            }
        };
        std::thread::scope(|scope| {
            let timer = std::thread::Builder::new().name("counting".into()).spawn_scoped(scope, end_counting);
            // Without a thread for the time, nothing is counted.
            if timer.is_err() {
                counting.cancel();
            }
            let described = files.iter().map(|file| self.listed_pdf(folder, file, &counting)).collect();
            drop(done);
            described
        })
    }

    fn listed_pdf(&self, folder: &Path, file: &Path, counting: &Cancellation) -> ListedPdf {
        let name = file.display().to_string();
        let opened = match self.sources.roots.open_path(&folder.join(file)) {
            Ok(opened) => Arc::new(opened),
            Err(error) => {
                return ListedPdf { name, bytes: None, pages: ListedPages::Unreadable(why_not_opened(&error)) };
            }
        };
        let bytes = Some(opened.len());
        if counting.is_cancelled() {
            return ListedPdf { name, bytes, pages: ListedPages::NotCounted };
        }
        if opened.len() > self.limits.max_file_bytes {
            return ListedPdf { name, bytes, pages: ListedPages::Unreadable("too large") };
        }
        let file: Arc<dyn ReadAt> = Arc::new(IdentifiedFile { identity: opened.stat().key(), file: opened });
        let pages = match self.reader.open(file, None, counting) {
            Ok(document) => {
                let title = document.info().title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
                ListedPages::Counted { count: document.page_count(), title }
            }
            Err(PdfError::Stopped(_)) => ListedPages::NotCounted,
            Err(error) => ListedPages::Unreadable(why_not_read(&error)),
        };
        ListedPdf { name, bytes, pages }
    }

    /// The answer of `get_file` to a folder.
    pub(super) fn folder_answer(&self, request: &FileRequest) -> Result<FileAnswer, ContextError> {
        if request.part != RequestedPart::Summary {
            return Err(ContextError::NoPagesIn { path: request.file.clone(), mime_type: FOLDER });
        }
        let listing = self.list_folder(&request.file, request.start_line, request.line_count, &request.cancellation)?;
        let next = |first: usize| format!("Next call: get_file startLine: {first}");
        let blocks = vec![Block::Text(listing.text(next))];
        let file = request.file.clone();
        let details = AnswerDetails { file, mime_type: FOLDER, folder: Some(listing), ..AnswerDetails::default() };
        Ok(FileAnswer { blocks, content: 0..0, details, summary: None, delivery: self.delivery(None) })
    }
}

pub(super) fn is_pdf_name(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

pub(super) fn why_not_opened(error: &SourceError) -> &'static str {
    match error {
        SourceError::NotAllowed { .. } => "outside the allowed folders",
        SourceError::NotFound { .. } => "a link to nothing",
        SourceError::PermissionDenied { .. } => "the system denies it",
        _ => "not a readable file",
    }
}

pub(super) fn why_not_read(error: &PdfError) -> &'static str {
    match error {
        PdfError::NotAPdf { .. } => "not a PDF",
        PdfError::Encrypted { .. } => "encrypted",
        PdfError::Damaged { .. } => "damaged",
        PdfError::Limit(_) => "over a limit",
        _ => "cannot be read",
    }
}

impl FolderListing {
    /// The listing as text. `next` says how to go on with the PDF of a number.
    #[must_use]
    pub fn text(&self, next: impl Fn(usize) -> String) -> String {
        let mut lines = vec![format!("Folder: {}", self.path), format!("PDFs: {}", grouped_count(self.total))];
        if self.documents.iter().any(ListedPdf::has_title) {
            lines.push(untrusted(&self.path));
        }
        lines.extend(self.documents.iter().map(ListedPdf::line));
        let last = self.first.saturating_sub(1) + self.documents.len();
        if last < self.total {
            lines.push(format!("[PDFs {}-{last} of {}. {}]", self.first, grouped_count(self.total), next(last + 1)));
        }
        if self.documents.iter().any(|pdf| pdf.pages == ListedPages::NotCounted) {
            lines.push("Pages of some PDFs were not counted, for lack of time.".to_owned());
        }
        if self.is_cut {
            lines.push("There are more files than one listing reads: name a folder in this one.".to_owned());
        }
        lines.extend((self.others > 0).then(|| format!("Other files: {}", grouped_count(self.others))));
        lines.join("\n")
    }
}

impl ListedPdf {
    fn has_title(&self) -> bool {
        matches!(self.pages, ListedPages::Counted { title: Some(_), .. })
    }

    /// `a.pdf: 12 pages, 1.2 MB, "Title"`.
    fn line(&self) -> String {
        let (pages, title) = match &self.pages {
            ListedPages::Counted { count, title } => {
                (Some(count_of(u64::from(*count), "page")), title.as_ref().map(|title| format!("\"{title}\"")))
            }
            ListedPages::NotCounted => (None, None),
            ListedPages::Unreadable(why) => (Some((*why).to_owned()), None),
        };
        let facts = [pages, self.bytes.map(file_size), title].into_iter().flatten().collect::<Vec<_>>();
        format!("{}: {}", one_line(&self.name), facts.join(", "))
    }
}

fn grouped_count(count: usize) -> String {
    grouped(u64::try_from(count).unwrap_or(u64::MAX))
}
