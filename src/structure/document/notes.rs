//! Footnotes: by mark and place.

use super::super::page_structure::LineWord;
use super::DocumentPage;
use super::drafts::{Draft, DraftKind, Place};
use super::type_statistics::TypeStatistics;
use crate::measures::SET_SMALLER;
use pagewise_base::script::{is_hangul, is_ideograph};
use pagewise_text::Bounds;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A footnote stands below this share of the height of its page. The affiliations of authors stand above it.
const FOOT: f32 = 0.5;

/// The rule above footnotes, as a share of the width of the page.
const RULE: Range<f32> = 0.08..0.45;
/// Notes are indented by less, in ems.
const INDENT_EM: f32 = 2.0;
/// So many texts before and after a note are looked at.
const MAX_BESIDE: usize = 20;

/// Labels to which raised text refers, each with the index of its page.
type References = BTreeSet<(usize, String)>;

/// Makes footnotes of the drafts at the foot of a page that begin with a label to which the page refers. Notes and cited works
/// at the end of a document are a list: their numbers may begin again in each chapter, and pages are read alone.
pub(super) fn mark(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let (references, limit) = (references(pages), SET_SMALLER * statistics.body_size);
    let mut candidates: BTreeMap<(usize, bool), Vec<Candidate>> = BTreeMap::new();
    for (index, (draft, is_end)) in drafts.iter().zip(ends_of_columns(drafts, limit)).enumerate() {
        let Some((label, is_raised)) = label(draft) else { continue };
        let page = draft.place.page;
        let is_set_off = || is_raised || is_end && is_small(draft, limit) || is_below_rule(drafts, index, pages);
        let is_note = || is_at_foot(draft, pages) && is_set_off();
        let is_tagged = draft.is_tagged_note();
        if is_tagged || is_note() {
            let is_referred = references.contains(&(page, label.clone())) && !has_next(draft, &label);
            candidates.entry((page, !is_raised)).or_default().push(Candidate { index, label, is_tagged, is_referred });
        }
    }
    let mut defined = BTreeSet::new();
    for ((page, is_plain), candidates) in candidates {
        for Candidate { index, label, .. } in notes(candidates, is_plain) {
            if let Some(draft) = drafts.get_mut(index).filter(|_| defined.insert((page, label.clone()))) {
                draft.kind = DraftKind::Footnote { label };
            }
        }
    }
}

/// A draft that may be a note.
struct Candidate {
    index: usize,
    label: String,
    is_tagged: bool,
    is_referred: bool,
}

/// The notes among what may be notes of a page, with labels of one form. Numbers are those of notes if the text refers to at
/// least half of them, or to most if none is raised, else those of a list.
fn notes(mut candidates: Vec<Candidate>, is_plain: bool) -> Vec<Candidate> {
    let is_number = |label: &str| label.starts_with(|sign: char| sign.is_ascii_digit());
    let numbers = || candidates.iter().filter(|own| is_number(&own.label) && !own.is_tagged);
    let are_notes = 2 * numbers().filter(|own| own.is_referred).count() >= numbers().count() + usize::from(is_plain);
    candidates.retain(|own| own.is_tagged || if is_number(&own.label) { are_notes } else { own.is_referred });
    candidates
}

/// Whether the next number stands raised before a word of the same draft, as in a list of addresses: `¹University, ²Institute`.
fn has_next(draft: &Draft, label: &str) -> bool {
    let Ok(number) = label.parse::<u32>() else { return false };
    let next = number.saturating_add(1).to_string();
    let mut pairs = draft.lines.iter().flat_map(|line| line.words.iter().zip(line.words.iter().skip(1)));
    pairs.any(|(number, word)| number.is_raised && number.text == next && is_touched(word))
}

/// Whether each draft stands where its column has nothing but small text below it.
fn ends_of_columns(drafts: &[Draft], limit: f32) -> Vec<bool> {
    let mut text_above: Option<Place> = None;
    let ends = drafts.iter().rev().map(|draft| {
        let is_end = text_above != Some(draft.place);
        let is_text = draft.kind != DraftKind::Running && draft.kind != DraftKind::LeftOut && !is_small(draft, limit);
        if is_text {
            text_above = Some(draft.place);
        }
        is_end
    });
    let mut ends: Vec<bool> = ends.collect();
    ends.reverse();
    ends
}

/// Whether all words are smaller. The first letter of a heading in small capitals is as large as the body.
fn is_small(draft: &Draft, limit: f32) -> bool {
    draft.lines.iter().flat_map(|line| &line.words).all(|word| word.style.size < limit)
}

