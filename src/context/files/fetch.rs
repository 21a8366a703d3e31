//! Fetches URLs as text: PDFs, web pages, and text in any charset. Other types are refused by name.

use std::sync::Arc;

use super::{IdentifiedFile, Requester, source_error};
use crate::context::ContextManager;
use crate::context::error::ContextError;
use crate::context::phrases::{NO_TEXT_IN_PDF, fenced, ocr_notes, page_heading, page_or_pages, unreadable_page_text};
use crate::source::{FileKind, HEAD_BYTES, OpenFile, SourceError, open_url};
use crate::worker::{OcrMode, PageSource, PageText, Pages, PdfError, RecognisingDocument, RecognitionBudget};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_base::page::{PageNumber, PageSet};
use pagewise_charset::decode_text;
use pagewise_text::normalize_text;
use pagewise_web::{FetchedFile, FetchedResponse, FetchedUrl, ResponseId, StoredText, Web, WebError};

/// The result of fetching one URL.
#[derive(Debug)]
pub struct FetchOutcome {
    /// The URL, as requested.
    pub url: String,
    /// Its text, or why there is none.
    pub outcome: Result<FetchedText, ContextError>,
}

/// The text of one URL.
#[derive(Debug, Clone)]
pub struct FetchedText {
    /// The final URL, after redirects.
    pub location: String,
    /// The hash of the body.
    pub content: ContentHash,
    /// The key under which the text is kept.
    pub key: ContentHash,
    /// Whether the cached copy was still valid.
    pub was_stored: bool,
    /// The text and its metadata.
    pub stored: Arc<StoredText>,
}

/// How to turn a body into text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Pdf,
    WebPage,
    Text,
}

impl ContextManager {
    /// Fetches `urls` in parallel and keeps their order. Calls `done` after each. A failure does not stop the others.
    #[must_use]
    pub fn fetch(&self, urls: &[String], done: &(dyn Fn() + Sync), cancellation: &Cancellation) -> Vec<FetchOutcome> {
        std::thread::scope(|scope| {
            let page = |url: &String| {
                let outcome = self.fetch_one(url, cancellation);
                done();
                FetchOutcome { url: url.clone(), outcome }
            };
            let fetches = urls.iter().map(|url| (url, scope.spawn(move || page(url)))).collect::<Vec<_>>();
            let failed = |url: &str| FetchOutcome { url: url.to_owned(), outcome: Err(fetch_failure(url)) };
            fetches.into_iter().map(|(url, fetch)| fetch.join().unwrap_or_else(|_| failed(url))).collect()
        })
    }

    /// Keeps the texts that one call fetched. Returns the id to ask for them by.
    ///
    /// # Errors
    /// [`WebError::Store`].
    pub fn store_fetched(&self, pages: &[FetchOutcome], requester: Requester<'_>) -> Result<ResponseId, WebError> {
        let outcome = |page: &FetchOutcome| match &page.outcome {
            Ok(text) => Ok((text.content, text.key)),
            Err(error) => Err(error.to_string()),
        };
        let urls = pages.iter().map(|page| FetchedUrl { url: page.url.clone(), outcome: outcome(page) }).collect();
        self.web()?.keep_response(&FetchedResponse { owner: requester.owners().first().copied(), urls })
    }

    /// What an earlier call of the same owner fetched.
    ///
    /// # Errors
    /// [`WebError::ContentNotFound`].
    pub fn fetched(&self, id: &str, requester: Requester<'_>) -> Result<FetchedResponse, WebError> {
        self.web()?.response(id, &requester.owners())
    }

    /// A text by the key under which it is kept.
    ///
    /// # Errors
    /// [`WebError::ContentNotFound`] if it is not kept any more.
    pub fn fetched_text(&self, key: &ContentHash) -> Result<StoredText, WebError> {
        self.web()?.text(key).ok_or(WebError::ContentNotFound)
    }

