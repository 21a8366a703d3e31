//! Tells spaces from the gaps within words, by the gaps of the line itself.
//!
//! Most programs draw no space characters in justified text, and shrink the gaps of a full line. Others set the letters of
//! a title apart. So the least space of a line lies where its gaps leave the widest hole between those of letters and
//! those of words.

use super::lines::LineGlyph;
use super::scripts::is_same_size;
use super::vertical_stacks::is_upright;
use pagewise_base::script::is_ideograph;
use std::ops::RangeInclusive;

/// The least space of a line whose gaps tell nothing, in ems. Fonts have spaces of .2 to .3 em, which a full line shrinks by
/// a third, and pairs of letters are kerned by less than .1 em.
pub(super) const SPACE_EM: f64 = 0.15;

/// A drawn space with so little room, in ems, divides no word: some programs draw an empty sign after each part of a word.
const NO_ROOM_EM: std::ops::Range<f64> = -0.1..0.04;

/// Where the hole between letters and words is looked for in a full line, in ems beyond the gap of its letters: kerning is
/// narrower, and a space that is no wider than this is not shrunk.
const SPACES_EM: std::ops::Range<f64> = 0.06..0.24;

/// A narrower hole, in ems, is one between pairs of letters. Some programs round the widths of letters.
const MIN_HOLE_EM: f64 = 0.04;

/// At least this many gaps beyond a hole are spaces. Fewer may be an odd pair of letters.
const MIN_SPACES: usize = 3;

/// Beside a tab, at most one of this many gaps is a space.
const MAX_SPACE_SHARE: usize = 3;

/// Gaps of other lengths are tabs and steps back, in ems.
const GAPS_EM: std::ops::Range<f64> = -0.5..1.5;

/// Even spaces differ by this much, in ems, since places are rounded.
const ROUNDING_EM: f64 = 0.01;

/// Fewer gaps tell nothing.
const MIN_GAPS: usize = 6;

/// Letters are set apart by more than this, in ems.
const APART_EM: f64 = 0.08;

/// The gaps of letters that are set apart differ by less, in ems, for one half of them.
const EVEN_EM: f64 = 0.06;

/// Letters are set apart by at most this much, in ems, if the line has no wider gaps. Others stand alone.
const MAX_APART_EM: f64 = 0.25;

/// At most one of this many characters is no letter where letters are set apart: formulas and columns of digits have even
/// gaps too.
const SIGN_SHARE: usize = 5;

/// A word of this many letters is set apart by even gaps within a line of others: those between its letters differ by half
/// of `EVEN_EM` at most, and those on both sides are wider.
const MIN_TRACKED: usize = 4;

/// Letters further apart than this, in ems, are no word.
const MAX_TRACKED_EM: f64 = 1.1;

/// The widths of the letters of a word differ by this much, in ems. Labels at even distances have their middles there.
const UNEVEN_EM: f64 = 0.08;

/// The least gap between two glyphs of this line that is a space, in ems.
pub(super) fn least_space(glyphs: &[LineGlyph]) -> f64 {
    let mut gaps = gaps_of(glyphs);
    if gaps.len() < MIN_GAPS {
        return SPACE_EM;
    }
    gaps.sort_by(f64::total_cmp);
    let has_spaces = glyphs.iter().any(|glyph| glyph.follows_space);
    let letters = letter_gap(&gaps, glyphs, has_spaces);
    let usual = letters + SPACE_EM;
    // Where spaces are drawn, other gaps are tabs. Scripts without spaces shrink and stretch the gaps of their characters.
    let is_certain = has_spaces || glyphs.iter().any(|own| own.glyph.text.first().is_some_and(is_upright));
    match is_certain {
        true => usual,
        false => usual.min(middle_of_hole(&gaps, letters).unwrap_or(usual)),
    }
}

/// The letters of words that are set apart by drawn spaces are no further apart than this, in ems. A week's days are.
const MAX_SPACED_EM: f64 = 0.8;

/// Words of such letters are this many times as far apart as the letters.
const SPACED_WORDS: f64 = 1.4;

