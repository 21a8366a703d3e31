//! Schemas of the fetching tools.

use serde_json::json;

use crate::tool::schema::{ToolSpec, conversation, object, string, whole};

const FETCH_CONTENT: &str = "\
Fetch web pages and documents by URL (http, https) as text: a PDF page by page, a web page as Markdown, text and JSON as \
they are. Up to 10 URLs at once; one that fails does not stop the others. At most 30,000 characters come at once; \
the rest is kept: continue with get_search_content and the responseId. To see pages of a PDF with their layout, call \
get_file with the URL as filePath.";

const GET_SEARCH_CONTENT: &str = "\
Continue reading what fetch_content fetched in this conversation, by its responseId: 30,000 characters from offset \
on, up to 100,000 with maxChars.";

/// The fetching tools, in list order.
pub(crate) fn fetch_tools() -> Vec<ToolSpec> {
    vec![fetch_content(), get_search_content()]
}

fn fetch_content() -> ToolSpec {
    let properties = json!({
        "url": string("The URL to fetch."),
        "urls": {
            "type": "array",
            "items": { "type": "string" },
            "maxItems": 10,
            "description": "Several URLs, instead of url."
        },
        "conversation": conversation(),
    });
    ToolSpec {
        name: "fetch_content",
        title: "Fetch URLs as text",
        description: FETCH_CONTENT,
        input_schema: object(properties, &[]),
        output_schema: None,
        is_read_only: true,
    }
}

fn get_search_content() -> ToolSpec {
    let properties = json!({
        "responseId": string("The responseId of an answer of fetch_content."),
        "url": string("One of several URLs: the URL itself."),
        "urlIndex": whole("One of several URLs, by its 0-based position. Default: 0.", 0),
        "maxChars": whole("Maximum characters. Default: 30000; at most 100000.", 1),
        "offset": whole("Characters to skip. Default: 0.", 0),
        "conversation": conversation(),
    });
    ToolSpec {
        name: "get_search_content",
        title: "Continue reading fetched text",
        description: GET_SEARCH_CONTENT,
        input_schema: object(properties, &["responseId"]),
        output_schema: None,
        is_read_only: true,
    }
}
