//! Arguments of a call.

use serde_json::{Map, Value};

use crate::tool::ToolError;
use pagewise_base::page::{PageIndex, PageNumber};
use pagewise_view::FileKey;

/// The most characters of a search.
const MAX_QUERY_CHARACTERS: usize = 500;

/// The arguments of a call, read one by one.
#[derive(Clone, Copy)]
pub(super) struct CallArguments<'a>(pub(super) &'a Map<String, Value>);

impl CallArguments<'_> {
    /// A text that has to be there.
    pub(super) fn text(&self, name: &str) -> Result<String, ToolError> {
        self.optional_text(name)?.ok_or_else(|| ToolError::required(name))
    }

    /// A text; `None` if it is missing or blank.
    pub(super) fn optional_text(&self, name: &str) -> Result<Option<String>, ToolError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(ToolError::parameter(name, "must be a text")),
        }
    }

    /// A whole number; `None` if it is missing.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, ToolError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| ToolError::parameter(name, "must be a whole number")),
        }
    }

    /// A page by its 1-based number.
    pub(super) fn page(&self, name: &str) -> Result<PageIndex, ToolError> {
        let number = self.number(name)?.and_then(|number| u32::try_from(number).ok()).and_then(PageNumber::new);
        number.map(PageNumber::index).ok_or_else(|| ToolError::parameter(name, "must be the number of a page"))
    }

    /// A file by its key.
    pub(super) fn file(&self, name: &str) -> Result<FileKey, ToolError> {
        self.text(name)?.parse().map_err(|_| ToolError::parameter(name, "must be the key of a file"))
    }

    /// The words of a search.
    pub(super) fn query(&self) -> Result<Option<String>, ToolError> {
        let query = self.optional_text("q")?;
        if query.as_ref().is_some_and(|query| query.chars().count() > MAX_QUERY_CHARACTERS) {
            return Err(ToolError::parameter("q", &format!("must have at most {MAX_QUERY_CHARACTERS} characters")));
        }
        Ok(query)
    }
}
