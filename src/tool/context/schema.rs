//! Schemas of the context tools.

use serde_json::json;

use crate::tool::schema::{ToolSpec, boolean, conversation, generation, object, result, string, whole};

const STATUS: &str = "\
What this conversation holds, what it cost, and how much more fits.";

const UPDATES: &str = "\
What changed in the files that this conversation holds: pages, texts as diffs, deleted files. Each change is reported \
once. Call it before you rely on what you read earlier.";

const FORGET: &str = "\
Forget what this conversation holds, so that it can be sent again: all, one file, or pages of it. Call it after your \
context was compacted. It deletes no file.";

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
        input_schema: object(
            json!({
                "startFile": whole("Of many files, the first to name.", 1),
                "conversation": conversation(),
                "generation": generation(),
            }),
            &[],
        ),
        output_schema: Some(result(&[
            ("string", &["conversation"]),
            ("integer", &["point", "left"]),
            ("array", &["files"]),
            ("object", &["totals"]),
        ])),
        is_read_only: true,
    }
}

fn updates() -> ToolSpec {
    ToolSpec {
        name: "context_updates",
        title: "What changed among files held",
        description: UPDATES,
        input_schema: object(json!({ "conversation": conversation(), "generation": generation() }), &[]),
        output_schema: Some(result(&[("array", &["files", "notes"]), ("integer", &["left"])])),
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
                "filePath": string("A file. Default: all."),
                "pages": string("Pages of filePath, 1-based, like \"1-3,7\"."),
                "keepFiles": boolean("All pages, but go on to report changes of the files."),
                "conversation": conversation(),
                "generation": generation(),
            }),
            &[],
        ),
        output_schema: Some(result(&[("string", &["conversation", "forgotten"])])),
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
        output_schema: Some(result(&[("string", &["conversation", "origin"]), ("integer", &["asOf"])])),
        is_read_only: false,
    }
}
