//! Displayed formulas: rows that stand closer than lines of text can, and the left side beside them.

use crate::page_structure::Line;

/// Baselines that differ by less, in ems, belong to one formula: text so close would be printed over itself.
const STACK_EM: f32 = 0.75;
const SAME_EM: f32 = 0.1;
/// The rows of a formula stand at most so many ems apart.
const ROW_EM: f32 = 1.7;
/// So many letters are a word; single ones are variables.
const WORD: usize = 3;
/// The brace at the end of the left side reaches so far over the rows, in ems.
const BRACE_EM: f32 = 0.5;

/// Puts the left side of each formula before its rows. Returns the lines in their new order, and for each line that is
/// part of a formula the index of the formula's first line.
pub(super) fn arrange<'a>(lines: &[&'a Line]) -> (Vec<&'a Line>, Vec<Option<usize>>) {
    let rows: Vec<bool> = (0..lines.len()).map(|at| is_part(lines, at)).collect();
    let (mut lines, mut formulas) = (lines.to_vec(), vec![None; lines.len()]);
    let mut start = 0;
    formulas
        .iter_mut()
        .zip(&lines)
        .enumerate()
        .filter(|(_, (_, line))| line.is_formula())
        .for_each(|(at, (own, _))| *own = Some(at));
    for end in 1..=lines.len() {
        let goes_on = end < lines.len() && is_row_below(&lines, &rows, end);
        if goes_on {
            continue;
        }
        if let Some(block) = lines.get_mut(start..end).filter(|block| is_formula(block)) {
            put_left_side_first(block);
            formulas.iter_mut().take(end).skip(start).for_each(|formula| *formula = Some(start));
        }
        start = end;
    }
    (lines, formulas)
}

/// Whether a line is a row of a formula, or beside two rows.
fn is_part(lines: &[&Line], at: usize) -> bool {
    let is_row = |at: Option<usize>| at.and_then(|at| lines.get(at)).is_some_and(|line| has_few_words(line));
    let is_beside = |at: Option<usize>| {
        let pair = at.and_then(|at| lines.get(at).zip(lines.get(at + 1)));
        pair.is_some_and(|(above, below)| is_stacked(above, below))
    };
    let above = at.checked_sub(1);
    is_row(Some(at)) || is_row(above) && is_row(Some(at + 1)) && is_beside(above) && is_beside(Some(at))
}

fn is_row_below(lines: &[&Line], rows: &[bool], at: usize) -> bool {
    let (Some(above), Some(below)) = (at.checked_sub(1).and_then(|above| lines.get(above)), lines.get(at)) else {
        return false;
    };
    let are_rows = rows.get(at - 1) == Some(&true) && rows.get(at) == Some(&true);
    let step = below.baseline - above.baseline;
    are_rows && above.tag.is_none() && below.tag.is_none() && step < ROW_EM * above.size.max(below.size)
}

/// Whether lines below each other are one formula: some stand closer than lines of text, and one has a sign of formulas.
fn is_formula(block: &[&Line]) -> bool {
    let mut pairs = block.iter().zip(block.iter().skip(1));
    pairs.any(|(above, below)| is_stacked(above, below)) && block.iter().any(|line| has_sign(line))
}

fn is_stacked(above: &Line, below: &Line) -> bool {
    let em = above.size.min(below.size);
    (SAME_EM * em..STACK_EM * em).contains(&(below.baseline - above.baseline))
}

/// Whether at most half of the signs of a line are letters of words.
fn has_few_words(line: &Line) -> bool {
    let letters = line.words.iter().map(|word| letters_of_words(&word.text)).sum::<usize>();
    !line.is_formula() && !line.is_monospace() && 2 * letters <= line.len()
}

fn letters_of_words(text: &str) -> usize {
    let words = text.split(|sign: char| !sign.is_alphabetic() || is_mathematical_alphanumeric(sign));
    words.map(|word| word.chars().count()).filter(|count| *count >= WORD).sum()
}

fn is_mathematical_alphanumeric(sign: char) -> bool {
    matches!(sign, '\u{1d400}'..='\u{1d7ff}')
}

/// Whether a line has a relation, an operator, or a bracket that stands alone.
fn has_sign(line: &Line) -> bool {
    let is_sign = |sign: char| {
        matches!(sign, '=' | '<' | '>' | '±' | '√' | '\u{2200}'..='\u{22ff}') || is_mathematical_alphanumeric(sign)
    };
    let is_bracket = |text: &str| matches!(text, "(" | ")" | "[" | "]" | "{" | "}" | "|");
    line.words.iter().any(|word| word.text.chars().any(is_sign) || is_bracket(&word.text))
}

/// Moves the line that ends before all others begin to the front.
fn put_left_side_first(block: &mut [&Line]) {
    let left =
        |at: usize| block.iter().enumerate().filter(move |(other, _)| *other != at).map(|(_, line)| line.bounds.x0);
    let is_left_side =
        |(at, line): &(usize, &&Line)| line.bounds.x1 - BRACE_EM * line.size <= left(*at).fold(f32::INFINITY, f32::min);
    let found = block.iter().enumerate().find(is_left_side).map(|(at, _)| at);
    if let Some(rows) = found.and_then(|at| block.get_mut(..=at)) {
        rows.rotate_right(1);
    }
}
