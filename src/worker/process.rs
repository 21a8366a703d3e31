//! One worker process, seen from its parent.

use std::io::{self, PipeReader, Read};
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
use super::frame::{self, PREFIX_BYTES};
use super::sandbox::Layers;
use super::settings::{MAX_BUSY, MAX_JOBS, MAX_RESIDENT_BYTES, WorkerSettings};
use super::wire::{Greeting, Reply, Request};
use crate::limits::{Cancellation, Stopped};

/// Time for a worker to start, which takes a millisecond, on a machine that has much else to do.
const START_DEADLINE: Duration = Duration::from_secs(10);

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

    /// Asks and waits for the answer, until the deadline or until nobody wants it. After an error the worker is dead.
    pub(super) fn call(
        &mut self,
        request: &Request,
        file: Option<BorrowedFd<'_>>,
        cancellation: &Cancellation,
    ) -> Result<(Reply, Vec<u8>), WorkerError> {
        let socket = Arc::clone(&self.socket);
        // Ends the wait; a socket that is closed already ends it by itself.
        let waking = cancellation.on_cancel(move || drop(socket.shutdown(Shutdown::Both)));
        let answer = self.exchange(request, file);
        drop(waking);
        if cancellation.is_cancelled() {
            self.end();
            return Err(Stopped::Cancelled.into());
        }
        answer.map_err(|error| self.cause_of_death(&error))
    }

    fn exchange(&mut self, request: &Request, file: Option<BorrowedFd<'_>>) -> io::Result<(Reply, Vec<u8>)> {
        let start = Instant::now();
        self.jobs = self.jobs.saturating_add(1);
        let sent = frame::head(request, 0).and_then(|head| descriptor::send(&self.socket, &head, file));
        let answer = match sent {
            Ok(()) => self.receive(start + self.deadline + grace(self.deadline)),
            Err(error) => Err(error),
        };
        self.busy = self.busy.saturating_add(start.elapsed());
        answer
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
        let is_lean = self.resident_bytes().is_none_or(|bytes| bytes <= MAX_RESIDENT_BYTES);
        self.is_alive() && is_lean && self.jobs < MAX_JOBS && self.busy < MAX_BUSY
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
        let mut socket = Until { socket: &self.socket, until };
        let mut prefix = [0; PREFIX_BYTES];
        socket.read_exact(&mut prefix).and_then(|()| frame::rest(prefix, socket))
    }

    /// Ends the worker, where it has not ended, and says why it did or had to.
    fn cause_of_death(&mut self, error: &io::Error) -> WorkerError {
        if is_timeout(error) {
            self.end();
            let deadline_ms = u64::try_from(self.deadline.as_millis()).unwrap_or(u64::MAX);
            return Stopped::Timeout { deadline_ms }.into();
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
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        let mut socket = self.socket;
        socket.read(buffer)
    }
}
