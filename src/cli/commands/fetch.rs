//! `pagewise fetch` and `pagewise content`.

use serde_json::{Map, Value, json};

use crate::cli::answers::file::readable;
use crate::cli::arguments::fetch::{Content, Fetch};
use crate::cli::arguments::parameters::tool_arguments;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::context::NoProgress;
use crate::tool::{self, Caller, FetchAnswer, FetchArguments, SearchContentArguments, ToolError};

/// Answers `fetch`.
pub(crate) fn fetch(typed: &Fetch, config: &Config) -> Result<Report, ToolError> {
    let arguments = FetchArguments::parse(&tool_arguments([
        ("urls", json!(typed.urls)),
        ("conversation", json!(typed.conversation)),
    ]))?;
    let context = open::web_context(config)?;
    Ok(report(tool::fetch_content(&context, &arguments, &Caller::direct(), &NoProgress)?))
}

/// Answers `content`.
pub(crate) fn content(typed: &Content, config: &Config) -> Result<Report, ToolError> {
    let arguments = SearchContentArguments::parse(&tool_arguments([
        ("responseId", json!(typed.response_id)),
        ("url", json!(typed.url)),
        ("urlIndex", json!(typed.url_index)),
        ("maxChars", json!(typed.max_chars)),
        ("offset", json!(typed.offset)),
        ("conversation", json!(typed.conversation)),
    ]))?;
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
    Report::new(readable(&answer.blocks), Value::Object(object))
}
