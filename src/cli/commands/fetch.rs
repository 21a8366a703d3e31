//! `pagewise fetch` and `pagewise content`.

use serde_json::{Map, Value};

use crate::cli::answers::file::readable;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::cli::terminal::wording::command;
use crate::context::{Block, NoProgress};
use crate::tool::{self, Caller, FetchAnswer, FetchArguments, SearchContentArguments, ToolArguments as _, ToolError};

/// Answers `fetch`.
pub(crate) fn fetch(typed: &FetchArguments, config: &Config) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let context = open::web_context(config)?;
    Ok(report(tool::fetch_content(&context, &arguments, &Caller::direct(), &NoProgress)?))
}

/// Answers `content`.
pub(crate) fn content(typed: &SearchContentArguments, config: &Config) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let context = open::web_context(config)?;
    Ok(report(tool::get_search_content(&context, &arguments, &Caller::direct())?))
}

/// The blocks in order; with `--json` in the shape of all answers with blocks.
fn report(answer: FetchAnswer) -> Report {
    let content =
        answer.blocks.iter().map(|block| tool::emit_block(block, tool::EmitFormat::Anthropic)).collect::<Vec<_>>();
    let mut object = Map::new();
    object.insert("content".into(), Value::Array(content));
    object.insert("details".into(), answer.details);
    Report::new(for_people(&readable(&answer.blocks), answer.blocks.last()), Value::Object(object))
}

/// The text for people: the calls that the last block names become commands. That block is ours, the others are of the document.
fn for_people(text: &str, last: Option<&Block>) -> String {
    let Some(Block::Text(own)) = last else { return text.to_owned() };
    let Some(document) = text.strip_suffix(own.as_str()) else { return text.to_owned() };
    let document = match document.strip_suffix("maxChars to retrieve more.]\n") {
        Some(before) => format!("{before}--max-chars to retrieve more.]\n"),
        None => document.to_owned(),
    };
    let lines = own.lines().map(|line| match line.split_once("get_search_content ") {
        Some((before, call)) => format!("{before}{}", command_of(call).unwrap_or_else(|| call.to_owned())),
        None => line.to_owned(),
    });
    format!("{document}{}", lines.collect::<Vec<_>>().join("\n"))
}

/// The command of a call that continues a text.
fn command_of(call: &str) -> Option<String> {
    let SearchContentArguments { response_id, url_index, offset, .. } = serde_json::from_str(call).ok()?;
    Some(command(&[&"content", &response_id, &"--url-index", &url_index?, &"--offset", &offset?]))
}
