//! The processor time of a page, and how an engine is left when it is spent.
//!
//! An engine interprets a page in one call, and calls our code back: a device for what the page draws, and the file for each
//! object that is looked up. These callbacks check the budget. When it is spent, they unwind out of the engine, and
//! `run_contained` turns that into an error. What the engine does without a callback is limited by the size of its data,
//! and in the end by the process that runs it.

use crate::EngineFailure;
use bytes::Bytes;
use pagewise_base::limits::{Deadline, Limit, LimitExceeded, Limits, ProcessorClock, StopReason};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Checks for each read of the clock, which costs as much as a small callback.
const CHECKS_PER_CLOCK_READ: u64 = 16;

/// The processor time that an engine may spend on a page. Clones share one budget.
#[derive(Clone)]
pub struct PageBudget {
    state: Arc<BudgetState>,
    clock: ProcessorClock,
    limit_ms: u64,
    deadline: Deadline,
}

#[derive(Default)]
struct BudgetState {
    /// The clock at the start of the page, in nanoseconds.
    start: AtomicU64,
    checks: AtomicU64,
}

/// Why an engine was left. It is the payload of the unwinding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    Limit(LimitExceeded),
    /// The deadline passed, or the request was cancelled.
    Stopped(StopReason),
}

impl From<Interruption> for EngineFailure {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::Limit(limit) => Self::Limit(limit),
            Interruption::Stopped(stopped) => Self::Stopped(stopped),
        }
    }
}

impl Interruption {
    /// Unwinds out of the engine to `run_contained`, without calling the panic hook.
    pub fn leave(self) -> ! {
        resume_unwind(Box::new(self))
    }
}

/// Leaves the engine if a limit is exceeded.
pub fn leave_beyond(which: Limit, found: u64, limit: u64) {
    if let Err(limit) = LimitExceeded::check(which, found, limit) {
        Interruption::Limit(limit).leave();
    }
}

impl PageBudget {
    /// The budget in `limits`, until their deadline. It is used on one thread, and begins at once.
    pub fn new(limits: &Limits) -> Self {
        let budget = Self {
            state: Arc::default(),
            clock: limits.processor_clock,
            limit_ms: limits.max_page_cpu_ms,
            deadline: limits.deadline.clone(),
        };
        budget.restart();
        budget
    }

    /// Begins anew, for the next page.
    pub fn restart(&self) {
        self.state.start.store(nanoseconds(self.clock.read()), Ordering::Relaxed);
    }

    /// Leaves the engine if the budget is spent or the deadline has passed. Cheap enough for every callback.
    pub fn check(&self) {
        // Only one thread counts, so a load and a store are enough.
        let checks = self.state.checks.load(Ordering::Relaxed).wrapping_add(1);
        self.state.checks.store(checks, Ordering::Relaxed);
        if checks.is_multiple_of(CHECKS_PER_CLOCK_READ) {
            self.check_now();
        }
    }

    /// The same, and always reads the clock: before and after a long step.
    pub fn check_now(&self) {
        let start = self.state.start.load(Ordering::Relaxed);
        let spent = Duration::from_nanos(nanoseconds(self.clock.read()).saturating_sub(start));
        if spent > Duration::from_millis(self.limit_ms) {
            self.leave_spent(spent);
        }
        if let Err(stopped) = self.deadline.check_now() {
            Interruption::Stopped(stopped).leave();
        }
    }

    /// Leaves the engine before work that would take longer than any budget.
    pub fn leave_endless(&self) -> ! {
        self.leave_spent(Duration::ZERO)
    }

    fn leave_spent(&self, spent: Duration) -> ! {
        let spent_ms = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        let found = spent_ms.max(self.limit_ms.saturating_add(1));
        Interruption::Limit(LimitExceeded { which: Limit::PageCpu, limit: self.limit_ms, found }).leave()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A file that checks the budget each time the engine looks up an object, found or not.
pub struct BudgetedFile {
    bytes: Bytes,
    budget: PageBudget,
}

impl BudgetedFile {
    /// The file `bytes`, whose reading is part of `budget`.
    pub fn new(bytes: Bytes, budget: &PageBudget) -> Self {
        Self { bytes, budget: budget.clone() }
    }
}

impl AsRef<[u8]> for BudgetedFile {
    /// The engine calls this each time it looks up an object.
    fn as_ref(&self) -> &[u8] {
        self.budget.check();
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_contained;
    use std::cell::Cell;

    /// A clock that advances by a millisecond each time it is read.
    fn ticking() -> ProcessorClock {
        thread_local! {
            static READS: Cell<u64> = const { Cell::new(0) };
        }
        ProcessorClock::new(|| {
            READS.set(READS.get() + 1);
            Duration::from_millis(READS.get())
        })
    }

    /// The checks that an engine makes within `limit_ms` before it is left.
    fn checks_within(limit_ms: u64, most: u64) -> Result<(), EngineFailure> {
        let limits = Limits { max_page_cpu_ms: limit_ms, processor_clock: ticking(), ..Limits::default() };
        run_contained(|| {
            let budget = PageBudget::new(&limits);
            (0..most).for_each(|_| budget.check());
        })
    }

    #[test]
    fn an_engine_is_left_when_the_time_of_the_page_is_spent() {
        assert_eq!(checks_within(7, 7 * CHECKS_PER_CLOCK_READ), Ok(()));
        let limit = LimitExceeded { which: Limit::PageCpu, limit: 7, found: 8 };
        assert_eq!(checks_within(7, 8 * CHECKS_PER_CLOCK_READ), Err(EngineFailure::Limit(limit)));
    }

    #[test]
    fn the_next_page_has_its_own_time() {
        let limits = Limits { max_page_cpu_ms: 2, processor_clock: ticking(), ..Limits::default() };
        let pages = run_contained(|| {
            let budget = PageBudget::new(&limits);
            (0..9).for_each(|_| {
                budget.restart();
                (0..2).for_each(|_| budget.check_now());
            });
        });
        assert_eq!(pages, Ok(()));
    }

    #[test]
    fn a_clock_that_stands_still_spends_nothing_and_endless_work_is_refused_all_the_same() {
        let limits = Limits { max_page_cpu_ms: 0, ..Limits::default() };
        assert_eq!(run_contained(|| PageBudget::new(&limits).check_now()), Ok(()));
        let refused = run_contained(|| PageBudget::new(&limits).leave_endless());
        assert!(matches!(refused, Err(EngineFailure::Limit(LimitExceeded { which: Limit::PageCpu, .. }))));
    }

    #[test]
    fn an_engine_is_left_when_the_deadline_has_passed() {
        let limits = Limits { deadline: Deadline::after(Duration::ZERO), ..Limits::default() };
        let outcome = run_contained(|| PageBudget::new(&limits).check_now());
        assert!(matches!(outcome, Err(EngineFailure::Stopped(StopReason::Timeout { .. }))));
    }

    #[test]
    fn each_lookup_is_a_check() {
        let limits = Limits { max_page_cpu_ms: 0, processor_clock: ticking(), ..Limits::default() };
        let outcome = run_contained(|| {
            let file = BudgetedFile::new(Bytes::from_static(b"%PDF"), &PageBudget::new(&limits));
            (0..CHECKS_PER_CLOCK_READ).map(|_| file.as_ref().len()).sum::<usize>()
        });
        assert!(matches!(outcome, Err(EngineFailure::Limit(_))));
    }
}
