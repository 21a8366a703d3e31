//! Chooses the form of each page.

use std::collections::BTreeMap;

use super::PdfAnswerBuilder;
use super::estimate::image_tokens;
use super::page::BuiltPage;
use super::plan::PlannedPage;
use crate::context::annotations::{AnnotationKind, annotation_lines};
use crate::context::answer::PageEstimate;
use crate::context::markdown::{read_markdown, write_pages};
use crate::context::phrases::{fenced, numbered, page_heading, page_or_pages};
use crate::context::request::{AnswerSettings, FileRequest, form_name};
use crate::context::token_estimate::estimated_tokens;
use crate::worker::{Pages, PdfError, StructuredPage};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_structure::{Line, LineRole, PageStructure, Region};
use pagewise_text::{PageKind, lists_pages};
use pagewise_view::PageForm;

/// The forms in which a client gets pages if it names none.
#[derive(Debug, Clone, Copy)]
pub struct GivenForms {
    pub(super) form: PageForm,
    pub(super) is_mixed: bool,
    pub(super) with_text: bool,
}

impl GivenForms {
    /// Text where it is complete, and pictures else.
    pub const MIXED: Self = Self { form: PageForm::Image, is_mixed: true, with_text: false };

    /// Text alone, as files with parts are given.
    pub(super) const TEXT: Self = Self { form: PageForm::Text, is_mixed: false, with_text: false };

    pub(in crate::context) fn of(request: &FileRequest) -> Self {
        Self { form: request.form, is_mixed: request.is_mixed, with_text: request.with_text }
    }

    /// Whether a page that comes as its picture comes with its text too. Providers read PDF pages as both.
    fn adds_text(self) -> bool {
        self.with_text || self.form == PageForm::Document
    }

    /// What a page costs as this form.
    pub(in crate::context) fn tokens(self, page: &PageEstimate) -> Option<u64> {
        match self.form {
            _ if self.is_mixed => page.mixed_tokens,
            PageForm::Text | PageForm::Markdown | PageForm::Layout => page.text_tokens,
            PageForm::Image if !self.with_text => page.image_tokens,
            PageForm::Image | PageForm::Document => Some(page.image_tokens?.saturating_add(page.text_tokens?)),
            PageForm::Path => None,
        }
    }
}

/// The form in which a page is given.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::context) struct ChosenForm {
    pub(super) form: PageForm,
    /// The text whose columns are kept by spaces, if it is given in place of the text in reading order.
    pub(super) layout: Option<String>,
    /// What the answer notes of it.
    pub(super) note: Option<&'static str>,
}

impl ChosenForm {
    fn plain(form: PageForm) -> Self {
        Self { form, layout: None, note: None }
    }

    fn columned(layout: String, note: Option<&'static str>) -> Self {
        Self { form: PageForm::Layout, layout: Some(layout), note }
    }
}

/// What is said of a page whose rows are kept by spaces.
const KEPT_COLUMNS: &str = "columns are kept by spaces as on the page, because its tables could not be read reliably";

/// How the line begins that ends the text of a page where it is cut.
pub const CUT_PAGE: &str = "[The page's text is cut at ";

/// A drawing with more curves and pictures than this may be a chart.
const MAX_ORNAMENTS: usize = 3;

/// Chooses the form of pages, and says what they cost in it.
pub(in crate::context) struct FormChooser<'a> {
    pub(in crate::context) document: &'a dyn Pages,
    pub(in crate::context) given: GivenForms,
    /// Characters of text in one answer.
    pub(in crate::context) max_text_characters: usize,
}

/// What these pages cost where the client leaves the choice of the form.
#[must_use]
pub fn page_estimates(
    document: &dyn Pages,
    read: BTreeMap<PageIndex, StructuredPage>,
    settings: &AnswerSettings,
) -> Vec<PageEstimate> {
    let max_text_characters = settings.max_text_characters;
    FormChooser { document, given: GivenForms::MIXED, max_text_characters }.estimates(read)
}

