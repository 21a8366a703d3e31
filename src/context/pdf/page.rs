//! Builds one page of an answer.

use super::PdfAnswerBuilder;
use super::estimate::image_tokens;
use super::plan::PlannedPage;
use crate::context::answer::{
    DocumentBlock, ImageBlock, PageFileName, SentPage, document_usage, image_usage, text_usage,
};
use crate::context::error::ContextError;
use crate::context::phrases::one_line;
use crate::context::token_estimate::estimated_tokens;
use crate::worker::PdfChunk;
use pagewise_base::hash::ContentHash;
use pagewise_base::page::{PageIndex, PageNumber};
use pagewise_text::{PageKind, PageRemark, PageText};
use pagewise_view::PageForm;
use pagewise_view::Usage;

/// One page, ready for the answer.
pub(crate) struct BuiltPage {
    pub(crate) body: PageBody,
    pub(crate) sent: SentPage,
    /// Whether all of it comes. What was cut is not held.
    pub(crate) is_whole: bool,
    pub(crate) replaces: bool,
    pub(crate) tokens: u64,
    /// What the answer notes of the page, beside its text.
    pub(crate) remarks: Vec<PageRemark>,
}

pub(crate) enum PageBody {
    /// A PDF, and the text after it; empty if there is nothing to say.
    Document {
        document: DocumentBlock,
        text: String,
    },
    Text(String),
    Picture {
        text: String,
        image: ImageBlock,
    },
}

impl PageBody {
    pub(super) fn usage(&self) -> Usage {
        match self {
            Self::Document { document, text } => {
                let mut sent = document_usage(document.bytes.len());
                sent.add(text_usage(text));
                sent
            }
            Self::Text(text) => text_usage(text),
            Self::Picture { text, image } => {
                let mut sent = text_usage(text);
                sent.add(image_usage(&image.bytes));
                sent
            }
        }
    }
}

/// What is advised where tables are doubtful.
const SEE_PICTURE: &str = "See it with as: \"image\"";

/// The text that is given of a page.
struct GivenText<'t> {
    form: PageForm,
    text: &'t str,
    /// What the answer notes of it.
    opening: Vec<PageRemark>,
    /// Why the requested form was refused.
    was_refused: Option<String>,
}

