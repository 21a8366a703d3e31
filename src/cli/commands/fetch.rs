//! `pagewise fetch` and `pagewise content`.

use serde_json::{Map, Value};

use crate::cli::answers::file::readable;
use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::Report;
use crate::context::NoProgress;
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
    Report::new(readable(&answer.blocks), Value::Object(object))
}
