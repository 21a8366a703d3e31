//! Requests for ranges (RFC 9110, 14): the first of a document, and those that follow.
//!
//! The first asks for the beginning. If the server sends it as a part of a version that a strong validator names, the rest
//! can be asked for in parts. Each later request names that version, so that no document is put together from two.

use std::ops::Range;

use crate::body;
use crate::cache;
use crate::error::WebError;
use crate::fetch::{Exchange, FetchResult, Fetcher, redirect, status_error};
use crate::http::header::{self, HeaderMap, HeaderName};
use crate::http::{Response, StatusCode, Url};
use crate::store::{FetchRecord, FetchStore, RangedVersion};

/// What the first request of a document gave.
pub(super) enum FirstResponse {
    /// The whole body, or the confirmation that the stored one is current.
    Whole(FetchResult),
    /// The first bytes of a version that can be read by ranges. No bytes come if they were confirmed.
    Part(RangedVersion, Option<Vec<u8>>),
    /// The server sends no ranges that can be trusted. The document has to be fetched whole.
    NoRanges,
}

/// What the store has of a URL.
#[derive(Default)]
struct KeptVersion {
    whole: Option<FetchRecord>,
    ranged: Option<RangedVersion>,
}

impl KeptVersion {
    /// Validators are sent only to the exact URL that they came from.
    fn of(url: &Url, store: &FetchStore) -> Self {
        let whole = store.record(url).filter(|kept| kept.location == url.as_str());
        let ranged = if whole.is_none() { store.version(url) } else { None };
        Self { whole, ranged: ranged.filter(|kept| kept.location == url.as_str()) }
    }

    fn fields(&self) -> impl Iterator<Item = (HeaderName, &str)> {
        let whole = self.whole.iter().flat_map(|kept| kept.validators.fields());
        whole.chain(self.ranged.iter().map(|kept| (header::IF_NONE_MATCH, kept.etag.as_str())))
    }
}

impl Fetcher {
    /// Asks for the first `bytes` bytes of `url`, within the time for one URL.
    pub(super) async fn fetch_first(
        &self,
        url: Url,
        bytes: u64,
        store: &FetchStore,
    ) -> Result<FirstResponse, WebError> {
        let limit = self.settings().deadline;
        let timeout = WebError::Timeout { limit, setting: "web_deadline_ms" };
        tokio::time::timeout(limit, self.follow_to_first(url, bytes, store)).await.map_err(|_| timeout)?
    }

    async fn follow_to_first(&self, mut url: Url, bytes: u64, store: &FetchStore) -> Result<FirstResponse, WebError> {
        let range = range_field(&(0..bytes));
        for _ in 0..=self.settings().max_redirects {
            let kept = KeptVersion::of(&url, store);
            let fields = kept.fields().chain([(header::RANGE, range.as_str()), IDENTITY]);
            let Exchange { response, hold: _hold } = self.request(&url, fields).await?;
            match redirect(&url, &response)? {
                Some(to) => url = to,
                None => return self.first_response(&url, response, (kept, bytes), store).await,
            }
        }
        Err(self.too_many_redirects())
    }

    async fn first_response(
        &self,
        url: &Url,
        response: Response,
        (kept, bytes): (KeptVersion, u64),
        store: &FetchStore,
    ) -> Result<FirstResponse, WebError> {
        match (response.status(), kept.ranged) {
            (StatusCode::PARTIAL_CONTENT, _) => self.first_part(url, response, bytes, store).await,
            (StatusCode::NOT_MODIFIED, Some(kept)) => {
                let fresh_until = cache::fresh_until(response.headers(), self.settings().fresh);
                Ok(FirstResponse::Part(RangedVersion { fresh_until, ..kept }, None))
            }
            // An empty document has no first byte, and some servers refuse the field.
            (StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::BAD_REQUEST | StatusCode::NOT_IMPLEMENTED, _) => {
                Ok(FirstResponse::NoRanges)
            }
            _ => self.result(url, response, kept.whole, store).await.map(FirstResponse::Whole),
        }
    }

    /// Takes a part of `bytes` bytes, or the whole body if the document has no more.
    async fn first_part(
        &self,
        url: &Url,
        response: Response,
        bytes: u64,
        store: &FetchStore,
    ) -> Result<FirstResponse, WebError> {
        let headers = response.headers();
        let Some((range, length)) = content_range(headers).filter(|(range, _)| range.start == 0 && is_plain(headers))
        else {
            return Ok(FirstResponse::NoRanges);
        };
        if range.end == length {
            let record = self.record_of(url, &response);
            let body = body::write_body(response, self.settings(), store).await?;
            return Ok(FirstResponse::Whole(FetchResult::New(body, record)));
        }
        let Some(etag) = strong_validator(headers).filter(|_| range.end == bytes) else {
            return Ok(FirstResponse::NoRanges);
        };
        let FetchRecord { location, content_type, fresh_until, .. } = self.record_of(url, &response);
        let version = RangedVersion { location, etag, length, content_type, fresh_until };
        Ok(FirstResponse::Part(version, Some(read_exactly(response, &range).await?)))
    }

