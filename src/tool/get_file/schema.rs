//! Schema of `get_file`.

use serde_json::{Value, json};

use crate::tool::schema::{ToolSpec, boolean, conversation, generation, object, string, whole};

const GET_FILE: &str = "\
Read a file into the conversation: a PDF page by page, a text file by lines, or an image. Of a folder: its PDFs.

PDF: call it with filePath alone first. You get a summary: page count, title, outline, what pages cost, and which \
you already hold. Then call it again with pdfPage (one page, 0-based) or pages (1-based, like \"1-3,7\", \"4-\", \
\"label:iv\" or \"section:Results\") to read those pages, at most 20 a call; each comes as a standalone PDF with \
its layout, figures and fonts, or as a picture, text or a file path where that serves you better.
Pages you were already given in this conversation are not sent twice: the result says so. Use force only when \
you can no longer see an earlier answer.
Text: up to 40,000 characters a call with [Lines a-b of n]; continue with startLine.
Anything cut or left out is named together with the next call to make.";

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
        "filePath": string("Path of the file: absolute, relative to the server's working directory, ~, file://, http(s)://, or the responseId of something fetched."),
        "pdfPage": whole("PDF only: one page by its 0-based index. Not together with pages.", 0),
        "pages": string("PDF only: pages by 1-based number, like \"3\", \"1-5\", \"1,3,5-7\", \"4-\", \"-3\", \
            \"label:iv\" (as printed) or \"section:Results\" (an outline title)."),
        "as": {
            "type": "string",
            "enum": ["auto", "document", "image", "text", "path", "mixed"],
            "description": "How pages come: document (a one-page PDF block), image (a picture), text, path (a \
                one-page PDF file, named), mixed (text where it is complete, figures as this client can \
                show them: the cheapest), or auto (default: what this client can show you)."
        },
        "force": boolean("Send it even if this conversation already holds it."),
        "password": string("Password of an encrypted PDF."),
        "startLine": whole("Text files: first line wanted, 1-based.", 1),
        "numLines": whole("Text files: how many lines.", 1),
        "maxTokens": whole("Stop before the pages of this answer cost more than this many tokens (estimated).", 1),
        "conversation": conversation(),
        "generation": generation(),
    })
}
