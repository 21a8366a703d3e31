//! Clocks of processor time, which the callers of readers choose.

use std::fmt;
use std::time::Duration;

/// A clock of processor time. The default stands still, so that no page ever spends its time.
#[derive(Clone, Copy)]
pub struct ProcessorClock(fn() -> Duration);

impl ProcessorClock {
    /// The clock that `read` reads. It never runs backwards.
    #[must_use]
    pub fn new(read: fn() -> Duration) -> Self {
        Self(read)
    }

    /// The processor time of the calling thread; where the system has no such clock, the time that passes.
    #[must_use]
    pub fn of_thread() -> Self {
        Self(thread_time)
    }

    /// The time on the clock.
    #[must_use]
    pub fn read(self) -> Duration {
        (self.0)()
    }
}

impl Default for ProcessorClock {
    fn default() -> Self {
        Self(|| Duration::ZERO)
    }
}

impl fmt::Debug for ProcessorClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcessorClock")
    }
}

/// Equal if they read the same clock.
impl PartialEq for ProcessorClock {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for ProcessorClock {}

#[cfg(all(unix, not(pagewise_portable)))]
fn thread_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(not(all(unix, not(pagewise_portable))))]
fn thread_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    ORIGIN.elapsed()
}
