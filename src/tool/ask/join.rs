//! Pages of a PDF → few PDFs, where a request takes fewer documents or bytes than the pages have one by one.
//!
//! A page by itself is the very block that `get_file` gives, so pages are joined only where more of them come so. As many
//! as can be go into one PDF; where a bound on documents, or pages that cannot stand in one file, stop that, the rest
//! goes into the next.

use bytes::Bytes;

use super::load::LoadedPdf;
use super::pack::{PackedPdf, PdfPacker, RequestBudget, not_sent};
use crate::context::{OpenPdf, PdfError};
use crate::model::QuestionPart;
use crate::page::{PageIndex, PageSet};

/// Times that pages of one PDF are joined. 16: three PDFs of a hundred pages take seven each at most, and every time
/// reads all the pages that it joins.
const MAX_JOINS: u32 = 16;

/// Pages as few PDFs.
pub(super) struct JoinedPdfs {
    pub(super) packed: PackedPdf,
    /// Whether a page did not fit.
    pub(super) full: bool,
    /// Why pages could not be joined, where they could not.
    pub(super) refusal: Option<String>,
}

/// Pages of one PDF on their way into few.
pub(super) struct PageJoiner<'a, 'p> {
    packing: &'a PdfPacker<'p>,
    path: &'a str,
    pdf: &'a OpenPdf,
    share: &'a mut RequestBudget,
    joins: u32,
    refusal: Option<String>,
}

/// The beginning of a row of pages as one part.
struct JoinedPrefix {
    part: QuestionPart,
    pages: usize,
    /// Whether no more of the row fits into the request.
    is_last: bool,
}

/// What came of joining.
enum JoinAttempt {
    Fits(QuestionPart),
    /// It does not fit into what is left of the request.
    TooLarge,
    /// It can be no document of this provider.
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
    pub(super) fn run(mut self, found: &mut LoadedPdf, pages: &[PageIndex]) -> JoinedPdfs {
        let mut packed = PackedPdf { form: "joined", ..PackedPdf::default() };
        let mut rest = pages;
        let mut full = false;
        while let Some(first) = rest.first().copied() {
            match self.beginning(found, rest) {
                Ok(JoinedPrefix { part, pages, is_last }) => {
                    if !self.packing.fits(&part, pages as u64, self.share) {
                        full = true;
                        break;
                    }
                    let (taken, after) = rest.split_at_checked(pages).unwrap_or((rest, &[]));
                    packed.add_all(taken.iter().copied(), part);
                    rest = after;
                    full = is_last && !rest.is_empty();
                    if full {
                        break;
                    }
                }
                Err(reason) => {
                    packed.notes.push(not_sent(self.path, first, &reason));
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
        }
        JoinedPdfs { packed, full, refusal: self.refusal }
    }

    /// As many pages from the first on as one PDF can have; the first alone, where there is none.
    fn beginning(&mut self, found: &mut LoadedPdf, row: &[PageIndex]) -> Result<JoinedPrefix, String> {
        let most = self.share.pages.min(self.packing.limits.max_document_pages.unwrap_or(u64::MAX));
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(row.len());
        // The most that is known to go, the least that is known not to.
        let (mut goes, mut fails) = (1, most.saturating_add(1));
        let (mut best, mut is_last) = (None, false);
        let mut next = most;
        while fails.saturating_sub(goes) > 1 {
            match self.try_join(found, row.get(..next).unwrap_or(row)) {
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
                Ok(JoinedPrefix { part: self.packing.page(self.pdf, found, first)?, pages: 1, is_last })
            }
        }
    }

    /// Joins `pages`; `None` where that was done often enough.
    fn try_join(&mut self, found: &mut LoadedPdf, pages: &[PageIndex]) -> Option<JoinAttempt> {
        self.joins = self.joins.checked_sub(1)?;
        let set = pages.iter().copied().collect::<PageSet>();
        let bytes = match self.joined(found, &set) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.refusal.get_or_insert(reason);
                return Some(JoinAttempt::Refused);
            }
        };
        let part = titled(found, &set, bytes.clone());
        let mut room = *self.share;
        if self.packing.fits(&part, set.len(), &mut room) {
            found.kept.joined.insert(set.to_string(), Ok(bytes));
            return Some(JoinAttempt::Fits(part));
        }
        let is_document = self.packing.is_within(part.size(), 0);
        Some(if is_document { JoinAttempt::TooLarge } else { JoinAttempt::Refused })
    }

    /// The pages as one PDF, made for another model or now.
    fn joined(&mut self, found: &mut LoadedPdf, pages: &PageSet) -> Result<Bytes, String> {
        let name = pages.to_string();
        if let Some(known) = found.kept.joined.get(&name) {
            return known.clone();
        }
        self.pdf.document.join(pages).map(|chunk| chunk.bytes).map_err(|error| {
            // A reader that was stopped, or died, is not tried again on fewer pages.
            if matches!(error, PdfError::Stopped(_) | PdfError::Worker(_)) {
                self.joins = 0;
            }
            let reason = error.to_string();
            found.kept.joined.insert(name, Err(reason.clone()));
            reason
        })
    }
}

fn titled(found: &LoadedPdf, pages: &PageSet, bytes: Bytes) -> QuestionPart {
    let name = found.file_name();
    let stem = name.strip_suffix(".pdf").unwrap_or(&name);
    QuestionPart::Document {
        bytes,
        title: format!("{name} - Pages {pages}"),
        file_name: format!("{stem}-pages-{pages}.pdf"),
    }
}
