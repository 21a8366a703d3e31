//! The texts of many pages of one document: what its pages have in common is read once.
//!
//! A page that is cut out is the smaller and the sounder way to one page, and costs its fonts anew each time: half of
//! the work where a book is read. So the engine that has read a good part of a document goes on with the file itself,
//! where that is sound, and keeps the fonts for some pages. Whatever is odd is left to the other way. Of a manual of
//! 1,158 pages that takes 1.4 s of processor time where page by page took 4.9 s and pdftotext 4.2 s, for the same text.

use super::page_text::PageText;
use super::{TextError, first, is_unknown};
use crate::document::effort::{CountedFile, Steps};
use crate::document::object::ObjectId;
use crate::document::{Document, EngineRequests, EngineThread};
use crate::limits::Limits;
use crate::page::PageIndex;
use bytes::Bytes;
use hayro_interpret::hayro_syntax::Pdf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Pages that are read one by one before a document is read as a whole.
const MIN_PAGES: u32 = 8;

/// One in so many pages is read one by one before: the engine looks at all pages when it opens a file.
const SHARE: u32 = 32;

/// Bytes of a file that is held in memory for that.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Pages after which fonts are forgotten, so that memory does not grow with a document.
const PAGES_A_CACHE: u32 = 64;

/// Pages that the engine may have no answer for before it is not asked any more.
const MAX_MISSES: u32 = 16;

/// Reads pages of one document, faster where they are many.
#[derive(Default)]
pub struct Texts {
    asked: AtomicU32,
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    NotYet,
    Running {
        engine: EngineThread<Request, Answer>,
        misses: u32,
    },
    /// The document is not for it.
    Never,
}

struct Request {
    page: PageIndex,
    id: ObjectId,
    limits: Limits,
}

/// `None` where the page is better read by itself.
type Answer = Option<PageText>;

impl Texts {
    /// The text of a page of the document that is always the same; `None` where it is to be had by
    /// [`chunk_text`](super::chunk_text) and [`page_text`](super::page_text) only: for the first pages that are asked
    /// for, for documents that are large, encrypted or damaged, and while another page is being read.
    #[must_use]
    pub fn page_text(&self, document: &Document, index: PageIndex, limits: &Limits) -> Option<PageText> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        if asked < MIN_PAGES.max(document.page_count() / SHARE) {
            return None;
        }
        let mut state = self.state.try_lock().ok()?;
        if matches!(*state, State::NotYet) && document.unencrypted_length().is_none_or(|bytes| bytes > MAX_FILE_BYTES) {
            *state = State::Never;
        }
        if matches!(*state, State::Never) {
            return None;
        }
        let (file, id) = document.original_engine_file(index)?;
        state.answer(&file, document.page_count(), Request { page: index, id, limits: limits.clone() })
    }
}

impl State {
    fn answer(&mut self, file: &Bytes, page_count: u32, request: Request) -> Answer {
        if matches!(self, Self::NotYet) {
            let file = file.clone();
            let steps = Steps::new(&request.limits);
            let engine = EngineThread::start(move |requests| serve(file, page_count, &steps, requests));
            *self = engine.map_or(Self::Never, |engine| Self::Running { engine, misses: 0 });
        }
        let Self::Running { engine, misses } = self else { return None };
        let answer = engine.ask(request);
        *misses += u32::from(!matches!(answer, Some(Some(_))));
        if answer.is_none() || *misses > MAX_MISSES {
            *self = Self::Never;
        }
        answer.flatten()
    }
}

/// Answers requests for pages of a file.
fn serve(file: Bytes, page_count: u32, steps: &Steps, requests: &EngineRequests<Request, Answer>) {
    let Ok(pdf) = Pdf::new(Arc::new(CountedFile::new(file, steps))) else { return };
    if u32::try_from(pdf.pages().len()) != Ok(page_count) {
        return;
    }
    loop {
        let mut pages = first::Pages::new(&pdf, steps);
        for _ in 0..PAGES_A_CACHE {
            let Ok((request, answer)) = requests.recv() else { return };
            let text = is_page(&pdf, &request).then(|| pages.text(request.page, &request.limits));
            let text = text.and_then(Result::<_, TextError>::ok).filter(|page| !is_unknown(page));
            // Who asked has gone where this fails.
            drop(answer.send(text.filter(|_| !pages.went_by_names())));
        }
    }
}

/// Whether the engine's own reader has the same page at this place.
fn is_page(pdf: &Pdf, request: &Request) -> bool {
    let page = usize::try_from(request.page.0).ok().and_then(|at| pdf.pages().get(at));
    let id = page.and_then(|page| page.raw().obj_id());
    id.is_some_and(|id| id.obj_number == request.id.number && id.gen_number == i32::from(request.id.generation))
}
