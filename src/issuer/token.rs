//! One token: its signature, its claims, and the principal that it stands for.

use std::sync::Arc;

use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::discovery::IssuerServer;
use super::fetched_keys::{FetchedKeys, RefreshTimes};
use super::signatures::install_provider;
use super::{IssuerError, IssuerSettings};
use pagewise_view::Principal;

/// The most bytes of a token. Those of real issuers have a few kilobytes.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// The most bytes of a subject. OpenID Connect allows 255.
const MAX_SUBJECT_BYTES: usize = 1_024;

/// Seconds by which the clocks of an issuer and of this machine may differ.
const LEEWAY_SECONDS: u64 = 30;

/// The algorithms whose signatures are accepted. All have public keys.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];

/// Why a token is refused. What is wrong with it stays untold: only the issuer's own clients have a use for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is no token of the issuer for this audience and this time.
    #[error("not a valid token")]
    Invalid,
    /// It lacks a scope that the settings ask for.
    #[error("a scope is missing")]
    InsufficientScope,
    /// The keys of the issuer cannot be fetched.
    #[error("the issuer's keys cannot be fetched")]
    Unavailable,
}

/// Verifies the tokens of one issuer.
pub struct TokenVerifier {
    settings: IssuerSettings,
    keys: Arc<FetchedKeys>,
}

impl TokenVerifier {
    /// A verifier that fetches the keys when the first token comes. `warn` hears when they cannot be fetched.
    ///
    /// # Errors
    /// [`IssuerError`].
    pub fn new(settings: IssuerSettings, warn: fn(&str)) -> Result<Self, IssuerError> {
        Self::with_times(settings, RefreshTimes::default(), warn)
    }

    /// The same as [`Self::new`], with other times.
    ///
    /// # Errors
    /// [`IssuerError`].
    pub fn with_times(settings: IssuerSettings, times: RefreshTimes, warn: fn(&str)) -> Result<Self, IssuerError> {
        if let Some(scope) = settings.scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(IssuerError::NotAScope { scope: scope.clone() });
        }
        install_provider();
        let keys = FetchedKeys::new(IssuerServer::new(&settings)?, times, warn);
        Ok(Self { settings, keys })
    }

    #[must_use]
    pub fn settings(&self) -> &IssuerSettings {
        &self.settings
    }

    /// The principal of a token: its issuer and its subject.
    ///
    /// # Errors
    /// [`TokenError`].
    pub async fn principal(&self, token: &str) -> Result<Principal, TokenError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(TokenError::Invalid);
        }
        let header = decode_header(token).ok().filter(is_acceptable).ok_or(TokenError::Invalid)?;
        let key = self.keys.find(header.kid.as_deref(), header.alg).await?;
        let decoded = decode::<Map<String, Value>>(token, &key, &self.validation(header.alg));
        let claims = decoded.map_err(|_| TokenError::Invalid)?.claims;
        let subject = self.subject(&claims).ok_or(TokenError::Invalid)?;
        match self.settings.scopes.iter().all(|scope| has_scope(&claims, scope)) {
            true => Ok(Principal::of_subject(&self.settings.issuer, subject)),
            false => Err(TokenError::InsufficientScope),
        }
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation
    }

    /// The subject of valid claims. The library also takes lists for an issuer, which RFC 7519 does not have.
    fn subject<'a>(&self, claims: &'a Map<String, Value>) -> Option<&'a str> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let subject = text("sub").filter(|subject| (1..=MAX_SUBJECT_BYTES).contains(&subject.len()))?;
        (text("iss")? == self.settings.issuer).then_some(subject)
    }
}

/// Whether the header asks for nothing that is not understood (RFC 7515, 4.1.11), and is that of an access token
/// (RFC 9068, 2.1) or of a plain one.
fn is_acceptable(header: &Header) -> bool {
    let is_access_token = header.typ.as_ref().is_none_or(|kind| {
        ["jwt", "at+jwt", "application/at+jwt"].iter().any(|known| kind.eq_ignore_ascii_case(known))
    });
    is_access_token
        && header.crit.is_none()
        && header.enc.is_none()
        && header.zip.is_none()
        && ALGORITHMS.contains(&header.alg)
}

/// Whether a text has the characters of a scope (RFC 6749, 3.3).
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}

/// Whether the claims have a scope: in `scope` (RFC 8693, 4.2), or in the `scp` of some issuers.
fn has_scope(claims: &Map<String, Value>, scope: &str) -> bool {
    let named = |value: &Value| match value {
        Value::String(scopes) => scopes.split(' ').any(|named| named == scope),
        Value::Array(scopes) => scopes.iter().any(|named| named == scope),
        _ => false,
    };
    ["scope", "scp"].iter().filter_map(|name| claims.get(*name)).any(named)
}
