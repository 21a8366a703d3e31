//! Jupyter notebooks (nbformat 3 and 4) → parts. They are JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pagewise_base::parts::{OfficeFormat, PartsFault};
use serde_json::{Map, Value};

use crate::markdown::{MarkdownPiece, PieceKind, code_block, image_mark};
use crate::parts::{Division, text_sections};
use crate::{Office, Properties};

pub(crate) fn read(bytes: &[u8]) -> Result<Office, PartsFault> {
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| PartsFault::Damaged(error.to_string()))?;
    let metadata = notebook.get("metadata");
    let language = metadata.and_then(|metadata| metadata.pointer("/kernelspec/language"));
    let language = language.or_else(|| metadata?.pointer("/language_info/name")).and_then(Value::as_str);
    let sheets = notebook.get("worksheets").and_then(Value::as_array).map_or(0, Vec::len);
    let holders = std::iter::once("/cells".to_owned()).chain((0..sheets).map(|at| format!("/worksheets/{at}/cells")));
    let mut cells = NotebookCells::default();
    for holder in holders {
        for (at, cell) in notebook.pointer(&holder).and_then(Value::as_array).into_iter().flatten().enumerate() {
            if let Some(cell) = cell.as_object() {
                cells.add(cell, &format!("{holder}/{at}"), language.unwrap_or_default());
            }
        }
    }
    let (_, sections) = text_sections(cells.pieces);
    let images = u64::try_from(cells.images.len()).unwrap_or(u64::MAX);
    let division = Division { sections, images, image_places: cells.images, ..Division::new(OfficeFormat::Notebook) };
    let title = metadata.and_then(|metadata| metadata.get("title")).and_then(Value::as_str).map(str::to_owned);
    let authors = metadata.and_then(|metadata| metadata.get("authors")).and_then(Value::as_array);
    let authors = authors.into_iter().flatten().filter_map(|author| author.get("name")?.as_str());
    let author = authors.collect::<Vec<_>>().join(", ");
    let author = Some(author).filter(|author| !author.is_empty());
    Ok(division.finish(Properties { title, author, ..Properties::default() }))
}

/// The data of the images at these places: base64, or the text of an SVG.
pub(crate) fn images(bytes: &[u8], places: &[String]) -> Result<Vec<Vec<u8>>, PartsFault> {
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| PartsFault::Damaged(error.to_string()))?;
    let data = |place: &String| {
        let text = text_of(notebook.pointer(place));
        let compact: String = text.split_whitespace().collect();
        BASE64_STANDARD.decode(compact).unwrap_or_else(|_| text.into_bytes())
    };
    Ok(places.iter().map(data).collect())
}

/// The cells so far.
#[derive(Default)]
struct NotebookCells {
    pieces: Vec<MarkdownPiece>,
    /// Where images are stored, as JSON pointers (RFC 6901).
    images: Vec<String>,
}

impl NotebookCells {
    fn add(&mut self, cell: &Map<String, Value>, place: &str, language: &str) {
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or_default();
        let source = text_of(cell.get("source").or_else(|| cell.get("input")));
        if kind == "code" {
            let mut text = if source.trim().is_empty() { String::new() } else { code_block(language, &source) };
            for (at, output) in cell.get("outputs").and_then(Value::as_array).into_iter().flatten().enumerate() {
                let output = self.output_text(output, &format!("{place}/outputs/{at}"));
                if !output.is_empty() {
                    text.push_str(if text.is_empty() { "" } else { "\n\n" });
                    text.push_str(&output);
                }
            }
            self.pieces.extend((!text.is_empty()).then_some(MarkdownPiece { text, kind: PieceKind::Block }));
            return;
        }
        // A heading of nbformat 3 is a cell.
        let level = cell.get("level").and_then(Value::as_u64).and_then(|level| usize::try_from(level).ok());
        let source = level
            .filter(|_| kind == "heading")
            .map_or(source.clone(), |level| format!("{} {}", "#".repeat(level.clamp(1, 6)), source.trim()));
        let source = self.with_attachments(source, cell, place);
        if kind == "markdown" || kind == "heading" {
            add_markdown(&source, &mut self.pieces);
        } else if !source.trim().is_empty() {
            self.pieces.push(MarkdownPiece { text: source, kind: PieceKind::Block });
        }
    }

    /// The text of a cell with marks in place of the names of images that are attached to it.
    fn with_attachments(&mut self, source: String, cell: &Map<String, Value>, place: &str) -> String {
        let attachments = cell.get("attachments").and_then(Value::as_object).into_iter().flatten();
        attachments.fold(source, |source, (name, kinds)| {
            let reference = format!("(attachment:{name})");
            let kind = kinds.as_object().and_then(|kinds| kinds.keys().next()).filter(|_| source.contains(&reference));
            let Some(kind) = kind else { return source };
            let mark = self.mark(format!("{place}/attachments/{}/{}", escaped(name), escaped(kind)));
            source.replace(&reference, &format!("({mark})"))
        })
    }

    fn mark(&mut self, place: String) -> String {
        self.images.push(place);
        image_mark(self.images.len().saturating_sub(1))
    }

    /// What an output says. A picture is named.
    fn output_text(&mut self, output: &Value, place: &str) -> String {
        if let Some(error) = output.get("ename").and_then(Value::as_str) {
            let what = output.get("evalue").and_then(Value::as_str).unwrap_or_default();
            let trace = output.get("traceback").and_then(Value::as_array).into_iter().flatten();
            let trace = trace.filter_map(Value::as_str).map(without_colours).collect::<Vec<_>>().join("\n");
            return format!("Error: {error}: {what}\n\n{}", code_block("", &trace));
        }
        let (data, place) =
            output.get("data").map_or((output, place.to_owned()), |data| (data, format!("{place}/data")));
        let pictures =
            data.as_object().into_iter().flatten().filter(|(kind, _)| kind.starts_with("image/") || *kind == "png");
        let picture = |(kind, _): (&String, &Value)| {
            format!("Output: ![{kind}]({})", self.mark(format!("{place}/{}", escaped(kind))))
        };
        let pictures: Vec<String> = pictures.map(picture).collect();
        let text = ["text/markdown", "text/plain", "text", "text/latex", "text/html", "application/json"];
        let text = text.iter().map(|kind| text_of(data.get(kind))).find(|text| !text.trim().is_empty());
        let text = text.map(|text| format!("Output:\n{}", code_block("", &without_colours(&text))));
        text.into_iter().chain(pictures).collect::<Vec<_>>().join("\n\n")
    }
}

/// A key as a step of a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
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
