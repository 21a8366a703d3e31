//! Why a model gave no answer.

use std::time::Duration;

use super::name::ModelName;

/// Why a model gave no answer. No variant contains a key or document content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// There is no provider with this name.
    #[error("no provider is called '{name}'; known are {known}")]
    UnknownProvider {
        /// The name asked for.
        name: String,
        /// The known names.
        known: String,
    },
    /// The provider needs a key, and none is set.
    #[error("no key for {provider}: set {variables}")]
    NoKey {
        provider: &'static str,
        /// The variables that may hold it.
        variables: String,
    },
    /// The provider's address must come from a variable, which is not set.
    #[error("no address for {provider}: set {variable}")]
    NoAddress { provider: &'static str, variable: &'static str },
    /// The request would exceed a limit, so it was not sent.
    #[error("the request has {found} {unit}, and {which} takes {limit}")]
    OverLimit {
        /// What is counted: bytes, pages, blocks.
        unit: &'static str,
        /// The model with the limit.
        which: ModelName,
        limit: u64,
        /// What there would be.
        found: u64,
    },
    /// The server answered with an error.
    #[error("{status}: {message}")]
    Refused {
        /// The HTTP status, or its equivalent for an error inside a stream.
        status: u16,
        /// The server's message, at most 400 characters.
        message: String,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
        /// Whether a retry may succeed.
        is_passing: bool,
    },
    /// No connection.
    #[error("cannot reach {base_url}: {reason}")]
    Unreachable {
        /// Where.
        base_url: String,
        /// Why not.
        reason: String,
    },
    /// The connection ended before the answer was complete.
    #[error("the answer broke off: {reason}")]
    Broken {
        /// How.
        reason: String,
    },
    /// The response does not follow the protocol.
    #[error("the answer cannot be understood: {what}")]
    Nonsense {
        /// What is wrong.
        what: String,
    },
    /// An answer without text.
    #[error("the model returned no text{}", reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default())]
    NoText {
        /// Why the model stopped, if it says so.
        reason: Option<String>,
    },
    /// No data arrived for too long, or the answer took too long.
    #[error("{setting} is {limit_ms} ms, and {what}")]
    Timeout {
        setting: &'static str,
        /// Its value in milliseconds.
        limit_ms: u64,
        /// What was waited for.
        what: &'static str,
    },
    /// The answer is too long.
    #[error("{setting} is {limit}, and the answer is longer")]
    TooLong {
        setting: &'static str,
        /// Its value in bytes.
        limit: u64,
    },
    /// The question was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The client could not be created, or the key is not valid in a header.
    #[error("{reason}")]
    Unusable {
        /// Why.
        reason: String,
    },
}

impl ModelError {
    /// Whether a retry of the same model may succeed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Refused { is_passing: true, .. })
    }

    /// How long the server asks to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
