//! Captions: by their label, their type and the figure or table beside them.

use super::super::caption_label::{is_caption_label, names_figure};
use super::super::page_structure::{Line, Region};
use super::DocumentPage;
use super::drafts::{Draft, DraftKind};
use super::joins::append_below;
use super::type_statistics::TypeStatistics;
use crate::list_marks::MarkerKind;
use crate::measures::SET_SMALLER;
use pagewise_text::Bounds;

/// A caption stands so near to its figure or table, in ems.
const NEAR_EM: f32 = 2.5;
/// A caption stands at most so far below a label in a line of its own, in leadings.
const LABEL_SPACE: f32 = 1.6;
/// A figure is at least so high or wide, in points.
const MIN_FIGURE_PT: f32 = 20.0;
/// So many figures of a page are compared with its paragraphs.
const MAX_FIGURES: usize = 200;
/// The type of a caption with a label is smaller than this multiple of the size of the body. In larger type it is a heading.
const LARGEST: f32 = 1.15;
/// Captions that name a figure or a table, but do not stand beside one, are smaller than the body times this.
const TITLE: f32 = 1.5;
/// A caption has at most so many lines.
const MAX_LINES: usize = 8;

/// Finds the captions with a label that could be taken for headings.
pub(super) fn mark_labelled(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    join_labels(drafts, pages);
    let is_caption = |draft: &Draft, page: &DocumentPage| {
        let is_below = |factor: f32| draft.size() < factor * statistics.body_size;
        let is_beside = || is_beside_figure(draft, page);
        has_name(draft) && (is_below(TITLE) || is_beside()) || is_labelled(draft) && is_below(LARGEST) && is_beside()
    };
    mark_if(drafts, pages, is_caption);
    mark_lines_in_figures(drafts, pages, statistics);
}

/// Makes labels of the large or bold lines in a figure with a caption, if it holds no text of several lines.
fn mark_lines_in_figures(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let captions = drafts.iter().filter(|draft| draft.kind == DraftKind::Caption);
    let captioned: Vec<(usize, Bounds)> = captions
        .filter_map(|draft| Some((draft, pages.get(draft.place.page)?)))
        .flat_map(|(draft, page)| {
            let (at, bounds, em) = (draft.place.page, draft.bounds_on(&page.structure), draft.size());
            large_figures(page).filter(move |figure| is_near(bounds, *figure, em)).map(move |figure| (at, figure))
        })
        .take(MAX_FIGURES)
        .collect();
    for (page, figure) in captioned {
        let Some(structure) = pages.get(page).map(|page| &page.structure) else { continue };
        let is_within = |draft: &Draft| draft.place.page == page && figure.holds(draft.bounds_on(structure).center());
        let mut own: Vec<&mut Draft> = drafts.iter_mut().filter(|draft| draft.is_free() && is_within(draft)).collect();
        if own.iter().all(|draft| draft.lines.len() == 1) {
            let large =
                own.iter_mut().filter(|draft| draft.size() > statistics.body_size || draft.is_all(Line::is_bold));
            large.for_each(|draft| draft.make_label());
        }
    }
}

/// Joins a label that stands alone in its line to the caption below it.
fn join_labels(drafts: &mut [Draft], pages: &[DocumentPage]) {
    for at in 1..drafts.len() {
        let (Some(label), Some(text)) = (drafts.get(at - 1), drafts.get(at)) else { continue };
        let is_alone = matches!(label.lines.as_slice(), [line] if line.words.len() == 2) && is_labelled(label);
        let is_below = label.place == text.place && text.space_above < LABEL_SPACE && text.turn == label.turn;
        let may_join = label.is_free() && text.is_free() && text.marker.is_none() && text.lines.len() <= MAX_LINES;
        let page = pages.get(text.place.page).filter(|_| is_alone && is_below && may_join);
        if page.is_some_and(|page| is_beside_figure(text, page) || is_beside_figure(label, page)) {
            append_below(drafts, at - 1, at);
            if let Some(label) = drafts.get_mut(at - 1) {
                label.kind = DraftKind::Caption;
            }
        }
    }
}

/// Finds captions among the paragraphs that are left.
pub(super) fn mark(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let is_caption = |draft: &Draft, page: &DocumentPage| {
        let is_set_apart = draft.size() < SET_SMALLER * statistics.body_size || draft.is_all(|line| line.is_italic());
        is_set_apart && (is_labelled(draft) || is_beside_figure(draft, page))
    };
    mark_if(drafts, pages, is_caption);
}

fn mark_if(drafts: &mut [Draft], pages: &[DocumentPage], is_caption: impl Fn(&Draft, &DocumentPage) -> bool) {
    for draft in drafts.iter_mut() {
        let is_item = draft.marker.is_some() && !is_labelled(draft);
        let is_free = draft.is_free() && !is_item && draft.lines.len() <= MAX_LINES;
        let Some(page) = pages.get(draft.place.page).filter(|_| is_free) else { continue };
        if is_caption(draft, page) {
            draft.kind = DraftKind::Caption;
        }
    }
}

/// Whether it stands within a figure.
pub(super) fn is_in_figure(draft: &Draft, page: &DocumentPage) -> bool {
    let middle = draft.bounds_on(&page.structure).center();
    page.structure.figures.iter().take(MAX_FIGURES).any(|figure| figure.holds(middle))
}

fn is_beside_figure(draft: &Draft, page: &DocumentPage) -> bool {
    let bounds = draft.bounds_on(&page.structure);
    let tables = page.structure.regions.iter().filter_map(|region| match region {
        Region::Table(table) => Some(table.bounds),
        Region::Figure(figure) => Some(figure.bounds),
        Region::Column(_) => None,
    });
    large_figures(page).chain(tables).any(|figure| is_near(bounds, figure, draft.size()))
}

fn large_figures(page: &DocumentPage) -> impl Iterator<Item = Bounds> {
    let is_large = |figure: &Bounds| figure.height() > MIN_FIGURE_PT || figure.width() > MIN_FIGURE_PT;
    page.structure.figures.iter().copied().filter(is_large).take(MAX_FIGURES)
}

fn is_near(text: Bounds, figure: Bounds, em: f32) -> bool {
    let below = text.y0 - figure.y1;
    let above = figure.y0 - text.y1;
    let is_close = |distance: f32| (-em..NEAR_EM * em).contains(&distance);
    (is_close(below) || is_close(above)) && text.x0.max(figure.x0) < text.x1.min(figure.x1)
}

/// Whether it begins with a word and a number: the label of a figure or a table.
fn is_labelled(draft: &Draft) -> bool {
    is_caption_label(first_words(draft))
}

/// Whether it begins with such a label that a sign ends, and is no line of a list of figures.
fn has_name(draft: &Draft) -> bool {
    names_figure(first_words(draft)) && !draft.lines.iter().any(|line| line.is_row())
}

/// The words of the first line, without a bullet.
fn first_words<'d>(draft: &'d Draft) -> impl Iterator<Item = &'d str> + Clone {
    let is_bullet = draft.marker.as_ref().is_some_and(|marker| matches!(marker.kind, MarkerKind::Bullet(_)));
    let line = draft.lines.first().into_iter().flat_map(|line| &line.words);
    line.skip(usize::from(is_bullet)).map(|word| word.text.as_str())
}
