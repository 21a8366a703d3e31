//! `pagewise fetch` and `pagewise content`.

use serde_json::{Map, Value, json};

use super::config::Config;
use super::fetch_arguments::{Content, Fetch};
use super::get_file::readable;
use super::open;
use super::pdf::given;
use super::print::Report;
use crate::tool::{self, Caller, FetchAnswer, FetchArguments, NoProgress, SearchContentArguments, ToolError};

/// Answers `fetch`.
pub(super) fn fetch(typed: &Fetch, config: &Config) -> Result<Report, ToolError> {
    let arguments = FetchArguments::parse(&given([
        ("urls", Some(json!(typed.urls))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
    ]))?;
    let context = open::web_context(config)?;
    Ok(report(tool::fetch_content(&context, &arguments, &Caller::direct(), &NoProgress)?))
}

/// Answers `content`.
pub(super) fn content(typed: &Content, config: &Config) -> Result<Report, ToolError> {
    let arguments = SearchContentArguments::parse(&given([
        ("responseId", Some(json!(typed.response_id))),
        ("url", typed.url.as_ref().map(|url| json!(url))),
        ("urlIndex", typed.url_index.as_ref().map(|index| json!(index))),
        ("maxChars", typed.max_chars.as_ref().map(|count| json!(count))),
        ("offset", typed.offset.as_ref().map(|count| json!(count))),
        ("conversation", typed.conversation.as_ref().map(|handle| json!(handle))),
    ]))?;
    let context = open::web_context(config)?;
    Ok(report(tool::get_search_content(&context, &arguments, &Caller::direct())?))
}

/// The blocks one after the other; with `--json` as in every answer of blocks.
fn report(answer: FetchAnswer) -> Report {
    let content =
        answer.blocks.iter().map(|block| tool::emit_block(block, tool::EmitFormat::Anthropic)).collect::<Vec<_>>();
    let mut object = Map::new();
    object.insert("content".into(), Value::Array(content));
    object.insert("details".into(), answer.details);
    Report::new(readable(&answer.blocks), Value::Object(object))
}
