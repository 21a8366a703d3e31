//! A worker process, as its parent sees it.

use std::io::{self, BufReader, PipeReader, Read};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::deadline_reader::{DeadlineReader, is_timeout};
use super::engine_offer::EngineOffer;
use super::pool::{KeptDocument, OpenKey};
use super::spawn::{spawn, start_error};
#[cfg(test)]
use super::supervision::PAUSE;
use super::supervision::{Allowance, Spent, Supervision, Usage};
use super::supplies::{ProgramRun, Supplies, reply};
use crate::worker::error::WorkerError;
use crate::worker::pages::PdfError;
use crate::worker::sandbox::SandboxLayers;
use crate::worker::settings::{MAX_BUSY, MAX_IDLE_BYTES, MAX_JOBS, MAX_KEPT_BYTES, MAX_RESIDENT_BYTES, WorkerSettings};
use crate::worker::wire::frame::{self, PREFIX_BYTES};
use crate::worker::wire::socket;
use crate::worker::wire::{
    CloseFile, Greeting, MAX_ANSWER_BYTES, MessageKind, Question, WantedEnginePart, WantedSupply, WantedTesseract,
    WorkerMessage,
};
use pagewise_base::limits::{Cancellation, Limits, StopReason};
use pagewise_base::share::Sharer;

/// The time for a worker to start, on a busy machine. Usually it takes a millisecond.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// The time for a worker to end once it has closed its socket, and how often that is looked for.
const END_DEADLINE: Duration = Duration::from_secs(1);
const END_PATIENCE: Duration = Duration::from_millis(1);

/// The size of the first read of an answer. Most answers fit.
const HEAD_BYTES: usize = 4 << 10;

/// The memory of a worker is checked after this much work.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The most fonts that a request may need: five scripts, with and without serifs; and as many parts of an engine, and runs
/// of a program.
const MAX_SERVICES: u32 = 30;

/// The answer to a question, and the bytes in which it came.
pub(crate) struct Received<A> {
    pub(crate) answer: Result<A, PdfError>,
    pub(crate) bytes: u64,
}

pub(crate) struct WorkerProcess {
    child: Child,
    /// Shared with callbacks that cancel the current request.
    socket: Arc<UnixStream>,
    /// Its standard error: the only way to tell exhausted memory from a crash.
    stderr_tail: PipeReader,
    layers: SandboxLayers,
    settings: WorkerSettings,
    /// The one document that it keeps open between requests, and its number of pages. It is closed before another is
    /// opened, so that a reader that was taken over sees no document of another principal.
    kept: Option<(KeptDocument, u32)>,
    jobs: u32,
    busy: Duration,
    /// The end of its last request.
    used: Instant,
    /// Its total work when its memory was last checked.
    checked_at: Duration,
    /// Its resident memory at that time.
    resident_bytes: u64,
    supervision: Supervision,
    /// What its last request took, up to when it asked for the engine that recognises text.
    spent: Spent,
    /// Whether its last request asked for that engine.
    uses_engine: bool,
    /// What it is offered as the engine, once it was asked for.
    engine: Option<EngineOffer>,
}

impl WorkerProcess {
    /// Starts a worker and waits until it has confined itself.
    pub(crate) fn start(settings: &WorkerSettings) -> Result<Self, WorkerError> {
        let started = spawn(settings).map_err(|error| start_error(&error))?;
        let mut process = Self::of(started, settings);
        let greeting = process.receive::<Greeting>(Instant::now() + START_DEADLINE, MAX_ANSWER_BYTES);
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

    /// A worker that was just started.
    fn of((child, socket, stderr_tail): (Child, UnixStream, PipeReader), settings: &WorkerSettings) -> Self {
        Self {
            child,
            socket: Arc::new(socket),
            stderr_tail,
            layers: SandboxLayers::default(),
            settings: settings.clone(),
            kept: None,
            jobs: 0,
            busy: Duration::ZERO,
            used: Instant::now(),
            checked_at: Duration::ZERO,
            resident_bytes: 0,
            supervision: Supervision::new(0, Allowance::default(), 0),
            spent: Spent::default(),
            uses_engine: false,
            engine: None,
        }
    }

    /// A worker at the other end of a socket, for tests.
    #[cfg(test)]
    #[expect(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    pub(super) fn over(socket: UnixStream, settings: &WorkerSettings) -> Self {
        let child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let (stderr_tail, _) = io::pipe().unwrap();
        socket.set_read_timeout(Some(PAUSE)).unwrap();
        Self::of((child, socket, stderr_tail), settings)
    }

    /// The sandbox layers that the worker reported.
    pub(crate) fn layers(&self) -> &SandboxLayers {
        &self.layers
    }

