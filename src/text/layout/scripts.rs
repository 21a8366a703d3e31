//! Superscripts and subscripts.

use serde::{Deserialize, Serialize};

use super::lines::LineGlyph;
use crate::glyphs::PlacedGlyph;

/// How characters stand on their line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Script {
    #[default]
    Baseline,
    /// Above it, and smaller: an exponent, or the mark of a note.
    Raised,
    /// Below it, and smaller: an index.
    Lowered,
}

/// A superscript is smaller than its line by this factor at least.
const SMALL: f64 = 0.9;

/// It is raised by more than this, in ems of its line. Word processors raise by a third, TeX by .36.
const RAISED_EM: f64 = 0.15;

/// A subscript is lowered by more than this. TeX lowers by .15.
const LOWERED_EM: f64 = 0.08;

/// Glyphs of such a ratio of sizes are of one size.
const SAME_SIZE: f64 = 0.95;

/// A raised or lowered character follows another one at no larger gap, in ems of its line.
const TOUCH_EM: f64 = 0.3;

/// A superscript or subscript that does not touch its line, or was drawn apart from it, is smaller than this share of the
/// line's size.
pub(super) const APART_SIZE: f64 = 0.87;

/// The mark of a note may follow a space, or the badge of an author, at no larger gap in ems of its line; a letter only at
/// the gap of a wide space. It is raised by more than `MARK_RISE_EM`.
const MARK_EM: f64 = 1.4;
const LETTER_EM: f64 = 0.65;
const MARK_RISE_EM: f64 = 0.2;

/// A gap before or after a script that is smaller than this, in ems of the line, is no space.
pub const SCRIPT_GAP_EM: f32 = 0.12;

/// At most this many characters are raised before the first one on the baseline: the mark of a note.
const MAX_LEADING: usize = 4;

/// Whether two glyphs are of one size.
pub(super) fn is_same_size(one: &PlacedGlyph, other: &PlacedGlyph) -> bool {
    one.size.min(other.size) >= SAME_SIZE * one.size.max(other.size)
}

/// How each glyph of a line stands, and on which baseline, in drawing order. `size` is that of the line's largest glyphs.
pub(super) fn scripts_of(glyphs: &[LineGlyph], size: f64) -> Vec<(Script, f64)> {
    let first = glyphs.iter().position(|own| own.glyph.size >= size).filter(|first| *first <= MAX_LEADING);
    let mut host = first.and_then(|first| glyphs.get(first)).map(|own| &own.glyph);
    let mut last: Option<&LineGlyph> = None;
    let mut in_numerator = false;
    let mut scripts = Vec::with_capacity(glyphs.len());
    for (at, own) in glyphs.iter().enumerate() {
        let gap = |host: &PlacedGlyph| {
            last.map_or(0.0, |last| own.gap_after(last) * last.glyph.size.max(own.glyph.size) / host.size)
        };
        let next = host.filter(|host| gap(host) > MARK_EM).and_then(|_| marked_by(glyphs, at, size));
        host = next.or(host);
        let touches = |host| !own.follows_space && gap(host) <= TOUCH_EM;
        let script = host.map_or(Script::Baseline, |host| match gap(host) {
            _ if next.is_some() || touches(host) => script_beside(host, &own.glyph),
            gap => mark_after(gap, host, &own.glyph),
        });
        // The numerator of a fraction after a space is raised, but no mark of the word before.
        in_numerator =
            script == Script::Raised && if host.is_some_and(touches) { in_numerator } else { is_numerator(glyphs, at) };
        let script = if in_numerator { Script::Baseline } else { script };
        if script == Script::Baseline && !in_numerator {
            host = Some(&own.glyph);
        }
        last = Some(own);
        scripts.push((script, host.map_or(own.glyph.across, |host| host.across)));
    }
    lower_logos(glyphs, &mut scripts);
    scripts
}

/// The first glyph of the words that a mark stands before, from `at` on; `None` if the mark does not touch them.
fn marked_by(glyphs: &[LineGlyph], at: usize, size: f64) -> Option<&PlacedGlyph> {
    let mut pairs = glyphs.get(at..)?.windows(2).take(MAX_LEADING);
    let (last, first) = pairs.find_map(|pair| match pair {
        [last, first] if first.glyph.size >= size => Some((last, first)),
        _ => None,
    })?;
    (!first.follows_space && first.gap_after(last) <= TOUCH_EM).then_some(&first.glyph)
}

