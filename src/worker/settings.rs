//! Settings and limits of workers.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// The program that is started as `{program} worker`.
    pub program: PathBuf,
    /// Number of workers. Default: one for each processor, at most 8.
    pub workers: Option<NonZeroUsize>,
    /// Time for one operation; then the worker is killed. Setting `worker_deadline_ms`, default [`DEFAULT_DEADLINE`].
    pub deadline: Duration,
    /// Address space of a worker, of which one request may fill two fifths. Setting `worker_memory_bytes`, default 1 GiB.
    pub memory_bytes: u64,
    /// Bytes of answers that the parent keeps, so that no page is read twice. Setting `worker_cache_bytes`, default
    /// 64 MiB; 0 keeps none.
    pub cache_bytes: u64,
    /// Requests that may wait for a worker; further ones are refused as busy. Default 64.
    pub max_waiting: usize,
    /// Whether to refuse workers without every sandbox layer.
    pub require_sandbox: bool,
    /// The folder of the models that recognise text. Setting `ocr_models`.
    pub models: Option<PathBuf>,
    /// Whether the program `tesseract` of the system recognises text if there are no models. Setting `ocr_tesseract`.
    pub uses_tesseract: bool,
    /// The language that `tesseract` is told; guessed by default. Setting `ocr_language`.
    pub ocr_language: Option<String>,
}

/// The largest default number of workers.
#[cfg(all(unix, not(pagewise_portable)))]
const MOST_BY_DEFAULT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(7);

/// The default time for one operation.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(20);

/// Recognition takes longer than other operations: it has so many times the deadline.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const RECOGNITION_FACTOR: u32 = 5;

/// A worker with more resident memory is replaced after its request, since allocators return little memory.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_RESIDENT_BYTES: u64 = 512 << 20;

/// A worker with more resident memory keeps no documents open. At most a quarter of its address space.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_KEPT_BYTES: u64 = 192 << 20;

/// An idle worker with more resident memory is replaced by a new one, which takes a tenth.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_IDLE_BYTES: u64 = 64 << 20;

/// A worker is replaced after this many operations, so that leaks cannot grow.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_JOBS: u32 = 10_000;

/// A worker is replaced after this much work, well before [`CPU_SECONDS`] ends it.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_BUSY: Duration = Duration::from_secs(300);

/// The processor time limit of a worker. It ends a worker that outlives its parent.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const CPU_SECONDS: u64 = 900;

/// The most documents whose deaths are remembered. Beyond it, all are forgotten.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_REMEMBERED_DEATHS: usize = 10_000;

/// A document is refused after it has killed this many workers.
#[cfg(all(unix, not(pagewise_portable)))]
pub(super) const MAX_DEATHS: u32 = 2;

impl WorkerSettings {
    /// The defaults, with workers started from `program`.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            workers: None,
            deadline: DEFAULT_DEADLINE,
            memory_bytes: 1 << 30,
            cache_bytes: 64 << 20,
            max_waiting: 64,
            require_sandbox: false,
            models: None,
            uses_tesseract: true,
            ocr_language: None,
        }
    }

    /// The number of workers. Counting processors takes a dozen system calls, so it is done only when workers start.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(super) fn count(&self) -> NonZeroUsize {
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).min(MOST_BY_DEFAULT);
        self.workers.unwrap_or_else(processors)
    }
}
