//! The metadata that lead clients from this server to the issuer of its tokens (RFC 9728).

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Gate;
use super::access::FORBIDDEN_HOST;
use pagewise_issuer::IssuerSettings;

/// Where the metadata are. The path of the resource follows (RFC 9728, 3.1).
pub(super) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The path of the protocol, where the audience is no URL.
const PROTOCOL_PATH: &str = "/mcp";

/// What clients learn of this server.
pub(super) struct ProtectedResource {
    issuer: String,
    scopes: Vec<String>,
    /// The audience, its origin and its path, if it is a URL: a proxy may have other names than this server.
    named: Option<(String, String, String)>,
}

impl ProtectedResource {
    pub(super) fn new(settings: &IssuerSettings) -> Self {
        let (issuer, scopes) = (settings.issuer.clone(), settings.scopes.clone());
        Self { issuer, scopes, named: origin_and_path(&settings.audience) }
    }

    /// The fields of a challenge (RFC 6750, 3; RFC 9728, 5.1).
    pub(super) fn challenge(&self, headers: &HeaderMap, code: Option<&str>) -> String {
        let (_, origin, path) = self.address(headers);
        let scope = (!self.scopes.is_empty()).then(|| format!("scope=\"{}\"", self.scopes.join(" ")));
        let code = code.map(|code| format!("error=\"{code}\""));
        let metadata = format!("resource_metadata=\"{origin}{WELL_KNOWN}{path}\"");
        code.into_iter().chain(scope).chain([metadata]).collect::<Vec<_>>().join(", ")
    }

    /// The metadata; `None` at another path than that of the resource.
    fn metadata(&self, headers: &HeaderMap, path: &str) -> Option<Value> {
        let (resource, _, own_path) = self.address(headers);
        let mut metadata = json!({
            "resource": resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "pagewise",
        });
        if let (false, Some(fields)) = (self.scopes.is_empty(), metadata.as_object_mut()) {
            fields.insert("scopes_supported".to_owned(), json!(self.scopes));
        }
        (path.is_empty() || path == own_path).then_some(metadata)
    }

    /// The identifier of the resource, its origin and its path. `Host` was checked before.
    fn address(&self, headers: &HeaderMap) -> (String, String, String) {
        self.named.clone().unwrap_or_else(|| {
            let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
            let origin = format!("http://{host}");
            (format!("{origin}{PROTOCOL_PATH}"), origin, PROTOCOL_PATH.to_owned())
        })
    }
}

fn origin_and_path(audience: &str) -> Option<(String, String, String)> {
    let url = audience.parse::<Uri>().ok()?;
    let scheme = url.scheme_str().filter(|scheme| ["http", "https"].contains(scheme))?;
    let origin = format!("{scheme}://{}", url.authority()?);
    Some((audience.to_owned(), origin, url.path().trim_end_matches('/').to_owned()))
}

/// Answers with the metadata, which need no token.
pub(super) async fn protected_resource(State(gate): State<Arc<Gate>>, uri: Uri, headers: HeaderMap) -> Response {
    if !gate.access.has_allowed_host(&headers) {
        return (StatusCode::FORBIDDEN, FORBIDDEN_HOST).into_response();
    }
    let path = uri.path().strip_prefix(WELL_KNOWN).unwrap_or_default();
    let metadata = gate.access.protected_resource().and_then(|resource| resource.metadata(&headers, path));
    match metadata {
        Some(metadata) => ([(header::CONTENT_TYPE, "application/json")], metadata.to_string()).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::origin_and_path;

    #[test]
    fn an_audience_that_is_a_url_names_the_resource() {
        let of = |audience: &str| origin_and_path(audience).map(|(_, origin, path)| (origin, path));
        let named = |origin: &str, path: &str| Some((origin.to_owned(), path.to_owned()));
        assert_eq!(of("https://a.example/mcp"), named("https://a.example", "/mcp"));
        assert_eq!(of("https://a.example:8443"), named("https://a.example:8443", ""));
        for other in ["pagewise", "urn:pagewise", "api://0a", "/mcp", ""] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
