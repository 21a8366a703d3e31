//! Paragraphs that go over columns and pages.

use super::super::page_structure::{Line, LineWord};
use super::DocumentPage;
use super::captions;
use super::drafts::{Draft, DraftKind};
use super::type_statistics::TypeStatistics;
use crate::line_end::is_address;
use crate::measures::{NEXT_LINE_EM, SAME_EDGE_EM, SET_SMALLER};

/// So many lines show the edge of justified text. Hanging punctuation moves their ends by at most this, in ems, and a
/// line that ends so far before the edge is the last of its paragraph.
const MIN_FLUSH: usize = 4;
const FLUSH_EM: f32 = 0.3;
const SHORT_EM: f32 = 0.12;

/// Appends the beginnings of columns to the paragraphs and items that they continue. Text smaller than the body, such as
/// what follows the text of a paper, stands between the parts of paragraphs in its size, and goes on by itself. A sentence
/// goes on behind a box with text too, and so does a caption in several columns.
pub(super) fn join(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let mut open: [Option<usize>; 2] = [None; 2];
    let (mut behind, mut caption) = (None, None);
    let mut is_divided = false;
    for index in 0..drafts.len() {
        let Some(draft) = drafts.get(index) else { continue };
        let around = Around { drafts, index, is_over_box: false, pages, statistics };
        let part = caption.filter(|at| drafts.get(*at).is_some_and(|caption| is_part_of(caption, draft, around)));
        if let Some(caption) = part {
            append(drafts, caption, index);
            continue;
        }
        if is_beside(draft) {
            is_divided |= matches!(draft.kind, DraftKind::Table(_));
            caption = if draft.kind == DraftKind::Caption { Some(index) } else { caption };
            continue;
        }
        caption = None;
        let is_small = is_small(draft, statistics);
        let [body, small] = &mut open;
        let own = if is_small { small } else { body };
        let goes_on = |target: &usize, is_over_box: bool| {
            let Some(before) = drafts.get(*target) else { return false };
            let around = Around { drafts, index, is_over_box, pages, statistics };
            let is_sentence = || is_one_sentence(before, draft);
            are_near(before, draft, pages)
                && (before.is_same_element(draft)
                    || continues(before, draft, around)
                        && !(is_divided && before.ends_sentence())
                        && (!is_small && !is_over_box || is_sentence()))
        };
        let is_boxed = is_boxed(drafts, index);
        let target = own.filter(|own| goes_on(own, false));
        let target = target.or_else(|| behind.filter(|behind| !is_small && !is_boxed && goes_on(behind, true)));
        match target {
            Some(target) => append(drafts, target, index),
            None if is_label(draft, pages) => (),
            None => {
                if !is_small {
                    let outside = own.filter(|own| !self::is_boxed(drafts, *own)).or(behind);
                    behind = outside.filter(|_| is_boxed);
                }
                *own = Some(index);
            }
        }
        is_divided &= is_small;
    }
}

/// Whether a draft is the rest of a caption in the next column.
fn is_part_of(caption: &Draft, draft: &Draft, around: Around) -> bool {
    let is_small = draft.size() < SET_SMALLER * around.statistics.body_size;
    is_small
        && is_one_sentence(caption, draft)
        && are_near(caption, draft, around.pages)
        && continues(caption, draft, around)
}

/// What stands among the text without being part of it.
fn is_beside(draft: &Draft) -> bool {
    let is_float = matches!(
        draft.kind,
        DraftKind::Caption | DraftKind::Aside | DraftKind::Label | DraftKind::Table(_) | DraftKind::Figure(_)
    );
    is_float || draft.is_outside_text()
}

/// Whether it stands in a box with text. A heading may have a ground of its own.
fn is_boxed(drafts: &[Draft], index: usize) -> bool {
    let has_ground = |draft: &Draft| draft.is_all(|line| line.ground.is_some());
    let (own, next) = (drafts.get(index), drafts.get(index + 1));
    let is_heading = own.is_some_and(|draft| matches!(draft.kind, DraftKind::Heading { .. }));
    own.is_some_and(has_ground) && (!is_heading || next.is_some_and(has_ground))
}

fn is_small(draft: &Draft, statistics: &TypeStatistics) -> bool {
    matches!(draft.kind, DraftKind::Paragraph { .. } | DraftKind::Entry | DraftKind::Item { .. })
        && draft.size() < 0.9 * statistics.body_size
}

/// Whether it is a label in a figure.
fn is_label(draft: &Draft, pages: &[DocumentPage]) -> bool {
    let is_text = draft.is_free() && draft.marker.is_none() || matches!(draft.kind, DraftKind::Heading { .. });
    is_text
        && !draft.ends_sentence()
        && pages.get(draft.place.page).is_some_and(|page| captions::is_in_figure(draft, page))
}

