//! Document metadata: the information dictionary (ISO 32000-2, 14.3.3) and entries of the catalog.

use pagewise_base::page::PageIndex;
use pagewise_base::parts::PartsInfo;
use serde::{Deserialize, Serialize};

use super::form_summary::FormSummary;
use super::outline::Outline;
use super::xmp;
use crate::ParsedDocument;
use crate::annotations::is_xfa;
use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::object::Object;
use crate::readers;
use crate::syntax::date;
use crate::{Document, text_string};

/// Maximum ranges of page labels that are named.
pub const MAX_LABEL_RANGES: usize = 8;

/// Facts about a document. Values that cannot be read are absent, false or 0.
///
/// Strings are untrusted data from the document, on one line and without hidden characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentInfo {
    /// `/Title`. This and the next seven from the XMP metadata, where the information dictionary lacks them.
    pub title: Option<String>,
    /// `/Author`.
    pub author: Option<String>,
    /// `/Subject`.
    pub subject: Option<String>,
    /// `/Keywords`.
    pub keywords: Option<String>,
    /// `/Creator`: the program that created the original document.
    pub creator: Option<String>,
    /// `/Producer`: the program that wrote the PDF.
    pub producer: Option<String>,
    /// `/CreationDate` as RFC 3339; a date that does not exist, as it stands.
    pub created: Option<String>,
    /// `/ModDate`, likewise.
    pub modified: Option<String>,
    /// The later of the header's version and the catalog's `/Version`, such as `1.7`; empty if unknown.
    pub pdf_version: String,
    /// Whether the file is encrypted, even with an empty password.
    pub encrypted: bool,
    /// Whether a signature field has a value. The signature is not validated.
    pub signed: bool,
    /// Whether `/MarkInfo` says that the document is tagged.
    pub tagged: bool,
    /// Number of terminal form fields.
    pub form_fields: usize,
    /// Whether the form is an XFA form, whose fields may show only in readers of XFA.
    pub is_xfa: bool,
    /// Number of attached files: embedded ones, those associated with the document, and those of the first 1,000 pages.
    pub attachments: usize,
    /// Number of outline items, up to `max_outline_items`.
    pub outline_entries: usize,
    /// Where the first [`MAX_LABEL_RANGES`] ranges of page labels begin; none if there are no labels.
    pub label_ranges: Vec<PageIndex>,
    /// What a file has that is no PDF, and whose parts are its pages.
    pub parts: Option<PartsInfo>,
}

impl DocumentInfo {
    /// Adds facts of the XMP metadata that the information dictionary does not state.
    fn complete(&mut self, xmp: Self) {
        let facts = [
            (&mut self.title, xmp.title),
            (&mut self.author, xmp.author),
            (&mut self.subject, xmp.subject),
            (&mut self.keywords, xmp.keywords),
            (&mut self.creator, xmp.creator),
            (&mut self.producer, xmp.producer),
            (&mut self.created, xmp.created),
            (&mut self.modified, xmp.modified),
        ];
        for (fact, stated) in facts {
            *fact = fact.take().or(stated);
        }
    }

    /// [`Self::modified`], unless that is when it was created.
    #[must_use]
    pub fn changed_later(&self) -> Option<&str> {
        self.modified.as_deref().filter(|modified| self.created.as_deref() != Some(*modified))
    }
}

impl Document {
    /// Reads the document's metadata.
    #[must_use]
    pub fn info(&self) -> DocumentInfo {
        let mut info = self.ask(read_info).unwrap_or_default();
        info.complete(self.ask(xmp::read).unwrap_or_default());
        info.pdf_version = later(self.header_version(), self.ask(catalog_version).flatten());
        info.encrypted = self.is_encrypted();
        info.tagged = self.ask(is_tagged).unwrap_or_default();
        let form = self.ask(FormSummary::read).unwrap_or_default();
        (info.form_fields, info.signed) = (form.terminal_fields, form.is_signed);
        info.is_xfa = self.ask(is_xfa).unwrap_or_default();
        info.attachments = self.attachments(0).total;
        info.outline_entries = self.ask(|parsed| Outline::read(parsed, 0)).unwrap_or_default().total;
        info.label_ranges = self.labels().map(|labels| labels.starts(MAX_LABEL_RANGES)).unwrap_or_default();
        info
    }

    /// The natural language of the document, such as `de-DE` (ISO 32000-2, 14.9.2); `None` if it says none.
    #[must_use]
    pub fn language(&self) -> Option<String> {
        self.ask(|parsed| {
            let language = parsed.objects.get(&parsed.catalog, b"Lang")?;
            Ok(language.as_string().map(text_string::decode))
        })
        .flatten()
    }

    /// Whether the file is encrypted, whatever its password.
    pub(crate) fn is_encrypted(&self) -> bool {
        let trailer = readers::find_trailer(self.readers.file(), self.readers.limits());
        trailer.is_ok_and(|trailer| trailer.get(b"Encrypt").is_some_and(|value| !value.is_null()))
    }

    fn header_version(&self) -> Option<String> {
        header_version(self.readers.file()).ok().flatten()
    }
}

/// The entries of the information dictionary.
fn read_info(parsed: &ParsedDocument) -> Result<DocumentInfo, DocumentError> {
    let objects = &*parsed.objects;
    let info = objects.get(objects.trailer(), b"Info")?;
    let Some(info) = info.as_dictionary() else { return Ok(DocumentInfo::default()) };
    let text = |key: &[u8]| -> Result<Option<String>, DocumentError> {
        let value = objects.get(info, key)?;
        let text = value.as_string().or_else(|| value.as_name()).map(text_string::decode);
        Ok(text.filter(|text| !text.is_empty()))
    };
    let date = |key: &[u8]| Ok::<_, DocumentError>(text(key)?.as_deref().and_then(date::date));
    Ok(DocumentInfo {
        title: text(b"Title")?,
        author: text(b"Author")?,
        subject: text(b"Subject")?,
        keywords: text(b"Keywords")?,
        creator: text(b"Creator")?,
        producer: text(b"Producer")?,
        created: date(b"CreationDate")?,
        modified: date(b"ModDate")?,
        ..DocumentInfo::default()
    })
}

fn header_version(file: &FileBytes) -> Result<Option<String>, DocumentError> {
    let Some(at) = readers::header_offset(file)? else { return Ok(None) };
    Ok(version(&file.slice(at.saturating_add(5), 3)?))
}

fn catalog_version(parsed: &ParsedDocument) -> Result<Option<String>, DocumentError> {
    let version_name = parsed.objects.get(&parsed.catalog, b"Version")?;
    Ok(version_name.as_name().and_then(version))
}

/// `digit.digit`.
fn version(bytes: &[u8]) -> Option<String> {
    match bytes {
        [major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit() => {
            Some([*major, b'.', *minor].map(char::from).iter().collect())
        }
        _ => None,
    }
}

fn later(header: Option<String>, catalog: Option<String>) -> String {
    // With single digits, string order is version order.
    header.max(catalog).unwrap_or_default()
}

fn is_tagged(parsed: &ParsedDocument) -> Result<bool, DocumentError> {
    let marks = parsed.objects.get(&parsed.catalog, b"MarkInfo")?;
    match marks.as_dictionary() {
        Some(marks) => Ok(*parsed.objects.get(marks, b"Marked")? == Object::Boolean(true)),
        None => Ok(false),
    }
}
