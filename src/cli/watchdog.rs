//! Ends a command that reads in its own process when the reader hangs: nobody else could.
//!
//! The readers of this program look at their deadline themselves. This is for the libraries below them, which know none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::FAILED;
use super::config::Config;
use super::print::{refusal, warning};
use crate::limits::Stopped;
use crate::tool::ToolError;

/// Time past the deadline in which a reader that looks at it ends by itself, and says which page it was.
const GRACE: Duration = Duration::from_millis(500);

/// Told of every step that is done.
pub(super) struct Watchdog {
    steps: Arc<AtomicU64>,
}

impl Watchdog {
    /// Watches the reading of `path`: a step that takes much longer than the deadline ends the process with `timeout`.
    ///
    /// The thread is started before the process confines itself, which leaves it out; it reads nothing.
    pub(super) fn of(path: &str, is_json: bool, config: &Config) -> Self {
        let deadline = config.workers.deadline;
        let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        let error = ToolError::stopped(path, Stopped::Timeout { deadline_ms });
        Self::with(deadline.saturating_add(GRACE), move || {
            refusal(&error, is_json);
            std::process::exit(i32::from(FAILED));
        })
    }

    fn with(patience: Duration, give_up: impl FnOnce() + Send + 'static) -> Self {
        let steps = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&steps);
        let watch = move || {
            let mut before = None;
            loop {
                let now = seen.load(Ordering::Relaxed);
                if before == Some(now) {
                    return give_up();
                }
                before = Some(now);
                std::thread::sleep(patience);
            }
        };
        if let Err(error) = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch) {
            warning(&format!("a reader that hangs will not be ended: {error}"));
        }
        Self { steps }
    }

    /// A step is done.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn silence_ends_the_work_and_steps_do_not() {
        let (tell, told) = mpsc::channel();
        let busy = Watchdog::with(Duration::from_secs(3_600), || std::process::abort());
        busy.step();
        let _silent = Watchdog::with(Duration::from_millis(1), move || tell.send("ended").unwrap_or_default());
        assert_eq!(told.recv(), Ok("ended"));
    }
}
