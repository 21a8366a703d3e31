//! Calls that begin anew.

use super::ToolError;

/// Runs a call, and once more from the beginning if a remote document had a new version meanwhile.
///
/// # Errors
/// Those of the call.
pub fn restart_once<T>(call: impl Fn() -> Result<T, ToolError>) -> Result<T, ToolError> {
    match call() {
        Err(error) if error.is_change => call(),
        outcome => outcome,
    }
}
