//! Files that are attached to a PDF: `file.pdf#attachment=NAME` names one, and attachments may have attachments.
//!
//! The containing file is opened as any other, so roots and permissions apply to it. The attachment is decoded by the
//! reader of PDFs and becomes a file without a name in any folder: its name never becomes a path.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::{RequestedFile, Requester, Sources, shown_path, source_error};
use crate::context::annotations::ATTACHMENT_MARK;
use crate::context::error::ContextError;
use crate::source::{OpenFile, is_upload, is_url, parse_fetch_reference, percent_decode};
use crate::worker::{Pages, Reader};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Limits;
use pagewise_view::FileKey;

/// Attachments within each other that one reference may name.
const MAX_DEPTH: usize = 4;

/// Names in the error for an attachment that is not there.
const MAX_NAMED: usize = 500;

/// How the PDFs that contain attachments are read.
#[derive(Clone, Copy)]
pub(crate) struct ContainerReader<'a> {
    pub(crate) reader: &'a dyn Reader,
    pub(crate) limits: &'a Limits,
    pub(crate) password: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachmentReference<'a> {
    /// The file that contains it.
    pub(crate) container: &'a str,
    /// The name of the attachment; if there are several, each is attached to the one before.
    names: Vec<&'a str>,
}

impl Sources {
    /// The parts of a reference to an attachment. `None` if it has no mark, or if a file has this very name.
    pub(crate) fn attachment<'a>(&self, reference: &'a str) -> Option<AttachmentReference<'a>> {
        let first = reference.split_once(ATTACHMENT_MARK)?.0;
        let has_fragment = is_url(reference) || starts_with_file_scheme(reference);
        if has_fragment || parse_fetch_reference(first).is_some() || is_upload(first) {
            return Some(split_at(reference, first.len()));
        }
        let is_there = |path: &str| self.resolve(path).is_ok_and(|path| self.is_there(&path));
        if is_there(reference) {
            return None;
        }
        let mut ends = reference.rmatch_indices(ATTACHMENT_MARK).map(|(at, _)| at).take(MAX_DEPTH);
        let container = ends.find(|at| reference.get(..*at).is_some_and(is_there));
        Some(split_at(reference, container.unwrap_or(first.len())))
    }

    pub(super) fn open_attachment(
        &self,
        reference: &AttachmentReference<'_>,
        requester: Requester<'_>,
        container: &ContainerReader<'_>,
    ) -> Result<RequestedFile, ContextError> {
        if reference.names.len() > MAX_DEPTH {
            let path = reference.container.to_owned();
            return Err(ContextError::AttachmentDepth { path, max: MAX_DEPTH });
        }
        let mut file = self.open_plain(reference.container, requester)?;
        for name in &reference.names {
            let document =
                file.document(container.password, container.reader, container.limits, requester.cancellation)?;
            file = file.attached(name, &*document)?;
        }
        Ok(file)
    }

    /// The key of an attachment within the file of `container`.
    pub(super) fn key_of_attachment(reference: &AttachmentReference<'_>, container: FileKey) -> FileKey {
        reference.names.iter().fold(container, |container, name| key_within(container, &decoded_name(name)))
    }
}

fn starts_with_file_scheme(reference: &str) -> bool {
    reference.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

fn split_at(reference: &str, end: usize) -> AttachmentReference<'_> {
    let (container, rest) = reference.split_at_checked(end).unwrap_or((reference, ""));
    AttachmentReference { container, names: rest.split(ATTACHMENT_MARK).skip(1).collect() }
}

impl RequestedFile {
    /// The attachment of this file that a reference calls `name`, as it is or percent-encoded.
    fn attached(&self, name: &str, document: &dyn Pages) -> Result<Self, ContextError> {
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let decoded = decoded_name(name);
        let mut bytes = document.attachment(&decoded).map_err(failed)?;
        if bytes.is_none() && decoded != name {
            bytes = document.attachment(name).map_err(failed)?;
        }
        let Some(bytes) = bytes else { return Err(self.no_attachment(&decoded, document)) };
        let path = shown_path(&format!("{}{ATTACHMENT_MARK}{name}", self.path));
        let absolute = PathBuf::from(format!("{}{ATTACHMENT_MARK}{name}", self.absolute.display()));
        let file = OpenFile::anonymous(Path::new(&path), &bytes).map_err(|error| source_error(&path, error))?;
        let kind = file.kind().map_err(|error| source_error(&path, error))?;
        let hash = OnceLock::from(ContentHash::of(&bytes));
        let key = key_within(self.key, &decoded);
        Ok(Self { path, absolute, file_bytes: file.len(), kind, key, file: Arc::new(file), hash })
    }

    fn no_attachment(&self, name: &str, document: &dyn Pages) -> ContextError {
        let attachments = document.attachments(MAX_NAMED);
        let names = attachments.items.into_iter().map(|file| file.name).collect();
        ContextError::NoAttachment { path: self.path.clone(), name: name.to_owned(), names, total: attachments.total }
    }
}

/// The key of the attachment `name` of a file.
fn key_within(container: FileKey, name: &str) -> FileKey {
    FileKey(ContentHash::of(&[&container.0[..], ATTACHMENT_MARK.as_bytes(), name.as_bytes()].concat()).0)
}

/// `name` with each `%xx` decoded; as it is if an escape is malformed or the bytes are no UTF-8.
fn decoded_name(name: &str) -> String {
    percent_decode(name).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_split_at_each_mark() {
        let split = |text: &'static str| {
            let at = text.find(ATTACHMENT_MARK).unwrap_or(text.len());
            let AttachmentReference { container, names } = split_at(text, at);
            (container, names)
        };
        assert_eq!(split("a.pdf#attachment=b.txt"), ("a.pdf", vec!["b.txt"]));
        assert_eq!(split("a.pdf#attachment=b.pdf#attachment=../c"), ("a.pdf", vec!["b.pdf", "../c"]));
        assert_eq!(split("a.pdf#attachment="), ("a.pdf", vec![""]));
    }

    #[test]
    fn keys_tell_names_apart_that_paths_would_not() {
        let container = FileKey([1; 32]);
        let keys = ["a/b", "a//b", "a/./b", "b"].map(|name| key_within(container, name));
        assert!(keys.iter().enumerate().all(|(at, key)| !keys.iter().skip(at + 1).any(|other| other == key)));
        assert_eq!(
            (decoded_name("a%20b%23"), decoded_name("100%"), decoded_name("%ff")),
            ("a b#".into(), "100%".into(), "%ff".into())
        );
    }
}
