//! Truncates text to a number of characters or JSON bytes.

use unicode_segmentation::UnicodeSegmentation;

use crate::context::json_length;

/// The first `max` characters of `text`, or fewer, so that no grapheme is split.
pub(super) fn prefix_within(text: &str, max: u64) -> &str {
    if char_count(text) <= max {
        return text;
    }
    let mut left = max;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let Some(rest) = left.checked_sub(char_count(grapheme)) else { break };
        left = rest;
        end = at + grapheme.len();
    }
    text.get(..end).unwrap_or_default()
}

/// The longest beginning of `text` that has at most `max` bytes in JSON.
pub(super) fn prefix_within_json(text: &str, max: u64) -> &str {
    if json_length(text) <= max {
        return text;
    }
    let mut left = max.saturating_sub(2);
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let Some(rest) = left.checked_sub(json_length(grapheme).saturating_sub(2)) else { break };
        left = rest;
        end = at + grapheme.len();
    }
    text.get(..end).unwrap_or_default()
}

pub(super) fn char_count(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{prefix_within, prefix_within_json};

    #[test]
    fn text_is_cut_by_its_bytes_in_json() {
        assert_eq!(prefix_within_json("abc", 5), "abc");
        assert_eq!(prefix_within_json("abc", 4), "ab");
        assert_eq!(prefix_within_json("\u{1}\"c", 10), "\u{1}\"");
        assert_eq!(prefix_within_json("abc", 0), "");
    }

    #[test]
    fn text_is_cut_by_characters_and_between_graphemes() {
        assert_eq!(prefix_within("añb", 2), "añ");
        assert_eq!(prefix_within("an\u{303}b", 2), "a");
        assert_eq!(prefix_within("an\u{303}b", 3), "an\u{303}");
        assert_eq!(prefix_within("abc", 3), "abc");
    }
}
