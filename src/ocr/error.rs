//! Errors of recognition.

use pagewise_base::limits::StopReason;

/// Why the text of a picture was not recognised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OcrError {
    /// No engine can run: there are no models, or the program was built without them.
    #[error("OCR is not available: {reason}")]
    NoEngine {
        /// What is missing.
        reason: &'static str,
    },
    /// A model cannot be loaded, or is of another kind than its name says.
    #[error("the model for {part} cannot be used: {reason}")]
    Model {
        /// What the model is for.
        part: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The program of an engine failed, or is another program.
    #[error("OCR failed: {reason}")]
    Program {
        /// What it did.
        reason: String,
    },
    /// The program of an engine was not done in time.
    #[error("OCR failed: it did not finish in time")]
    Late,
    /// The picture has no text.
    #[error("no text was found in the picture")]
    NoText,
    /// There is text, but none that the engine can read, such as a script that it does not know.
    #[error("{lines} lines look like text, and none can be read")]
    Unreadable { lines: usize },
    /// The deadline passed, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
}
