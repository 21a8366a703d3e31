//! The program `tesseract`, confined: how it is found, started and stopped.
//!
//! A worker cannot start programs, so its parent does. The program is that of the system, by an absolute path. pagewise
//! starts itself, gives up files, network and memory, and becomes the program: it can read what the system installed, its
//! standard input and nothing else. It is killed at the deadline, or if the request is cancelled.

use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::engine::unknown_language;
use super::settings::WorkerSettings;
use pagewise_base::limits::Cancellation;
use pagewise_ocr::{GrayImage, OcrError, TesseractJob, parse_languages, tesseract_arguments};

/// Where systems install the program.
const PLACES: [&str; 3] = ["/usr/bin/tesseract", "/usr/local/bin/tesseract", "/opt/homebrew/bin/tesseract"];

/// How to install the program, by the package manager of the system.
const INSTALLATIONS: [(&str, &str); 7] = [
    ("/usr/bin/apt-get", "sudo apt-get install tesseract-ocr"),
    ("/usr/bin/dnf", "sudo dnf install tesseract"),
    ("/usr/bin/zypper", "sudo zypper install tesseract-ocr"),
    ("/usr/bin/pacman", "sudo pacman -S tesseract tesseract-data-eng"),
    ("/sbin/apk", "sudo apk add tesseract-ocr tesseract-ocr-data-eng"),
    ("/opt/homebrew/bin/brew", "brew install tesseract"),
    ("/usr/local/bin/brew", "brew install tesseract"),
];

/// The most bytes of an answer: a dense page has 300 kB.
const MAX_ANSWER_BYTES: u64 = 4 << 20;

/// A program that was not done in time so often, one time after the other, is not started again.
const MAX_TIMEOUTS: u32 = 2;

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
    /// A program that had this time and was not done was late.
    patience: Duration,
    /// How often it was not done in time since it last was.
    timeouts: Arc<AtomicU32>,
}

impl Tesseract {
    /// The program of this system; `None` if it has none that works. It is looked for once.
    pub(crate) fn find(settings: &WorkerSettings) -> Option<Self> {
        static FOUND: OnceLock<Option<Tesseract>> = OnceLock::new();
        FOUND.get_or_init(|| PLACES.into_iter().find_map(|path| Self::at(Path::new(path), settings))).clone()
    }

    /// How to install it on this system.
    pub(crate) fn installation() -> &'static str {
        let has = |manager: &str| Path::new(manager).exists();
        let known = INSTALLATIONS.into_iter().find(|(manager, _)| has(manager));
        known.map_or("install the program tesseract", |(_, command)| command)
    }

    fn at(path: &Path, settings: &WorkerSettings) -> Option<Self> {
        let (path, launcher) = (path.is_file().then(|| path.to_owned())?, settings.program.clone());
        let (memory_bytes, patience) = (settings.memory_bytes, settings.deadline);
        let (languages, timeouts) = Default::default();
        let found = Self { path, launcher, memory_bytes, languages, patience, timeouts };
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
        if let Some(unknown) = unknown_language(&job.language, &self.languages) {
            return Err(failed(format!("it does not know the language {unknown}")));
        }
        let timeouts = self.timeouts.load(Ordering::Relaxed);
        if timeouts >= MAX_TIMEOUTS {
            let reason = format!("it did not finish in time {timeouts} times, and is not started again");
            return Err(failed(reason));
        }
        let head = format!("P5\n{} {}\n255\n", image.width(), image.height());
        let input = [head.as_bytes(), image.pixels()].concat();
        let start = Instant::now();
        let answer = self.call(&tesseract_arguments(job), input, until, cancellation);
        match &answer {
            Ok(_) => self.timeouts.store(0, Ordering::Relaxed),
            // A call may have little time left.
            Err(OcrError::Late) if start.elapsed() >= self.patience => {
                self.timeouts.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        answer
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
        std::thread::spawn(move || {
            // A program that ends early reads no more.
            let _ = stdin.map(|mut stdin| stdin.write_all(&input));
        });
        let bytes = wait_for(&answer_of(stdout), until, cancellation)?;
        if bytes.len() as u64 > MAX_ANSWER_BYTES {
            return Err(failed("its answer is too long".to_owned()));
        }
        let status = program.wait(until, cancellation)?;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        String::from_utf8(bytes).map_err(|_| failed("its answer is not text".to_owned()))
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
            // A group of its own ends with all that the program may have started.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Reads what a program prints on a thread of its own, up to a byte more than is allowed.
fn answer_of(stdout: Option<ChildStdout>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, answer) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(MAX_ANSWER_BYTES + 1).read_to_end(&mut bytes));
        // Nobody waits after the deadline.
        let _ = sender.send(read.unwrap_or(Ok(0)).map(|_| bytes));
    });
    answer
}

fn wait_for(
    answer: &Receiver<io::Result<Vec<u8>>>,
    until: Instant,
    cancellation: &Cancellation,
) -> Result<Vec<u8>, OcrError> {
    loop {
        match answer.recv_timeout(PATIENCE) {
            Ok(read) => return read.map_err(|error| failed(error.to_string())),
            Err(RecvTimeoutError::Disconnected) => return Err(failed("it could not be read".to_owned())),
            Err(RecvTimeoutError::Timeout) => check(until, cancellation)?,
        }
    }
}