impl FormChooser<'_> {
    /// Chooses the form of a page, and says why. A client that has no form of its own gets the first of these that applies:
    /// Markdown, if all tables are certain; text with its columns, if the page is typed; Markdown, if the lines of
    /// plain text would break up its structure; text, if that says all that the page shows. Any other page is given as text with
    /// its columns, or as a picture.
    pub(super) fn choose(&self, page: PageIndex, read: &StructuredPage) -> (ChosenForm, &'static str) {
        let plain = ChosenForm::plain;
        let is_read = !read.structure.has_unread_rows && !splits_rows(&read.structure);
        let keeps_rows = is_read && read.tables.iter().all(|table| table.is_certain);
        let is_listing = !read.tables.is_empty() && read.text.says_all_but_rules();
        let has_chart = read.structure.figures.len() > MAX_ORNAMENTS;
        match () {
            () if !self.given.is_mixed => (plain(self.given.form), "the client gets all pages in it"),
            () if is_listing && keeps_rows => (plain(PageForm::Markdown), "its tables are certain"),
            () if read.text.says_all() && is_typed(&read.structure) => {
                let layout = layout_text(self.document, page);
                let chosen = layout.map_or(plain(PageForm::Text), |layout| ChosenForm::columned(layout, None));
                (chosen, "it is typed, so columns are kept")
            }
            () if read.text.says_all() && keeps_rows && needs_markdown(read) => (
                plain(PageForm::Markdown),
                "plain text would take apart its formulas, code, contents or numbered lines",
            ),
            () if read.tables.is_empty() && read.text.says_all() && keeps_rows => {
                (plain(PageForm::Text), "its text says everything that it shows")
            }
            () if read.text.says_all() || is_listing && !has_chart => (
                self.layout_of(page),
                "its tables could not be read reliably, so columns are kept where that costs less than a picture",
            ),
            () => (plain(self.given.form), "it shows more than its text and tables say"),
        }
    }

    /// The text with its columns kept by spaces, or the client's form where that costs less.
    fn layout_of(&self, page: PageIndex) -> ChosenForm {
        let layout = layout_text(self.document, page).ok();
        let layout = layout.filter(|layout| estimated_tokens(layout) <= self.picture_tokens(page).unwrap_or(0));
        layout.map_or(ChosenForm::plain(self.given.form), |layout| ChosenForm::columned(layout, Some(KEPT_COLUMNS)))
    }

    fn picture_tokens(&self, page: PageIndex) -> Option<u64> {
        self.document.page_geometry(page).ok().map(|geometry| image_tokens(&geometry))
    }

    /// The text block of a page. `is_blank`: the page is empty.
    pub(super) fn text_block(&self, page: PageIndex, form: PageForm, text: &str, is_blank: bool) -> String {
        let mut block = page_heading(self.page_name(page), true);
        if is_blank {
            block.push_str("[blank]");
        } else if text.is_empty() {
            block.push_str("[no text]");
        }
        block.push_str(&self.bounded_text(&fenced(text)));
        block.push_str(&self.lines_beside(page, form));
        block
    }

    pub(super) fn page_name(&self, page: PageIndex) -> String {
        numbered(page.number(), self.document.page_label(page).as_ref())
    }

    /// What stands beside the words of a page, with the gap to what is before it.
    pub(super) fn lines_beside(&self, page: PageIndex, form: PageForm) -> String {
        let lines = match self.document.annotations(page) {
            Ok(annotations) => annotation_lines(&annotations, AnnotationKind::beside(form)),
            Err(error) => format!("[Its comments, links and form fields cannot be read: {error}]"),
        };
        if lines.is_empty() { String::new() } else { format!("\n\n{lines}") }
    }

    /// A page's text, truncated to the bound of an answer: one page may hold a million characters.
    pub(super) fn bounded_text(&self, text: &str) -> String {
        let (max, length) = (self.max_text_characters, text.chars().count());
        if length <= max {
            return text.to_owned();
        }
        let kept = text.chars().take(max).collect::<String>();
        format!("{kept}\n{CUT_PAGE}{max} of {length} characters. Ask with as: \"path\" for all of it.]")
    }

    /// What these pages cost in each form. Those that are Markdown are read together.
    pub(in crate::context) fn estimates(&self, read: BTreeMap<PageIndex, StructuredPage>) -> Vec<PageEstimate> {
        let mixed = Self { given: GivenForms { is_mixed: true, ..self.given }, ..*self };
        let chosen: BTreeMap<PageIndex, ChosenForm> =
            read.iter().map(|(page, read)| (*page, mixed.choose(*page, read).0)).collect();
        let mut costs: BTreeMap<PageIndex, PageEstimate> =
            read.iter().map(|(page, read)| (*page, self.estimate(*page, read, chosen.get(page)))).collect();
        let is_markdown = |page: &PageIndex| chosen.get(page).is_some_and(|chosen| chosen.form == PageForm::Markdown);
        let wanted = read.keys().copied().filter(is_markdown).collect::<PageSet>();
        if !wanted.is_empty() {
            let read = read.into_iter().map(|(page, read)| (page, Ok(read))).collect();
            for (page, written) in write_pages(self.document, &wanted, read) {
                if let (Ok(written), Some(cost)) = (written, costs.get_mut(&page)) {
                    let block = self.text_block(page, PageForm::Markdown, &written.markdown, false);
                    cost.mixed_tokens = Some(estimated_tokens(&block));
                }
            }
        }
        costs.into_values().collect()
    }

    /// What a page costs, but for its Markdown.
    fn estimate(&self, page: PageIndex, read: &StructuredPage, chosen: Option<&ChosenForm>) -> PageEstimate {
        let is_blank = read.text.kind == PageKind::Empty;
        let tokens = |text: &str| estimated_tokens(&self.text_block(page, PageForm::Text, text, is_blank));
        let text_tokens = tokens(&read.text.text);
        let image_tokens = self.picture_tokens(page);
        let as_picture = || Some(image_tokens?.saturating_add(if self.given.adds_text() { text_tokens } else { 0 }));
        let mixed_tokens = match chosen {
            Some(ChosenForm { layout: Some(layout), .. }) => Some(tokens(layout)),
            Some(ChosenForm { form: PageForm::Text, .. }) => Some(text_tokens),
            _ => as_picture(),
        };
        PageEstimate {
            page: page.number(),
            text_tokens: Some(text_tokens),
            image_tokens,
            mixed_tokens,
            pdf_bytes: None,
        }
    }
}

