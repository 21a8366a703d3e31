//! When work has to stop: at a time, or when it was cancelled.
//!
//! The rooms that read PDFs have no clock. They call [`Deadline::check`] in every loop that a file can make long.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::share::Sharer;

/// Why work stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum StopReason {
    /// It took too long.
    #[error("the reader did not finish within worker_deadline_ms, which is {deadline_ms}")]
    Timeout {
        /// The setting's value.
        deadline_ms: u64,
    },
    /// The caller cancelled it.
    #[error("the request was cancelled")]
    Cancelled,
}

/// Cancels a request. Clones are the same: what one cancels, all see.
#[derive(Clone, Default)]
pub struct Cancellation {
    state: Arc<CancellationState>,
}

#[derive(Default)]
struct CancellationState {
    sharer: Sharer,
    is_cancelled: AtomicBool,
    callbacks: Mutex<Callbacks>,
}

#[derive(Default)]
struct Callbacks {
    next: u64,
    registered: Vec<(u64, Box<dyn Fn() + Send>)>,
}

impl Cancellation {
    /// A request that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A request of a principal that is not cancelled.
    #[must_use]
    pub fn of(sharer: Sharer) -> Self {
        Self { state: Arc::new(CancellationState { sharer, ..CancellationState::default() }) }
    }

    /// Whose request it is.
    #[must_use]
    pub fn sharer(&self) -> Sharer {
        self.state.sharer
    }

    /// Cancels the request, and calls every callback.
    pub fn cancel(&self) {
        self.state.is_cancelled.store(true, Ordering::SeqCst);
        // The lock is held meanwhile: no callback runs after its guard was dropped.
        self.callbacks().registered.iter().for_each(|(_, callback)| callback());
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.state.is_cancelled.load(Ordering::SeqCst)
    }

    /// Fails once the request was cancelled.
    ///
    /// # Errors
    /// [`StopReason::Cancelled`].
    pub fn check(&self) -> Result<(), StopReason> {
        if self.is_cancelled() { Err(StopReason::Cancelled) } else { Ok(()) }
    }

    /// Calls `callback` on cancellation, at once if that has happened, until the guard is dropped. It may be called twice,
    /// and must take no lock that is held here or where the guard is dropped.
    pub fn on_cancel(&self, callback: impl Fn() + Send + 'static) -> CallbackGuard<'_> {
        let number = {
            let mut callbacks = self.callbacks();
            callbacks.next += 1;
            let number = callbacks.next;
            callbacks.registered.push((number, Box::new(callback)));
            number
        };
        if self.is_cancelled() {
            self.cancel();
        }
        CallbackGuard { cancellation: self, number }
    }

    fn callbacks(&self) -> MutexGuard<'_, Callbacks> {
        self.state.callbacks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// Keeps a callback of [`Cancellation::on_cancel`] registered.
#[must_use]
pub struct CallbackGuard<'a> {
    cancellation: &'a Cancellation,
    number: u64,
}

impl Drop for CallbackGuard<'_> {
    fn drop(&mut self) {
        self.cancellation.callbacks().registered.retain(|(number, _)| *number != self.number);
    }
}

/// When an operation has to stop. Clones are the same; the default never stops.
#[derive(Clone, Default)]
pub struct Deadline {
    state: Option<Arc<DeadlineState>>,
}

struct DeadlineState {
    time: Duration,
    cancellation: Cancellation,
    origin: Instant,
    /// Nanoseconds from the origin.
    until: AtomicU64,
    /// The number of the operation, which tells its decoded bytes from those of another.
    operation: AtomicU64,
    /// Stays true once the time is over: every later check fails too, so that nothing goes on with half a result.
    is_over: AtomicBool,
}

/// Checks for each read of the clock, which costs more than the rest of a check.
const CHECKS_PER_CLOCK_READ: u32 = 32;

