//! Prints results to standard output, and errors and warnings to standard error.

use std::borrow::Cow;
use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::cli::arguments::parameters::{as_typed, typed_name};
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::{FAILED, REFUSED};
use crate::context::Delivery;
use crate::tool::{DeliverError, Dispatch, ToolError, clean_json, deliver};
use pagewise_base::clean::{CleanText, is_hidden};

/// A command's result.
#[derive(Debug)]
pub(crate) struct Report {
    /// For people, on standard output.
    pub(crate) text: Output,
    /// For people, beside the output: on standard error, one line each.
    pub(crate) notes: Vec<String>,
    /// For programs, with `--json`.
    pub(crate) json: Value,
    /// Committed after it was printed.
    pub(crate) delivery: Option<Delivery>,
    /// Whether a part of the work failed.
    pub(crate) is_failure: bool,
}

/// The form without `--json`.
#[derive(Debug)]
pub(crate) enum Output {
    /// Text; a line end is added.
    Text(String),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

impl Report {
    /// A result without failures, with nothing to commit.
    pub(crate) fn new(text: String, json: Value) -> Self {
        Self { text: Output::Text(text), notes: Vec::new(), json, delivery: None, is_failure: false }
    }

    /// The same with notes for people.
    pub(crate) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }
}

/// Prints a result, then records it as delivered.
pub(crate) fn report(report: Report, is_json: bool) -> ExitCode {
    let print = || if is_json { line(&clean_json(report.json.clone()).to_string()) } else { output(&report.text) };
    match deliver(Dispatch::of(report.delivery), print) {
        Err(DeliverError::Write(error)) => return output_failed(&error),
        Err(error @ DeliverError::Store(_)) => warning(&error.to_string()),
        Ok(_) => {}
    }
    if !is_json {
        report.notes.iter().for_each(|note| warning(&as_typed(note)));
    }
    if report.is_failure { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

/// Prints an error: with `is_json` as an object on standard output, otherwise as text on standard error.
pub(crate) fn refusal(error: &ToolError, is_json: bool) -> ExitCode {
    let arguments = std::env::args().collect::<Vec<_>>();
    let error = &error.for_command_line(typed_name).repeating_briefly(arguments.iter().map(String::as_str));
    let printed = if is_json { line(&error_json(error)) } else { print_error(error) };
    match printed {
        Ok(()) if error.code.is_refusal() => ExitCode::from(REFUSED),
        Ok(()) => ExitCode::from(FAILED),
        Err(error) => output_failed(&error),
    }
}

/// An error that is formatted before it is needed. Printing it takes no lock and no memory, which may be unavailable then.
pub(crate) struct PreparedRefusal {
    text: String,
    is_json: bool,
    status: u8,
}

impl PreparedRefusal {
    pub(crate) fn of(error: &ToolError, is_json: bool) -> Self {
        let error = &error.for_command_line(typed_name);
        let text = if is_json { format!("{}\n", error_json(error)) } else { error_text(error) };
        let text = printable(&text, Screen::of_stderr()).into_owned();
        Self { text, is_json, status: if error.code.is_refusal() { REFUSED } else { FAILED } }
    }

    /// Prints it, and returns the exit status.
    pub(crate) fn print(&self) -> u8 {
        // The process ends, whether this succeeds or not.
        let _ = write_past_locks(self.is_json, self.text.as_bytes());
        self.status
    }
}

/// Writes without the locks of standard output and standard error.
#[cfg(all(unix, not(pagewise_portable)))]
fn write_past_locks(is_json: bool, bytes: &[u8]) -> io::Result<()> {
    use std::os::fd::AsFd as _;
    let (stdout, stderr) = (io::stdout(), io::stderr());
    let descriptor = if is_json { stdout.as_fd() } else { stderr.as_fd() };
    std::fs::File::from(descriptor.try_clone_to_owned()?).write_all(bytes)
}

#[cfg(any(not(unix), pagewise_portable))]
fn write_past_locks(is_json: bool, bytes: &[u8]) -> io::Result<()> {
    if is_json { io::stdout().write_all(bytes) } else { io::stderr().write_all(bytes) }
}

/// Prints clap's own text, to the stream that clap chooses.
pub(crate) fn clap_text(error: &clap::Error, status: ExitCode) -> ExitCode {
    // Its text repeats what was typed.
    let text = error.render();
    let printed = if error.use_stderr() {
        let screen = Screen::of_stderr();
        write_stderr(&if screen.has_colors { text.ansi().to_string() } else { text.to_string() })
    } else {
        let screen = Screen::of_stdout();
        write_text(&if screen.has_colors { text.ansi().to_string() } else { text.to_string() })
    };
    match printed {
        Ok(()) => status,
        Err(error) => output_failed(&error),
    }
}

/// One line on standard error.
pub(crate) fn warning(text: &str) {
    let name = Screen::of_stderr().paint(Part::Heading, "pagewise:");
    // There is no other place to report a failure.
    let _ = write_stderr(&format!("{name} {}\n", CleanText::line(text)));
}

/// Prints a part of an answer that is still arriving.
pub(crate) fn part(text: &str) -> io::Result<()> {
    write_text(text)
}

fn print_error(error: &ToolError) -> io::Result<()> {
    write_stderr(&error_text(error))
}

fn error_json(error: &ToolError) -> String {
    clean_json(json!({ "error": error })).to_string()
}

pub(crate) fn error_text(error: &ToolError) -> String {
    let hint = error.hint.iter().map(|hint| format!("  {hint}\n")).collect::<String>();
    format!("{} {}\n{hint}", Screen::of_stderr().paint(Part::Bad, "pagewise:"), error.message)
}

fn output(output: &Output) -> io::Result<()> {
    match output {
        Output::Text(text) => line(text),
        Output::Bytes(bytes) => write_stdout(bytes),
    }
}

/// Prints to standard output, with one line end.
pub(crate) fn line(text: &str) -> io::Result<()> {
    if text.ends_with('\n') || text.is_empty() { write_text(text) } else { write_text(&format!("{text}\n")) }
}

/// Every text on standard output goes through here, and every text on standard error through [`write_stderr`].
fn write_text(text: &str) -> io::Result<()> {
    write_stdout(printable(text, Screen::of_stdout()).as_bytes())
}

fn write_stderr(text: &str) -> io::Result<()> {
    io::stderr().lock().write_all(printable(text, Screen::of_stderr()).as_bytes())
}

/// `text` without what would control a terminal or hide something. The colours of a screen that has them stay, and form
/// feeds, which divide pages.
fn printable(text: &str, screen: Screen) -> Cow<'_, str> {
    let is_gone = |character: char| is_hidden(character) && !matches!(character, '\n' | '\t' | '\u{c}');
    if !text.contains(is_gone) {
        return Cow::Borrowed(text);
    }
    let (mut printable, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(is_gone) {
        let (plain, hidden) = rest.split_at_checked(at).unwrap_or((rest, ""));
        printable.push_str(plain);
        let color = color_length(hidden).filter(|_| screen.has_colors);
        let (color, after) = hidden.split_at_checked(color.unwrap_or(0)).unwrap_or(("", hidden));
        printable.push_str(color);
        rest = after.strip_prefix(|_: char| color.is_empty()).unwrap_or(after);
    }
    printable.push_str(rest);
    Cow::Owned(printable)
}

/// The length of the sequence that sets colours at the start of `text` (ECMA-48, 8.3.117); `None` if there is none.
fn color_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|character: char| !character.is_ascii_digit() && character != ';')?;
    parameters.get(end..)?.starts_with('m').then_some(end.saturating_add("\u{1b}[m".len()))
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// A closed pipe needs no message; the exit status still says that not all was read.
fn output_failed(error: &io::Error) -> ExitCode {
    if error.kind() != io::ErrorKind::BrokenPipe {
        warning(&format!("standard output: {error}"));
    }
    ExitCode::from(FAILED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_controls_no_terminal() {
        let [plain, colored] = [false, true].map(|has_colors| Screen { columns: None, has_colors });
        let text = "a\u{1b}[31mb\u{1b}]0;own\u{7}\u{9b}2J\u{202e}c\u{1b}\n\u{c}d\te";
        assert_eq!(printable(text, plain), "a[31mb]0;own2Jc\n\u{c}d\te");
        assert_eq!(printable(text, colored), "a\u{1b}[31mb]0;own2Jc\n\u{c}d\te");
        assert!(matches!(printable("plain\n", plain), Cow::Borrowed(_)));
    }
}
