//! The result of one call: the URLs, each with its outcome, and their owner.

use std::fmt;
use std::str::FromStr;

use super::files::random_bytes;
use super::record::{RecordGroup, parse_groups};
use pagewise_base::hash::ContentHash;

/// The id of the result of one call: `fetch_` and 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseId(String);

/// The prefix of all ids.
const PREFIX: &str = "fetch_";

/// The text is not a [`ResponseId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a responseId")]
pub struct NotAResponseId;

impl ResponseId {
    /// Creates an id from 128 random bits.
    #[must_use]
    pub fn generate() -> Self {
        let digits = ContentHash(random_bytes()).to_string();
        Self(format!("{PREFIX}{}", digits.chars().take(32).collect::<String>()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ResponseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ResponseId {
    type Err = NotAResponseId;

    fn from_str(text: &str) -> Result<Self, NotAResponseId> {
        let digits = text.strip_prefix(PREFIX).ok_or(NotAResponseId)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() == 32 && digits.bytes().all(is_digit) { Ok(Self(text.to_owned())) } else { Err(NotAResponseId) }
    }
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchedResponse {
    /// A hash of the owning conversation, or of the principal of a call without one; `None` if it had neither.
    pub owner: Option<ContentHash>,
    /// The URLs in the order of the request.
    pub urls: Vec<FetchedUrl>,
}

/// One URL of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedUrl {
    /// The URL as requested.
    pub url: String,
    /// The hash of the body and the key of its text, or the error.
    pub outcome: Result<(ContentHash, ContentHash), String>,
}

impl FetchedResponse {
    pub(super) fn to_text(&self) -> String {
        let mut head = RecordGroup::default();
        head.put_some("owner", self.owner.map(|owner| owner.to_string()).as_deref());
        head.put("urls", &self.urls.len().to_string());
        let mut text = head.to_text();
        for fetched in &self.urls {
            let mut group = RecordGroup::default();
            group.put("url", &fetched.url);
            match &fetched.outcome {
                Ok((content, text)) => {
                    group.put("content", &content.to_string());
                    group.put("text", &text.to_string());
                }
                Err(reason) => group.put("error", reason),
            }
            text.push('\n');
            text.push_str(&group.to_text());
        }
        text
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut groups = parse_groups(text).into_iter();
        let head = groups.next()?;
        // A damaged owner must not make the response public.
        let owner = head.get("owner").map(str::parse).transpose().ok()?;
        let urls = groups.map(|group| fetched_url(&group)).collect::<Option<Vec<_>>>()?;
        (head.get("urls")?.parse() == Ok(urls.len())).then_some(Self { owner, urls })
    }
}

fn fetched_url(group: &RecordGroup) -> Option<FetchedUrl> {
    let outcome = match group.get("error") {
        Some(reason) => Err(reason.to_owned()),
        None => Ok((group.get("content")?.parse().ok()?, group.get("text")?.parse().ok()?)),
    };
    Some(FetchedUrl { url: group.get("url")?.to_owned(), outcome })
}

/// The text of a body, with metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoredText {
    /// The document's title.
    pub title: Option<String>,
    /// The MIME type of the body.
    pub mime_type: String,
    /// The number of pages, for a PDF.
    pub pages: Option<u32>,
    /// Remarks on the text, one sentence each.
    pub notes: Vec<String>,
    pub text: String,
}

impl StoredText {
    pub(super) fn to_text(&self) -> String {
        let mut head = RecordGroup::default();
        head.put("type", &self.mime_type);
        head.put_some("title", self.title.as_deref());
        head.put_some("pages", self.pages.map(|pages| pages.to_string()).as_deref());
        self.notes.iter().for_each(|note| head.put("note", note));
        format!("{}\n{}", head.to_text(), self.text)
    }

    pub(super) fn read(written: &str) -> Option<Self> {
        let (head, text) = written.split_once("\n\n")?;
        let head = parse_groups(head).into_iter().next()?;
        Some(Self {
            title: head.get("title").map(str::to_owned),
            mime_type: head.get("type")?.to_owned(),
            pages: head.get("pages").and_then(|pages| pages.parse().ok()),
            notes: head.all("note"),
            text: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_comes_back_whole_or_not_at_all() {
        let response = FetchedResponse {
            owner: Some(ContentHash::of(b"review")),
            urls: vec![
                FetchedUrl {
                    url: "https://example.com/".to_owned(),
                    outcome: Ok((ContentHash::of(b"a"), ContentHash::of(b"b"))),
                },
                FetchedUrl { url: "https://example.org/".to_owned(), outcome: Err("HTTP 404 Not Found".to_owned()) },
            ],
        };
        let written = response.to_text();
        assert_eq!(FetchedResponse::read(&written), Some(response));
        let cut = written.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n");
        assert_eq!(FetchedResponse::read(&cut), None);
        assert_eq!(FetchedResponse::read(&written.replace("owner: ", "owner: x")), None);
    }

    #[test]
    fn a_text_may_hold_what_looks_like_a_record() {
        let text = StoredText {
            title: Some("A\nB".to_owned()),
            mime_type: "text/html".to_owned(),
            pages: Some(2),
            notes: vec!["one".to_owned(), "two".to_owned()],
            text: "\n\nowner: x\n\ntitle: y".to_owned(),
        };
        let title = Some("A B".to_owned());
        assert_eq!(StoredText::read(&text.to_text()), Some(StoredText { title, ..text }));
    }

    #[test]
    fn only_what_was_minted_is_an_id() {
        assert!(ResponseId::generate().as_str().parse::<ResponseId>().is_ok());
        assert_ne!(ResponseId::generate(), ResponseId::generate());
        for text in ["", "fetch_", "fetch_../../../../etc/passwd", &format!("fetch_{}", "A".repeat(32)), "x"] {
            assert_eq!(text.parse::<ResponseId>(), Err(NotAResponseId), "{text}");
        }
    }
}
