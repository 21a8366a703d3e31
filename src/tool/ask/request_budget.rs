//! The part of a request that is left for further PDFs.

use super::load::{LoadedPdf, RequestedPdf};
use super::packed_pdf::PackedPdf;
use pagewise_base::provider::ProviderLimits;
use pagewise_model::base64_length;

/// Bytes of a block beside its data: names, title, quotes.
const BLOCK_BYTES: u64 = 4_096;

/// What is left of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestBudget {
    pub(super) bytes: u64,
    pub(super) pages: u64,
    pub(super) blocks: u64,
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
