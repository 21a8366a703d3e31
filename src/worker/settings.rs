//! What workers may use, and how many there are.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// How workers are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// The program that is started as `{program} worker`.
    pub program: PathBuf,
    /// Workers at once; where nobody said, one a processor, 8 at most: what they do is bound by the processor.
    pub workers: Option<NonZeroUsize>,
    /// Time for one operation; then the worker is killed. [`DEFAULT_DEADLINE`]: the setting `worker_deadline_ms`.
    pub deadline: Duration,
    /// Address space of a worker. 2 GB: the setting `worker_memory_bytes`.
    pub memory_bytes: u64,
    /// Requests that wait for a worker; one more is answered that the server is busy. 64.
    pub max_waiting: usize,
    /// Whether a worker without every layer of the sandbox is worse than none.
    pub require_sandbox: bool,
}

/// Workers where nobody said how many, on a machine with as many processors.
#[cfg(all(unix, not(pagewise_portable)))]
const MOST_BY_DEFAULT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// Time for one operation: 20 s.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(20);

/// Resident memory past which a worker is replaced when its request is done. 512 MB: allocators give little back.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_RESIDENT_BYTES: u64 = 512 << 20;

/// Operations after which a worker is replaced, so that nothing that leaks can grow for ever.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_JOBS: u32 = 1_000;

/// Time at work after which a worker is replaced, well before [`CPU_SECONDS`] ends it.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_BUSY: Duration = Duration::from_secs(300);

/// Processor time of a worker: ends one that works on after its parent was killed.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const CPU_SECONDS: u64 = 900;

/// Documents whose deaths are remembered; the oldest are not told apart, so that beyond it all are forgotten.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_REMEMBERED_DEATHS: usize = 10_000;

/// Workers that a document may kill before it is refused.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_DEATHS: u32 = 2;

impl WorkerSettings {
    /// The defaults, for workers that are started from `program`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            workers: None,
            deadline: DEFAULT_DEADLINE,
            memory_bytes: 2 << 30,
            max_waiting: 64,
            require_sandbox: false,
        }
    }

    /// Workers at once. To count the processors takes a dozen system calls, so that it is done where workers are started.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn count(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).min(MOST_BY_DEFAULT);
        self.workers.unwrap_or_else(processors)
    }
}
