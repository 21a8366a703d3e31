//! JSON Web Tokens of an issuer (RFC 7519, RFC 9068): which principal a bearer token stands for.
//!
//! - **Only the issuer's own keys count.** They come from the address that its metadata names (RFC 8414 or OpenID Connect
//!   Discovery). Keys and addresses in a token are never used.
//! - **The key decides the algorithm**, never the token, and only algorithms with public keys are known: RS256, ES256 and
//!   EdDSA with Ed25519.
//! - **A token has an issuer, an audience, a subject and an expiry.** The principal is the issuer and the subject.
//! - **Nothing grows with what strangers send.** Tokens, metadata and key sets have limits, and an unknown key asks the
//!   issuer at most once in a while.

mod discovery;
mod fetched_keys;
mod key_set;
mod signatures;
mod token;

use std::path::PathBuf;

pub use self::fetched_keys::RefreshTimes;
pub use self::token::{TokenError, TokenVerifier};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerSettings {
    /// The identifier of the issuer: a URL with https, or with http on loopback. Tokens and metadata must repeat it exactly.
    pub issuer: String,
    /// The audience that tokens must name.
    pub audience: String,
    /// Scopes that tokens must have.
    pub scopes: Vec<String>,
    /// A PEM file with further certificate authorities for the issuer's server.
    pub ca_file: Option<PathBuf>,
}

/// The settings do not describe an issuer that can be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IssuerError {
    /// The issuer is not an acceptable URL.
    #[error("http_issuer must be a URL with https, without query and fragment")]
    NotAnIssuer,
    /// A scope has characters that scopes do not have (RFC 6749, 3.3).
    #[error("http_scopes: {scope} is not a scope")]
    NotAScope { scope: String },
    /// The certificate authorities cannot be read.
    #[error("web_ca_file {}: {reason}", file.display())]
    Authorities {
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// The HTTP client cannot be made.
    #[error("{reason}")]
    Client {
        /// Why.
        reason: String,
    },
}
