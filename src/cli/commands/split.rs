//! `pagewise split`.

use std::path::Path;

use crate::cli::arguments::pages::Split;
use crate::cli::commands::pdf::{as_json, document, out_path};
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::progress::TerminalProgress;
use crate::cli::watchdog::Watchdog;
use crate::tool::{self, JoinResult, SplitResult, ToolError};

/// Answers `split`.
pub(crate) fn run(typed: &Split, config: &Config) -> Result<Report, ToolError> {
    match (&typed.out, &typed.out_dir) {
        (Some(out), _) => join_into_file(typed, out, config),
        (None, Some(out_dir)) => split_into_files(typed, out_dir, config),
        (None, None) => split_into_files(typed, &out_path(&typed.path, None, "pages"), config),
    }
}

/// The selection of pages; a blank one selects all, as everywhere.
fn pages(typed: &Split) -> Option<&str> {
    typed.selection.as_ref().or(typed.pages.as_ref()).map(String::as_str).filter(|pages| !pages.trim().is_empty())
}

/// Each page in a file of its own.
fn split_into_files(typed: &Split, out_dir: &Path, config: &Config) -> Result<Report, ToolError> {
    let watchdog = Watchdog::start(&typed.path, typed.document.json.json, config);
    let pdf = open::pdf_confined(&document(&typed.path, &typed.document)?, out_dir, config)?;
    watchdog.step();
    let watcher = TerminalProgress::interruptible(watchdog);
    let result = tool::split(&pdf, pages(typed), out_dir, &watcher)?;
    watcher.finish();
    let is_failure = result.interrupted || !result.failed.is_empty();
    let report = Report::new(text(&result), as_json(&result)?).with_notes(notes(&result));
    Ok(Report { is_failure, ..report })
}

fn text(result: &SplitResult) -> String {
    let SplitResult { written, bytes, out_dir, .. } = result;
    format!("{written} pages written to {}: {}", out_dir.display(), tool::size_in_words(*bytes))
}

fn notes(result: &SplitResult) -> Vec<String> {
    let failed = result.failed.iter().map(|failed| format!("page {} failed: {}", failed.page, failed.reason));
    let interrupted = result.interrupted.then(|| "interrupted: the other pages were not written".to_owned());
    failed.chain(result.notes.iter().cloned()).chain(interrupted).collect()
}

/// All pages in one file.
fn join_into_file(typed: &Split, out: &Path, config: &Config) -> Result<Report, ToolError> {
    let folder = out.parent().unwrap_or(out);
    let watchdog = Watchdog::start(&typed.path, typed.document.json.json, config);
    let pdf = open::pdf_confined(&document(&typed.path, &typed.document)?, folder, config)?;
    watchdog.step();
    let result = tool::write_joined(&pdf, pages(typed), out)?;
    Ok(Report::new(joined_text(&result), as_json(&result)?).with_notes(result.notes))
}

fn joined_text(result: &JoinResult) -> String {
    let JoinResult { file, page_numbers, pages, bytes, .. } = result;
    let named = if result.joined == 1 { "Page" } else { "Pages" };
    format!("{named} {page_numbers} of {pages} written to {}: {}", file.display(), tool::size_in_words(*bytes))
}
