//! Headings that stand in the first line of their text become lines of their own.

use crate::list_marks::is_section_number;
use crate::measures::NEXT_LINE_EM;
use crate::page_structure::{Line, LineWord};
use pagewise_text::Bounds;
use std::ops::Range;

/// The space after a heading without a number, in ems: a quad, which no justified line has between its words.
const QUAD_EM: Range<f32> = 0.97..1.06;
/// The most lines of a heading with a number, the last of which its text shares.
const MAX_LINES: usize = 3;
/// Maximum number of words of such a heading, and minimum number of its letters. The letters of the lines of forms stand
/// before a quad too.
const MAX_WORDS: usize = 12;
const MIN_LETTERS: usize = 3;

/// Divides the lines in which a heading ends and its text begins: `2.1. Sample. We took …`, with the heading in bold or
/// italics, over up to three lines; or a heading in bold type before a quad.
pub(super) fn divide(lines: &mut Vec<Line>) {
    let mut at = 0;
    while at < lines.len() {
        let end = lines.get(at..).and_then(heading_end);
        if let Some((offset, words)) = end {
            let rest = lines.get_mut(at + offset).and_then(|line| rest_of(line, words));
            if let Some(rest) = rest {
                lines.insert(at + offset + 1, rest);
            }
            at += offset;
        }
        at += 1;
    }
}

/// In which of the first lines a run-in heading ends, and after how many words.
fn heading_end(lines: &[Line]) -> Option<(usize, usize)> {
    let first = lines.first()?;
    let [number, title, ..] = first.words.as_slice() else { return None };
    let is_emphasis: fn(&LineWord) -> bool = match (title.style.is_bold, title.style.is_italic) {
        (true, _) => |word| word.style.is_bold,
        (false, true) => |word| word.style.is_italic,
        (false, false) => return words_before_quad(first).map(|words| (0, words)),
    };
    if !is_section_number(&number.text) || !title.text.starts_with(char::is_uppercase) {
        return words_before_quad(first).map(|words| (0, words));
    }
    let plain = |(offset, line): (usize, &Line)| {
        let mut words = line.words.iter().enumerate().skip(usize::from(offset == 0));
        words.find(|(_, word)| !is_emphasis(word)).map(|(at, _)| (offset, at))
    };
    let follow =
        lines.windows(2).take_while(|pair| matches!(pair, [above, below] if is_next_line(above, below))).count();
    let (offset, words) = lines.iter().take((1 + follow).min(MAX_LINES)).enumerate().find_map(plain)?;
    let last = lines.get(offset)?.words.get(words.checked_sub(1)?)?;
    last.text.ends_with('.').then_some((offset, words)).filter(|_| offset > 0 || words > 1)
}

/// The number of bold words at the beginning of a line, if they are a heading: a quad and text that is not bold follow. Bold
/// words that end in a number are the label of a figure.
fn words_before_quad(line: &Line) -> Option<usize> {
    let words = line.words.iter().take_while(|word| word.style.is_bold).count();
    let (last, next) = (line.words.get(words.checked_sub(1)?)?, line.words.get(words)?);
    let is_title = line.words.first()?.text.starts_with(char::is_alphabetic)
        && !last.text.trim_end_matches('.').ends_with(|sign: char| sign.is_ascii_digit() || sign == ':')
        && !next.is_raised;
    let title = line.words.iter().take(words).flat_map(|word| word.text.chars());
    let is_long = title.filter(|sign| sign.is_alphabetic()).count() >= MIN_LETTERS;
    let has_quad = QUAD_EM.contains(&((next.bounds.x0 - last.bounds.x1) / last.style.size));
    (is_title && is_long && words <= MAX_WORDS && has_quad).then_some(words)
}

fn is_next_line(above: &Line, below: &Line) -> bool {
    (below.baseline - above.baseline) < NEXT_LINE_EM.end * above.size
        && (below.bounds.x0 - above.bounds.x0).abs() < 2.0 * above.size
}

/// Takes the words from `count` on out of a line.
fn rest_of(line: &mut Line, count: usize) -> Option<Line> {
    let words = line.words.split_off(count.min(line.words.len()));
    let bounds = |words: &[LineWord]| Bounds::around(words.iter().map(|word| word.bounds));
    line.bounds = bounds(&line.words);
    let rest = (!words.is_empty()).then(|| Line { bounds: bounds(&words), words, ..line.clone() });
    line.is_run_in = rest.is_some();
    rest
}
