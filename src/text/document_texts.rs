//! Extracts the text and the layout of many pages of one document, and reads shared fonts once.
//!
//! Extracting text from a page's chunk is safer but loads its fonts every time, which is half of the work for a book. So
//! once enough pages of a sound document were read that way, an engine reads the file itself and keeps fonts for a
//! number of pages. Pages that it cannot read are left to the other way. `benches/README.md` has the times.

use super::page_layout::PageLayout;
use super::page_text::{PageKind, PageText};
use super::{Extent, is_unknown, main_engine};
use bytes::Bytes;
use hayro_interpret::hayro_syntax::Pdf;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::object::ObjectId;
use pagewise_document::{BudgetedFile, Document, EngineRequests, EngineThread, PageBudget, streams_begin_on_lines};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// At least this many pages are read one by one first.
const MIN_SINGLE_PAGES: u32 = 8;

/// One of this many pages is read one by one first, since the engine visits all pages when it opens a file.
const PAGES_A_SINGLE: u32 = 32;

/// Larger files are always read page by page: the engine holds the file in memory.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The font cache is emptied after this many pages, to bound memory.
const PAGES_A_CACHE: u32 = 64;

/// After this many failed pages, the engine is given up.
const MAX_FAILURES: u32 = 16;

/// Reads the text and the layout of pages of one document, with shared work for many pages.
#[derive(Default)]
pub struct DocumentTexts {
    requested: AtomicU32,
    state: Mutex<EngineState>,
}

#[derive(Default)]
enum EngineState {
    #[default]
    NotStarted,
    Running {
        engine: EngineThread<PageRequest, PageAnswer>,
        failures: u32,
    },
    /// The document is read page by page.
    Unsuitable,
}

struct PageRequest {
    page: PageIndex,
    id: ObjectId,
    extent: Extent,
    limits: Limits,
}

/// `None` if the page must be read by itself.
type PageAnswer = Option<(PageText, PageLayout)>;

impl DocumentTexts {
    /// The text of a page, and its layout as far as it is read. Every call must be for the same document.
    ///
    /// `None` means that the caller must use [`read_page`](super::read_page): for the first pages, for large, encrypted or
    /// damaged documents, and while another page is being read.
    #[must_use]
    pub fn read_page(&self, document: &Document, index: PageIndex, extent: Extent, limits: &Limits) -> PageAnswer {
        let requested = self.requested.fetch_add(1, Ordering::Relaxed);
        if requested < MIN_SINGLE_PAGES.max(document.page_count() / PAGES_A_SINGLE) {
            return None;
        }
        let mut state = self.state.try_lock().ok()?;
        if matches!(*state, EngineState::NotStarted)
            && document.unencrypted_length().is_none_or(|bytes| bytes > MAX_FILE_BYTES)
        {
            *state = EngineState::Unsuitable;
        }
        if matches!(*state, EngineState::Unsuitable) {
            return None;
        }
        let (file, id) = document.original_engine_file(index)?;
        if matches!(*state, EngineState::NotStarted) && !streams_begin_on_lines(&file) {
            *state = EngineState::Unsuitable;
            return None;
        }
        state.answer(&file, document.page_count(), PageRequest { page: index, id, extent, limits: limits.clone() })
    }
}

impl EngineState {
    fn answer(&mut self, file: &Bytes, page_count: u32, request: PageRequest) -> PageAnswer {
        if matches!(self, Self::NotStarted) {
            let file = file.clone();
            let limits = request.limits.clone();
            let engine =
                EngineThread::start(move |requests| serve(file, page_count, &PageBudget::new(&limits), requests));
            *self = engine.map_or(Self::Unsuitable, |engine| Self::Running { engine, failures: 0 });
        }
        let Self::Running { engine, failures } = self else { return None };
        let answer = engine.ask(request);
        *failures += u32::from(!matches!(answer, Some(Some(_))));
        if answer.is_none() || *failures > MAX_FAILURES {
            *self = Self::Unsuitable;
        }
        answer.flatten()
    }
}

fn serve(file: Bytes, page_count: u32, budget: &PageBudget, requests: &EngineRequests<PageRequest, PageAnswer>) {
    let Ok(pdf) = Pdf::new(Arc::new(BudgetedFile::new(file, budget))) else { return };
    if u32::try_from(pdf.pages().len()) != Ok(page_count) {
        return;
    }
    loop {
        let mut pages = main_engine::TextExtractor::new(&pdf, budget);
        for _ in 0..PAGES_A_CACHE {
            let Ok((request, answer)) = requests.recv() else { return };
            let PageRequest { page, extent, limits, .. } = &request;
            let read = is_page(&pdf, &request).then(|| pages.read_page(*page, *extent, limits));
            let read = read.and_then(Result::ok);
            // Where it finds nothing, it may have failed to read the page.
            let read = read.filter(|(text, _)| !is_unknown(text) && text.kind != PageKind::Empty);
            // An error means that the caller is gone.
            drop(answer.send(read));
        }
    }
}

/// Whether the engine's reader finds the same page object at this index.
fn is_page(pdf: &Pdf, request: &PageRequest) -> bool {
    let page = usize::try_from(request.page.0).ok().and_then(|at| pdf.pages().get(at));
    let id = page.and_then(|page| page.raw().obj_id());
    id.is_some_and(|id| id.obj_number == request.id.number && id.gen_number == i32::from(request.id.generation))
}
