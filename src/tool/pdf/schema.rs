//! Schemas of the PDF tools.

use serde_json::{Value, json};

use crate::tool::ask::{DEFAULT_PROMPT, MAX_PDFS};
use crate::tool::schema::{ToolSpec, boolean, conversation, object, string, whole};

const PDF_INFO: &str = "\
What a PDF says about itself: pages, title, author, dates, size, version, encryption, signature, form, attachments, \
outline. Cheap whatever the size of the file.";

const PDF_EXTRACT_TEXT: &str = "\
The text of a PDF's pages in reading order, columns one after the other. Choose pages (1-based, like \"1-3,7\"); \
text over max_chars is cut, and the result says so. Pages without text, such as scans, are named: see them with \
pdf_render_page.";

const PDF_RENDER_PAGE: &str = "\
A page of a PDF as a picture (PNG), for layout, tables, figures, scans and handwriting; also saved to a file. Use a \
higher dpi or a region for small print.";

const PDF_SEARCH: &str = "\
Find words, or a regular expression, in the text of a PDF: page numbers, excerpts, and how often on each page. Pages \
without usable text are named, because nothing can be found on them.";

const PDF_OUTLINE: &str = "\
The whole outline (table of contents) of a PDF with page numbers.";

const PDF: &str = "\
Ask another model about up to ten PDFs and get its answer as text. For when you cannot see PDFs yourself, or need an \
answer and not the pages. Files are sent whole if they fit; choose pages (1-based, like \"1-3,7\") of long ones. \
What was not sent to the model is named together with the call that sends it.";

/// The tool `pdf`, for servers that have a model.
#[must_use]
pub fn ask_spec() -> ToolSpec {
    let properties = json!({
        "prompt": string(&format!("What to ask. Default: {DEFAULT_PROMPT}")),
        "pdf": string("A PDF: a path, ~, file://, http://, https://, or the responseId of something fetched."),
        "pdfs": {
            "type": "array",
            "items": { "type": "string" },
            "maxItems": MAX_PDFS,
            "description": "Several PDFs, together with pdf at most 10."
        },
        "pages": pages(),
        "password": password(),
        "model": string("The model to ask, as provider/model. Default: as configured."),
        "maxBytesMb": {
            "type": "number",
            "exclusiveMinimum": 0,
            "description": "Maximum size of each PDF, in MiB."
        },
        "conversation": conversation(),
    });
    ToolSpec {
        name: "pdf",
        title: "Ask a model about PDFs",
        description: PDF,
        input_schema: object(properties, &[]),
        output_schema: None,
        is_read_only: true,
    }
}

/// The PDF tools, in list order.
pub(crate) fn pdf_tools() -> Vec<ToolSpec> {
    vec![info(), extract_text(), render_page(), search(), outline()]
}

fn path() -> Value {
    string(
        "Path of the PDF: absolute, relative to the server's working directory, ~, file://, http(s)://, or the responseId of something fetched.",
    )
}

fn password() -> Value {
    string("Password of an encrypted PDF.")
}

fn pages() -> Value {
    string(
        "Pages by 1-based number, like \"3\", \"1-5\", \"1,3,5-7\", \"4-\" or \"-3\"; or \"label:iv\" (as printed) or \
         \"section:Results\" (an outline title). Default: all.",
    )
}

/// The parameters that all PDF tools share.
fn document() -> Value {
    json!({ "path": path(), "password": password(), "conversation": conversation() })
}

/// The shared parameters with a tool's `own`.
fn with_document(own: Value) -> Value {
    let mut properties = document();
    if let (Value::Object(all), Value::Object(own)) = (&mut properties, own) {
        all.extend(own);
    }
    properties
}

fn info() -> ToolSpec {
    ToolSpec {
        name: "pdf_info",
        title: "What a PDF says about itself",
        description: PDF_INFO,
        input_schema: object(document(), &["path"]),
        output_schema: Some(object(info_properties(), &["path"])),
        is_read_only: true,
    }
}

fn info_properties() -> Value {
    let (text, count, flag) = (json!({ "type": "string" }), json!({ "type": "integer" }), json!({ "type": "boolean" }));
    json!({
        "file": text, "path": text, "pages": count, "fileSize": count,
        "title": text, "author": text, "subject": text, "keywords": text, "creator": text, "producer": text,
        "created": text, "modified": text, "pdfVersion": text,
        "pageSize": { "type": "object" },
        "encrypted": flag, "signed": flag, "tagged": flag,
        "formFields": count, "attachments": count, "outlineEntries": count, "hasPageLabels": flag,
        "notes": { "type": "array", "items": text },
    })
}

fn extract_text() -> ToolSpec {
    let properties = with_document(json!({
        "pages": pages(),
        "max_chars": whole("Maximum characters of text. Default: 50000.", 1),
    }));
    ToolSpec {
        name: "pdf_extract_text",
        title: "Text of PDF pages",
        description: PDF_EXTRACT_TEXT,
        input_schema: object(properties, &["path"]),
        output_schema: None,
        is_read_only: true,
    }
}

fn render_page() -> ToolSpec {
    let properties = with_document(json!({
        "page": whole("The page's 1-based number.", 1),
        "dpi": whole("Pixels per inch, clamped to 72 to 300. Default: 150.", 1),
        "region": {
            "type": "array",
            "items": { "type": "number", "minimum": 0, "maximum": 1 },
            "minItems": 4,
            "maxItems": 4,
            "description": "Only a part of the page: left, top, right, bottom as shares from 0 to 1, \
                like [0, 0, 1, 0.5] for the upper half."
        },
    }));
    ToolSpec {
        name: "pdf_render_page",
        title: "A PDF page as a picture",
        description: PDF_RENDER_PAGE,
        input_schema: object(properties, &["path", "page"]),
        output_schema: None,
        is_read_only: true,
    }
}

fn search() -> ToolSpec {
    let properties = with_document(json!({
        "query": string("What to look for."),
        "regex": boolean("Treat query as a regular expression (no look-around, no back references)."),
        "case_sensitive": boolean("Match upper and lower case exactly."),
        "pages": pages(),
        "max_results": whole("Maximum matches to show. Default: 50.", 1),
    }));
    ToolSpec {
        name: "pdf_search",
        title: "Search in a PDF",
        description: PDF_SEARCH,
        input_schema: object(properties, &["path", "query"]),
        output_schema: Some(object(search_result(), &["path", "query", "matches", "shown", "searchedPages", "pages"])),
        is_read_only: true,
    }
}

fn search_result() -> Value {
    let (text, count) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    json!({
        "path": text, "query": text, "matches": count, "shown": count, "searchedPages": count,
        "pages": { "type": "array", "items": { "type": "object" } },
        "withoutText": text, "unreadable": text, "rest": text,
    })
}

fn outline() -> ToolSpec {
    let result = json!({
        "path": { "type": "string" },
        "entries": { "type": "integer" },
        "items": { "type": "array", "items": { "type": "object" } },
        "isIncomplete": { "type": "boolean" },
    });
    ToolSpec {
        name: "pdf_outline",
        title: "Outline of a PDF",
        description: PDF_OUTLINE,
        input_schema: object(document(), &["path"]),
        output_schema: Some(object(result, &["path", "entries", "items", "isIncomplete"])),
        is_read_only: true,
    }
}
