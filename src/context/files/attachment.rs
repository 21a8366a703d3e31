//! Files within a PDF: `file.pdf#attachment=NAME` names an attachment, which may have attachments, and
//! `file.pdf#image=3.1` a picture of a page.
//!
//! The containing file is opened as any other, so roots and permissions apply to it. The part is decoded by the reader of
//! PDFs and becomes a file without a name in any folder: its name never becomes a path.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::{RequestedFile, Requester, Sources, shown_path, source_error};
use crate::context::annotations::ATTACHMENT_MARK;
use crate::context::error::ContextError;
use crate::context::pictures::{IMAGE_MARK, PagePictures, parse_picture};
use crate::source::{OpenFile, is_upload, is_url, parse_fetch_reference, percent_decode};
use crate::worker::{Pages, Reader};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Limits;
use pagewise_view::FileKey;

/// Parts within each other that one reference may name.
const MAX_DEPTH: usize = 4;

/// Names in the error for an attachment that is not there.
const MAX_NAMED: usize = 500;

/// How the PDFs that contain files are read.
#[derive(Clone, Copy)]
pub(crate) struct ContainerReader<'a> {
    pub(crate) reader: &'a dyn Reader,
    pub(crate) limits: &'a Limits,
    pub(crate) password: Option<&'a str>,
}

/// A file within a PDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    /// The attachment of this name.
    Attachment(&'a str),
    /// A picture, by the number of its page and its own.
    Picture(&'a str),
}

impl<'a> Part<'a> {
    fn mark(self) -> &'static str {
        match self {
            Self::Attachment(_) => ATTACHMENT_MARK,
            Self::Picture(_) => IMAGE_MARK,
        }
    }

    fn name(self) -> &'a str {
        match self {
            Self::Attachment(name) | Self::Picture(name) => name,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PartReference<'a> {
    /// The file that contains it.
    pub(crate) container: &'a str,
    /// If there are several, each is within the one before.
    parts: Vec<Part<'a>>,
}

impl Sources {
    /// The parts of a reference to a file within a PDF. `None` if it has no mark, or if a file has this very name.
    pub(crate) fn part<'a>(&self, reference: &'a str) -> Option<PartReference<'a>> {
        let marks = marks_in(reference);
        let first = *marks.first()?;
        let container = reference.get(..first)?;
        let has_fragment = is_url(reference) || starts_with_file_scheme(reference);
        if has_fragment || parse_fetch_reference(container).is_some() || is_upload(container) {
            return Some(split_at(reference, first));
        }
        let is_there = |path: &str| self.resolve(path).is_ok_and(|path| self.is_there(&path));
        if is_there(reference) {
            return None;
        }
        let mut ends = marks.iter().rev().copied().take(MAX_DEPTH);
        let container = ends.find(|at| reference.get(..*at).is_some_and(is_there));
        Some(split_at(reference, container.unwrap_or(first)))
    }

    pub(super) fn open_part(
        &self,
        reference: &PartReference<'_>,
        requester: Requester<'_>,
        container: &ContainerReader<'_>,
    ) -> Result<RequestedFile, ContextError> {
        if reference.parts.len() > MAX_DEPTH {
            let path = reference.container.to_owned();
            return Err(ContextError::AttachmentDepth { path, max: MAX_DEPTH });
        }
        let mut file = self.open_plain(reference.container, requester)?;
        for part in &reference.parts {
            let document =
                file.document(container.password, container.reader, container.limits, requester.cancellation)?;
            file = match part {
                Part::Attachment(name) => file.attached(name, &*document)?,
                Part::Picture(name) => file.pictured(name, &*document)?,
            };
        }
        Ok(file)
    }

    /// The key of a part within the file of `container`.
    pub(super) fn key_of_part(reference: &PartReference<'_>, container: FileKey) -> FileKey {
        reference.parts.iter().fold(container, |container, part| key_within(container, *part))
    }
}

