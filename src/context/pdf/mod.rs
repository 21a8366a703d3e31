//! `get_file` for PDFs: the summary, or pages.

mod budget;
mod compare;
mod coverage;
mod estimate;
mod forms;
mod held;
mod identity;
mod labels;
mod page;
mod picture;
mod plan;
mod revision_diff;
mod sample;
mod section;
mod selection;
mod summary;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::compare::PageChanges;
pub(super) use self::compare::{MAX_COMPARED, page_changes};
pub use self::coverage::UnreadParts;
pub(super) use self::coverage::sections_of;
pub use self::estimate::{image_tokens, picture_tokens};
pub(super) use self::forms::FormChooser;
pub use self::forms::{CUT_PAGE, GivenForms, page_estimates};
pub(super) use self::held::held_summary;
pub(super) use self::identity::PageIdentities;
pub use self::plan::{HeldStatus, PagePlan, PlannedPage, plan_pages};
pub(super) use self::revision_diff::RevisionDiff;
pub use self::revision_diff::{moved_phrase, page_change_lines};
pub use self::sample::pages_with_hidden_text;
pub(super) use self::sample::sample;
pub use self::selection::{SelectedPages, select_from, select_page};

use self::budget::AnswerBudget;
use self::coverage::coverage_line;
use self::forms::ChosenForm;
use self::held::PageOrigin;
use self::page::{BuiltPage, PageBody};
use self::plan::rest_of;
use self::revision_diff::change_lines;
use self::sample::PageSample;
use self::selection::select;
use self::summary::SummaryInput;
pub use self::summary::{FormCost, SummaryFacts};
use super::answer::{AnswerDetails, AnswerDraft, Block, BoundExceeded, NextCall, OutputFolder, usage_of};
use super::conversation::FileMemory;
use super::error::ContextError;
use super::files::RequestedFile;
use super::markdown::MarkdownPages;
use super::page_notes::PageNotes;
use super::phrases::{
    fenced, more_fields_note, next_call, one_line, page_heading, page_or_pages, unrecognised_notes, untrusted_pages,
};
use super::progress::ProgressListener;
use super::quote_history::text_key;
use super::request::{AnswerSettings, FileRequest};
use crate::worker::{Pages, PdfChunk, PdfError, RecognisingDocument};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_base::parts::PartsFault;
use pagewise_view::{FileKey, HeldItem, PageForm};

/// Builds one answer about a PDF.
pub(super) struct PdfAnswerBuilder<'a> {
    pub(super) requested: &'a RequestedFile,
    pub(super) request: &'a FileRequest,
    pub(super) settings: &'a AnswerSettings,
    pub(super) output: &'a OutputFolder,
    pub(super) document: &'a dyn Pages,
    /// The document, as what recognises its pages.
    pub(super) recognising: &'a RecognisingDocument<'a>,
    pub(super) memory: &'a FileMemory,
    pub(super) progress: &'a dyn ProgressListener,
    /// Looks up the path of a file that was given before.
    pub(super) path_of: &'a dyn Fn(FileKey) -> Option<String>,
    /// Where the held pages were given.
    pub(super) origins: RefCell<BTreeMap<PageIndex, PageOrigin>>,
    pub(super) identities: PageIdentities<'a>,
    /// Cached, because choosing a form reads the page.
    pub(super) forms: RefCell<BTreeMap<PageIndex, ChosenForm>>,
    /// Pages of the answer that were read together, until they are built.
    pub(super) markdown: RefCell<MarkdownPages>,
}

impl AnswerDraft {
    /// Adds what changed since an earlier version. Pages in `given` or `held` are mentioned elsewhere in the answer, so
    /// they are not listed as changed or added.
    fn add_revision_diff(
        &mut self,
        diff: Option<RevisionDiff>,
        file: Option<FileKey>,
        given: &PageSet,
        held: &PageSet,
    ) -> Vec<String> {
        let Some(mut diff) = diff else { return Vec::new() };
        self.forget.extend(file.iter().flat_map(|file| diff.forget(*file)));
        self.holdings.extend(std::mem::take(&mut diff.holdings));
        held.iter().for_each(|page| diff.changes.leave_out(page));
        let lines = change_lines(&diff.changes, given);
        self.details.changes = (!diff.changes.is_empty()).then_some(diff.changes);
        lines
    }
}

