//! Schemas of the PDF tools.

use serde_json::{Value, json};

use crate::tool::ask::{DEFAULT_PROMPT, MAX_PDFS};
use crate::tool::schema::{ToolSpec, boolean, conversation, object, pages, password, path, result, string, whole};

const PDF_INFO: &str = "\
What a PDF says about itself: pages, title, dates, encryption, form and more. Cheap.";

const PDF_EXTRACT_TEXT: &str = "\
The text of pages: in reading order, in columns (layout), with headings and tables (markdown).";

const PDF_RENDER_PAGE: &str = "\
A page as a picture (PNG), also saved: for layout, figures, handwriting.";

const PDF_SEARCH: &str = "\
Find words or a regular expression: pages and excerpts. Pages without text are named.";

const PDF_OUTLINE: &str = "\
The outline (table of contents) with page numbers.";

const PDF: &str = "\
Ask another model about up to ten PDFs and get its answer as text: when you cannot see PDFs, or need an answer and not \
the pages. What was not sent to it is named together with the call that sends it.";

/// The tool `pdf`, for servers that have a model.
pub(crate) fn ask_spec() -> ToolSpec {
    let properties = json!({
        "prompt": string(&format!("What to ask. Default: {DEFAULT_PROMPT}")),
        "pdf": string("A PDF."),
        "pdfs": {
            "type": "array",
            "items": { "type": "string" },
            "maxItems": MAX_PDFS,
            "description": "Several PDFs."
        },
        "pages": pages(),
        "password": password(),
        "model": string("provider/model; default: as configured."),
        "maxBytesMb": {
            "type": "number",
            "minimum": 0,
            "description": "Of each PDF, in MiB."
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
        output_schema: Some(result(&[
            ("integer", &["pages", "fileSize", "formFields"]),
            ("string", &["title", "author"]),
        ])),
        is_read_only: true,
    }
}

fn extract_text() -> ToolSpec {
    let properties = with_document(json!({
        "pages": pages(),
        "max_chars": whole("Default: 50000.", 1),
        "format": {
            "type": "string",
            "enum": ["text", "layout", "markdown"],
            "description": "Default: text."
        },
        "hidden": boolean("Also text that no reader sees."),
        "ocr": ocr(),
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

fn ocr() -> Value {
    json!({
        "type": "string",
        "enum": ["auto", "always", "never"],
        "description": "Which pages are recognised. Default: those without text (auto)."
    })
}

fn render_page() -> ToolSpec {
    let properties = with_document(json!({
        "page": string("1-based, like \"3\"; several (\"1-3,7\") go to files."),
        "contact_sheet": boolean("Several pages side by side."),
        "dpi": whole("72 to 300. Default: 150.", 1),
        "region": {
            "type": "array",
            "items": { "type": "number" },
            "minItems": 4,
            "maxItems": 4,
            "description": "Left, top, right, bottom as shares: [0, 0, 1, 0.5] is the upper half."
        },
        "highlight": string("A text, or \"left,top,right,bottom\" in points."),
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
        "path": string("A PDF, a folder or a pattern (**/*.pdf): path or URL."),
        "paths": { "type": "array", "items": { "type": "string" }, "description": "Several of path." },
        "start_document": whole("Of many PDFs, the first to search: 1-based.", 1),
        "query": string("Words to find."),
        "quote": string("Not query: is this passage there?"),
        "regex": boolean("query is a regular expression (no look-around)."),
        "case_sensitive": boolean("Default: false."),
        "ocr": ocr(),
        "pages": pages(),
        "max_results": whole("Default: 50.", 1),
        "ranked": boolean("Best pages first, any words. Also: language (eng), dates (2023..2024-06)."),
    }));
    ToolSpec {
        name: "pdf_search",
        title: "Search in a PDF",
        description: PDF_SEARCH,
        input_schema: object(properties, &[]),
        output_schema: Some(result(&[
            ("integer", &["matches", "searchedPages"]),
            ("object", &["counts", "labels"]),
            ("object|string", &["pages"]),
            ("array|string", &["withoutText"]),
            ("string", &["unreadable", "rest", "verdict"]),
        ])),
        is_read_only: true,
    }
}

fn outline() -> ToolSpec {
    let properties = with_document(json!({
        "depth": whole("Levels to show. Default: all.", 1),
        "max_items": whole("Default: 200.", 1),
    }));
    ToolSpec {
        name: "pdf_outline",
        title: "Outline of a PDF",
        description: PDF_OUTLINE,
        input_schema: object(properties, &["path"]),
        output_schema: Some(result(&[("integer", &["entries"]), ("array", &["items"])])),
        is_read_only: true,
    }
}
