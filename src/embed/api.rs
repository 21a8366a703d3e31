//! The APIs that content blocks are made for.

use serde_json::{Value, json};

use crate::context::RequestBounds;
use crate::tool::{EmitFormat, GetFileArguments, ToolArguments as _, ToolSet, find_tool};
use pagewise_base::provider::ProviderLimits;

/// An API of a provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic, Messages.
    Anthropic,
    /// OpenAI, Responses.
    OpenAi,
    /// Gemini, `generateContent`.
    Gemini,
}

impl Api {
    /// The declaration of the tool `get_file` for a request's list of tools; for Gemini, one of its
    /// `functionDeclarations`. [`Request::from_json`](super::Request::from_json) reads the arguments of the model's calls.
    #[must_use]
    pub fn get_file_tool(self) -> Value {
        let Some(tool) = find_tool(GetFileArguments::TOOL) else { return Value::Null };
        let mut schema = tool.input_schema(&ToolSet::Core);
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            // The program knows it, and the model does not.
            properties.remove("conversation");
        }
        let (name, description) = (tool.name, tool.description());
        match self {
            Self::Anthropic => json!({ "name": name, "description": description, "input_schema": schema }),
            Self::OpenAi => {
                json!({ "type": "function", "name": name, "description": description, "parameters": schema })
            }
            Self::Gemini => json!({ "name": name, "description": description, "parametersJsonSchema": schema }),
        }
    }

    pub(super) fn format(self) -> EmitFormat {
        match self {
            Self::Anthropic => EmitFormat::Anthropic,
            Self::OpenAi => EmitFormat::OpenAi,
            Self::Gemini => EmitFormat::Gemini,
        }
    }

    /// What one request to `model` may hold, which bounds what a conversation is sent.
    pub(super) fn request_bounds(self, model: &str) -> RequestBounds {
        let provider = match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Gemini => "google",
        };
        let limits = ProviderLimits::of(provider, model);
        RequestBounds {
            max_media_blocks: limits.max_blocks.unwrap_or(u64::MAX),
            max_pdf_pages: limits.max_request_pages.unwrap_or(u64::MAX),
            max_request_bytes: limits.max_request_bytes,
        }
    }
}
