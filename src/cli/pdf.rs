//! `pagewise page`, `info`, `text`, `render`, `search` and `outline`: one file, and nothing recorded.

use serde_json::{Map, Value, json};

use super::arguments::{Info, Outline, Reading, Render, Search, Text};
use super::config::Config;
use super::open;
use super::page_arguments::Page;
use super::print::Report;
use super::progress::TerminalProgress;
use super::watchdog::Watchdog;
use crate::tool::{
    self, Caller, DocumentArguments, ErrorCode, InfoResult, PageResult, RenderArguments, SearchArguments,
    TextArguments, ToolError,
};

/// Answers `page`.
pub(super) fn page(typed: &Page, config: &Config) -> Result<Report, ToolError> {
    let folder = typed.out.parent().unwrap_or(&typed.out);
    let watchdog = Watchdog::start(&typed.path, typed.reading.json.json, config);
    let pdf = open::pdf_confined(&document(&typed.path, &typed.reading)?, folder, config)?;
    watchdog.step();
    let result = tool::write_page(&pdf, &typed.number, &typed.out)?;
    Ok(Report::new(page_text(&result), as_json(&result)?))
}

fn page_text(result: &PageResult) -> String {
    let PageResult { file, page, pages, bytes, .. } = result;
    let notes = result.notes.iter().map(|note| format!("\nNote: {note}")).collect::<String>();
    format!("Page {page} of {pages} written to {}: {bytes} bytes{notes}", file.display())
}

/// Answers `info`.
pub(super) fn info(typed: &Info, config: &Config) -> Result<Report, ToolError> {
    let pdf = open::pdf(&document(&typed.path, &typed.reading)?, config)?;
    let result = InfoResult::of(&pdf);
    Ok(Report::new(result.text(), as_json(&result)?))
}

/// Answers `text`.
pub(super) fn text(typed: &Text, config: &Config) -> Result<Report, ToolError> {
    let arguments = TextArguments::parse(&given([
        ("path", Some(json!(typed.path))),
        ("conversation", typed.reading.conversation.as_ref().map(|handle| json!(handle))),
        ("pages", typed.pages.as_ref().map(|pages| json!(pages))),
        ("max_chars", typed.max_chars.as_ref().map(|count| json!(count))),
    ]))?;
    let pdf = open::pdf(&arguments.document, config)?;
    let watcher = TerminalProgress::new();
    let result = tool::extract_text(&pdf, &arguments, &watcher)?;
    watcher.finish();
    Ok(Report::new(format!("{}\n\n{}", result.text(), result.remarks()), as_json(&result)?))
}

/// Answers `render`.
pub(super) fn render(typed: &Render, config: &Config) -> Result<Report, ToolError> {
    let arguments = RenderArguments::parse(&given([
        ("path", Some(json!(typed.path))),
        ("conversation", typed.reading.conversation.as_ref().map(|handle| json!(handle))),
        ("page", Some(json!(typed.number))),
        ("dpi", typed.dpi.as_ref().map(|dpi| json!(dpi))),
        ("region", typed.region.as_ref().map(|region| json!(region))),
    ]))?;
    let pdf = open::pdf(&arguments.document, config)?;
    let result = tool::write_picture(&pdf, &arguments, &typed.out)?;
    Ok(Report::new(result.text(), as_json(&result)?))
}

/// Answers `search`.
pub(super) fn search(typed: &Search, config: &Config) -> Result<Report, ToolError> {
    let arguments = SearchArguments::parse(&given([
        ("path", Some(json!(typed.path))),
        ("query", Some(json!(typed.query))),
        ("regex", Some(json!(typed.regex))),
        ("case_sensitive", Some(json!(typed.case_sensitive))),
        ("pages", typed.pages.as_ref().map(|pages| json!(pages))),
        ("max_results", typed.max_results.as_ref().map(|count| json!(count))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
    ]))?;
    let context = open::context(arguments.document.conversation.is_some(), config)?;
    let watcher = TerminalProgress::new();
    let answer = tool::search(&context, &arguments, &Caller::direct(), &watcher)?;
    watcher.finish();
    Ok(Report::new(answer.text, answer.structure))
}

/// Answers `outline`.
pub(super) fn outline(typed: &Outline, config: &Config) -> Result<Report, ToolError> {
    let pdf = open::pdf(&document(&typed.path, &typed.reading)?, config)?;
    let answer = tool::outline(&pdf, None);
    Ok(Report::new(answer.text, answer.structure))
}

/// The document of a command that has no tool of its own arguments.
pub(super) fn document(path: &str, reading: &Reading) -> Result<DocumentArguments, ToolError> {
    let conversation = reading.conversation.as_ref().map(|handle| json!(handle));
    DocumentArguments::parse("pdf_info", &given([("path", Some(json!(path))), ("conversation", conversation)]))
}

/// The tool's own arguments, so that both doors check and refuse alike.
pub(super) fn given<const N: usize>(arguments: [(&str, Option<Value>); N]) -> Map<String, Value> {
    arguments.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A result as JSON; paths that are not Unicode have none.
pub(super) fn as_json(result: &impl serde::Serialize) -> Result<serde_json::Value, ToolError> {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::WriteFailed, "Cannot write the result as JSON")
            .with("reason", json!(error.to_string()))
    })
}
