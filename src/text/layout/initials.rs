//! Large initials over several lines become letters of the first of these lines.

use super::bidi::BracketNaming;
use super::hyphens::Vocabulary;
use super::lines::{LineGlyph, TextLine};

/// An initial is larger than its text by this factor at least.
const LARGER: f64 = 1.8;

/// The usual height of capitals, in ems.
const CAPITAL_EM: f64 = 0.7;

/// The tops of an initial and of its line differ by less, in ems of the line.
const TOP_EM: f64 = 0.6;

/// The text begins within this range after an initial, in ems of the text.
const GAP_EM: std::ops::Range<f64> = -0.5..1.5;

/// Lines beside an initial begin within this many ems of one edge.
const EDGE_EM: f64 = 0.5;

/// Maximum number of letters of a page that may be initials, and of lines that each of them may begin.
const MAX_INITIALS: usize = 64;
const MAX_FIRSTS: usize = 8;
/// The room after an initial that is a word of its own, in ems.
const WORD_SPACE_EM: f64 = 0.25;

/// The places of initials among the lines, each with that of the line that it begins.
type Initials = Vec<(usize, usize)>;

/// Puts each initial before the first letter of its line.
pub(crate) fn attach_initials(lines: Vec<TextLine>) -> Vec<TextLine> {
    let mut lines = split_initials(lines);
    let large = (0..lines.len()).filter(|at| lines.get(*at).is_some_and(is_large_letter));
    let found = large.take(MAX_INITIALS).filter_map(|at| Some((at, first_line(lines.get(at)?, &lines)?)));
    let initials: Initials = found.collect();
    if initials.is_empty() {
        return lines;
    }
    let brackets = BracketNaming::of(lines.iter());
    let texts: Vec<String> = lines.iter().map(|line| line.text(brackets)).collect();
    let text = |at: usize| texts.get(at).map_or("", String::as_str);
    // The rest of a word that an initial begins is no word.
    let known = (0..texts.len()).map(|at| match initials.iter().any(|(_, line)| *line == at) {
        true => text(at).split_once(' ').map_or("", |(_, rest)| rest),
        false => text(at),
    });
    let vocabulary = Vocabulary::of(known);
    for (at, line) in &initials {
        let is_word = is_word_of_its_own(text(*at), text(*line), &vocabulary);
        let letters = lines.get_mut(*at).map(|initial| std::mem::take(&mut initial.glyphs)).unwrap_or_default();
        lines.get_mut(*line).into_iter().for_each(|line| insert(line, letters.clone(), is_word));
    }
    lines.retain(|line| !line.glyphs.is_empty());
    lines
}

/// Lines where an initial that was drawn right before its line stands apart from it.
fn split_initials(lines: Vec<TextLine>) -> Vec<TextLine> {
    let mut left = MAX_INITIALS;
    let mut parts = |line: &TextLine| {
        let at = line.glyphs.iter().take(3).position(|own| LARGER * own.glyph.size < line.size)?;
        let (large, rest) = line.glyphs.split_at_checked(at)?;
        let parts = [TextLine::of(large)?, TextLine::of(rest)?];
        let [large, rest] = &parts;
        if !is_large_letter(large) || !is_first(large, rest) {
            return None;
        }
        left = left.checked_sub(1)?;
        has_next(large, rest, &lines).then_some(parts)
    };
    let split: Vec<Option<[TextLine; 2]>> = lines.iter().map(&mut parts).collect();
    let whole = lines.into_iter().zip(split);
    whole.flat_map(|(line, parts)| parts.map_or_else(|| vec![line], Vec::from)).collect()
}

/// Whether a line is a capital, perhaps after a quotation mark.
fn is_large_letter(line: &TextLine) -> bool {
    let letter = line.glyphs.last().and_then(|own| own.glyph.text.first());
    line.glyphs.len() <= 2 && letter.is_some_and(char::is_uppercase)
}

/// The place of the line that an initial begins.
fn first_line(large: &TextLine, lines: &[TextLine]) -> Option<usize> {
    let mut firsts = lines.iter().enumerate().filter(|(_, line)| is_first(large, line)).take(MAX_FIRSTS);
    firsts.find(|(_, line)| has_next(large, line, lines)).map(|(at, _)| at)
}

/// Whether a line stands beside an initial, above its foot.
fn is_beside(large: &TextLine, line: &TextLine) -> bool {
    line.direction == large.direction
        && large.size > LARGER * line.size
        && GAP_EM.contains(&((line.start - large.end) / line.size))
        && line.across <= large.across + 0.3 * line.size
}

/// Whether a line stands at the top of an initial and goes on from it.
fn is_first(large: &TextLine, line: &TextLine) -> bool {
    let top = (line.across - CAPITAL_EM * line.size) - (large.across - CAPITAL_EM * large.size);
    is_beside(large, line) && top.abs() < TOP_EM * line.size && goes_on(line)
}

/// Whether another line stands beside an initial, below the first one.
fn has_next(large: &TextLine, first: &TextLine, lines: &[TextLine]) -> bool {
    lines.iter().any(|line| {
        is_beside(large, line)
            && line.across > first.across + 0.5 * first.size
            && (line.start - first.start).abs() < EDGE_EM * first.size
    })
}

/// Whether a text goes on from a capital: with a small letter, or with a word in capitals.
fn goes_on(line: &TextLine) -> bool {
    let mut letters = line.glyphs.iter().filter_map(|own| own.glyph.text.first());
    let (first, second) = (letters.next(), letters.next());
    let is_letter = |sign: Option<char>| sign.is_some_and(char::is_alphabetic);
    let is_capital = |sign: Option<char>| sign.is_some_and(char::is_uppercase);
    is_letter(first) && !is_capital(first) || is_capital(first) && (is_capital(second) || !is_letter(second))
}

/// Whether an initial is a word: the text after it is known as one, and not with the initial.
fn is_word_of_its_own(initial: &str, line: &str, vocabulary: &Vocabulary) -> bool {
    let rest: String = line.chars().take_while(|sign| sign.is_alphabetic()).flat_map(char::to_lowercase).collect();
    let whole = initial.chars().filter(|sign| sign.is_alphabetic()).flat_map(char::to_lowercase);
    let whole = whole.chain(rest.chars()).collect::<String>();
    rest.chars().nth(1).is_some() && vocabulary.has(&rest) && !vocabulary.has(&whole)
}

/// Puts letters before a line, in its size and on its baseline.
fn insert(line: &mut TextLine, mut letters: Vec<LineGlyph>, is_word: bool) {
    for own in &mut letters {
        (own.glyph.size, own.glyph.across) = (line.size, line.across);
    }
    if let Some(last) = letters.last_mut() {
        last.glyph.end = line.start - if is_word { WORD_SPACE_EM * line.size } else { 0.0 };
    }
    if let Some(first) = line.glyphs.first_mut() {
        first.follows_space = is_word;
    }
    line.start = letters.first().map_or(line.start, |first| first.glyph.start.min(line.start));
    line.glyphs.splice(0..0, letters);
    line.measure();
}
