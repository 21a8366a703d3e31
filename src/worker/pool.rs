//! Workers that are started before they are needed, and who gets one.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use super::error::WorkerError;
use super::process::Process;
use super::settings::{MAX_DEATHS, MAX_REMEMBERED_DEATHS, WorkerSettings};
use crate::limits::Cancellation;

/// What tells documents apart: a hash of their bytes, or of what the system says of the file.
pub(super) type DocumentKey = [u8; 32];

/// The workers of this process.
pub(super) struct Pool {
    shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
}

struct Shared {
    settings: WorkerSettings,
    state: Mutex<State>,
    /// Told that a worker is free, one who waits for each; all, where they have to look for another reason. Were all told
    /// of each, 64 requests that wait would cost more than what they wait for.
    freed: Condvar,
    /// Told that there may be too few.
    lacking: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Process>,
    leased: usize,
    waiting: usize,
    closing: bool,
    /// Why the last worker could not be started; taken by the request that is told.
    start_failure: Option<WorkerError>,
    deaths: HashMap<DocumentKey, u32>,
}

impl State {
    /// A worker that waits, and was not killed while it did.
    fn live_one(&mut self) -> Option<Process> {
        self.idle.retain_mut(Process::is_alive);
        self.idle.pop()
    }
}

/// A worker that serves one document, until this is dropped.
pub(super) struct Lease {
    shared: Arc<Shared>,
    process: Option<Process>,
}

impl Pool {
    /// Starts the workers of `settings`, and keeps that many.
    ///
    /// A thread of its own starts them: a worker ends with the *thread* that started it, and the threads that bring
    /// requests come and go.
    pub(super) fn start(settings: WorkerSettings) -> Self {
        let settings = WorkerSettings { workers: Some(settings.count()), ..settings };
        let shared =
            Arc::new(Shared { settings, state: Mutex::default(), freed: Condvar::new(), lacking: Condvar::new() });
        let for_keeper = Arc::clone(&shared);
        let keeper = std::thread::Builder::new().name("workers".to_owned()).spawn(move || keep(&for_keeper));
        let keeper = keeper.map_err(|error| {
            shared.state().start_failure = Some(WorkerError::NotStarted { reason: error.to_string() });
        });
        Self { shared, keeper: keeper.ok() }
    }

    /// A worker, as soon as one is free, for a request that is still wanted then.
    pub(super) fn lease(&self, cancellation: &Cancellation) -> Result<Lease, WorkerError> {
        let shared = &self.shared;
        let to_be_woken = Arc::clone(shared);
        let _waking = cancellation.on_cancel(move || to_be_woken.wake());
        let patience = Instant::now() + shared.settings.deadline;
        let mut state = shared.state();
        if state.waiting >= shared.settings.max_waiting {
            return Err(shared.busy(&state));
        }
        state.waiting += 1;
        let leased = loop {
            if let Err(stopped) = cancellation.check() {
                break Err(stopped.into());
            }
            if let Some(process) = state.live_one() {
                state.leased += 1;
                break Ok(Lease { shared: Arc::clone(shared), process: Some(process) });
            }
            if let Some(failure) = state.start_failure.take() {
                break Err(failure);
            }
            shared.call_keeper(&state);
            let left = patience.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err(shared.busy(&state));
            }
            state = shared.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting = state.waiting.saturating_sub(1);
        // The keeper tries again where a failure was told.
        shared.call_keeper(&state);
        // Who was told of a worker and does not want it any more, or found another, passes it on.
        if !state.idle.is_empty() {
            shared.freed.notify_one();
        }
        leased
    }

    /// The setting `worker_deadline_ms`.
    pub(super) fn deadline_ms(&self) -> u64 {
        u64::try_from(self.shared.settings.deadline.as_millis()).unwrap_or(u64::MAX)
    }

    /// Refuses a document that has killed too many workers.
    pub(super) fn admit(&self, document: Option<&DocumentKey>) -> Result<(), WorkerError> {
        let state = self.shared.state();
        let deaths = document.and_then(|document| state.deaths.get(document)).copied().unwrap_or(0);
        if deaths >= MAX_DEATHS { Err(WorkerError::Quarantined { deaths }) } else { Ok(()) }
    }

    /// Remembers that a document has killed a worker.
    pub(super) fn blame(&self, document: Option<DocumentKey>) {
        let Some(document) = document else { return };
        let mut state = self.shared.state();
        if state.deaths.len() >= MAX_REMEMBERED_DEATHS {
            state.deaths.clear();
        }
        let deaths = state.deaths.entry(document).or_default();
        *deaths = deaths.saturating_add(1);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let idle = {
            let mut state = self.shared.state();
            state.closing = true;
            std::mem::take(&mut state.idle)
        };
        self.shared.lacking.notify_one();
        self.shared.freed.notify_all();
        drop(idle);
        if let Some(keeper) = self.keeper.take() {
            // A keeper that panicked has nothing left to stop.
            let _ = keeper.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has all who wait look again. With the lock taken first: nobody is then between looking and waiting.
    fn wake(&self) {
        drop(self.state());
        self.freed.notify_all();
    }

    /// When to try again: in the time that a deadline takes at worst, a second that most requests need a part of.
    fn busy(&self, state: &State) -> WorkerError {
        let rounds = (state.waiting / self.settings.count()).saturating_add(1);
        let retry_after_ms = u64::try_from(rounds).unwrap_or(u64::MAX).saturating_mul(100);
        WorkerError::Busy { waiting: state.waiting, retry_after_ms }
    }

    /// Has the keeper start one where there are too few.
    fn call_keeper(&self, state: &State) {
        if self.lacks_workers(state) {
            self.lacking.notify_one();
        }
    }

    fn lacks_workers(&self, state: &State) -> bool {
        let workers = state.idle.len().saturating_add(state.leased);
        !state.closing && state.start_failure.is_none() && workers < self.settings.count().get()
    }
}

/// Starts workers whenever there are too few, until the pool goes.
fn keep(shared: &Shared) {
    let mut state = shared.state();
    while !state.closing {
        if !shared.lacks_workers(&state) {
            state = shared.lacking.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        drop(state);
        let started = Process::start(&shared.settings);
        state = shared.state();
        match started {
            Ok(process) => state.idle.push(process),
            Err(failure) => state.start_failure = Some(failure),
        }
        shared.freed.notify_one();
    }
    let idle = std::mem::take(&mut state.idle);
    drop(state);
    drop(idle);
}

impl Lease {
    /// The worker.
    pub(super) fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// Gives the worker up: it is dead or not to be trusted.
    pub(super) fn discard(mut self) {
        drop(self.process.take());
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let fit = self.process.take().and_then(|mut process| process.is_fit().then_some(process));
        if let Some(process) = &fit {
            process.close_document();
        }
        let mut state = self.shared.state();
        state.leased = state.leased.saturating_sub(1);
        if !state.closing {
            state.idle.extend(fit);
        }
        if !state.idle.is_empty() {
            self.shared.freed.notify_one();
        }
        self.shared.call_keeper(&state);
    }
}
