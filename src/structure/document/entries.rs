//! Entries: rows of cells, as in contents and forms, the works of a bibliography without numbers, and the labels of
//! charts.

use super::drafts::{Draft, DraftKind, hangs_below};
use super::headings::page_turns;
use super::type_statistics::TypeStatistics;
use crate::list_marks::{MarkerKind, is_bullet_sign};
use crate::measures::SMALLER;
use crate::page_structure::Line;

/// The lines after the first of a work are set in by at least and at most so many ems.
const HANG_EM: std::ops::Range<f32> = 0.7..5.0;
/// Fewer hanging paragraphs are no bibliography.
const MIN_WORKS: usize = 3;

/// The labels of a chart have at most so many characters.
const MAX_LABEL: usize = 60;
/// Fewer small lines are no labels of a chart.
const MIN_LABELS: usize = 4;

/// Finds the rows of contents and forms among the paragraphs that are left. A row that begins with a bullet is an item of a list
/// instead.
pub(super) fn mark_rows(drafts: &mut [Draft]) {
    let is_row = |draft: &Draft| {
        draft.lines.last().is_some_and(|line| {
            line.is_row() && !has_one_bullet(draft, line) || draft.lines.len() == 1 && line.has_heads()
        })
    };
    for draft in drafts.iter_mut().filter(|draft| draft.is_free() && is_row(draft)) {
        draft.kind = DraftKind::Entry;
        draft.marker = None;
    }
}

/// Whether a bullet is the mark of a line, and there is no further one in it, as before the choices of a form.
fn has_one_bullet(draft: &Draft, line: &Line) -> bool {
    let is_marked = draft.marker.as_ref().is_some_and(|marker| matches!(marker.kind, MarkerKind::Bullet(_)));
    is_marked && !line.words.iter().skip(1).any(|word| word.text.starts_with(is_bullet_sign))
}

/// Finds the works of bibliographies: hanging paragraphs that follow each other, and single lines among them.
pub(super) fn mark_works(drafts: &mut [Draft]) {
    let flow: Vec<usize> = (0..drafts.len()).filter(|at| drafts.get(*at).is_some_and(is_in_flow)).collect();
    let is_work = |at: &usize| drafts.get(*at).is_some_and(|draft| hangs(draft) || is_line(draft));
    let works: Vec<usize> = flow
        .chunk_by(|before, after| is_work(before) && is_work(after) && are_alike(drafts, *before, *after))
        .filter(|run| run.iter().filter(|at| drafts.get(**at).is_some_and(hangs)).count() >= MIN_WORKS)
        .flatten()
        .copied()
        .collect();
    for work in works {
        if let Some(draft) = drafts.get_mut(work) {
            draft.kind = DraftKind::Entry;
        }
    }
}

/// Finds the labels of charts: small short lines that follow each other, and short lines in another direction than the text.
pub(super) fn mark_labels(drafts: &mut [Draft], statistics: &TypeStatistics) {
    let turns = page_turns(drafts);
    let is_turned = |draft: &Draft| turns.get(&draft.place.page) != Some(&draft.turn);
    let is_label = |draft: &Draft| {
        let is_small = draft.size() < SMALLER * statistics.body_size;
        let is_open = is_unmarked(draft) || draft.kind == DraftKind::Entry;
        is_open && draft.len() <= MAX_LABEL && (is_small && !draft.ends_sentence() || is_turned(draft))
    };
    let follows = |before: &Draft, after: &Draft| before.turn == after.turn && is_label(before) && is_label(after);
    for run in drafts.chunk_by_mut(|before, after| follows(before, after)) {
        if run.len() >= MIN_LABELS {
            run.iter_mut().for_each(|label| label.kind = DraftKind::Entry);
        }
    }
}

fn is_in_flow(draft: &Draft) -> bool {
    !draft.is_outside_text() && !matches!(draft.kind, DraftKind::Joined { .. })
}

fn is_unmarked(draft: &Draft) -> bool {
    draft.is_free() && draft.marker.is_none() && !draft.is_formula
}

fn hangs(draft: &Draft) -> bool {
    let rest = draft.lines.iter().take(draft.own_lines).skip(1).map(|line| line.bounds.x0);
    let rest = rest.fold(f32::INFINITY, f32::min);
    // The further lines of a clause or a definition begin where its text does.
    let is_clause = matches!(draft.lines.as_slice(), [first, second, ..] if hangs_below(first, second));
    is_unmarked(draft) && !is_clause && HANG_EM.contains(&((rest - draft.first_left()) / draft.size()))
}

fn is_line(draft: &Draft) -> bool {
    is_unmarked(draft) && draft.own_lines == 1
}

/// Whether both are set in the same type at the left edge of their columns.
fn are_alike(drafts: &[Draft], before: usize, after: usize) -> bool {
    let (Some(before), Some(after)) = (drafts.get(before), drafts.get(after)) else { return false };
    let em = before.size();
    // The edge of a draft that goes over columns is that of its last one.
    let is_whole = before.joints.is_empty() && after.joints.is_empty();
    let left = |draft: &Draft| draft.first_left() - draft.origin;
    (em - after.size()).abs() < 0.06 * em && (!is_whole || (left(before) - left(after)).abs() < 0.5 * em)
}
