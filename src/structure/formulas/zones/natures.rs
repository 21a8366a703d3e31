//! What words are evidence of: text, a formula, or neither.

use super::{is_high, is_sign};
use crate::formulas::names::is_function;
use crate::formulas::symbols::is_accented;
use pagewise_text::{MathFont, Script, Word, is_bracket_piece};

/// Maximum variables that are set as a word.
const MAX_PRODUCT: usize = 4;

/// The most upright Greek letters in a row that are a product of variables.
const MAX_GREEK: usize = 2;

/// Maximum letters of an operator's name: `softmax`, `MultiHead`.
const MAX_NAME: usize = 12;

/// A thin space of TeX, of a sixth of an em, is narrower than this, in ems.
const THIN_EM: f32 = 0.2;

/// Brackets and bars that open an operator's argument.
const OPENING: &str = "([{|∣";

/// What a word is among formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nature {
    Prose,
    /// A number, a bracket, punctuation, the name of a function.
    Neutral,
    /// A variable or a sign of formulas.
    Math,
}

fn nature(word: &Word) -> Nature {
    if word.is_monospace {
        return Nature::Prose;
    }
    if is_greek_text(word) {
        return Nature::Prose;
    }
    if word.math != MathFont::None || word.text.chars().any(is_sign) || is_accented(&word.text) {
        return Nature::Math;
    }
    let mut longest = 0;
    for part in word.text.split(|sign: char| !sign.is_alphabetic()) {
        longest = longest.max(if is_function(part) { 0 } else { part.chars().count() });
    }
    let is_small = word.script != Script::Baseline;
    // A product of variables, as no word is written.
    let is_product = word.text.chars().skip(1).any(char::is_uppercase) && word.text.chars().any(char::is_lowercase);
    let most = match word.is_italic {
        _ if is_small => 8,
        true if is_product => 4,
        true => 2,
        false => 0,
    };
    let is_attached = longest == 1 && !word.is_spaced;
    match longest {
        0 => Nature::Neutral,
        // Vectors and matrices are bold and upright.
        1 if word.is_bold => Nature::Math,
        2 if word.is_bold && is_product => Nature::Math,
        _ if longest > most && !is_attached => Nature::Prose,
        _ if word.is_italic => Nature::Math,
        _ => Nature::Neutral,
    }
}

/// Whether a word is Greek text: it is upright, and has more Greek letters in a row than a product of variables, or accents,
/// which variables do not have. Some programs write the micro sign for the letter.
fn is_greek_text(word: &Word) -> bool {
    let is_greek = |sign: char| matches!(sign, 'µ' | '\u{370}'..='\u{3ff}') || is_greek_with_accent(sign);
    let is_long = |part: &str| part.chars().count() > MAX_GREEK || part.contains(is_greek_with_accent);
    let is_word = |part: &str| !part.is_empty() && is_long(part) && part.chars().all(is_greek);
    word.math == MathFont::None && !word.is_italic && word.text.split(|sign: char| !sign.is_alphabetic()).any(is_word)
}

fn is_greek_with_accent(sign: char) -> bool {
    matches!(sign, 'Ά' | 'Έ'..='ΐ' | 'Ϊ'..='ΰ' | 'ϊ'..='ώ' | '\u{1f00}'..='\u{1fff}')
}

/// The natures of words. An upright name that touches its argument or its index is no prose.
pub(super) fn natures(words: &[Word]) -> Vec<Nature> {
    let mut natures: Vec<Nature> = words.iter().map(nature).collect();
    for (at, pair) in words.windows(2).enumerate() {
        if let [word, next] = pair
            && (natures.get(at + 1) == Some(&Nature::Math) || next.script == Script::Lowered)
            && natures.get(at) == Some(&Nature::Prose)
            && (!next.is_spaced || is_beside_high(word, next))
            && word.line == next.line
            && (is_operator_name(word, next) || is_product(word, next))
        {
            natures.iter_mut().skip(at).take(1).for_each(|nature| *nature = Nature::Neutral);
        }
    }
    mark_italic_text(words, &mut natures);
    natures
}

/// Short words in the italic font of the text of their line are text, not products of variables.
fn mark_italic_text(words: &[Word], natures: &mut [Nature]) {
    let mut first = 0;
    for line in words.chunk_by(|one, other| one.line == other.line) {
        let own = natures.get_mut(first..first + line.len()).unwrap_or_default();
        first += line.len();
        let is_text = |(word, nature): &(&Word, &Nature)| word.is_italic && **nature == Nature::Prose;
        let Some((text, _)) = line.iter().zip(own.iter()).find(is_text) else { continue };
        for (at, (word, nature)) in line.iter().zip(own).enumerate() {
            let is_word = word.text.chars().nth(1).is_some()
                && word.text.chars().skip(1).all(char::is_lowercase)
                && !word.text.chars().any(is_sign);
            let is_apart = word.is_spaced && line.get(at + 1).is_none_or(|next| next.is_spaced);
            let is_own = word.font == text.font && word.math == MathFont::None && word.script == Script::Baseline;
            if *nature == Nature::Math && is_own && is_word && is_apart && !is_function(&word.text) {
                *nature = Nature::Prose;
            }
        }
    }
}

/// Whether a word is a letter before another one, or are variables of which the last has an index.
fn is_product(word: &Word, next: &Word) -> bool {
    let letters = word.text.chars().map(|_| 1_usize).sum::<usize>();
    let has_script = match next.script {
        Script::Baseline => false,
        Script::Lowered => true,
        Script::Raised => next.text.starts_with(['−', '-']) || has_letter(next),
    };
    let most = if word.is_italic && has_script { MAX_PRODUCT } else { 1 };
    letters <= most && word.text.chars().all(char::is_alphabetic)
}

/// Whether a high bracket follows a word as near as TeX sets it after the name of an operator.
fn is_beside_high(word: &Word, next: &Word) -> bool {
    let gap = next.bounds.x0 - word.bounds.x1;
    is_high(next)
        && next.text.starts_with(|sign| OPENING.contains(sign) || is_bracket_piece(sign))
        && gap < THIN_EM * word.size
}

/// Whether a word is the upright name of an operator whose argument or index touches it.
fn is_operator_name(word: &Word, next: &Word) -> bool {
    let stem = word.text.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let bracket = stem.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
    let length = stem.len() - bracket.len();
    let is_followed = match bracket {
        "" => {
            next.script == Script::Lowered
                || next.text.starts_with(|sign| OPENING.contains(sign) || is_bracket_piece(sign))
        }
        "(" | "[" | "{" | "((" => next.script == Script::Baseline && has_letter(next),
        // The argument is a name with an index.
        _ => {
            next.script == Script::Lowered
                && bracket.trim_start_matches(['(', '[', '{']).chars().all(char::is_alphabetic)
        }
    };
    let is_upright = !word.is_italic && !word.is_monospace && word.script == Script::Baseline;
    is_upright && (2..=MAX_NAME).contains(&length) && is_followed
}

pub(super) fn has_letter(word: &Word) -> bool {
    word.text.chars().any(char::is_alphabetic)
}
