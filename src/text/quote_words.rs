//! The words of a text, for comparing passages: punctuation, spaces and hyphens between letters do not count.

use std::ops::Range;

use super::fold::FoldedText;
use super::layout::hyphens::SOFT_HYPHEN;

/// A word, a number or a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Its folded letters, digits and signs.
    pub(super) key: String,
    /// Where it stands in the text.
    pub(super) source: Range<usize>,
}

/// The words of `text`, of which hyphens at the ends of lines were removed at `joints`.
pub(super) fn words(text: &str, joints: &[u64]) -> Vec<Word> {
    let folded = FoldedText::of(text, joints, SOFT_HYPHEN);
    let characters = folded.text.char_indices().collect::<Vec<_>>();
    let mut found: Vec<Word> = Vec::new();
    let mut current: Option<(String, Range<usize>)> = None;
    for (at, (position, character)) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| characters.get(at)).map(|(_, before)| *before);
        let after = characters.iter().skip(at + 1).map(|(_, after)| *after).find(|after| *after != '\n');
        let end = position + character.len_utf8();
        match kind(before, *character, after, current.is_some()) {
            Kind::Part => match &mut current {
                Some((key, range)) => {
                    key.push(*character);
                    range.end = end;
                }
                None => current = Some((character.to_string(), *position..end)),
            },
            Kind::Joint => {}
            // A line may end after the hyphen of a number or a compound.
            Kind::Gap if *character == '\n' && before == Some('-') && current.is_some() => {}
            Kind::Gap => found.extend(current.take().map(|word| whole(&folded, word))),
            Kind::Alone => {
                found.extend(current.take().map(|word| whole(&folded, word)));
                found.push(whole(&folded, (character.to_string(), *position..end)));
            }
        }
    }
    found.extend(current.map(|word| whole(&folded, word)));
    found
}

fn whole(folded: &FoldedText<'_>, (key, range): (String, Range<usize>)) -> Word {
    Word { key, source: folded.source_range(range) }
}

enum Kind {
    /// Belongs to a word.
    Part,
    /// Stands within a word and does not count.
    Joint,
    /// Ends a word.
    Gap,
    /// A word of its own.
    Alone,
}

fn kind(before: Option<char>, character: char, after: Option<char>, is_within: bool) -> Kind {
    let is = |character: Option<char>, test: fn(char) -> bool| character.is_some_and(test);
    let digit = |character: char| character.is_ascii_digit();
    let between = |test: fn(char) -> bool| is(before, test) && is(after, test);
    match character {
        _ if is_ideograph(character) || is_symbol(character) => Kind::Alone,
        _ if character.is_alphanumeric() => Kind::Part,
        SOFT_HYPHEN => Kind::Joint,
        '\'' if between(char::is_alphanumeric) => Kind::Part,
        '.' | ',' | ':' if between(digit) => Kind::Part,
        '-' if is_within && between(char::is_alphabetic) => Kind::Joint,
        '-' if is_within && between(char::is_alphanumeric) => Kind::Part,
        '-' if !is(before, char::is_alphanumeric) && is(after, digit) => Kind::Part,
        _ => Kind::Gap,
    }
}

/// Scripts that put no spaces between words.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Signs that change what a passage says.
fn is_symbol(character: char) -> bool {
    matches!(character, '%' | '$' | '+' | '<' | '=' | '>' | '£' | '¥' | '§' | '°' | '±' | '×' | '÷' | '¬' | '€' | '‰')
        || matches!(character, '\u{2200}'..='\u{22FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = words(text, &[]);
        assert_eq!(found.iter().map(|word| word.key.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_are_letters_without_hyphens_and_numbers_with_signs() {
        check("Self-propelled, it couldn’t “fly”.The end", &["Selfpropelled", "it", "couldn't", "fly", "The", "end"]);
        check("anti-\npiracy part-\n time", &["antipiracy", "part", "time"]);
        check("pages 10-12, 10-\n12, −5 or 5", &["pages", "10-12", "10-12", "-5", "or", "5"]);
        check("1,000.5 at 12:30, 5% of $3", &["1,000.5", "at", "12:30", "5", "%", "of", "$", "3"]);
        check("漢字を", &["漢", "字", "を"]);
        check(" — ... ", &[]);
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let text = "an eﬃcient word";
        let places = words(text, &[]);
        let places = places.iter().filter_map(|word| text.get(word.source.clone())).collect::<Vec<_>>();
        assert_eq!(places, ["an", "eﬃcient", "word"]);
    }
}
