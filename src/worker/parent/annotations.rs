//! Requests about comments, links, form fields and attachments.

use bytes::Bytes;

use super::session::WorkerDocument;
use crate::worker::error::WorkerError;
use crate::worker::pages::PdfError;
use crate::worker::wire::{WorkerReply, WorkerRequest};
use pagewise_base::page::PageIndex;
use pagewise_document::{AnnotationCounts, Attachments, Form, PageAnnotations};

impl WorkerDocument {
    /// The comments, links and fields of a page.
    pub(super) fn ask_annotations(&self, page: PageIndex) -> Result<PageAnnotations, PdfError> {
        if self.session().extras_of(page).is_some_and(|extras| !extras.has_annotations) {
            return Ok(PageAnnotations::default());
        }
        match self.ask(&WorkerRequest::Annotations { page: page.0, from: self.text_source(page) })?.0 {
            WorkerReply::Annotations(annotations) => Ok(annotations.into()),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    /// How many comments and links there are.
    pub(super) fn ask_annotation_counts(&self) -> AnnotationCounts {
        let counts =
            self.ask_optional("The number of comments", &WorkerRequest::AnnotationCounts, |reply| match reply {
                WorkerReply::AnnotationCounts(counts) => Some(counts.into()),
                _ => None,
            });
        counts.unwrap_or_default()
    }

    /// The form with at most `max` fields.
    pub(super) fn ask_form(&self, max: usize) -> Form {
        let form = self.ask_optional("The form", &WorkerRequest::Form(max), |reply| match reply {
            WorkerReply::Form(form) => Some(form.into()),
            _ => None,
        });
        form.unwrap_or_default()
    }

    /// At most `max` attachments.
    pub(super) fn ask_attachments(&self, max: usize) -> Attachments {
        let attachments =
            self.ask_optional("The list of attachments", &WorkerRequest::Attachments(max), |reply| match reply {
                WorkerReply::Attachments(attachments) => Some(attachments.into()),
                _ => None,
            });
        attachments.unwrap_or_default()
    }

    /// The bytes of an attachment; `None` if there is none of this name.
    pub(super) fn ask_attachment(&self, name: &str) -> Result<Option<Bytes>, PdfError> {
        match self.ask(&WorkerRequest::Attachment(name.to_owned()))? {
            (WorkerReply::Attachment(exists), bytes) => Ok(exists.then_some(bytes)),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }
}
