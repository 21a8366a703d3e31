//! Reads arguments one by one, so that an error names the parameter.

use serde_json::{Map, Value};

use super::client::FormArgument;
use super::error::ToolError;
use crate::context::RequestedPart;

/// The error when both page parameters are given.
pub(super) fn conflicting_page_parameters() -> ToolError {
    ToolError::one_of("pdfPage", "pages").hint("Use pdfPage (0-based) for one page, or pages (1-based) for several.")
}

/// The value of an argument. `null` and blank strings count as absent: clients send them for omitted arguments.
#[must_use]
pub fn argument<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    arguments.get(name).filter(|value| match value {
        Value::Null => false,
        Value::String(text) => !is_blank(text),
        _ => true,
    })
}

/// Whether a text is empty or white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

pub(super) struct ArgumentReader<'a> {
    pub(super) tool: &'static str,
    pub(super) arguments: &'a Map<String, Value>,
}

impl ArgumentReader<'_> {
    /// Rejects unknown names: with a misspelt `pdfPage` the client would get the summary again and again.
    pub(super) fn reject_unknown(&self, known: &[&str]) -> Result<(), ToolError> {
        let Some(unknown) = self.arguments.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        Err(ToolError::validation(&format!("Unknown parameter '{unknown}'")).hint(&format!(
            "{} takes: {}.",
            self.tool,
            known.join(", ")
        )))
    }

    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        argument(self.arguments, name)
    }

    pub(super) fn string(&self, name: &str) -> Result<Option<String>, ToolError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(invalid_value(name, "a string")),
        }
    }

    /// A list of strings, or a single string in its place.
    pub(super) fn strings(&self, name: &str, expected: &str) -> Result<Option<Vec<String>>, ToolError> {
        let strings = match self.value(name) {
            None => return Ok(None),
            Some(Value::String(one)) => Some(vec![one.clone()]),
            Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
        };
        strings.map(Some).ok_or_else(|| invalid_value(name, expected))
    }

    pub(super) fn required_string(&self, name: &str) -> Result<String, ToolError> {
        self.string(name)?.ok_or_else(|| ToolError::required(name))
    }

    /// A password. White space is significant in it.
    pub(super) fn password(&self) -> Result<Option<String>, ToolError> {
        match self.arguments.get("password") {
            Some(Value::String(password)) => Ok(Some(password.clone()).filter(|password| !password.is_empty())),
            _ => self.string("password"),
        }
    }

    pub(super) fn boolean(&self, name: &str) -> Result<bool, ToolError> {
        match self.value(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(invalid_value(name, "true or false")),
        }
    }

    pub(super) fn positive(&self, name: &str) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = whole_number(value).and_then(|number| u64::try_from(number).ok()).filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| invalid_value(name, "a whole number, 1 or more"))
    }

    /// A whole number, 0 or more.
    pub(super) fn count(&self, name: &str) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = whole_number(value).and_then(|number| u64::try_from(number).ok());
        number.map(Some).ok_or_else(|| invalid_value(name, "a whole number, 0 or more"))
    }

    pub(super) fn conversation(&self) -> Result<Option<String>, ToolError> {
        self.string("conversation")
    }

    pub(super) fn form(&self) -> Result<FormArgument, ToolError> {
        let Some(text) = self.string("as")? else { return Ok(FormArgument::Auto) };
        FormArgument::parse(&text)
            .ok_or_else(|| invalid_value("as", "one of auto, document, image, text, markdown, path, mixed"))
    }

    pub(super) fn part(&self) -> Result<RequestedPart, ToolError> {
        match (self.value("pdfPage"), self.selection()?) {
            (Some(_), Some(_)) => Err(conflicting_page_parameters()),
            (None, None) => Ok(RequestedPart::Summary),
            (None, Some(selection)) => Ok(RequestedPart::Selection(selection)),
            (Some(index), None) => whole_number(index)
                .map(RequestedPart::Index)
                .ok_or_else(|| invalid_value("pdfPage", "a whole number (0-based page index)")),
        }
    }

    /// The page selection `pages`.
    pub(super) fn selection(&self) -> Result<Option<String>, ToolError> {
        self.pages("pages")
    }

    /// A page selection. A bare number selects that page.
    pub(super) fn pages(&self, name: &str) -> Result<Option<String>, ToolError> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value) => whole_number(value)
                .map(|number| Some(number.to_string()))
                .ok_or_else(|| invalid_value(name, "a string like \"1-3,7\"")),
        }
    }
}

/// A whole number: JSON without a fraction (models write `3.0`), or a string of digits.
pub(super) fn whole_number(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => whole_json_number(number),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn whole_json_number(number: &serde_json::Number) -> Option<i128> {
    if let Some(whole) = number.as_i128() {
        return Some(whole);
    }
    let float = number.as_f64()?;
    // `Display` writes all digits of a whole float, without an exponent.
    if float.fract() == 0.0 { float.to_string().parse().ok() } else { None }
}

pub(super) fn invalid_value(name: &str, expected: &str) -> ToolError {
    ToolError::parameter(name, &format!("must be {expected}"))
}
