//! Schemas of the fetching tools.

use serde_json::json;

use crate::tool::schema::{ToolSpec, conversation, object, string, whole};

const FETCH_CONTENT: &str = "\
URLs as text: a PDF page by page, a web page as Markdown. At most 30,000 characters come; continue with \
get_search_content. To see a PDF's pages, give its URL to get_file.";

const GET_SEARCH_CONTENT: &str = "\
Read on in what fetch_content fetched.";

/// The fetching tools, in list order.
pub(crate) fn fetch_tools() -> Vec<ToolSpec> {
    vec![fetch_content(), get_search_content()]
}

fn fetch_content() -> ToolSpec {
    let properties = json!({
        "url": string("The URL."),
        "urls": {
            "type": "array",
            "items": { "type": "string" },
            "maxItems": 10,
            "description": "Instead of url."
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
        "responseId": string("From a result of fetch_content."),
        "url": string("One of several."),
        "urlIndex": whole("The same by position, 0-based.", 0),
        "maxChars": whole("Default: 30000; at most 100000.", 1),
        "offset": whole("Characters to skip.", 0),
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