/// The text of a page with its columns kept by spaces.
pub(super) fn layout_text(document: &dyn Pages, page: PageIndex) -> Result<String, PdfError> {
    document.page_words(page).map(|(_, words)| words.columned_text())
}

/// Lines of more words than this are prose.
const MAX_LABEL_WORDS: usize = 5;
/// Baselines that differ by less than this many ems are of one row.
const SAME_ROW: f32 = 0.3;
/// Rows of labels and values that may be apart in reading order: one is chance.
const MAX_SPLIT_ROWS: usize = 1;

/// A page with at least so many lines of one pitch has code.
const MIN_CODE_LINES: usize = 2;
/// At most one line in this many of a typed page is in another type.
const OTHER_LINES: usize = 10;

/// Whether plain text takes something apart that Markdown keeps together: the parts of a displayed formula, code and its
/// indentation, the titles of a table of contents and their pages. Numbers beside lines are left out in Markdown.
fn needs_markdown(read: &StructuredPage) -> bool {
    let lines = || lines_of(&read.structure);
    let is_number = |line: &Line| line.tag.is_some_and(|tag| tag.role == LineRole::LineNumber);
    lines().any(|line| line.is_formula() || is_number(line))
        || lines().filter(|line| line.is_monospace()).count() >= MIN_CODE_LINES
        || lists_pages(&read.text.text)
}

