//! One worker process, seen from its parent.

use std::cell::Cell;
use std::io::{self, BufReader, PipeReader, Read};
use std::net::Shutdown;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::descriptor;
use super::error::WorkerError;
use super::fonts::{self, FontFiles};
use super::frame::{self, PREFIX_BYTES};
use super::sandbox::Layers;
use super::settings::{MAX_BUSY, MAX_JOBS, MAX_RESIDENT_BYTES, WorkerSettings};
use super::wire::{Answer, Greeting, Reply, Request};
use crate::limits::{Cancellation, StopReason};

/// Time for a worker to start, which takes a millisecond, on a machine that has much else to do.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read at first: most answers whole, small pages too.
const HEAD_BYTES: usize = 4 << 10;

/// Work after which the memory of a worker is looked at. 5 ms: in so short a time none grows by much.
const LOOK_AFTER: Duration = Duration::from_millis(5);

/// Fonts that one request may ask for: five scripts, with serifs and without.
const MAX_FONTS: u32 = 10;

/// A worker that waits for requests, or works on one.
pub(super) struct Process {
    child: Child,
    /// Shared with whoever may cancel the request at hand.
    socket: Arc<UnixStream>,
    /// What it says while it dies: that is the only way to tell an exhausted memory from a broken reader.
    last_words: PipeReader,
    layers: Layers,
    deadline: Duration,
    memory_bytes: u64,
    jobs: u32,
    busy: Duration,
    /// How long it was at work when its memory was last looked at.
    looked_at: Duration,
    /// How long the system waits for something to read from the socket.
    wait: Cell<Duration>,
}

impl Process {
    /// Starts a worker and waits until it has confined itself.
    pub(super) fn start(settings: &WorkerSettings) -> Result<Self, WorkerError> {
        let (child, socket, last_words) = spawn(settings).map_err(|error| not_started(&error))?;
        let mut process = Self {
            child,
            socket: Arc::new(socket),
            last_words,
            layers: Layers::default(),
            deadline: settings.deadline,
            memory_bytes: settings.memory_bytes,
            jobs: 0,
            busy: Duration::ZERO,
            looked_at: Duration::ZERO,
            wait: Cell::default(),
        };
        let greeting = process.receive::<Greeting>(Instant::now() + START_DEADLINE);
        let (greeting, _) = greeting.map_err(|error| process.cause_of_death(&error))?;
        if greeting.version != env!("CARGO_PKG_VERSION") {
            let reason = format!("{} is of version {}", settings.program.display(), greeting.version);
            return Err(WorkerError::NotStarted { reason });
        }
        if let Some(missing) = greeting.layers.missing().filter(|_| settings.require_sandbox) {
            return Err(WorkerError::Unsandboxed { missing });
        }
        process.layers = greeting.layers;
        Ok(process)
    }

    /// The layers of the sandbox that it says it has.
    pub(super) fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Asks and waits for the answer, until the deadline or until nobody wants it, and hands over the fonts that it takes.
    /// After an error the worker is dead.
    pub(super) fn call(
        &mut self,
        request: &Request,
        file: Option<BorrowedFd<'_>>,
        fonts: &dyn FontFiles,
        cancellation: &Cancellation,
    ) -> Result<Answer, WorkerError> {
        let socket = Arc::clone(&self.socket);
        // Ends the wait; a socket that is closed already ends it by itself.
        let waking = cancellation.on_cancel(move || drop(socket.shutdown(Shutdown::Both)));
        let answer = self.exchange(request, file, fonts);
        drop(waking);
        if cancellation.is_cancelled() {
            self.end();
            return Err(StopReason::Cancelled.into());
        }
        answer.map_err(|error| self.cause_of_death(&error))
    }

    fn exchange(
        &mut self,
        request: &Request,
        file: Option<BorrowedFd<'_>>,
        fonts: &dyn FontFiles,
    ) -> io::Result<Answer> {
        let start = Instant::now();
        self.jobs = self.jobs.saturating_add(1);
        let sent = frame::head(request, 0).and_then(|head| descriptor::send(&self.socket, &head, file));
        let answer = self.answer(sent, fonts, start + self.deadline + grace(self.deadline));
        self.busy = self.busy.saturating_add(start.elapsed());
        answer
    }

    fn answer(&self, mut sent: io::Result<()>, fonts: &dyn FontFiles, until: Instant) -> io::Result<Answer> {
        for _ in 0..=MAX_FONTS {
            sent?;
            let (answer, body) = self.receive::<Answer>(until)?;
            match answer.reply {
                Reply::WantsFont(wanted) => {
                    let font = fonts.open(wanted.into());
                    sent = fonts::hand_over(&self.socket, font.as_ref());
                }
                _ => return Ok(Answer { body: body.into(), ..answer }),
            }
        }
        // A worker that asks for ever talks nonsense.
        Err(io::ErrorKind::InvalidData.into())
    }

    /// Whether it has not ended.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Tells it to close its document. It answers nothing; whether it heard is seen at the next request.
    pub(super) fn close_document(&self) {
        let _ = frame::head(&Request::Close, 0).and_then(|head| descriptor::send(&self.socket, &head, None));
    }

