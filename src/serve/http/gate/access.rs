//! Who may call: the names of this server, its bearer tokens, and the tokens of an issuer.

use std::io;
use std::net::SocketAddr;

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;

use super::protected_resource::ProtectedResource;
use crate::serve::http::HttpSettings;
use crate::serve::http::responses::{SERVER_ERROR, busy_response, error_response, unauthorized};
use pagewise_issuer::{IssuerSettings, TokenError, TokenVerifier};
use pagewise_view::Principal;

/// Who may call.
pub(super) struct Access {
    allowed_hosts: Vec<String>,
    tokens: Vec<(blake3::Hash, Principal)>,
    issuer: Option<(TokenVerifier, ProtectedResource)>,
}

impl Access {
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for an issuer that cannot be asked.
    pub(super) fn new(settings: &HttpSettings, address: SocketAddr, warn: fn(&str)) -> io::Result<Self> {
        let tokens = settings.tokens.iter().map(|token| (blake3::hash(token.as_bytes()), Principal::of(token)));
        let verifier = settings.issuer_settings().map(|issuer| TokenVerifier::new(issuer, warn)).transpose();
        let verifier = verifier.map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let issuer = verifier.map(|verifier| {
            let resource = ProtectedResource::new(verifier.settings());
            (verifier, resource)
        });
        Ok(Self { allowed_hosts: settings.all_allowed_hosts(address), tokens: tokens.collect(), issuer })
    }

    pub(super) fn allowed_hosts(&self) -> &[String] {
        &self.allowed_hosts
    }

    /// What clients of the issuer learn of this server; `None` without an issuer.
    pub(super) fn protected_resource(&self) -> Option<&ProtectedResource> {
        self.issuer.as_ref().map(|(_, resource)| resource)
    }

    /// Whether everybody is served, as one principal.
    pub(super) fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.issuer.is_none()
    }

    /// The principal of a request to this server by one of its names.
    ///
    /// # Errors
    /// The response to a request that may not be answered.
    pub(super) async fn admit(&self, headers: &HeaderMap) -> Result<Principal, Response> {
        if !self.has_allowed_host(headers) {
            return Err(forbidden_host());
        }
        self.principal(headers).await
    }

    /// The principal of the request's token. Without tokens and an issuer there is one principal.
    ///
    /// # Errors
    /// The response to a request without a valid token.
    pub(super) async fn principal(&self, headers: &HeaderMap) -> Result<Principal, Response> {
        if self.is_open() {
            return Ok(Principal::of(""));
        }
        let Some(token) = bearer_token(headers) else { return Err(self.challenge(headers, None)) };
        if let Some(principal) = self.known_principal(token) {
            return Ok(principal);
        }
        let verified = match &self.issuer {
            Some((verifier, _)) => verifier.principal(token).await,
            None => Err(TokenError::Invalid),
        };
        verified.map_err(|error| self.challenge(headers, Some(error)))
    }

    /// The principal of a token of the settings. All are compared, in constant time each, so that the time does not tell
    /// which one matched.
    fn known_principal(&self, token: &str) -> Option<Principal> {
        let hash = blake3::hash(token.as_bytes());
        self.tokens.iter().fold(None, |found, (known, principal)| if *known == hash { Some(*principal) } else { found })
    }

    /// Whether `Host` names this server, which stops DNS rebinding. It must be one host without user information, which
    /// some parsers take for the host.
    pub(super) fn has_allowed_host(&self, headers: &HeaderMap) -> bool {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return false };
        let host = host.to_str().ok().filter(|host| !host.contains('@'));
        let host = host.and_then(|host| host.parse::<axum::http::uri::Authority>().ok());
        host.is_some_and(|host| {
            let name = host.host().trim_matches(['[', ']']);
            self.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name) || allowed == host.as_str())
        })
    }

    /// The response to a request whose token is missing or refused (RFC 6750, 3; RFC 9728, 5.1).
    fn challenge(&self, headers: &HeaderMap, error: Option<TokenError>) -> Response {
        let fields = |code: Option<&str>| match &self.issuer {
            Some((_, resource)) => resource.challenge(headers, code),
            None => code.map(|code| format!("error=\"{code}\"")).unwrap_or_default(),
        };
        match error {
            None => unauthorized(StatusCode::UNAUTHORIZED, "A bearer token is needed.", &fields(None)),
            Some(TokenError::Invalid) => {
                let fields = fields(Some("invalid_token"));
                unauthorized(StatusCode::UNAUTHORIZED, "The bearer token is not valid.", &fields)
            }
            Some(TokenError::InsufficientScope) => {
                let fields = fields(Some("insufficient_scope"));
                unauthorized(StatusCode::FORBIDDEN, "The bearer token lacks a scope.", &fields)
            }
            Some(TokenError::Unavailable) => busy_response("The issuer of tokens does not answer."),
        }
    }
}

/// The token of the only `Authorization` field.
fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut shown = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(credentials), None) = (shown.next(), shown.next()) else { return None };
    let (scheme, token) = credentials.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The refusal of a request for another host, which may come from a web page.
pub(super) const FORBIDDEN_HOST: &str = "Forbidden: Host header is not allowed (setting http_allowed_hosts)";

fn forbidden_host() -> Response {
    error_response(StatusCode::FORBIDDEN, SERVER_ERROR, FORBIDDEN_HOST)
}

impl HttpSettings {
    /// The issuer of tokens, if one is set with an audience.
    pub(super) fn issuer_settings(&self) -> Option<IssuerSettings> {
        let (issuer, audience) = (self.issuer.clone()?, self.audience.clone()?);
        Some(IssuerSettings { issuer, audience, scopes: self.scopes.clone(), ca_file: self.ca_file.clone() })
    }
}
