//! The one error of the library's door.

use std::fmt;

use serde_json::{Map, Value};

use crate::tool::{ErrorCode, ToolError};

/// Why a request was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    data: Map<String, Value>,
}

impl Error {
    pub(super) fn store(reason: &str) -> Self {
        let message = format!("Cannot record what was delivered: {reason}");
        Self { code: ErrorCode::StoreFailed, message, hint: None, data: Map::new() }
    }

    /// What happened, for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What to do next, for a model. It may name tools of the MCP server that a program does not offer.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The facts of it, for programs, such as the setting of a limit and its value, or the nearest names of files.
    ///
    /// ```
    /// use pagewise::{Pagewise, Request};
    ///
    /// # fn main() -> Result<(), pagewise::Error> {
    /// let pagewise = Pagewise::builder().root("fixtures").build()?;
    /// let error = pagewise.get_file(&Request::new("latx.pdf")).unwrap_err();
    /// assert_eq!(error.data()["nearest"][0], "latex.pdf");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn data(&self) -> &Map<String, Value> {
        &self.data
    }

    /// Message and hint, for the model.
    #[must_use]
    pub fn text(&self) -> String {
        std::iter::once(self.message.as_str()).chain(self.hint()).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Self {
        Self { code: error.code, message: error.message, hint: error.hint, data: error.data }
    }
}
