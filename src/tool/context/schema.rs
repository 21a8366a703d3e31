//! Schemas of the context tools.

use serde_json::{Value, json};

use crate::tool::schema::{ToolSpec, boolean, conversation, generation, object, string, whole};

const STATUS: &str = "\
What this conversation already holds: each file, its pages and in which form, what they cost so far, and how much \
more fits. Use it before asking again for something you may already have.";

const UPDATES: &str = "\
What changed among the files that this conversation holds: pages changed, added, removed or moved (by 1-based number), \
text files as diffs, deleted files. Each change is reported once. Use it before you rely on a file that you read \
earlier.";

const FORGET: &str = "\
Forget what this conversation holds, so that it can be sent again: everything, one file (filePath), or some of its \
pages (pages). Call it after your context was compacted or truncated; with keepFiles, context_updates still reports \
changes of the files that you had. It deletes no file.";

const FORK: &str = "\
Start a new conversation that holds what this one holds, or held at an earlier point (asOf). The result is a handle: \
pass it as conversation. What one is given from then on does not affect the other.";

/// The context tools, in list order.
pub(crate) fn context_tools() -> [ToolSpec; 4] {
    [status(), updates(), forget(), fork()]
}

fn status() -> ToolSpec {
    ToolSpec {
        name: "context_status",
        title: "What the conversation holds",
        description: STATUS,
        input_schema: object(json!({ "conversation": conversation(), "generation": generation() }), &[]),
        output_schema: Some(object(
            json!({
                "conversation": { "type": "string" },
                "generation": { "type": "integer" },
                "point": { "type": "integer" },
                "files": objects(),
                "totals": { "type": "object" },
                "providers": objects(),
            }),
            &["conversation", "generation", "point", "files", "totals", "providers"],
        )),
        is_read_only: true,
    }
}

fn updates() -> ToolSpec {
    ToolSpec {
        name: "context_updates",
        title: "What changed among files held",
        description: UPDATES,
        input_schema: object(json!({ "conversation": conversation(), "generation": generation() }), &[]),
        output_schema: Some(object(
            json!({
                "conversation": { "type": "string" },
                "generation": { "type": "integer" },
                "files": objects(),
                "isCut": { "type": "boolean" },
                "left": { "type": "integer" },
                "notes": { "type": "array", "items": { "type": "string" } },
            }),
            &["conversation", "generation", "files", "isCut"],
        )),
        is_read_only: true,
    }
}

fn forget() -> ToolSpec {
    ToolSpec {
        name: "context_forget",
        title: "Forget what the conversation holds",
        description: FORGET,
        input_schema: object(
            json!({
                "filePath": string("Forget only this file."),
                "pages": string("Forget only these pages of filePath, by 1-based number, like \"1-3,7\"."),
                "keepFiles": boolean("Forget all pages, but keep following the files. Not together with filePath."),
                "conversation": conversation(),
                "generation": generation(),
            }),
            &[],
        ),
        output_schema: Some(object(
            json!({ "conversation": { "type": "string" }, "forgotten": { "type": "string" } }),
            &["conversation", "forgotten"],
        )),
        is_read_only: false,
    }
}

fn fork() -> ToolSpec {
    ToolSpec {
        name: "context_fork",
        title: "Fork the conversation",
        description: FORK,
        input_schema: object(
            json!({
                "conversation": conversation(),
                "asOf": whole("The point to fork at, as context_status and the details of results name it. Default: now.", 0),
            }),
            &[],
        ),
        output_schema: Some(object(
            json!({
                "conversation": { "type": "string" },
                "origin": { "type": "string" },
                "asOf": { "type": "integer" },
            }),
            &["conversation", "origin"],
        )),
        is_read_only: false,
    }
}

fn objects() -> Value {
    json!({ "type": "array", "items": { "type": "object" } })
}
