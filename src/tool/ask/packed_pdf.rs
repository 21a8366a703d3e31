//! The parts of one PDF in a request.

use super::load::LoadedPdf;
use crate::context::page_or_pages;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_model::QuestionPart;

/// The parts sent of one PDF.
#[derive(Default)]
pub(super) struct PackedPdf {
    pub(super) parts: Vec<QuestionPart>,
    /// `whole`, `pages`, `joined`, `text` or `images`.
    pub(super) form: &'static str,
    pub(super) pages: PageSet,
    pub(super) bytes: u64,
    /// Requested pages that were left out, and why.
    pub(super) left: Option<(PageSet, String)>,
    pub(super) notes: Vec<String>,
    /// Why nothing is sent of it.
    pub(super) refused: Option<String>,
}

impl PackedPdf {
    /// Nothing of a PDF.
    pub(super) fn refused(reason: String) -> Self {
        Self { refused: Some(reason), ..Self::default() }
    }

    /// A page, as `part`.
    pub(super) fn add(&mut self, page: PageIndex, part: QuestionPart) {
        self.add_all([page], part);
    }

    /// Pages, as one `part`.
    pub(super) fn add_all(&mut self, pages: impl IntoIterator<Item = PageIndex>, part: QuestionPart) {
        self.bytes = self.bytes.saturating_add(part.size());
        pages.into_iter().for_each(|page| self.pages.insert(page));
        self.parts.push(part);
    }

    /// Notes requested pages that were left out: past the page bound or, if `is_full`, past the last page that fitted.
    pub(super) fn note_left_out(&mut self, loaded: &LoadedPdf, candidates: &PageSet, is_full: bool, why: String) {
        let is_left = |page: &PageIndex| !self.pages.contains(*page) && (is_full || !candidates.contains(*page));
        let left: PageSet = loaded.requested_pages().iter().filter(is_left).collect();
        if !left.is_empty() {
            self.left = Some((left, why));
        }
    }

    /// Remarks on this PDF, one line each.
    pub(super) fn remarks(&self, path: &str) -> Vec<String> {
        let refused = self.refused.iter().map(|reason| format!("Not sent: {path}: {reason}"));
        let left = self.left.iter().filter(|_| self.refused.is_none()).map(|(left, why)| {
            format!(
                "Only {} of {path} reached the model: {why}. For {}, call pdf with pdf: {path:?} and pages: \
                 \"{left}\".",
                page_or_pages(&self.pages),
                page_or_pages(left),
            )
        });
        refused.chain(left).chain(self.notes.iter().cloned()).collect()
    }
}

/// The note for a page that could not be converted.
pub(super) fn not_sent(path: &str, page: PageIndex, reason: &str) -> String {
    format!("Page {} of {path} is not sent: {reason}", page.number())
}
