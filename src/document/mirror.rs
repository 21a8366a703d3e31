//! Brackets and their mirror images (UAX #9, rule L4).

/// The bracket that is seen in place of `bracket` when text is read from right to left; `None` for other characters.
pub fn mirrored(bracket: char) -> Option<char> {
    Some(match bracket {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        '‹' => '›',
        '›' => '‹',
        _ => return None,
    })
}