thread_local! {
    static CHECKS: Cell<u32> = const { Cell::new(0) };
    /// An operation, and the bytes that it has decoded.
    static DECODED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A number that no other operation of this process has.
fn next_operation() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

impl Deadline {
    /// `time` from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self::start(time, Cancellation::new())
    }

    /// The same time, from now, for a request that can be cancelled.
    #[must_use]
    pub fn restarted_for(&self, cancellation: &Cancellation) -> Self {
        let time = self.state.as_ref().map_or(Duration::MAX, |state| state.time);
        Self::start(time, cancellation.clone())
    }

    /// Another time from now, for the same request.
    #[must_use]
    pub fn with_time(&self, time: Duration) -> Self {
        Self::start(time, self.state.as_ref().map(|state| state.cancellation.clone()).unwrap_or_default())
    }

    fn start(time: Duration, cancellation: Cancellation) -> Self {
        let state = DeadlineState {
            time,
            cancellation,
            origin: Instant::now(),
            until: AtomicU64::new(nanoseconds(time)),
            operation: AtomicU64::new(next_operation()),
            is_over: AtomicBool::new(false),
        };
        Self { state: Some(Arc::new(state)) }
    }

    /// Starts again from now, for the next operation on the same document.
    pub fn restart(&self) {
        let Some(state) = &self.state else { return };
        let until = nanoseconds(state.origin.elapsed()).saturating_add(nanoseconds(state.time));
        state.until.store(until, Ordering::Relaxed);
        state.is_over.store(false, Ordering::Relaxed);
        state.operation.store(next_operation(), Ordering::Relaxed);
    }

    /// Adds to the bytes that this operation has decoded on this thread, and returns their sum; 0 without a deadline.
    pub fn count_decoded(&self, bytes: u64) -> u64 {
        let Some(state) = &self.state else { return 0 };
        let operation = state.operation.load(Ordering::Relaxed);
        let (counted, decoded) = DECODED.get();
        let decoded = if counted == operation { decoded.saturating_add(bytes) } else { bytes };
        DECODED.set((operation, decoded));
        decoded
    }

    /// Fails once the time is over or the request was cancelled. Cheap enough for loops whose turns take a microsecond,
    /// since it reads the clock in one of `CHECKS_PER_CLOCK_READ` calls.
    ///
    /// # Errors
    /// Why to stop.
    #[inline]
    pub fn check(&self) -> Result<(), StopReason> {
        let Some(state) = &self.state else { return Ok(()) };
        let checks = CHECKS.get().wrapping_add(1);
        CHECKS.set(checks);
        if checks.is_multiple_of(CHECKS_PER_CLOCK_READ) { state.check_clock() } else { state.known() }
    }

    /// The same, and always reads the clock: before a long step that cannot be stopped.
    ///
    /// # Errors
    /// Why to stop.
    pub fn check_now(&self) -> Result<(), StopReason> {
        self.state.as_ref().map_or(Ok(()), |state| state.check_clock())
    }

    /// Why the operation was stopped, if it was.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.state.as_ref().and_then(|state| state.known().err())
    }
}

impl DeadlineState {
    fn known(&self) -> Result<(), StopReason> {
        if self.cancellation.state.is_cancelled.load(Ordering::Relaxed) {
            return Err(StopReason::Cancelled);
        }
        if self.is_over.load(Ordering::Relaxed) { Err(self.timeout()) } else { Ok(()) }
    }

    fn check_clock(&self) -> Result<(), StopReason> {
        if nanoseconds(self.origin.elapsed()) >= self.until.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.known()
    }

    fn timeout(&self) -> StopReason {
        StopReason::Timeout { deadline_ms: u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX) }
    }
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Deadline").field(&self.state.as_ref().map(|state| state.time)).finish()
    }
}

/// Equal if they share one state.
impl PartialEq for Deadline {
    fn eq(&self, other: &Self) -> bool {
        match (&self.state, &other.state) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Deadline {}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_deadline_that_passed_stops_every_check_until_it_begins_anew() {
        let deadline = Deadline::after(Duration::ZERO);
        assert_eq!(deadline.stopped(), None, "nobody has looked");
        let timeout = StopReason::Timeout { deadline_ms: 0 };
        assert_eq!(deadline.check_now(), Err(timeout));
        assert_eq!(deadline.clone().check(), Err(timeout));
        assert_eq!(deadline.stopped(), Some(timeout));
        deadline.restart();
        assert_eq!(deadline.stopped(), None);
        let checks = (1..=CHECKS_PER_CLOCK_READ).filter(|_| deadline.check().is_err()).count();
        assert!(checks > 0, "the clock is looked at once in so many checks");
    }

    #[test]
    fn what_is_decoded_is_counted_for_each_operation() {
        let (one, other) = (Deadline::after(Duration::MAX), Deadline::after(Duration::MAX));
        assert_eq!([one.count_decoded(2), one.clone().count_decoded(3)], [2, 5]);
        assert_eq!(other.count_decoded(7), 7);
        one.restart();
        assert_eq!(one.count_decoded(1), 1);
        assert_eq!(Deadline::default().count_decoded(9), 0, "nobody has begun an operation");
    }

    #[test]
    fn a_deadline_without_end_ends_when_it_is_cancelled() {
        let cancellation = Cancellation::new();
        let deadline = Deadline::default().restarted_for(&cancellation);
        assert_eq!(deadline.check_now(), Ok(()));
        cancellation.cancel();
        assert_eq!(deadline.check(), Err(StopReason::Cancelled));
        assert_eq!(Deadline::default().check(), Ok(()));
    }

    #[test]
    fn who_waits_is_woken_and_who_has_gone_is_not() {
        let cancellation = Cancellation::new();
        let (sender, woken) = mpsc::channel();
        let wake = |name: &'static str| {
            let sender = sender.clone();
            move || sender.send(name).unwrap_or_default()
        };
        drop(cancellation.on_cancel(wake("gone")));
        let _waits = cancellation.on_cancel(wake("waits"));
        let other = cancellation.clone();
        std::thread::spawn(move || other.cancel()).join().unwrap_or_default();
        assert_eq!(woken.try_iter().collect::<Vec<_>>(), ["waits"]);
        assert_eq!(cancellation.check(), Err(StopReason::Cancelled));
        let _late = cancellation.on_cancel(wake("late"));
        assert!(woken.try_iter().any(|name| name == "late"), "it was cancelled before");
    }
}
