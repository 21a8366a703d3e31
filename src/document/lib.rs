//! Reads PDF documents: three readers behind one trait, the page tree, and document metadata.
//!
//! All I/O goes through [`ReadAt`]. The room knows no clock.

mod annotations;
mod appearances;
mod attachments;
mod bytes;
mod content;
mod decoded_sizes;
mod engine_file;
mod engine_thread;
mod error;
mod extension;
pub mod fast_hash;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod fuzzing;
pub mod mirror;
mod notes;
mod page_budget;
mod readers;
mod structure;
mod structure_tree;
mod syntax;
mod text_layer;

pub use annotations::{
    AnnotationCounts, ChoiceOption, Comment, CommentKind, FieldKind, FieldValue, Form, FormField, Link, LinkTarget,
    PageAnnotations, Review, Signature,
};
pub use attachments::{Attachment, Attachments};
pub use bytes::ReadAt;
pub use content::{ContentDecoder, DecodedContent};
pub use decoded_sizes::{DecodedSizes, check_image, coded_data};
pub use engine_file::{EngineFile, streams_begin_on_lines};
pub use engine_thread::EngineFailure;
pub use engine_thread::{EngineRequests, EngineThread, run_contained};
pub use error::DocumentError;
pub use notes::Note;
pub use page_budget::{BudgetedFile, Interruption, PageBudget, leave_beyond};
pub use readers::Tier;
pub use readers::{DirectReader, ObjectKind, ObjectStream};
pub use readers::{contains_stream_end, objects};
pub use structure::Leaf;
pub use structure::{
    DisplayedArea, DocumentInfo, MAX_LABEL_RANGES, MAX_REMOTE_FIELDS, Outline, OutlineItem, PageGeometry, has_media_box,
};
pub use structure_tree::{PageTags, StructureElement, StructureType};
pub use syntax::{filter, lexer, object, text_string};
pub use text_layer::{LayerWord, PageLayer};

pub use bytes::FileBytes;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::{PageIndex, PageLabel};
pub use readers::{ParsedDocument, Readers};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use structure::PageLabels;
use structure_tree::StructureTree;

/// Pages of a remote document that are looked at for what stands on any page, such as comments.
const SCANNED_REMOTE_PAGES: u32 = 1;

/// The processor time for looking at pages for what stands on any page. A thousand ordinary pages take a tenth of it.
const SCANNING_TIME: Duration = Duration::from_secs(1);

/// An open PDF document. It can be shared between threads, and reads pages on request.
pub struct Document {
    readers: Readers,
    /// The reader result that determined the page count.
    first: Arc<ParsedDocument>,
    labels: OnceLock<PageLabels>,
    structure_tree: OnceLock<StructureTree>,
}

impl Document {
    /// Opens a document with the first reader that finds its page tree.
    ///
    /// A document with an empty user password opens without a password.
    ///
    /// # Errors
    /// - [`DocumentError::Encrypted`]: the password is missing or wrong.
    /// - [`DocumentError::NotAPdf`]: the file does not look like a PDF.
    /// - [`DocumentError::Damaged`]: no reader finds a page tree.
    /// - [`DocumentError::Limit`]: the file exceeds one of `limits`.
    /// - [`DocumentError::Stopped`]: the deadline passed, or the request was cancelled.
    /// - [`DocumentError::Io`]: the file cannot be read.
    pub fn open(source: Arc<dyn ReadAt>, password: Option<&str>, limits: &Limits) -> Result<Self, DocumentError> {
        LimitExceeded::check(Limit::FileBytes, source.len(), limits.max_file_bytes)?;
        let file = Arc::new(FileBytes::new(source)?);
        let readers = Readers::new(Arc::clone(&file), password.map(str::to_owned), limits.clone());
        match readers.try_each(is_whole, DocumentError::is_worth_another_reader) {
            Ok(((), first)) => Ok(Self::read_by(readers, first)),
            Err(error @ DocumentError::Damaged { .. }) => match readers.most_pages() {
                Some(first) if first.tree.count() > 0 || !first.tree.has_lost_kids => Ok(Self::read_by(readers, first)),
                _ => Err(not_a_pdf(&file)?.unwrap_or(error)),
            },
            Err(error) => Err(error),
        }
    }

    fn read_by(readers: Readers, first: Arc<ParsedDocument>) -> Self {
        Self { readers, first, labels: OnceLock::new(), structure_tree: OnceLock::new() }
    }

    /// Pages in the document: the number of leaves of its page tree.
    #[must_use]
    pub fn page_count(&self) -> u32 {
        self.first.tree.count()
    }

