//! Conversion of tools, answers and errors into the protocol's types.

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolResult, ContentBlock, EmbeddedResource, GetPromptResult, JsonObject, MetaObject, Prompt,
    PromptArgument, PromptMessage, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, Skill,
    SkillFrontmatter, SkillResource, SkillResources, Tool, ToolAnnotations,
};
use serde_json::{Value, json};

use super::delivery::ResultBlobs;
use super::identity::CallerIdentity;
use crate::context::Block;
use crate::context::{Delivery, json_length};
use crate::tool::{
    self, ALWAYS_LOAD_HINT, ClientHabit, DataAnswer, GetFileAnswer, MAX_RESULT_SIZE_CHARS, PDF, PageResource,
    RESOURCE_TEMPLATES, RESULT_SIZE_HINT, ResourceContent, ResourceTemplateRow, ToolError, ToolSet, clean_json,
    error_details, page_uri,
};
use pagewise_base::clean::CleanText;

/// A text for the model. Whatever room it comes from, nothing in it is hidden.
fn text_block(text: &str) -> ContentBlock {
    ContentBlock::text(CleanText::of(text).into_string())
}

/// The key in `_meta` of a result's details.
const DETAILS_KEY: &str = "io.github.pagewise/details";

/// The key in `_meta` of an error's code, message, hint and data.
const ERROR_KEY: &str = "io.github.pagewise/error";

/// The outcome of a call.
pub(super) struct ToolResult {
    pub(super) result: CallToolResult,
    /// The data that the result's marks stand for.
    pub(super) blobs: ResultBlobs,
    /// The delivery to record once the result is written.
    pub(super) delivery: Option<Delivery>,
}

impl From<CallToolResult> for ToolResult {
    /// A result without data that records no delivery.
    fn from(result: CallToolResult) -> Self {
        Self { result, blobs: ResultBlobs::default(), delivery: None }
    }
}

/// The entry of a tool in `tools/list`. A tool with an output schema must send structured content.
pub(super) fn tool(row: &'static tool::Tool, set: &ToolSet, has_structure: bool) -> Tool {
    let annotations = ToolAnnotations::new().read_only(row.is_read_only).destructive(false);
    let annotations = annotations.idempotent(row.is_idempotent).open_world(row.is_open_world);
    let mut tool = Tool::new(row.name, row.description(), Arc::new(row.input_schema(set)))
        .with_title(row.title)
        .with_annotations(annotations);
    let size = row.has_long_results.then(|| (RESULT_SIZE_HINT, json!(MAX_RESULT_SIZE_CHARS)));
    let load = row.is_always_loaded.then_some((ALWAYS_LOAD_HINT, json!(true)));
    let hints = size.into_iter().chain(load).map(|(key, value)| (key.to_owned(), value)).collect::<JsonObject>();
    tool.meta = (!hints.is_empty()).then_some(MetaObject(hints));
    match row.output_schema().filter(|_| has_structure) {
        Some(schema) => tool.with_raw_output_schema(Arc::new(schema)),
        None => tool,
    }
}

/// A result of content blocks alone. Clients that find structured content show the model nothing else.
pub(super) fn file_result(answer: &GetFileAnswer, blobs: &mut ResultBlobs) -> CallToolResult {
    let header = answer.header.iter().map(|header| text_block(header));
    let footer = answer.footer.iter().map(|footer| text_block(footer));
    let blocks = answer.blocks.iter().map(|block| content_block(block, blobs));
    let mut result = CallToolResult::success(header.chain(blocks).chain(footer).collect());
    result.meta = Some(meta(DETAILS_KEY, answer.details.clone()));
    result
}

/// A result of content blocks and details that records no delivery.
pub(super) fn blocks_result(blocks: &[Block], details: Value) -> ToolResult {
    let mut blobs = ResultBlobs::default();
    let blocks = blocks.iter().map(|block| content_block(block, &mut blobs));
    let mut result = CallToolResult::success(blocks.collect());
    result.meta = Some(meta(DETAILS_KEY, details));
    ToolResult { result, blobs, delivery: None }
}

/// A text block and the same data as structured content, which is not longer.
pub(super) fn data_result(answer: &DataAnswer) -> CallToolResult {
    let mut result = CallToolResult::success(vec![text_block(&answer.text)]);
    result.structured_content = Some(clean_json(answer.brief.clone()));
    result
}

/// Leaves out what keeps a client from showing the text, or repeats it.
pub(super) fn adapt_result(result: &mut CallToolResult, client: &CallerIdentity) {
    if client.has(ClientHabit::DropsTextBesideStructure) {
        result.structured_content = None;
    }
    if client.has(ClientHabit::ShowsErrorMeta) && result.is_error == Some(true) {
        result.meta = None;
    }
}

/// An error as a tool result, so that the model sees it.
pub(super) fn error_result(error: &ToolError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![text_block(&error.text())]);
    result.meta = Some(meta(ERROR_KEY, json!(error)));
    result
}

/// An error of the tool `pdf`, with the same details as its answers.
pub(super) fn ask_error_result(error: &ToolError) -> CallToolResult {
    let mut result = error_result(error);
    if let Some(MetaObject(object)) = &mut result.meta {
        object.insert(DETAILS_KEY.to_owned(), error_details(error));
    }
    result
}

