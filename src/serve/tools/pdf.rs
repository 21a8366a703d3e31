//! Calls of the PDF tools.

use serde_json::{Map, json};

use super::ToolCall;
use crate::context::{Block, next_call};
use crate::serve::convert::{self, ToolResult};
use crate::tool::{
    self, AskArguments, AskContext, GetFileArguments, InfoArguments, OutlineArguments, RenderArguments,
    SearchArguments, TextArguments, ToolArguments as _, ToolError,
};
use pagewise_model::NoReplyListener;

pub(crate) fn info(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = InfoArguments::parse(call.arguments)?;
    let next = |first| {
        let changed = [("filePath", arguments.document.path.as_str().into()), ("startLine", json!(first))];
        next_call(GetFileArguments::TOOL, &Map::new(), &changed)
    };
    let answer = tool::info(call.context(), &arguments, call.caller)?.data(next)?;
    Ok(convert::data_result(&answer).into())
}

pub(crate) fn extract_text(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = TextArguments::parse(call.arguments)?;
    if arguments.save {
        let saved = tool::save_text(call.context(), &arguments, call.caller, call.progress)?;
        return Ok(convert::blocks_result(&[Block::Text(saved.text())], tool::result_json(&saved)?));
    }
    let pdf = arguments.document.open(call.context(), call.caller)?;
    let result = tool::extract_text(&pdf, &arguments, call.progress)?;
    let result = match call.caller.result_budget(call.context()) {
        Some(budget) => result.within(&arguments, budget),
        None => result,
    };
    let blocks =
        result.texts(call.caller).into_iter().filter(|text| !text.is_empty()).map(Block::Text).collect::<Vec<_>>();
    // The text itself is in the content blocks.
    let details = json!({
        "totalPages": result.total_pages,
        "pages": result.pages.iter().map(|page| page.number).collect::<Vec<_>>(),
        "truncated": result.truncated,
        "totalChars": result.total_chars,
        "withoutText": result.without_text,
        "notes": result.notes,
    });
    let delivery = result.delivery(call.context(), &pdf, &arguments, call.caller)?;
    Ok(ToolResult { delivery, ..convert::blocks_result(&blocks, details) })
}

pub(crate) fn render_page(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = RenderArguments::parse(call.arguments)?;
    let answer = tool::render_page(call.context(), &arguments, call.caller, call.progress)?;
    let outcome = convert::blocks_result(&answer.blocks, answer.details);
    Ok(ToolResult { delivery: answer.delivery, ..outcome })
}

pub(crate) fn search(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = SearchArguments::parse(call.arguments)?;
    let found = tool::search(call.context(), &arguments, call.caller, call.progress)?;
    Ok(convert::data_result(&found.data(&arguments)).into())
}

pub(crate) fn outline(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = OutlineArguments::parse(call.arguments)?;
    let pdf = arguments.document.open(call.context(), call.caller)?;
    let answer = tool::outline(&pdf, &arguments, call.caller.result_budget(call.context()));
    pdf.check()?;
    Ok(convert::data_result(&answer.data(&arguments)).into())
}

/// Answers and errors of `pdf` both carry details.
pub(crate) fn ask(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let (context, models) = (call.context(), &call.server.models);
    let ask = AskContext { context, models, listener: &NoReplyListener, caller: call.caller };
    let answered = AskArguments::parse(call.arguments).and_then(|arguments| tool::ask(&ask, &arguments));
    Ok(match answered {
        Ok(answer) => {
            let answer = match call.caller.result_budget(context) {
                Some(budget) => answer.within(budget),
                None => answer,
            };
            let blocks = [answer.text, answer.remarks].map(Block::Text);
            convert::blocks_result(&blocks, answer.details)
        }
        Err(error) => convert::ask_error_result(&error).into(),
    })
}
