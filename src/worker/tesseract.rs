//! The program `tesseract`, confined: how it is found, started and stopped.
//!
//! A worker cannot start programs, so its parent does. The program is that of the system, by an absolute path. pagewise
//! starts itself, gives up files, network and memory, and becomes the program: it can read what the system installed, its
//! standard input and nothing else. It is killed at the deadline, or if the request is cancelled.

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::settings::WorkerSettings;
use crate::limits::{Cancellation, StopReason};
use crate::ocr::{GrayImage, OcrError, TesseractJob, parse_languages, tesseract_arguments};

/// Where systems install the program.
const PLACES: [&str; 3] = ["/usr/bin/tesseract", "/usr/local/bin/tesseract", "/opt/homebrew/bin/tesseract"];

/// The most bytes of an answer: a dense page has 300 kB.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// The time in which the program lists its languages.
const LIST_DEADLINE: Duration = Duration::from_secs(5);

/// How often a cancellation is looked for.
const PATIENCE: Duration = Duration::from_millis(20);

/// How often the end of the program is looked for once its answer is there.
const END_PATIENCE: Duration = Duration::from_millis(1);

/// The program, and the languages that it knows.
#[derive(Debug, Clone)]
pub(crate) struct Tesseract {
    path: PathBuf,
    launcher: PathBuf,
    memory_bytes: u64,
    languages: Arc<[String]>,
}

impl Tesseract {
    /// The program of this system; `None` if it has none that works. It is looked for once.
    pub(crate) fn find(settings: &WorkerSettings) -> Option<Self> {
        static FOUND: OnceLock<Option<Tesseract>> = OnceLock::new();
        FOUND.get_or_init(|| PLACES.into_iter().find_map(|path| Self::at(Path::new(path), settings))).clone()
    }

    fn at(path: &Path, settings: &WorkerSettings) -> Option<Self> {
        let (path, launcher) = (path.is_file().then(|| path.to_owned())?, settings.program.clone());
        let found = Self { path, launcher, memory_bytes: settings.memory_bytes, languages: Arc::default() };
        let until = Instant::now() + LIST_DEADLINE;
        let list = found.call(&["--list-langs".to_owned()], Vec::new(), until, &Cancellation::new()).ok()?;
        let languages = parse_languages(&list);
        (!languages.is_empty()).then(|| Self { languages: languages.into(), ..found })
    }

    /// The languages that it knows, by its names.
    pub(crate) fn languages(&self) -> &[String] {
        &self.languages
    }

    /// What the program prints for a picture.
    pub(crate) fn run(
        &self,
        image: &GrayImage,
        job: &TesseractJob,
        until: Instant,
        cancellation: &Cancellation,
    ) -> Result<String, OcrError> {
        let is_unknown = |language: &&str| !self.languages.iter().any(|known| known == language);
        if let Some(unknown) = job.language.split('+').find(is_unknown) {
            return Err(failed(format!("it does not know the language {unknown}")));
        }
        let head = format!("P5\n{} {}\n255\n", image.width(), image.height());
        self.call(&tesseract_arguments(job), [head.as_bytes(), image.pixels()].concat(), until, cancellation)
    }

    fn call(
        &self,
        arguments: &[String],
        input: Vec<u8>,
        until: Instant,
        cancellation: &Cancellation,
    ) -> Result<String, OcrError> {
        let mut program = RunningProgram(self.spawn(arguments).map_err(|error| failed(error.to_string()))?);
        let (stdin, stdout) = (program.0.stdin.take(), program.0.stdout.take());
        let (sender, answer) = mpsc::channel();
        std::thread::spawn(move || {
            // A program that ends early reads no more.
            let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        });
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut bytes));
            // Nobody waits after the deadline.
            let _ = sender.send(read.unwrap_or(Ok(0)).map(|_| bytes));
        });
        let bytes = loop {
            match answer.recv_timeout(PATIENCE) {
                Ok(read) => break read.map_err(|error| failed(error.to_string()))?,
                Err(RecvTimeoutError::Disconnected) => return Err(failed("it could not be read".to_owned())),
                Err(RecvTimeoutError::Timeout) if cancellation.is_cancelled() => {
                    return Err(StopReason::Cancelled.into());
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    return Err(failed("it was not done in time".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        if bytes.len() as u64 > MAX_ANSWER_BYTES {
            return Err(failed("its answer is too long".to_owned()));
        }
        let status = loop {
            match program.0.try_wait().map_err(|error| failed(error.to_string()))? {
                Some(status) => break status,
                None if Instant::now() >= until => return Err(failed("it was not done in time".to_owned())),
                None => std::thread::sleep(END_PATIENCE),
            }
        };
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        String::from_utf8(bytes).map_err(|_| failed("its answer is no text".to_owned()))
    }

    fn spawn(&self, arguments: &[String]) -> io::Result<Child> {
        Command::new(&self.launcher)
            .arg0("pagewise")
            .args(["worker", "tesseract", &self.memory_bytes.to_string()])
            .arg(&self.path)
            .args(arguments)
            // No secrets from the environment, and one thread.
            .env_clear()
            .env("OMP_THREAD_LIMIT", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Kills the program when it is no longer needed.
struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // Killing fails if it has already ended; it is waited for in either case.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn failed(reason: String) -> OcrError {
    OcrError::Program { reason }
}

/// Confines this process, and becomes the program at `path`. Returns only if that fails.
pub fn become_tesseract(memory_bytes: u64, path: &Path, arguments: &[std::ffi::OsString]) -> io::Error {
    if !PLACES.iter().any(|place| Path::new(place) == path) {
        return io::ErrorKind::PermissionDenied.into();
    }
    super::sandbox::confine_program(memory_bytes);
    Command::new(path).args(arguments).exec()
}
