//! Attached files (ISO 32000-2, 7.11.4): embedded files, file attachment annotations (12.5.6.15), and associated files
//! (14.13).

mod file_specification;

use serde::{Deserialize, Serialize};

pub(super) use file_specification::file_name;

use super::annotations::annotations_of;
use super::object::{Object, ObjectId};
use super::objects::Objects;
use super::structure::KeyTree;
use super::{Document, DocumentError, Leaf, ParsedDocument};
use bytes::Bytes;
use file_specification::FileSpecification;
use pagewise_base::page::PageIndex;
use std::collections::{BTreeMap, HashSet};

/// The most attachments of a document. Portfolios have some thousands.
const MAX_ATTACHMENTS: usize = 10_000;

/// The most pages that are searched for file attachment annotations.
const MAX_PAGES: u32 = 1_000;

/// The attachments of a document, or the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachments {
    /// Embedded files by name, then those associated with the document, then those of its pages; each file once, at most
    /// as many as requested.
    pub items: Vec<Attachment>,
    /// Number of all of them, up to a bound.
    pub total: usize,
}

/// An attached file. All texts are untrusted data from the document, on one line and without hidden characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Its name, by which it is asked for. A second file of the same name ends in ` (2)`. It is no path.
    pub name: String,
    /// Its size in bytes, as the document says.
    pub bytes: Option<u64>,
    /// Its MIME type, as the document says.
    pub mime_type: Option<String>,
    pub description: Option<String>,
    /// When it was created, as RFC 3339.
    pub created: Option<String>,
    /// When it was last changed, as RFC 3339.
    pub modified: Option<String>,
    /// What it is to the document, such as `Data` (14.13).
    pub relationship: Option<String>,
    /// The page that it is attached to, if it is attached to one.
    pub page: Option<PageIndex>,
}

impl Document {
    /// Lists at most `max` attachments. All are counted.
    #[must_use]
    pub fn attachments(&self, max: usize) -> Attachments {
        let files = self.attached_files(self.scanned_pages(MAX_PAGES));
        let total = files.len();
        Attachments { items: files.into_iter().take(max).map(|file| file.attachment).collect(), total }
    }

    /// The bytes of the attachment called `name`; `None` if there is none.
    ///
    /// # Errors
    /// [`DocumentError::Limit`] if it is larger than a stream may be, [`DocumentError::Damaged`] if it cannot be decoded.
    pub fn attachment(&self, name: &str) -> Result<Option<Bytes>, DocumentError> {
        let files = self.attached_files(self.page_count().min(MAX_PAGES));
        let Some(file) = files.into_iter().find(|file| file.attachment.name == name) else {
            return Ok(None);
        };
        let mut failure = None;
        for tier in [None, Some(super::Tier::HayroSyntax)] {
            let parsed = match tier {
                None => Some(&self.first),
                Some(tier) => self.readers.parse_with(tier),
            };
            match parsed.map(|parsed| file.bytes(&*parsed.objects)) {
                Some(Err(error)) if error.is_worth_another_reader() => failure = failure.or(Some(error)),
                Some(result) => return result.map(Some),
                None => {}
            }
        }
        Err(failure.unwrap_or(DocumentError::damaged("an attachment that cannot be read")))
    }

    /// The files of the document and of its first `pages` pages.
    fn attached_files(&self, pages: u32) -> Vec<AttachedFile> {
        let mut list = AttachmentList::default();
        if let Some(files) = self.ask(document_files) {
            files.into_iter().for_each(|file| list.add(file));
        }
        for page in self.first_pages(pages) {
            let files = self.with_page(page, page_files, |_| false).map(|(files, _)| files).unwrap_or_default();
            for mut file in files {
                file.attachment.page = Some(page);
                list.add(file);
            }
        }
        list.files
    }
}

/// An attachment and its stream.
struct AttachedFile {
    attachment: Attachment,
    stream: Object,
}

impl AttachedFile {
    /// The decoded data. Nothing of the file is given if a filter is unknown.
    fn bytes(&self, objects: &dyn Objects) -> Result<Bytes, DocumentError> {
        objects.stream_bytes(&self.stream).map(Bytes::from)
    }
}

/// Files in the order in which they were found, each stream once, each name once.
#[derive(Default)]
struct AttachmentList {
    files: Vec<AttachedFile>,
    streams: HashSet<ObjectId>,
    used: HashSet<String>,
    /// The last number that was added to a name.
    numbers: BTreeMap<String, usize>,
}

impl AttachmentList {
    fn add(&mut self, mut file: AttachedFile) {
        let is_new = file.stream.as_reference().is_none_or(|id| self.streams.insert(id));
        if !is_new || self.files.len() >= MAX_ATTACHMENTS {
            return;
        }
        let name = std::mem::take(&mut file.attachment.name);
        file.attachment.name = self.unused(name);
        self.files.push(file);
    }

    /// `name`, with a number if it is used already.
    fn unused(&mut self, name: String) -> String {
        let mut unused = name.clone();
        while !self.used.insert(unused.clone()) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            unused = format!("{name} ({number})");
        }
        unused
    }
}

/// The embedded files of the catalog's name dictionary, and the files associated with the document.
fn document_files(parsed: &ParsedDocument) -> Result<Vec<AttachedFile>, DocumentError> {
    let objects = &*parsed.objects;
    let names = objects.get(&parsed.catalog, b"Names")?;
    let mut specifications = match names.as_dictionary().and_then(|names| names.get(b"EmbeddedFiles")) {
        Some(root) => KeyTree::Names.entries(objects, root)?,
        None => Vec::new(),
    };
    let associated = objects.get(&parsed.catalog, b"AF")?;
    let associated = associated.as_array().unwrap_or_default().iter().cloned();
    specifications.extend(associated.map(|specification| (Object::Null, specification)));
    let mut files = Vec::new();
    for (key, specification) in specifications.iter().take(MAX_ATTACHMENTS) {
        objects.limits().deadline.check()?;
        files.extend(FileSpecification { objects, key }.read(specification)?);
    }
    Ok(files)
}

/// The files of file attachment annotations on a page, and those associated with it.
fn page_files(parsed: &ParsedDocument, leaf: &Leaf) -> Result<Vec<AttachedFile>, DocumentError> {
    let objects = &*parsed.objects;
    let mut specifications = Vec::new();
    for annotation in annotations_of(objects, leaf)? {
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(&annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        if objects.get(annotation, b"Subtype")?.is_name(b"FileAttachment") {
            specifications.extend(annotation.get(b"FS").cloned());
        }
    }
    if let Some(associated) = leaf.dictionary.as_dictionary().and_then(|page| page.get(b"AF")) {
        specifications.extend(objects.resolve(associated)?.as_array().unwrap_or_default().iter().cloned());
    }
    let mut files = Vec::new();
    for specification in specifications.iter().take(MAX_ATTACHMENTS) {
        files.extend(FileSpecification { objects, key: &Object::Null }.read(specification)?);
    }
    Ok(files)
}
