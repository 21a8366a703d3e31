//! What a worker spends on a request, as the system tells its parent, who believes no word of the worker's own.
//!
//! A worker leaves its engine by itself when a page has spent its time. The engine does not always let it: while it decodes
//! or paints, it calls nobody.

use std::cell::Cell;
use std::time::Duration;

use crate::worker::error::WorkerError;
use pagewise_base::limits::{Limit, LimitExceeded};

/// The pause between looks at a worker.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// The time in which a worker can still report by itself that its time is spent.
const GRACE: Duration = Duration::from_millis(300);

/// The share of a worker's address space that a request may fill, beside the bytes of the file: two fifths. The picture of
/// 100 megapixels takes 400 MB.
const SHARE: (u64, u64) = (2, 5);

/// What a worker may spend on a request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Allowance {
    /// How much of the deadline was spent by earlier requests.
    pub(crate) time_spent: Duration,
    /// The milliseconds of processor time of a page, and how much of them was spent; `None` if the deadline suffices.
    pub(crate) page_time: Option<(u64, Duration)>,
    /// The memory beside that of pages; `None` if the limit of the process suffices.
    pub(crate) file_bytes: Option<u64>,
}

/// What requests have taken.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    pub(super) time: Duration,
    pub(super) processor_time: Duration,
}

/// Looks at a worker while its parent waits for an answer.
pub(super) struct Supervision {
    process: u32,
    allowance: Allowance,
    memory_bytes: u64,
    /// At the first look. Requests that are answered before it cost nothing.
    start: Cell<Option<Usage>>,
    last: Cell<Option<Usage>>,
}

/// What a process has used so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    time: Duration,
    resident_bytes: u64,
}

impl Supervision {
    /// Begins with a request to a worker of this address space.
    pub(super) fn new(process: u32, allowance: Allowance, memory_bytes: u64) -> Self {
        Self { process, allowance, memory_bytes, start: Cell::default(), last: Cell::default() }
    }

    /// Fails once the worker has spent too much.
    pub(super) fn check(&self) -> Result<(), WorkerError> {
        let Some(now) = Usage::of(self.process) else { return Ok(()) };
        let start = self.start.get().unwrap_or(now);
        self.start.set(Some(start));
        self.last.set(Some(now));
        self.check_time(now.time.saturating_sub(start.time))?;
        let growth = now.resident_bytes.saturating_sub(start.resident_bytes);
        match self.allowance.file_bytes {
            Some(file_bytes) if growth > self.max_growth().saturating_add(file_bytes) => {
                Err(WorkerError::OutOfMemory { limit_bytes: self.memory_bytes })
            }
            _ => Ok(()),
        }
    }

    fn max_growth(&self) -> u64 {
        (self.memory_bytes / SHARE.1).saturating_mul(SHARE.0)
    }

    fn check_time(&self, spent: Duration) -> Result<(), WorkerError> {
        let Some((limit, before)) = self.allowance.page_time else { return Ok(()) };
        let spent = spent.saturating_add(before);
        if spent <= Duration::from_millis(limit).saturating_add(GRACE) {
            return Ok(());
        }
        let found = u64::try_from(spent.as_millis()).unwrap_or(u64::MAX);
        Err(WorkerError::Limit(LimitExceeded { which: Limit::PageCpu, limit, found }))
    }

    /// The processor time between the first look and the last.
    pub(super) fn spent(&self) -> Duration {
        match (self.start.get(), self.last.get()) {
            (Some(start), Some(last)) => last.time.saturating_sub(start.time),
            _ => Duration::ZERO,
        }
    }
}

impl Usage {
    /// What a process has used, where the system tells.
    pub(super) fn of(process: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program may contain spaces and brackets.
        let fields = stat.get(stat.rfind(')')?..)?.split_whitespace().collect::<Vec<_>>();
        let field = |number: usize| fields.get(number.checked_sub(2)?)?.parse::<u64>().ok();
        let (user, system, pages) = (field(14)?, field(15)?, field(24)?);
        let ticks = rustix::param::clock_ticks_per_second();
        let milliseconds = user.saturating_add(system).saturating_mul(1_000).checked_div(ticks)?;
        let resident_bytes = pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)?;
        Some(Self { time: Duration::from_millis(milliseconds), resident_bytes })
    }

    /// The resident memory in bytes.
    pub(super) fn resident_bytes(self) -> u64 {
        self.resident_bytes
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_what_a_process_uses() {
        let usage = Usage::of(std::process::id());
        assert!(usage.is_some_and(|usage| usage.resident_bytes() > 1 << 20), "{usage:?}");
        assert_eq!(Usage::of(u32::MAX), None);
    }

    #[test]
    fn time_that_was_spent_before_counts() {
        let within = |before| {
            let allowance = Allowance { page_time: Some((700, before)), ..Allowance::default() };
            Supervision::new(0, allowance, 0).check_time(Duration::from_millis(600))
        };
        assert_eq!(within(Duration::from_millis(400)), Ok(()));
        let limit = LimitExceeded { which: Limit::PageCpu, limit: 700, found: 1_001 };
        assert_eq!(within(Duration::from_millis(401)), Err(WorkerError::Limit(limit)));
    }
}
