//! Opens fetched content.

use std::fs::File;
use std::path::Path;

use super::SourceError;
use super::file::OpenFile;
use super::reference::strip_prefix_ignoring_case;
use crate::hash::ContentHash;
use crate::limits::Cancellation;
use crate::web::{FetchedFile, ResponseId, Web, WebError};

/// Whether a reference starts with an http or https scheme, in any case. It is not trimmed.
#[must_use]
pub fn is_url(reference: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| strip_prefix_ignoring_case(reference, scheme).is_some())
}

/// Fetches `url` and opens the body. Errors name the URL as their path.
///
/// # Errors
/// [`SourceError::Web`], and the errors of opening a file.
pub fn open_url(web: &Web, url: &str, cancellation: &Cancellation) -> Result<(OpenFile, FetchedFile), SourceError> {
    let fetched = web.fetch(url, cancellation)?;
    Ok((open_file(&fetched.path, url)?, fetched))
}

/// Parses a reference to fetched content: `{id}#{index}`, the `responseId` of a call and the index of a URL in it. Without
/// an index, it is the first URL.
#[must_use]
pub fn parse_fetch_reference(reference: &str) -> Option<(ResponseId, usize)> {
    let (id, index) = reference.split_once('#').unwrap_or((reference, "0"));
    let is_plain = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    Some((id.parse().ok()?, index.parse().ok().filter(|_| is_plain)?))
}

/// Fetched content that is stored.
#[derive(Debug)]
pub struct StoredFetch {
    /// The URL as requested.
    pub url: String,
    /// The hash of the body.
    pub content: ContentHash,
    /// The file that contains the body.
    pub file: OpenFile,
}

/// Opens content that a call of `owner` fetched.
///
/// # Errors
/// [`WebError::ContentNotFound`] if the content does not exist, was removed, or belongs to another owner; and the errors
/// of opening a file.
pub fn open_stored_fetch(
    web: &Web,
    (id, index): &(ResponseId, usize),
    owner: Option<&ContentHash>,
) -> Result<StoredFetch, SourceError> {
    let mut response = web.response(id.as_str(), owner)?;
    if *index >= response.urls.len() {
        return Err(WebError::ContentNotFound.into());
    }
    let fetched = response.urls.swap_remove(*index);
    let (content, _) = fetched.outcome.map_err(|_| WebError::ContentNotFound)?;
    let path = web.document(&content).ok_or(WebError::ContentNotFound)?;
    Ok(StoredFetch { file: open_file(&path, &fetched.url)?, url: fetched.url, content })
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
        for url in ["http://a", "HTTPS://a/b.pdf", "hTTp://[::1]"] {
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
