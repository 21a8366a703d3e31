//! Chooses the form of each page.

use super::PdfAnswerBuilder;
use super::page::BuiltPage;
use super::plan::PlannedPage;
use crate::context::markdown::read_markdown;
use crate::context::phrases::page_or_pages;
use crate::context::request::form_name;
use crate::worker::StructuredPage;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::PageForm;

impl PdfAnswerBuilder<'_> {
    /// The form in which to give a page.
    pub(super) fn form_of(&self, page: PageIndex) -> PageForm {
        if !self.request.is_mixed {
            return self.request.form;
        }
        let mut known = self.forms.borrow_mut();
        *known.entry(page).or_insert_with(|| {
            let (form, reason) = match self.document.page_structure(page) {
                Ok(page) => self.mixed_form_of(&page),
                Err(_) => (self.request.form, "its structure cannot be read"),
            };
            tracing::debug!(page = page.number().get(), form = form_name(form), reason, "form chosen");
            form
        })
    }

    /// Text for a page that its text tells whole, Markdown for one with tables whose columns are certain. With the reason.
    fn mixed_form_of(&self, page: &StructuredPage) -> (PageForm, &'static str) {
        let is_certain = page.tables.iter().all(|table| table.is_certain);
        match page.tables.is_empty() {
            true if page.text.says_all() => (PageForm::Text, "its text says everything that it shows"),
            true => (self.request.form, "it shows more than its text says"),
            false if !is_certain => (self.request.form, "the columns of a table are not certain"),
            false if page.text.says_all_but_rules() => (PageForm::Markdown, "its tables are certain"),
            false => (self.request.form, "it shows more than its text and tables say"),
        }
    }

    /// Logs what a page was given as, and why not as was asked for.
    pub(super) fn log_page(&self, page: &BuiltPage) {
        let sent = &page.sent;
        let is_as_planned = sent.form == form_name(self.form_of(sent.page.index()));
        let refusal = sent.notes.first().filter(|_| !is_as_planned);
        tracing::debug!(page = sent.page.get(), form = sent.form, refusal, reader = sent.tier.as_deref(), "page built");
    }

    /// Reads the pages together that are to be given as Markdown.
    pub(super) fn read_markdown(&self, planned: &[PlannedPage]) {
        let mut wanted = planned.iter().map(|planned| planned.page).collect::<PageSet>();
        planned.iter().filter(|planned| self.form_of(planned.page) != PageForm::Markdown).for_each(|planned| {
            wanted.remove(planned.page);
        });
        while !wanted.is_empty() {
            let goes_on = || self.request.cancellation.check().is_ok();
            let read = read_markdown(self.document, &mut wanted, goes_on);
            self.markdown.borrow_mut().extend(read);
        }
    }

    /// Which form each page comes in, if the server chose more than one.
    pub(super) fn chosen_forms_note(&self, built: &[BuiltPage]) -> Option<String> {
        let pages = |form: &str| {
            let pages: PageSet =
                built.iter().filter(|page| page.sent.form == form).map(|page| page.sent.page.index()).collect();
            (!pages.is_empty()).then(|| format!("{} as {form}", page_or_pages(&pages)))
        };
        let forms = PageForm::ALL.into_iter().filter_map(|form| pages(form_name(form))).collect::<Vec<_>>();
        let is_chosen = self.request.is_mixed && forms.len() > 1;
        is_chosen.then(|| format!("Given here: {}.", forms.join(", ")))
    }
}
