//! Arguments of the tools. Each tool has one struct: its documentation is the schema that clients see and the help of the
//! command, and every door reads it by [`ToolArguments::parse`].
//!
//! Models call one tool by the parameters of another, and clients turn numbers into text and lists into JSON within text.
//! What is meant clearly is brought to the names and types of the schema. What is still wrong afterwards is refused by name.

use std::collections::BTreeMap;
use std::ops::Deref;
#[cfg(feature = "program")]
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::error::ToolError;
use super::schema::EXPECTED;
use super::tool_list::find_tool;
use crate::context::next_call;
use crate::source::linked_page;

/// The arguments of a tool.
pub trait ToolArguments: Default + Serialize + DeserializeOwned + JsonSchema {
    /// The tool, as errors name it.
    const TOOL: &'static str;

    /// JSON Schema of all parameters.
    fn schema() -> &'static Map<String, Value>;

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter, and what else the tool refuses before it opens anything.
    fn checked(self) -> Result<Self, ToolError> {
        Ok(self)
    }

    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// As [`checked`](Self::checked), and `validation_error` for what is unknown, missing or of another type.
    fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let schema = Self::schema();
        let (mut read, mut wrong) = (Map::new(), BTreeMap::new());
        for (name, fit) in fitted_arguments(schema, arguments) {
            match fit {
                Fit::Absent => {}
                Fit::Value(value) => drop(read.insert(name.to_owned(), value)),
                Fit::Unknown(_) => return Err(unknown(name, Self::TOOL, schema)),
                Fit::Wrong(_, property) => {
                    wrong.insert(name, property);
                }
            }
        }
        take_linked_page(schema, &mut read);
        let is_missing = |name: &&str| !read.contains_key(*name) && !wrong.contains_key(name);
        if let Some(missing) = required(schema).find(is_missing) {
            return Err(ToolError::required(missing));
        }
        let first = required(schema).find_map(|name| wrong.get_key_value(name)).or_else(|| wrong.first_key_value());
        if let Some((name, property)) = first {
            return Err(ToolError::parameter(name, &format!("must be {}", expected(name, property))));
        }
        let arguments = serde_json::from_value::<Self>(Value::Object(read));
        arguments.map_err(|error| ToolError::validation(&format!("Invalid arguments: {error}")))?.checked()
    }

    /// The arguments as a call has them, without those that have their default.
    fn given(&self) -> Map<String, Value> {
        let written = |arguments: &Self| serde_json::to_value(arguments).ok();
        let default = written(&Self::default());
        let is_given = |name: &str, value: &Value| default.as_ref().and_then(|all| all.get(name)) != Some(value);
        match written(self) {
            Some(Value::Object(all)) => all.into_iter().filter(|(name, value)| is_given(name, value)).collect(),
            _ => Map::new(),
        }
    }

    /// The call that goes on with these arguments, but those `changed`, as [`next_call`] has it.
    fn next_call(&self, changed: &[(&str, Value)]) -> String {
        next_call(Self::TOOL, &self.given(), changed)
    }

    /// What a command line holds, read as the arguments of a call are.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    fn typed(&self) -> Result<Self, ToolError> {
        let written = serde_json::to_value(self).ok();
        Self::parse(written.as_ref().and_then(Value::as_object).unwrap_or(&Map::new()))
    }
}

/// Makes a struct the arguments of a tool.
macro_rules! arguments_of {
    ($tool:literal, $arguments:ident $(, $checked:expr)?) => {
        impl $crate::tool::arguments::ToolArguments for $arguments {
            const TOOL: &'static str = $tool;

            fn schema() -> &'static serde_json::Map<String, serde_json::Value> {
                static SCHEMA: std::sync::LazyLock<serde_json::Map<String, serde_json::Value>> =
                    std::sync::LazyLock::new($crate::tool::schema::schema_of::<$arguments>);
                &SCHEMA
            }

            $(fn checked(self) -> Result<Self, $crate::tool::error::ToolError> {
                $checked(self)
            })?
        }
    };
}
pub(super) use arguments_of;

