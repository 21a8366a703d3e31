//! A folder in place of a file: its PDFs at a glance.

mod glance;
mod named;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, SystemTime};

pub use glance::Glance;
pub use named::{NamedPdf, NamedPdfs};

use super::ContextManager;
use super::answer::{AnswerDetails, Block, FileAnswer, NextCall};
use super::error::ContextError;
use super::files::{IdentifiedFile, source_error};
use super::pdf::{FormChooser, GivenForms};
use super::phrases::{count_of, file_size, grouped, one_line, untrusted};
use super::request::{FileRequest, RequestedPart};
use super::token_estimate::estimated_tokens;
use crate::source::{OpenFile, SourceError, WalkScope};
use crate::worker::PdfError;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{Cancellation, StopReason};
use pagewise_base::parts::{PartsError, PartsFault};
use pagewise_document::ReadAt;
use pagewise_library::date_text;
use pagewise_web::WebError;

/// PDFs in one listing.
pub const MAX_LISTED_PDFS: usize = 50;

/// The MIME type of a folder.
pub const FOLDER: &str = "inode/directory";

/// Tokens of a listing, about. Further PDFs are for the next one.
const MAX_LISTING_TOKENS: u64 = 2_000;

/// The PDFs of a listing are opened for at most this time; the rest are listed by name and size. Without optimisation, as in
/// tests, opening them takes several times as long, and longer on a busy machine.
const LOOKING_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 });

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

/// A PDF of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPdf {
    /// Its path beneath the folder.
    pub name: String,
    /// Bytes of the file, if it could be opened.
    pub bytes: Option<u64>,
    /// What is known of its pages.
    pub pages: ListedPages,
    /// The name of an earlier one with the same bytes.
    pub same_as: Option<String>,
}

/// What a listing tells of a PDF's pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedPages {
    /// They were looked at.
    Seen(Glance),
    /// There was no time to look at them.
    NotSeen,
    /// They cannot be read, with the reason.
    Unreadable(&'static str),
}