fn is_at_foot(draft: &Draft, pages: &[DocumentPage]) -> bool {
    let page = pages.get(draft.place.page).map(|page| &page.structure);
    page.is_some_and(|page| draft.bounds_on(page).y0 > FOOT * page.height)
}

/// Whether a draft stands below a short rule at the left edge of its column, and all text below that rule begins with labels.
fn is_below_rule(drafts: &[Draft], index: usize, pages: &[DocumentPage]) -> bool {
    let Some(draft) = drafts.get(index) else { return false };
    let Some(page) = pages.get(draft.place.page).map(|page| &page.structure) else { return false };
    let own = draft.bounds_on(page);
    let is_rule = |rule: &&Bounds| {
        RULE.contains(&(rule.width() / page.width))
            && (rule.x0 - own.x0).abs() < INDENT_EM * draft.size()
            && (FOOT * page.height..own.y0).contains(&rule.y1)
    };
    let Some(rule) = page.rules.iter().filter(is_rule).map(|rule| rule.y1).reduce(f32::max) else { return false };
    let near = drafts.iter().skip(index.saturating_sub(MAX_BESIDE)).take(2 * MAX_BESIDE);
    let is_beside = |other: &&Draft| other.place == draft.place && !other.is_outside_text();
    near.filter(is_beside).filter(|other| other.bounds_on(page).y0 > rule).all(|other| label(other).is_some())
}

fn references(pages: &[DocumentPage]) -> References {
    let mut references = References::new();
    for (index, page) in pages.iter().enumerate() {
        for line in page.structure.lines() {
            let labels = marks(&line.words).into_iter().flat_map(|mark| mark.labels);
            references.extend(labels.map(|label| (index, label)));
        }
    }
    references
}

/// Raised words that may refer to notes.
pub(super) struct Mark {
    /// The indices of the words on their line.
    pub(super) words: Range<usize>,
    /// At least one.
    pub(super) labels: Vec<String>,
}

/// The marks of notes on a line: raised words after a word of text that are all labels. Numbers in square brackets cite
/// works, and a number before the word that it touches is a label itself.
pub(super) fn marks(words: &[LineWord]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut from = 0;
    for run in words.chunk_by(|a, b| a.is_raised == b.is_raised) {
        let own = from..from + run.len();
        let before = from.checked_sub(1).and_then(|before| words.get(before));
        from = own.end;
        let is_after_text = before.is_some_and(|before| may_precede_mark(&before.text));
        let is_label = words.get(own.end).is_some_and(is_touched);
        let is_mark = run.first().is_some_and(|first| first.is_raised && !first.text.starts_with('['));
        if is_after_text && is_mark && !is_label {
            let parts = run.iter().flat_map(|word| word.text.split([',', ';'])).filter(|part| !part.is_empty());
            let labels = parts.map(note_label).collect::<Option<Vec<String>>>();
            marks.extend(labels.filter(|labels| !labels.is_empty()).map(|labels| Mark { words: own, labels }));
        }
    }
    marks
}

/// Whether a word begins with a letter that touches the word before it, in a script with spaces between words.
fn is_touched(word: &LineWord) -> bool {
    !word.is_spaced && word.text.starts_with(|sign: char| sign.is_alphabetic() && !is_syllable(sign))
}

/// Whether a raised number after a text may be the mark of a note: after a word, also in brackets, or punctuation, not after a
/// variable or in an exponent.
fn may_precede_mark(text: &str) -> bool {
    let letters = text.trim_end_matches(')').chars().rev().take_while(|sign| sign.is_alphabetic()).count();
    letters >= 3 || text.chars().last().is_some_and(|last| ends_clause(last) || is_syllable(last))
}

/// Whether a letter is a word or a syllable, and no variable.
fn is_syllable(letter: char) -> bool {
    is_ideograph(letter) || is_hangul(letter)
}

fn ends_clause(sign: char) -> bool {
    matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | '…' | '"' | '\'' | '”' | '’' | '“' | '»' | '«' | ']')
        || matches!(sign, '。' | '、' | '，' | '；' | '：' | '！' | '？' | '」' | '』')
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

/// The label at the beginning of a paragraph, and whether it is raised. A number in square brackets is no label, but names a
/// cited work.
fn label(draft: &Draft) -> Option<(String, bool)> {
    // The note of a page that ends early stands as far below the text as a running line.
    if !draft.is_paragraph() && draft.kind != DraftKind::Running {
        return None;
    }
    let line = draft.lines.first()?;
    let first = line.words.first()?;
    line.words.get(1)?;
    note_label(&first.text).filter(|_| !first.text.starts_with('[')).map(|label| (label, first.is_raised))
}
