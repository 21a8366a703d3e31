//! Jupyter notebooks (nbformat 3 and 4) → parts. They are JSON.

use pagewise_base::parts::{OfficeFormat, PartsFault};
use serde_json::{Map, Value};

use crate::markdown::{MarkdownPiece, PieceKind, code_block};
use crate::parts::{Division, text_sections};
use crate::{Office, Properties};

pub(crate) fn read(bytes: &[u8]) -> Result<Office, PartsFault> {
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| PartsFault::Damaged(error.to_string()))?;
    let metadata = notebook.get("metadata");
    let language = metadata.and_then(|metadata| metadata.pointer("/kernelspec/language"));
    let language = language.or_else(|| metadata?.pointer("/language_info/name")).and_then(Value::as_str);
    let sheets = notebook.get("worksheets").and_then(Value::as_array).into_iter().flatten();
    let cells = std::iter::once(&notebook).chain(sheets).filter_map(|holder| holder.get("cells")?.as_array()).flatten();
    let (mut pieces, mut images) = (Vec::new(), 0);
    for cell in cells.filter_map(Value::as_object) {
        add_cell(cell, language.unwrap_or_default(), &mut pieces, &mut images);
    }
    let (_, sections) = text_sections(pieces);
    let division = Division { sections, images, ..Division::new(OfficeFormat::Notebook) };
    let title = metadata.and_then(|metadata| metadata.get("title")).and_then(Value::as_str).map(str::to_owned);
    let authors = metadata.and_then(|metadata| metadata.get("authors")).and_then(Value::as_array);
    let authors = authors.into_iter().flatten().filter_map(|author| author.get("name")?.as_str());
    let author = authors.collect::<Vec<_>>().join(", ");
    let author = Some(author).filter(|author| !author.is_empty());
    Ok(division.finish(Properties { title, author, ..Properties::default() }))
}

fn add_cell(cell: &Map<String, Value>, language: &str, pieces: &mut Vec<MarkdownPiece>, images: &mut u64) {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or_default();
    let source = text_of(cell.get("source").or_else(|| cell.get("input")));
    let attached = cell.get("attachments").and_then(Value::as_object).map_or(0, Map::len);
    *images = images.saturating_add(u64::try_from(attached).unwrap_or(0));
    if kind == "code" {
        let mut text = if source.trim().is_empty() { String::new() } else { code_block(language, &source) };
        for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
            let output = output_text(output, images);
            if !output.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n\n" });
                text.push_str(&output);
            }
        }
        pieces.extend((!text.is_empty()).then_some(MarkdownPiece { text, kind: PieceKind::Block }));
        return;
    }
    // A heading of nbformat 3 is a cell.
    let level = cell.get("level").and_then(Value::as_u64).and_then(|level| usize::try_from(level).ok());
    let source = level
        .filter(|_| kind == "heading")
        .map_or(source.clone(), |level| format!("{} {}", "#".repeat(level.clamp(1, 6)), source.trim()));
    if kind == "markdown" || kind == "heading" {
        add_markdown(&source, pieces);
    } else if !source.trim().is_empty() {
        pieces.push(MarkdownPiece { text: source, kind: PieceKind::Block });
    }
}

/// A cell of Markdown, divided at its headings. What a fence encloses has none.
fn add_markdown(source: &str, pieces: &mut Vec<MarkdownPiece>) {
    let (mut text, mut in_fence) = (String::new(), false);
    let flush = |text: &mut String, pieces: &mut Vec<MarkdownPiece>| {
        let block = std::mem::take(text);
        let block = block.trim_matches('\n');
        pieces.extend(
            (!block.trim().is_empty()).then(|| MarkdownPiece { text: block.to_owned(), kind: PieceKind::Block }),
        );
    };
    for line in source.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        let level = line.len().saturating_sub(title.len());
        if !in_fence && (1..=6).contains(&level) && title.starts_with(' ') {
            flush(&mut text, pieces);
            let kind = PieceKind::Heading(u8::try_from(level).unwrap_or(6), title.trim().to_owned());
            pieces.push(MarkdownPiece { text: line.to_owned(), kind });
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    flush(&mut text, pieces);
}

/// What an output says. A picture is named.
fn output_text(output: &Value, images: &mut u64) -> String {
    if let Some(error) = output.get("ename").and_then(Value::as_str) {
        let what = output.get("evalue").and_then(Value::as_str).unwrap_or_default();
        let trace = output.get("traceback").and_then(Value::as_array).into_iter().flatten();
        let trace = trace.filter_map(Value::as_str).map(without_colours).collect::<Vec<_>>().join("\n");
        return format!("Error: {error}: {what}\n\n{}", code_block("", &trace));
    }
    let data = output.get("data").unwrap_or(output);
    let pictures =
        data.as_object().into_iter().flatten().filter(|(kind, _)| kind.starts_with("image/") || *kind == "png");
    let pictures: Vec<String> = pictures.map(|(kind, _)| format!("Output: [{kind}]")).collect();
    *images = images.saturating_add(u64::try_from(pictures.len()).unwrap_or(0));
    let text = ["text/markdown", "text/plain", "text", "text/latex", "text/html", "application/json"];
    let text = text.iter().map(|kind| text_of(data.get(kind))).find(|text| !text.trim().is_empty());
    let text = text.map(|text| format!("Output:\n{}", code_block("", &without_colours(&text))));
    text.into_iter().chain(pictures).collect::<Vec<_>>().join("\n\n")
}

/// A text, which may be a list of its lines.
fn text_of(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(Value::Object(object)) => Value::Object(object.clone()).to_string(),
        _ => String::new(),
    }
}

/// A text without the sequences that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut stretches = text.split("\u{1b}[");
    let first = stretches.next().unwrap_or_default().to_owned();
    let rest =
        stretches.map(|stretch| stretch.split_once(|end: char| end.is_ascii_alphabetic()).map_or("", |(_, rest)| rest));
    rest.fold(first, |text, stretch| text + stretch)
}
