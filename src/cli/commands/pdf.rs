//! `pagewise info`, `text`, `tables`, `render`, `search` and `outline`: commands about one PDF that record nothing.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::answers;
use crate::cli::arguments::documents::{self, Info, Outline, Search, Tables, Text};
use crate::cli::arguments::flags::DocumentFlags;
use crate::cli::arguments::pages::{OcrLayer, Render};
use crate::cli::arguments::parameters::tool_arguments;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::progress::TerminalProgress;
use crate::cli::terminal::screen::Screen;
use crate::tool::{
    self, Caller, DocumentArguments, InfoAnswer, OutlineArguments, RenderArguments, SearchArguments, ShownOutline,
    TableFormat, TextArguments, TextFormat, ToolError, result_json,
};
use crate::worker::OcrMode;

/// Answers `info`.
pub(crate) fn info(typed: &Info, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let arguments = document(&typed.path, &typed.document)?;
    let context = open::context(false, config)?;
    let answer = tool::info(&context, &arguments, &Caller::direct())?;
    let (text, notes) = match &answer {
        InfoAnswer::Document(info) => (answers::info::text(info, screen), info.notes.clone()),
        InfoAnswer::Folder(listing) => (answers::folder::text(listing, screen), answers::folder::notes(listing)),
    };
    Ok(Report::new(text, answer.structure()?).with_notes(notes))
}

/// More characters than any text has, and still a whole number in every reader of JSON.
const WHOLE_TEXT: u64 = (1 << 53) - 1;

/// Answers `text`.
pub(crate) fn text(typed: &Text, config: &Config) -> Result<Report, ToolError> {
    let parsed = TextArguments::parse(&tool_arguments([
        ("path", json!(typed.path)),
        ("conversation", json!(typed.document.conversation)),
        ("pages", json!(typed.selection.as_ref().or(typed.pages.as_ref()))),
        ("max_chars", json!(typed.max_chars.clone().unwrap_or_else(|| WHOLE_TEXT.to_string()))),
        ("format", json!(text_format(typed.format).name())),
        ("hidden", json!(typed.hidden.then_some(true))),
        ("ocr", json!(ocr_name(typed.ocr))),
    ]))?;
    let arguments = TextArguments { with_boxes: typed.boxes, is_command: true, ..parsed };
    let pdf = open::pdf(&arguments.document, config)?;
    let watcher = TerminalProgress::new();
    let result = tool::extract_text(&pdf, &arguments, &watcher)?;
    watcher.finish();
    let notes = result.notes_for_people(arguments.ocr);
    Ok(Report::new(result.text_alone(), result_json(&result)?).with_notes(notes))
}

fn ocr_name(typed: documents::Ocr) -> &'static str {
    match typed {
        documents::Ocr::Auto => "auto",
        documents::Ocr::Always => "always",
        documents::Ocr::Never => "never",
    }
}

fn text_format(typed: documents::TextFormat) -> TextFormat {
    match typed {
        documents::TextFormat::Text => TextFormat::Text,
        documents::TextFormat::Layout => TextFormat::Layout,
        documents::TextFormat::Markdown => TextFormat::Markdown,
    }
}

/// Answers `tables`.
pub(crate) fn tables(typed: &Tables, config: &Config) -> Result<Report, ToolError> {
    let pdf = open::pdf(&document(&typed.path, &typed.document)?, config)?;
    let watcher = TerminalProgress::new();
    let selection = typed.selection.as_ref().or(typed.pages.as_ref());
    let result = tool::find_tables(&pdf, selection.map(String::as_str), &watcher)?;
    watcher.finish();
    let text = result.text(table_format(typed.format));
    Ok(Report::new(text, result_json(&result)?).with_notes(result.notes_for_people()))
}

/// Answers `ocr`.
pub(crate) fn ocr(typed: &OcrLayer, config: &Config) -> Result<Report, ToolError> {
    let pdf = open::pdf(&document(&typed.path, &typed.document)?, config)?;
    let out = out_path(&typed.path, typed.out.as_deref(), "text.pdf");
    let watcher = TerminalProgress::new();
    let result = tool::write_text_layer(&pdf, typed.pages.as_deref(), OcrMode::Auto, &out, &watcher)?;
    watcher.finish();
    Ok(Report::new(answers::pages::text_layer(&result), result_json(&result)?).with_notes(result.notes))
}

fn table_format(typed: Option<documents::TableFormat>) -> TableFormat {
    match typed {
        Some(documents::TableFormat::Csv) => TableFormat::Csv,
        Some(documents::TableFormat::Html) => TableFormat::Html,
        Some(documents::TableFormat::Markdown) => TableFormat::Markdown,
        Some(documents::TableFormat::Json) | None if std::io::stdout().is_terminal() => TableFormat::Markdown,
        Some(documents::TableFormat::Json) | None => TableFormat::Csv,
    }
}

