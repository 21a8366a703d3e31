//! Joins pages into fewer PDFs, if a request has no room for all of them as single-page documents.
//!
//! A single page is byte-identical to what `get_file` gives, so pages are joined only if more of them fit that way.
//! Each PDF takes as many pages as possible. Pages that a bound or an incompatibility excludes go into the next one.

use bytes::Bytes;

use super::load::LoadedPdf;
use super::pack::PdfPacker;
use super::packed_pdf::{PackedPdf, not_sent};
use super::request_budget::RequestBudget;
use crate::context::OpenPdf;
use crate::worker::PdfError;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_model::QuestionPart;

/// Join attempts per PDF. Three PDFs of a hundred pages take at most seven attempts each, and every attempt reads all
/// its pages.
const MAX_JOINS: u32 = 16;

/// Pages as few PDFs.
pub(super) struct JoinedPdfs {
    pub(super) packed: PackedPdf,
    /// Whether a page did not fit.
    pub(super) is_full: bool,
    /// Why pages could not be joined, if so.
    pub(super) refusal: Option<String>,
}

/// Joins the pages of one PDF.
pub(super) struct PageJoiner<'a, 'p> {
    packing: &'a PdfPacker<'p>,
    path: &'a str,
    pdf: &'a OpenPdf,
    share: &'a mut RequestBudget,
    joins: u32,
    refusal: Option<String>,
}

/// The first pages of a sequence, as one part.
struct JoinedPrefix {
    part: QuestionPart,
    pages: usize,
    /// Whether no further page fits into the request.
    is_last: bool,
}

/// What came of joining.
enum JoinAttempt {
    Fits(QuestionPart),
    /// It does not fit into the rest of the request.
    TooLarge,
    /// The provider would refuse it as a document.
    Refused,
}

impl<'a, 'p> PageJoiner<'a, 'p> {
    pub(super) fn new(
        packing: &'a PdfPacker<'p>,
        path: &'a str,
        pdf: &'a OpenPdf,
        share: &'a mut RequestBudget,
    ) -> Self {
        Self { packing, path, pdf, share, joins: MAX_JOINS, refusal: None }
    }

    /// Joins as many of `pages` as fit.
    pub(super) fn run(mut self, loaded: &mut LoadedPdf, pages: &[PageIndex]) -> JoinedPdfs {
        let mut packed = PackedPdf { form: "joined", ..PackedPdf::default() };
        let mut rest = pages;
        let mut is_full = false;
        while let Some(first) = rest.first().copied() {
            match self.beginning(loaded, rest) {
                Ok(JoinedPrefix { part, pages, is_last }) => {
                    if !self.packing.fits(&part, pages as u64, self.share) {
                        is_full = true;
                        break;
                    }
                    let (taken, after) = rest.split_at_checked(pages).unwrap_or((rest, &[]));
                    packed.add_all(taken.iter().copied(), part);
                    rest = after;
                    is_full = is_last && !rest.is_empty();
                    if is_full {
                        break;
                    }
                }
                Err(reason) => {
                    packed.notes.push(not_sent(self.path, first, &reason));
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
        }
        JoinedPdfs { packed, is_full, refusal: self.refusal }
    }

    /// Joins as many leading pages as one PDF can hold, or takes the first page alone.
    fn beginning(&mut self, loaded: &mut LoadedPdf, row: &[PageIndex]) -> Result<JoinedPrefix, String> {
        let most = self.share.pages.min(self.packing.limits.max_document_pages.unwrap_or(u64::MAX));
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(row.len());
        // Binary search: the largest count known to work and the smallest known to fail.
        let (mut goes, mut fails) = (1, most.saturating_add(1));
        let (mut best, mut is_last) = (None, false);
        let mut next = most;
        while fails.saturating_sub(goes) > 1 {
            match self.try_join(loaded, row.get(..next).unwrap_or(row)) {
                Some(JoinAttempt::Fits(part)) => (best, goes) = (Some(part), next),
                Some(JoinAttempt::TooLarge) => (fails, is_last) = (next, true),
                Some(JoinAttempt::Refused) => (fails, is_last) = (next, false),
                None => break,
            }
            next = goes.midpoint(fails);
        }
        match best {
            Some(part) => Ok(JoinedPrefix { part, pages: goes, is_last }),
            None => {
                let first = row.first().copied().ok_or("there is no page")?;
                Ok(JoinedPrefix { part: self.packing.page(self.pdf, loaded, first)?, pages: 1, is_last })
            }
        }
    }

    /// Joins `pages`; `None` if the attempts are used up.
    fn try_join(&mut self, loaded: &mut LoadedPdf, pages: &[PageIndex]) -> Option<JoinAttempt> {
        self.joins = self.joins.checked_sub(1)?;
        let set = pages.iter().copied().collect::<PageSet>();
        let bytes = match self.joined(loaded, &set) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.refusal.get_or_insert(reason);
                return Some(JoinAttempt::Refused);
            }
        };
        let part = titled(loaded, &set, bytes.clone());
        let mut budget = *self.share;
        if self.packing.fits(&part, set.len(), &mut budget) {
            loaded.kept.joined.insert(set.to_string(), Ok(bytes));
            return Some(JoinAttempt::Fits(part));
        }
        let is_document = self.packing.is_within(part.size(), 0);
        Some(if is_document { JoinAttempt::TooLarge } else { JoinAttempt::Refused })
    }

    /// The pages as one PDF, cached across models.
    fn joined(&mut self, loaded: &mut LoadedPdf, pages: &PageSet) -> Result<Bytes, String> {
        let name = pages.to_string();
        if let Some(known) = loaded.kept.joined.get(&name) {
            return known.clone();
        }
        self.pdf.document.join(pages).map(|chunk| chunk.bytes).map_err(|error| {
            // If the reader was stopped or died, do not retry with fewer pages.
            if matches!(error, PdfError::Stopped(_) | PdfError::Worker(_)) {
                self.joins = 0;
            }
            let reason = error.to_string();
            loaded.kept.joined.insert(name, Err(reason.clone()));
            reason
        })
    }
}

fn titled(loaded: &LoadedPdf, pages: &PageSet, bytes: Bytes) -> QuestionPart {
    let name = loaded.file_name();
    let stem = name.strip_suffix(".pdf").unwrap_or(&name);
    QuestionPart::Document {
        bytes,
        title: format!("{name} - Pages {pages}"),
        file_name: format!("{stem}-pages-{pages}.pdf"),
    }
}
