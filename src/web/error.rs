//! Why something could not be fetched.

use std::time::Duration;

/// Why a URL could not be fetched, or what was fetched cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The network is switched off.
    #[error("offline, by the setting {setting}")]
    Offline {
        /// The setting that decides it.
        setting: &'static str,
    },
    /// This tool takes no URLs.
    #[error("web_references is off")]
    ReferencesOff,
    /// No URL of the web.
    #[error("{reason}")]
    NotAUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// Another scheme than http and https.
    #[error("scheme {scheme}")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// A user name or a password in the URL.
    #[error("credentials in the URL")]
    Credentials,
    /// An address that is not of the public internet.
    #[error("{host} is {purpose} ({range})")]
    BlockedAddress {
        /// The host that has the address.
        host: String,
        /// What addresses of its kind are for.
        purpose: String,
        /// The block of addresses.
        range: String,
        /// The setting that decides it.
        setting: &'static str,
    },
    /// A host that the settings keep away from.
    #[error("{host} is not allowed by {setting}")]
    BlockedHost {
        /// The host.
        host: String,
        /// The setting that decides it.
        setting: &'static str,
    },
    /// From https to http.
    #[error("a redirect from https to {to}")]
    Downgrade {
        /// Where the redirect leads.
        to: String,
    },
    /// More redirects than are followed.
    #[error("more than {limit} redirects")]
    Redirects {
        /// The bound, which is the setting `web_max_redirects`.
        limit: u32,
    },
    /// Another status than that of a whole answer.
    #[error("HTTP {status}")]
    Status {
        /// The code, and what it means.
        status: String,
        /// The code.
        code: u16,
    },
    /// More bytes than a setting allows.
    #[error("{found} bytes or more, and {setting} is {limit}")]
    TooLarge {
        /// Bytes declared, or met before it was given up.
        found: u64,
        /// The bound in bytes.
        limit: u64,
        /// The setting's name.
        setting: &'static str,
    },
    /// An answer whose header goes on for longer than is read.
    #[error("a header of more than {limit} bytes or 100 fields")]
    HeaderTooLarge {
        /// The bound in bytes.
        limit: u64,
    },
    /// Not done in time.
    #[error("not done after {limit:?}, which is {setting}")]
    Timeout {
        /// The bound.
        limit: Duration,
        /// The setting's name.
        setting: &'static str,
    },
    /// Fewer bytes a second than are waited for.
    #[error("fewer than {limit} bytes a second, which is web_min_bytes_per_second")]
    TooSlow {
        /// The bound.
        limit: u64,
    },
    /// Whoever asked does not wait any more.
    #[error("cancelled")]
    Cancelled,
    /// No connection, no TLS, or no HTTP.
    #[error("{reason}")]
    Failed {
        /// What the deepest layer said.
        reason: String,
    },
    /// What was fetched could not be kept.
    #[error("cannot be kept: {reason}")]
    Store {
        /// What the system said.
        reason: String,
    },
    /// No content under this name for this conversation; also where another conversation's is named.
    #[error("no content")]
    ContentNotFound,
}

impl WebError {
    pub(super) fn failed(reason: impl std::fmt::Display) -> Self {
        Self::Failed { reason: reason.to_string() }
    }

    pub(super) fn store(error: &std::io::Error) -> Self {
        Self::Store { reason: error.to_string() }
    }

    /// A failure of the client, in the words of its deepest layer: the outer ones only say that a request failed.
    pub(super) fn of_client(error: &crate::http::HttpError) -> Self {
        let mut deepest: &dyn std::error::Error = error;
        let mut depth = 0;
        while let Some(source) = deepest.source().filter(|_| depth < MAX_SOURCES) {
            deepest = source;
            depth += 1;
        }
        Self::failed(deepest)
    }
}

/// Errors within errors that are looked through.
const MAX_SOURCES: u32 = 32;