/// Answers `render`.
pub(crate) fn render(typed: &Render, config: &Config) -> Result<Report, ToolError> {
    let arguments = RenderArguments::parse(&tool_arguments([
        ("path", json!(typed.path)),
        ("conversation", json!(typed.document.conversation)),
        ("page", json!(typed.pages)),
        ("dpi", json!(typed.dpi)),
        ("region", json!(typed.region)),
        ("highlight", json!(typed.highlight)),
        ("contact_sheet", json!(typed.contact_sheet)),
    ]))?;
    let pdf = open::pdf(&arguments.document, config)?;
    let pages = tool::select_pages(&pdf, arguments.page.as_deref())?;
    if let Some(page) = pages.iter().next().filter(|_| pages.len() == 1 && !typed.contact_sheet) {
        let out = out_path(&typed.path, typed.out.as_deref(), &format!("page{}.png", page.number()));
        let result = tool::write_picture(&pdf, &arguments, &out)?;
        return Ok(Report::new(answers::pages::picture(&result), result_json(&result)?).with_notes(result.notes));
    }
    drop(pdf);
    let context = open::drawing_context(config)?;
    let watcher = TerminalProgress::writing();
    let report = if typed.contact_sheet {
        let out = out_path(&typed.path, typed.out.as_deref(), "sheet.png");
        let result = tool::write_sheet(&context, &arguments, &out, &watcher)?;
        let report = Report::new(answers::pages::sheet(&result), result_json(&result)?);
        let report = report.with_notes(answers::pages::sheet_notes(&result));
        Report { is_failure: !result.failed.is_empty(), ..report }
    } else {
        let out = out_path(&typed.path, typed.out.as_deref(), "pages");
        let result = tool::write_pictures(&context, &arguments, &out, &watcher)?;
        let report = Report::new(answers::pages::pictures(&result, &out), result_json(&result)?);
        let report = report.with_notes(answers::pages::pictures_notes(&result));
        Report { is_failure: result.interrupted || !result.failed.is_empty(), ..report }
    };
    watcher.finish();
    Ok(report)
}

/// `out`, or a name in the working directory that begins with that of the PDF.
pub(crate) fn out_path(path: &str, out: Option<&Path>, end: &str) -> PathBuf {
    let stem = Path::new(path).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
    out.map_or_else(|| PathBuf::from(format!("{stem}-{end}")), Path::to_path_buf)
}

/// Answers `search`.
pub(crate) fn search(typed: &Search, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let (paths, query) = typed.paths_and_query();
    let arguments = SearchArguments::parse(&tool_arguments([
        ("path", json!(paths)),
        ("query", json!(query)),
        ("quote", json!(typed.quote)),
        ("regex", json!(typed.regex.then_some(true))),
        ("case_sensitive", json!(typed.case_sensitive.then_some(true))),
        ("ocr", json!(ocr_name(typed.ocr))),
        ("pages", json!(typed.pages)),
        ("max_results", json!(typed.max_results)),
        ("conversation", json!(typed.conversation)),
        ("ranked", json!(typed.ranked.then_some(true))),
        ("language", json!(typed.language)),
        ("dates", json!(typed.dates)),
        ("boxes", json!(typed.boxes.then_some(true))),
    ]))?;
    let remembers = arguments.document.conversation.is_some();
    let context = match arguments.is_ranked {
        true => open::library_context(remembers, config)?,
        false => open::context(remembers, config)?,
    };
    let watcher = TerminalProgress::new();
    let found = tool::search(&context, &arguments, &Caller::direct(), &watcher)?;
    watcher.finish();
    let report = Report::new(answers::search::text(&found, screen), found.structure(&arguments));
    Ok(report.with_notes(answers::search::notes(&found, &arguments, screen)))
}

/// Answers `outline`.
pub(crate) fn outline(typed: &Outline, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let mut arguments = OutlineArguments::parse(&tool_arguments([
        ("path", json!(typed.path)),
        ("conversation", json!(typed.document.conversation)),
        ("depth", json!(typed.depth)),
        ("max_items", json!(typed.max_items)),
    ]))?;
    if typed.max_items.is_none() {
        arguments.shown.max_items = ShownOutline::WHOLE.max_items;
    }
    let pdf = open::pdf(&arguments.document, config)?;
    let outline = tool::outline(&pdf, arguments.shown, None);
    let report = Report::new(answers::outline::text(&outline, screen), outline.structure());
    Ok(report.with_notes(answers::outline::notes(&outline)))
}

/// The document of a command without a tool of its own.
pub(crate) fn document(path: &str, flags: &DocumentFlags) -> Result<DocumentArguments, ToolError> {
    let arguments = tool_arguments([("path", json!(path)), ("conversation", json!(flags.conversation))]);
    DocumentArguments::parse("pdf_info", &arguments)
}