/// A capital that is raised between capitals of its word is no exponent, but part of a logo, as in LaTeX.
fn lower_logos(glyphs: &[LineGlyph], scripts: &mut [(Script, f64)]) {
    let is_capital = |own: &LineGlyph| own.glyph.text.first().is_some_and(char::is_uppercase);
    let touches =
        |pair: &[LineGlyph]| matches!(pair, [last, next] if !next.follows_space && next.gap_after(last) < TOUCH_EM);
    let words = glyphs.windows(3).enumerate();
    let words = words.filter(|(_, three)| three.iter().all(is_capital) && three.windows(2).all(touches));
    for (at, _) in words {
        if let Some([(Script::Baseline, _), raised @ (Script::Raised, _), (Script::Baseline, _)]) =
            scripts.get_mut(at..at + 3)
        {
            raised.0 = Script::Baseline;
        }
    }
}

/// How `glyph` stands beside `host`, a glyph on the baseline.
fn script_beside(host: &PlacedGlyph, glyph: &PlacedGlyph) -> Script {
    let rise = (host.across - glyph.across) / host.size;
    match () {
        () if glyph.size > SMALL * host.size => Script::Baseline,
        () if rise > RAISED_EM => Script::Raised,
        () if rise < -LOWERED_EM => Script::Lowered,
        () => Script::Baseline,
    }
}

/// Whether the number that begins here is the numerator of a fraction: a slash follows it.
fn is_numerator(glyphs: &[LineGlyph], at: usize) -> bool {
    let mut signs = glyphs.iter().skip(at).take(MAX_LEADING + 1).filter_map(|own| own.glyph.text.first());
    signs.find(|sign| !sign.is_ascii_digit()).is_some_and(|sign| matches!(sign, '/' | '\u{2044}'))
}

/// How `glyph` stands after a space, or a badge, and `host`. A number there is one of its own unless it is the mark of a note.
fn mark_after(gap: f64, host: &PlacedGlyph, glyph: &PlacedGlyph) -> Script {
    let is_letter = glyph.text.first().is_some_and(char::is_alphabetic);
    let is_near = gap <= if is_letter { LETTER_EM } else { MARK_EM };
    let is_small = glyph.size < APART_SIZE * host.size;
    let is_mark = is_near && is_small && host.across - glyph.across > MARK_RISE_EM * host.size;
    if is_mark { Script::Raised } else { Script::Baseline }
}

/// Divides digits that stand above others, with nothing before them.
const FRACTION_SLASH: char = '\u{2044}';

/// Appends characters that stand together on a line. Raised and lowered ones never read as part of the number before them.
pub fn push_run(text: &mut String, run: &str, script: Script) {
    if script == Script::Baseline {
        return text.push_str(run);
    }
    let host = Host::of(text);
    match script {
        Script::Raised if run.chars().all(|character| superscript(character).is_some()) => {
            text.extend(run.chars().filter_map(superscript));
        }
        Script::Raised if host != Host::Word && is_exponent(run, host) => match run.chars().count() {
            1 => text.extend(['^'].into_iter().chain(run.chars())),
            _ => {
                text.push_str("^(");
                text.push_str(run);
                text.push(')');
            }
        },
        Script::Lowered if host == Host::Number && run.chars().all(|character| character.is_ascii_digit()) => {
            text.extend(run.chars().filter_map(subscript));
        }
        Script::Lowered
            if text.ends_with(is_raised_digit) && run.chars().all(|character| character.is_ascii_digit()) =>
        {
            let host = text.trim_end_matches(is_raised_digit).chars().next_back();
            let has_host = host.is_some_and(|host| host.is_alphanumeric() || matches!(host, ')' | ']' | '}' | '|'));
            text.extend((!has_host).then_some(FRACTION_SLASH));
            text.extend(run.chars().filter_map(subscript));
        }
        _ => text.push_str(run),
    }
}

fn is_raised_digit(character: char) -> bool {
    RAISED.chars().take(10).any(|digit| digit == character)
}

/// What a raised run follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    Number,
    /// A letter that stands alone, or a closing bracket: part of a formula.
    Term,
    Word,
}

impl Host {
    fn of(text: &str) -> Self {
        let mut before = text.chars().rev();
        match (before.next(), before.next()) {
            (Some(last), _) if last.is_ascii_digit() => Self::Number,
            (Some(')' | ']' | '}' | '|'), _) => Self::Term,
            (Some(last), other) if last.is_alphabetic() && !other.is_some_and(char::is_alphabetic) => Self::Term,
            _ => Self::Word,
        }
    }
}

