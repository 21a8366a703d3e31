//! Errors of workers.

use pagewise_base::limits::{LimitExceeded, StopReason};

/// Why a worker did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// The worker was killed at the deadline, or because the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The worker was killed since it exceeded a limit where it could not stop by itself.
    #[error(transparent)]
    Limit(LimitExceeded),
    /// The worker exceeded its memory limit, or took more of it than a request may.
    #[error("worker_memory_bytes is {limit_bytes}, and the reader asked for more than that allows")]
    OutOfMemory { limit_bytes: u64 },
    /// The worker's stack overflowed.
    #[error("the reader's stack overflowed")]
    StackOverflow,
    /// The worker ended for another reason.
    #[error("the reader ended without an answer ({how})")]
    Died {
        /// The signal or exit status.
        how: String,
    },
    /// The document has killed too many workers, and is refused until this process ends.
    #[error("this document crashed or stalled {deaths} readers; it is not tried again until pagewise restarts")]
    Quarantined {
        /// Number of workers that it killed.
        deaths: u32,
    },
    /// All workers are busy, and too many requests are waiting.
    #[error("no reader is free, with {waiting} waiting for one; try again in {retry_after_ms} ms")]
    Busy {
        /// Number of waiting requests.
        waiting: usize,
        /// When to try again, in milliseconds.
        retry_after_ms: u64,
    },
    /// No worker could be started.
    #[error("no reader could be started: {reason}")]
    NotStarted {
        /// The system's error.
        reason: String,
    },
    /// The system lacks sandbox layers that the settings require.
    #[error("the sandbox lacks {missing}, and require_sandbox is set")]
    Unsandboxed {
        /// The missing layers.
        missing: String,
    },
    /// The answer was invalid or did not match the request.
    #[error("the reader's answer was invalid")]
    Nonsense,
}

impl WorkerError {
    /// Whether the same request may succeed later.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Busy { .. } | Self::NotStarted { .. } | Self::Unsandboxed { .. } => true,
            Self::Stopped(stopped) => *stopped == StopReason::Cancelled,
            Self::Limit(_)
            | Self::OutOfMemory { .. }
            | Self::StackOverflow
            | Self::Died { .. }
            | Self::Quarantined { .. }
            | Self::Nonsense => false,
        }
    }

    /// Whether the document is to blame for the end of the worker.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn is_death(&self) -> bool {
        match self {
            Self::Stopped(StopReason::Timeout { .. })
            | Self::OutOfMemory { .. }
            | Self::StackOverflow
            | Self::Died { .. }
            | Self::Nonsense => true,
            // Other pages of the document can still be read.
            Self::Limit(_)
            | Self::Stopped(StopReason::Cancelled)
            | Self::Quarantined { .. }
            | Self::Busy { .. }
            | Self::NotStarted { .. }
            | Self::Unsandboxed { .. } => false,
        }
    }
}
