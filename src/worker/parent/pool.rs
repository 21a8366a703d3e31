//! A pool of workers that are started in advance, and given to principals by turns.
//!
//! A free worker goes to the principal that has the fewest, and of its requests to the one that came first. If all workers
//! work for others, one more is started for a principal that has none: nobody waits for another's slow documents.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::process::WorkerProcess;
use crate::worker::error::WorkerError;
use crate::worker::pages::ReaderMemory;
use crate::worker::settings::{MAX_DEATHS, MAX_REMEMBERED_DEATHS, WorkerSettings};
use pagewise_base::limits::{Cancellation, StopReason};
use pagewise_base::share::{Place, Share, Sharer};

/// Identifies a document: a hash of its bytes or of its file metadata.
pub(crate) type DocumentKey = [u8; 32];

/// Identifies a document that a worker keeps open, and answers about it: a hash of its identity and of its password.
pub(crate) type OpenKey = [u8; 32];

/// A document that a worker or the cache keeps, and the principal that read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptDocument {
    pub(crate) key: OpenKey,
    pub(crate) sharer: Sharer,
}

pub(super) fn open_key(identity: &DocumentKey, password: Option<&str>) -> OpenKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(identity);
    if let Some(password) = password {
        hasher.update(password.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// What a worker does with a document. Recognition that ends workers must not keep the document from being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WorkerTask {
    Reading,
    /// Recognises the text in the pictures of its pages.
    Recognition,
}

/// Workers that are idle for this long give back their memory.
const IDLE_TIME: Duration = Duration::from_secs(60);

/// One place of so many in the queue is kept from each principal, for others.
const RESERVED_PART: usize = 4;

/// The workers of this process.
pub(crate) struct WorkerPool {
    core: Arc<PoolCore>,
    starter: Option<JoinHandle<()>>,
}

struct PoolCore {
    settings: WorkerSettings,
    state: Mutex<PoolState>,
    /// Places of requests that wait for a worker.
    queue: Arc<Share>,
    /// The workers that each principal has.
    leases: Arc<Share>,
    /// Broadcast whenever a worker is free, and on shutdown and cancellation: whose turn it is, is for them to see.
    worker_available: Condvar,
    /// Signalled if there may be too few workers.
    worker_needed: Condvar,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<WorkerProcess>,
    /// Who waits, in the order of arrival.
    waiting: BTreeMap<u64, Sharer>,
    arrivals: u64,
    closing: bool,
    /// Why the last worker could not be started, until a request reports it.
    start_failure: Option<WorkerError>,
    deaths: HashMap<(DocumentKey, WorkerTask), u32>,
}

impl PoolState {
    /// Takes an idle worker that is alive: one that has the document open, else one without a document, else one of the
    /// principal for whom most workers keep documents.
    fn take_idle(&mut self, document: Option<&OpenKey>) -> Option<WorkerProcess> {
        self.idle.retain_mut(WorkerProcess::is_alive);
        let has_it = |process: &WorkerProcess| document.is_some_and(|key| process.kept_pages(key).is_some());
        let kept_by = |at: usize| self.idle.get(at).and_then(WorkerProcess::kept_by);
        let kept_for = |sharer| self.idle.iter().filter(|other| other.kept_by() == Some(sharer)).count();
        let loss = |at: &usize| kept_by(*at).map(|sharer| Reverse(kept_for(sharer)));
        let least = || (0..self.idle.len()).rev().min_by_key(loss);
        let at = self.idle.iter().position(has_it).or_else(least)?;
        Some(self.idle.swap_remove(at))
    }

    /// Closes the documents of workers that were idle for long, and ends those with much memory: new ones take their place.
    fn release_idle(&mut self, now: Instant) {
        self.idle.retain_mut(|process| process.release_memory(now, IDLE_TIME));
    }
}

/// A worker reserved for one document. Dropping the lease returns it to the pool.
pub(crate) struct WorkerLease {
    core: Arc<PoolCore>,
    process: Option<WorkerProcess>,
    /// Whether the worker keeps its document.
    is_kept: bool,
    place: Option<Place>,
}

impl WorkerPool {
    /// Starts the workers of `settings`, and replaces those that end.
    ///
    /// A dedicated thread starts them: a worker ends with the *thread* that started it, and request threads come and go.
    pub(crate) fn start(settings: WorkerSettings) -> Self {
        let settings = WorkerSettings { workers: Some(settings.count()), ..settings };
        let core = Arc::new(PoolCore::new(settings, PoolState::default()));
        let for_starter = Arc::clone(&core);
        let starter = std::thread::Builder::new().name("workers".to_owned()).spawn(move || run_starter(&for_starter));
        let starter = starter.map_err(|error| {
            core.state().start_failure = Some(WorkerError::NotStarted { reason: error.to_string() });
        });
        Self { core, starter: starter.ok() }
    }

    /// A pool with this worker, and no others.
    #[cfg(test)]
    pub(super) fn of(process: WorkerProcess, settings: WorkerSettings) -> Self {
        let state = PoolState { idle: vec![process], ..PoolState::default() };
        Self { core: Arc::new(PoolCore::new(settings, state)), starter: None }
    }

    /// Waits for a free worker and its principal's turn, unless the request is cancelled. Prefers one that has the document
    /// open.
    pub(crate) fn lease(
        &self,
        document: Option<&OpenKey>,
        cancellation: &Cancellation,
    ) -> Result<WorkerLease, WorkerError> {
        let core = &self.core;
        let to_be_woken = Arc::clone(core);
        let _waking = cancellation.on_cancel(move || to_be_woken.wake());
        let patience = Instant::now() + core.settings.deadline;
        let sharer = cancellation.sharer();
        let mut state = core.state();
        let Ok(place) = core.queue.take(sharer) else { return Err(core.busy()) };
        let arrival = state.arrivals;
        state.arrivals = arrival.wrapping_add(1);
        state.waiting.insert(arrival, sharer);
        let leased = loop {
            if let Err(stopped) = cancellation.check() {
                break Err(stopped.into());
            }
            if core.next_in_turn(&state) == Some(arrival)
                && let Some(process) = state.take_idle(document)
            {
                let place = core.leases.take(sharer).ok();
                break Ok(WorkerLease { core: Arc::clone(core), process: Some(process), is_kept: false, place });
            }
            if let Some(failure) = state.start_failure.take() {
                break Err(failure);
            }
            core.signal_starter(&state);
            let left = patience.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err(core.late());
            }
            state = core.worker_available.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting.remove(&arrival);
        drop(place);
        // After a reported failure, the starter tries again.
        core.signal_starter(&state);
        // Another may be next for what is left.
        if !state.idle.is_empty() {
            core.worker_available.notify_all();
        }
        leased
    }

    /// The number of workers, and the memory of idle ones.
    pub(crate) fn memory(&self) -> ReaderMemory {
        let state = self.core.state();
        ReaderMemory {
            workers: state.idle.len().saturating_add(self.core.leases.taken_in_all()),
            worker_bytes: state.idle.iter().filter_map(WorkerProcess::read_resident_bytes).sum(),
            open_documents: state.idle.iter().filter(|idle| idle.kept_by().is_some()).count(),
            cached_bytes: 0,
        }
    }

    pub(crate) fn settings(&self) -> &WorkerSettings {
        &self.core.settings
    }

    /// The setting `worker_deadline_ms`.
    pub(crate) fn deadline_ms(&self) -> u64 {
        self.core.deadline_ms()
    }

    /// Refuses a document that has killed too many workers.
    pub(crate) fn refuse_deadly_document(
        &self,
        document: Option<&DocumentKey>,
        task: WorkerTask,
    ) -> Result<(), WorkerError> {
        let state = self.core.state();
        let deaths = document.and_then(|document| state.deaths.get(&(*document, task))).copied().unwrap_or(0);
        if deaths >= MAX_DEATHS { Err(WorkerError::Quarantined { deaths }) } else { Ok(()) }
    }

    /// Records that a document has killed a worker.
    pub(crate) fn record_death(&self, document: Option<DocumentKey>, task: WorkerTask) {
        let Some(document) = document else { return };
        let mut state = self.core.state();
        if state.deaths.len() >= MAX_REMEMBERED_DEATHS {
            state.deaths.clear();
        }
        let deaths = state.deaths.entry((document, task)).or_default();
        *deaths = deaths.saturating_add(1);
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let idle = {
            let mut state = self.core.state();
            state.closing = true;
            std::mem::take(&mut state.idle)
        };
        self.core.worker_needed.notify_one();
        self.core.worker_available.notify_all();
        drop(idle);
        if let Some(starter) = self.starter.take() {
            // If the starter panicked, there is nothing left to stop.
            let _ = starter.join();
        }
    }
}

impl PoolCore {
    fn new(settings: WorkerSettings, state: PoolState) -> Self {
        let places = settings.max_waiting;
        Self {
            queue: Share::new(places, places.saturating_sub(places / RESERVED_PART)),
            leases: Share::new(usize::MAX, settings.count().get()),
            settings,
            state: Mutex::new(state),
            worker_available: Condvar::new(),
            worker_needed: Condvar::new(),
        }
    }

    /// Who gets the next free worker: the first of the principal that has the fewest.
    fn next_in_turn(&self, state: &PoolState) -> Option<u64> {
        let most = self.settings.count().get();
        let may_take = |sharer: Sharer| sharer.is_none() || self.leases.taken_by(sharer) < most;
        let waiting = state.waiting.iter().filter(|(_, sharer)| may_take(**sharer));
        waiting.min_by_key(|(arrival, sharer)| (self.leases.taken_by(**sharer), **arrival)).map(|(arrival, _)| *arrival)
    }

    /// Workers that may stay: while others hold them all, the one more is there for whoever has none.
    fn kept_workers(&self) -> usize {
        let count = self.settings.count().get();
        if self.leases.taken_in_all() >= count { count.saturating_add(1) } else { count }
    }

    /// Workers that there should be: one more than the setting says if a principal waits that has none, while all are
    /// another's.
    fn wanted_workers(&self, state: &PoolState) -> usize {
        let has_none = |sharer: &Sharer| sharer.is_some() && self.leases.taken_by(*sharer) == 0;
        let is_shut_out = state.waiting.values().any(has_none);
        if is_shut_out { self.kept_workers() } else { self.settings.count().get() }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all waiting requests. Taking the lock first ensures that none is between checking and waiting.
    fn wake(&self) {
        drop(self.state());
        self.worker_available.notify_all();
    }

    /// The error for a request whose time has passed: no worker was ready in time, or others have them all.
    fn late(&self) -> WorkerError {
        if self.leases.taken_in_all() > 0 {
            return self.busy();
        }
        WorkerError::Stopped(StopReason::Timeout { deadline_ms: self.deadline_ms() })
    }

    fn deadline_ms(&self) -> u64 {
        u64::try_from(self.settings.deadline.as_millis()).unwrap_or(u64::MAX)
    }

    /// The error for a busy pool. The retry time assumes 100 ms for each round of requests.
    fn busy(&self) -> WorkerError {
        let waiting = self.queue.taken_in_all();
        let rounds = (waiting / self.settings.count()).saturating_add(1);
        let retry_after_ms = u64::try_from(rounds).unwrap_or(u64::MAX).saturating_mul(100);
        WorkerError::Busy { waiting, retry_after_ms }
    }

    /// Signals the starter if there are too few workers.
    fn signal_starter(&self, state: &PoolState) {
        if self.lacks_workers(state) {
            self.worker_needed.notify_one();
        }
    }

    fn lacks_workers(&self, state: &PoolState) -> bool {
        let workers = state.idle.len().saturating_add(self.leases.taken_in_all());
        !state.closing && state.start_failure.is_none() && workers < self.wanted_workers(state)
    }
}

/// Starts workers whenever there are too few, and releases the memory of idle ones, until the pool is dropped.
fn run_starter(core: &PoolCore) {
    let mut state = core.state();
    while !state.closing {
        if !core.lacks_workers(&state) {
            state = core.worker_needed.wait_timeout(state, IDLE_TIME).unwrap_or_else(PoisonError::into_inner).0;
            state.release_idle(Instant::now());
            continue;
        }
        drop(state);
        let started = WorkerProcess::start(&core.settings);
        state = core.state();
        match started {
            Ok(process) => state.idle.push(process),
            Err(failure) => state.start_failure = Some(failure),
        }
        core.worker_available.notify_all();
    }
    let idle = std::mem::take(&mut state.idle);
    drop(state);
    drop(idle);
}

impl WorkerLease {
    pub(crate) fn process(&mut self) -> Option<&mut WorkerProcess> {
        self.process.as_mut()
    }

    /// Keeps the document open in the worker for later requests.
    pub(crate) fn keep_document(&mut self, document: KeptDocument, page_count: u32) {
        if let Some(process) = &mut self.process {
            process.keep_document(document, page_count);
            self.is_kept = true;
        }
    }

    /// Ends the worker, which is dead or cannot be trusted.
    pub(crate) fn discard(mut self) {
        drop(self.process.take());
    }
}

impl Drop for WorkerLease {
    fn drop(&mut self) {
        let mut fit = self.process.take().and_then(|mut process| process.is_reusable().then_some(process));
        if let Some(process) = &mut fit
            && !(self.is_kept && process.can_keep_documents())
        {
            process.close_document();
        }
        let mut state = self.core.state();
        drop(self.place.take());
        let workers = state.idle.len().saturating_add(self.core.leases.taken_in_all());
        let surplus = if state.closing || workers >= self.core.kept_workers() { fit.take() } else { None };
        state.idle.extend(fit);
        if !state.idle.is_empty() {
            self.core.worker_available.notify_all();
        }
        self.core.signal_starter(&state);
        drop(state);
        // Ending a worker takes a moment.
        drop(surplus);
    }
}