impl ContextManager {
    /// Lists the PDFs beneath a folder, at most [`MAX_LISTED_PDFS`] from number `first` on. Files are PDFs by name: opening
    /// all of them would take too long.
    ///
    /// # Errors
    /// Every refusal of the folder, [`ContextError::StartDocument`] if it has fewer documents, and
    /// [`StopReason::Cancelled`].
    pub fn list_folder(
        &self,
        reference: &str,
        first: Option<u64>,
        count: Option<u64>,
        given: GivenForms,
        cancellation: &Cancellation,
    ) -> Result<FolderListing, ContextError> {
        let folder = self.sources.resolve(reference)?.path().to_path_buf();
        let walk =
            self.sources.roots.walk(&folder, WalkScope::default()).map_err(|error| source_error(reference, error))?;
        let files = walk.files.into_iter().map(|file| file.path);
        let (pdfs, others): (Vec<_>, Vec<_>) = files.partition(|file| is_document_name(file));
        let start = first.map_or(1, |first| usize::try_from(first).unwrap_or(usize::MAX));
        if start > pdfs.len().max(1) {
            let (start, documents) = (first.unwrap_or(1), u64::try_from(pdfs.len()).unwrap_or(u64::MAX));
            return Err(ContextError::StartDocument { path: reference.to_owned(), start, documents });
        }
        let count = count.map_or(MAX_LISTED_PDFS, |count| usize::try_from(count).unwrap_or(MAX_LISTED_PDFS));
        let listed = pdfs.iter().skip(start - 1).take(count.min(MAX_LISTED_PDFS)).collect::<Vec<_>>();
        let documents = self.describe(&folder, &listed, given, cancellation);
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

    fn describe(
        &self,
        folder: &Path,
        files: &[&PathBuf],
        given: GivenForms,
        cancellation: &Cancellation,
    ) -> Vec<ListedPdf> {
        let looking = Cancellation::new();
        let outer = looking.clone();
        let _linked = cancellation.on_cancel(move || outer.cancel());
        let (done, ended) = mpsc::channel::<()>();
        let late = looking.clone();
        let end_looking = move || {
            if ended.recv_timeout(LOOKING_TIME) == Err(mpsc::RecvTimeoutError::Timeout) {
                late.cancel();
            }
        };
        std::thread::scope(|scope| {
            let timer = std::thread::Builder::new().name("looking".into()).spawn_scoped(scope, end_looking);
            // Without a thread for the time, nothing is looked at.
            if timer.is_err() {
                looking.cancel();
            }
            let (mut described, mut known, mut tokens) = (Vec::new(), KnownFiles::default(), 0);
            for file in files {
                if tokens >= MAX_LISTING_TOKENS {
                    break;
                }
                let pdf = self.listed_pdf(folder, file, given, &looking, &mut known);
                tokens += estimated_tokens(&pdf.line());
                described.push(pdf);
            }
            drop(done);
            described
        })
    }

    fn listed_pdf(
        &self,
        folder: &Path,
        file: &Path,
        given: GivenForms,
        looking: &Cancellation,
        known: &mut KnownFiles,
    ) -> ListedPdf {
        let name = file.display().to_string();
        let opened = match self.sources.roots.open_path(&folder.join(file)) {
            Ok(opened) => Arc::new(opened),
            Err(error) => {
                let pages = ListedPages::Unreadable(why_not_opened(&error));
                return ListedPdf { name, bytes: None, pages, same_as: None };
            }
        };
        let bytes = opened.len();
        let pdf = |pages, same_as| ListedPdf { name: name.clone(), bytes: Some(bytes), pages, same_as };
        if looking.is_cancelled() {
            return pdf(ListedPages::NotSeen, None);
        }
        if bytes > self.limits.max_file_bytes {
            return pdf(ListedPages::Unreadable("too large"), None);
        }
        let same = known.same_as(&opened, |file| self.hashes.content_hash(file, SystemTime::now()).ok());
        if let Some((first, pages)) = same {
            return pdf(pages, Some(first));
        }
        let identified: Arc<dyn ReadAt> =
            Arc::new(IdentifiedFile { identity: opened.stat().key(), file: Arc::clone(&opened) });
        let max_text_characters = self.settings.max_text_characters;
        let looked = self
            .reader
            .open(identified, None, looking)
            .and_then(|document| Glance::of(&FormChooser { document: &*document, given, max_text_characters }));
        let pages = match looked {
            Ok(glance) => ListedPages::Seen(glance),
            Err(PdfError::Stopped(_)) => ListedPages::NotSeen,
            Err(error) => ListedPages::Unreadable(why_not_read(&error)),
        };
        known.add(name.clone(), opened, pages.clone());
        pdf(pages, None)
    }

    /// The answer of `get_file` to a folder.
    pub(super) fn folder_answer(&self, request: &FileRequest) -> Result<FileAnswer, ContextError> {
        if request.part != RequestedPart::Summary {
            return Err(ContextError::NoPagesIn { path: request.file.clone(), mime_type: FOLDER });
        }
        let given = GivenForms::of(request);
        let listing =
            self.list_folder(&request.file, request.start_line, request.line_count, given, &request.cancellation)?;
        let next =
            |first: usize| request.next_call(&NextCall::Lines { first: first as u64, count: request.line_count });
        let blocks = vec![Block::Text(listing.text(next))];
        let file = request.file.clone();
        let details = AnswerDetails { file, mime_type: FOLDER, folder: Some(listing), ..AnswerDetails::default() };
        Ok(FileAnswer { blocks, content: 0..0, details, summary: None, delivery: self.delivery(None) })
    }
}

/// Endings of the names of files with parts.
const ENDINGS: [&str; 15] =
    ["docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "odt", "odp", "ods", "epub", "ipynb", "doc", "ppt", "xls", "rtf"];

/// Whether a file is a PDF, or one with parts, by its name.
pub(crate) fn is_document_name(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_one_of = |endings: &[&str]| endings.iter().any(|known| ending.eq_ignore_ascii_case(known));
    is_one_of(&["pdf"]) || cfg!(feature = "office") && is_one_of(&ENDINGS)
}

pub(super) fn why_not_opened(error: &SourceError) -> &'static str {
    match error {
        SourceError::NotAllowed { .. } => "outside the allowed folders",
        SourceError::NotFound { .. } => "a link to nothing",
        SourceError::PermissionDenied { .. } => "the system denies it",
        SourceError::Web(WebError::ContentNotFound) => "expired, or never uploaded",
        _ => "not a readable file",
    }
}

pub(super) fn why_not_read(error: &PdfError) -> &'static str {
    match error {
        PdfError::NotAPdf { .. } => "not a PDF",
        PdfError::Encrypted { .. } => "encrypted",
        PdfError::Damaged { .. } => "damaged",
        PdfError::Parts(PartsError { fault: PartsFault::Encrypted, .. }) => "encrypted",
        PdfError::Parts(PartsError { fault: PartsFault::Damaged(_), .. }) => "damaged",
        PdfError::Parts(PartsError { fault: PartsFault::TooLarge(_), .. }) => "over a limit",
        PdfError::Limit(_) => "over a limit",
        _ => "cannot be read",
    }
}

