//! When work has to stop: at a time, or once nobody wants it any more.
//!
//! The rooms that read PDFs know no clock. They call [`Deadline::check`] in every loop that a file can make long; what
//! time it is, and who has cancelled, is known here.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why work stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It took too long.
    #[error("worker_deadline_ms is {deadline_ms}, and the reader was not done by then")]
    Timeout {
        /// The setting's value.
        deadline_ms: u64,
    },
    /// Its caller no longer wants it.
    #[error("the request was cancelled")]
    Cancelled,
}

/// Whether a caller still wants its answer. Clones are one: what one of them cancels, all see.
#[derive(Clone, Default)]
pub struct Cancellation {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    is_cancelled: AtomicBool,
    wakes: Mutex<Wakes>,
}

#[derive(Default)]
struct Wakes {
    next: u64,
    waiting: Vec<(u64, Box<dyn Fn() + Send>)>,
}

impl Cancellation {
    /// A request that is wanted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells all who work on the request to stop, and wakes those who wait.
    pub fn cancel(&self) {
        self.shared.is_cancelled.store(true, Ordering::SeqCst);
        // With the lock held: once a `Waking` is dropped its call is not made any more.
        self.wakes().waiting.iter().for_each(|(_, wake)| wake());
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.shared.is_cancelled.load(Ordering::SeqCst)
    }

    /// Stops work that nobody wants.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`].
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_cancelled() { Err(Stopped::Cancelled) } else { Ok(()) }
    }

    /// Has `wake` called when it is cancelled, at once where it was, until the result is dropped. It may be called
    /// twice, and must take no lock that is held where this is called or the result dropped.
    pub fn on_cancel(&self, wake: impl Fn() + Send + 'static) -> Waking<'_> {
        let number = {
            let mut wakes = self.wakes();
            wakes.next += 1;
            let number = wakes.next;
            wakes.waiting.push((number, Box::new(wake)));
            number
        };
        if self.is_cancelled() {
            self.cancel();
        }
        Waking { cancellation: self, number }
    }

    fn wakes(&self) -> MutexGuard<'_, Wakes> {
        self.shared.wakes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("is_cancelled", &self.is_cancelled()).finish()
    }
}

/// Somebody to be woken; see [`Cancellation::on_cancel`].
#[must_use]
pub struct Waking<'a> {
    cancellation: &'a Cancellation,
    number: u64,
}

impl Drop for Waking<'_> {
    fn drop(&mut self) {
        self.cancellation.wakes().waiting.retain(|(number, _)| *number != self.number);
    }
}

/// When an operation has to stop. Clones are one; the default never stops.
#[derive(Clone, Default)]
pub struct Deadline {
    set: Option<Arc<Set>>,
}

struct Set {
    time: Duration,
    cancellation: Cancellation,
    origin: Instant,
    /// Nanoseconds from the origin.
    until: AtomicU64,
    /// Seen to have passed: from then on every check fails, so that nothing goes on with half an answer.
    is_over: AtomicBool,
}

/// Checks for each look at the clock, which costs more than all else that a check does.
const CHECKS_A_LOOK: u32 = 32;

thread_local! {
    static CHECKS: Cell<u32> = const { Cell::new(0) };
}

impl Deadline {
    /// `time` from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self::set(time, Cancellation::new())
    }

    /// As much time as this one had, from now, for a request that can be cancelled.
    #[must_use]
    pub fn renewed(&self, cancellation: &Cancellation) -> Self {
        let time = self.set.as_ref().map_or(Duration::MAX, |set| set.time);
        Self::set(time, cancellation.clone())
    }

    fn set(time: Duration, cancellation: Cancellation) -> Self {
        let until = AtomicU64::new(nanoseconds(time));
        let set = Set { time, cancellation, origin: Instant::now(), until, is_over: AtomicBool::new(false) };
        Self { set: Some(Arc::new(set)) }
    }

    /// Begins anew, for the next operation on what is open.
    pub fn restart(&self) {
        let Some(set) = &self.set else { return };
        let until = nanoseconds(set.origin.elapsed()).saturating_add(nanoseconds(set.time));
        set.until.store(until, Ordering::Relaxed);
        set.is_over.store(false, Ordering::Relaxed);
    }

    /// Stops an operation that has had its time, or that nobody wants. Cheap enough for every turn of a loop whose turns
    /// take a microsecond: the clock is looked at now and then.
    ///
    /// # Errors
    /// Why to stop.
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        let Some(set) = &self.set else { return Ok(()) };
        let checks = CHECKS.get().wrapping_add(1);
        CHECKS.set(checks);
        if checks.is_multiple_of(CHECKS_A_LOOK) { set.look() } else { set.known() }
    }

    /// The same with a look at the clock: before a long step that cannot be stopped.
    ///
    /// # Errors
    /// Why to stop.
    pub fn look(&self) -> Result<(), Stopped> {
        self.set.as_ref().map_or(Ok(()), |set| set.look())
    }

    /// Why the operation was stopped, where it was.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        self.set.as_ref().and_then(|set| set.known().err())
    }
}

impl Set {
    fn known(&self) -> Result<(), Stopped> {
        if self.cancellation.shared.is_cancelled.load(Ordering::Relaxed) {
            return Err(Stopped::Cancelled);
        }
        if self.is_over.load(Ordering::Relaxed) { Err(self.timeout()) } else { Ok(()) }
    }

    fn look(&self) -> Result<(), Stopped> {
        if nanoseconds(self.origin.elapsed()) >= self.until.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.known()
    }

    fn timeout(&self) -> Stopped {
        Stopped::Timeout { deadline_ms: u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX) }
    }
}

impl fmt::Debug for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Deadline").field(&self.set.as_ref().map(|set| set.time)).finish()
    }
}

/// Two deadlines are equal where they are one.
impl PartialEq for Deadline {
    fn eq(&self, other: &Self) -> bool {
        match (&self.set, &other.set) {
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
        let timeout = Stopped::Timeout { deadline_ms: 0 };
        assert_eq!(deadline.look(), Err(timeout));
        assert_eq!(deadline.clone().check(), Err(timeout));
        assert_eq!(deadline.stopped(), Some(timeout));
        deadline.restart();
        assert_eq!(deadline.stopped(), None);
        let checks = (1..=CHECKS_A_LOOK).filter(|_| deadline.check().is_err()).count();
        assert!(checks > 0, "the clock is looked at once in so many checks");
    }

    #[test]
    fn a_deadline_without_end_ends_when_it_is_cancelled() {
        let cancellation = Cancellation::new();
        let deadline = Deadline::default().renewed(&cancellation);
        assert_eq!(deadline.look(), Ok(()));
        cancellation.cancel();
        assert_eq!(deadline.check(), Err(Stopped::Cancelled));
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
        assert_eq!(cancellation.check(), Err(Stopped::Cancelled));
        let _late = cancellation.on_cancel(wake("late"));
        assert!(woken.try_iter().any(|name| name == "late"), "it was cancelled before");
    }
}
