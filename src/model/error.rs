//! Why a model gave no answer.

use std::time::Duration;

use super::name::ModelName;

/// Why a model gave no answer. No variant holds a key or a document's content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// No provider has this name.
    #[error("no provider is called '{name}'; known are {known}")]
    UnknownProvider {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// The provider is asked only with a key, and none is set.
    #[error("no key for {provider}: set {variables}")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variables that can hold one.
        variables: String,
    },
    /// The provider is asked where a variable says, and it says nothing.
    #[error("no address for {provider}: set {variable}")]
    NoAddress {
        /// The provider.
        provider: &'static str,
        /// The variable that holds it.
        variable: &'static str,
    },
    /// A request was not sent, because it would pass a limit.
    #[error("the request has {found} {unit}, and {which} takes {limit}")]
    OverLimit {
        /// What is counted: bytes, pages, blocks.
        unit: &'static str,
        /// The model whose limit it is.
        which: ModelName,
        /// The limit.
        limit: u64,
        /// What there would be.
        found: u64,
    },
    /// The server answered with an error.
    #[error("{status}: {message}")]
    Refused {
        /// The HTTP status, or the one that an error within a stream stands for.
        status: u16,
        /// What it says, within 400 characters.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
        /// Whether asking again may help.
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
    /// The connection ended before the answer did.
    #[error("the answer broke off: {reason}")]
    Broken {
        /// How.
        reason: String,
    },
    /// Something came that the protocol does not have.
    #[error("the answer makes no sense: {what}")]
    Nonsense {
        /// What is wrong with it.
        what: String,
    },
    /// An answer without text.
    #[error("the model returned no text{}", reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default())]
    NoText {
        /// Why it stopped, where it says.
        reason: Option<String>,
    },
    /// Nothing came for too long, or the whole took too long.
    #[error("{setting} is {limit_ms} ms, and {what}")]
    Timeout {
        /// The setting.
        setting: &'static str,
        /// Its value in milliseconds.
        limit_ms: u64,
        /// What was waited for.
        what: &'static str,
    },
    /// The answer was longer than is read.
    #[error("{setting} is {limit}, and the answer is longer")]
    TooLong {
        /// The setting.
        setting: &'static str,
        /// Its value in bytes.
        limit: u64,
    },
    /// The one who asked went away.
    #[error("cancelled")]
    Cancelled,
    /// The client could not be made, or the key cannot stand in a header.
    #[error("{reason}")]
    Unusable {
        /// Why.
        reason: String,
    },
}

impl ModelError {
    /// Whether asking the same model again may help.
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