/// A parameter that many tools have, for their arguments to flatten.
macro_rules! common_parameter {
    ($(#[$about:meta])* $name:ident { $(#[$attribute:meta])* $field:ident }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[cfg_attr(feature = "program", derive(clap::Args))]
        pub struct $name {
            $(#[$attribute])*
            pub $field: Option<String>,
        }

        impl Deref for $name {
            type Target = Option<String>;

            fn deref(&self) -> &Option<String> {
                &self.$field
            }
        }

        impl From<Option<String>> for $name {
            fn from($field: Option<String>) -> Self {
                Self { $field }
            }
        }
    };
}

/// What a command reads.
#[cfg(feature = "program")]
pub(crate) const PATH_HELP: &str = "A path, a URL, or the responseId (fetch_…) that pagewise fetch printed";

/// How pages are selected.
pub(super) const PAGES_FORM: &str = "3, 1-5, 1,3,5-7, 4-, -3 (1 to 3), last, last-2, label:iv (as printed), \
                                     section:Results (a title or number of the outline)";

/// How pages are selected at a command line.
#[cfg(feature = "program")]
pub(crate) static PAGES_HELP: LazyLock<String> = LazyLock::new(|| format!("Pages, counted from 1: {PAGES_FORM}"));

common_parameter! {
    /// Pages of a document; all without.
    PagesParameter {
        /// 1-based: "1-3,7", "4-", "last", "label:iv", "section:Results".
        #[cfg_attr(
            feature = "program",
            arg(long, value_name = "PAGES", value_parser = typed_pages, allow_hyphen_values = true, help = PAGES_HELP.as_str())
        )]
        pages
    }
}

common_parameter! {
    /// The password of a document.
    PasswordParameter {
        /// For an encrypted PDF.
        #[cfg_attr(
            feature = "program",
            arg(
                long,
                value_name = "PASSWORD",
                help = "Password of an encrypted PDF; the variable PAGEWISE_PASSWORD hides it from other users"
            )
        )]
        password
    }
}

common_parameter! {
    /// The conversation that a call belongs to. Each command says in its help what that means for it.
    ConversationParameter {
        /// Name that get_file gave.
        #[cfg_attr(feature = "program", arg(long, value_name = "NAME", help = "The conversation"))]
        conversation
    }
}

/// The arguments of a call of `tool`, by the names and in the types of its schema where their meaning is clear.
#[must_use]
pub fn accepted(tool: &str, arguments: &Map<String, Value>) -> Map<String, Value> {
    let Some(tool) = find_tool(tool) else { return arguments.clone() };
    let fitted = fitted_arguments((tool.arguments)(), arguments).into_iter().filter_map(|(name, fit)| match fit {
        Fit::Absent => None,
        Fit::Value(value) => Some((name.to_owned(), value)),
        Fit::Unknown(value) | Fit::Wrong(value, _) => Some((name.to_owned(), value.clone())),
    });
    fitted.collect()
}

/// The value of an argument. `null` and blank strings count as absent: clients send them for omitted arguments.
#[must_use]
pub fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    arguments.get(name).filter(|value| !says_nothing(name, value))
}

/// Whether a text is empty or white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// White space is significant in a password.
fn says_nothing(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) if name == "password" => text.is_empty(),
        Value::String(text) => is_blank(text),
        _ => false,
    }
}

/// What an argument is to its schema.
enum Fit<'a> {
    /// It says nothing.
    Absent,
    Value(Value),
    /// The tool has no such parameter: with a misspelt `pdfPage` the client would get the summary again and again.
    Unknown(&'a Value),
    /// It cannot mean what the property holds.
    Wrong(&'a Value, &'a Value),
}

