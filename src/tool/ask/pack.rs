//! Packs PDFs into the documents of a request, within a provider's limits.

use super::AskContext;
use super::join::{JoinedPdfs, PageJoiner};
use super::load::{LoadedPdf, RequestedPdf};
use crate::context::{OpenPdf, page_heading, page_or_pages};
use crate::model::{ModelName, ModelSettings, QuestionPart, base64_length};
use crate::page::{PageIndex, PageSet};
use crate::provider::ProviderLimits;

/// Bytes of a block beside its data: names, title, quotes.
const BLOCK_BYTES: u64 = 4_096;

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

/// What is left of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestBudget {
    pub(super) bytes: u64,
    pub(super) pages: u64,
    pub(super) blocks: u64,
}

/// Packs PDFs for one model.
pub(super) struct PdfPacker<'a> {
    pub(super) ask: &'a AskContext<'a>,
    pub(super) settings: &'a ModelSettings,
    pub(super) name: &'a ModelName,
    pub(super) limits: ProviderLimits,
    pub(super) max_bytes: u64,
}

impl RequestBudget {
    /// The budget of a request that contains `prompt`.
    pub(super) fn of(limits: &ProviderLimits, prompt: &str) -> Self {
        // A control character takes six bytes in JSON.
        let prompt = (prompt.len() as u64).saturating_mul(6).saturating_add(BLOCK_BYTES);
        let bytes = limits.max_request_bytes.saturating_sub(prompt);
        let most = |bound: Option<u64>| bound.unwrap_or(u64::MAX);
        Self { bytes, pages: most(limits.max_request_pages), blocks: most(limits.max_blocks) }
    }

    /// An equal share of the rest, for one of `count`.
    pub(super) fn share(&self, count: u64) -> Self {
        let count = count.max(1);
        Self { bytes: self.bytes / count, pages: self.pages / count, blocks: self.blocks / count }
    }

    /// Takes the cost of a block. If it does not fit, takes nothing and returns `false`.
    pub(super) fn take(&mut self, data_bytes: u64, pages: u64) -> bool {
        let bytes = base64_length(data_bytes).saturating_add(BLOCK_BYTES);
        if bytes > self.bytes || pages > self.pages || self.blocks == 0 {
            return false;
        }
        *self = Self { bytes: self.bytes - bytes, pages: self.pages - pages, blocks: self.blocks - 1 };
        true
    }

    /// Subtracts what was used of `share`, of which `rest` is left.
    pub(super) fn pay(&mut self, share: &Self, rest: &Self) {
        self.bytes = self.bytes.saturating_sub(share.bytes.saturating_sub(rest.bytes));
        self.pages = self.pages.saturating_sub(share.pages.saturating_sub(rest.pages));
        self.blocks = self.blocks.saturating_sub(share.blocks.saturating_sub(rest.blocks));
    }
}

/// Divides `budget` among the loaded PDFs, small files first, so that large files get what those leave.
pub(super) fn divide_budget(
    requested: &mut [RequestedPdf],
    mut budget: RequestBudget,
    mut pack: impl FnMut(&str, &mut LoadedPdf, &mut RequestBudget) -> PackedPdf,
) -> Vec<PackedPdf> {
    let mut packed: Vec<PackedPdf> = requested.iter().map(|_| PackedPdf::default()).collect();
    let mut order = requested.iter_mut().zip(&mut packed).filter_map(|(requested, slot)| {
        let RequestedPdf { path, loaded, .. } = requested;
        loaded.as_mut().ok().map(|loaded| (&*path, loaded, slot))
    });
    let mut order = order.by_ref().collect::<Vec<_>>();
    order.sort_by_key(|(_, loaded, _)| loaded.file_bytes);
    let mut count = order.len() as u64;
    for (path, loaded, slot) in order {
        let share = budget.share(count);
        let mut rest = share;
        *slot = pack(path, loaded, &mut rest);
        budget.pay(&share, &rest);
        count -= 1;
    }
    packed
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
                    Ok(QuestionPart::Text(format!("{}{text}", page_heading(page.number(), true))))
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

/// The note for a page that could not be converted.
pub(super) fn not_sent(path: &str, page: PageIndex, reason: &str) -> String {
    format!("Page {} of {path} is not sent: {reason}", page.number())
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