impl PdfAnswerBuilder<'_> {
    /// Builds a page in the requested form, or as text if it cannot be cut.
    pub(crate) fn build_page(&self, planned: PlannedPage) -> Result<BuiltPage, ContextError> {
        let made = match self.form_of(planned.page) {
            PageForm::Document | PageForm::Path => self.cut(planned.page),
            PageForm::Text | PageForm::Layout => return self.build_text(planned, None),
            PageForm::Markdown => return self.build_markdown(planned),
            PageForm::Image => return self.build_picture(planned),
        };
        match made {
            Ok(chunk)
                if byte_count(&chunk.bytes) > self.settings.max_block_bytes
                    && self.request.form == PageForm::Document =>
            {
                let why = format!(
                    "{} bytes are too many for a document block; as: \"path\" names a file with it",
                    chunk.bytes.len()
                );
                self.build_text(planned, Some(why))
            }
            Ok(chunk) => self.build_pdf(planned, chunk),
            Err(error) => {
                let text = self.build_text(planned, Some(error.to_string()));
                // If the text fails too, report the original error.
                text.map_err(|_| self.pdf_error(error))
            }
        }
    }

    fn build_pdf(&self, planned: PlannedPage, chunk: PdfChunk) -> Result<BuiltPage, ContextError> {
        let page = planned.page.number();
        let chunk_hash = chunk.blake3();
        let source = self.requested.known_hash().unwrap_or(chunk_hash);
        let sent = SentPage {
            page,
            label: self.document.page_label(planned.page),
            form: self.request.form,
            bytes: byte_count(&chunk.bytes),
            blake3: chunk_hash,
            fingerprint: None,
            tier: Some(chunk.tier),
            notes: chunk.notes,
            left_out: Vec::new(),
        };
        let comments = self.chooser().lines_beside(planned.page, PageForm::Document);
        let body = if self.request.form == PageForm::Path {
            let file = self.output.write(&self.page_file(page, chunk_hash), &chunk.bytes)?;
            let (named, path) = (self.page_name(planned.page), &self.requested.path);
            let place = format!("Page {named} of {path} was saved as a one-page PDF; read it at {}", file.display());
            PageBody::Text(format!("{place}{comments}"))
        } else {
            let title = format!("{} - Page {page}", self.requested.path);
            let document = DocumentBlock { title, page, source, bytes: chunk.bytes };
            PageBody::Document { document, text: comments.trim_start().to_owned() }
        };
        let tokens = self.tokens_as_pdf(planned.page);
        Ok(BuiltPage { body, sent, is_whole: true, replaces: planned.replaces, tokens, remarks: Vec::new() })
    }

    /// Whether the file written earlier for this page is still intact. A removed or changed file is written again.
    pub(crate) fn has_written_file(&self, page: PageIndex) -> bool {
        self.document.cut(page).is_ok_and(|chunk| {
            let hash = chunk.blake3();
            self.output.holds(&self.page_file(page.number(), hash), chunk.bytes.len())
        })
    }

    fn page_file(&self, page: PageNumber, hash: ContentHash) -> PageFileName<'_> {
        PageFileName { source: &self.requested.path, page, last: None, hash, extension: "pdf" }
    }

    /// Providers charge a PDF page for its text and its picture. Computed only for `maxTokens`.
    fn tokens_as_pdf(&self, page: PageIndex) -> u64 {
        if self.request.max_tokens.is_none() || self.request.form == PageForm::Path {
            return 0;
        }
        let image = self.document.page_geometry(page).map_or(0, |geometry| image_tokens(&geometry));
        let text = self.document.page_text(page).map_or(0, |page| estimated_tokens(&page.text));
        image.saturating_add(text)
    }

    pub(crate) fn build_text(&self, planned: PlannedPage, instead: Option<String>) -> Result<BuiltPage, ContextError> {
        let found = self.document.page_text(planned.page).map_err(|error| self.pdf_error(error))?;
        let opening = instead.iter().map(|reason| {
            let reason = one_line(reason);
            PageRemark::plain(format!("given as text, because it could not be given as requested: {reason}"))
        });
        let forms = self.forms.borrow();
        let chosen = forms.get(&planned.page);
        let layout = chosen.and_then(|chosen| chosen.layout.as_deref());
        let opening = opening.chain(chosen.and_then(|chosen| chosen.note).map(PageRemark::plain)).collect();
        let (form, text) = layout.map_or((PageForm::Text, found.text.as_str()), |layout| (PageForm::Layout, layout));
        let given = GivenText { form, text, opening, was_refused: instead };
        Ok(self.text_page(planned, &found, given))
    }

    /// A page as Markdown, or as text if its structure cannot be read.
    fn build_markdown(&self, planned: PlannedPage) -> Result<BuiltPage, ContextError> {
        let read = self.markdown.borrow_mut().remove(&planned.page);
        let read = match read {
            Some(Ok(read)) => read,
            Some(Err(error)) => return self.build_text(planned, Some(error.to_string())),
            None => return self.build_text(planned, Some("its structure was not read".to_owned())),
        };
        let doubts = || read.table_doubts().map(|doubt| format!("{doubt}. {SEE_PICTURE}"));
        let opening = doubts().map(PageRemark::plain).collect();
        let given = GivenText { form: PageForm::Markdown, text: &read.markdown, opening, was_refused: None };
        let mut page = self.text_page(planned, &read.text, given);
        page.sent.notes.extend(doubts());
        page.sent.left_out = read.left_out;
        Ok(page)
    }

    /// A page as a block of text. `found` is its plain text, with facts about its completeness.
    fn text_page(&self, planned: PlannedPage, found: &PageText, given: GivenText<'_>) -> BuiltPage {
        let GivenText { form, text: page_text, opening, was_refused } = given;
        let is_blank = found.kind == PageKind::Empty;
        let text = self.chooser().text_block(planned.page, form, page_text, is_blank);
        let sent = SentPage {
            page: planned.page.number(),
            label: self.document.page_label(planned.page),
            form,
            bytes: byte_count(page_text.as_bytes()),
            blake3: ContentHash::of(page_text.as_bytes()),
            fingerprint: None,
            tier: None,
            notes: was_refused.iter().cloned().chain(found.remarks().iter().map(ToString::to_string)).collect(),
            left_out: Vec::new(),
        };
        let tokens = estimated_tokens(&text);
        let is_whole = page_text.chars().count() <= self.settings.max_text_characters;
        let without = page_text.is_empty().then(|| {
            let forms = self.other_forms(was_refused.is_some());
            PageRemark::plain(format!("no text. To see it ask with {forms}."))
        });
        let remarks = if is_blank { Vec::new() } else { found.remarks() };
        let without = without.filter(|_| !is_blank);
        let remarks = opening.into_iter().chain(remarks).chain(without).collect();
        BuiltPage { body: PageBody::Text(text), sent, is_whole, replaces: planned.replaces, tokens, remarks }
    }

    /// Forms to suggest for a page without text, except the one that was just refused.
    fn other_forms(&self, was_refused: bool) -> &'static str {
        match self.request.form {
            PageForm::Document if was_refused => "as: \"image\" or as: \"path\"",
            PageForm::Image if was_refused => "as: \"document\" or as: \"path\"",
            _ => "as: \"image\", as: \"document\" or as: \"path\"",
        }
    }
}

pub(super) fn byte_count(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
