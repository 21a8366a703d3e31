//! Sends a file to another pagewise server.

use std::fs::File;
use std::io::Read as _;
use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::error::WebError;
use super::fetch::with_authorities;
use super::guard;
use super::settings::WebSettings;
use crate::http::{self, Response, StatusCode, Url, header};

/// The path of uploads.
const DOCUMENTS: &str = "/documents";

/// Bytes that are read from the file at once.
const PIECE_BYTES: u64 = 256 << 10;

/// The most bytes of the answer.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Time without any data from the server.
const SILENCE: Duration = Duration::from_secs(120);

/// Uploads a file to the server at `to`, as the bearer of `token`. Returns the server's answer, which is JSON.
///
/// # Errors
/// [`WebError::Offline`]; [`WebError::NotAUrl`]; [`WebError::TokenInPlain`]; [`WebError::NotTaken`] if the server refuses the file;
/// [`WebError::Failed`].
pub fn push_file(settings: &WebSettings, file: File, to: &str, token: Option<&str>) -> Result<String, WebError> {
    settings.check_network()?;
    let url = documents_url(to)?;
    if token.is_some() && !http::is_secure(&url) {
        return Err(WebError::TokenInPlain);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(WebError::failed)?;
    runtime.block_on(send(settings, file, url, token))
}

async fn send(settings: &WebSettings, file: File, url: Url, token: Option<&str>) -> Result<String, WebError> {
    let builder = http::client().connect_timeout(settings.deadline).read_timeout(SILENCE);
    let client = with_authorities(builder, settings)?.build().map_err(|error| WebError::from_client(&error))?;
    let length = file.metadata().map_err(WebError::failed)?.len();
    let body = http::stream_body(FilePieces { file, left: length }, length);
    let mut request = client.post(url).header(header::CONTENT_TYPE, "application/octet-stream").body(body);
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let response = request.send().await.map_err(|error| WebError::from_client(&error))?;
    let status = response.status();
    let answer = text_of(response).await?;
    if status.is_success() {
        return Ok(answer);
    }
    Err(WebError::NotTaken { code: status.as_u16(), reason: refusal_text(status, &answer) })
}

/// The status and the server's message.
fn refusal_text(status: StatusCode, answer: &str) -> String {
    let answer = serde_json::from_str::<Value>(answer).unwrap_or_default();
    let message = ["/message", "/error/message"].iter().find_map(|place| answer.pointer(place)?.as_str());
    message.map_or_else(|| format!("HTTP {status}"), |message| format!("HTTP {status}: {message}"))
}

async fn text_of(mut response: Response) -> Result<String, WebError> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| WebError::from_client(&error))? {
        if bytes.len() + piece.len() > MAX_ANSWER_BYTES {
            return Err(WebError::failed(format!("an answer of more than {MAX_ANSWER_BYTES} bytes")));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The address of uploads at a server, which may be named by that of its protocol.
fn documents_url(to: &str) -> Result<Url, WebError> {
    let mut url = guard::parse_url(to)?;
    let path = url.path().trim_end_matches('/');
    let folder = path.strip_suffix("/mcp").or_else(|| path.strip_suffix(DOCUMENTS)).unwrap_or(path);
    let path = format!("{folder}{DOCUMENTS}");
    url.set_path(&path);
    Ok(url)
}

/// Reads a file in pieces. If the file became shorter meanwhile, they end early, and the HTTP client reports an error.
struct FilePieces {
    file: File,
    left: u64,
}

impl Iterator for FilePieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut piece = Vec::new();
        let read = (&mut self.file).take(PIECE_BYTES.min(self.left)).read_to_end(&mut piece).ok()?;
        self.left = self.left.saturating_sub(read as u64);
        (read > 0).then(|| piece.into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_server_is_named_with_or_without_a_path() {
        for to in ["https://a.example", "https://a.example/", "https://a.example/mcp", "https://a.example/documents"] {
            assert_eq!(documents_url(to).unwrap().as_str(), "https://a.example/documents", "{to}");
        }
        assert_eq!(documents_url("https://a.example/b/mcp").unwrap().path(), "/b/documents");
        assert!(documents_url("a.example").is_err());
    }

    #[test]
    fn no_token_is_sent_without_tls() {
        let file = tempfile::tempfile().unwrap();
        let refused = push_file(&WebSettings::default(), file, "http://a.example", Some("secret"));
        assert!(matches!(refused, Err(WebError::TokenInPlain)));
    }
}