    /// Whether it can take another request: alive, and neither old nor fat.
    pub(super) fn is_fit(&mut self) -> bool {
        self.is_alive() && self.is_lean() && self.jobs < MAX_JOBS && self.busy < MAX_BUSY
    }

    /// Whether it had little memory when that was last looked at; to look costs as much as a small question.
    fn is_lean(&mut self) -> bool {
        if self.busy.saturating_sub(self.looked_at) < LOOK_AFTER {
            return true;
        }
        self.looked_at = self.busy;
        self.resident_bytes().is_none_or(|bytes| bytes <= MAX_RESIDENT_BYTES)
    }

    /// The number of the process.
    #[cfg(debug_assertions)]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory, where the system tells.
    fn resident_bytes(&self) -> Option<u64> {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).ok()?;
        let pages = pages.split_whitespace().nth(1)?.parse::<u64>().ok()?;
        pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)
    }

    fn receive<T: DeserializeOwned>(&self, until: Instant) -> io::Result<(T, Vec<u8>)> {
        let mut socket = BufReader::with_capacity(HEAD_BYTES, Until { socket: &self.socket, until, wait: &self.wait });
        let mut prefix = [0; PREFIX_BYTES];
        socket.read_exact(&mut prefix)?;
        let message = frame::rest(prefix, &mut socket)?;
        // It answers, and then waits to be asked.
        if socket.buffer().is_empty() { Ok(message) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Ends the worker, where it has not ended, and says why it did or had to.
    fn cause_of_death(&mut self, error: &io::Error) -> WorkerError {
        if is_timeout(error) {
            self.end();
            let deadline_ms = u64::try_from(self.deadline.as_millis()).unwrap_or(u64::MAX);
            return StopReason::Timeout { deadline_ms }.into();
        }
        // A socket that is closed belongs to a process that is ending; one that talks nonsense has to be ended.
        if !is_hang_up(error) {
            self.end();
            return WorkerError::Nonsense;
        }
        let status = self.child.wait();
        let words = self.last_words();
        if words.contains("memory allocation of") {
            return WorkerError::OutOfMemory { limit_bytes: self.memory_bytes };
        }
        if words.contains("has overflowed its stack") {
            return WorkerError::StackOverflow;
        }
        WorkerError::Died { how: status.map_or_else(|error| error.to_string(), described) }
    }

    /// The beginning of what it wrote to standard error, once it has ended.
    fn last_words(&mut self) -> String {
        const KEPT: u64 = 4 << 10;
        let mut words = Vec::new();
        // What could not be read was not said: the status is told all the same.
        let _ = (&mut self.last_words).take(KEPT).read_to_end(&mut words);
        String::from_utf8_lossy(&words).into_owned()
    }

    fn end(&mut self) {
        // One that has ended already cannot be killed, and is waited for in either case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// Time past the deadline in which a worker that looks at it can say so itself, and lives on.
fn grace(deadline: Duration) -> Duration {
    (deadline / 8).min(Duration::from_millis(50))
}

/// What the C library's allocator is told, where that is glibc's: to keep 16 MiB of what was freed. Else each large page is
/// read, put together and sent in memory that is fresh from the system: 1,435 page faults for one of 1 MB, now none.
const ALLOCATOR: [(&str, &str); 1] = [(
    "GLIBC_TUNABLES",
    "glibc.malloc.mmap_threshold=16777216:glibc.malloc.trim_threshold=16777216:glibc.malloc.top_pad=1048576",
)];

/// The process, its socket and its standard error.
fn spawn(settings: &WorkerSettings) -> io::Result<(Child, UnixStream, PipeReader)> {
    let (ours, theirs) = UnixStream::pair()?;
    let (last_words, its_words) = io::pipe()?;
    // A worker that says more than the pipe holds must not wait for a reader.
    rustix::fs::fcntl_setfl(&its_words, rustix::fs::OFlags::NONBLOCK)?;
    rustix::fs::fcntl_setfl(&last_words, rustix::fs::OFlags::NONBLOCK)?;
    let child = Command::new(&settings.program)
        .arg0("pagewise")
        .args(["worker", &settings.memory_bytes.to_string()])
        // Neither keys nor passwords of the environment.
        .env_clear()
        .envs(ALLOCATOR)
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::from(OwnedFd::from(its_words)))
        .spawn()?;
    ours.set_write_timeout(Some(settings.deadline))?;
    Ok((child, ours, last_words))
}

fn not_started(error: &io::Error) -> WorkerError {
    WorkerError::NotStarted { reason: error.to_string() }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

fn described(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("status {code}"),
        (None, None) => status.to_string(),
    }
}

/// A socket that is read until a moment.
struct Until<'a> {
    socket: &'a UnixStream,
    until: Instant,
    /// How long the system waits for something to read; zero where it was never told.
    wait: &'a Cell<Duration>,
}

/// By how much a read may end late, for not telling the system anew how long to wait before each.
const LATE: Duration = Duration::from_millis(10);

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.wait.get().is_zero() || self.wait.get() > left.saturating_add(LATE) {
                self.socket.set_read_timeout(Some(left))?;
                self.wait.set(left);
            }
            let mut socket = self.socket;
            match socket.read(buffer) {
                // It waited for less than what is left now: that was told for an earlier question.
                Err(error) if is_timeout(&error) => self.wait.set(Duration::ZERO),
                read => return read,
            }
        }
    }
}
