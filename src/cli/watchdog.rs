//! Ends a command that reads in its own process when its reader hangs or its thread is gone.
//!
//! Our own readers check their deadline. The watchdog is for the libraries below them, which have none, and for threads
//! that were ended because they aborted (see the sandbox of a command).

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::config::Config;
use super::terminal::print::{PreparedRefusal, warning};
use crate::context::end_writing;
use crate::tool::ToolError;
use pagewise_base::limits::{StopReason, WatchedThread, has_lost_thread, watch_this_thread};

/// Time past the deadline in which a reader that checks it ends by itself, with an error that names the page.
const GRACE: Duration = Duration::from_millis(500);

/// The first and the longest pause between checks; each pause is twice the one before. Most pages are done in 4 ms.
const PAUSES: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(128));

/// Time to finish files that are being written, before the process ends.
const WRITING: Duration = Duration::from_secs(1);

/// Ends the process if no [`step`](Self::step) is reported in time, until it is dropped.
pub(super) struct Watchdog {
    steps: Arc<AtomicU64>,
    _this_thread: WatchedThread,
}

/// Why the work has to be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Hang,
    LostThread,
}

impl Watchdog {
    /// Starts to watch the reading of `path`. A step that takes much longer than the deadline ends the process with the
    /// error `timeout`, a lost thread with `limit_exceeded`.
    ///
    /// To be called after the process has confined itself, so that this thread is confined too.
    pub(super) fn start(path: &str, is_json: bool, config: &Config) -> Self {
        let deadline = config.workers.deadline;
        let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        let hang = PreparedRefusal::of(&ToolError::stopped(path, StopReason::Timeout { deadline_ms }), is_json);
        let lost = PreparedRefusal::of(&ToolError::out_of_memory(path, config.workers.memory_bytes), is_json);
        Self::with(deadline.saturating_add(GRACE), is_thread_gone, move |fault| {
            end_writing(WRITING);
            let status = match fault {
                Fault::Hang => hang.print(),
                Fault::LostThread => lost.print(),
            };
            exit(status);
        })
    }

    fn with(
        patience: Duration,
        is_gone: impl Fn(i32) -> bool + Send + 'static,
        give_up: impl FnOnce(Fault) + Send + 'static,
    ) -> Self {
        let steps = Arc::new(AtomicU64::new(0));
        let seen = Arc::downgrade(&steps);
        // A thread allocates when it starts, and must do so while there is memory. Spinning is cheaper here than waiting.
        let runs = Arc::new(AtomicBool::new(false));
        let started = Arc::clone(&runs);
        let run = move || {
            started.store(true, Ordering::Release);
            if let Some(fault) = watch(&seen, patience, is_gone) {
                give_up(fault);
            }
        };
        match std::thread::Builder::new().name("watchdog".to_owned()).spawn(run) {
            Ok(_) => {
                while !runs.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
            }
            Err(error) => warning(&format!("a reader that hangs will not be ended: {error}")),
        }
        Self { steps, _this_thread: watch_this_thread() }
    }

    /// Reports that a step is done.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// Time for an exit. A thread with an overflowed stack holds a lock for ever that an exit waits for.
const EXITING: Duration = Duration::from_secs(1);

/// Ends the process, by a signal if it cannot exit.
fn exit(status: u8) -> ! {
    let exit = move || std::process::exit(i32::from(status));
    // Without memory for a thread, memory was exhausted, and no stack.
    if std::thread::Builder::new().spawn(exit).is_ok() {
        std::thread::sleep(EXITING);
        kill_process();
    }
    exit()
}

#[cfg(all(unix, not(pagewise_portable)))]
fn kill_process() {
    // If it fails, there is nothing else to try.
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

#[cfg(any(not(unix), pagewise_portable))]
fn kill_process() {}

/// Turns a panic in a reader of `path` into an error. Its message is on standard error.
pub(super) fn catch_panic<T>(path: &str, work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(ToolError::reader_crashed(path)))
}

/// Returns once no step was done for `patience`, or a thread that reads is gone; `None` once the work is done.
fn watch(steps: &Weak<AtomicU64>, patience: Duration, is_gone: impl Fn(i32) -> bool) -> Option<Fault> {
    let (mut pause, longest) = PAUSES;
    let mut last = (0, Instant::now());
    loop {
        std::thread::sleep(pause.min(patience));
        pause = pause.saturating_mul(2).min(longest);
        let now = steps.upgrade()?.load(Ordering::Relaxed);
        if has_lost_thread(&is_gone) {
            return Some(Fault::LostThread);
        }
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() >= patience {
            return Some(Fault::Hang);
        }
    }
}

/// Whether a thread of this process has ended. Allocates nothing: there may be no memory left.
fn is_thread_gone(thread: i32) -> bool {
    let mut path = [0_u8; 64];
    let length = path.len();
    let mut rest = path.as_mut_slice();
    let named = write!(rest, "/proc/self/task/{thread}/stat");
    let unused = rest.len();
    let path = path.get(..length.saturating_sub(unused)).and_then(|path| std::str::from_utf8(path).ok());
    let (Ok(()), Some(path)) = (named, path) else { return false };
    let mut stat = [0_u8; 256];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut stat));
    match read {
        // The number, the name in brackets, the state. The first thread remains as a zombie.
        Ok(_) => {
            let after_name =
                stat.iter().rposition(|byte| *byte == b')').and_then(|end| stat.get(end.saturating_add(2)));
            matches!(after_name, Some(b'Z' | b'X' | b'x'))
        }
        // Another failure, such as no free descriptor, says nothing about the thread.
        Err(error) => error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(NO_SUCH_PROCESS),
    }
}

/// The error of a read after the thread ended (ESRCH).
const NO_SUCH_PROCESS: i32 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn silence_ends_the_work_and_steps_do_not() {
        let (tell, told) = mpsc::channel();
        let busy = Watchdog::with(Duration::from_secs(3_600), |_| false, |_| std::process::abort());
        busy.step();
        let silent = move |fault| tell.send(fault).unwrap_or_default();
        let _silent = Watchdog::with(Duration::from_millis(1), |_| false, silent);
        assert_eq!(told.recv(), Ok(Fault::Hang));
    }

    #[test]
    fn work_that_is_done_is_watched_no_more() {
        let (tell, told) = mpsc::channel();
        let done =
            Watchdog::with(Duration::from_secs(3_600), |_| false, move |fault| tell.send(fault).unwrap_or_default());
        drop(done);
        assert!(told.recv().is_err(), "it ends without a fault");
    }

    #[test]
    fn a_thread_that_is_gone_ends_the_work() {
        let (tell, told) = mpsc::channel();
        let silent = move |fault| tell.send(fault).unwrap_or_default();
        let _watched = Watchdog::with(Duration::from_secs(3_600), |_| true, silent);
        assert_eq!(told.recv(), Ok(Fault::LostThread));
    }

    #[test]
    fn a_reader_that_panics_costs_an_answer() {
        #[expect(clippy::panic, reason = "what is tested")]
        let outcome: Result<(), _> = catch_panic("a.pdf", || panic!("on purpose"));
        assert_eq!(outcome.err().map(|error| error.message), Some(ToolError::reader_crashed("a.pdf").message));
        assert!(catch_panic("a.pdf", || Ok(())).is_ok());
    }

    #[test]
    #[cfg(all(target_os = "linux", not(pagewise_portable)))]
    fn the_system_tells_of_threads() {
        assert!(!is_thread_gone(rustix::thread::gettid().as_raw_nonzero().get()));
        assert!(is_thread_gone(i32::MAX), "no system has so many");
    }
}
