//! Characters from the scores of a recognition model.
//!
//! The model gives each step of a line a probability for each class: none, the characters, and a space. Equal classes in
//! a row are one character, and "none" divides equal characters (CTC, Graves 2006, section 3.2).

use super::geometry::median;

/// A character, and the steps that showed it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DecodedCharacter {
    pub(super) character: Box<str>,
    /// The middle of its steps, as a share of the line.
    pub(super) position: f32,
    /// From 0 to 1.
    pub(super) confidence: f32,
}

/// The characters of a model, by class.
pub(super) struct Alphabet {
    characters: Vec<Box<str>>,
}

impl Alphabet {
    /// The characters of a list, one on each line. The class after the last is a space.
    pub(super) fn parse(list: &str) -> Self {
        Self { characters: list.lines().map(Box::from).collect() }
    }

    /// The classes: none, the characters, and the space.
    pub(super) fn class_count(&self) -> usize {
        self.characters.len() + 2
    }

    fn character(&self, class: usize) -> &str {
        let listed = class.checked_sub(1).and_then(|at| self.characters.get(at));
        listed.map_or(" ", |character| character)
    }

    /// The characters of a line, from the probabilities of each class at each step.
    pub(super) fn decode(&self, probabilities: &[f32]) -> Vec<DecodedCharacter> {
        let steps = probabilities.chunks_exact(self.class_count());
        let count = steps.len().max(1) as f32;
        let mut decoded: Vec<DecodedCharacter> = Vec::new();
        let mut last = (NONE, 0.0);
        for (at, step) in steps.enumerate() {
            let (class, probability) = most_probable(step);
            let position = (at as f32 + 0.5) / count;
            match decoded.last_mut().filter(|_| class == last.0 && class != NONE) {
                Some(character) => {
                    character.position = f32::midpoint(last.1, position);
                    character.confidence = character.confidence.max(probability);
                }
                None if class != NONE => {
                    let character = self.character(class).into();
                    decoded.push(DecodedCharacter { character, position, confidence: probability });
                    last.1 = position;
                }
                None => {}
            }
            last.0 = class;
        }
        with_bullet_gap(decoded)
    }
}

/// A gap after the first character that is so many times as wide as usual is a space: models miss it after bullets.
const BULLET_GAP: f32 = 1.3;

/// The same after a letter or a digit, which may be a wide one.
const LETTER_GAP: f32 = 2.6;

/// The characters with a space after a bullet.
fn with_bullet_gap(mut characters: Vec<DecodedCharacter>) -> Vec<DecodedCharacter> {
    let gaps = characters.iter().zip(characters.iter().skip(1)).map(|(one, next)| next.position - one.position);
    let usual = median(gaps.collect()).unwrap_or(f32::MAX);
    if let [first, second, ..] = characters.as_slice() {
        let least = if first.character.chars().all(char::is_alphanumeric) { LETTER_GAP } else { BULLET_GAP };
        let is_wide = second.position - first.position > least * usual;
        let is_spaced = [first, second].iter().any(|character| &*character.character == " ");
        let position = f32::midpoint(first.position, second.position);
        if is_wide && !is_spaced {
            characters.insert(1, DecodedCharacter { character: " ".into(), position, confidence: 1.0 });
        }
    }
    characters
}

/// The class of a step without a character.
const NONE: usize = 0;

fn most_probable(step: &[f32]) -> (usize, f32) {
    // Several maxima side by side, since processors compare many numbers at once.
    let mut maxima = [0.0; 16];
    let chunks = step.chunks_exact(maxima.len());
    let rest = chunks.remainder().iter().copied().fold(0.0, f32::max);
    for chunk in chunks {
        for (maximum, value) in maxima.iter_mut().zip(chunk) {
            *maximum = f32::max(*maximum, *value);
        }
    }
    let highest = maxima.into_iter().fold(rest, f32::max);
    (step.iter().position(|value| *value == highest).unwrap_or(NONE), highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(classes: &[usize]) -> Vec<(String, f32)> {
        let alphabet = Alphabet::parse("a\nb");
        let scores = classes.iter().flat_map(|class| (0..4).map(move |at| if at == *class { 0.7 } else { 0.1 }));
        let decoded = alphabet.decode(&scores.collect::<Vec<_>>());
        decoded.into_iter().map(|found| (found.character.into_string(), found.position)).collect()
    }

    #[test]
    fn equal_steps_are_one_character_and_a_gap_divides_them() {
        let found = decode(&[0, 1, 1, 0, 1, 2, 3, 0]);
        let expected = [("a", 0.25), ("a", 0.5625), ("b", 0.6875), (" ", 0.8125)];
        assert_eq!(found, expected.map(|(text, at)| (text.to_owned(), at)));
        assert_eq!(decode(&[0, 0]), []);
    }

    #[test]
    fn a_wide_gap_after_the_first_character_is_a_space() {
        let text = |classes: &[usize]| decode(classes).into_iter().map(|(text, _)| text).collect::<String>();
        assert_eq!(text(&[1, 0, 0, 2, 1, 2, 1]), "a baba");
        assert_eq!(text(&[1, 0, 2, 1, 2, 1]), "ababa");
        assert_eq!(text(&[1, 2, 0, 0, 0, 1, 2]), "abab");
    }

    #[test]
    fn an_incomplete_step_is_left_out() {
        assert_eq!(Alphabet::parse("a\nb").decode(&[0.1, 0.9]), []);
    }
}