fn starts_with_file_scheme(reference: &str) -> bool {
    reference.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Where the marks of parts begin, in order.
fn marks_in(reference: &str) -> Vec<usize> {
    let all = [ATTACHMENT_MARK, IMAGE_MARK].into_iter().flat_map(|mark| reference.match_indices(mark));
    let mut starts = all.map(|(at, _)| at).collect::<Vec<_>>();
    starts.sort_unstable();
    starts
}

fn split_at(reference: &str, end: usize) -> PartReference<'_> {
    let (container, rest) = reference.split_at_checked(end).unwrap_or((reference, ""));
    let starts = marks_in(rest);
    let ends = starts.iter().skip(1).copied().chain([rest.len()]);
    let parts = starts.iter().zip(ends).filter_map(|(start, end)| {
        let part = rest.get(*start..end)?;
        let attachment = part.strip_prefix(ATTACHMENT_MARK).map(Part::Attachment);
        attachment.or_else(|| part.strip_prefix(IMAGE_MARK).map(Part::Picture))
    });
    PartReference { container, parts: parts.collect() }
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
        match bytes {
            Some(bytes) => self.within(Part::Attachment(name), &bytes),
            None => Err(self.no_attachment(&decoded, document)),
        }
    }

    /// The picture that a reference calls `name`: `3.1` is the first of page 3.
    fn pictured(&self, name: &str, document: &dyn Pages) -> Result<Self, ContextError> {
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let missing = |page: Option<u32>, pictures: usize| ContextError::NoPicture {
            path: self.path.clone(),
            name: name.to_owned(),
            page,
            pictures,
        };
        let (page, number) = parse_picture(name).ok_or_else(|| missing(None, 0))?;
        if page.0 >= document.page_count() {
            let (number, page_count) = (page.number().get().into(), document.page_count());
            return Err(ContextError::PageOutOfRange { number, page_count, is_zero_based: false });
        }
        let pictures = PagePictures::of(document, page).map_err(failed)?;
        let file = pictures.file(document, page, number).map_err(failed)?;
        let bytes = file.ok_or_else(|| missing(Some(page.number().get()), pictures.pictures.len()))?;
        self.within(Part::Picture(name), &bytes)
    }

    /// A part of this file as a file.
    fn within(&self, part: Part<'_>, bytes: &[u8]) -> Result<Self, ContextError> {
        let (mark, name) = (part.mark(), part.name());
        let path = shown_path(&format!("{}{mark}{name}", self.path));
        let absolute = PathBuf::from(format!("{}{mark}{name}", self.absolute.display()));
        let file = OpenFile::anonymous(Path::new(&path), bytes).map_err(|error| source_error(&path, error))?;
        let kind = file.kind().map_err(|error| source_error(&path, error))?;
        let hash = OnceLock::from(ContentHash::of(bytes));
        let key = key_within(self.key, part);
        Ok(Self { path, absolute, file_bytes: file.len(), kind, key, file: Arc::new(file), hash })
    }

    fn no_attachment(&self, name: &str, document: &dyn Pages) -> ContextError {
        let attachments = document.attachments(MAX_NAMED);
        let names = attachments.items.into_iter().map(|file| file.name).collect();
        ContextError::NoAttachment { path: self.path.clone(), name: name.to_owned(), names, total: attachments.total }
    }
}

/// The key of a part of a file.
fn key_within(container: FileKey, part: Part<'_>) -> FileKey {
    let name = decoded_name(part.name());
    FileKey(ContentHash::of(&[&container.0[..], part.mark().as_bytes(), name.as_bytes()].concat()).0)
}

/// `name` with each `%xx` decoded; as it is if an escape is malformed or the bytes are no UTF-8.
fn decoded_name(name: &str) -> String {
    percent_decode(name).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn a_reference_is_split_at_each_mark() {
        use Part::{Attachment, Picture};
        let split = |text: &'static str| {
            let PartReference { container, parts } = split_at(text, marks_in(text)[0]);
            (container, parts)
        };
        assert_eq!(split("a.pdf#attachment=b.txt"), ("a.pdf", vec![Attachment("b.txt")]));
        let nested = "a.pdf#attachment=b.pdf#attachment=../c.pdf#image=3.1";
        assert_eq!(split(nested), ("a.pdf", vec![Attachment("b.pdf"), Attachment("../c.pdf"), Picture("3.1")]));
        assert_eq!(split("a.pdf#attachment="), ("a.pdf", vec![Attachment("")]));
    }

    #[test]
    fn keys_tell_names_apart_that_paths_would_not() {
        let container = FileKey([1; 32]);
        let names = ["a/b", "a//b", "a/./b", "b"];
        let parts = names.into_iter().map(Part::Attachment).chain([Part::Picture("b")]);
        let keys = parts.map(|part| key_within(container, part)).collect::<Vec<_>>();
        assert!(keys.iter().enumerate().all(|(at, key)| !keys.iter().skip(at + 1).any(|other| other == key)));
        assert_eq!(
            (decoded_name("a%20b%23"), decoded_name("100%"), decoded_name("%ff")),
            ("a b#".into(), "100%".into(), "%ff".into())
        );
    }
}