/// Fails once the time is over, or if the request was cancelled.
fn check(until: Instant, cancellation: &Cancellation) -> Result<(), OcrError> {
    cancellation.check()?;
    if Instant::now() >= until { Err(OcrError::Late) } else { Ok(()) }
}

/// Kills the program when it is no longer needed.
struct RunningProgram(Child);

impl RunningProgram {
    /// The status of the program, which has closed its standard output.
    fn wait(&mut self, until: Instant, cancellation: &Cancellation) -> Result<ExitStatus, OcrError> {
        loop {
            if let Some(status) = self.0.try_wait().map_err(|error| failed(error.to_string()))? {
                return Ok(status);
            }
            check(until, cancellation)?;
            std::thread::sleep(END_PATIENCE);
        }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // Killing fails if all have already ended; the program is waited for in either case.
        let group = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use pagewise_ocr::TesseractMode;
    use std::os::unix::fs::PermissionsExt as _;

    /// A script in the place of the program, started by a script in the place of pagewise.
    fn program(folder: &Path, answer: &str) -> Option<Tesseract> {
        let script = |name: &str, lines: &str| {
            let path = folder.join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
            path
        };
        let list = r#"case "$1" in --list-langs) printf 'List (1):\neng\n'; exit;; esac"#;
        let path = script("tesseract", &format!("{list}\n{answer}"));
        let settings = WorkerSettings::new(script("pagewise", "shift 3; exec \"$@\""));
        Tesseract::at(&path, &WorkerSettings { deadline: SOON, ..settings })
    }

    /// Time for programs that hang, and for those that do not: a busy machine takes long to start one.
    const SOON: Duration = Duration::from_millis(400);
    const EVENTUALLY: Duration = Duration::from_secs(300);

    fn run(program: &Tesseract, time: Duration) -> Result<String, OcrError> {
        let image = GrayImage::new(1_000, 200, vec![255; 200_000]).unwrap();
        let job = TesseractJob { mode: TesseractMode::Page, language: "eng".to_owned() };
        program.run(&image, &job, Instant::now() + time, &Cancellation::new())
    }

    #[track_caller]
    fn check_answer(answer: &str, time: Duration, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let found = run(&program(folder.path(), answer).unwrap(), time);
        let found = found.unwrap_or_else(|error| error.to_string());
        assert!(found.ends_with(expected), "{answer}: {found}");
    }

    #[test]
    fn a_program_that_misbehaves_is_an_error_of_its_own() {
        check_answer("echo a table", EVENTUALLY, "a table\n");
        check_answer("exec sleep 60", SOON, "it did not finish in time");
        check_answer("exec >&-; sleep 60", SOON, "it did not finish in time");
        check_answer("exec yes", EVENTUALLY, "its answer is too long");
        check_answer(r"printf '\377'", EVENTUALLY, "its answer is not text");
        check_answer("kill -9 $$", EVENTUALLY, "signal: 9 (SIGKILL)");
        check_answer("exit 3", EVENTUALLY, "exit status: 3");
    }

    #[test]
    fn what_the_program_started_ends_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let alive = folder.path().join("alive");
        let found = program(folder.path(), &format!("(sleep 3; touch {}) & sleep 60", alive.display())).unwrap();
        assert_eq!(run(&found, SOON), Err(OcrError::Late));
        std::thread::sleep(Duration::from_millis(3_200));
        assert!(!alive.exists());
    }

    #[test]
    fn a_program_that_is_late_again_and_again_is_not_started_again() {
        let folder = tempfile::tempdir().unwrap();
        let (late_once, done) = (folder.path().join("once"), folder.path().join("done"));
        let lines =
            format!("[ -e {0} ] && exit\n[ -e {1} ] && exec sleep 60\ntouch {1}", done.display(), late_once.display());
        let found = program(folder.path(), &lines).unwrap();
        assert_eq!(run(&found, EVENTUALLY), Ok(String::new()));
        assert_eq!(run(&found, SOON), Err(OcrError::Late));
        std::fs::write(&done, "").unwrap();
        assert_eq!(run(&found, EVENTUALLY), Ok(String::new()), "it was in time again");
        std::fs::remove_file(&done).unwrap();
        let late = Err(OcrError::Late);
        assert_eq!([run(&found, SOON / 4), run(&found, SOON / 4)], [late.clone(), late.clone()], "had little time");
        assert_eq!([run(&found, SOON), run(&found, SOON)], [late.clone(), late]);
        std::fs::write(&done, "").unwrap();
        let refused = run(&found, EVENTUALLY).unwrap_err().to_string();
        assert!(refused.ends_with("it did not finish in time 2 times, and is not started again"), "{refused}");
    }

    #[test]
    fn a_program_that_lists_no_languages_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let settings = WorkerSettings::new(PathBuf::from("/bin/false"));
        assert!(program(folder.path(), "").is_some());
        assert!(Tesseract::at(&folder.path().join("tesseract"), &settings).is_none());
        assert!(Tesseract::at(&folder.path().join("nothing"), &settings).is_none());
    }
}
