//! Runs engines on threads of their own, where a panic becomes an error and prints nothing.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

use super::page_budget::Interruption;
use pagewise_base::limits::{LimitExceeded, StopReason, watch_this_thread};

/// The thread's stack: engines recurse into nested forms and objects.
const STACK_BYTES: usize = 64 << 20;

/// Longer panic messages are cut: they may quote the document.
const MAX_MESSAGE: usize = 200;

thread_local! {
    /// Whether panics of this thread are expected and not printed.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Why an engine returned no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineFailure {
    /// The engine panicked.
    #[error("the engine failed: {message}")]
    Panicked {
        /// The panic's message, on one line.
        message: String,
    },
    /// The engine exceeded a limit.
    #[error(transparent)]
    Limit(LimitExceeded),
    /// The deadline passed, or the request was cancelled.
    #[error(transparent)]
    Stopped(StopReason),
    /// The thread could not be started.
    #[error("no thread for the engine")]
    NoThread,
}

/// Calls `run` on a thread of its own. A panic becomes [`EngineFailure::Panicked`]; unwinding by an [`Interruption`]
/// becomes the corresponding variant.
///
/// The first call replaces the process's panic hook with one that is silent for these threads only.
pub fn run_contained<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, EngineFailure> {
    install_quiet_hook();
    thread::scope(|scope| {
        let quiet = move || {
            let _watched = watch_this_thread();
            IS_QUIET.set(true);
            panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| failure_of(&*payload))
        };
        let thread = thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES);
        let handle = thread.spawn_scoped(scope, quiet).map_err(|_| EngineFailure::NoThread)?;
        handle.join().unwrap_or_else(|payload| Err(failure_of(&*payload)))
    })
}

/// Calls `run` on this thread. If it panics, nothing is printed, and the result is `None`.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    install_quiet_hook();
    let was_quiet = IS_QUIET.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(run)).ok();
    IS_QUIET.set(was_quiet);
    outcome
}

/// A thread that serves requests and keeps its state between them, until it is dropped or panics.
pub struct EngineThread<Q, A> {
    requests: Sender<(Q, SyncSender<A>)>,
}

/// The requests to an [`EngineThread`], each with the channel for its answer.
pub type EngineRequests<Q, A> = Receiver<(Q, SyncSender<A>)>;

impl<Q: Send + 'static, A: Send + 'static> EngineThread<Q, A> {
    /// Starts a thread with `run`, which answers requests until the channel closes.
    pub fn start(run: impl FnOnce(&EngineRequests<Q, A>) + Send + 'static) -> Result<Self, EngineFailure> {
        install_quiet_hook();
        let (requests, received) = mpsc::channel();
        let quiet = move || {
            let _watched = watch_this_thread();
            IS_QUIET.set(true);
            // Callers that wait for an answer see the channel close.
            drop(panic::catch_unwind(AssertUnwindSafe(move || run(&received))));
        };
        let thread = thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES);
        thread.spawn(quiet).map_err(|_| EngineFailure::NoThread)?;
        Ok(Self { requests })
    }

    /// The answer to `request`; `None` if the thread has ended, after which it never answers again.
    pub fn ask(&self, request: Q) -> Option<A> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.requests.send((request, answer)).ok()?;
        answered.recv().ok()
    }
}

fn install_quiet_hook() {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // A thread that is shutting down has no flag any more; it stays silent.
            if !IS_QUIET.try_with(Cell::get).unwrap_or(true) {
                usual(panic);
            }
        }));
    });
}

fn failure_of(payload: &(dyn Any + Send)) -> EngineFailure {
    if let Some(interruption) = payload.downcast_ref::<Interruption>() {
        return (*interruption).into();
    }
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let message = message.chars().filter(|character| !character.is_control()).take(MAX_MESSAGE).collect();
    EngineFailure::Panicked { message }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::{EngineFailure, EngineThread, run_contained};

    #[test]
    fn a_panic_costs_an_error() {
        #[expect(clippy::panic, reason = "what is tested")]
        let outcome: Result<(), EngineFailure> = run_contained(|| panic!("two\nlines {}", 7));
        assert_eq!(outcome, Err(EngineFailure::Panicked { message: "twolines 7".to_owned() }));
        assert_eq!(run_contained(|| 1), Ok(1));
    }

    #[test]
    fn an_engine_answers_until_it_panics() {
        let mut sum = 0_u32;
        let engine = EngineThread::<Option<u32>, u32>::start(move |requests| {
            while let Ok((request, answer)) = requests.recv() {
                #[expect(clippy::panic, reason = "what is tested")]
                let more = request.unwrap_or_else(|| panic!("none"));
                sum += more;
                answer.send(sum).unwrap();
            }
        })
        .unwrap();
        assert_eq!((engine.ask(Some(1)), engine.ask(Some(2))), (Some(1), Some(3)));
        assert_eq!((engine.ask(None), engine.ask(Some(1))), (None, None));
    }
}
