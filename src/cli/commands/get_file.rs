//! `pagewise get-file`.

use serde_json::{Value, json};

use crate::cli::answers;
use crate::cli::arguments::get_file::{EmitShape, GetFile};
use crate::cli::config::Config;
use crate::cli::log;
use crate::cli::open;
use crate::cli::terminal::print::{Output, Report};
use crate::cli::terminal::progress::TerminalProgress;
use crate::cli::terminal::screen::Screen;
use crate::context::Block;
use crate::tool::{
    self, Caller, EmitFormat, FormArgument, GetFileAnswer, GetFileArguments, ToolArguments as _, ToolError,
};

/// Answers `get-file`.
pub(crate) fn run(typed: &GetFile, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    if typed.emit == Some(EmitShape::Raw) && config.is_json {
        return Err(ToolError::one_of("--emit raw", "--json"));
    }
    let form = Some(form(typed, config)?);
    let arguments = GetFileArguments { form, ..typed.arguments.typed()? };
    let _log = log::start_for_command(config.log_level, config.log_format)?;
    let context = open::context(arguments.held.conversation.is_some(), config)?;
    if typed.emit == Some(EmitShape::Raw)
        && let Some(bytes) = tool::attachment_bytes(&context, &arguments, &Caller::direct())?
    {
        return Ok(Report { text: Output::Bytes(bytes), ..Report::new(String::new(), Value::Null) });
    }
    let selection_of_lines = arguments.selection_of_lines();
    let terminal = TerminalProgress::new();
    let answer = tool::get_file(&context, arguments, &Caller::direct(), &terminal);
    terminal.finish();
    open::warn_about(&context);
    let answer = answer?;
    if let Some(parameter) = selection_of_lines.filter(|_| answer.facts.pages.is_some()) {
        let problem = format!("selects lines, but {} has pages", answer.facts.file);
        return Err(ToolError::parameter(parameter, &problem).hint("Select pages with --pages."));
    }
    report(answer, typed, config, screen)
}

/// The form of pages, by the setting or `--as`. With `--out-dir`, pages are written there.
fn form(typed: &GetFile, config: &Config) -> Result<FormArgument, ToolError> {
    match typed.arguments.form {
        _ if typed.out_dir.is_none() => Ok(config.form),
        None | Some(FormArgument::Auto | FormArgument::Path) => Ok(FormArgument::Path),
        Some(_) => Err(ToolError::one_of("--out-dir", "--as")
            .hint("--out-dir writes pages as PDFs. pagewise text and pagewise render write the other forms to files.")),
    }
}

fn report(answer: GetFileAnswer, typed: &GetFile, config: &Config, screen: Screen) -> Result<Report, ToolError> {
    let emit = typed.emit;
    let shape = emit.map_or(Some(EmitFormat::Anthropic), provider);
    let content = |emit| answer.blocks.iter().map(|block| tool::emit_block(block, emit)).collect::<Vec<_>>();
    let text = match (emit, shape) {
        (None, _) => Output::Text(answers::file::text(&answer, screen)),
        (Some(_), Some(shape)) => Output::Text(Value::Array(content(shape)).to_string()),
        (Some(_), None) => raw(&answer.blocks)?,
    };
    let json = json!({ "content": content(shape.unwrap_or_default()), "details": answer.details });
    let is_named_only = emit.is_none() && !config.is_json && answer.blocks.iter().any(is_data);
    let mut notes = match emit {
        None => answers::file::notes(&answer, &typed.arguments),
        Some(_) => Vec::new(),
    };
    let records = typed.arguments.held.conversation.is_some();
    notes.extend((is_named_only && records).then(|| NAMED_ONLY.to_owned()));
    notes.extend((emit.is_none() && !is_named_only).then(|| answers::file::read_so_far(&answer)).flatten());
    let delivery = Some(answer.delivery).filter(|_| !is_named_only);
    Ok(Report { text, notes, json, delivery, is_failure: false })
}

/// The note on pages that were named on standard output, and not given.
const NAMED_ONLY: &str = "these pages were not recorded as sent, since only their names were printed: use --out-dir \
                          DIR, --emit, --json or --as text";

/// Whether a block is a PDF or a picture, which text only names.
fn is_data(block: &Block) -> bool {
    matches!(block, Block::Document(_) | Block::Image(_))
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

/// The bytes of the only page or image.
fn raw(blocks: &[Block]) -> Result<Output, ToolError> {
    let bytes = |block: &Block| match block {
        Block::Text(_) => None,
        Block::Document(page) => Some(page.bytes.to_vec()),
        Block::Image(image) => Some(image.bytes.to_vec()),
    };
    let mut data = blocks.iter().filter_map(bytes);
    match (data.next(), data.next()) {
        (None, _) => Err(ToolError::validation(
            "Parameter '--emit raw' prints the bytes of a page, image or attachment, and this answer is text",
        )
        .hint("Name a page with --pages, or print its text with pagewise text.")),
        (Some(bytes), None) => Ok(Output::Bytes(bytes)),
        (Some(_), Some(_)) => Err(ToolError::validation("Parameter '--emit raw' takes a single page")
            .hint("Ask for one page, or use --out-dir DIR for several.")),
    }
}
