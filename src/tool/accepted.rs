//! Arguments as clients write them, brought to the names and types of the tool's schema where their meaning is clear.
//!
//! Models call one tool by the parameters of another, and clients turn numbers into text and lists into JSON within text.
//! What is still wrong afterwards is refused by the tool, which names it.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::arguments::whole_number;
use super::tool_list::tool_specs;

/// The names that tools have for the same thing, in lower case and without underscores.
const SAME: [&[&str]; 3] = [&["path", "filepath", "file", "filename"], &["pages", "page"], &["as", "format"]];

/// The schema of each tool's arguments, by the tool's name.
static SCHEMAS: LazyLock<Vec<(&str, Map<String, Value>)>> =
    LazyLock::new(|| tool_specs().into_iter().map(|spec| (spec.name, spec.input_schema)).collect());

/// The arguments of a call of `tool`, by the names and in the types of its schema.
#[must_use]
pub fn accepted(tool: &str, arguments: &Map<String, Value>) -> Map<String, Value> {
    let schema = SCHEMAS.iter().find(|(name, _)| *name == tool).map(|(_, schema)| schema);
    let Some((schema, properties)) = schema.and_then(|schema| Some((schema, schema.get("properties")?.as_object()?)))
    else {
        return arguments.clone();
    };
    let is_required = |name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|required| required == name))
    };
    let mut accepted = Map::new();
    for (given, value) in arguments {
        let meant = meant_name(given, properties).filter(|name| *name == given || !arguments.contains_key(*name));
        let name = meant.unwrap_or(given);
        let value = match properties.get(name) {
            Some(property) => fitted(name, value, property, is_required(name)),
            None => Some(value.clone()),
        };
        if let Some(value) = value {
            accepted.insert(name.to_owned(), value);
        }
    }
    accepted
}

/// The property that a name means.
fn meant_name<'a>(given: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let folded = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let given = folded(given);
    let same = |name: &str| SAME.iter().any(|names| names.contains(&&*given) && names.contains(&&*folded(name)));
    let find = |is_meant: &dyn Fn(&str) -> bool| properties.keys().map(String::as_str).find(|name| is_meant(name));
    find(&|name| folded(name) == given).or_else(|| find(&same))
}

/// The value in the property's type; `None` for one that says nothing.
fn fitted(name: &str, value: &Value, property: &Value, is_required: bool) -> Option<Value> {
    let is_empty_list = value.as_array().is_some_and(Vec::is_empty);
    let is_zero = value.as_f64() == Some(0.0) || value.as_str().is_some_and(|text| text.trim() == "0");
    let counts_from_one = property.get("minimum").and_then(Value::as_u64).is_some_and(|minimum| minimum > 0);
    if !is_required && (is_empty_list || (is_zero && counts_from_one)) {
        return None;
    }
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let fitted = match (kind, value) {
        ("string", Value::String(text)) if is_selection(name) => list_in(text).as_deref().and_then(joined),
        ("string", Value::String(text)) => listed_word(text, property),
        ("string", Value::Array(items)) if is_selection(name) => joined(items),
        ("string", Value::Number(number)) => {
            whole_number(value).map(|whole| whole.to_string()).or(Some(number.to_string()))
        }
        ("string", Value::Bool(truth)) => Some(truth.to_string()),
        ("boolean", _) => return Some(as_boolean(value).map_or_else(|| value.clone(), Value::Bool)),
        ("integer" | "number", _) => None,
        // A list, or one of several types.
        (_, Value::String(text)) => return Some(list_in(text).map_or_else(|| value.clone(), Value::Array)),
        _ => None,
    };
    Some(fitted.map_or_else(|| value.clone(), Value::String))
}

/// Whether a parameter takes a selection of pages.
fn is_selection(name: &str) -> bool {
    matches!(name, "page" | "pages")
}

/// The list that a text holds as JSON.
fn list_in(text: &str) -> Option<Vec<Value>> {
    text.trim_start().starts_with('[').then(|| serde_json::from_str(text).ok()).flatten()
}

/// Page numbers and ranges as one selection.
fn joined(items: &[Value]) -> Option<String> {
    let part = |item: &Value| match item {
        Value::String(text) => Some(text.clone()),
        _ => whole_number(item).map(|number| number.to_string()),
    };
    Some(items.iter().map(part).collect::<Option<Vec<_>>>()?.join(","))
}

/// The value of an enumeration that differs from `text` in case alone.
fn listed_word(text: &str, property: &Value) -> Option<String> {
    let mut values = property.get("enum")?.as_array()?.iter().filter_map(Value::as_str);
    values.find(|value| value.eq_ignore_ascii_case(text.trim())).map(str::to_owned)
}

fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => match whole_number(value)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(tool: &str, given: Value, expected: Value) {
        let Value::Object(given) = given else { return assert_eq!(given, expected) };
        assert_eq!(Value::Object(accepted(tool, &given)), expected);
    }

    #[test]
    fn the_names_of_other_tools_and_spellings_are_understood() {
        check(
            "get_file",
            json!({"path": "a", "page": 2, "format": "text"}),
            json!({"filePath": "a", "pages": "2", "as": "text"}),
        );
        check("get_file", json!({"file_path": "a", "pdf_page": 0}), json!({"filePath": "a", "pdfPage": 0}));
        check("pdf_extract_text", json!({"filePath": "a", "maxChars": 5}), json!({"path": "a", "max_chars": 5}));
        check("pdf_render_page", json!({"file": "a", "pages": "2"}), json!({"path": "a", "page": "2"}));
        // What is given twice, or unknown, stays and is refused.
        check("get_file", json!({"filePath": "a", "path": "b"}), json!({"filePath": "a", "path": "b"}));
        check("get_file", json!({"filePath": "a", "pagse": "b"}), json!({"filePath": "a", "pagse": "b"}));
    }

    #[test]
    fn values_are_taken_in_the_types_that_clients_make_of_them() {
        check("pdf_info", json!({"path": 2024, "password": 1234}), json!({"path": "2024", "password": "1234"}));
        check(
            "pdf_search",
            json!({"path": "a", "query": true, "regex": "True"}),
            json!({"path": "a", "query": "true", "regex": true}),
        );
        check(
            "pdf_search",
            json!({"paths": "[\"a\", \"b\"]", "query": "[x]"}),
            json!({"paths": ["a", "b"], "query": "[x]"}),
        );
        for pages in [json!([2, "4-6"]), json!("[2, \"4-6\"]"), json!("2,4-6")] {
            check("pdf_extract_text", json!({"path": "a", "pages": pages}), json!({"path": "a", "pages": "2,4-6"}));
        }
        check(
            "pdf_render_page",
            json!({"path": "a", "region": "[0,0,1,0.5]"}),
            json!({"path": "a", "region": [0, 0, 1, 0.5]}),
        );
        check(
            "get_file",
            json!({"filePath": "a", "as": "Text", "force": 1}),
            json!({"filePath": "a", "as": "text", "force": true}),
        );
        // What can mean nothing is passed on, so that the refusal names it.
        check(
            "get_file",
            json!({"filePath": "a", "force": "maybe", "as": "jpeg"}),
            json!({"filePath": "a", "force": "maybe", "as": "jpeg"}),
        );
    }

    #[test]
    fn an_optional_value_that_says_nothing_was_not_given() {
        check(
            "get_file",
            json!({"filePath": "a", "pages": [], "startLine": 0, "numLines": "0", "pdfPage": 0}),
            json!({"filePath": "a", "pdfPage": 0}),
        );
        check("pdf_search", json!({"path": "a", "paths": [], "query": "x"}), json!({"path": "a", "query": "x"}));
    }
}
