//! Files of the web: fetched first, and then opened where they are kept.

use std::fs::File;
use std::path::Path;

use super::SourceError;
use super::file::OpenFile;
use super::reference::strip_prefix_ignoring_case;
use crate::hash::ContentHash;
use crate::limits::Cancellation;
use crate::web::{FetchedFile, ResponseId, Web, WebError};

/// Whether a reference is a URL of the web, of whatever spelling. Nothing is trimmed.
#[must_use]
pub fn is_url(reference: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| strip_prefix_ignoring_case(reference, scheme).is_some())
}

/// Fetches `url` and opens what came. Errors name the URL as their path.
///
/// # Errors
/// [`SourceError::Web`], and those of opening.
pub fn open_url(web: &Web, url: &str, cancellation: &Cancellation) -> Result<(OpenFile, FetchedFile), SourceError> {
    let fetched = web.fetch(url, cancellation)?;
    Ok((opened(&fetched.path, url)?, fetched))
}

/// A reference to something that was fetched: the `responseId` of the call, and which of its URLs, as `{id}#{index}`; the
/// first where none is named.
#[must_use]
pub fn kept_reference(reference: &str) -> Option<(ResponseId, usize)> {
    let (id, index) = reference.split_once('#').unwrap_or((reference, "0"));
    let is_plain = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    Some((id.parse().ok()?, index.parse().ok().filter(|_| is_plain)?))
}

/// Something that was fetched, and is kept.
#[derive(Debug)]
pub struct Kept {
    /// The URL that it was fetched from.
    pub url: String,
    /// The hash of the body.
    pub content: ContentHash,
    /// The file that holds it.
    pub file: OpenFile,
}

/// Opens what a call of `owner` fetched.
///
/// # Errors
/// [`SourceError::Web`] with [`WebError::ContentNotFound`] where there is no such thing, or not any more, or it is
/// another's; and those of opening.
pub fn open_kept(
    web: &Web,
    (id, index): &(ResponseId, usize),
    owner: Option<&ContentHash>,
) -> Result<Kept, SourceError> {
    let mut response = web.response(id.as_str(), owner)?;
    if *index >= response.urls.len() {
        return Err(WebError::ContentNotFound.into());
    }
    let fetched = response.urls.swap_remove(*index);
    let (content, _) = fetched.outcome.map_err(|_| WebError::ContentNotFound)?;
    let path = web.document(&content).ok_or(WebError::ContentNotFound)?;
    Ok(Kept { file: opened(&path, &fetched.url)?, url: fetched.url, content })
}

fn opened(path: &Path, url: &str) -> Result<OpenFile, SourceError> {
    let file = File::open(path).map_err(|error| SourceError::of(Path::new(url), error))?;
    OpenFile::of(Path::new(url), file)
}

#[cfg(test)]
mod tests {
    use super::{is_url, kept_reference};

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
        let index = |text: &str| kept_reference(text).map(|(_, index)| index);
        assert_eq!([index(id), index(&format!("{id}#7"))], [Some(0), Some(7)]);
        for suffix in ["#", "#-1", "#+1", "#a", "0", "/x", "#99999999999999999999999"] {
            assert_eq!(index(&format!("{id}{suffix}")), None, "{suffix}");
        }
        assert_eq!(index("./fetch_0123456789abcdef0123456789abcdef"), None);
    }
}
