//! Quotes: paragraphs that are set in on both sides.

use super::super::bounds::quarters;
use super::super::page_structure::{Line, LineWord};
use super::drafts::{Draft, DraftKind, Place};
use crate::measures::{JUSTIFIED_EM, WORD_SPACE_EM};
use pagewise_text::Bounds;
use std::collections::BTreeMap;

/// A quote is set in by this on the left, in ems, and by half of it on the right.
const QUOTE_EM: f32 = 1.2;
const MAX_QUOTE_EM: f32 = 8.0;

/// Finds quotes among the paragraphs that are left.
pub(super) fn mark(drafts: &mut [Draft]) {
    let indents = paragraph_indents(drafts);
    let mut is_after_item = false;
    let mut quotes: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        let may_be = draft.is_free() && draft.marker.is_none() && !draft.is_formula && !is_after_item;
        if may_be && is_quote(draft, &indents) {
            quotes.entry(draft.place).or_default().push(index);
        }
        is_after_item = draft.marker.is_some();
    }
    for own in quotes.into_values() {
        let is_among_text = are_among_wider(&own, drafts);
        for index in own {
            if let Some(draft) = drafts.get_mut(index).filter(|draft| is_among_text || is_quoted(draft)) {
                draft.kind = DraftKind::Quote;
            }
        }
    }
}

/// Whether the quotes of a column stand among text: half as many lines, which begin at one edge, are wider than all of them.
fn are_among_wider(quotes: &[usize], drafts: &[Draft]) -> bool {
    let own: Vec<&Draft> = quotes.iter().filter_map(|index| drafts.get(*index)).collect();
    let Some(first) = own.first() else { return false };
    let bounds = Bounds::around(own.iter().map(|draft| draft.bounds()));
    let margin = 0.5 * QUOTE_EM * first.size();
    let is_wider = |line: &Bounds| line.x0 < bounds.x0 - margin && line.x1 > bounds.x1 + margin;
    let others = drafts.iter().filter(|draft| draft.place.page == first.place.page && draft.turn == first.turn);
    let lines = others.flat_map(|draft| draft.lines.iter().take(draft.own_lines)).map(|line| line.bounds);
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for line in lines.filter(is_wider) {
        *counts.entry(quarters(line.x0) / 4).or_default() += 1;
    }
    2 * counts.into_values().max().unwrap_or(0) >= own.iter().map(|draft| draft.own_lines).sum()
}

/// The usual indents of the first lines of paragraphs, in quarter points.
fn paragraph_indents(drafts: &[Draft]) -> Vec<i32> {
    let long = drafts.iter().filter(|draft| draft.is_paragraph() && draft.marker.is_none() && draft.lines.len() > 1);
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    let indents = long.map(|draft| quarters(draft.first_left() - draft.text_left()));
    indents.filter(|indent| *indent > 4).for_each(|indent| *counts.entry(indent).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(0);
    counts.into_iter().filter(|(_, count)| 4 * count >= most).map(|(indent, _)| indent).collect()
}

/// Whether a paragraph is set in on both sides. Ragged lines that the next word would not fit on reach the right side.
fn is_quote(draft: &Draft, indents: &[i32]) -> bool {
    let (em, bounds) = (draft.size(), draft.bounds());
    let left = bounds.x0 - draft.origin;
    let is_near = |indent: &i32| (quarters(left) - indent).abs() <= quarters(0.3 * em);
    let is_first_line = draft.lines.len() == 1 && indents.iter().any(is_near);
    let right = draft.right - bounds.x1;
    let is_centered = (left - right).abs() < 0.5 * em && draft.lines.len() == 1 && left > 3.5 * em;
    (QUOTE_EM * em..MAX_QUOTE_EM * em).contains(&left)
        && right > 0.5 * QUOTE_EM * em
        && !is_first_line
        && (is_marked_out(draft) || is_set_in_right(draft))
        && !is_centered
        && !are_lines_centred(draft)
        && !is_labelled(draft)
        && draft.first_left() - draft.text_left() < 3.0 * em
        && draft.len() > 20
}

/// Whether a line leaves room for the first word of the next one, or all full lines end at one edge.
fn is_set_in_right(draft: &Draft) -> bool {
    let lines = draft.lines.get(..draft.own_lines).unwrap_or_default();
    let leaves_room =
        |above: &Line, below: &Line| draft.right - above.bounds.x1 > below.first_width() + WORD_SPACE_EM * above.size;
    let ends = || lines.iter().rev().skip(1).map(|line| line.bounds.x1);
    let (first, last) = (ends().fold(f32::INFINITY, f32::min), ends().fold(0.0, f32::max));
    let is_flush = lines.len() > 2 && last - first < JUSTIFIED_EM * draft.size();
    is_flush || lines.windows(2).any(|pair| matches!(pair, [above, below] if leaves_room(above, below)))
}

/// Whether lines of several lengths stand below each other's middle, as those of an address or of a title do.
fn are_lines_centred(draft: &Draft) -> bool {
    let bounds = || draft.lines.iter().take(draft.own_lines).map(|line| line.bounds);
    let (middle, left) = bounds().next().map_or((0.0, 0.0), |first| (first.x0 + first.x1, first.x0));
    let limit = 0.5 * draft.size();
    bounds().all(|own| (own.x0 + own.x1 - middle).abs() < limit) && bounds().any(|own| (own.x0 - left).abs() > limit)
}

/// Whether a text begins with its label or the mark of a note: it is an abstract or an affiliation, and quotes nothing.
fn is_labelled(draft: &Draft) -> bool {
    let mut words = draft.lines.iter().flat_map(|line| &line.words);
    let is_label = |word: &LineWord| word.is_raised || word.style.is_bold;
    words.next().is_some_and(is_label) && !words.all(|word| word.style.is_bold)
}

/// Whether a text is a quote by more than its indents.
fn is_marked_out(draft: &Draft) -> bool {
    is_quoted(draft) || draft.is_all(|line| line.is_italic())
}

fn is_quoted(draft: &Draft) -> bool {
    draft.text().starts_with(['"', '“', '„', '«', '»', '‘', '「'])
}
