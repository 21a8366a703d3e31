//! Opens the documents of URLs, and fetched content.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::SourceError;
use super::file::OpenFile;
use super::file_kind::{FileKind, HEAD_BYTES, detect_kind};
use super::reference::strip_prefix_ignoring_case;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_web::{FetchedFile, OpenedUrl, RangedFile, ResponseId, UploadId, Web, WebError};

/// Whether a reference starts with a scheme of the web or of object storage, in any case. It is not trimmed.
#[must_use]
pub fn is_url(reference: &str) -> bool {
    ["http://", "https://", "s3://", "gs://", "az://"]
        .iter()
        .any(|scheme| strip_prefix_ignoring_case(reference, scheme).is_some())
}

/// Fetches `url` and opens the body. Errors name the URL as their path.
///
/// # Errors
/// [`SourceError::Web`], and the errors of opening a file.
pub fn open_url(web: &Web, url: &str, cancellation: &Cancellation) -> Result<(OpenFile, FetchedFile), SourceError> {
    let fetched = web.fetch(url, cancellation)?;
    Ok((open_file(&fetched.path, url)?, fetched))
}

/// PDFs of more bytes are read by ranges. For smaller ones, one request for all costs less than several for parts.
const READ_BY_RANGES_FROM: u64 = 4 << 20;

/// Opens the document at `url`: a large PDF where it is, if its server sends ranges, and anything else by fetching it
/// whole. Errors name the URL as their path.
///
/// # Errors
/// As [`open_url`].
pub fn open_document(web: &Arc<Web>, url: &str, cancellation: &Cancellation) -> Result<StoredFetch, SourceError> {
    match web.open(url, cancellation)? {
        OpenedUrl::Whole(fetched) => stored_fetch(url, &fetched),
        OpenedUrl::Ranged(ranged) => open_ranged(web, url, *ranged),
    }
}

fn open_ranged(web: &Web, url: &str, ranged: RangedFile) -> Result<StoredFetch, SourceError> {
    let is_large = ranged.len() > READ_BY_RANGES_FROM.min(web.settings().max_bytes);
    let mut head = [0; HEAD_BYTES];
    let read = ranged.read_at(0, &mut head, Duration::MAX)?;
    let kind = detect_kind(head.get(..read).unwrap_or_default(), ranged.len());
    if !is_large || !matches!(kind, FileKind::Pdf) {
        return stored_fetch(url, &web.fetch_rest(&ranged)?);
    }
    let content = ranged.identity();
    Ok(StoredFetch { url: url.to_owned(), content, file: OpenFile::from_remote(Path::new(url), ranged) })
}

fn stored_fetch(url: &str, fetched: &FetchedFile) -> Result<StoredFetch, SourceError> {
    Ok(StoredFetch { file: open_file(&fetched.path, url)?, url: url.to_owned(), content: fetched.content })
}

/// Parses a reference to fetched content: `{id}#{index}`, the `responseId` of a call and the index of a URL in it. Without
/// an index, it is the first URL.
#[must_use]
pub fn parse_fetch_reference(reference: &str) -> Option<(ResponseId, usize)> {
    let (id, index) = reference.split_once('#').unwrap_or((reference, "0"));
    let is_plain = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    Some((id.parse().ok()?, index.parse().ok().filter(|_| is_plain)?))
}

/// Fetched content that is stored, or a document that is read by ranges.
#[derive(Debug)]
pub struct StoredFetch {
    /// The URL as requested.
    pub url: String,
    /// The hash of the body, or the identity of a document that is read by ranges.
    pub content: ContentHash,
    /// The body.
    pub file: OpenFile,
}

/// Opens content that a call of one of `owners` fetched.
///
/// # Errors
/// [`WebError::ContentNotFound`] if the content does not exist, was removed, or belongs to another owner; and the errors
/// of opening a file.
pub fn open_stored_fetch(
    web: &Web,
    (id, index): &(ResponseId, usize),
    owners: &[ContentHash],
) -> Result<StoredFetch, SourceError> {
    let mut response = web.response(id.as_str(), owners)?;
    if *index >= response.urls.len() {
        return Err(WebError::ContentNotFound.into());
    }
    let fetched = response.urls.swap_remove(*index);
    let (content, _) = fetched.outcome.map_err(|_| WebError::ContentNotFound)?;
    let path = web.document(&content).ok_or(WebError::ContentNotFound)?;
    Ok(StoredFetch { file: open_file(&path, &fetched.url)?, url: fetched.url, content })
}

/// Whether a reference names an upload.
#[must_use]
pub fn is_upload(reference: &str) -> bool {
    reference.parse::<UploadId>().is_ok()
}

/// Opens an upload; `None` if `reference` names none. Whose it is must have been checked.
///
/// # Errors
/// [`WebError::ContentNotFound`] if it does not exist or expired, and the errors of opening a file.
pub fn open_upload(web: &Web, reference: &str) -> Result<Option<OpenFile>, SourceError> {
    let Ok(id) = reference.parse::<UploadId>() else { return Ok(None) };
    open_file(&web.upload(&id)?, reference).map(Some)
}

fn open_file(path: &Path, url: &str) -> Result<OpenFile, SourceError> {
    let file = File::open(path).map_err(|error| SourceError::from_io(Path::new(url), error))?;
    OpenFile::from_regular(Path::new(url), file)
}

#[cfg(test)]
mod tests {
    use super::{is_url, parse_fetch_reference};

    #[test]
    fn only_whole_schemes_are_of_the_web() {
        for url in ["http://a", "HTTPS://a/b.pdf", "hTTp://[::1]", "s3://bucket/a.pdf", "gs://b/c", "az://d/e"] {
            assert!(is_url(url), "{url}");
        }
        for path in ["http:a", "https", "/http://a", " http://a", "httpx://a", "ftp://a", "a.pdf", "é"] {
            assert!(!is_url(path), "{path}");
        }
    }

    #[test]
    fn only_a_whole_id_names_what_was_fetched() {
        let id = "fetch_0123456789abcdef0123456789abcdef";
        let index = |text: &str| parse_fetch_reference(text).map(|(_, index)| index);
        assert_eq!([index(id), index(&format!("{id}#7"))], [Some(0), Some(7)]);
        for suffix in ["#", "#-1", "#+1", "#a", "0", "/x", "#99999999999999999999999"] {
            assert_eq!(index(&format!("{id}{suffix}")), None, "{suffix}");
        }
        assert_eq!(index("./fetch_0123456789abcdef0123456789abcdef"), None);
    }
}