/// Whether a page is set in one pitch, as by a typewriter: its text is arranged by spaces.
fn is_typed(structure: &PageStructure) -> bool {
    let count = lines_of(structure).count();
    let others = lines_of(structure).filter(|line| !line.is_monospace()).count();
    count >= MIN_CODE_LINES && OTHER_LINES * others <= count
}

fn lines_of(structure: &PageStructure) -> impl Iterator<Item = &Line> {
    let columns = structure.regions.iter().filter_map(|region| match region {
        Region::Column(column) => Some(column),
        Region::Table(_) | Region::Figure(_) => None,
    });
    columns.flat_map(|column| &column.lines)
}

/// Whether the reading order takes rows of labels and values apart. Columns of prose stand side by side as well.
fn splits_rows(structure: &PageStructure) -> bool {
    let columns = structure.regions.iter().enumerate().filter_map(|(at, region)| match region {
        Region::Column(column) if column.turn == 0 => Some((at, column)),
        _ => None,
    });
    let mut lines: Vec<(usize, &Line)> =
        columns.flat_map(|(at, column)| column.lines.iter().map(move |line| (at, line))).collect();
    lines.sort_by(|(_, a), (_, b)| a.baseline.total_cmp(&b.baseline));
    let is_row = |a: &Line, b: &Line| b.baseline - a.baseline < SAME_ROW * a.size.min(b.size);
    let is_label = |line: &Line| line.words.len() <= MAX_LABEL_WORDS;
    let (mut split, mut prose) = (0, 0);
    for pair in lines.windows(2) {
        let [(first, a), (second, b)] = pair else { continue };
        if first == second || !is_row(a, b) {
            continue;
        }
        split += usize::from(is_label(a) && is_label(b));
        prose += usize::from(!is_label(a) && !is_label(b));
    }
    split > MAX_SPLIT_ROWS.max(prose)
}

impl PdfAnswerBuilder<'_> {
    /// The form in which to give a page.
    pub(super) fn form_of(&self, page: PageIndex) -> PageForm {
        if self.requested.kind.office().is_some() {
            return PageForm::Text;
        }
        if !self.request.is_mixed {
            return self.request.form;
        }
        let mut known = self.forms.borrow_mut();
        let chosen = known.entry(page).or_insert_with(|| {
            let (chosen, reason) = match self.document.page_structure(page) {
                Ok(read) => self.chooser().choose(page, &read),
                Err(_) => (ChosenForm::plain(self.request.form), "its structure cannot be read"),
            };
            tracing::debug!(page = page.number().get(), form = form_name(chosen.form), reason, "form chosen");
            chosen
        });
        chosen.form
    }

    pub(super) fn chooser(&self) -> FormChooser<'_> {
        FormChooser {
            document: self.document,
            given: GivenForms::of(self.request),
            max_text_characters: self.settings.max_text_characters,
        }
    }

    /// Logs what a page was given as, and why not as was asked for.
    pub(super) fn log_page(&self, page: &BuiltPage) {
        let sent = &page.sent;
        let is_as_planned = sent.form == self.form_of(sent.page.index());
        let refusal = sent.notes.first().filter(|_| !is_as_planned);
        let form = form_name(sent.form);
        tracing::debug!(page = sent.page.get(), form, refusal, reader = sent.tier.as_deref(), "page built");
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
        let pages = |form: PageForm| {
            let pages: PageSet =
                built.iter().filter(|page| page.sent.form == form).map(|page| page.sent.page.index()).collect();
            (!pages.is_empty()).then(|| format!("{} as {}", page_or_pages(&pages), form_name(form)))
        };
        let forms = PageForm::ALL.into_iter().filter_map(pages).collect::<Vec<_>>();
        let is_chosen = self.request.is_mixed && forms.len() > 1;
        is_chosen.then(|| format!("Given here: {}.", forms.join(", ")))
    }
}
