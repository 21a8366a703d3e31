//! What is known of a document from its worker's last answers.

use std::collections::BTreeMap;
use std::time::Duration;

use super::pool::WorkerLease;
use super::supervision::Allowance;
use crate::worker::error::WorkerError;
use crate::worker::wire::{AnswerExtras, PageExtras};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;

/// What requests have taken.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) time: Duration,
    pub(super) processor_time: Duration,
}

/// The state of a document's connection to its worker.
#[derive(Default)]
pub(super) struct ConnectionState {
    /// `None` after the worker died; the next request gets another one.
    pub(super) lease: Option<WorkerLease>,
    /// Pages that killed a worker when they were cut. They are not cut again; text comes from the whole file.
    pub(super) deadly: BTreeMap<PageIndex, WorkerError>,
    /// What the requests about each page have taken, and those about the document.
    spent: BTreeMap<Option<PageIndex>, Spent>,
    /// Pages that took too much processor time. They are not read again.
    exhausted: BTreeMap<PageIndex, LimitExceeded>,
    /// Notes on requests that failed, one sentence each.
    pub(super) failures: Vec<String>,
    /// Additional facts from the last answer.
    pub(super) extras: AnswerExtras,
    /// Whether the document is sound, as far as it was read; `None` before the first answer about it.
    pub(super) is_sound: Option<bool>,
}

impl ConnectionState {
    /// What the last answer said of the page beside what was asked.
    pub(super) fn extras_of(&self, page: PageIndex) -> Option<PageExtras> {
        self.extras.page.clone().filter(|extras| extras.index == page.0)
    }

    /// What is left for a request about a page, or about the document. All requests of a call share it.
    pub(super) fn allowance(&self, page: Option<PageIndex>, limits: &Limits, file_bytes: u64) -> Allowance {
        let spent = self.spent.get(&page).copied().unwrap_or_default();
        Allowance {
            time_spent: spent.time,
            page_time: page.map(|_| (limits.max_page_cpu_ms, spent.processor_time)),
            file_bytes: Some(file_bytes),
        }
    }

    /// Counts what a request has taken.
    pub(super) fn count(&mut self, page: Option<PageIndex>, taken: Spent) {
        let spent = self.spent.entry(page).or_default();
        spent.time = spent.time.saturating_add(taken.time);
        spent.processor_time = spent.processor_time.saturating_add(taken.processor_time);
    }

    /// Remembers a page that took too much processor time.
    pub(super) fn remember(&mut self, page: Option<PageIndex>, limit: LimitExceeded) {
        if limit.which == Limit::PageCpu {
            self.exhausted.extend(page.map(|page| (page, limit)));
        }
    }

    /// Refuses a page that took too much processor time.
    pub(super) fn refuse_exhausted(&self, page: Option<PageIndex>) -> Result<(), LimitExceeded> {
        page.and_then(|page| self.exhausted.get(&page)).map_or(Ok(()), |limit| Err(*limit))
    }
}
