//! What goes to standard output and standard error.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{FAILED, REFUSED};
use crate::tool::Delivery;
use crate::tool::ToolError;

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
    let printed = if is_json { line(&report.json.to_string()) } else { output(&report.text) };
    if let Err(error) = printed {
        return unprintable(&error);
    }
    if let Some(Err(error)) = report.delivery.map(Delivery::commit) {
        warning(&format!("what was given could not be recorded: {error}"));
    }
    if report.is_failure { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

/// Prints an error: with `is_json` as an object on standard output, else on standard error.
pub(super) fn refusal(error: &ToolError, is_json: bool) -> ExitCode {
    let printed = if is_json { line(&json!({ "error": error }).to_string()) } else { explain(error) };
    match printed {
        Ok(()) if error.code.is_refusal() => ExitCode::from(REFUSED),
        Ok(()) => ExitCode::from(FAILED),
        Err(error) => unprintable(&error),
    }
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

/// One line on standard error for a program to read.
pub(super) fn log_line(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

fn explain(error: &ToolError) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    writeln!(stderr, "pagewise: {}", error.message)?;
    error.hint.iter().try_for_each(|hint| writeln!(stderr, "  {hint}"))
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
