//! Signs that are drawn with rules, and become words of the layout: check boxes and underscores.
//!
//! A check box is a small square beside a word, empty, or with a cross or a tick in it. TeX draws the underscores of names.

use super::page_layout::{Bounds, Fill, Rule, Word};
use pagewise_base::script::is_right_to_left;

/// What an empty box and a checked one become.
const EMPTY: &str = "\u{2610}";
const CHECKED: &str = "\u{2612}";

/// The sides of a box, in points, and in ems of the word beside it.
const SIDE_PT: std::ops::Range<f32> = 4.0..16.0;
const SIDE_EM: std::ops::Range<f32> = 0.5..1.6;
/// The most that the ends of its sides are apart, in points.
const CORNER_PT: f32 = 1.0;
/// The most that its width and height differ, as a share of the larger.
const UNEVEN: f32 = 0.2;
/// Boxes beside each other that are nearer than this share of a side are the places of single letters; those of lines below
/// each other may be as near, those of a grid touch.
const BESIDE: f32 = 0.25;
const BELOW: f32 = 0.1;
/// The cross or the tick is at least so large, as a share of a side.
const MARK: f32 = 0.35;
/// The middle of a box is so far above the baseline of the word beside it, in ems.
const RISE_EM: std::ops::Range<f32> = -0.1..0.8;
/// The most from a box to its word, in ems.
const GAP_EM: f32 = 1.8;
/// A page with more short rules has no boxes that are looked for.
const MAX_RULES: usize = 4_000;
/// The most signs of each kind on a page, and the most rules near a rule that are compared with it.
const MAX_SIGNS: usize = 500;
const MAX_NEAR: usize = 64;

/// The width of an underscore, its depth below the baseline, and the gaps to the words beside it, in ems. Underlines are
/// deeper.
const UNDERSCORE_EM: std::ops::Range<f32> = 0.2..0.7;
const UNDERSCORE_DROP: std::ops::Range<f32> = -0.1..0.06;
const UNDERSCORE_GAP: std::ops::Range<f32> = -0.12..0.2;

/// Adds the signs of a page to its words.
pub(super) fn add(words: &mut Vec<Word>, rules: &[Rule], fills: &[Fill], drawings: &[Bounds]) {
    add_underscores(words, rules);
    add_check_boxes(words, rules, fills, drawings);
}

fn add_underscores(words: &mut Vec<Word>, rules: &[Rule]) {
    let is_short = |rule: &&Rule| rule.is_horizontal && rule.bounds.width() < SIDE_PT.end;
    let mut short: Vec<Bounds> = rules.iter().filter(is_short).map(|rule| rule.bounds).collect();
    if short.is_empty() {
        return;
    }
    short.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    let pairs = words.iter().zip(words.iter().skip(1)).enumerate();
    let found = pairs.filter_map(|(at, (before, next))| Some((at + 1, underscore(before, next, &short)?)));
    for (at, bounds) in found.take(MAX_SIGNS).collect::<Vec<_>>().into_iter().rev() {
        let Some([before, next]) = words.get_mut(at - 1..).and_then(|rest| rest.first_chunk_mut()) else { continue };
        next.is_spaced = false;
        let word = Word { text: "_".to_owned(), bounds, is_spaced: false, ..before.clone() };
        words.insert(at, word);
    }
}

/// The box of the underscore that touches two words of a line.
fn underscore(before: &Word, next: &Word, short: &[Bounds]) -> Option<Bounds> {
    let em = before.size;
    let is_level = before.line == next.line && before.turn == 0 && (before.baseline - next.baseline).abs() < 0.1 * em;
    let gap = (next.bounds.x0 - before.bounds.x1) / em;
    if !is_level || !UNDERSCORE_EM.contains(&(gap - UNDERSCORE_GAP.start)) {
        return None;
    }
    let top = before.baseline + UNDERSCORE_DROP.start * em;
    let near = short.iter().skip(short.partition_point(|rule| rule.y0 < top)).take(MAX_NEAR);
    let mut near = near.take_while(|rule| rule.y0 < before.baseline + UNDERSCORE_DROP.end * em);
    let rule = near.find(|rule| {
        UNDERSCORE_EM.contains(&(rule.width() / em))
            && UNDERSCORE_GAP.contains(&((rule.x0 - before.bounds.x1) / em))
            && UNDERSCORE_GAP.contains(&((next.bounds.x0 - rule.x1) / em))
    })?;
    Some(Bounds { x0: rule.x0, x1: rule.x1, ..before.bounds })
}

