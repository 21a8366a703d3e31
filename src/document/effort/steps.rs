//! The step budget of a page, and how an engine is stopped when it is spent.

use crate::EngineFailure;
use bytes::Bytes;
use pagewise_base::limits::{Deadline, Limit, LimitExceeded, Limits, StopReason};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The pixels of a picture for which the setting is meant, about a Letter page at 150 DPI.
const PICTURE_PIXELS: u64 = 2_000_000;

/// The largest multiple of the setting, for a picture of a Letter page at 300 DPI or more.
const MAX_FACTOR: u64 = 4;

/// The steps that an engine may take for a page. Clones share one budget.
#[derive(Clone)]
pub struct Steps {
    taken: Arc<AtomicU64>,
    limit: u64,
    deadline: Deadline,
}

/// Why an engine was stopped. It is the payload of the unwinding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// A limit was exceeded.
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

impl Steps {
    /// A budget of the steps in `limits`, until their deadline.
    pub fn new(limits: &Limits) -> Self {
        Self { taken: Arc::default(), limit: limits.max_page_steps, deadline: limits.deadline.clone() }
    }

    /// The budget for a picture of `pixels` pixels. A larger picture may take more steps, up to [`MAX_FACTOR`] times.
    pub fn for_picture(limits: &Limits, pixels: u64) -> Self {
        let times = (pixels / PICTURE_PIXELS).clamp(1, MAX_FACTOR);
        let steps = Self::new(limits);
        Self { limit: steps.limit.saturating_mul(times), ..steps }
    }

    /// Takes `steps`. Stops the engine if the budget is spent or the deadline has passed.
    pub fn take(&self, steps: u64) {
        // Only one thread counts, so a load and a store are enough.
        let taken = self.taken.load(Ordering::Relaxed).saturating_add(steps);
        self.taken.store(taken, Ordering::Relaxed);
        if let Err(limit) = LimitExceeded::check(Limit::PageSteps, taken, self.limit) {
            Interruption::Limit(limit).leave();
        }
        if let Err(stopped) = self.deadline.check() {
            Interruption::Stopped(stopped).leave();
        }
    }

    /// The steps taken so far.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The remaining steps.
    pub(crate) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken())
    }

    /// Resets the budget, for the next page or for drawing a page that was counted.
    pub fn restart(&self) {
        self.taken.store(0, Ordering::Relaxed);
    }
}

/// A file that takes steps each time the engine looks up an object, found or not.
pub struct CountedFile {
    bytes: Bytes,
    steps: Steps,
}

impl CountedFile {
    /// The file `bytes`, whose reading takes `steps`.
    pub fn new(bytes: Bytes, steps: &Steps) -> Self {
        Self { bytes, steps: steps.clone() }
    }
}

impl AsRef<[u8]> for CountedFile {
    /// The engine calls this each time it looks up an object.
    fn as_ref(&self) -> &[u8] {
        self.steps.take(super::price::FETCH);
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_contained;
    use std::time::Duration;

    fn taken(limit: u64, steps: u64) -> Result<u64, EngineFailure> {
        let steps_of = Steps::new(&Limits { max_page_steps: limit, ..Limits::default() });
        run_contained(|| {
            steps_of.take(steps);
            steps_of.taken()
        })
    }

    #[test]
    fn an_engine_is_left_at_the_first_step_too_many() {
        assert_eq!(taken(7, 7), Ok(7));
        let limit = LimitExceeded { which: Limit::PageSteps, limit: 7, found: 8 };
        assert_eq!(taken(7, 8), Err(EngineFailure::Limit(limit)));
        assert!(taken(7, u64::MAX).is_err());
    }

    #[test]
    fn a_large_picture_may_take_more() {
        let limits = Limits { max_page_steps: 7, ..Limits::default() };
        let left = [1, 2_000_000, 6_500_000, u64::MAX].map(|pixels| Steps::for_picture(&limits, pixels).left());
        assert_eq!(left, [7, 7, 21, 28]);
    }

    #[test]
    fn an_engine_is_left_when_its_time_is_over() {
        let deadline = Deadline::after(Duration::ZERO);
        assert!(deadline.check_now().is_err());
        let steps = Steps::new(&Limits { deadline, ..Limits::default() });
        assert!(matches!(run_contained(|| steps.take(1)), Err(EngineFailure::Stopped(StopReason::Timeout { .. }))));
    }

    #[test]
    fn each_object_that_is_fetched_costs_steps() {
        let steps = Steps::new(&Limits::default());
        let file = CountedFile::new(Bytes::from_static(b"%PDF"), &steps);
        assert_eq!((file.as_ref(), steps.taken()), (b"%PDF".as_slice(), super::super::price::FETCH));
        steps.restart();
        assert_eq!(steps.taken(), 0);
    }
}