fn fitted_arguments<'a>(schema: &'a Map<String, Value>, arguments: &'a Map<String, Value>) -> Vec<(&'a str, Fit<'a>)> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let fit = |(given, value): (&'a String, &'a Value)| {
        let meant = meant_name(given, value, properties);
        let name = meant.filter(|name| *name == given || !arguments.contains_key(*name)).unwrap_or(given);
        let Some(property) = properties.get(name) else { return (name, Fit::Unknown(value)) };
        let is_required = required(schema).any(|required| required == name);
        if says_nothing(name, value) || !is_required && is_not_meant(value, property) {
            return (name, Fit::Absent);
        }
        (name, fitted(name, value, property).map_or(Fit::Wrong(value, property), Fit::Value))
    };
    arguments.iter().map(fit).collect()
}

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn unknown(name: &str, tool: &str, schema: &Map<String, Value>) -> ToolError {
    let optional = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let optional = optional.map(String::as_str).filter(|name| !required(schema).any(|required| required == *name));
    let names = required(schema).chain(optional).collect::<Vec<_>>().join(", ");
    ToolError::validation(&format!("Unknown parameter '{name}'")).hint(&format!("{tool} takes: {names}."))
}

/// Takes the page that a path links to as the pages of a tool that has such, unless others are given.
fn take_linked_page(schema: &Map<String, Value>, read: &mut Map<String, Value>) {
    let takes = |name: &&str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
    let Some(pages) = ["pages", "page"].into_iter().find(takes) else { return };
    for name in ["path", "filePath"] {
        let Some((document, Some(page))) = read.get(name).and_then(Value::as_str).map(linked_page) else { continue };
        let (document, page) = (Value::from(document), Value::from(page));
        read.insert(name.to_owned(), document);
        if !["pages", "page", "pdfPage"].iter().any(|given| read.contains_key(*given)) {
            read.insert(pages.to_owned(), page);
        }
    }
}

