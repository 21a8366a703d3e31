//! Tools, answers and errors in the protocol's own types.

use std::sync::Arc;

use rmcp::model::{
    CallToolResult, ContentBlock, EmbeddedResource, JsonObject, MetaObject, ResourceContents, Tool, ToolAnnotations,
};
use serde_json::{Value, json};

use crate::context::Block;
use crate::tool::{DataAnswer, FileAnswer, PDF, ToolError, ToolSpec, base64, page_uri};

/// Where a result's details lie in `_meta`.
const DETAILS: &str = "io.github.pagewise/details";

/// Where an error's code, message, hint and data lie in `_meta`.
const ERROR: &str = "io.github.pagewise/error";

/// A tool as it is listed.
pub(super) fn tool(spec: ToolSpec) -> Tool {
    let annotations = ToolAnnotations::new().read_only(spec.is_read_only).destructive(false).idempotent(true);
    let tool = Tool::new(spec.name, spec.description, Arc::new(spec.input_schema))
        .with_title(spec.title)
        .with_annotations(annotations.open_world(false));
    match spec.output_schema {
        Some(schema) => tool.with_raw_output_schema(Arc::new(schema)),
        None => tool,
    }
}

/// Blocks alone: clients that find structured content show the model nothing else.
pub(super) fn file_result(answer: &FileAnswer) -> CallToolResult {
    let header = answer.header.iter().map(|header| ContentBlock::text(header.as_str()));
    let footer = answer.footer.iter().map(|footer| ContentBlock::text(footer.as_str()));
    let blocks = answer.blocks.iter().map(content_block);
    let mut result = CallToolResult::success(header.chain(blocks).chain(footer).collect());
    result.meta = Some(meta(DETAILS, answer.details.clone()));
    result
}

/// A text that says all that the structure says.
pub(super) fn data_result(answer: &DataAnswer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text.as_str())]);
    result.structured_content = Some(answer.structure.clone());
    result
}

/// A refusal that the model sees.
pub(super) fn error_result(error: &ToolError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.text())]);
    result.meta = Some(meta(ERROR, json!(error)));
    result
}

fn content_block(block: &Block) -> ContentBlock {
    match block {
        Block::Text(text) => ContentBlock::text(text.as_str()),
        Block::Document(page) => {
            let blob = ResourceContents::blob(base64(&page.bytes), page_uri(page)).with_mime_type(PDF);
            ContentBlock::Resource(EmbeddedResource::new(blob))
        }
        Block::Image(image) => ContentBlock::image(base64(&image.bytes), image.mime_type),
    }
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut object = JsonObject::new();
    object.insert(key.to_owned(), value);
    MetaObject(object)
}