    /// Whether reading a page takes requests to another machine.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        self.readers.file().is_remote()
    }

    /// How many pages are looked at for what stands on any page: `most`, or few of a remote document.
    pub(crate) fn scanned_pages(&self, most: u32) -> u32 {
        let most = if self.is_remote() { SCANNED_REMOTE_PAGES } else { most };
        self.page_count().min(most)
    }

    /// The first `most` pages, or fewer once the deadline has passed or their processor time is spent.
    pub(crate) fn first_pages(&self, most: u32) -> impl Iterator<Item = PageIndex> {
        let clock = self.limits().processor_clock;
        let start = clock.read();
        let may_go_on =
            move || self.limits().deadline.check().is_ok() && clock.read().saturating_sub(start) < SCANNING_TIME;
        (0..self.page_count().min(most)).map(PageIndex).take_while(move |_| may_go_on())
    }

    /// The reader that opened the document.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.first.tier
    }

    /// The page label; `None` if the document has none for this page, or it is empty.
    #[must_use]
    pub fn page_label(&self, index: PageIndex) -> Option<PageLabel> {
        self.labels()?.label(index).filter(|_| index.0 < self.page_count())
    }

    /// The outline with at most `max_items` items. All items are counted.
    #[must_use]
    pub fn outline(&self, max_items: usize) -> Outline {
        let unreadable = Outline { is_incomplete: true, ..Outline::default() };
        self.ask(|parsed| Outline::read(parsed, max_items)).unwrap_or(unreadable)
    }

    /// The limits on reading and drawing.
    pub fn limits(&self) -> &Limits {
        self.readers.limits()
    }

    /// The page labels; `None` if the deadline passed, which must not be cached as a document without labels.
    fn labels(&self) -> Option<&PageLabels> {
        if let Some(labels) = self.labels.get() {
            return Some(labels);
        }
        let labels = self.ask(PageLabels::read).unwrap_or_default();
        let in_time = self.readers.limits().deadline.check().is_ok();
        in_time.then(|| self.labels.get_or_init(|| labels))
    }

    /// Calls `read` with the result of the reader that opened the document, and if that fails, with that of hayro-syntax.
    ///
    /// The remaining readers are too expensive for metadata.
    fn ask<T>(&self, read: impl Fn(&ParsedDocument) -> Result<T, DocumentError>) -> Option<T> {
        match read(&self.first) {
            Ok(answer) => return Some(answer),
            Err(DocumentError::Stopped(_)) => return None,
            Err(_) => {}
        }
        let second = self.readers.parse_with(Tier::HayroSyntax)?;
        if second.tree.count() == self.page_count() { read(second).ok() } else { None }
    }

    /// Calls `read` with the page at `index`, one reader after the other, until it succeeds.
    pub fn with_page<T, E: From<DocumentError>>(
        &self,
        index: PageIndex,
        read: impl Fn(&ParsedDocument, &Leaf) -> Result<T, E>,
        wants_another_reader: impl Fn(&E) -> bool,
    ) -> Result<(T, Arc<ParsedDocument>), E> {
        let read_first = |parsed: &ParsedDocument, leaves: &[Leaf]| match leaves {
            [leaf] => read(parsed, leaf),
            _ => Err(DocumentError::damaged("no page").into()),
        };
        self.with_pages(&[index], read_first, wants_another_reader)
    }

    /// Calls `read` with the pages at `indices`, all of one reader, until it succeeds.
    pub fn with_pages<T, E: From<DocumentError>>(
        &self,
        indices: &[PageIndex],
        read: impl Fn(&ParsedDocument, &[Leaf]) -> Result<T, E>,
        wants_another_reader: impl Fn(&E) -> bool,
    ) -> Result<(T, Arc<ParsedDocument>), E> {
        let page_count = self.page_count();
        if let Some(index) = indices.iter().find(|index| index.0 >= page_count) {
            return Err(DocumentError::PageOutOfRange { page: index.number().get(), page_count }.into());
        }
        let on = |parsed: &ParsedDocument| {
            if parsed.tree.count() != page_count {
                // With another page count, the same indices may mean other pages.
                return Err(DocumentError::damaged("a document whose number of pages is uncertain").into());
            }
            let leaf = |index: &PageIndex| parsed.tree.leaf(&*parsed.objects, *index, &parsed.limits);
            let leaves = indices.iter().map(leaf).collect::<Result<Vec<_>, _>>()?;
            read(parsed, &leaves)
        };
        self.readers.try_each(on, wants_another_reader)
    }
}

/// Checks that a reader result has pages and has lost none.
fn is_whole(parsed: &ParsedDocument) -> Result<(), DocumentError> {
    match (parsed.tree.count(), parsed.tree.has_lost_kids) {
        (0, _) => Err(DocumentError::damaged("a document without pages")),
        (_, true) => Err(DocumentError::damaged("a page tree with kids that are not dictionaries")),
        _ => Ok(()),
    }
}

/// The error for a file without a header.
fn not_a_pdf(file: &FileBytes) -> Result<Option<DocumentError>, DocumentError> {
    if readers::header_offset(file)?.is_some() {
        return Ok(None);
    }
    let head = file.slice(0, 16)?;
    Ok(Some(DocumentError::NotAPdf { beginning: head.escape_ascii().to_string() }))
}
