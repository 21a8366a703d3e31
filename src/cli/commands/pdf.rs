//! `pagewise info`, `text`, `tables`, `images`, `render`, `search` and `outline`: commands about one PDF that record nothing.

use std::io::IsTerminal as _;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use crate::cli::answers;
use crate::cli::arguments::documents::{self, Attachments, Diff, Images, Info, Tables, Text};
use crate::cli::arguments::pages::{OcrLayer, Render};
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::progress::TerminalProgress;
use crate::cli::terminal::screen::Screen;
use crate::source::linked_page;
use crate::tool::{
    self, Caller, DocumentArguments, InfoAnswer, InfoArguments, OutlineArguments, PictureFolders, RenderArguments,
    SearchArguments, TableFormat, TablesArguments, TextArguments, ToolArguments as _, ToolError, WrittenFile,
    result_json,
};
use crate::worker::OcrMode;
use pagewise_base::page::PageNumber;
use serde_json::Value;

/// Answers `info`.
pub(crate) fn info(typed: &Info, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let pages = typed.pages.or(&typed.arguments.pages);
    let arguments = InfoArguments { pages, ..typed.arguments.clone() }.typed()?;
    let context = open::context(false, config)?;
    let answer = tool::info(&context, &arguments, &Caller::direct())?;
    let (text, notes) = match &answer {
        InfoAnswer::Document(info) => (answers::info::text(info, screen), info.notes.clone()),
        InfoAnswer::Folder(listing) => (answers::folder::text(listing, screen), answers::folder::notes(listing)),
    };
    Ok(Report::new(text, answer.structure()?).with_notes(notes))
}

/// Answers `text`.
pub(crate) fn text(typed: &Text, config: &Config) -> Result<Report, ToolError> {
    if typed.arguments.boxes && !config.is_json {
        return Err(boxes_without_json());
    }
    let max_chars = typed.arguments.max_chars.or(tool::WHOLE_TEXT);
    let pages = typed.pages.or(&typed.arguments.pages);
    let read = TextArguments { pages, max_chars, ..typed.arguments.clone() }.typed()?;
    let arguments = TextArguments { boxes: typed.arguments.boxes, is_command: true, ..read };
    let pdf = open::pdf(&arguments.document, config)?;
    let watcher = TerminalProgress::new();
    let folder = typed.out.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (result, images) = match &typed.images {
        Some(pictures) => {
            let folders = PictureFolders { pictures, text: folder };
            let (result, images) = tool::extract_illustrated(&pdf, &arguments, &folders, &watcher)?;
            (result, Some(images))
        }
        None => (tool::extract_text(&pdf, &arguments, &watcher)?, None),
    };
    watcher.finish();
    let mut notes = result.notes_for_people(arguments.ocr);
    if let (Some(images), Some(folder)) = (&images, &typed.images) {
        notes.push(answers::written::pictures(images, folder));
        notes.extend(images.notes_for_people());
    }
    let structure = result_json(&result)?;
    let Some(out) = &typed.out else {
        return Ok(Report::new(result.text_alone(), structure).with_notes(notes));
    };
    let file = tool::write_text(out, &result.text_alone())?;
    Ok(Report::new(answers::written::text(&file, result.pages.len()), written(structure, &[file])?).with_notes(notes))
}

/// Only programs get boxes.
fn boxes_without_json() -> ToolError {
    ToolError::parameter("--boxes", "needs --json")
}

fn written(mut structure: Value, files: &[WrittenFile]) -> Result<Value, ToolError> {
    if let Value::Object(members) = &mut structure {
        members.insert("files".to_owned(), result_json(&files)?);
    }
    Ok(structure)
}

/// Answers `tables`.
pub(crate) fn tables(typed: &Tables, config: &Config) -> Result<Report, ToolError> {
    match (typed.format, &typed.out) {
        (Some(documents::TableFormat::Json), Some(_)) => return Err(ToolError::one_of("--format json", "--out")),
        (Some(_), None) if config.is_json && !typed.wants_json() => {
            return Err(ToolError::one_of("--format", "--json"));
        }
        _ => {}
    }
    let pages = typed.pages.or(&typed.arguments.pages);
    let arguments = TablesArguments { pages, ..typed.arguments.clone() }.typed()?;
    let pdf = open::pdf(&arguments.document, config)?;
    let watcher = TerminalProgress::new();
    let result = tool::find_tables(&pdf, arguments.pages.as_deref(), &watcher)?;
    watcher.finish();
    let (structure, notes) = (result_json(&result)?, result.notes_for_people());
    let Some(out) = &typed.out else {
        return Ok(Report::new(result.text(table_format(typed.format)), structure).with_notes(notes));
    };
    let format = typed.format.map(|format| table_format(Some(format)));
    let files = tool::write_tables(&result, format, out)?;
    let text = answers::written::tables(&files, result.tables.len(), out);
    Ok(Report::new(text, written(structure, &files)?).with_notes(notes))
}

/// Answers `images`.
pub(crate) fn images(typed: &Images, config: &Config) -> Result<Report, ToolError> {
    let pages = typed.pages.or(&typed.arguments.pages);
    let arguments = TablesArguments { pages, ..typed.arguments.clone() }.typed()?;
    let pdf = open::pdf(&arguments.document, config)?;
    let watcher = if typed.out_dir.is_some() { TerminalProgress::writing() } else { TerminalProgress::new() };
    let result = tool::find_images(&pdf, arguments.pages.as_deref(), typed.out_dir.as_deref(), &watcher)?;
    watcher.finish();
    let text = answers::written::images(&result, typed.out_dir.as_deref());
    Ok(Report::new(text, result_json(&result)?).with_notes(result.notes_for_people()))
}