impl FolderListing {
    /// The listing as text. `next` says how to go on with the PDF of a number.
    #[must_use]
    pub fn text(&self, next: impl Fn(usize) -> String) -> String {
        let mut lines = vec![format!("Folder: {}", self.path), format!("Documents: {}", grouped_count(self.total))];
        if self.documents.iter().any(ListedPdf::has_words) {
            lines.push(untrusted(&self.path));
        }
        lines.extend(self.documents.iter().map(ListedPdf::line));
        let last = self.first.saturating_sub(1) + self.documents.len();
        if last < self.total {
            lines.push(format!(
                "[Documents {}-{last} of {}. {}]",
                self.first,
                grouped_count(self.total),
                next(last + 1)
            ));
        }
        if self.documents.iter().any(|pdf| pdf.pages == ListedPages::NotSeen) {
            lines.push("Some documents were not opened within the time limit.".to_owned());
        }
        if self.is_cut {
            lines.push("The folder has more files than one listing reads: list one of its folders.".to_owned());
        }
        lines.extend((self.others > 0).then(|| format!("Other files: {}", grouped_count(self.others))));
        lines.join("\n")
    }
}

impl ListedPdf {
    fn has_words(&self) -> bool {
        matches!(&self.pages, ListedPages::Seen(glance) if glance.title.is_some() || glance.subject.is_some())
    }

    /// `a.pdf: 12 pages, 1.2 MB, 2024-03-01, eng, about 6,000 tokens as text, "Title": what it is about`.
    fn line(&self) -> String {
        let name = one_line(&self.name);
        if let Some(first) = &self.same_as {
            return format!("{name}: the same as {}", one_line(first));
        }
        let size = self.bytes.map(file_size);
        let facts = match &self.pages {
            ListedPages::Seen(glance) => return format!("{name}: {}", seen_line(glance, size)),
            ListedPages::NotSeen => size,
            ListedPages::Unreadable(why) => {
                Some(std::iter::once((*why).to_owned()).chain(size).collect::<Vec<_>>().join(", "))
            }
        };
        format!("{name}: {}", facts.unwrap_or_default())
    }
}

fn seen_line(glance: &Glance, size: Option<String>) -> String {
    let cost = (glance.tokens > 0).then(|| format!("about {} tokens as {}", grouped(glance.tokens), glance.form));
    let unusable = glance.is_scan.then(|| "no usable text".to_owned());
    let pages = count_of(u64::from(glance.pages), "page");
    let language = glance.language.map(str::to_owned);
    let title = glance.title.as_ref().map(|title| format!("\"{title}\""));
    let facts = [Some(pages), size, glance.date.map(date_text), language, unusable, cost, title];
    let facts = facts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let subject = glance.subject.as_ref().map(|subject| format!(": {subject}")).unwrap_or_default();
    format!("{facts}{subject}")
}

/// The files of a listing by their sizes, to find those with the same bytes.
#[derive(Default)]
struct KnownFiles {
    by_size: HashMap<u64, Vec<KnownFile>>,
}

struct KnownFile {
    name: String,
    file: Arc<OpenFile>,
    pages: ListedPages,
}

impl KnownFiles {
    /// The name of an earlier file with the same bytes, and what is known of it. Only files of one size are read.
    fn same_as(
        &self,
        file: &OpenFile,
        hash: impl Fn(&OpenFile) -> Option<ContentHash>,
    ) -> Option<(String, ListedPages)> {
        let alike = self.by_size.get(&file.len())?;
        let wanted = hash(file)?;
        let same = alike.iter().find(|known| hash(&known.file) == Some(wanted))?;
        Some((same.name.clone(), same.pages.clone()))
    }

    fn add(&mut self, name: String, file: Arc<OpenFile>, pages: ListedPages) {
        self.by_size.entry(file.len()).or_default().push(KnownFile { name, file, pages });
    }
}

fn grouped_count(count: usize) -> String {
    grouped(u64::try_from(count).unwrap_or(u64::MAX))
}