/// Whether both are wanted, and the second is on the next page or begins another column of the same. A sentence goes on behind
/// pages of figures and tables too. A single line that continued a text is continued by none: pages of one line each would
/// become one.
fn are_near(before: &Draft, after: &Draft, pages: &[DocumentPage]) -> bool {
    let ends_on = before.last_page();
    if ends_on > before.place.page && before.last_part().len() < 2 {
        return false;
    }
    let (Some(first), Some(second)) = (pages.get(ends_on), pages.get(after.place.page)) else { return false };
    let distance = second.number.checked_sub(first.number);
    let is_higher = match (before.lines.last(), after.lines.first()) {
        (Some(last), Some(first)) => first.baseline < last.baseline,
        _ => false,
    };
    let is_behind = || {
        let between = after.place.page.checked_sub(ends_on).and_then(|pages| u32::try_from(pages).ok());
        between == distance && is_one_sentence(before, after)
    };
    let is_next = match distance {
        Some(0) => is_higher || is_next_line(before, after),
        Some(1) => true,
        Some(_) => is_behind(),
        None => false,
    };
    first.is_wanted == second.is_wanted && is_next && before.place != after.place
}

/// Whether it begins in the next line, with the same edge on one side: the text goes on beside a figure, or below it.
fn is_next_line(before: &Draft, after: &Draft) -> bool {
    let (Some(last), Some(first)) = (before.lines.last(), after.lines.first()) else { return false };
    let is_near = |a: f32, b: f32| (a - b).abs() < SAME_EDGE_EM * first.size;
    before.last_page() == after.place.page
        && NEXT_LINE_EM.contains(&((first.baseline - last.baseline) / first.size))
        && (is_near(last.bounds.x1, first.bounds.x1) || is_near(last.bounds.x0, first.bounds.x0))
        && is_one_sentence(before, after)
}

/// Whether a sentence goes on from one draft to another.
fn is_one_sentence(before: &Draft, after: &Draft) -> bool {
    after.begins_small() && !before.ends_sentence()
}

/// Whether a draft continues another one of an earlier column.
fn continues(before: &Draft, after: &Draft, around: Around) -> bool {
    if before.kind == DraftKind::Code && after.kind == DraftKind::Code {
        return is_first_of_column(around) && before.closes_column;
    }
    let is_tagged = before.tag.is_some() || after.tag.is_some();
    if is_tagged && before.place.page == after.place.page && !is_one_sentence(before, after) {
        return false;
    }
    let can_go_on = matches!(
        before.kind,
        DraftKind::Paragraph { .. } | DraftKind::Item { .. } | DraftKind::Quote | DraftKind::Caption
    );
    let can_follow = matches!(after.kind, DraftKind::Paragraph { .. } | DraftKind::Quote | DraftKind::Caption);
    let can_follow = can_follow && after.marker.is_none();
    if !can_go_on || !can_follow || before.turn != after.turn || !is_first_of_column(around) {
        return false;
    }
    let (Some(last), Some(first)) = (before.lines.last(), after.lines.first()) else { return false };
    if (last.size - first.size).abs() > 0.06 * last.size {
        return false;
    }
    let is_in_place = is_below(before, after)
        || is_next_line(before, after)
        || is_one_sentence(before, after) && is_justified(before);
    is_in_place && is_full(before, first) && reads_on(before, after)
}

/// A draft among all others.
#[derive(Clone, Copy)]
struct Around<'d, 'a> {
    drafts: &'d [Draft<'a>],
    index: usize,
    /// Whether boxes may stand before it in its column.
    is_over_box: bool,
    pages: &'d [DocumentPage],
    statistics: &'d TypeStatistics,
}

/// Whether only what may stand between the parts of a paragraph is before it in its column.
fn is_first_of_column(Around { drafts, index, is_over_box, pages, statistics }: Around) -> bool {
    let Some(place) = drafts.get(index).map(|draft| draft.place) else { return false };
    let own = drafts.iter().enumerate().take(index).rev().take_while(|(_, draft)| draft.place == place);
    let is_other = |at: usize, draft: &Draft| {
        is_beside(draft) || is_small(draft, statistics) || is_label(draft, pages) || is_over_box && is_boxed(drafts, at)
    };
    own.take(40).all(|(at, draft)| is_other(at, draft))
}