    /// The bytes in `range` of `version`, which is at `url`.
    pub(super) async fn fetch_range(
        &self,
        url: &Url,
        version: &RangedVersion,
        range: Range<u64>,
    ) -> Result<Vec<u8>, WebError> {
        let asked = range_field(&range);
        let fields = [(header::RANGE, asked.as_str()), (header::IF_MATCH, version.etag.as_str()), IDENTITY];
        let Exchange { response, hold: _hold } = self.request(url, fields.into_iter()).await?;
        let status = response.status();
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(status_error(status));
        }
        let headers = response.headers();
        // A signed address expires, and a server may lose its ranges: then the document is asked for anew, too.
        if status != StatusCode::PARTIAL_CONTENT || strong_validator(headers).as_ref() != Some(&version.etag) {
            return Err(WebError::Changed);
        }
        if !is_plain(headers) || content_range(headers) != Some((range.clone(), version.length)) {
            return Err(WebError::failed(format!("the server sent another range than {asked}")));
        }
        read_exactly(response, &range).await
    }
}

/// Ranges count bytes of the document itself, not of a compressed form.
const IDENTITY: (HeaderName, &str) = (header::ACCEPT_ENCODING, "identity");

fn range_field(range: &Range<u64>) -> String {
    format!("bytes={}-{}", range.start, range.end.saturating_sub(1))
}

/// Whether the bytes are those of the document itself.
fn is_plain(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_none_or(|coding| coding == "identity")
}

/// The entity tag, if it promises equal bytes (RFC 9110, 8.8.1).
fn strong_validator(headers: &HeaderMap) -> Option<String> {
    let mut tags = headers.get_all(header::ETAG).iter();
    let tag = tags.next().filter(|_| tags.next().is_none())?.to_str().ok()?;
    let inner = tag.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.is_empty() && !inner.contains('"')).then(|| tag.to_owned())
}

/// The range of a partial response, and the length of the document (RFC 9110, 14.4). `None` if either is missing.
fn content_range(headers: &HeaderMap) -> Option<(Range<u64>, u64)> {
    let mut fields = headers.get_all(header::CONTENT_RANGE).iter();
    let field = fields.next().filter(|_| fields.next().is_none())?.to_str().ok()?;
    let (unit, rest) = field.split_once(' ')?;
    let (range, length) = rest.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last, length) = (number(first)?, number(last)?, number(length)?);
    (unit.eq_ignore_ascii_case("bytes") && first <= last && last < length).then(|| (first..last + 1, length))
}

/// A number of digits alone: `parse` would take a sign.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The body of a response for `range`, which is as long as that.
async fn read_exactly(mut response: Response, range: &Range<u64>) -> Result<Vec<u8>, WebError> {
    let expected = range.end.saturating_sub(range.start);
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| WebError::from_client(&error))? {
        if (bytes.len() as u64).saturating_add(piece.len() as u64) > expected {
            return Err(WebError::failed(format!("the server sent more than {}", range_field(range))));
        }
        bytes.extend_from_slice(&piece);
    }
    if bytes.len() as u64 == expected {
        Ok(bytes)
    } else {
        Err(WebError::failed(format!("the server sent less than {}", range_field(range))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::header::HeaderValue;

    fn with(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn only_a_strong_validator_names_a_version() {
        let of = |tag| strong_validator(&with(header::ETAG, tag));
        assert_eq!(of("\"a-1\""), Some("\"a-1\"".to_owned()));
        for tag in ["W/\"a\"", "w/\"a\"", "a", "\"\"", "\"", "\"a\", \"b\"", ""] {
            assert_eq!(of(tag), None, "{tag}");
        }
        let mut two = with(header::ETAG, "\"a\"");
        two.append(header::ETAG, HeaderValue::from_static("\"b\""));
        assert_eq!(strong_validator(&two), None);
    }

    #[test]
    fn a_range_is_whole_or_none() {
        let of = |range| content_range(&with(header::CONTENT_RANGE, range));
        assert_eq!(of("bytes 0-9/10"), Some((0..10, 10)));
        assert_eq!(of("Bytes 5-5/10"), Some((5..6, 10)));
        for range in [
            "bytes 0-10/10",
            "bytes 5-4/10",
            "bytes 0-9/*",
            "bytes */10",
            "bytes=0-9/10",
            "items 0-9/10",
            "bytes 0-9",
            "bytes +0-9/10",
            "bytes 0-18446744073709551615/18446744073709551615",
            "",
        ] {
            assert_eq!(of(range), None, "{range}");
        }
    }
}