/// What a parameter must be, in words.
#[must_use]
pub fn expected(name: &str, property: &Value) -> String {
    if let Some(expected) = property.get(EXPECTED).and_then(Value::as_str) {
        return expected.to_owned();
    }
    if let Some(values) = property.get("enum").and_then(Value::as_array) {
        return format!("one of {}", values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    }
    match (kind(property), property.get("minimum").and_then(Value::as_i64)) {
        ("integer", Some(minimum)) => format!("a whole number, {minimum} or more"),
        ("integer", None) => "a whole number".to_owned(),
        ("number", _) => "a number".to_owned(),
        ("boolean", _) => "true or false".to_owned(),
        ("array", _) => "a list of strings".to_owned(),
        _ if is_selection(name) => "a string like \"1-3,7\"".to_owned(),
        _ => "a string".to_owned(),
    }
}

fn kind(property: &Value) -> &str {
    property.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The names that tools have for the same thing, in lower case and without underscores.
const SAME: [&[&str]; 3] = [&["path", "filepath", "file", "filename"], &["pages", "page"], &["as", "format"]];

/// The property that a name means.
fn meant_name<'a>(given: &str, value: &Value, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let folded = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let given = folded(given);
    let same = |name: &str| SAME.iter().any(|names| names.contains(&&*given) && names.contains(&&*folded(name)));
    let find = |is_meant: &dyn Fn(&str) -> bool| properties.keys().map(String::as_str).find(|name| is_meant(name));
    let one = find(&|name| folded(name) == given).or_else(|| find(&same))?;
    // A list of what the tool takes one of, or several under the plural.
    let plural = format!("{one}s");
    let is_list = value.is_array() && !is_selection(one);
    find(&|name| is_list && name == plural).or(Some(one))
}

/// Whether a value is what clients send for an optional parameter that is not meant.
fn is_not_meant(value: &Value, property: &Value) -> bool {
    let is_zero = value.as_f64() == Some(0.0) || value.as_str().is_some_and(|text| text.trim() == "0");
    let counts_from_one = property.get("minimum").and_then(Value::as_u64).is_some_and(|minimum| minimum > 0);
    value.as_array().is_some_and(Vec::is_empty) || is_zero && counts_from_one
}

/// The value in the property's type; `None` if it has no meaning there.
fn fitted(name: &str, value: &Value, property: &Value) -> Option<Value> {
    match kind(property) {
        "boolean" => as_boolean(value).map(Value::Bool),
        "integer" => {
            let minimum = property.get("minimum").and_then(Value::as_i64).map(i128::from);
            let number = whole_number(value).filter(|number| minimum.is_none_or(|minimum| *number >= minimum))?;
            let signed = i64::try_from(number).map(Number::from);
            signed.or_else(|_| u64::try_from(number).map(Number::from)).ok().map(Value::Number)
        }
        "number" => {
            let written = || value.as_str()?.trim().parse().ok();
            value.as_number().cloned().or_else(written).map(Value::Number)
        }
        "array" => {
            let item = property.get("items")?;
            let items = match value {
                Value::Array(items) => items.clone(),
                Value::String(text) => list_in(text).unwrap_or_else(|| parts(text, item)),
                _ => return None,
            };
            let is_item = |value: &Value| value.is_string() || kind(item) != "string";
            let fit = |value: &Value| fitted(name, value, item).filter(|_| is_item(value));
            items.iter().map(fit).collect::<Option<_>>().map(Value::Array)
        }
        _ => match property.get("enum").and_then(Value::as_array) {
            Some(values) => listed_word(value.as_str()?, values),
            None => as_text(name, value).map(Value::String),
        },
    }
}

/// What a list holds that was written as text: numbers have commas between them, and any other text is one item.
fn parts(text: &str, item: &Value) -> Vec<Value> {
    match kind(item) {
        "number" => text.split(',').map(Value::from).collect(),
        _ => vec![Value::from(text)],
    }
}

fn as_text(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_selection(name) => {
            Some(list_in(text).as_deref().and_then(joined).unwrap_or_else(|| text.clone()))
        }
        Value::String(text) => Some(text.clone()),
        // Pages, or the edges of a box.
        Value::Array(items) if is_selection(name) || name == "highlight" => joined(items),
        Value::Number(number) => {
            Some(whole_number(value).map_or_else(|| number.to_string(), |whole| whole.to_string()))
        }
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// Whether a parameter takes a selection of pages.
fn is_selection(name: &str) -> bool {
    matches!(name, "page" | "pages")
}

/// The list that a text holds as JSON.
fn list_in(text: &str) -> Option<Vec<Value>> {
    text.trim_start().starts_with('[').then(|| serde_json::from_str(text).ok()).flatten()
}

/// Numbers and ranges with commas between them.
fn joined(items: &[Value]) -> Option<String> {
    let part = |item: &Value| match item {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(whole_number(item).map_or_else(|| number.to_string(), |whole| whole.to_string())),
        _ => None,
    };
    Some(items.iter().map(part).collect::<Option<Vec<_>>>()?.join(","))
}

/// The value of an enumeration that differs from `text` in case alone.
fn listed_word(text: &str, values: &[Value]) -> Option<Value> {
    let is_it = |value: &&Value| value.as_str().is_some_and(|value| value.eq_ignore_ascii_case(text.trim()));
    values.iter().find(is_it).cloned()
}

fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        _ => match whole_number(value)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        },
    }
}

/// A whole number: JSON without a fraction (models write `3.0`), or a string of digits.
fn whole_number(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => whole_json_number(number),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn whole_json_number(number: &Number) -> Option<i128> {
    if let Some(whole) = number.as_i128() {
        return Some(whole);
    }
    let float = number.as_f64()?;
    // `Display` writes all digits of a whole float, without an exponent.
    if float.fract() == 0.0 { float.to_string().parse().ok() } else { None }
}

/// Pages at a command line, which may begin with a dash as no other value does: an option that a command does not have is
/// no selection.
#[cfg(feature = "program")]
pub(crate) fn typed_pages(text: &str) -> Result<String, String> {
    let after = text.strip_prefix('-').map(str::trim_start);
    let is_range = |after: &str| after.starts_with(|first: char| first.is_ascii_digit()) || after.starts_with("last");
    match after {
        Some(after) if !after.is_empty() && !is_range(after) => Err(format!("{text} selects no pages")),
        _ => Ok(text.to_owned()),
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
