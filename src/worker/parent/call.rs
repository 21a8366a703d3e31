//! One request about a document, with what its worker asks for meanwhile.

use std::os::fd::BorrowedFd;

use super::pool::WorkerLease;
use super::session::WorkerDocument;
use super::supervision::Allowance;
use super::supplies::Supplies;
use crate::worker::error::WorkerError;
use crate::worker::pages::PdfError;
use crate::worker::wire::{WorkerAnswer, WorkerRequest};

/// The lease of a worker that was asked, and its answer.
type CallResult = Result<(WorkerLease, Result<WorkerAnswer, WorkerError>), PdfError>;

impl WorkerDocument {
    /// Sends a request. Fails if a part of a remote document could not be read: it is then closed, and not to blame.
    pub(super) fn call(
        &self,
        mut lease: WorkerLease,
        request: &WorkerRequest,
        file: Option<BorrowedFd<'_>>,
        allowance: Allowance,
    ) -> CallResult {
        let supplies = Supplies::of(&*self.reader.fonts, &*self.file);
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let answer = process.call(request, file, &supplies, allowance, &self.cancellation);
        let Some(failure) = supplies.failure(self.reader.pool.deadline_ms()) else { return Ok((lease, answer)) };
        if answer.is_err() {
            lease.discard();
        }
        self.cancellation.check()?;
        Err(failure)
    }
}
