//! Schema of `get_file`.

use serde_json::{Value, json};

use crate::tool::schema::{ToolSpec, boolean, conversation, generation, object, pages, password, string, whole};

const GET_FILE: &str = "\
Read a file: a PDF's summary (filePath alone) or its pages (pages or pdfPage, at most 20 a call), a text by lines, an \
image; of a folder, its PDFs. What this conversation already has is named, not sent again.";

pub(crate) fn get_file_spec() -> ToolSpec {
    ToolSpec {
        name: "get_file",
        title: "Read a file or PDF pages",
        description: GET_FILE,
        input_schema: object(get_file_properties(), &["filePath"]),
        output_schema: None,
        is_read_only: true,
    }
}

fn get_file_properties() -> Value {
    json!({
        "filePath": string("Path or URL."),
        "pdfPage": whole("One page, 0-based.", 0),
        "pages": pages(),
        "as": {
            "type": "string",
            "enum": ["auto", "document", "image", "text", "markdown", "path", "mixed"],
            "description": "How pages come: document (PDF block), path (a PDF file, named), mixed (text or tables \
                where complete, else a picture), auto (default: what you can be shown)."
        },
        "force": boolean("Send it again: only if you can no longer see it."),
        "password": password(),
        "startLine": whole("Of a text: first line, 1-based.", 1),
        "numLines": whole("Of a text: how many.", 1),
        "maxTokens": whole("Stop before the pages cost more (estimated).", 1),
        "conversation": conversation(),
        "generation": generation(),
    })
}