/// Joins the words whose letters have drawn spaces between them, as in the headings of some journals.
fn join_spaced_letters(glyphs: &[LineGlyph], spaces: &mut [bool]) {
    let is_single = |at: usize| {
        let is_letter = glyphs.get(at).is_some_and(|own| own.glyph.text.first().is_some_and(char::is_alphabetic));
        is_letter && (at == 0 || follows_space(glyphs, at)) && (at + 1 == glyphs.len() || follows_space(glyphs, at + 1))
    };
    let places: Vec<usize> = (0..glyphs.len()).filter(|at| is_single(*at)).collect();
    for run in places.chunk_by(|one, next| one + 1 == *next).filter(|run| run.len() > MIN_GAPS) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        let Some(letters) = glyphs.get(*first..=*last).filter(|letters| is_tracked(letters)) else { continue };
        let gaps: Vec<f64> = letters.windows(2).map(gap_of).collect();
        let mut sorted = gaps.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(usual) = sorted.get(sorted.len() / 2).filter(|gap| **gap < MAX_SPACED_EM) else { continue };
        for (space, gap) in spaces.iter_mut().skip(first + 1).zip(gaps) {
            *space = gap > SPACED_WORDS * usual;
        }
    }
}

fn follows_space(glyphs: &[LineGlyph], at: usize) -> bool {
    glyphs.get(at).is_some_and(|own| own.follows_space)
}

/// The gap between two glyphs, in ems.
fn gap_of(pair: &[LineGlyph]) -> f64 {
    match pair {
        [last, next] => next.gap_after(last),
        _ => 0.0,
    }
}

/// For each glyph whether a space precedes it. `least_space` is the least gap of the line that is one.
pub(super) fn spaces_of(glyphs: &[LineGlyph], least_space: f64) -> Vec<bool> {
    let has_room = do_spaces_have_room(glyphs);
    let stretch = stretch_of(glyphs);
    let is_drawn = |last: &LineGlyph, next: &LineGlyph| {
        next.follows_space && !(has_room && NO_ROOM_EM.contains(&next.gap_after(last)) && may_touch(last, next))
    };
    let gaps: Vec<(f64, bool)> = glyphs
        .windows(2)
        .map(|pair| match pair {
            [last, next] if is_drawn(last, next) => (f64::INFINITY, true),
            [last, next] if are_ideographs(last, next) => (next.gap_after(last) - stretch, true),
            [last, next] => (next.gap_after(last), is_same_size(&last.glyph, &next.glyph)),
            _ => (0.0, true),
        })
        .collect();
    let tight = tight_spaces(glyphs, least_space);
    let is_space = |gap: &f64| *gap > least_space || tight.as_ref().is_some_and(|tight| tight.contains(gap));
    let mut spaces: Vec<bool> = std::iter::once(false).chain(gaps.iter().map(|(gap, _)| is_space(gap))).collect();
    let mut start = 0;
    while start < gaps.len() {
        let length = tracked_gaps(gaps.get(start..).unwrap_or_default(), least_space);
        let end = start + length;
        // A gap before it that is no space is one of its own size, which the run left out.
        let is_first = start == 0 || spaces.get(start).is_some_and(|is_space| *is_space);
        if length + 1 >= MIN_TRACKED && is_first && glyphs.get(start..=end).is_some_and(is_tracked) {
            spaces.iter_mut().take(end + 1).skip(start + 1).for_each(|is_space| *is_space = false);
        }
        start = end.max(start + 1);
    }
    join_spaced_letters(glyphs, &mut spaces);
    spaces
}

