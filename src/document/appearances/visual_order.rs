//! Converts a line of text from logical to visual order (UAX #9).

use std::borrow::Cow;

use unicode_bidi::{Level, ParagraphBidiInfo};

use crate::mirror::mirrored;

/// The characters of a line from left to right. Its first letter says in which direction it is read.
pub(super) fn visual_order(line: &str) -> Cow<'_, str> {
    let paragraph = ParagraphBidiInfo::new(line, None);
    if !paragraph.has_rtl() {
        return Cow::Borrowed(line);
    }
    let levels = paragraph.reordered_levels_per_char(0..line.len());
    let shown = |(character, level): (char, &Level)| match level.is_rtl() {
        true => mirrored(character).unwrap_or(character),
        false => character,
    };
    let characters = line.chars().zip(&levels).map(shown).collect::<Vec<_>>();
    let order = ParagraphBidiInfo::reorder_visual(&levels);
    order.into_iter().filter_map(|at| characters.get(at)).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::visual_order;

    #[test]
    fn what_reads_to_the_left_is_turned() {
        let cases = [
            ("plain (1)", "plain (1)"),
            ("שלום (עולם)", "(םלוע) םולש"),
            ("ליום 22.11.2026, PDF", "PDF ,22.11.2026 םויל"),
            ("over there: שלום 12 שלום.", "over there: םולש 12 םולש."),
            ("«שלום»", "«םולש»"),
            ("שלום abc 1 (def) עולם", "םלוע abc 1 (def) םולש"),
        ];
        for (line, expected) in cases {
            assert_eq!(visual_order(line), expected);
        }
    }
}