/// Whether a raised run is an exponent: not the ending of an ordinal number, nor a mark such as a star or a prime.
fn is_exponent(run: &str, host: Host) -> bool {
    let is_ordinal = host == Host::Number && run.chars().all(char::is_alphabetic) && run.chars().nth(1).is_some();
    !is_ordinal && run.chars().any(char::is_alphanumeric) && !run.contains(char::is_whitespace)
}

/// The characters that have raised and lowered forms, and these.
const PLAIN: &str = "0123456789+-\u{2212}=()";
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎";

fn form(character: char, forms: &str) -> Option<char> {
    forms.chars().nth(PLAIN.chars().position(|plain| plain == character)?)
}

fn superscript(character: char) -> Option<char> {
    form(character, RAISED)
}

fn subscript(character: char) -> Option<char> {
    form(character, LOWERED)
}

/// Whether `character` is how a superscript or a subscript of `plain` is written.
pub(crate) fn is_script_of(character: char, plain: char) -> bool {
    superscript(plain) == Some(character) || subscript(plain) == Some(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::bidi::BracketNaming;
    use crate::layout::group_into_lines;

    fn raised(text: &str, run: &str) -> String {
        let mut text = text.to_owned();
        push_run(&mut text, run, Script::Raised);
        text
    }

    #[test]
    fn exponents_are_no_digits_of_the_number_before() {
        assert_eq!(raised("2", "64"), "2⁶⁴");
        assert_eq!(raised("7 × 10", "−6"), "7 × 10⁻⁶");
        assert_eq!(raised("2", "n+1"), "2^(n+1)");
        assert_eq!(raised("x", "k"), "x^k");
        assert_eq!(raised("(a + b)", "n"), "(a + b)^n");
        assert_eq!(raised("40 m", "2"), "40 m²");
    }

    #[test]
    fn ordinals_and_marks_stay_as_they_are() {
        assert_eq!(raised("the 5", "th"), "the 5th");
        assert_eq!(raised("a word", "1"), "a word¹");
        assert_eq!(raised("", "1"), "¹");
        assert_eq!(raised("Smith", "a,∗"), "Smitha,∗");
        assert_eq!(raised("f", "′"), "f′");
    }

    #[test]
    fn an_index_of_a_number_is_lowered() {
        let mut text = "101".to_owned();
        push_run(&mut text, "2", Script::Lowered);
        assert_eq!(text, "101₂");
        let mut text = "H".to_owned();
        push_run(&mut text, "2", Script::Lowered);
        assert_eq!(text, "H2");
    }

    #[test]
    fn digits_below_raised_ones_are_a_fraction_unless_both_have_a_host() {
        let both = |before: &str| {
            let mut text = before.to_owned();
            push_run(&mut text, "3", Script::Raised);
            push_run(&mut text, "4", Script::Lowered);
            text
        };
        assert_eq!(["", "about ", "x"].map(both), ["³⁄₄", "about ³⁄₄", "x³₄"]);
    }

    /// The text of a line of glyphs of half an em each: their text, where they start, how far they are raised, their size.
    fn line(parts: &[(&str, f64, f64, f64)]) -> String {
        let glyphs =
            parts.iter().flat_map(|&(text, start, rise, size)| PlacedGlyph::line(text, start, 100.0 - rise, size));
        let lines = group_into_lines(glyphs.collect());
        lines.iter().map(|line| line.text(BracketNaming::of(lines.iter()))).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn the_mark_of_a_note_may_follow_a_space_or_a_badge() {
        assert_eq!(
            line(&[("Smith ", 0.0, 0.0, 10.0), ("1", 28.5, 4.0, 6.0), (", Jones", 32.0, 0.0, 10.0)]),
            "Smith ¹, Jones"
        );
        assert_eq!(line(&[("Smith", 0.0, 0.0, 10.0), ("12", 38.0, 4.0, 6.0)]), "Smith ¹²");
        assert_eq!(
            line(&[("Smith,", 0.0, 0.0, 10.0), ("b", 35.0, 4.0, 6.0), ("a hall", 45.0, 0.0, 10.0)]),
            "Smith, b a hall"
        );
        assert_eq!(line(&[("Smith", 0.0, 0.0, 10.0), ("12", 45.0, 4.0, 6.0)]), "Smith 12");
    }

    #[test]
    fn the_mark_of_words_far_after_others_is_raised_on_their_line() {
        let places = |gap: f64, to_word: f64| {
            let (mark, word) = (10.0 + gap, 13.5 + gap + to_word);
            let parts = [("AI", 0.0, 0.0, 10.0), ("†", mark, 4.0, 7.0), ("Hall", word, 0.0, 10.0)];
            let glyphs =
                parts.iter().flat_map(|&(text, start, rise, size)| PlacedGlyph::line(text, start, 100.0 - rise, size));
            let lines = group_into_lines(glyphs.collect());
            let own: Vec<(Script, f64)> =
                lines.iter().flat_map(|line| &line.glyphs).map(|own| (own.script, own.baseline)).collect();
            own.get(2).copied()
        };
        assert_eq!(places(30.0, 0.0), Some((Script::Raised, 100.0)));
        // What touches no words is text of its own.
        assert_eq!(places(30.0, 6.0), Some((Script::Baseline, 96.0)));
    }

    #[test]
    fn words_beside_a_larger_sign_are_no_script_of_it() {
        assert_eq!(line(&[("•", 0.0, 0.0, 44.0), ("The title of a page", 40.0, 10.0, 10.0)]), "• The title of a page");
        assert_eq!(line(&[("Q", 0.0, 0.0, 34.0), ("What began the day", 19.0, 17.0, 10.0)]), "Q What began the day");
        assert_eq!(line(&[("Smith", 0.0, 0.0, 44.0), ("a, b, c", 112.0, 15.0, 10.0)]), "Smitha,b,c");
    }

    #[test]
    fn a_number_after_a_space_is_no_mark_if_it_is_hardly_raised_or_the_numerator_of_a_fraction() {
        assert_eq!(line(&[("No ", 0.0, 0.0, 10.0), ("12", 15.0, 1.0, 8.0)]), "No 12");
        assert_eq!(line(&[("add 2 ", 0.0, 0.0, 10.0), ("1", 30.0, 4.0, 6.0), ("/", 33.0, 0.0, 10.0)]), "add 2 1/");
        assert_eq!(line(&[("add 2", 0.0, 0.0, 10.0), ("1", 25.0, 4.0, 6.0), ("/", 28.0, 0.0, 10.0)]), "add 2¹/");
    }

    #[test]
    fn a_numerator_has_the_baseline_of_its_line() {
        let parts = [("to ", 0.0, 100.0, 10.0), ("11", 15.0, 97.0, 6.0), ("\u{2044}", 22.0, 100.0, 10.0)];
        let glyphs = parts.iter().flat_map(|(text, x, y, size)| PlacedGlyph::line(text, *x, *y, *size));
        let lines = group_into_lines(glyphs.collect());
        let places = lines.iter().flat_map(|line| &line.glyphs).map(|own| (own.script, own.baseline));
        assert_eq!(places.collect::<Vec<_>>(), [(Script::Baseline, 100.0); 5]);
    }

    #[test]
    fn a_raised_capital_is_part_of_a_logo_within_a_word_alone() {
        let raised = |gap: f64| {
            line(&[
                ("L", 0.0, 0.0, 10.0),
                ("A", 5.0, 2.0, 7.0),
                ("T", 8.5 + gap, 0.0, 10.0),
                ("E", 13.5 + gap, 0.0, 10.0),
            ])
        };
        assert_eq!(raised(0.0), "LATE");
        assert_eq!(raised(4.0), "L^A TE");
    }

    #[test]
    fn a_superscript_that_takes_the_place_of_a_drawn_space_follows_without_one() {
        assert_eq!(
            line(&[("35 kg/m ", 0.0, 0.0, 10.0), ("2", 35.2, 4.0, 6.0), (" on", 38.5, 0.0, 10.0)]),
            "35 kg/m² on"
        );
    }

    #[test]
    fn a_drawn_space_without_room_divides_no_word_where_others_have_room() {
        let parts =
            |part: f64| [("an art ", 0.0, 0.0, 10.0), ("ery ", part, 0.0, 10.0), ("is", part + 20.0, 0.0, 10.0)];
        assert_eq!(line(&parts(30.2)), "an artery is");
        assert_eq!(line(&parts(32.0)), "an art ery is");
        let compound = [("an ill- ", 0.0, 0.0, 10.0), ("bred ", 35.2, 0.0, 10.0), ("cat", 60.2, 0.0, 10.0)];
        assert_eq!(line(&compound), "an ill-bred cat");
    }
}