    /// The setting that disables fetching, if one does.
    #[must_use]
    pub fn disabling_setting(&self) -> Option<&'static str> {
        self.sources.web.as_ref().and_then(|web| web.settings().switched_off())
    }

    fn web(&self) -> Result<&Web, WebError> {
        let none = || WebError::Failed { reason: "fetching is not set up here".to_owned() };
        self.sources.web.as_deref().ok_or_else(none)
    }

    fn fetch_one(&self, url: &str, cancellation: &Cancellation) -> Result<FetchedText, ContextError> {
        let failed = |error: WebError| source_error(url, error.into());
        let web = self.web().map_err(failed)?;
        let (file, fetched) = open_url(web, url, cancellation).map_err(|error| source_error(url, error))?;
        let key = key(&fetched);
        let stored = match web.text(&key) {
            Some(stored) => stored,
            None => {
                let mut stored = FetchJob { context: self, url, fetched: &fetched, cancellation }.text(file)?;
                if let Err(error) = web.keep_text(&key, &stored) {
                    stored.notes.push(format!("get_search_content cannot continue this text: it {error}."));
                }
                stored
            }
        };
        let FetchedFile { location, content, was_stored, .. } = fetched;
        Ok(FetchedText { location, content, key, was_stored, stored: Arc::new(stored) })
    }
}

fn fetch_failure(url: &str) -> ContextError {
    source_error(url, WebError::Failed { reason: "its reader crashed".to_owned() }.into())
}

/// The cache key of a text: its body, its content type, its URL (which relative links depend on), and this program's
/// version.
fn key(fetched: &FetchedFile) -> ContentHash {
    let content_type = fetched.content_type.as_deref().unwrap_or_default();
    let parts = [&fetched.content.to_string(), content_type, &fetched.location, env!("CARGO_PKG_VERSION")];
    ContentHash::of(parts.join("\n").as_bytes())
}

struct FetchJob<'a> {
    context: &'a ContextManager,
    url: &'a str,
    fetched: &'a FetchedFile,
    cancellation: &'a Cancellation,
}

