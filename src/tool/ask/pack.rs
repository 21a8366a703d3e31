//! Packs PDFs into the documents of a request, within a provider's limits.

use super::ask_context::AskContext;
use super::join::{JoinedPdfs, PageJoiner};
use super::load::{LoadedPdf, RequestedPdf};
use super::packed_pdf::{PackedPdf, not_sent};
use super::request_budget::{RequestBudget, divide_budget};
use crate::context::{OpenPdf, fenced, untagged_heading};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_base::provider::ProviderLimits;
use pagewise_model::{ModelName, ModelSettings, QuestionPart};

/// Packs PDFs for one model.
pub(super) struct PdfPacker<'a> {
    pub(super) ask: &'a AskContext<'a>,
    pub(super) settings: &'a ModelSettings,
    pub(super) name: &'a ModelName,
    pub(super) limits: ProviderLimits,
    pub(super) max_bytes: u64,
}

impl PdfPacker<'_> {
    /// Packs every PDF as documents: whole if it is sound and fits, else page by page.
    pub(super) fn native(&self, requested: &mut [RequestedPdf], prompt: &str) -> Vec<PackedPdf> {
        let budget = RequestBudget::of(&self.limits, prompt);
        let all_fit = self.all_fit(requested, budget);
        divide_budget(requested, budget, |path, loaded, share| {
            let mut rest = if all_fit { budget } else { *share };
            if self.can_send_whole(loaded) && rest.take(loaded.file_bytes, loaded.page_count.into()) {
                let whole = self.whole(loaded);
                if !all_fit {
                    *share = rest;
                }
                return whole;
            }
            self.pages(path, loaded, share)
        })
    }

    /// Whether all PDFs fit whole into one request.
    fn all_fit(&self, requested: &[RequestedPdf], mut budget: RequestBudget) -> bool {
        let mut loaded = requested.iter().filter_map(|requested| requested.loaded.as_ref().ok());
        loaded.all(|loaded| self.can_send_whole(loaded) && budget.take(loaded.file_bytes, loaded.page_count.into()))
    }

    fn can_send_whole(&self, loaded: &LoadedPdf) -> bool {
        loaded.selection.is_none() && loaded.is_sound && self.is_within(loaded.file_bytes, loaded.page_count.into())
    }

    fn whole(&self, loaded: &mut LoadedPdf) -> PackedPdf {
        match loaded.whole(self.max_bytes) {
            Ok(bytes) => {
                let title = loaded.file_name();
                let pages = PageSet::all(loaded.page_count);
                let size = bytes.len() as u64;
                let part = QuestionPart::Document { bytes, file_name: title.clone(), title };
                PackedPdf { parts: vec![part], form: "whole", pages, bytes: size, ..PackedPdf::default() }
            }
            Err(error) => PackedPdf::refused(error.message),
        }
    }

    /// Packs as many pages as fit: as the one-page PDFs that `get_file` gives, or joined if more fit that way.
    fn pages(&self, path: &str, loaded: &mut LoadedPdf, share: &mut RequestBudget) -> PackedPdf {
        let candidates = loaded.candidates(self.settings.pdf_max_pages);
        let pdf = match loaded.open(self.ask) {
            Ok(pdf) => pdf,
            Err(error) => return PackedPdf::refused(error.message),
        };
        let whole = *share;
        let (single, is_full) = self.pack_single_pages(path, &pdf, loaded, &candidates, share);
        // Joining does not help past a bound on pages.
        if !is_full || single.pages.len() >= whole.pages || candidates.len() < 2 {
            return self.with_notes(single, loaded, &candidates, is_full.then(|| self.limit_reached()));
        }
        let mut rest = whole;
        let JoinedPdfs { packed, is_full, refusal } =
            PageJoiner::new(self, path, &pdf, &mut rest).run(loaded, &candidates.iter().collect::<Vec<_>>());
        if packed.pages.len() > single.pages.len() {
            *share = rest;
            return self.with_notes(packed, loaded, &candidates, is_full.then(|| self.limit_reached()));
        }
        let why = self.limit_reached();
        let why = refusal.map_or(why.clone(), |refusal| format!("{why}; they cannot go as one PDF: {refusal}"));
        self.with_notes(single, loaded, &candidates, Some(why))
    }

    /// Packs as many single pages as fit. Also returns whether one did not fit.
    fn pack_single_pages(
        &self,
        path: &str,
        pdf: &OpenPdf,
        loaded: &mut LoadedPdf,
        candidates: &PageSet,
        share: &mut RequestBudget,
    ) -> (PackedPdf, bool) {
        let mut packed = PackedPdf { form: "pages", ..PackedPdf::default() };
        let mut is_full = false;
        for page in candidates.iter() {
            match self.page(pdf, loaded, page) {
                Ok(part) => {
                    is_full = !self.fits(&part, 1, share);
                    if is_full {
                        break;
                    }
                    packed.add(page, part);
                }
                Err(reason) => packed.notes.push(not_sent(path, page, &reason)),
            }
        }
        (packed, is_full)
    }

    /// Takes the cost of a part. If it does not fit, takes nothing and returns `false`.
    pub(super) fn fits(&self, part: &QuestionPart, pages: u64, share: &mut RequestBudget) -> bool {
        self.is_within(part.size(), pages) && share.take(part.size(), pages)
    }

    /// Whether a single PDF may have this many bytes and pages.
    pub(super) fn is_within(&self, bytes: u64, pages: u64) -> bool {
        let ProviderLimits { max_document_bytes, max_document_pages, .. } = self.limits;
        max_document_bytes.is_none_or(|most| bytes <= most) && max_document_pages.is_none_or(|most| pages <= most)
    }

    /// Notes what was left out. `limit` is the limit that was reached, if one was.
    fn with_notes(
        &self,
        mut packed: PackedPdf,
        loaded: &LoadedPdf,
        candidates: &PageSet,
        limit: Option<String>,
    ) -> PackedPdf {
        let is_full = limit.is_some();
        let why = limit.unwrap_or_else(|| self.page_limit());
        if packed.parts.is_empty() {
            packed.refused = Some(if is_full { why.clone() } else { packed.notes.join("; ") });
        }
        packed.note_left_out(loaded, candidates, is_full, why);
        packed
    }

    /// One page as a PDF, or as text if it cannot be cut.
    pub(super) fn page(&self, pdf: &OpenPdf, loaded: &mut LoadedPdf, page: PageIndex) -> Result<QuestionPart, String> {
        let cut = loaded.kept.pages.entry(page).or_insert_with(|| match pdf.document.cut(page) {
            Ok(chunk) => Ok(chunk.bytes),
            Err(error) => Err(error.to_string()),
        });
        match cut.clone() {
            Ok(bytes) => {
                let (name, number) = (loaded.file_name(), page.number());
                let stem = name.strip_suffix(".pdf").unwrap_or(&name);
                Ok(QuestionPart::Document {
                    bytes,
                    title: format!("{name} - Page {number}"),
                    file_name: format!("{stem}-page-{number}.pdf"),
                })
            }
            Err(reason) => {
                let text = pdf.document.page_text(page).map(|page| page.text).map_err(|_| reason.clone())?;
                let is_blank = text.trim().is_empty();
                if is_blank {
                    Err(reason)
                } else {
                    Ok(QuestionPart::Text(format!("{}{}", untagged_heading(page.number(), true), fenced(&text))))
                }
            }
        }
    }

    /// The reason if a provider limit was reached.
    pub(super) fn limit_reached(&self) -> String {
        let ProviderLimits { max_request_bytes, max_request_pages, max_blocks, .. } = self.limits;
        let some = |count: Option<u64>, unit: &str| count.map(|count| format!("{count} {unit}"));
        let bytes = if self.settings.pdf_request_bytes.is_some() { "bytes (pdf_request_bytes)" } else { "bytes" };
        let counts = [some(max_request_pages, "pages"), some(max_blocks, "documents and pictures")];
        let bounds = some(Some(max_request_bytes), bytes).into_iter().chain(counts.into_iter().flatten());
        format!("a request to {} takes at most {}", self.name, bounds.collect::<Vec<_>>().join(", "))
    }

    /// The reason if `pdf_max_pages` was reached.
    pub(super) fn page_limit(&self) -> String {
        format!("pdf_max_pages is {}", self.settings.pdf_max_pages)
    }
}
