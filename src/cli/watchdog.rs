//! Ends a command that reads in its own process when the reader hangs or is gone: nobody else could.
//!
//! The readers of this program look at their deadline themselves. This is for the libraries below them, which know none,
//! and for threads that were ended because they aborted (see the sandbox of a command).
//!
//! It looks after 4 ms, when most pages are written, and then ever less often: a page took 9.1 ms of processor time before
//! it looked at threads and 8.4 ms since, on a machine with much else to do (medians of 150 runs each, in turn).

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::config::Config;
use super::print::{LastWords, warning};
use crate::limits::{StopReason, WatchedThread, has_lost_thread, watch_this_thread};
use crate::tool::{ToolError, end_writing};

/// Time past the deadline in which a reader that looks at it ends by itself, and says which page it was.
const GRACE: Duration = Duration::from_millis(500);

/// The first pause between looks, and the longest; each is twice the one before.
const PAUSES: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(128));

/// Time in which files that have been begun are written, before the process ends.
const WRITING: Duration = Duration::from_secs(1);

/// Told of every step that is done.
pub(super) struct Watchdog {
    steps: Arc<AtomicU64>,
    _this_thread: WatchedThread,
}

/// What became of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Hangs,
    Lost,
}

impl Watchdog {
    /// Watches the reading of `path`: a step that takes much longer than the deadline ends the process with `timeout`, a
    /// thread that is gone with `limit_exceeded`.
    ///
    /// The thread is started before the process confines itself, which leaves it out; it reads nothing.
    pub(super) fn of(path: &str, is_json: bool, config: &Config) -> Self {
        let deadline = config.workers.deadline;
        let deadline_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
        let hangs = LastWords::of(&ToolError::stopped(path, StopReason::Timeout { deadline_ms }), is_json);
        let lost = LastWords::of(&ToolError::out_of_memory(path, config.workers.memory_bytes), is_json);
        let refusing = refusing();
        Self::with(deadline.saturating_add(GRACE), is_thread_gone, move |end| {
            end_writing(WRITING);
            let status = match end {
                End::Hangs => hangs.say(),
                End::Lost => {
                    let status = lost.say();
                    become_another(refusing);
                    status
                }
            };
            std::process::exit(i32::from(status));
        })
    }

    fn with(
        patience: Duration,
        is_gone: impl Fn(i32) -> bool + Send + 'static,
        give_up: impl FnOnce(End) + Send + 'static,
    ) -> Self {
        let steps = Arc::new(AtomicU64::new(0));
        let seen = Arc::clone(&steps);
        // A thread takes memory when it begins to run, which a reader must not have taken before: it would abort the process.
        // It begins at once; to sleep until then, and be woken, took a millisecond of processor time.
        let runs = Arc::new(AtomicBool::new(false));
        let begun = Arc::clone(&runs);
        let watch = move || {
            begun.store(true, Ordering::Release);
            give_up(watched(&seen, patience, is_gone));
        };
        match std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch) {
            Ok(_) => {
                while !runs.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
            }
            Err(error) => warning(&format!("a reader that hangs will not be ended: {error}")),
        }
        Self { steps, _this_thread: watch_this_thread() }
    }

    /// A step is done.
    pub(super) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }
}

/// This program with an argument that it refuses, with the status of a refusal and without a word.
///
/// By the thread: nothing leads there by the process once its first thread has ended.
fn refusing() -> Command {
    let mut program = Command::new("/proc/thread-self/exe");
    program.arg("--refuse").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    program
}

/// Puts a program in the place of this one. The ordinary end of a process waits for a lock that a thread holds whose stack
/// overflowed, for ever where it was ended alone. Returns where it cannot be done.
#[cfg(all(unix, not(pagewise_portable)))]
fn become_another(mut program: Command) {
    drop(std::os::unix::process::CommandExt::exec(&mut program));
}

#[cfg(any(not(unix), pagewise_portable))]
fn become_another(_: Command) {}

/// Has a reader of `path` that panics cost an answer; what it said is on standard error.
pub(super) fn contained<T>(path: &str, work: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(ToolError::reader_crashed(path)))
}

/// Returns once no step was done for as long as `patience`, or a thread that reads is gone.
fn watched(steps: &AtomicU64, patience: Duration, is_gone: impl Fn(i32) -> bool) -> End {
    let (mut pause, longest) = PAUSES;
    let mut last = (steps.load(Ordering::Relaxed), Instant::now());
    loop {
        std::thread::sleep(pause.min(patience));
        pause = pause.saturating_mul(2).min(longest);
        if has_lost_thread(&is_gone) {
            return End::Lost;
        }
        let now = steps.load(Ordering::Relaxed);
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() >= patience {
            return End::Hangs;
        }
    }
}

/// Whether a thread of this process has ended. It takes no memory: there may be none left.
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
        // The number, the name in brackets, and the state. The first thread stays behind as a zombie.
        Ok(_) => {
            let after_name =
                stat.iter().rposition(|byte| *byte == b')').and_then(|end| stat.get(end.saturating_add(2)));
            matches!(after_name, Some(b'Z' | b'X' | b'x'))
        }
        // That it cannot be told, for want of descriptors, is no end.
        Err(error) => error.kind() == std::io::ErrorKind::NotFound || error.raw_os_error() == Some(NO_SUCH_PROCESS),
    }
}

/// What reading says when the thread ended after the file was opened.
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
        let silent = move |end| tell.send(end).unwrap_or_default();
        let _silent = Watchdog::with(Duration::from_millis(1), |_| false, silent);
        assert_eq!(told.recv(), Ok(End::Hangs));
    }

    #[test]
    fn a_thread_that_is_gone_ends_the_work() {
        let (tell, told) = mpsc::channel();
        let silent = move |end| tell.send(end).unwrap_or_default();
        let _watched = Watchdog::with(Duration::from_secs(3_600), |_| true, silent);
        assert_eq!(told.recv(), Ok(End::Lost));
    }

    #[test]
    fn a_reader_that_panics_costs_an_answer() {
        #[expect(clippy::panic, reason = "what is tested")]
        let outcome: Result<(), _> = contained("a.pdf", || panic!("on purpose"));
        assert_eq!(outcome.err().map(|error| error.message), Some(ToolError::reader_crashed("a.pdf").message));
        assert!(contained("a.pdf", || Ok(())).is_ok());
    }

    #[test]
    #[cfg(all(target_os = "linux", not(pagewise_portable)))]
    fn the_system_tells_of_threads() {
        assert!(!is_thread_gone(rustix::thread::gettid().as_raw_nonzero().get()));
        assert!(is_thread_gone(i32::MAX), "no system has so many");
    }
}
