//! Hostile PDFs, each through the built program: every run ends in time with an answer or a typed refusal.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a failed test may stop where it stands, and says what it measured where it is asked to"
)]

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::support::PATIENCE;
use super::support::hostile::{documents, heavy};
use super::support::hostile_pages::{busy, hostile_pages};
use super::support::program::Place;

/// Seconds of processor time for each process of a run, held by the system. The slowest take a quarter of it without
/// optimisation; a slow or shared processor must not fail a run that ends.
const PROCESSOR_SECONDS: u32 = 40;

/// Address space for one run: the program, a stack of 64 MB for text, and 256 MB of its own.
const MEMORY_BYTES: u64 = 512 << 20;

/// What a document may be refused with. That a reader died is none of them.
const REFUSALS: [&str; 8] =
    ["damaged", "encrypted", "invalid_page", "limit_exceeded", "not_a_pdf", "pdf_error", "timeout", "too_large"];

#[test]
fn hostile_documents_cost_their_own_request_and_no_more() {
    let place = Place::new();
    let documents = [documents(), hostile_pages()].concat();
    let next = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            while let Some((name, bytes)) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
                failures.extend(tried(&place, name, bytes));
            }
            failures
        };
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), documents.len(), failures.join("\n"));
}

#[test]
fn what_keeps_an_engine_busy_is_ended_while_it_is_drawn() {
    let place = Place::new();
    for (name, bytes) in busy() {
        let pdf = place.file(&format!("{}.pdf", name.replace(' ', "-")), &bytes);
        let mut program = place.command();
        program.args(["render", &pdf, "1", "--out", &format!("{pdf}.png"), "--json"]);
        program.env("PAGEWISE_MAX_PAGE_CPU_MS", "50");
        let (status, output) = bounded(program).unwrap();
        let answer: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("{name}: {status:?} {output:?}"));
        assert_eq!(answer["error"]["data"]["setting"], "max_page_cpu_ms", "{name}: {answer}");
    }
}

#[test]
fn a_command_whose_memory_is_at_its_end_says_so_and_leaves_nothing() {
    // More than the program itself, which is large without optimisation, and less than it with the page's content.
    const MEMORY: u64 = 150 << 20;
    let place = Place::new();
    let pdf = place.file("heavy.pdf", heavy(4));
    let commands: [&[&str]; 3] = [
        &["page", &pdf, "1", "--out", "out/page.pdf"],
        &["split", &pdf, "--out-dir", "out"],
        &["split", &pdf, "--out", "out/pages.pdf"],
    ];
    for command in commands {
        let out = place.path("out");
        std::fs::create_dir_all(&out).unwrap();
        let mut program = place.command();
        program.args(command).arg("--json").env("PAGEWISE_WORKER_MEMORY_BYTES", MEMORY.to_string());
        let (status, output) = bounded(program).unwrap();
        let answer: Value = serde_json::from_str(&output).unwrap_or_else(|_| panic!("{status:?} {output:?}"));
        assert_eq!(status, Some(1), "{command:?}: {answer}");
        assert_eq!(answer["error"]["code"], "limit_exceeded", "{command:?}: {answer}");
        assert_eq!(answer["error"]["data"]["setting"], "worker_memory_bytes", "{command:?}: {answer}");
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0, "{command:?}");
    }
}

/// Runs one document through each command; what went wrong.
fn tried(place: &Place, name: &str, bytes: &[u8]) -> Vec<String> {
    let pdf = place.file(&format!("{}.pdf", name.replace(' ', "-")), bytes);
    let out = format!("{pdf}.page");
    let picture = format!("{pdf}.png");
    let commands: [&[&str]; 5] = [
        &["info", &pdf, "--json"],
        &["page", &pdf, "1", "--out", &out, "--json"],
        &["split", &pdf, "--pages", "1-2", "--out", &out, "--json"],
        &["get-file", &pdf, "--pages", "1", "--as", "text", "--json"],
        &["render", &pdf, "1", "--dpi", "36", "--out", &picture, "--json"],
    ];
    let outcome = |command: &&[&str]| {
        let start = Instant::now();
        let outcome = run(place, command);
        let took = start.elapsed();
        if std::env::var_os("PAGEWISE_TEST_HOSTILE").is_some() {
            eprintln!("{took:>10.0?} {:8} {name}: {outcome:?}", command[0]);
        }
        outcome.err().map(|error| format!("{name}: {}: {error}", command[0]))
    };
    let failures = commands.iter().filter_map(outcome).collect();
    std::fs::remove_file(place.path(&pdf)).unwrap();
    failures
}

/// One run; the code it was refused with, or `done`.
fn run(place: &Place, arguments: &[&str]) -> Result<String, String> {
    let program = place.command();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -t {PROCESSOR_SECONDS} && exec \"$0\" \"$@\"")]);
    command.arg(program.get_program()).args(arguments).current_dir(place.folder());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .env("PAGEWISE_WORKER_MEMORY_BYTES", MEMORY_BYTES.to_string())
        .env("PAGEWISE_WORKER_DEADLINE_MS", "240000")
        .env("PAGEWISE_MAX_PAGE_CPU_MS", "1000");
    let (status, output) = bounded(command)?;
    let answer: Value = serde_json::from_str(&output).map_err(|_| format!("status {status:?}, printed {output:?}"))?;
    match answer["error"]["code"].as_str() {
        None if status == Some(0) => Ok("done".to_owned()),
        Some(code) if REFUSALS.contains(&code) => {
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            let died = message.contains("ended without an answer") || message.contains("stack overflowed");
            if died { Err(message.to_owned()) } else { Ok(format!("{code}: {message}")) }
        }
        _ => Err(format!("status {status:?}, {answer}")),
    }
}

/// Runs a command, which must end; its exit status, `None` for a signal, and its output.
fn bounded(mut command: Command) -> Result<(Option<i32>, String), String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut output = String::new();
        stdout.read_to_string(&mut output).map(|_| output)
    });
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return Ok((status.code(), reading.join().unwrap().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    Err(format!("not done after {PATIENCE:?}"))
}
