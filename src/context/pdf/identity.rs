//! What identifies a page in the form in which it is given.
//!
//! A text form is identified by its text: whatever the text was made from, a page whose text is the same is the same, and
//! another text is another page. Documents and pictures are identified by the page's fingerprint, and by the text beside
//! them. Page numbers and labels do not count, since pages move.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::forms::layout_text;
use crate::context::annotations::{AnnotationKind, annotation_lines};
use crate::context::markdown::read_markdown;
use crate::worker::{PageText, Pages, PdfChunk, PdfError};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::PageForm;

/// Changes when the identities of the same pages change, so that earlier ones match nothing.
const DOMAIN: &str = "pagewise page as it is given, version 1";

/// The identities of a document's pages, each computed once.
pub(crate) struct PageIdentities<'d> {
    /// The document itself: recognition may fail or take another turn, and reads what the fingerprint covers.
    document: &'d dyn Pages,
    known: RefCell<BTreeMap<(PageIndex, PageForm), Option<PageFingerprint>>>,
    fingerprints: RefCell<BTreeMap<PageIndex, Option<PageFingerprint>>>,
}

impl<'d> PageIdentities<'d> {
    pub(crate) fn of(document: &'d dyn Pages) -> Self {
        Self { document, known: RefCell::default(), fingerprints: RefCell::default() }
    }

    pub(crate) fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    /// The identity of a page in a form; `None` if it cannot be read.
    pub(crate) fn identity(&self, page: PageIndex, form: PageForm) -> Option<PageFingerprint> {
        if let Some(known) = self.known.borrow().get(&(page, form)) {
            return *known;
        }
        let identity = match form {
            PageForm::Document | PageForm::Path => self.with_fingerprint(page, &[self.beside(page, form)]),
            PageForm::Image => {
                let text = self.document.page_text(page).map(|page| page.text).unwrap_or_default();
                self.with_fingerprint(page, &[text, self.beside(page, form)])
            }
            PageForm::Text | PageForm::Markdown | PageForm::Layout => self.text_identity(page, form),
        };
        self.known.borrow_mut().insert((page, form), identity);
        identity
    }

    /// The page as a PDF. Computes its fingerprint in the same operation.
    pub(super) fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError> {
        if self.fingerprints.borrow().contains_key(&page) {
            return self.document.cut(page);
        }
        let (chunk, fingerprint) = self.document.cut_and_identify(page)?;
        self.fingerprints.borrow_mut().insert(page, fingerprint);
        Ok(chunk)
    }

    fn fingerprint(&self, page: PageIndex) -> Option<PageFingerprint> {
        *self.fingerprints.borrow_mut().entry(page).or_insert_with(|| self.document.fingerprint(page).ok())
    }

    fn with_fingerprint(&self, page: PageIndex, said: &[String]) -> Option<PageFingerprint> {
        let fingerprint = self.fingerprint(page)?;
        let is_silent = said.iter().all(String::is_empty);
        Some(if is_silent { fingerprint } else { digest(said, Some(fingerprint)) })
    }

    /// The text that is given and what is noted of it. The fingerprint counts too where recognition may read the page, and
    /// where there is no text.
    fn text_identity(&self, page: PageIndex, form: PageForm) -> Option<PageFingerprint> {
        let (found, text) = self.text(page, form)?;
        let remarks = found.remarks().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let is_painted = found.is_doubtful() || text.is_empty();
        let said = [text, self.beside(page, form), remarks];
        if is_painted { Some(digest(&said, Some(self.fingerprint(page)?))) } else { Some(digest(&said, None)) }
    }

    /// The page's plain text, and its text in a form. Markdown is that of the page alone: what is read with it changes
    /// where paragraphs are divided.
    fn text(&self, page: PageIndex, form: PageForm) -> Option<(PageText, String)> {
        if form != PageForm::Markdown {
            let found = self.document.page_text(page).ok()?;
            let text = match form {
                PageForm::Layout => layout_text(self.document, page).ok()?,
                _ => found.text.clone(),
            };
            return Some((found, text));
        }
        let mut alone: PageSet = [page].into_iter().collect();
        let read = read_markdown(self.document, &mut alone, || true).remove(&page)?.ok()?;
        Some((read.text, read.markdown))
    }

    fn beside(&self, page: PageIndex, form: PageForm) -> String {
        let kinds = AnnotationKind::beside(form);
        self.document.annotations(page).map_or_else(|_| String::new(), |found| annotation_lines(&found, kinds))
    }
}

fn digest(said: &[String], fingerprint: Option<PageFingerprint>) -> PageFingerprint {
    let mut hasher = blake3::Hasher::new_derive_key(DOMAIN);
    for part in said.iter().map(String::as_bytes).chain(fingerprint.iter().map(|print| print.0.as_slice())) {
        hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes()).update(part);
    }
    PageFingerprint(*hasher.finalize().as_bytes())
}
