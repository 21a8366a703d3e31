//! Footnotes: by mark and place.

use super::super::page_structure::{Line, Region};
use super::DocumentPage;
use super::drafts::{Draft, DraftKind};
use super::type_statistics::TypeStatistics;
use std::collections::BTreeSet;

/// Footnotes at the foot of a page are smaller than the body by this factor.
const SMALLER: f32 = 0.97;

/// Turns drafts into footnotes: those that begin with a mark to which raised text on the pages refers.
pub(super) fn mark(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let references = references(pages);
    let mut defined = BTreeSet::new();
    for draft in drafts.iter_mut().filter(|draft| draft.is_paragraph()) {
        let Some((label, is_raised)) = label(draft) else { continue };
        let is_small = draft.size() < SMALLER * statistics.body_size;
        let is_note = draft.is_tagged_note() || (is_raised || is_small) && references.contains(&label);
        if is_note && defined.insert(label.clone()) {
            draft.kind = DraftKind::Footnote { label };
        }
    }
}

/// The labels of all raised texts that do not begin a line.
fn references(pages: &[DocumentPage]) -> BTreeSet<String> {
    let regions = pages.iter().flat_map(|page| &page.structure.regions);
    let lines = regions.filter_map(|region| match region {
        Region::Column(column) => Some(&column.lines),
        Region::Table(_) | Region::Figure(_) => None,
    });
    let pairs = lines.flatten().flat_map(|line| line.words.windows(2));
    let marks = pairs
        .filter_map(|pair| Some((pair.first()?, pair.get(1)?)))
        .filter(|(before, word)| word.is_raised && may_precede(&before.text));
    marks.filter_map(|(_, word)| note_label(&word.text)).collect()
}

/// Whether a raised number after a text may be the mark of a note: after a word or punctuation, not after a variable.
pub(super) fn may_precede(text: &str) -> bool {
    let letters = text.chars().rev().take_while(|sign| sign.is_alphabetic()).count();
    letters >= 3 || text.chars().last().is_some_and(|sign| !sign.is_alphanumeric() && sign != ')')
}

/// The label of a footnote, if a text can be one.
pub(super) fn note_label(text: &str) -> Option<String> {
    let text = text.trim_matches(['(', ')', '[', ']', '.', ',']);
    let is_number = !text.is_empty() && text.len() <= 3 && text.chars().all(|sign| sign.is_ascii_digit());
    let is_sign = !text.is_empty()
        && text.chars().count() <= 3
        && text.chars().all(|sign| matches!(sign, '*' | '†' | '‡' | '§' | '¶'));
    (is_number || is_sign).then(|| text.to_owned())
}

/// The label at the beginning of a draft, and whether it is raised.
fn label(draft: &Draft) -> Option<(String, bool)> {
    let line: &Line = draft.lines.first()?;
    let first = line.words.first()?;
    line.words.get(1)?;
    note_label(&first.text).map(|label| (label, first.is_raised))
}
