//! Converts a line of text from logical to visual order.

use std::borrow::Cow;

/// The characters of a line from left to right. Right-to-left runs are reversed and their brackets mirrored; numbers and
/// words of other scripts within them keep their order.
pub(super) fn visual_order(line: &str) -> Cow<'_, str> {
    if !line.chars().any(is_right) {
        return Cow::Borrowed(line);
    }
    let characters = line.chars().collect::<Vec<_>>();
    let count = |of: fn(char) -> bool| characters.iter().filter(|character| of(**character)).count();
    if count(is_right) >= count(is_left) {
        return Cow::Owned(reverse(&characters));
    }
    let mut seen = String::with_capacity(line.len());
    let mut rest = characters.as_slice();
    while let Some(first) = rest.first() {
        let end = if is_right(*first) { end_of_right(rest) } else { 1 };
        let Some((part, more)) = rest.split_at_checked(end) else { break };
        if is_right(*first) {
            seen.push_str(&reverse(part))
        } else {
            seen.extend(part)
        }
        rest = more;
    }
    Cow::Owned(seen)
}

/// The end of the right-to-left run at the beginning.
fn end_of_right(characters: &[char]) -> usize {
    let until_left = characters.iter().take_while(|character| !is_left(**character)).enumerate();
    until_left.filter(|(_, character)| is_right(**character)).last().map_or(1, |(at, _)| at + 1)
}

fn reverse(characters: &[char]) -> String {
    let is_word = |character: char| is_left(character) || character.is_numeric();
    let is_inner = |[before, point, after]: [char; 3]| is_word(before) && ".,:/".contains(point) && is_word(after);
    let is_kept = |at: usize| {
        let near = |at: Option<usize>| at.and_then(|at| characters.get(at)).copied().unwrap_or(' ');
        let around = [near(at.checked_sub(1)), near(Some(at)), near(at.checked_add(1))];
        is_word(near(Some(at))) || is_inner(around)
    };
    let mut parts: Vec<String> = Vec::new();
    let mut was_kept = false;
    for (at, character) in characters.iter().enumerate() {
        let kept = is_kept(at);
        match parts.last_mut().filter(|_| kept && was_kept) {
            Some(part) => part.push(*character),
            None => parts.push(if kept { *character } else { mirror(*character) }.to_string()),
        }
        was_kept = kept;
    }
    parts.into_iter().rev().collect()
}

fn mirror(character: char) -> char {
    match character {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        other => other,
    }
}

fn is_left(character: char) -> bool {
    character.is_alphabetic() && !is_right(character)
}

/// Whether a character is of Hebrew, Arabic or a related script, and no digit.
fn is_right(character: char) -> bool {
    !character.is_numeric()
        && matches!(character, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
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
        ];
        for (line, expected) in cases {
            assert_eq!(visual_order(line), expected);
        }
    }
}
