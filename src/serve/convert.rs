//! Tools, answers and errors in the protocol's own types.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolResult, ContentBlock, EmbeddedResource, JsonObject, MetaObject, ReadResourceResult,
    ResourceContents, ResourceTemplate, Tool, ToolAnnotations,
};
use serde_json::{Value, json};

use super::delivery::ResultBlobs;
use super::tools::ToolResult;
use crate::tool::Block;
use crate::tool::{
    DataAnswer, FileAnswer, MAX_RESULT_SIZE_CHARS, PDF, PageResource, RESOURCE_TEMPLATES, RESULT_SIZE_HINT,
    ResourceContent, ResourceTemplateRow, ToolError, ToolSpec, error_details, json_length, page_uri,
};

/// Where a result's details lie in `_meta`.
const DETAILS: &str = "io.github.pagewise/details";

/// Where an error's code, message, hint and data lie in `_meta`.
const ERROR: &str = "io.github.pagewise/error";

/// A tool as it is listed.
pub(super) fn tool(spec: ToolSpec) -> Tool {
    let (is_open_world, is_long) = (spec.is_open_world(), spec.is_long());
    let annotations =
        ToolAnnotations::new().read_only(spec.is_read_only).destructive(false).idempotent(spec.is_idempotent());
    let mut tool = Tool::new(spec.name, spec.description, Arc::new(spec.input_schema))
        .with_title(spec.title)
        .with_annotations(annotations.open_world(is_open_world));
    tool.meta = is_long.then(|| meta(RESULT_SIZE_HINT, json!(MAX_RESULT_SIZE_CHARS)));
    match spec.output_schema {
        Some(schema) => tool.with_raw_output_schema(Arc::new(schema)),
        None => tool,
    }
}

/// Blocks alone: clients that find structured content show the model nothing else.
pub(super) fn file_result(answer: &FileAnswer, enclosures: &mut ResultBlobs) -> CallToolResult {
    let header = answer.header.iter().map(|header| ContentBlock::text(header.as_str()));
    let footer = answer.footer.iter().map(|footer| ContentBlock::text(footer.as_str()));
    let blocks = answer.blocks.iter().map(|block| content_block(block, enclosures));
    let mut result = CallToolResult::success(header.chain(blocks).chain(footer).collect());
    result.meta = Some(meta(DETAILS, answer.details.clone()));
    result
}

/// Blocks of a tool that records nothing, with its result for programs.
pub(super) fn blocks_result(blocks: &[Block], details: Value) -> ToolResult {
    let mut enclosures = ResultBlobs::default();
    let blocks = blocks.iter().map(|block| content_block(block, &mut enclosures));
    let mut result = CallToolResult::success(blocks.collect());
    result.meta = Some(meta(DETAILS, details));
    ToolResult { result, enclosures, delivery: None }
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

/// A refusal of `pdf`, whose details are as much part of it as those of an answer.
pub(super) fn ask_error_result(error: &ToolError) -> CallToolResult {
    let mut result = error_result(error);
    if let Some(MetaObject(object)) = &mut result.meta {
        object.insert(DETAILS.to_owned(), error_details(error));
    }
    result
}

/// A result of `tool` within `bytes` as it is serialized. What each tool cuts by itself fits; anything else that does not
/// is refused whole, so that nothing is missing without a word, and nothing of it is recorded.
pub(super) fn within_result_limit(called: ToolResult, tool: &str, bytes: Option<u64>) -> ToolResult {
    let Some(limit) = bytes else { return called };
    let found = called.enclosures.written_length(json_length(&called.result));
    if found <= limit {
        return called;
    }
    error_result(&ToolError::result_too_large(tool, found, limit)).into()
}

/// The same for a resource.
pub(super) fn resource_within(read: ReadPage, bytes: Option<u64>) -> Result<ReadPage, ToolError> {
    let found = read.1.written_length(json_length(&read.0));
    match bytes {
        Some(limit) if found > limit => Err(ToolError::result_too_large("get_file", found, limit)),
        _ => Ok(read),
    }
}

/// Has the answer's first block written in the place of a mark, whose number this gives: whoever writes that mark is
/// writing this answer.
pub(super) fn mark_answer(result: &mut CallToolResult, enclosures: &mut ResultBlobs) -> Option<u64> {
    match result.content.first_mut()? {
        ContentBlock::Text(text) => {
            text.text = enclosures.enclose_text(&text.text);
            enclosures.number(&text.text)
        }
        ContentBlock::Image(image) => enclosures.number(&image.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::BlobResourceContents { blob, .. } => enclosures.number(blob),
            _ => None,
        },
        _ => None,
    }
}

fn content_block(block: &Block, enclosures: &mut ResultBlobs) -> ContentBlock {
    match block {
        Block::Text(text) => ContentBlock::text(text.as_str()),
        Block::Document(page) => {
            let contents = ResourceContents::blob(enclosures.enclose(&page.bytes), page_uri(page));
            ContentBlock::Resource(EmbeddedResource::new(contents.with_mime_type(PDF)))
        }
        Block::Image(image) => ContentBlock::image(enclosures.enclose(&image.bytes), image.mime_type),
    }
}

/// Where a page that an answer named can be read again, in each form.
pub(super) fn page_templates() -> Vec<ResourceTemplate> {
    let template = |row: ResourceTemplateRow| {
        ResourceTemplate::new(row.template, "page")
            .with_title(row.title)
            .with_description(
                "A page of a file that get_file was called for, by the file's blake3 hash and the page's number.",
            )
            .with_mime_type(row.mime_type)
    };
    RESOURCE_TEMPLATES.into_iter().map(template).collect()
}

/// How long a page may be kept by a client: its address names its content.
const PAGE_TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// The result of reading a resource, and the data that its mark stands for.
pub(super) type ReadPage = (ReadResourceResult, ResultBlobs);

/// A page as the result of reading a resource.
pub(super) fn page_resource(uri: &str, page: PageResource) -> ReadPage {
    let mut enclosures = ResultBlobs::default();
    let contents = match page.content {
        ResourceContent::Bytes(bytes) => ResourceContents::blob(enclosures.enclose(&bytes), uri),
        ResourceContent::Text(text) => ResourceContents::text(text, uri),
    };
    let result = ReadResourceResult::new(vec![contents.with_mime_type(page.mime_type)]);
    (result.with_ttl_ms(PAGE_TTL_MS).with_cache_scope(CacheScope::Private), enclosures)
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut object = JsonObject::new();
    object.insert(key.to_owned(), value);
    MetaObject(object)
}
