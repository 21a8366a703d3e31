//! The text of a cell.

use super::lines::{PlacedWord, text_lines};
use crate::line_end::LineEnd;
use pagewise_base::script::{is_right_to_left, runs_left};
use pagewise_text::{COLUMN_GAP_EM, Script, Vocabulary, are_apart, push_run};

/// The words in reading order: lines joined by a space, hyphens at line ends repaired.
pub(crate) fn cell_text(words: &[PlacedWord]) -> String {
    let mut text = String::new();
    if words.iter().any(|word| word.word.turn != 0) {
        let mut read = words.to_vec();
        read.sort_by_key(|word| word.index);
        let texts: Vec<&str> = read.iter().map(|word| word.word.text.as_str()).collect();
        return texts.join(" ");
    }
    for line in text_lines(words) {
        let words: Vec<PlacedWord> = line.chunks.into_iter().flat_map(|c| c.words).collect();
        append_line(&mut text, without_leader(&line_text(words)));
    }
    text
}

/// A line of a cell without the leader of dots at its end. An ellipsis has three dots.
fn without_leader(line: &str) -> &str {
    let stem = line.trim_end_matches(['.', '·', '…', ' ']);
    let leader = line.get(stem.len()..).unwrap_or_default();
    let dots = leader.chars().filter(|sign| *sign != ' ').count();
    if dots > 3 && !stem.is_empty() { stem } else { line }
}

/// The text of one line; lines with right-to-left letters keep the page's order.
fn line_text(mut words: Vec<PlacedWord>) -> String {
    if runs_left(words.iter().map(|word| word.word.text.as_str())) {
        words = mirrored(&words);
    }
    let mut text = String::new();
    let mut last: Option<PlacedWord> = None;
    // If all words of a line are raised, they stand beside a large bracket and are no superscripts. A single one is the mark
    // of a note.
    let has_scripts = words.len() == 1 || words.iter().any(|word| word.word.script == Script::Baseline);
    for word in words {
        // A bracket that closes may have a cell of its own in the file.
        if last.is_some_and(|last| is_apart(&last, &word)) && !word.word.text.starts_with(')') {
            text.push(' ');
        }
        push_run(&mut text, &word.word.text, if has_scripts { word.word.script } else { Script::Baseline });
        last = Some(word);
    }
    text
}

/// Words from right to left; runs of other words keep their order.
fn mirrored<'p>(words: &[PlacedWord<'p>]) -> Vec<PlacedWord<'p>> {
    let is_left = |w: &PlacedWord| w.word.text.chars().any(is_right_to_left);
    let mut out = Vec::new();
    let runs: Vec<&[PlacedWord]> = words.chunk_by(|a, b| !is_left(a) && !is_left(b)).collect();
    for run in runs.into_iter().rev() {
        out.extend_from_slice(run);
    }
    out
}

/// Whether a space stands between two words that follow each other.
fn is_apart(last: &PlacedWord, word: &PlacedWord) -> bool {
    let (a, b) = (&last.word.bounds, &word.word.bounds);
    let (gap, em) = ((b.x0 - a.x1).max(a.x0 - b.x1), last.word.size.max(word.word.size));
    // The text of the page knows the spaces of a line better than any gap does: an index may stand off its letter.
    match last.index + 1 == word.index {
        true => word.word.is_spaced || gap > COLUMN_GAP_EM * em,
        false => are_apart(*a, *b, em),
    }
}

/// Appends a line, without the hyphen at the end of the text if it divides a word.
fn append_line(text: &mut String, line: &str) {
    let vocabulary = Vocabulary::default();
    match LineEnd::between(text, line, || &vocabulary) {
        LineEnd::Space => text.extend((!text.is_empty()).then_some(' ')),
        LineEnd::Nothing => {}
        LineEnd::Divided => drop(text.pop()),
    }
    text.push_str(line);
}
