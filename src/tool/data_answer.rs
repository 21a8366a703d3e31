//! The answer of a tool that returns data.

use serde_json::Value;

/// The answer of a tool that returns data. The text says all that the structure says.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// For the model.
    pub text: String,
    /// The same as data.
    pub structure: Value,
}