fn add_check_boxes(words: &mut Vec<Word>, rules: &[Rule], fills: &[Fill], drawings: &[Bounds]) {
    let mut boxes: Vec<(Bounds, Content)> = Vec::new();
    for square in squares(rules) {
        if !words.iter().any(|word| square.holds(word.seen().center())) {
            boxes.push((square, content(square, fills, drawings)));
        }
    }
    if boxes.iter().any(|(square, content)| *content == Content::Colour && is_in_legend(*square, fills)) {
        return;
    }
    let mut places: Vec<(usize, Word)> = Vec::new();
    for (square, content) in &boxes {
        let is_empty_one = |(other, content): &(Bounds, Content)| {
            *content == Content::Nothing && (other.width() - square.width()).abs() < CORNER_PT
        };
        let text = match content {
            Content::Nothing => EMPTY,
            Content::Mark => CHECKED,
            // Without an empty one it may be a bullet, or stand in the legend of a chart.
            Content::Colour if boxes.iter().any(is_empty_one) => CHECKED,
            Content::Colour => continue,
        };
        places.extend(place(words, *square, text));
    }
    places.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.bounds.x0.total_cmp(&a.1.bounds.x0)));
    for (at, word) in places {
        if let Some(next) = words.get_mut(at)
            && next.line == word.line
        {
            next.is_spaced = true;
        }
        words.insert(at, word);
    }
}

/// What is in a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Nothing,
    /// A cross, a tick or a dot.
    Mark,
    /// A ground that is not white.
    Colour,
}

fn content(square: Bounds, fills: &[Fill], drawings: &[Bounds]) -> Content {
    let side = square.height();
    let is_mark = |bounds: &Bounds| {
        let size = bounds.width().max(bounds.height());
        square.holds(bounds.center()) && (MARK * side..1.8 * side).contains(&size)
    };
    let is_ground =
        |fill: &Fill| is_coloured(fill) && square.holds(fill.bounds.center()) && fill.bounds.width() > 0.8 * side;
    match () {
        () if fills.iter().any(is_ground) => Content::Colour,
        () if drawings.iter().any(is_mark) => Content::Mark,
        () if fills.iter().any(|fill| is_coloured(fill) && is_mark(&fill.bounds)) => Content::Mark,
        () => Content::Nothing,
    }
}

/// A box as a word, and its place in the reading order: before the word that follows it on its line, else after the one
/// before it.
fn place(words: &[Word], square: Bounds, text: &str) -> Option<(usize, Word)> {
    let middle = (square.y0 + square.y1) / 2.0;
    let row = words.iter().enumerate().filter(|(_, word)| {
        let em = word.size.max(0.1);
        word.turn == 0
            && word.shift == [0.0; 2]
            && RISE_EM.contains(&((word.baseline - middle) / em))
            && SIDE_EM.contains(&(square.height() / em))
    });
    let gap = |word: &Word| (word.bounds.x0 - square.x1).max(square.x0 - word.bounds.x1);
    let follows = |word: &Word| match word.text.chars().any(is_right_to_left) {
        true => word.bounds.x1 < square.x1,
        false => word.bounds.x0 > square.x0,
    };
    let near = row.filter(|(_, word)| gap(word) < GAP_EM * word.size);
    let (at, beside) = near.min_by(|(_, a), (_, b)| follows(b).cmp(&follows(a)).then(gap(a).total_cmp(&gap(b))))?;
    let is_first = follows(beside);
    let bounds = Bounds { x0: square.x0, x1: square.x1, ..beside.bounds };
    let word = Word { text: text.to_owned(), bounds, is_spaced: beside.is_spaced || !is_first, ..beside.clone() };
    Some((if is_first { at } else { at + 1 }, word))
}

