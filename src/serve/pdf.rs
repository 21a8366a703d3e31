//! Calls of the PDF tools.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::shape;
use super::tools::Called;
use crate::tool::{
    self, Block, Caller, ContextManager, DataAnswer, DocumentArguments, ErrorCode, InfoResult, RenderArguments,
    SearchArguments, TextArguments, ToolError, Unwatched,
};

pub(super) fn info(context: &ContextManager, arguments: &JsonObject) -> Result<Called, ToolError> {
    let arguments = DocumentArguments::parse("pdf_info", arguments)?;
    let pdf = context.open_pdf(&arguments.path, arguments.password.as_deref())?;
    let result = InfoResult::of(&pdf);
    let answer = DataAnswer { text: result.text(), structure: as_json(&result)? };
    Ok((shape::data_result(&answer), None))
}

pub(super) fn extract_text(context: &ContextManager, arguments: &JsonObject) -> Result<Called, ToolError> {
    let arguments = TextArguments::parse(arguments)?;
    let pdf = context.open_pdf(&arguments.path, arguments.password.as_deref())?;
    let result = tool::extract_text(&pdf, &arguments, &Unwatched)?;
    let texts = [result.text(), result.remarks()];
    let blocks = texts.into_iter().filter(|text| !text.is_empty()).map(Block::Text).collect::<Vec<_>>();
    // The text itself is in the blocks already.
    let details = json!({
        "totalPages": result.total_pages,
        "pages": result.pages.iter().map(|page| page.number).collect::<Vec<_>>(),
        "truncated": result.truncated,
        "totalChars": result.total_chars,
        "withoutText": result.without_text,
        "notes": result.notes,
    });
    Ok((shape::blocks_result(&blocks, details), None))
}

pub(super) fn render_page(context: &ContextManager, arguments: &JsonObject) -> Result<Called, ToolError> {
    let answer = tool::render_page(context, &RenderArguments::parse(arguments)?)?;
    Ok((shape::blocks_result(&answer.blocks, as_json(&answer.result)?), None))
}

pub(super) fn search(context: &ContextManager, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let answer = tool::search(context, &SearchArguments::parse(arguments)?, caller, &Unwatched)?;
    Ok((shape::data_result(&answer), None))
}

pub(super) fn outline(context: &ContextManager, arguments: &JsonObject) -> Result<Called, ToolError> {
    let arguments = DocumentArguments::parse("pdf_outline", arguments)?;
    let pdf = context.open_pdf(&arguments.path, arguments.password.as_deref())?;
    Ok((shape::data_result(&tool::outline(&pdf)), None))
}

/// A result as JSON; paths that are not Unicode have none.
fn as_json(result: &impl serde::Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::WriteFailed, "Cannot write the result as JSON")
            .with("reason", json!(error.to_string()))
    })
}