impl FetchJob<'_> {
    fn text(&self, file: OpenFile) -> Result<StoredText, ContextError> {
        let head = file.head(HEAD_BYTES).map_err(|error| self.source_error(error))?;
        let kind = file.kind().map_err(|error| self.source_error(error))?;
        let content_type = self.fetched.content_type.as_deref();
        let reading = body_kind(kind, &head, content_type)
            .map_err(|mime_type| ContextError::UnsupportedContent { url: self.url.to_owned(), mime_type })?;
        let mut stored = match reading {
            BodyKind::Pdf => self.pdf(file)?,
            BodyKind::WebPage => self.web_page(file)?,
            BodyKind::Text => {
                let limit = self.context.limits.max_file_bytes;
                let bytes = file.read_all(limit, "max_file_bytes").map_err(|error| self.source_error(error))?;
                let mime_type = content_type.map_or("text/plain".to_owned(), mime_of);
                let text = decode_text(&bytes, content_type);
                // Large texts exist once at a time.
                drop(bytes);
                let mut stored = StoredText { mime_type, text, ..StoredText::default() };
                self.truncate_text(&mut stored);
                stored.text = fenced(&normalize_text(&stored.text));
                stored
            }
        };
        self.truncate_text(&mut stored);
        Ok(stored)
    }

    fn web_page(&self, file: OpenFile) -> Result<StoredText, ContextError> {
        let FetchedFile { content, content_type, location, .. } = self.fetched;
        let file = IdentifiedFile { identity: content.0, file: Arc::new(file) };
        let page = self.context.reader.readable(&file, content_type.as_deref(), location, self.cancellation);
        let page = page.map_err(|error| ContextError::Pdf { path: self.url.to_owned(), error })?;
        Ok(StoredText {
            title: page.title,
            mime_type: "text/html".to_owned(),
            pages: None,
            notes: page.notes,
            text: fenced(&normalize_text(&page.markdown)),
        })
    }

    fn pdf(&self, file: OpenFile) -> Result<StoredText, ContextError> {
        let failed = |error| ContextError::FetchedPdf { url: self.url.to_owned(), error };
        let file = IdentifiedFile { identity: self.fetched.content.0, file: Arc::new(file) };
        let document = self.context.reader.open(Arc::new(file), None, self.cancellation).map_err(failed)?;
        let pages = PageSet::all(document.page_count());
        let budget = RecognitionBudget::of_call();
        let document = RecognisingDocument::new(&*document, OcrMode::Auto, pages.clone(), &budget);
        let mut text = FetchedPdfText::default();
        for page in pages.iter() {
            self.cancellation.check().map_err(|stopped| failed(stopped.into()))?;
            // Text past the bound is dropped anyway: do not read it.
            if text.text.len() as u64 > self.max_text_bytes() {
                break;
            }
            text.push(page.number(), document.page_text(page));
        }
        if let Some(error) = text.failure.take().filter(|_| !text.was_read) {
            return Err(failed(error));
        }
        let pages = document.page_count();
        if text.is_empty {
            text.text = NO_TEXT_IN_PDF.to_owned();
        }
        let report = document.report();
        let unread = report.pages_of(PageSource::Unread);
        if !text.is_empty && !unread.is_empty() {
            text.notes.push(format!("No readable text on {} (scans or blank).", page_or_pages(&unread)));
        }
        text.notes.extend(ocr_notes(&report, |pages| format!("Next: pdf_extract_text with pages: \"{pages}\".")));
        let info = document.info();
        Ok(StoredText {
            title: info.title,
            mime_type: info.parts.map_or("application/pdf", |parts| parts.format.mime()).to_owned(),
            pages: Some(pages),
            notes: text.notes,
            text: text.text,
        })
    }

    /// Truncates a text to its bound, and notes it.
    fn truncate_text(&self, stored: &mut StoredText) {
        let max = usize::try_from(self.max_text_bytes()).unwrap_or(usize::MAX);
        if stored.text.len() <= max {
            return;
        }
        let end = (0..=max).rev().find(|end| stored.text.is_char_boundary(*end)).unwrap_or(0);
        stored.text.truncate(end);
        stored.text.shrink_to_fit();
        stored
            .notes
            .push(format!("The text has more than {max} bytes, which is web_max_text_bytes; the rest is left out."));
    }

    fn max_text_bytes(&self) -> u64 {
        self.context.sources.web.as_ref().map_or(u64::MAX, |web| web.settings().max_text_bytes)
    }

    fn source_error(&self, error: SourceError) -> ContextError {
        source_error(self.url, error)
    }
}

/// The text of a PDF, page by page.
struct FetchedPdfText {
    text: String,
    notes: Vec<String>,
    was_read: bool,
    is_empty: bool,
    failure: Option<PdfError>,
}

impl Default for FetchedPdfText {
    fn default() -> Self {
        Self { text: String::new(), notes: Vec::new(), was_read: false, is_empty: true, failure: None }
    }
}

impl FetchedPdfText {
    fn push(&mut self, number: PageNumber, page: Result<PageText, PdfError>) {
        match page {
            Ok(page) => {
                self.was_read = true;
                self.is_empty &= page.text.is_empty();
                self.text.push_str(&page_heading(number, self.text.is_empty()));
                self.text.push_str(&fenced(&page.text));
            }
            Err(error) => {
                self.notes.push(unreadable_page_text(number, &error));
                self.failure.get_or_insert(error);
            }
        }
    }
}