/// The spaces of a part of a line that is set tighter than the rest, in ems: what would be one long word has even gaps
/// with a hole below them, and words on both sides of each.
fn tight_spaces(glyphs: &[LineGlyph], least_space: f64) -> Option<RangeInclusive<f64>> {
    let is_within = |last: &LineGlyph, next: &LineGlyph| {
        !next.follows_space && next.gap_after(last) <= least_space && is_same_size(&last.glyph, &next.glyph)
    };
    let words = glyphs.chunk_by(is_within).filter(|word| word.len() > MIN_GAPS);
    let tight = |word: &[LineGlyph]| {
        let mut gaps: Vec<f64> = word.windows(2).map(gap_of).collect();
        gaps.sort_by(f64::total_cmp);
        let middle = middle_of_hole(&gaps, 0.0)?;
        let spaces = gaps.get(gaps.partition_point(|gap| *gap < middle)..)?;
        let (least, most) = (spaces.first()?, spaces.last()?);
        let is_even = most - least < EVEN_EM / 2.0 && MAX_SPACE_SHARE * spaces.len() <= gaps.len();
        let has_words = word.windows(2).all(|pair| gap_of(pair) < middle || are_words(pair));
        (is_even && has_words).then_some(least - ROUNDING_EM..=most + ROUNDING_EM)
    };
    words.filter_map(tight).next()
}

/// Whether one word may end with the first of two glyphs, and another begin with the second.
fn are_words(pair: &[LineGlyph]) -> bool {
    let [last, next] = pair else { return false };
    let (Some(last), Some(next)) = (last.glyph.text.first(), next.glyph.text.first()) else { return false };
    let ends = last.is_alphanumeric() || matches!(last, ',' | '.' | ';' | ':' | '!' | '?' | ')' | ']' | '’' | '”');
    ends && (next.is_alphanumeric() || matches!(next, '(' | '[' | '‘' | '“'))
}

/// The usual gap between the ideographs of a line, in ems: they are set apart in justified text, whatever its letters are.
fn stretch_of(glyphs: &[LineGlyph]) -> f64 {
    let pairs = glyphs.windows(2).filter(|pair| matches!(pair, [last, next] if are_ideographs(last, next)));
    let mut gaps: Vec<f64> = pairs.map(gap_of).collect();
    gaps.sort_by(f64::total_cmp);
    let usual = gaps.get(gaps.len() / 2).filter(|gap| gaps.len() >= MIN_SPACES && (0.0..MAX_SPACED_EM).contains(*gap));
    usual.copied().unwrap_or(0.0)
}

fn are_ideographs(last: &LineGlyph, next: &LineGlyph) -> bool {
    let is_ideograph = |own: &LineGlyph| own.glyph.text.first().is_some_and(is_ideograph);
    is_ideograph(last) && is_ideograph(next) && !next.follows_space && is_same_size(&last.glyph, &next.glyph)
}

/// Whether a sign may follow another without a space: both are letters, a bracket opens, a bracket or clause ends, or they are
/// parts of a compound or an address.
fn may_touch(last: &LineGlyph, next: &LineGlyph) -> bool {
    let (Some(last), Some(next)) = (last.glyph.text.first(), next.glyph.text.first()) else { return false };
    let closes = matches!(next, '.' | ',' | ';' | ':' | ')' | ']');
    let is_joint = |sign: char| matches!(sign, '-' | '\u{2010}' | '\u{2011}' | '.' | '/' | '@' | '_');
    last.is_alphabetic() && next.is_alphabetic()
        || matches!(last, '(' | '[')
        || closes
        || is_joint(last) && next.is_alphanumeric()
        || last.is_alphanumeric() && is_joint(next)
}

/// Whether most drawn spaces of a line are as wide as spaces are. Where they are not, the widths of the glyphs are wrong.
fn do_spaces_have_room(glyphs: &[LineGlyph]) -> bool {
    let drawn = || glyphs.windows(2).filter(|pair| matches!(pair, [_, next] if next.follows_space));
    2 * drawn().filter(|pair| gap_of(pair) > SPACE_EM).count() > drawn().count()
}

/// The number of gaps at the beginning that are those between the letters of one word: even ones with a wider one after
/// them. A capital before small capitals has a gap of its own.
fn tracked_gaps(gaps: &[(f64, bool)], least_space: f64) -> usize {
    let Some((gap, _)) = gaps.iter().take(2).find(|(_, is_one_size)| *is_one_size) else { return 0 };
    if !(least_space..MAX_TRACKED_EM).contains(gap) {
        return 0;
    }
    let is_even = |(own, is_one_size): &(f64, bool)| match is_one_size {
        true => (own - gap).abs() < EVEN_EM / 2.0,
        false => (least_space..MAX_TRACKED_EM).contains(own),
    };
    let length = gaps.iter().take_while(|own| is_even(own)).count();
    let is_apart = gaps.get(length).is_none_or(|(next, _)| *next > gap + EVEN_EM);
    if is_apart { length } else { 0 }
}