/// The result of `tool`, or `result_too_large` if it serializes to more than `bytes`. The error replaces the whole
/// result, and nothing is recorded.
pub(super) fn within_result_limit(outcome: ToolResult, tool: &str, bytes: Option<u64>) -> ToolResult {
    let Some(limit) = bytes else { return outcome };
    let found = outcome.blobs.written_length(json_length(&outcome.result));
    if found <= limit {
        return outcome;
    }
    error_result(&ToolError::result_too_large(tool, found, limit)).into()
}

/// As [`within_result_limit`], for a resource.
pub(super) fn resource_within(read: ReadPage, bytes: Option<u64>) -> Result<ReadPage, ToolError> {
    let found = read.1.written_length(json_length(&read.0));
    match bytes {
        Some(limit) if found > limit => Err(ToolError::result_too_large("get_file", found, limit)),
        _ => Ok(read),
    }
}

/// Puts a mark in place of the answer's first block, and returns its number. Whoever writes this mark is writing this
/// answer.
pub(super) fn mark_answer(result: &mut CallToolResult, blobs: &mut ResultBlobs) -> Option<u64> {
    match result.content.first_mut()? {
        ContentBlock::Text(text) => {
            text.text = blobs.add_text(&text.text);
            blobs.number(&text.text)
        }
        ContentBlock::Image(image) => blobs.number(&image.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::BlobResourceContents { blob, .. } => blobs.number(blob),
            _ => None,
        },
        _ => None,
    }
}

fn content_block(block: &Block, blobs: &mut ResultBlobs) -> ContentBlock {
    match block {
        Block::Text(text) => text_block(text),
        Block::Document(page) => {
            let contents = ResourceContents::blob(blobs.add_data(&page.bytes), page_uri(page));
            ContentBlock::Resource(EmbeddedResource::new(contents.with_mime_type(PDF)))
        }
        Block::Image(image) => ContentBlock::image(blobs.add_data(&image.bytes), image.mime_type),
    }
}

/// The resource templates of pages that an answer named, one for each form.
pub(super) fn page_templates() -> Vec<ResourceTemplate> {
    let template = |row: ResourceTemplateRow| {
        ResourceTemplate::new(row.template, row.name)
            .with_title(row.title)
            .with_description(
                "A page of a file that get_file was called for, by the file's blake3 hash and the page's number.",
            )
            .with_mime_type(row.mime_type)
    };
    RESOURCE_TEMPLATES.into_iter().map(template).collect()
}

/// The entry of a prompt in `prompts/list`.
pub(super) fn prompt(prompt: &tool::Prompt) -> Prompt {
    let argument = |argument: &tool::PromptArgument| {
        let described = PromptArgument::new(argument.name).with_description(argument.description);
        described.with_required(argument.is_required)
    };
    let arguments = prompt.arguments.iter().map(argument).collect();
    Prompt::new(prompt.name, Some(prompt.description), Some(arguments)).with_title(prompt.title)
}

/// The result of `prompts/get`.
pub(super) fn prompt_result(prompt: &tool::Prompt, message: String) -> GetPromptResult {
    let message = PromptMessage::new_text(Role::User, message);
    GetPromptResult::new(vec![message]).with_description(prompt.description)
}

/// The media type of the skill.
const MARKDOWN: &str = "text/markdown";

/// The entry of the skill in `skills/list`.
pub(super) fn skill() -> Skill {
    let mut frontmatter = SkillFrontmatter::new("", "");
    for (name, value) in tool::skill_fields() {
        match name {
            "name" => value.clone_into(&mut frontmatter.name),
            "description" => value.clone_into(&mut frontmatter.description),
            _ => frontmatter = frontmatter.with_field(name, value),
        }
    }
    let file = SkillResource::from_bytes(tool::SKILL_URI, tool::SKILL.as_bytes());
    Skill::new(tool::SKILL_URI, frontmatter, SkillResources::Files(vec![file]))
}

/// The skill in `resources/list`, for clients without the extension.
pub(super) fn listed_skill() -> Resource {
    let Skill { uri, frontmatter, .. } = skill();
    Resource::new(uri, frontmatter.name).with_description(frontmatter.description).with_mime_type(MARKDOWN)
}

/// The result of reading the skill as a resource.
pub(super) fn skill_resource() -> ReadResourceResult {
    let contents = ResourceContents::text(tool::SKILL, tool::SKILL_URI).with_mime_type(MARKDOWN);
    ReadResourceResult::new(vec![contents])
}

/// How long a client may cache a page: its URI names its content, so it never changes.
const PAGE_TTL_MS: u64 = 24 * 60 * 60 * 1000;

/// The result of `resources/read`, and the data that its mark stands for.
pub(super) type ReadPage = (ReadResourceResult, ResultBlobs);

/// Builds the result of reading a page as a resource.
pub(super) fn page_resource(uri: &str, page: PageResource) -> ReadPage {
    let mut blobs = ResultBlobs::default();
    let contents = match page.content {
        ResourceContent::Bytes(bytes) => ResourceContents::blob(blobs.add_data(&bytes), uri),
        ResourceContent::Text(text) => ResourceContents::text(CleanText::of(text).into_string(), uri),
    };
    let result = ReadResourceResult::new(vec![contents.with_mime_type(page.mime_type)]);
    (result.with_ttl_ms(PAGE_TTL_MS).with_cache_scope(CacheScope::Private), blobs)
}

fn meta(key: &str, value: Value) -> MetaObject {
    let mut object = JsonObject::new();
    object.insert(key.to_owned(), clean_json(value));
    MetaObject(object)
}