/// The squares that four short rules make, each apart from the others.
fn squares(rules: &[Rule]) -> Vec<Bounds> {
    let is_short = |rule: &&Rule| SIDE_PT.contains(&rule.bounds.width().max(rule.bounds.height()));
    let (mut across, mut upright): (Vec<Bounds>, Vec<Bounds>) = (Vec::new(), Vec::new());
    for rule in rules.iter().filter(is_short) {
        if rule.is_horizontal { across.push(rule.bounds) } else { upright.push(rule.bounds) }
    }
    if across.len() + upright.len() > MAX_RULES {
        return Vec::new();
    }
    across.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    upright.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let mut found: Vec<Bounds> = Vec::new();
    for (at, top) in across.iter().enumerate() {
        let below = across.iter().skip(at + 1).take(MAX_NEAR).take_while(|rule| rule.y0 - top.y0 < SIDE_PT.end);
        let square = below.filter_map(|bottom| square(*top, *bottom)).find(|square| has_sides(*square, &upright));
        found.extend(square.filter(|square| !found.iter().any(|other| are_same(*other, *square))));
        if found.len() > MAX_SIGNS {
            return Vec::new();
        }
    }
    let is_apart = |own: &Bounds| !found.iter().any(|other| !are_same(*own, *other) && are_touching(*own, *other));
    found.iter().copied().filter(is_apart).collect()
}

/// The square between two rules, if it is one.
fn square(top: Bounds, bottom: Bounds) -> Option<Bounds> {
    let is_even = (top.x0 - bottom.x0).abs() < CORNER_PT && (top.x1 - bottom.x1).abs() < CORNER_PT;
    let square = top.union(bottom);
    let (width, height) = (square.width(), square.height());
    (is_even && SIDE_PT.contains(&height) && (width - height).abs() < UNEVEN * width.max(height)).then_some(square)
}

/// Whether rules stand at both sides of a square.
fn has_sides(square: Bounds, upright: &[Bounds]) -> bool {
    let has_side = |x: f32| {
        let first = upright.partition_point(|rule| rule.x0 < x - 2.0 * CORNER_PT);
        let mut near = upright.iter().skip(first).take(MAX_NEAR).take_while(|rule| rule.x0 < x + 2.0 * CORNER_PT);
        near.any(|rule| (rule.y0 - square.y0).abs() < 2.0 * CORNER_PT && (rule.y1 - square.y1).abs() < 2.0 * CORNER_PT)
    };
    has_side(square.x0) && has_side(square.x1)
}

fn are_same(one: Bounds, other: Bounds) -> bool {
    one.edges().into_iter().zip(other.edges()).all(|(a, b)| (a - b).abs() < 2.0 * CORNER_PT)
}

fn are_touching(one: Bounds, other: Bounds) -> bool {
    let (x, y) = (BESIDE * one.width(), BELOW * one.height());
    let area = Bounds { x0: one.x0 - x, y0: one.y0 - y, x1: one.x1 + x, y1: one.y1 + y };
    area.overlaps(other)
}

/// Whether the colour of a square also fills a larger area, as that of the bars of a chart. Black fills anything.
fn is_in_legend(square: Bounds, fills: &[Fill]) -> bool {
    let is_own = |fill: &&Fill| is_coloured(fill) && square.holds(fill.bounds.center());
    let is_larger = |fill: &Fill| fill.bounds.width().max(fill.bounds.height()) > 2.0 * square.height();
    let is_black = |fill: &Fill| fill.color.iter().all(|value| *value < 50);
    let is_of_chart = |own: &Fill| fills.iter().any(|other| other.color == own.color && is_larger(other));
    fills.iter().find(is_own).is_some_and(|own| !is_black(own) && is_of_chart(own))
}

/// The ground of an empty box is white, or nearly so.
fn is_coloured(fill: &Fill) -> bool {
    fill.color.iter().any(|value| *value < 200)
}

#[cfg(test)]
mod tests {
    use super::{CHECKED, EMPTY, add};
    use crate::page_layout::{Bounds, Fill, Rule, Word};

    fn rules(x: f32, y: f32) -> Vec<Rule> {
        let (far, low) = (x + 8.0, y + 8.0);
        let sides = [[x, y, far, y + 0.5], [x, low, far, low + 0.5], [x, y, x + 0.5, low], [far, y, far + 0.5, low]];
        let rule = |(at, side): (usize, [f32; 4])| Rule { bounds: side.into(), is_horizontal: at < 2, color: [0; 3] };
        sides.into_iter().enumerate().map(rule).collect()
    }