impl PdfAnswerBuilder<'_> {
    /// Builds the summary, or the requested pages.
    pub(super) fn draft(&self) -> Result<AnswerDraft, ContextError> {
        match select(&self.request.part, self.document)? {
            None => self.summary(),
            Some(selected) => self.pages(&selected),
        }
    }

    fn details(&self) -> AnswerDetails {
        AnswerDetails {
            file: self.requested.path.clone(),
            mime_type: self.requested.kind.mime(),
            blake3: self.requested.known_hash(),
            pages: Some(self.document.page_count()),
            notes: self.document.notes().into_iter().chain(self.requested.identity_note()).collect(),
            ..AnswerDetails::default()
        }
    }

    fn summary(&self) -> Result<AnswerDraft, ContextError> {
        let sample = PageSample::of(&self.chooser());
        let is_office = self.requested.kind.office().is_some();
        let can_cut = sample.can_cut || is_office || sample.estimates.is_empty();
        let input = self.summary_input(&sample);
        let (text, facts) = if can_cut {
            let (text, facts) = input.read();
            (text, Some(Box::new(facts)))
        } else {
            (self.fallback_text(&sample)?, None)
        };
        let mut details = self.details();
        details.supports_page_extraction = Some(can_cut && !is_office);
        details.estimates = sample.estimates;
        let fields = facts.as_ref().map_or(0, |facts| facts.info.form_fields);
        details.notes.extend(more_fields_note(self.document, fields));
        let holdings = vec![HeldItem::Summary { supports_page_extraction: can_cut }];
        let mut draft = AnswerDraft { summary: facts, ..AnswerDraft::new(Block::Text(text), details, holdings) };
        let lines = draft.add_revision_diff(
            self.revision_diff(),
            self.memory.file(),
            &PageSet::new(),
            &self.memory.pages_held(),
        );
        let changed =
            |lines: Vec<String>| format!("This file has changed since it was given to you.\n{}", lines.join("\n"));
        draft.blocks.extend((!lines.is_empty()).then(|| Block::Text(changed(lines))));
        let checked =
            self.memory.sent().map(|so_far| self.settings.request_bounds.check(&so_far, &usage_of(&draft.blocks)));
        let full = |full| ContextError::ConversationFull { path: self.requested.path.clone(), full };
        checked.unwrap_or(Ok(())).map_err(full)?;
        Ok(draft)
    }

    fn summary_input<'s>(&'s self, sample: &'s PageSample) -> SummaryInput<'s> {
        SummaryInput {
            path: &self.requested.path,
            file_bytes: self.requested.file_bytes,
            document: self.document,
            sample,
            forms: if self.requested.kind.office().is_some() { GivenForms::TEXT } else { GivenForms::of(self.request) },
            held: self.memory.held_lines(),
            max_outline_items: self.settings.max_outline_items,
        }
    }

    /// The document's text in place of a summary, if its pages cannot be cut.
    fn fallback_text(&self, sample: &PageSample) -> Result<String, ContextError> {
        let reason = sample.cut_failure.as_deref().unwrap_or("no page could be cut");
        let mut text = format!(
            "PDF Document: {}\nPages: {}\nPages of this document cannot be extracted ({}); its text follows.\n{}\n",
            self.requested.path,
            self.document.page_count(),
            one_line(reason),
            untrusted_pages(&self.requested.path),
        );
        self.push_pages(&mut text)?;
        Ok(text)
    }

    /// Appends pages until the answer is full. Unreadable pages are named, unless all are unreadable.
    fn push_pages(&self, text: &mut String) -> Result<(), ContextError> {
        let (mut characters, mut failure, mut is_readable) = (0, None, false);
        for page in PageSet::all(self.document.page_count()).iter() {
            self.request.cancellation.check().map_err(|stopped| self.pdf_error(stopped.into()))?;
            let page_text = match self.document.page_text(page) {
                Ok(page) => {
                    is_readable = true;
                    self.chooser().bounded_text(&page.text)
                }
                Err(error) => {
                    let note = format!("[Its text cannot be read: {error}]");
                    failure.get_or_insert(error);
                    note
                }
            };
            // Headings count too: a million pages may be empty.
            let piece = format!("\n{}{}\n", page_heading(page.number(), true), fenced(&page_text));
            characters += piece.chars().count();
            if characters > self.settings.max_text_characters && page.0 > 0 {
                text.push_str(&self.text_continues(page));
                return Ok(());
            }
            text.push_str(&piece);
        }
        failure.filter(|_| !is_readable).map_or(Ok(()), |error| Err(self.pdf_error(error)))
    }

    fn text_continues(&self, page: PageIndex) -> String {
        let next = [("pages", format!("{}-", page.number()).into()), ("as", "text".into())];
        format!(
            "\n[The text ends here: {} characters per answer. {}]",
            self.settings.max_text_characters,
            next_call("get_file", &self.request.arguments, &next)
        )
    }

    fn pages(&self, selected: &SelectedPages) -> Result<AnswerDraft, ContextError> {
        self.check_form()?;
        let mut plan = tracing::debug_span!("plan").in_scope(|| self.plan(&selected.pages));
        let (held, deferred) = (plan.held.to_string(), plan.deferred.to_string());
        tracing::debug!(pages = plan.send.len(), held, deferred, is_mixed = self.request.is_mixed, "planned");
        let BuiltPages { built, unreadable, full } = self.build_pages(&mut plan)?;
        let mut draft = AnswerDraft { details: self.details(), ..AnswerDraft::default() };
        let sent = built.iter().map(|page| page.sent.page.index()).collect();
        let diff = draft.add_revision_diff(self.revision_diff(), self.memory.file(), &sent, &plan.held);
        draft.details.supports_page_extraction = self.supports_extraction(&built);
        draft.details.already_held = plan.held.clone();
        draft.details.deferred = plan.deferred.clone();
        draft.details.next = (!plan.deferred.is_empty()).then(|| NextCall::Pages(plan.deferred.clone()));
        draft.blocks.extend(self.opening_text(selected, &built).map(Block::Text));
        draft.holdings.extend(self.held_elsewhere(&plan.held));
        let quotes = built.iter().any(|page| page.sent.form.is_text() || page.sent.form == PageForm::Image);
        let untrusted = quotes.then(|| untrusted_pages(&self.requested.path));
        let noted = page_notes(&built);
        let first = draft.blocks.len();
        for page in built {
            self.add_page(&mut draft, page);
        }
        draft.content = first..draft.blocks.len();
        let unrecognised = unrecognised_notes(&self.recognising.report(), |pages| {
            self.request.next_call(&NextCall::Pages(pages.clone()))
        });
        let unread: Vec<String> = unreadable.into_iter().chain(unrecognised).collect();
        draft.details.held_elsewhere = self.elsewhere_sentences();
        draft.details.notes.extend(selected.note.clone());
        draft.details.notes.extend(full.as_ref().map(|full| format!("Limit reached: {full}")));
        let closing = self.closing_lines(&plan, &draft.details.replaced, full.as_ref());
        draft.details.read_so_far = self.pages_read(&draft.holdings);
        let coverage =
            draft.details.read_so_far.iter().filter_map(|read| coverage_line(read, self.document.page_count()));
        let told =
            self.held_lines().into_iter().chain(closing).chain(diff).chain(unread.iter().cloned()).chain(coverage);
        let lines = untrusted.into_iter().chain(noted).chain(told);
        draft.blocks.extend(joined(lines).map(Block::Text));
        draft.details.notes.extend(unread);
        Ok(draft)
    }

    /// Refuses pictures and PDFs of a file that has parts in place of pages, whatever the conversation holds.
    fn check_form(&self) -> Result<(), ContextError> {
        let needs_pages = self.request.is_form_named && !self.request.is_mixed && !self.request.form.is_text();
        match self.requested.kind.office().filter(|_| needs_pages) {
            Some(format) => Err(self.pdf_error(PartsFault::OnlyText.of(format).into())),
            None => Ok(()),
        }
    }

    /// The pages that the conversation will have read once `holdings` are recorded.
    fn pages_read(&self, holdings: &[HeldItem]) -> Option<PageSet> {
        let mut read = self.memory.pages_read()?;
        for holding in holdings {
            if let HeldItem::Page { page, .. } = holding {
                read.insert(*page);
            }
        }
        Some(read)
    }

    fn plan(&self, wanted: &PageSet) -> PagePlan {
        plan_pages(wanted, self.settings.max_pages, |page| {
            if self.request.force || !self.memory.holds_pages() {
                return HeldStatus::NotHeld;
            }
            self.held_status(page)
        })
    }

    /// Builds the planned pages until the answer is full. The rest moves to `plan.deferred`.
    ///
    /// A page that cannot be read in any form is named and skipped. If none can be read, that is an error.
    fn build_pages(&self, plan: &mut PagePlan) -> Result<BuiltPages, ContextError> {
        let (mut made, mut failure) = (BuiltPages::default(), None);
        self.read_markdown(&plan.send);
        let mut budget = AnswerBudget::new(self.request, self.settings, self.memory.sent());
        self.progress.starts(u64::try_from(plan.send.len()).unwrap_or(u64::MAX));
        for planned in &plan.send {
            let page = self.build_page(*planned);
            self.progress.page_done();
            let page = match page {
                Ok(page) => page,
                Err(ContextError::Pdf { path, error }) => {
                    made.unreadable.push(format!("Page {} cannot be read: {error}", self.page_name(planned.page)));
                    failure.get_or_insert(ContextError::Pdf { path, error });
                    continue;
                }
                Err(error) => return Err(error),
            };
            let full = budget.exceeded_bound(&page);
            let fits = full.is_none() && budget.try_take(&page);
            if full.is_some() || !fits && !made.built.is_empty() {
                made.full = full;
                let unsent = plan.send.iter().map(|planned| planned.page).collect::<PageSet>();
                plan.deferred.union(&rest_of(&unsent, planned.page));
                break;
            }
            self.log_page(&page);
            made.built.push(page);
        }
        if made.built.is_empty() {
            let path = || self.requested.path.clone();
            let full = made.full.map(|full| ContextError::ConversationFull { path: path(), full });
            return full.or(failure).map_or(Ok(made), Err);
        }
        Ok(made)
    }

    fn add_page(&self, draft: &mut AnswerDraft, mut page: BuiltPage) {
        let index = page.sent.page.index();
        if page.replaces {
            draft.details.replaced.insert(index);
        }
        let form = page.sent.form;
        page.sent.fingerprint = self.identity(index, form);
        let held = page.sent.fingerprint.filter(|_| page.is_whole);
        let held = held.map(|fingerprint| HeldItem::Page { fingerprint, page: index, form, is_shared: false });
        if let (Some(HeldItem::Page { fingerprint, .. }), PageBody::Text(text)) = (&held, &page.body) {
            draft.texts.push((text_key(*fingerprint), Arc::from(text.as_str())));
        }
        draft.holdings.extend(held);
        draft.details.sent.push(page.sent);
        match page.body {
            PageBody::Document { document, text } => {
                draft.blocks.push(Block::Document(document));
                draft.blocks.extend((!text.is_empty()).then_some(Block::Text(text)));
            }
            PageBody::Text(text) => draft.blocks.push(Block::Text(text)),
            PageBody::Picture { text, image } => draft.blocks.extend([Block::Text(text), Block::Image(image)]),
        }
    }

    fn opening_text(&self, selected: &SelectedPages, built: &[BuiltPage]) -> Option<String> {
        joined([selected.note.clone(), self.chosen_forms_note(built)].into_iter().flatten())
    }

    fn closing_lines(&self, plan: &PagePlan, replaced: &PageSet, full: Option<&BoundExceeded>) -> Vec<String> {
        let replaces = (!replaced.is_empty()).then(|| {
            let (pages, it_was) = (page_or_pages(replaced), if replaced.len() == 1 { "it was" } else { "they were" });
            format!("Changed since {it_was} given to you: {pages}. What is sent now replaces the earlier version.")
        });
        let named = page_or_pages(&plan.deferred);
        let next = || self.request.next_call(&NextCall::Pages(plan.deferred.clone()));
        let deferred = (full.is_none() && !plan.deferred.is_empty())
            .then(|| format!("Did not fit in this answer: {named}. {}", next()));
        let full = full.map(|full| format!("Limit reached, so without {named}: {full}. {}", full.next()));
        [replaces, deferred, full].into_iter().flatten().collect()
    }

    /// What changed since an earlier version, if the agent does not know yet.
    fn revision_diff(&self) -> Option<RevisionDiff> {
        self.memory.revision_diff(&self.identities)
    }

    /// The identity of a page in a form, if there is a conversation and the page can be read.
    pub(super) fn identity(&self, page: PageIndex, form: PageForm) -> Option<PageFingerprint> {
        if self.memory.is_active() { self.identities.identity(page, form) } else { None }
    }

    /// The page as a PDF. Computes its identity too, if a conversation needs it.
    pub(super) fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError> {
        if self.memory.is_active() { self.identities.cut(page) } else { self.document.cut(page) }
    }

    fn supports_extraction(&self, built: &[BuiltPage]) -> Option<bool> {
        let cut = built.iter().any(|page| page.sent.tier.is_some());
        let asked_for_pdf = matches!(self.request.form, PageForm::Document | PageForm::Path);
        (asked_for_pdf && !built.is_empty()).then_some(cut)
    }

    pub(super) fn page_name(&self, page: PageIndex) -> String {
        self.chooser().page_name(page)
    }

    pub(super) fn pdf_error(&self, error: PdfError) -> ContextError {
        ContextError::Pdf { path: self.requested.path.clone(), error }
    }
}

/// What is noted of the pages, each kind of note once.
fn page_notes(built: &[BuiltPage]) -> Vec<String> {
    let mut notes = PageNotes::default();
    for page in built {
        page.remarks.iter().for_each(|remark| notes.add(page.sent.page.index(), remark));
    }
    notes.sentences().into_iter().map(|note| format!("Note: {note}")).collect()
}

/// The result of building a plan.
#[derive(Default)]
struct BuiltPages {
    built: Vec<BuiltPage>,
    /// A sentence for each page that cannot be read.
    unreadable: Vec<String>,
    /// The provider bound that allows no further page.
    full: Option<BoundExceeded>,
}

fn joined(lines: impl Iterator<Item = String>) -> Option<String> {
    let text = lines.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}
