//! The answer of a tool that returns data.

use serde::Serialize;
use serde_json::{Value, json};

use super::error::{ErrorCode, ToolError};

/// The answer of a tool that returns data. The text says all that the structure says.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// For the model.
    pub text: String,
    /// The same as data, for programs.
    pub structure: Value,
    /// The same in fewer characters than the text: some clients show the model this alone.
    pub brief: Value,
}

impl DataAnswer {
    /// An answer whose structure is brief.
    #[must_use]
    pub fn new(text: String, structure: Value) -> Self {
        Self { text, brief: structure.clone(), structure }
    }
}

/// A result as JSON.
///
/// # Errors
/// `write_failed` for paths that are not Unicode.
pub fn result_json(result: &impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::WriteFailed, "Cannot write the result as JSON")
            .with("reason", json!(error.to_string()))
    })
}

/// `structure` without members that are false, 0 or empty.
pub(super) fn without_blanks(structure: Value) -> Value {
    let Value::Object(mut members) = structure else { return structure };
    members.retain(|_, value| match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    });
    Value::Object(members)
}
