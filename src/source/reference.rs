//! Parses a client's reference to a file into an absolute path.

use std::path::{Path, PathBuf};

use super::SourceError;

/// A reference to a file as an absolute path. It is not trimmed, and `..` and links are resolved when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reference {
    path: PathBuf,
}

impl Reference {
    /// The accepted forms, for messages.
    pub const ACCEPTED: &'static str = "an absolute or relative path, ~/path, file:///path, http(s)://host/path";

    /// Parses a reference. Relative paths start at `cwd`, and `~` is `home`.
    ///
    /// In `file:` URLs (RFC 8089), the path is percent-decoded, a query or fragment is dropped, and the host must be empty
    /// or `localhost`. `~name` is a relative path.
    ///
    /// # Errors
    /// [`SourceError::UnsupportedReference`] for an empty text, a NUL, another scheme or host, a malformed escape, or `~`
    /// without a `home`.
    pub fn parse(text: &str, cwd: &Path, home: Option<&Path>) -> Result<Self, SourceError> {
        parse_path(text, cwd, home)
            .filter(|path| !text.is_empty() && !path.as_os_str().as_encoded_bytes().contains(&0))
            .map(|path| Self { path })
            .ok_or_else(|| SourceError::UnsupportedReference { reference: text.to_owned() })
    }

    /// A reference to an absolute path.
    #[must_use]
    pub fn of(path: PathBuf) -> Self {
        Self { path }
    }

    /// The absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A reference without `#page=3` at its end, and that page number (RFC 8118).
#[must_use]
pub fn linked_page(reference: &str) -> (&str, Option<&str>) {
    let is_number = |page: &str| !page.is_empty() && page.bytes().all(|byte| byte.is_ascii_digit());
    match reference.rsplit_once("#page=").filter(|(_, page)| is_number(page)) {
        Some((document, page)) => (document, Some(page)),
        None => (reference, None),
    }
}

fn parse_path(text: &str, cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(url) = strip_prefix_ignoring_case(text, "file:") {
        return file_url_path(url);
    }
    if has_other_scheme(text) {
        return None;
    }
    match text.strip_prefix('~') {
        Some("") => home.map(Path::to_path_buf),
        // Joining an absolute path would leave the home folder, so "~//etc" loses its extra slash.
        Some(rest) if rest.starts_with('/') => home.map(|home| home.join(rest.trim_start_matches('/'))),
        _ => Some(cwd.join(text)),
    }
}

pub(super) fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Whether the text is a URL. File names may contain colons, so a scheme counts only before `//`, or if it is a known one
/// without `//`.
fn has_other_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut letters = scheme.bytes();
    let is_scheme = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let opaque = ["data", "blob", "mailto", "javascript", "urn", "about"];
    is_scheme && (rest.starts_with("//") || opaque.iter().any(|name| scheme.eq_ignore_ascii_case(name)))
}

/// The path in the text after `file:`, which is `/path`, `///path` or `//localhost/path`.
fn file_url_path(url: &str) -> Option<PathBuf> {
    let url = url.split(['?', '#']).next()?;
    let path = match url.strip_prefix("//") {
        None => url,
        Some(rest) => {
            let (host, _) = rest.split_once('/')?;
            let path = rest.split_at_checked(host.len())?.1;
            (host.is_empty() || host.eq_ignore_ascii_case("localhost")).then_some(path)?
        }
    };
    let bytes = percent_decode(path)?;
    if path.starts_with('/') { path_of_bytes(bytes) } else { None }
}

#[cfg(all(unix, not(pagewise_portable)))]
fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// Without Unix paths, names are Unicode and may start with a drive letter: `/C:/a.pdf` (RFC 8089, appendix E.2).
#[cfg(any(not(unix), pagewise_portable))]
fn path_of_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(bytes).ok()?;
    let after_slash = path.strip_prefix('/').filter(|rest| {
        let mut characters = rest.chars();
        characters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && characters.next() == Some(':')
    });
    Some(after_slash.unwrap_or(&path).into())
}

/// Decodes each `%xx`; `None` if a `%` is not followed by two hexadecimal digits.
pub(crate) fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut decoded = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        decoded.push(u8::from_str_radix(digits, 16).ok()?);
        decoded.extend_from_slice(rest.as_bytes());
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<PathBuf> {
        let parsed = Reference::parse(text, Path::new("/base"), Some(Path::new("/home/ann")));
        parsed.ok().map(|reference| reference.path)
    }

    #[test]
    fn every_accepted_form_becomes_an_absolute_path() {
        for (text, path) in [
            ("/a/b.pdf", "/a/b.pdf"),
            ("b.pdf", "/base/b.pdf"),
            ("./b.pdf", "/base/./b.pdf"),
            (" b.pdf ", "/base/ b.pdf "),
            ("~", "/home/ann"),
            ("~/b.pdf", "/home/ann/b.pdf"),
            ("~//etc/passwd", "/home/ann/etc/passwd"),
            ("~ann/b.pdf", "/base/~ann/b.pdf"),
            ("notes: May.pdf", "/base/notes: May.pdf"),
            ("chapter:1.pdf", "/base/chapter:1.pdf"),
            ("file:///a/b.pdf", "/a/b.pdf"),
            ("FILE:///a/b.pdf", "/a/b.pdf"),
            ("file:/a/b.pdf", "/a/b.pdf"),
            ("file://localhost/a/b.pdf", "/a/b.pdf"),
            ("file:///a/b%20c%C3%A9.pdf#page=3", "/a/b cé.pdf"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(Path::new(path)), "{text}");
        }
    }

    #[test]
    fn any_other_form_is_refused() {
        for text in [
            "",
            "http://x/a.pdf",
            "HTTPS://x/a.pdf",
            "s3://bucket/a.pdf",
            "data:application/pdf;base64,AA",
            "file://host/a.pdf",
            "file://",
            "file:a.pdf",
            "file:///a%2",
            "file:///a%+1",
            "file:///a%00b",
            "a\0b",
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_home_is_needed_only_for_a_tilde() {
        assert!(Reference::parse("~/a", Path::new("/base"), None).is_err());
        assert!(Reference::parse("a", Path::new("/base"), None).is_ok());
    }
}
