//! `pagewise worker`, which a server starts to read PDFs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;

use super::terminal::print;
use crate::tool::{ErrorCode, ToolError};
use crate::worker::{become_tesseract, run_worker};

/// The memory that a worker may use, in bytes, if `arguments` are those of a worker. Nobody types them, so that the
/// description of all other arguments need not be built for them.
pub(super) fn memory_bytes(arguments: impl Iterator<Item = OsString>) -> Option<u64> {
    match arguments.skip(1).collect::<Vec<_>>().as_slice() {
        [command, bytes] if command == "worker" => bytes.to_str()?.parse().ok(),
        _ => None,
    }
}

/// The arguments after those, if they ask to become the program `tesseract`.
pub(super) fn tesseract(arguments: impl Iterator<Item = OsString>) -> Option<(u64, PathBuf, Vec<OsString>)> {
    match arguments.skip(1).collect::<Vec<_>>().as_slice() {
        [command, program, bytes, path, rest @ ..] if command == "worker" && program == "tesseract" => {
            Some((bytes.to_str()?.parse().ok()?, path.into(), rest.to_vec()))
        }
        _ => None,
    }
}

/// Becomes the program `tesseract`, confined.
pub(super) fn run_tesseract(memory_bytes: u64, path: &Path, arguments: &[OsString]) -> ExitCode {
    let error = become_tesseract(memory_bytes, path, arguments);
    let message = "Tesseract is started by pagewise itself, not by hand";
    print::refusal(&ToolError::new(ErrorCode::PdfError, message).with("reason", json!(error.to_string())), false)
}

/// Answers requests on standard input until it is closed.
pub(super) fn run(memory_bytes: u64) -> ExitCode {
    let Err(error) = run_worker(memory_bytes) else { return ExitCode::SUCCESS };
    let message = "A worker is started by pagewise itself, not by hand";
    print::refusal(&ToolError::new(ErrorCode::PdfError, message).with("reason", json!(error.to_string())), false)
}
