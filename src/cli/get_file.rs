//! `pagewise get-file`.

use serde_json::{Map, Value, json};

use super::arguments::{EmitShape, GetFile};
use super::config::Config;
use super::open;
use super::print::{Output, Report};
use super::progress::TerminalProgress;
use crate::hash::ContentHash;
use crate::tool::Block;
use crate::tool::{self, Caller, EmitFormat, FileAnswer, FormArgument, GetFileArguments, ToolError};

/// Answers `get-file`.
pub(super) fn run(typed: &GetFile, config: &Config) -> Result<Report, ToolError> {
    let arguments = GetFileArguments::parse(&tool_arguments(typed, config))?;
    let context = open::context(arguments.conversation.is_some(), config)?;
    let terminal = TerminalProgress::new();
    let answer = tool::get_file(&context, arguments, &Caller::direct(), &terminal);
    terminal.finish();
    open::warn_about(&context);
    report(answer?, typed.emit)
}

/// The tool's own arguments, so that both doors check and refuse alike.
fn tool_arguments(typed: &GetFile, config: &Config) -> Map<String, Value> {
    let arguments = [
        ("filePath", Some(json!(typed.path))),
        ("pdfPage", typed.pdf_page.as_ref().map(|index| json!(index))),
        ("pages", typed.pages.as_ref().map(|pages| json!(pages))),
        ("as", Some(json!(form(typed, config).name()))),
        ("force", Some(json!(typed.force))),
        ("startLine", typed.start_line.as_ref().map(|line| json!(line))),
        ("numLines", typed.num_lines.as_ref().map(|count| json!(count))),
        ("maxTokens", typed.max_tokens.as_ref().map(|count| json!(count))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
        ("generation", typed.generation.as_ref().map(|number| json!(number))),
    ];
    arguments.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// How pages come: as it was set, which `--as` does too. A folder alone asks for files in it.
fn form(typed: &GetFile, config: &Config) -> FormArgument {
    let is_said = typed.form.is_some() && config.form != FormArgument::Auto;
    if typed.out_dir.is_some() && !is_said { FormArgument::Path } else { config.form }
}

fn report(answer: FileAnswer, emit: Option<EmitShape>) -> Result<Report, ToolError> {
    let shape = emit.map_or(Some(EmitFormat::Anthropic), provider);
    let content = |emit| answer.blocks.iter().map(|block| tool::emit_block(block, emit)).collect::<Vec<_>>();
    let text = match (emit, shape) {
        (None, _) => Output::Text(readable(&answer.blocks)),
        (Some(_), Some(shape)) => Output::Text(Value::Array(content(shape)).to_string()),
        (Some(_), None) => raw(&answer.blocks)?,
    };
    let json = json!({ "content": content(shape.unwrap_or_default()), "details": answer.details });
    Ok(Report { text, json, delivery: Some(answer.delivery), is_failure: false })
}

fn provider(shape: EmitShape) -> Option<EmitFormat> {
    match shape {
        EmitShape::Anthropic => Some(EmitFormat::Anthropic),
        EmitShape::OpenAi => Some(EmitFormat::OpenAi),
        EmitShape::Gemini => Some(EmitFormat::Gemini),
        EmitShape::Mcp => Some(EmitFormat::Mcp),
        EmitShape::Raw => None,
    }
}

/// Blocks as text for a terminal: what is not text as one line.
pub(super) fn readable(blocks: &[Block]) -> String {
    let line = |block: &Block| match block {
        Block::Text(text) => text.trim_end_matches('\n').to_owned(),
        Block::Document(page) => data_line("document", &page.title, &page.bytes),
        Block::Image(image) => data_line("image", image.mime_type, &image.bytes),
    };
    blocks.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn data_line(kind: &str, title: &str, bytes: &[u8]) -> String {
    format!("[{kind}] {title}  {} bytes  blake3 {}", bytes.len(), ContentHash::of(bytes))
}

/// The bytes of the one page or image; of text alone, the text.
fn raw(blocks: &[Block]) -> Result<Output, ToolError> {
    let bytes = |block: &Block| match block {
        Block::Text(_) => None,
        Block::Document(page) => Some(page.bytes.to_vec()),
        Block::Image(image) => Some(image.bytes.to_vec()),
    };
    let mut data = blocks.iter().filter_map(bytes);
    match (data.next(), data.next()) {
        (None, _) => Ok(Output::Text(readable(blocks))),
        (Some(bytes), None) => Ok(Output::Bytes(bytes)),
        (Some(_), Some(_)) => Err(ToolError::validation("Parameter '--emit raw' takes a single page")
            .hint("Ask for one page, or use --out-dir DIR for several.")),
    }
}
