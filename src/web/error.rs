//! The errors of fetching.

use std::time::Duration;

/// A URL cannot be fetched, or fetched content cannot be returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The settings switch the network off.
    #[error("offline, by the setting {setting}")]
    Offline {
        /// The setting that decides it.
        setting: &'static str,
    },
    /// The program was built without the HTTP client.
    #[error("built without an HTTP client")]
    NoClient,
    /// The tool accepts no URLs.
    #[error("web_references is off")]
    ReferencesOff,
    /// The text is not a valid web URL.
    #[error("{reason}")]
    NotAUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// A token would be sent without TLS.
    #[error("a token is sent over https only")]
    TokenInPlain,
    /// The scheme is neither http nor https.
    #[error("scheme {scheme}")]
    Scheme { scheme: String },
    /// The object is outside what the settings allow.
    #[error("outside object_storage")]
    BlockedObject,
    /// The URL names a folder of object storage.
    #[error("a folder")]
    ObjectFolder,
    /// The program was built without object storage.
    #[error("built without object storage")]
    NoObjectStorage,
    /// The URL contains a user name or a password.
    #[error("credentials in the URL")]
    Credentials,
    /// The address does not belong to the public internet.
    #[error("{host} is {purpose} ({range})")]
    BlockedAddress {
        /// The host that has the address.
        host: String,
        /// The purpose of such addresses.
        purpose: String,
        /// The block of addresses.
        range: String,
        /// The setting that decides it.
        setting: &'static str,
    },
    /// The settings do not allow the host.
    #[error("{host} is not allowed by {setting}")]
    BlockedHost {
        host: String,
        /// The setting that decides it.
        setting: &'static str,
    },
    /// A redirect leads from https to http.
    #[error("a redirect from https to {to}")]
    Downgrade {
        /// The target of the redirect.
        to: String,
    },
    /// There are too many redirects.
    #[error("more than {limit} redirects")]
    Redirects {
        /// The limit, which is the setting `web_max_redirects`.
        limit: u32,
    },
    /// The status is not that of a complete response.
    #[error("HTTP {status}")]
    Status {
        /// The status code and its reason phrase.
        status: String,
        /// The status code.
        code: u16,
    },
    /// The body has more bytes than a setting allows.
    #[error("{found} bytes or more, and {setting} is {limit}")]
    TooLarge {
        /// The declared size, or the bytes read before the fetch stopped.
        found: u64,
        /// The limit in bytes.
        limit: u64,
        /// The setting's name.
        setting: &'static str,
    },
    /// The response header is too large.
    #[error("a header of more than {limit} bytes or 100 fields")]
    HeaderTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The fetch took too long.
    #[error("not done after {limit:?}, which is {setting}")]
    Timeout {
        limit: Duration,
        /// The setting's name.
        setting: &'static str,
    },
    /// The body arrives more slowly than the settings require.
    #[error("fewer than {limit} bytes a second, which is web_min_bytes_per_second")]
    TooSlow {
        /// The limit in bytes per second.
        limit: u64,
    },
    /// The caller cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// The connection, TLS or HTTP failed.
    #[error("{reason}")]
    Failed {
        /// The message of the innermost error.
        reason: String,
    },
    /// The document is no longer the version of which a part was read.
    #[error("it changed while it was read")]
    Changed,
    /// The time that its reader had left ended before a part of the document came.
    #[error("the time of the reader is used up")]
    OutOfTime,
    /// A document takes more requests for ranges than are sent for one call.
    #[error("more than {limit} requests for parts of it")]
    RangeRequests { limit: u32 },
    /// The fetched content could not be stored.
    #[error("cannot be kept: {reason}")]
    Store {
        /// The message of the operating system.
        reason: String,
    },
    /// The owner has as many uploads as are kept for one.
    #[error("{limit} uploads are kept, and no more for one owner")]
    TooManyUploads { limit: usize },
    /// A server did not take an upload.
    #[error("{reason}")]
    NotTaken {
        code: u16,
        /// Its status and its message.
        reason: String,
    },
    /// This conversation has no content under this name. Content of another conversation counts as missing.
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

    /// An error of the HTTP client, with the message of its innermost cause: the outer ones only say that a request failed.
    pub(super) fn from_client(error: &crate::http::HttpError) -> Self {
        Self::innermost(error)
    }

    /// An error with the message of its innermost cause.
    pub(super) fn innermost(error: &dyn std::error::Error) -> Self {
        let mut deepest: &dyn std::error::Error = error;
        let mut depth = 0;
        while let Some(source) = deepest.source().filter(|_| depth < MAX_SOURCES) {
            deepest = source;
            depth += 1;
        }
        Self::failed(deepest)
    }
}

/// The longest chain of causes that is followed.
const MAX_SOURCES: u32 = 32;