    fn word(text: &str, x0: f32) -> Word {
        let bounds = Bounds { x0, y0: 92.0, x1: x0 + 20.0, y1: 102.0 };
        Word { text: text.to_owned(), bounds, baseline: 100.0, size: 10.0, is_spaced: true, ..Word::default() }
    }

    fn texts(boxes: &[Rule], marks: &[Bounds]) -> String {
        filled(boxes, &[], marks, ["Sex:", "female", "male"])
    }

    fn filled(boxes: &[Rule], fills: &[Fill], marks: &[Bounds], [a, b, c]: [&str; 3]) -> String {
        let mut words = vec![word(a, 20.0), word(b, 60.0), word(c, 110.0)];
        add(&mut words, boxes, fills, marks);
        words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn boxes_stand_before_their_words() {
        let boxes = [rules(48.0, 93.0), rules(98.0, 93.0)].concat();
        let cross = [[98.0, 93.0, 106.0, 101.0].into()];
        assert_eq!(texts(&boxes, &cross), format!("Sex: {EMPTY} female {CHECKED} male"));
        assert_eq!(texts(&rules(134.0, 93.0), &[]), format!("Sex: female male {EMPTY}"));
    }

    #[test]
    fn a_box_of_a_line_that_runs_to_the_left_stands_to_the_right_of_its_word() {
        let text = filled(&rules(84.0, 93.0), &[], &[], ["x", "\u{5D0}", "\u{5D1}"]);
        assert_eq!(text, format!("x {EMPTY} \u{5D0} \u{5D1}"));
    }

    #[test]
    fn the_squares_of_a_legend_are_no_boxes() {
        let boxes = [rules(48.0, 93.0), rules(98.0, 93.0)].concat();
        let fill = |edges: [f32; 4]| Fill { bounds: edges.into(), color: [150; 3] };
        let (own, bar) = (fill([48.0, 93.0, 56.0, 101.0]), fill([48.0, 20.0, 60.0, 80.0]));
        let words = ["Sex:", "female", "male"];
        assert_eq!(filled(&boxes, &[own, bar], &[], words), "Sex: female male");
        assert_eq!(filled(&boxes, &[own], &[], words), format!("Sex: {CHECKED} female {EMPTY} male"));
    }

    #[test]
    fn a_filled_box_is_checked_if_another_is_empty() {
        let (one, other) = (rules(48.0, 93.0), rules(98.0, 93.0));
        let fills = [Fill { bounds: [48.0, 93.0, 56.0, 101.0].into(), color: [0; 3] }];
        let words = ["Sex:", "female", "male"];
        assert_eq!(filled(&one, &fills, &[], words), "Sex: female male");
        assert_eq!(filled(&[one, other].concat(), &fills, &[], words), format!("Sex: {CHECKED} female {EMPTY} male"));
    }

    #[test]
    fn a_short_rule_between_two_words_is_an_underscore() {
        let between = |edges: [f32; 4]| {
            let mut words = vec![word("ballot", 40.0), word("num", 64.0)];
            add(&mut words, &[Rule { bounds: edges.into(), is_horizontal: true, color: [0; 3] }], &[], &[]);
            words
                .iter()
                .map(|word| if word.is_spaced { format!(" {}", word.text) } else { word.text.clone() })
                .collect()
        };
        let text: String = between([60.5, 100.0, 63.5, 100.4]);
        assert_eq!(text, " ballot_num");
        let fraction: String = between([60.5, 96.0, 63.5, 96.4]);
        assert_eq!(fraction, " ballot num");
        let underline: String = between([40.0, 101.0, 84.0, 101.4]);
        assert_eq!(underline, " ballot num");
    }

    #[test]
    fn places_for_letters_and_squares_far_from_words_are_none() {
        let comb = [rules(84.0, 93.0), rules(92.5, 93.0)].concat();
        assert_eq!(texts(&comb, &[]), "Sex: female male");
        assert_eq!(texts(&rules(200.0, 93.0), &[]), "Sex: female male");
        assert_eq!(texts(&rules(48.0, 60.0), &[]), "Sex: female male");
    }
}