/// Whether the text begins where the next line of the paragraph before would.
fn is_below(before: &Draft, after: &Draft) -> bool {
    let indent = last_left(before) - before.origin;
    let next = after.first_left() - after.origin;
    (indent - next).abs() < SAME_EDGE_EM * after.size()
        || (before.lines.len() == 1 && before.marker.is_none() && next.abs() < 1.0)
}

/// The left edge of its text in the column in which it ends.
fn last_left(draft: &Draft) -> f32 {
    match draft.joints.is_empty() {
        true => draft.text_left(),
        false => draft.last_part().iter().map(|line| line.bounds.x0).fold(f32::INFINITY, f32::min),
    }
}

/// Whether the last line leaves no room for the first word of the next.
fn is_full(before: &Draft, first: &Line) -> bool {
    let Some(last) = before.lines.last() else { return false };
    let own = before.last_part().iter().map(|line| line.bounds.x1).fold(last.bounds.x1, f32::max);
    let right = if before.last_part().len() > 2 { own } else { before.right };
    let is_quote = before.kind == DraftKind::Quote;
    is_quote || right - last.bounds.x1 < first.first_width() + 1.5 * last.size
}

/// Whether the words read as one sentence, or the layout leaves no doubt.
fn reads_on(before: &Draft, after: &Draft) -> bool {
    if after.begins_small() {
        return true;
    }
    let ends_in_address =
        before.lines.last().and_then(|line| line.words.last()).is_some_and(|word| is_address(&word.text));
    if is_run_in(before, after) || ends_in_address {
        return false;
    }
    if !before.ends_sentence() {
        return before.lines.len() > 1 || before.len() > 40;
    }
    if ends_short(before) {
        return false;
    }
    // Paragraphs that begin with an indent: one without it continues.
    let is_indented = |draft: &Draft| draft.first_left() - draft.text_left() > SAME_EDGE_EM * draft.size();
    let is_alike = is_indented(before) || leaves_no_room(before, after);
    is_alike && !is_indented(after) && after.lines.len() > 1
}

/// Whether the first word of one draft has no room at the end of the other. Few last lines of paragraphs are so full.
fn leaves_no_room(before: &Draft, after: &Draft) -> bool {
    let (Some(last), Some(first)) = (before.lines.last(), after.lines.first()) else { return false };
    before.lines.len() > 1 && before.right - last.bounds.x1 < first.first_width() + 0.2 * last.size
}

/// Whether text begins in bold type after text that does not end in it: a heading at the beginning of a paragraph, or the
/// label of a caption.
fn is_run_in(before: &Draft, after: &Draft) -> bool {
    let last = before.lines.last().and_then(|line| line.words.last());
    let first = after.lines.first().and_then(|line| line.words.first());
    let is_bold = |word: Option<&LineWord>| word.is_some_and(|word| word.style.is_bold);
    is_bold(first) && !is_bold(last)
}

/// Whether its last line ends before the edge at which all others of its last column do.
fn ends_short(draft: &Draft) -> bool {
    let Some((last, others)) = draft.last_part().split_last() else { return false };
    let ends = || others.iter().map(|line| line.bounds.x1);
    let (first, edge) = (ends().fold(f32::INFINITY, f32::min), ends().fold(0.0, f32::max));
    others.len() >= MIN_FLUSH && edge - first < FLUSH_EM * last.size && first - last.bounds.x1 > SHORT_EM * last.size
}

/// Whether all its lines in its last column, the last one too, end at one right edge.
fn is_justified(draft: &Draft) -> bool {
    let lines = draft.last_part();
    let edge = lines.iter().map(|line| line.bounds.x1).fold(0.0, f32::max);
    lines.len() >= 3 && lines.iter().all(|line| edge - line.bounds.x1 < 0.1 * line.size)
}

/// Appends the lines of a draft to another one that stands above it in the same column.
pub(super) fn append_below(drafts: &mut [Draft], target: usize, index: usize) {
    append(drafts, target, index);
    if let Some(target) = drafts.get_mut(target) {
        target.own_lines = target.lines.len();
        target.joints.clear();
    }
}

/// Moves the lines of one draft to the end of another.
pub(super) fn append(drafts: &mut [Draft], target: usize, index: usize) {
    let Some(page) = drafts.get(target).map(|target| target.place.page) else { return };
    let Some(draft) = drafts.get_mut(index) else { return };
    draft.kind = DraftKind::Joined { page };
    let lines = draft.lines.clone();
    let (origin, right, ends_early) = (draft.origin, draft.right, draft.ends_early);
    let own_page = draft.place.page;
    if let Some(target) = drafts.get_mut(target) {
        target.joints.push((target.lines.len(), own_page));
        target.lines.extend(lines);
        (target.origin, target.right, target.ends_early) = (origin, right, ends_early);
    }
}
