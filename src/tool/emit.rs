//! Content blocks as JSON for model APIs and protocols.

use serde_json::{Value, json};

use super::resource::page_uri;
use crate::context::{Block, DocumentBlock, ImageBlock};
pub use pagewise_model::{base64, base64_length, push_base64};

/// The MIME type of a PDF page.
pub const PDF: &str = "application/pdf";

/// The API whose block format is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmitFormat {
    /// Messages API: `document` with a base64 source.
    #[default]
    Anthropic,
    /// Responses API: `input_file` with a data URL.
    OpenAi,
    /// `parts` with `inlineData`.
    Gemini,
    /// Model Context Protocol: an embedded resource.
    Mcp,
}

/// `block` in the format `emit`.
#[must_use]
pub fn emit_block(block: &Block, emit: EmitFormat) -> Value {
    match emit {
        EmitFormat::Anthropic => anthropic(block),
        EmitFormat::OpenAi => openai(block),
        EmitFormat::Gemini => gemini(block),
        EmitFormat::Mcp => mcp(block),
    }
}

fn anthropic(block: &Block) -> Value {
    let source =
        |media_type: &str, bytes: &[u8]| json!({ "type": "base64", "media_type": media_type, "data": base64(bytes) });
    match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Document(page) => {
            json!({ "type": "document", "source": source(PDF, &page.bytes), "title": page.title })
        }
        Block::Image(image) => json!({ "type": "image", "source": source(image.mime_type, &image.bytes) }),
    }
}

fn openai(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "input_text", "text": text }),
        Block::Document(page) => {
            json!({ "type": "input_file", "filename": file_name(page), "file_data": data_url(PDF, &page.bytes) })
        }
        Block::Image(image) => json!({ "type": "input_image", "image_url": data_url(image.mime_type, &image.bytes) }),
    }
}

fn gemini(block: &Block) -> Value {
    let inline =
        |mime_type: &str, bytes: &[u8]| json!({ "inlineData": { "mimeType": mime_type, "data": base64(bytes) } });
    match block {
        Block::Text(text) => json!({ "text": text }),
        Block::Document(page) => inline(PDF, &page.bytes),
        Block::Image(ImageBlock { mime_type, bytes }) => inline(mime_type, bytes),
    }
}

fn mcp(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Document(page) => json!({
            "type": "resource",
            "resource": { "uri": page_uri(page), "mimeType": PDF, "blob": base64(&page.bytes) },
        }),
        Block::Image(image) => json!({ "type": "image", "data": base64(&image.bytes), "mimeType": image.mime_type }),
    }
}

fn data_url(mime_type: &str, bytes: &[u8]) -> String {
    format!("data:{mime_type};base64,{}", base64(bytes))
}

/// The source's file name and the page number, taken from the title.
fn file_name(page: &DocumentBlock) -> String {
    let path = page.title.rsplit_once(" - Page ").map_or(page.title.as_str(), |split| split.0);
    let stem = std::path::Path::new(path).file_stem().map_or_else(|| "document".into(), |stem| stem.to_string_lossy());
    format!("{stem}-page-{}.pdf", page.page)
}
