//! What becomes of a request whose worker does not answer.

use crate::limits::StopReason;

/// Why a worker gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// It was killed, at the deadline or because nobody wanted its answer any more.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// It asked for more memory than it may have.
    #[error("worker_memory_bytes is {limit_bytes}, and the reader asked for more")]
    OutOfMemory {
        /// The bound.
        limit_bytes: u64,
    },
    /// Its stack overflowed.
    #[error("the reader's stack overflowed")]
    StackOverflow,
    /// It ended otherwise.
    #[error("the reader ended without an answer ({how})")]
    Died {
        /// By which signal or with which status.
        how: String,
    },
    /// The document has killed too many workers to be tried again by this process.
    #[error("this document has ended {deaths} readers and is not tried again until pagewise is started anew")]
    Quarantined {
        /// Workers that it killed.
        deaths: u32,
    },
    /// All workers are at work, and enough requests wait for one.
    #[error("{waiting} requests wait for a reader; try again in {retry_after_ms} ms")]
    Busy {
        /// Requests that wait.
        waiting: usize,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// No worker could be started.
    #[error("no reader could be started: {reason}")]
    NotStarted {
        /// What the system said.
        reason: String,
    },
    /// The system lacks layers of the sandbox that the settings demand.
    #[error("the sandbox lacks {missing}, and it is required whole")]
    Unsandboxed {
        /// The layers that are missing.
        missing: String,
    },
    /// It answered something else than was asked.
    #[error("the reader's answer made no sense")]
    Nonsense,
}

impl WorkerError {
    /// Whether a worker died of the document, or would have, had it not been killed.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn is_death(&self) -> bool {
        match self {
            Self::Stopped(StopReason::Timeout { .. })
            | Self::OutOfMemory { .. }
            | Self::StackOverflow
            | Self::Died { .. }
            | Self::Nonsense => true,
            Self::Stopped(StopReason::Cancelled)
            | Self::Quarantined { .. }
            | Self::Busy { .. }
            | Self::NotStarted { .. }
            | Self::Unsandboxed { .. } => false,
        }
    }
}
