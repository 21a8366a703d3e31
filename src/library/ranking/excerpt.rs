//! The part of a page that answers a query, for people.

use crate::analysis::plain;

/// Bytes of an excerpt, about.
const EXCERPT_BYTES: usize = 300;

/// Bytes before the place, if there is room.
const LEAD_BYTES: usize = 60;

/// Bytes to look back and ahead for the edge of a word.
const WORD_BYTES: usize = 24;

/// The text around a place of a marked text, cut between words, on one line.
pub(super) fn excerpt(marked: &str, place: Option<(usize, usize)>) -> String {
    let (start, end) = place.unwrap_or((0, 0));
    let room = EXCERPT_BYTES.saturating_sub(end.saturating_sub(start));
    let lead = LEAD_BYTES.min(room / 2);
    let from = word_start(marked, marked.floor_char_boundary(start.saturating_sub(lead)), start);
    let most = from.saturating_add(EXCERPT_BYTES).min(marked.len());
    let to = word_end(marked, marked.floor_char_boundary(most), from);
    let text = plain(marked.get(from..to).unwrap_or_default());
    let (before, after) = (if from > 0 { "… " } else { "" }, if to < marked.len() { " …" } else { "" });
    if text.is_empty() { text } else { format!("{before}{text}{after}") }
}

/// The begin of the first word at or after `at`, but not after `latest`.
fn word_start(text: &str, at: usize, latest: usize) -> usize {
    let near = text.get(at..latest).unwrap_or_default();
    match near.char_indices().take(WORD_BYTES).find(|(_, character)| character.is_whitespace()) {
        Some((space, _)) if at > 0 => at + space,
        _ => at,
    }
}

/// The end of the last word at or before `at`, but not before `earliest`.
fn word_end(text: &str, at: usize, earliest: usize) -> usize {
    let near = text.get(earliest..at).unwrap_or_default();
    match near.char_indices().rev().take(WORD_BYTES).find(|(_, character)| character.is_whitespace()) {
        Some((space, _)) if at < text.len() => earliest + space,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_hold_the_place_and_are_cut_between_words() {
        let text = (0..200).map(|number| format!("word{number}\n")).collect::<String>();
        let start = text.find("word100").unwrap_or_default();
        let shown = excerpt(&text, Some((start, start + 7)));
        assert!(shown.contains("word100") && shown.starts_with("… word") && shown.ends_with(" …"), "{shown}");
        assert!(shown.len() < EXCERPT_BYTES + 20);
        assert_eq!(excerpt("\u{2}Net income\n", None), "Net income");
        assert_eq!(
            excerpt(&"\u{6771}".repeat(500), Some((300, 306))).chars().filter(|one| *one == '\u{6771}').count(),
            100
        );
        assert_eq!(excerpt("", None), "");
    }
}