/// Answers `attachments`.
pub(crate) fn attachments(typed: &Attachments, config: &Config) -> Result<Report, ToolError> {
    let pdf = open::pdf(&typed.document.typed()?, config)?;
    let watcher = TerminalProgress::writing();
    let result = tool::write_attachments(&pdf, typed.name.as_deref(), &typed.out_dir, &watcher)?;
    watcher.finish();
    let report = Report::new(answers::written::attachments(&result, &typed.out_dir), result_json(&result)?);
    let report = report.with_notes(answers::written::attachments_notes(&result));
    Ok(Report { is_failure: !result.failed.is_empty(), ..report })
}

/// Answers `diff`.
pub(crate) fn diff(typed: &Diff, config: &Config) -> Result<Report, ToolError> {
    let earlier = typed.earlier.typed()?;
    let later = DocumentArguments { path: typed.later.clone(), ..earlier.clone() }.typed()?;
    open::check_conversation(&earlier).or_else(|_| open::check_conversation(&later))?;
    let context = open::context(false, config)?;
    let watcher = TerminalProgress::new();
    let result = tool::diff(&context, &later, &earlier.path, &Caller::direct(), &watcher)?;
    watcher.finish();
    Ok(Report::new(result.text(None), result_json(&result)?))
}

/// Answers `ocr`.
pub(crate) fn ocr(typed: &OcrLayer, config: &Config) -> Result<Report, ToolError> {
    let pages = typed.pages.or(&typed.arguments.pages);
    let arguments = TablesArguments { pages, ..typed.arguments.clone() }.typed()?;
    let pdf = open::pdf(&arguments.document, config)?;
    let out = out_path(&arguments.document.path, typed.out.as_deref(), "text.pdf");
    let watcher = TerminalProgress::new();
    let result = tool::write_text_layer(&pdf, arguments.pages.as_deref(), OcrMode::Auto, &out, &watcher)?;
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
    let (_, linked) = linked_page(&typed.arguments.document.path);
    let page = typed.word.or(&typed.pages).pages.unwrap_or_else(|| linked.unwrap_or("1-").to_owned());
    let arguments = RenderArguments { page, ..typed.arguments.clone() }.typed()?;
    let path = &arguments.document.path;
    if let Some(quote) = &arguments.quote {
        let context = open::drawing_context(config)?;
        let watcher = TerminalProgress::new();
        let out = |page: PageNumber| out_path(path, typed.out.as_deref(), &format!("page{page}.png"));
        let result = tool::write_quote_picture(&context, quote, &arguments, out, &watcher)?;
        watcher.finish();
        return Ok(Report::new(answers::pages::picture(&result), result_json(&result)?).with_notes(result.notes));
    }
    let pdf = open::pdf(&arguments.document, config)?;
    let pages = tool::selected_pages(&pdf, Some(&arguments.page))?.pages;
    if let Some(page) = pages.iter().next().filter(|_| pages.len() == 1 && !arguments.contact_sheet) {
        let out = out_path(path, typed.out.as_deref(), &format!("page{}.png", page.number()));
        let result = tool::write_picture(&pdf, &arguments, &out)?;
        return Ok(Report::new(answers::pages::picture(&result), result_json(&result)?).with_notes(result.notes));
    }
    drop(pdf);
    let context = open::drawing_context(config)?;
    let watcher = TerminalProgress::writing();
    let report = if arguments.contact_sheet {
        let out = out_path(path, typed.out.as_deref(), "sheet.png");
        let result = tool::write_sheet(&context, &arguments, &out, &watcher)?;
        let report = Report::new(answers::pages::sheet(&result), result_json(&result)?);
        let report = report.with_notes(answers::pages::sheet_notes(&result));
        Report { is_failure: !result.failed.is_empty(), ..report }
    } else {
        let out = out_path(path, typed.out.as_deref(), "pages");
        if out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
            let error = ToolError::parameter("--out", &format!("names one file, and {} pages are drawn", pages.len()));
            return Err(error.hint("Name a folder, or draw them side by side with --contact-sheet."));
        }
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

/// Answers `search`. Of the words that were typed the last one is the query, unless a quote is looked for.
pub(crate) fn search(typed: &SearchArguments, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    if typed.boxes && !config.is_json {
        return Err(boxes_without_json());
    }
    let mut paths = typed.path.iter().chain(&typed.query).chain(&typed.paths).cloned().collect::<Vec<_>>();
    let query = if typed.quote.is_none() && paths.len() > 1 { paths.pop() } else { None };
    let arguments = SearchArguments { path: None, query, paths, ..typed.clone() }.typed()?;
    let remembers = arguments.conversation.is_some();
    let context = match arguments.ranked {
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
pub(crate) fn outline(typed: &OutlineArguments, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let max_items = typed.max_items.or(Some(NonZeroU64::MAX));
    let arguments = OutlineArguments { max_items, ..typed.clone() }.typed()?;
    let pdf = open::pdf(&arguments.document, config)?;
    let outline = tool::outline(&pdf, &arguments, None);
    let report = Report::new(answers::outline::text(&outline, screen), outline.structure());
    Ok(report.with_notes(answers::outline::notes(&outline)))
}
