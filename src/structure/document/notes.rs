//! Footnotes and endnotes: by mark and place.

use super::DocumentPage;
use super::drafts::{Draft, DraftKind};
use super::type_statistics::TypeStatistics;
use pagewise_base::script::is_ideograph;
use std::collections::{BTreeMap, BTreeSet};

/// Footnotes at the foot of a page are smaller than the body by this factor.
const SMALLER: f32 = 0.97;
/// A footnote stands below this share of the height of its page. The affiliations of authors stand above it.
const FOOT: f32 = 0.5;

/// The pages, by index, on which raised text refers to a label.
type References = BTreeMap<String, BTreeSet<usize>>;

/// Turns drafts into notes if they begin with the mark of a reference on the same or an earlier page.
pub(super) fn mark(drafts: &mut [Draft], pages: &[DocumentPage], statistics: &TypeStatistics) {
    let references = references(pages);
    let mut defined = BTreeSet::new();
    // The note of a page that ends early stands as far below the text as a running line.
    for draft in drafts.iter_mut().filter(|draft| draft.is_paragraph() || draft.kind == DraftKind::Running) {
        let Some((label, is_raised)) = label(draft) else { continue };
        let page = draft.place.page;
        let limit = SMALLER * statistics.body_size;
        // The first letter of a heading in small capitals is as large as the body.
        let is_small = || draft.lines.iter().flat_map(|line| &line.words).all(|word| word.style.size < limit);
        let is_referred = references.get(&label).is_some_and(|from| match from.contains(&page) {
            true => is_at_foot(draft, pages),
            false => from.first().is_some_and(|first| *first < page),
        });
        let is_note = draft.is_tagged_note() || (is_raised || is_small()) && is_referred;
        if is_note && defined.insert((page, label.clone())) {
            let is_endnote = references.get(&label).is_some_and(|from| !from.contains(&page));
            draft.kind = DraftKind::Footnote { label, is_endnote };
        }
    }
}

fn is_at_foot(draft: &Draft, pages: &[DocumentPage]) -> bool {
    let page = pages.get(draft.place.page).map(|page| &page.structure);
    page.is_some_and(|page| draft.bounds_on(page).y0 > FOOT * page.height)
}

fn references(pages: &[DocumentPage]) -> References {
    let mut references = References::new();
    for (index, page) in pages.iter().enumerate() {
        for line in page.structure.lines() {
            let pairs = line.words.iter().zip(line.words.iter().skip(1));
            let marks =
                pairs.filter(|(before, word)| word.is_raised && !before.is_raised && may_precede_mark(&before.text));
            // Numbers in square brackets cite works.
            let marks = marks.filter(|(_, word)| !word.text.starts_with('['));
            for label in marks.filter_map(|(_, word)| note_label(&word.text)) {
                references.entry(label).or_default().insert(index);
            }
        }
    }
    references
}

/// Whether a raised number after a text may be the mark of a note: after a word or punctuation, not after a variable or
/// in an exponent.
pub(super) fn may_precede_mark(text: &str) -> bool {
    let letters = text.chars().rev().take_while(|sign| sign.is_alphabetic()).count();
    letters >= 3 || text.chars().last().is_some_and(|last| ends_clause(last) || is_syllable(last))
}

/// Whether a letter is a word or a syllable, and no variable.
fn is_syllable(letter: char) -> bool {
    is_ideograph(letter) || matches!(letter, '\u{ac00}'..='\u{d7a3}')
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

/// The label at the beginning of a draft, and whether it is raised. Labels in brackets are those of references.
fn label(draft: &Draft) -> Option<(String, bool)> {
    let line = draft.lines.first()?;
    let first = line.words.first()?;
    line.words.get(1)?;
    note_label(&first.text).filter(|_| !first.text.starts_with('[')).map(|label| (label, first.is_raised))
}
