//! Files of the web: fetched first, and then opened where they are kept.

use std::fs::File;
use std::path::Path;

use super::SourceError;
use super::file::OpenFile;
use super::reference::strip_prefix_ignoring_case;
use crate::web::{Fetched, IsStopped, Web};

/// Whether a reference is a URL of the web, of whatever spelling. Nothing is trimmed.
#[must_use]
pub fn is_url(reference: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| strip_prefix_ignoring_case(reference, scheme).is_some())
}

/// Fetches `url` and opens what came. Errors name the URL as their path.
///
/// # Errors
/// [`SourceError::Web`], and those of opening.
pub fn open_url(web: &Web, url: &str, is_stopped: IsStopped<'_>) -> Result<(OpenFile, Fetched), SourceError> {
    let fetched = web.fetch(url, is_stopped)?;
    let file = File::open(&fetched.path).map_err(|error| SourceError::of(Path::new(url), error))?;
    Ok((OpenFile::of(Path::new(url), file)?, fetched))
}

#[cfg(test)]
mod tests {
    use super::is_url;

    #[test]
    fn only_whole_schemes_are_of_the_web() {
        for url in ["http://a", "HTTPS://a/b.pdf", "hTTp://[::1]"] {
            assert!(is_url(url), "{url}");
        }
        for path in ["http:a", "https", "/http://a", " http://a", "httpx://a", "ftp://a", "a.pdf", "é"] {
            assert!(!is_url(path), "{path}");
        }
    }
}
