//! PDFs for tools that record nothing.

use super::{ContextError, ContextManager, OpenPdf, PdfFile, Requester};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_view::Principal;

impl ContextManager {
    /// A PDF that this process opened before in a conversation of `owner`, by its content hash. `None` if no such file is
    /// known, or its path now has other content.
    ///
    /// Nothing is recorded: the client reads it for itself, and its model may never see it.
    ///
    /// # Errors
    /// Every refusal of the file and the PDF.
    pub fn pdf_by_content(
        &self,
        content: &ContentHash,
        owner: Option<Principal>,
        cancellation: &Cancellation,
    ) -> Result<Option<OpenPdf>, ContextError> {
        let Some(reference) = self.contents.reference(content, owner) else { return Ok(None) };
        let requested = self.open_file(&reference, Requester::anybody(cancellation), None)?;
        if requested.content_hash(&self.hashes)? != *content {
            return Ok(None);
        }
        let document = self.document(&requested, None, cancellation)?;
        Ok(Some(requested.into_pdf(document, cancellation)))
    }

    /// Opens a PDF for a tool that needs no conversation. Cancelling ends all work on it.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf(
        &self,
        reference: &str,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenPdf, ContextError> {
        self.open_pdf_for(reference, password, Requester::anybody(cancellation))
    }

    /// Like [`Self::open_pdf`]; `reference` may also be the `responseId` of content that the conversation fetched.
    ///
    /// # Errors
    /// Every refusal of the file and of the reader.
    pub fn open_pdf_for(
        &self,
        reference: &str,
        password: Option<&str>,
        requester: Requester<'_>,
    ) -> Result<OpenPdf, ContextError> {
        self.sources.open_pdf(reference, password, &*self.reader, &self.limits, requester)
    }

    /// Parses an open file again: the same bytes, even if the name now leads elsewhere.
    ///
    /// # Errors
    /// Every refusal of the reader.
    pub fn open_pdf_again(
        &self,
        file: &PdfFile,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenPdf, ContextError> {
        file.clone().open(&*self.reader, password, cancellation)
    }
}
