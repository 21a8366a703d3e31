//! What goes to standard output and standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::names::typed_name;
use super::{FAILED, REFUSED};
use crate::tool::{DeliverError, Delivery, Dispatch, ToolError, deliver};

/// A command's result, to be printed.
#[derive(Debug)]
pub(super) struct Report {
    /// For people.
    pub(super) text: Output,
    /// For programs, with `--json`.
    pub(super) json: Value,
    /// Committed once it is printed.
    pub(super) delivery: Option<Delivery>,
    /// Whether a part of the work failed.
    pub(super) is_failure: bool,
}

/// What is printed without `--json`.
#[derive(Debug)]
pub(super) enum Output {
    /// Text; a line end is added.
    Text(String),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

impl Report {
    /// A result that is complete and records nothing.
    pub(super) fn new(text: String, json: Value) -> Self {
        Self { text: Output::Text(text), json, delivery: None, is_failure: false }
    }
}

/// Prints a result, then records it as delivered.
pub(super) fn report(report: Report, is_json: bool) -> ExitCode {
    let print = || if is_json { line(&report.json.to_string()) } else { output(&report.text) };
    match deliver(Dispatch::of(report.delivery), print) {
        Err(DeliverError::Write(error)) => return unprintable(&error),
        Err(error @ DeliverError::Store(_)) => warning(&error.to_string()),
        Ok(_) => {}
    }
    if report.is_failure { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

/// Prints an error: with `is_json` as an object on standard output, else on standard error.
pub(super) fn refusal(error: &ToolError, is_json: bool) -> ExitCode {
    let error = &error.for_command_line(typed_name);
    let printed = if is_json { line(&json!({ "error": error }).to_string()) } else { explain(error) };
    match printed {
        Ok(()) if error.code.is_refusal() => ExitCode::from(REFUSED),
        Ok(()) => ExitCode::from(FAILED),
        Err(error) => unprintable(&error),
    }
}

/// A refusal that is made before it is needed: to say it takes neither a lock nor memory, which may be gone by then.
pub(super) struct LastWords {
    text: String,
    is_json: bool,
    status: u8,
}

impl LastWords {
    pub(super) fn of(error: &ToolError, is_json: bool) -> Self {
        let error = &error.for_command_line(typed_name);
        let text = if is_json { format!("{}\n", json!({ "error": error })) } else { explained(error) };
        Self { text, is_json, status: if error.code.is_refusal() { REFUSED } else { FAILED } }
    }

    /// Says it, and gives the exit status.
    pub(super) fn say(&self) -> u8 {
        // Whether anybody hears it or not, the process ends.
        let _ = said(self.is_json, self.text.as_bytes());
        self.status
    }
}

/// Past the locks of standard output and standard error.
#[cfg(all(unix, not(pagewise_portable)))]
fn said(is_json: bool, bytes: &[u8]) -> io::Result<()> {
    use std::os::fd::AsFd as _;
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let descriptor = if is_json { stdout.as_fd() } else { stderr.as_fd() };
    std::fs::File::from(descriptor.try_clone_to_owned()?).write_all(bytes)
}

#[cfg(any(not(unix), pagewise_portable))]
fn said(is_json: bool, bytes: &[u8]) -> io::Result<()> {
    if is_json { io::stdout().write_all(bytes) } else { io::stderr().write_all(bytes) }
}

/// Prints what clap has to say where it wants to say it.
pub(super) fn clap_text(error: &clap::Error, status: ExitCode) -> ExitCode {
    match error.print() {
        Ok(()) => status,
        Err(error) => unprintable(&error),
    }
}

/// One line on standard error.
pub(super) fn warning(text: &str) {
    // With standard error gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "pagewise: {text}");
}

/// A piece of an answer that is printed while it comes.
pub(super) fn piece(text: &str) -> io::Result<()> {
    written(text.as_bytes())
}

fn explain(error: &ToolError) -> io::Result<()> {
    io::stderr().lock().write_all(explained(error).as_bytes())
}

fn explained(error: &ToolError) -> String {
    let hint = error.hint.iter().map(|hint| format!("  {hint}\n")).collect::<String>();
    format!("pagewise: {}\n{hint}", error.message)
}

fn output(output: &Output) -> io::Result<()> {
    match output {
        Output::Text(text) => line(text),
        Output::Bytes(bytes) => written(bytes),
    }
}

/// One line on standard output.
pub(super) fn line(text: &str) -> io::Result<()> {
    if text.ends_with('\n') || text.is_empty() {
        written(text.as_bytes())
    } else {
        written(format!("{text}\n").as_bytes())
    }
}

fn written(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// A reader that went away needs no message; the status still says that not all was read.
fn unprintable(error: &io::Error) -> ExitCode {
    if error.kind() != io::ErrorKind::BrokenPipe {
        warning(&format!("standard output: {error}"));
    }
    ExitCode::from(FAILED)
}
