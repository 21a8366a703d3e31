//! Finds the keys of an issuer by its metadata (RFC 8414, 3; OpenID Connect Discovery, 4).

use std::time::Duration;

use serde_json::Value;

use super::key_set::KeySet;
use super::{IssuerError, IssuerSettings};
use pagewise_web::http::{self, Client, StatusCode, Url};

/// The most bytes of metadata, and of a key set.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;

/// Time to find and fetch the keys.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// Why there are no keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum DiscoveryError {
    #[error("its server does not answer in time")]
    Timeout,
    #[error("no metadata of the issuer is found")]
    NoMetadata,
    #[error("its metadata are those of another issuer")]
    OtherIssuer,
    #[error("its metadata name no address of keys with https")]
    NoKeyAddress,
    #[error("its keys cannot be fetched: {reason}")]
    Keys { reason: String },
    #[error("its keys are not a JSON Web Key Set")]
    NotAKeySet,
}

pub(super) struct IssuerServer {
    client: Client,
    /// As the settings write it.
    issuer: String,
    url: Url,
}

impl IssuerServer {
    pub(super) fn new(settings: &IssuerSettings) -> Result<Self, IssuerError> {
        let url = Url::parse(&settings.issuer).ok().filter(http::is_secure).ok_or(IssuerError::NotAnIssuer)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(IssuerError::NotAnIssuer);
        }
        let mut builder = http::client().connect_timeout(FETCH_TIMEOUT);
        if let Some(file) = &settings.ca_file {
            let failed = |reason: String| IssuerError::Authorities { file: file.clone(), reason };
            let pem = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
            builder = http::trusting(builder, &pem).map_err(|error| failed(error.to_string()))?;
        }
        let client = builder.build().map_err(|error| IssuerError::Client { reason: error.to_string() })?;
        Ok(Self { client, issuer: settings.issuer.clone(), url })
    }

    pub(super) async fn fetch_keys(&self) -> Result<KeySet, DiscoveryError> {
        let fetching = tokio::time::timeout(FETCH_TIMEOUT, self.find_keys());
        fetching.await.unwrap_or(Err(DiscoveryError::Timeout))
    }

    async fn find_keys(&self) -> Result<KeySet, DiscoveryError> {
        let metadata = self.metadata().await?;
        if metadata.get("issuer").and_then(Value::as_str) != Some(self.issuer.as_str()) {
            return Err(DiscoveryError::OtherIssuer);
        }
        let address = metadata.get("jwks_uri").and_then(Value::as_str).and_then(|address| Url::parse(address).ok());
        // An issuer elsewhere must not lead to this machine.
        let is_as_safe = |address: &Url| address.scheme() == "https" || self.url.scheme() == "http";
        let address = address.filter(|address| http::is_secure(address) && is_as_safe(address));
        let address = address.ok_or(DiscoveryError::NoKeyAddress)?;
        let bytes = self.get(address).await.map_err(|reason| DiscoveryError::Keys { reason })?;
        KeySet::parse(&bytes).ok_or(DiscoveryError::NotAKeySet)
    }

    /// The first metadata that the server has.
    async fn metadata(&self) -> Result<Value, DiscoveryError> {
        for address in metadata_addresses(&self.url) {
            let found = self.get(address).await.ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
            if let Some(metadata) = found {
                return Ok(metadata);
            }
        }
        Err(DiscoveryError::NoMetadata)
    }

    /// Gets a document of a limited size. Redirects are not followed.
    async fn get(&self, url: Url) -> Result<Vec<u8>, String> {
        let response = self.client.get(url).header(http::header::ACCEPT, "application/json").send().await;
        let mut response = response.map_err(|error| error.without_url().to_string())?;
        if response.status() != StatusCode::OK {
            return Err(format!("HTTP {}", response.status()));
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| error.without_url().to_string())? {
            if bytes.len() + piece.len() > MAX_DOCUMENT_BYTES {
                return Err(format!("more than {MAX_DOCUMENT_BYTES} bytes"));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

/// The addresses of metadata, in the order of the protocol's authorization chapter.
fn metadata_addresses(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut paths = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    paths.dedup();
    let address = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    paths.into_iter().map(address).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn metadata_are_where_the_standards_put_them() {
        let of = |issuer: &str| {
            let addresses = metadata_addresses(&Url::parse(issuer).unwrap());
            addresses.iter().map(|url| url.path().to_owned()).collect::<Vec<_>>()
        };
        let root = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
        assert_eq!(of("https://a.example"), root);
        assert_eq!(of("https://a.example/"), root);
        assert_eq!(
            of("https://a.example/b/"),
            [
                "/.well-known/oauth-authorization-server/b",
                "/.well-known/openid-configuration/b",
                "/b/.well-known/openid-configuration"
            ]
        );
    }
}
