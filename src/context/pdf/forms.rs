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
        *known.entry(page).or_insert_with(|| match self.document.page_structure(page) {
            Ok(page) => self.mixed_form_of(&page),
            Err(_) => self.request.form,
        })
    }

    /// Text for a page that its text tells whole, Markdown for one with tables whose columns are certain.
    fn mixed_form_of(&self, page: &StructuredPage) -> PageForm {
        let is_certain = page.tables.iter().all(|table| table.is_certain);
        match () {
            () if page.tables.is_empty() && page.text.says_all() => PageForm::Text,
            () if !page.tables.is_empty() && is_certain && page.text.says_all_but_rules() => PageForm::Markdown,
            () => self.request.form,
        }
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
