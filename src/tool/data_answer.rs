//! The result of a tool that answers with data.

use serde_json::Value;

/// The result of a tool that answers with data: the text says all that the structure says.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// For the model.
    pub text: String,
    /// The same as data.
    pub structure: Value,
}