/// How to read a body, or the MIME type to refuse it by. PDFs are recognised first, and content takes precedence over
/// declared types.
fn body_kind(kind: FileKind, head: &[u8], content_type: Option<&str>) -> Result<BodyKind, String> {
    let declared = content_type.map(mime_of).unwrap_or_default();
    if matches!(declared.as_str(), "application/pdf" | "application/x-pdf") {
        return Ok(BodyKind::Pdf);
    }
    let is_page = matches!(declared.as_str(), "text/html" | "application/xhtml+xml");
    let says_nothing = matches!(declared.as_str(), "" | "application/octet-stream");
    match kind {
        FileKind::Pdf | FileKind::Office(_) => Ok(BodyKind::Pdf),
        FileKind::Image(format) => Err(format.mime().to_owned()),
        FileKind::Text(_) if is_page || (says_nothing && looks_like_a_page(head)) => Ok(BodyKind::WebPage),
        FileKind::Text(_) => Ok(BodyKind::Text),
        // Text in an old charset may look like any binary, but only UTF-16 has zero bytes.
        FileKind::Other { mime: "application/octet-stream" } if !head.contains(&0) && is_page => Ok(BodyKind::WebPage),
        FileKind::Other { mime: "application/octet-stream" } if !head.contains(&0) && is_textual(&declared) => {
            Ok(BodyKind::Text)
        }
        FileKind::Other { mime: "application/octet-stream" } if !says_nothing => Err(declared),
        FileKind::Other { mime } => Err(mime.to_owned()),
    }
}

/// The MIME type without its parameters.
fn mime_of(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_textual(mime: &str) -> bool {
    let named =
        ["application/json", "application/xml", "application/javascript", "application/yaml", "application/toml"];
    mime.starts_with("text/") || mime.ends_with("+json") || mime.ends_with("+xml") || named.contains(&mime)
}

fn looks_like_a_page(head: &[u8]) -> bool {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let starts = |with: &[u8]| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    starts(b"<!doctype html") || starts(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::detect_kind;

    fn read(bytes: &[u8], content_type: &str) -> Result<BodyKind, String> {
        let content_type = Some(content_type).filter(|content_type| !content_type.is_empty());
        body_kind(detect_kind(bytes, bytes.len() as u64), bytes, content_type)
    }

    #[test]
    fn a_pdf_is_a_pdf_whatever_is_said_of_it() {
        for content_type in ["application/pdf", "text/html; charset=utf-8", "application/octet-stream", "image/png", ""]
        {
            assert_eq!(read(b"%PDF-1.7\n\xe2\xe3", content_type), Ok(BodyKind::Pdf), "{content_type}");
        }
        assert_eq!(read(b"\0\x01 no pdf", "Application/PDF; x=y"), Ok(BodyKind::Pdf));
    }

    #[test]
    fn pages_and_texts_are_told_by_name_and_bytes() {
        for (bytes, content_type, expected) in [
            (&b"<p>a"[..], "text/html", BodyKind::WebPage),
            (b" <!DOCTYPE html><p>a", "", BodyKind::WebPage),
            (b"<html>", "text/plain", BodyKind::Text),
            (b"caf\xe9", "text/html; charset=latin1", BodyKind::WebPage),
            (b"caf\xe9", "text/csv", BodyKind::Text),
            (b"{}", "application/json", BodyKind::Text),
            (b"{}", "application/vnd.api+json", BodyKind::Text),
            (b"plain", "application/zip", BodyKind::Text),
            (b"", "", BodyKind::Text),
        ] {
            assert_eq!(read(bytes, content_type), Ok(expected), "{content_type}");
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for (bytes, content_type, name) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "text/html", "image/png"),
            (b"PK\x03\x04", "text/plain", "application/zip"),
            (b"\0\x01\x02", "", "application/octet-stream"),
            (b"\0\x01\x02", "font/woff2", "font/woff2"),
            (b"a\0b", "text/html", "text/html"),
        ] {
            assert_eq!(read(bytes, content_type), Err(name.to_owned()), "{content_type}");
        }
    }
}
