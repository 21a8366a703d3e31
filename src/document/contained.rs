//! Runs code that may panic, without a word on standard error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

/// Stack of the thread: engines descend into nested forms and objects by recursion.
const STACK_BYTES: usize = 64 << 20;

/// Characters of a panic's message that are kept: it may quote the document.
const MAX_MESSAGE: usize = 200;

thread_local! {
    /// Whether panics of this thread are answers, not accidents.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Why an engine gave no answer at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineFailure {
    /// It gave up inside.
    #[error("the engine failed: {message}")]
    Panicked {
        /// What it said, on one line.
        message: String,
    },
    /// No thread for it could be had.
    #[error("no thread for the engine")]
    NoThread,
}

/// Calls `run` on a thread of its own and turns a panic into [`EngineFailure::Panicked`].
///
/// The first call wraps the process's panic hook: panics of these threads are not printed, all others as before.
pub(crate) fn contained<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, EngineFailure> {
    silence_quiet_threads();
    thread::scope(|scope| {
        let quiet = move || {
            IS_QUIET.set(true);
            panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| panicked(&*payload))
        };
        let thread = thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES);
        let handle = thread.spawn_scoped(scope, quiet).map_err(|_| EngineFailure::NoThread)?;
        handle.join().unwrap_or_else(|payload| Err(panicked(&*payload)))
    })
}

fn silence_quiet_threads() {
    static WRAPPED: Once = Once::new();
    WRAPPED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // A thread that is being torn down has no flag any more, and nothing to say either.
            if !IS_QUIET.try_with(Cell::get).unwrap_or(true) {
                usual(panic);
            }
        }));
    });
}

fn panicked(payload: &(dyn Any + Send)) -> EngineFailure {
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let message = message.chars().filter(|character| !character.is_control()).take(MAX_MESSAGE).collect();
    EngineFailure::Panicked { message }
}

#[cfg(test)]
mod tests {
    use super::{EngineFailure, contained};

    #[test]
    fn a_panic_costs_an_error() {
        #[expect(clippy::panic, reason = "what is tested")]
        let outcome: Result<(), EngineFailure> = contained(|| panic!("two\nlines {}", 7));
        assert_eq!(outcome, Err(EngineFailure::Panicked { message: "twolines 7".to_owned() }));
        assert_eq!(contained(|| 1), Ok(1));
    }
}
