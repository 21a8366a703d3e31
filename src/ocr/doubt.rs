//! The parts of a line that a model is not sure of, which the next model reads again.

use pagewise_base::script::is_ideograph;
use std::ops::Range;

use super::recogniser::RecognisedCharacter;

/// A character that is less certain is read again.
const DOUBT: f32 = 0.7;

/// The least number of characters of a part: a model needs to see letters beside each other.
const LEAST_PART: usize = 8;

/// The parts of a line with doubtful characters: whole words, from left to right. All of it if that is most of it.
pub(super) fn doubtful_parts(characters: &[RecognisedCharacter]) -> Vec<Range<usize>> {
    let words = words(characters);
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_sure = characters.get(word.clone()).is_none_or(|word| word.iter().all(is_certain));
        if is_sure || parts.last().is_some_and(|last| last.end >= word.end) {
            continue;
        }
        let part = widened(&words, at);
        match parts.last_mut().filter(|last| last.end + 1 >= part.start) {
            Some(last) => last.end = part.end,
            None => parts.push(part),
        }
    }
    let length = parts.iter().map(Range::len).sum::<usize>();
    if 2 * length > characters.len() {
        parts.truncate(1);
        parts.iter_mut().for_each(|part| *part = 0..characters.len());
    }
    parts
}

/// The words of a line, which certain spaces divide. Characters of scripts without spaces are words.
fn words(characters: &[RecognisedCharacter]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut divides = true;
    for (at, character) in characters.iter().enumerate() {
        if character.is_space() && is_certain(character) {
            divides = true;
            continue;
        }
        let is_word = character.text.chars().all(is_ideograph);
        match words.last_mut().filter(|_| !divides && !is_word) {
            Some(word) => word.end = at + 1,
            None => words.push(at..at + 1),
        }
        divides = is_word;
    }
    words
}

fn is_certain(character: &RecognisedCharacter) -> bool {
    character.confidence >= DOUBT
}

/// A word with as many of its neighbours as make it long enough.
fn widened(words: &[Range<usize>], at: usize) -> Range<usize> {
    let last_word = words.len().saturating_sub(1);
    let (mut first, mut last) = (at, at);
    loop {
        let start = words.get(first).map_or(0, |word| word.start);
        let end = words.get(last).map_or(0, |word| word.end);
        if end.saturating_sub(start) >= LEAST_PART || (first == 0 && last >= last_word) {
            return start..end;
        }
        first = first.saturating_sub(1);
        last = last.saturating_add(1).min(last_word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The doubtful parts of a line. `?` stands after a doubtful character.
    fn parts(line: &str) -> Vec<String> {
        let mut characters: Vec<RecognisedCharacter> = Vec::new();
        for character in line.chars() {
            match characters.last_mut().filter(|_| character == '?') {
                Some(last) => last.confidence = 0.2,
                None => {
                    let text = character.to_string().into();
                    characters.push(RecognisedCharacter { text, along: 0.0, confidence: 1.0 });
                }
            }
        }
        let text = |part: Range<usize>| characters.iter().skip(part.start).take(part.len()).map(|c| &*c.text).collect();
        doubtful_parts(&characters).into_iter().map(text).collect()
    }

    #[test]
    fn words_with_a_doubtful_character_are_read_again() {
        assert_eq!(parts("a line of which each word is certain"), [""; 0]);
        assert_eq!(
            parts("the recognised wor?ds are here, uncerta?inly so, but others are not"),
            ["recognised words are", "uncertainly"]
        );
        assert_eq!(parts(""), [""; 0]);
    }

    #[test]
    fn parts_that_meet_are_one() {
        assert_eq!(
            parts("it is certain that uncertain? certainty? is there as well as it can be"),
            ["uncertain certainty"]
        );
    }

    #[test]
    fn a_doubtful_space_does_not_divide_words() {
        assert_eq!(parts("a certain beginning and wonder ?fully ending in certain words"), ["wonder fully"]);
    }

    #[test]
    fn characters_without_spaces_are_read_with_those_beside_them() {
        assert_eq!(parts("第一二三四五六七八九?十一二三四五六七八九十一二"), ["五六七八九十一二三"]);
    }

    #[test]
    fn letters_of_other_scripts_stay_with_their_word() {
        assert_eq!(parts("certain ﺳﻼ?ﻡ words that follow it to the end"), ["certain ﺳﻼﻡ words"]);
        assert_eq!(parts("certain 🙂?🙂🙂 words that follow it to the end"), ["certain 🙂🙂🙂 words"]);
    }

    #[test]
    fn a_line_that_is_mostly_doubtful_is_read_again_as_a_whole() {
        assert_eq!(parts("most? words? of? this line"), ["most words of this line"]);
    }
}
