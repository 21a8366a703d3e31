//! What is known of a document from its worker's last answers.

use std::collections::BTreeMap;

use super::pool::WorkerLease;
use crate::worker::error::WorkerError;
use crate::worker::wire::{AnswerExtras, PageExtras};
use pagewise_base::page::PageIndex;

/// The state of a document's connection to its worker.
#[derive(Default)]
pub(super) struct ConnectionState {
    /// `None` after the worker died; the next request gets another one.
    pub(super) lease: Option<WorkerLease>,
    /// Pages that killed a worker when they were cut. They are not cut again; text comes from the whole file.
    pub(super) deadly: BTreeMap<PageIndex, WorkerError>,
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
}