    /// Asks a question and waits for the answer, until the deadline or cancellation. Sends what the worker asks for.
    ///
    /// After an error the worker is dead.
    pub(crate) fn call<Q: Question>(
        &mut self,
        question: &Q,
        file: Option<BorrowedFd<'_>>,
        supplies: &Supplies<'_>,
        limits: &Limits,
        allowance: Allowance,
        cancellation: &Cancellation,
    ) -> Result<Received<Q::Answer>, WorkerError> {
        let socket = Arc::clone(&self.socket);
        // Shutting the socket down ends the wait. If that fails, the socket is closed anyway.
        let waking = cancellation.on_cancel(move || drop(socket.shutdown(Shutdown::Both)));
        let max_bytes = MAX_ANSWER_BYTES.saturating_add(question.max_file_bytes(limits));
        let answer = self.exchange(question, file, supplies, max_bytes, allowance, cancellation);
        drop(waking);
        if cancellation.is_cancelled() {
            self.kill();
            return Err(StopReason::Cancelled.into());
        }
        answer.map_err(|error| self.cause_of_death(&error))
    }

    fn exchange<Q: Question>(
        &mut self,
        question: &Q,
        file: Option<BorrowedFd<'_>>,
        supplies: &Supplies<'_>,
        max_bytes: u64,
        allowance: Allowance,
        cancellation: &Cancellation,
    ) -> io::Result<Received<Q::Answer>> {
        let start = Instant::now();
        self.supervision = Supervision::new(self.child.id(), allowance, self.settings.memory_bytes);
        self.jobs = self.jobs.saturating_add(1);
        self.uses_engine = false;
        if Q::KIND == MessageKind::OpenFile {
            self.kept = None;
        }
        let sent = self.send(Q::KIND, question, file);
        let left = self.settings.deadline.saturating_sub(allowance.time_spent);
        let left = left.saturating_add(grace(self.settings.deadline));
        let mut run = ProgramRun { until: start + left, program_until: start, cancellation };
        let answer = sent.and_then(|()| {
            let mut services = 0..MAX_SERVICES;
            loop {
                // Fails once the time is over, however often the worker asks for bytes.
                let wanted = match self.receive::<WorkerMessage<Q::Answer>>(run.until, max_bytes)? {
                    (WorkerMessage::Answer(answer), bytes) => return Ok(Received { answer, bytes }),
                    (WorkerMessage::Wants(wanted), _) => wanted,
                };
                let is_piece = matches!(wanted, WantedSupply::Piece(_));
                if !is_piece && services.next().is_none() {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                match wanted {
                    WantedSupply::EnginePart(part) => {
                        self.begin_engine(start, question.engine_time(), left, &mut run)?;
                        self.send_engine_part(part)?;
                    }
                    WantedSupply::Tesseract(wanted) => {
                        let engine = self.engine.as_ref().ok_or(io::ErrorKind::InvalidData)?;
                        reply::<WantedTesseract>(&self.socket, &engine.run(wanted, &run)?)?;
                    }
                    wanted => supplies.send(wanted, &self.socket, run.until)?,
                }
            }
        });
        self.used = Instant::now();
        let time = self.used.saturating_duration_since(start);
        self.busy = self.busy.saturating_add(time);
        if !self.uses_engine {
            self.spent = Spent { time, processor_time: self.supervision.spent() };
        }
        answer
    }

    /// Begins the time of the engine, once for a question that has any. Reading is over then, and its bounds with it.
    fn begin_engine(
        &mut self,
        start: Instant,
        time: Duration,
        left: Duration,
        run: &mut ProgramRun<'_>,
    ) -> io::Result<()> {
        if time.is_zero() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if !std::mem::replace(&mut self.uses_engine, true) {
            let now = Instant::now();
            let time_spent = now.saturating_duration_since(start);
            self.spent = Spent { time: time_spent, processor_time: self.supervision.spent() };
            self.supervision = Supervision::new(self.child.id(), Allowance::default(), self.settings.memory_bytes);
            run.program_until = now + time;
            run.until = run.program_until + left;
        }
        Ok(())
    }

    fn send_engine_part(&mut self, part: WantedEnginePart) -> io::Result<()> {
        let settings = &self.settings;
        let (facts, file) = self.engine.get_or_insert_with(|| EngineOffer::of(settings)).take(part);
        let file = file.as_ref().map(|file| file.as_fd());
        socket::send(&self.socket, &frame::encode(&facts)?, file)
    }

    fn send(&self, kind: MessageKind, message: &impl Serialize, file: Option<BorrowedFd<'_>>) -> io::Result<()> {
        match file {
            Some(file) => socket::send(&self.socket, &frame::encode(&(kind, message))?, Some(file)),
            None => frame::write(&(kind, message), &*self.socket),
        }
    }

    /// Whether the process is alive.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// What the last request took, but for the engine that recognises text.
    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// Whether the last request asked for that engine.
    pub(super) fn uses_engine(&self) -> bool {
        self.uses_engine
    }

    /// For whom the worker keeps a document open; `None` if it keeps none.
    pub(crate) fn kept_by(&self) -> Option<Sharer> {
        self.kept.as_ref().map(|(document, _)| document.sharer)
    }

    /// The number of pages of a document that the worker keeps open.
    pub(crate) fn kept_pages(&self, key: &OpenKey) -> Option<u32> {
        self.kept.as_ref().filter(|(document, _)| document.key == *key).map(|(_, page_count)| *page_count)
    }

    /// Keeps the document open for later requests.
    pub(crate) fn keep_document(&mut self, document: KeptDocument, page_count: u32) {
        self.kept = Some((document, page_count));
    }

    /// Tells the worker to close its document. A failure shows at the next question.
    pub(crate) fn close_document(&mut self) {
        self.kept = None;
        let _ = self.send(MessageKind::CloseFile, &CloseFile, None);
    }

    /// Closes the document if the worker has been idle for `idle_time`. Returns false if it has too much memory even so.
    pub(crate) fn release_memory(&mut self, now: Instant, idle_time: Duration) -> bool {
        if now.saturating_duration_since(self.used) < idle_time || self.kept.is_none() {
            return true;
        }
        let is_small = self.read_resident_bytes().is_none_or(|bytes| bytes <= MAX_IDLE_BYTES);
        if is_small {
            self.close_document();
        }
        is_small
    }

    /// Whether the worker can take another request: alive, not too old, and within its memory.
    pub(crate) fn is_reusable(&mut self) -> bool {
        self.is_alive() && self.is_within_memory() && self.jobs < MAX_JOBS && self.busy < MAX_BUSY
    }

    /// Whether the worker was within its memory at the last check.
    fn is_within_memory(&mut self) -> bool {
        self.check_memory() <= MAX_RESIDENT_BYTES
    }

    /// Whether the worker uses little enough memory to keep documents open. It needs the rest for later requests.
    pub(crate) fn can_keep_documents(&self) -> bool {
        self.resident_bytes <= MAX_KEPT_BYTES.min(self.settings.memory_bytes / 4)
    }

    /// The resident memory at the last check. A check costs as much as a small request, so it is not made each time.
    fn check_memory(&mut self) -> u64 {
        if self.busy.saturating_sub(self.checked_at) >= MEMORY_CHECK_INTERVAL {
            self.checked_at = self.busy;
            self.resident_bytes = self.read_resident_bytes().unwrap_or(0);
        }
        self.resident_bytes
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The resident memory in bytes, if the system tells.
    pub(crate) fn read_resident_bytes(&self) -> Option<u64> {
        Usage::of(self.child.id()).map(Usage::resident_bytes)
    }

    /// A message, and its bytes. Decoding it has the same deadline as receiving it.
    fn receive<T: DeserializeOwned>(&self, until: Instant, max_bytes: u64) -> io::Result<(T, u64)> {
        let mut socket = BufReader::with_capacity(
            HEAD_BYTES,
            DeadlineReader { socket: &self.socket, until, supervision: &self.supervision },
        );
        let mut prefix = [0; PREFIX_BYTES];
        socket.read_exact(&mut prefix)?;
        let message = frame::read(prefix, max_bytes, Some(until), &mut socket)?;
        // Nothing may follow the answer.
        if !socket.buffer().is_empty() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok((message, u32::from_le_bytes(prefix).into()))
    }

    /// Ends the worker and determines why it failed.
    fn cause_of_death(&mut self, error: &io::Error) -> WorkerError {
        if is_timeout(error) {
            self.kill();
            let deadline_ms = u64::try_from(self.settings.deadline.as_millis()).unwrap_or(u64::MAX);
            return StopReason::Timeout { deadline_ms }.into();
        }
        if let Some(excess) = error.get_ref().and_then(|error| error.downcast_ref::<WorkerError>()) {
            self.kill();
            return excess.clone();
        }
        // A closed socket means that the process is ending by itself.
        if !is_hang_up(error) {
            self.kill();
            return WorkerError::Nonsense;
        }
        let status = self.wait_for_end();
        let stderr = self.stderr_tail();
        if stderr.contains("memory allocation of") {
            return WorkerError::OutOfMemory { limit_bytes: self.settings.memory_bytes };
        }
        if stderr.contains("has overflowed its stack") {
            return WorkerError::StackOverflow;
        }
        WorkerError::Died { how: status.map_or_else(|error| error.to_string(), describe_status) }
    }

    /// The status of a worker that closed its socket. One that does not end is killed: only closing is up to it.
    fn wait_for_end(&mut self) -> io::Result<ExitStatus> {
        let until = Instant::now() + END_DEADLINE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(END_PATIENCE);
        }
        // Killing fails if the process has just ended.
        let _ = self.child.kill();
        self.child.wait()
    }

    /// The beginning of the worker's standard error, after it has ended.
    fn stderr_tail(&mut self) -> String {
        const KEPT: u64 = 4 << 10;
        let mut stderr = Vec::new();
        // Best effort: the exit status is reported in any case.
        let _ = (&mut self.stderr_tail).take(KEPT).read_to_end(&mut stderr);
        String::from_utf8_lossy(&stderr).into_owned()
    }

    fn kill(&mut self) {
        // Killing fails if the process has already ended; it is waited for in either case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The time after the deadline in which a worker can still report the timeout itself and survive.
fn grace(deadline: Duration) -> Duration {
    (deadline / 8).min(Duration::from_millis(50))
}

fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
    matches!(error.kind(), BrokenPipe | ConnectionReset | UnexpectedEof)
}

fn describe_status(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("status {code}"),
        (None, None) => status.to_string(),
    }
}