/// Whether glyphs with even gaps are the letters of a word, not labels in the order of the alphabet or a row of signs.
fn is_tracked(glyphs: &[LineGlyph]) -> bool {
    let letter = |own: &LineGlyph| own.glyph.text.first().filter(|sign| sign.is_alphabetic() && !is_upright(*sign));
    let Some(letters) = glyphs.iter().map(letter).collect::<Option<Vec<char>>>() else { return false };
    let widths = || glyphs.iter().map(|own| (own.glyph.end - own.glyph.start) / own.glyph.size);
    let is_uneven = widths().fold(0.0, f64::max) - widths().fold(f64::INFINITY, f64::min) > UNEVEN_EM;
    let is_next = |pair: &[char]| matches!(pair, [one, next] if u32::from(*next) == u32::from(*one) + 1);
    is_uneven && !letters.windows(2).all(is_next)
}

/// The gaps between glyphs of one size without a space character between them, in ems.
fn gaps_of(glyphs: &[LineGlyph]) -> Vec<f64> {
    let pairs = glyphs.windows(2).filter_map(|pair| match pair {
        [last, next] if !next.follows_space && is_same_size(&last.glyph, &next.glyph) => Some(next.gap_after(last)),
        _ => None,
    });
    pairs.filter(|gap| GAPS_EM.contains(gap)).collect()
}

/// The gap between the letters of a line that are set apart, 0 for others. `gaps` ascend.
fn letter_gap(gaps: &[f64], glyphs: &[LineGlyph], has_spaces: bool) -> f64 {
    let at = |share: usize| gaps.get(gaps.len() * share / 4).copied().unwrap_or(0.0);
    let signs = glyphs.iter().filter(|glyph| !glyph.glyph.text.first().is_some_and(char::is_alphabetic)).count();
    let is_even = at(1) > APART_EM && at(3) - at(1) < EVEN_EM && signs * SIGN_SHARE <= glyphs.len();
    let has_words = has_spaces || gaps.last().is_some_and(|last| *last > at(2) + SPACE_EM);
    if is_even && (has_words || at(2) <= MAX_APART_EM) { at(2) } else { 0.0 }
}

/// The middle of the widest hole between the gaps of letters, which are `letters` long, and those of words; `None` if there is
/// none. Too few gaps beyond a hole are tabs.
fn middle_of_hole(gaps: &[f64], letters: f64) -> Option<f64> {
    let (first, last) = (letters + SPACES_EM.start, letters + SPACES_EM.end);
    let beyond = gaps.get(gaps.partition_point(|gap| *gap < first)..).unwrap_or_default();
    let ends = beyond.iter().map(|gap| gap.min(last));
    let holes = std::iter::once(first).chain(ends.clone()).zip(ends).enumerate();
    let (at, (from, to)) = holes.max_by(|(_, one), (_, other)| (one.1 - one.0).total_cmp(&(other.1 - other.0)))?;
    let spaces = beyond.len() - at;
    match to - from >= MIN_HOLE_EM {
        true if spaces >= MIN_SPACES => Some(f64::midpoint(from, to)),
        true => {
            let gaps = gaps.get(..gaps.len() - spaces)?;
            let middle = middle_of_hole(gaps, letters)?;
            // The spaces of a line are even and fewer than its letters. The gaps of letters on a grid are not.
            let spaces = gaps.get(gaps.partition_point(|gap| *gap < middle)..)?;
            let is_even = gaps.last()? - spaces.first()? < EVEN_EM;
            (is_even && MAX_SPACE_SHARE * spaces.len() <= gaps.len()).then_some(middle)
        }
        false => None,
    }
}
