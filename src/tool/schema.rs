//! The entry of a tool in the tool list, and parts of its schema that several tools share.

use serde_json::{Map, Value, json};

/// One tool in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The description for the model.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input_schema: Map<String, Value>,
    /// JSON Schema of `structuredContent`; `None` if results are blocks alone.
    pub output_schema: Option<Map<String, Value>>,
    /// Whether it changes nothing (MCP `readOnlyHint`).
    pub is_read_only: bool,
}

impl ToolSpec {
    /// Whether the tool may contact a model provider or a web server (MCP `openWorldHint`). Every tool that accepts a
    /// path also accepts a URL, and updates are checked with the servers of URLs.
    #[must_use]
    pub fn is_open_world(&self) -> bool {
        const CLOSED: [&str; 4] = ["get_search_content", "context_status", "context_forget", "context_fork"];
        !CLOSED.contains(&self.name)
    }

    /// Whether repeating a call changes nothing more (MCP `idempotentHint`). Each fork is a new conversation.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.name != "context_fork"
    }

    /// Whether a model needs it before it can choose among the others.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.name == "get_file"
    }

    /// Whether its result may be long on request, so that a client should pass it on whole.
    #[must_use]
    pub fn is_long(&self) -> bool {
        const LONG: [&str; 8] = [
            "get_file",
            "pdf_extract_text",
            "pdf_search",
            "pdf_outline",
            "pdf",
            "get_search_content",
            "context_status",
            "context_updates",
        ];
        LONG.contains(&self.name)
    }
}

/// The parameter `path`.
pub(super) fn path() -> Value {
    string("The PDF: path or URL.")
}

/// The parameter `password`.
pub(super) fn password() -> Value {
    string("Of an encrypted PDF.")
}

/// The parameter `conversation`.
pub(super) fn conversation() -> Value {
    string("Handle of another conversation. Default: yours.")
}

/// The parameter `pages`, which stands alone, since some clients pass no instructions on to their model.
pub(super) fn pages() -> Value {
    string("1-based: \"3\", \"1-3,7\", \"4-\", \"last\", \"label:iv\", \"section:Results\".")
}

/// The parameter `generation`.
pub(super) fn generation() -> Value {
    whole(
        "How often the context was compacted. A larger number than before forgets what is held; with a smaller one \
         nothing is left out and nothing recorded.",
        0,
    )
}

pub(super) fn object(properties: Value, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), properties);
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema
}

/// The schema of a structured result: the names of its members by their type. Some have one of two, by what was asked:
/// `object|string`.
pub(super) fn result(members: &[(&str, &[&str])]) -> Map<String, Value> {
    let typed = |(kind, names): &(&str, &[&str])| {
        let kinds = kind.split('|').collect::<Vec<_>>();
        let kind = if let [one] = *kinds { json!(one) } else { json!(kinds) };
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": kind }))).collect::<Vec<_>>()
    };
    let properties = members.iter().flat_map(typed).collect::<Map<_, _>>();
    Map::from_iter([("type".to_owned(), json!("object")), ("properties".to_owned(), Value::Object(properties))])
}

pub(super) fn string(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

pub(super) fn boolean(description: &str) -> Value {
    json!({ "type": "boolean", "description": description })
}

/// A whole number. Without a `format`, because strict validators do not know the unsigned ones.
pub(super) fn whole(description: &str, minimum: u32) -> Value {
    json!({ "type": "integer", "minimum": minimum, "description": description })
}
