//! Levels lines that are a little aslant: those of a page that was scanned so, and of text that is turned by a few degrees.
//! Rows, columns and paragraphs are then found as on other pages.

use super::lines::{LineGlyph, TextLine};
use super::recognised_lines::median;
use crate::glyphs::PlacedGlyph;
use crate::page_layout::{Bounds, to_points};
use hayro_interpret::kurbo::{Affine, Point, Rect};

/// Text at this angle to the page or a larger one, in degrees, is meant to be aslant: a watermark, or the label of a chart.
/// Scans lie less aslant.
pub const MAX_TILT: u16 = 6;

/// A smaller tilt moves the end of a line by less than a point.
const LEAST_TILT: f64 = 0.1;

/// Lines whose tilts differ by less, in degrees, lie aslant together.
const SAME_TILT: f64 = 0.5;

/// The tilt of a line is measured from this length on, in ems, and from this number of glyphs on its baseline. Of a shorter
/// line it is known only that it has none.
const MIN_LENGTH_EM: f64 = 1.5;
const MIN_GLYPHS: usize = 3;

/// How far, in ems, a glyph may be off the line through all of them: as drawn, and as guessed from a picture.
const DRAWN_EM: f64 = 0.02;
const GUESSED_EM: f64 = 0.15;

/// A line whose ends differ by less, in ems, is level, however short it is.
const LEVEL_EM: f64 = 0.001;

/// Smaller glyphs than this share of their line's size may be raised or lowered.
const LARGE: f64 = 0.95;

/// Makes lines level. Those with the same tilt are turned about the middle of all of them.
pub(crate) fn level(lines: Vec<TextLine>, are_guessed: bool) -> Vec<TextLine> {
    let tilts = tilts_of(&lines, are_guessed);
    if tilts.iter().all(|tilt| !is_small(*tilt)) {
        return lines;
    }
    let mut order: Vec<(f64, usize)> =
        tilts.into_iter().zip(0..).filter(|(tilt, _)| tilt.abs() < f64::from(MAX_TILT)).collect();
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    // A picture is aslant as a whole, and the tilt of each line a guess.
    let same = if are_guessed { 2.0 * f64::from(MAX_TILT) } else { SAME_TILT };
    let mut turns: Vec<Option<Affine>> = vec![None; lines.len()];
    for group in order.chunk_by(|one, other| other.0 - one.0 < same) {
        let own = || group.iter().filter_map(|(tilt, at)| Some((*tilt, *at, lines.get(*at)?)));
        let tilt = median(own().flat_map(|(tilt, _, line)| line.glyphs.iter().map(move |_| tilt)));
        if is_small(tilt) {
            let area = Bounds::around(own().map(|(_, _, line)| area_of(line)));
            let middle = Point::new(f64::from(area.x0 + area.x1) / 2.0, f64::from(area.y0 + area.y1) / 2.0);
            let turn = Affine::rotate_about(-tilt.to_radians(), middle);
            own().for_each(|(_, at, _)| turns.iter_mut().skip(at).take(1).for_each(|own| *own = Some(turn)));
        }
    }
    let level = |(line, turn): (TextLine, Option<Affine>)| match turn {
        Some(turn) => turned(&line, turn).unwrap_or(line),
        None => line,
    };
    lines.into_iter().zip(turns).map(level).collect()
}

/// Whether a tilt is large enough to matter, and too small to be meant.
fn is_small(tilt: f64) -> bool {
    (LEAST_TILT..f64::from(MAX_TILT)).contains(&tilt.abs())
}

/// The tilt of each line in degrees. A line of which it is not known has that of the line before it.
fn tilts_of(lines: &[TextLine], are_guessed: bool) -> Vec<f64> {
    let known: Vec<Option<f64>> = lines.iter().map(|line| tilt_of(line, are_guessed)).collect();
    let mut last = known.iter().flatten().next().copied().unwrap_or_default();
    let tilts = known.into_iter().map(|tilt| {
        last = tilt.unwrap_or(last);
        last
    });
    tilts.collect()
}

/// The tilt of a line in degrees clockwise, from its direction and from the line through its glyphs.
fn tilt_of(line: &TextLine, are_guessed: bool) -> Option<f64> {
    let on_line = line.glyphs.iter().map(|own| &own.glyph).filter(|glyph| glyph.size >= LARGE * line.size);
    let places: Vec<(f64, f64)> = on_line.map(|glyph| (glyph.start, glyph.across)).collect();
    let first = places.first()?;
    let slope = slope_of(&places);
    let off = places.iter().map(|place| place.1 - first.1 - slope * (place.0 - first.0));
    let (least, most) = off.fold((0.0_f64, 0.0_f64), |(least, most), off| (least.min(off), most.max(off)));
    let deviation = if are_guessed { GUESSED_EM } else { DRAWN_EM };
    if most - least > deviation * line.size {
        return None;
    }
    let length = line.end - line.start;
    let is_level = slope.abs() * length < LEVEL_EM * line.size && places.len() > 1;
    // Words at several heights are not aslant, though a line goes through them.
    let moves = |pair: &[(f64, f64)]| matches!(pair, [one, next] if (next.1 - one.1) * (next.0 - one.0) * slope > 0.0);
    let is_long = length >= MIN_LENGTH_EM * line.size && places.len() >= MIN_GLYPHS.max(line.glyphs.len() / 2);
    let is_aslant = is_long && (are_guessed || places.windows(2).all(moves));
    (is_level || is_aslant).then(|| line.direction.tilt() + slope.atan().to_degrees())
}

/// The slope of the line through these places that is nearest to all of them.
fn slope_of(places: &[(f64, f64)]) -> f64 {
    let mean =
        |of: fn(&(f64, f64)) -> f64| places.iter().map(of).sum::<f64>() / places.iter().map(|_| 1.0).sum::<f64>();
    let (start, across) = (mean(|place| place.0), mean(|place| place.1));
    let off = places.iter().map(|place| (place.0 - start, place.1 - across));
    let (product, square) = off.fold((0.0, 0.0), |sum, off| (sum.0 + off.0 * off.1, sum.1 + off.0 * off.0));
    if square > 0.0 { product / square } else { 0.0 }
}

/// The area of a line on the page.
fn area_of(line: &TextLine) -> Bounds {
    let point = |along: f64| line.direction.point(along, line.across);
    Rect::from_points(point(line.start), point(line.end)).into()
}

/// A line after a turn, in the nearest direction in quarter turns.
fn turned(line: &TextLine, turn: Affine) -> Option<TextLine> {
    let direction = line.direction.nearest_quarter();
    let glyph = |own: &LineGlyph| {
        let glyph = own.glyph.clone();
        let seen = glyph.direction.point(glyph.start, glyph.across);
        let place = turn * seen;
        let (start, across) = (direction.along(place), direction.across(place));
        let (end, down) = (start + glyph.end - glyph.start, across - glyph.across);
        let ink = glyph.ink.map(|(top, bottom)| (top + down, bottom + down));
        let shift = [place.x - seen.x, place.y - seen.y].map(to_points);
        LineGlyph::new(PlacedGlyph { direction, start, end, across, ink, shift, ..glyph }, own.follows_space)
    };
    TextLine::of(&line.glyphs.iter().map(glyph).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{group_into_lines, order_blocks, words_of};

    /// Lines of ten points, twelve apart, turned about the corner of the page.
    fn lines(texts: &[&str], degrees: f64) -> Vec<TextLine> {
        let turn = Affine::rotate(degrees.to_radians());
        let glyphs =
            (1..).zip(texts).flat_map(|(at, text)| PlacedGlyph::line(text, 50.0, 100.0 + 12.0 * f64::from(at), 10.0));
        let turned = glyphs.map(|glyph| {
            let place = turn * Point::new(glyph.start, glyph.across);
            PlacedGlyph { start: place.x, end: place.x + glyph.end - glyph.start, across: place.y, ..glyph }
        });
        group_into_lines(turned.collect())
    }

    fn baselines(lines: &[TextLine]) -> Vec<Vec<f64>> {
        let of = |line: &TextLine| line.glyphs.iter().map(|own| own.glyph.across).collect();
        lines.iter().map(of).collect()
    }

    #[test]
    fn lines_of_a_page_that_lies_aslant_are_level_and_an_em_and_a_fifth_apart() {
        for degrees in [0.3, -1.4, 2.9] {
            let level = level(lines(&["the first line", "i", "and the second one"], degrees), false);
            let places = baselines(&level);
            let first = places.first().and_then(|line| line.first()).copied().unwrap_or_default();
            for (line, at) in places.iter().zip([0.0, 12.0, 24.0]) {
                assert!(line.iter().all(|own| (own - first - at).abs() < 0.01), "{degrees}: {places:?}");
            }
        }
    }

    #[test]
    fn a_word_knows_where_it_is_seen() {
        let aslant = lines(&["to be or not to be"], 2.0);
        let seen = words_of(&order_blocks(aslant.clone()), &[]).pop().unwrap_or_default();
        let word = words_of(&order_blocks(level(aslant, false)), &[]).pop().unwrap_or_default();
        let (is, was) = (word.seen(), seen.bounds);
        assert!(word.baseline < seen.baseline - 1.0, "{word:?}");
        assert!((is.x0 - was.x0).abs() < 0.1 && (is.y0 - was.y0).abs() < 0.5, "{is:?} {was:?}");
    }

    #[test]
    fn words_at_several_heights_and_slanted_text_stay_as_they_are() {
        let stairs = ["up ", "the ", "stairs"].iter().zip([0.0, 1.0, 2.0]);
        let stairs = stairs.flat_map(|(text, at)| PlacedGlyph::line(text, 40.0 * at, 100.0 - 2.0 * at, 10.0));
        for own in [group_into_lines(stairs.collect()), lines(&["a watermark"], 8.0)] {
            assert_eq!(baselines(&level(own.clone(), false)), baselines(&own));
        }
    }

    #[test]
    fn words_of_a_recognised_line_are_a_little_off_it() {
        let guessed = (0..8).flat_map(|at| {
            let at = f64::from(at);
            PlacedGlyph::line("word ", 25.0 * at, 100.0 + 0.5 * at + if at % 2.0 == 0.0 { 0.2 } else { -0.2 }, 10.0)
        });
        let own = group_into_lines(guessed.collect());
        assert_eq!(baselines(&level(own.clone(), false)), baselines(&own));
        let places = baselines(&level(own, true)).concat();
        let (least, most) =
            places.iter().fold((f64::MAX, f64::MIN), |(least, most), own| (own.min(least), own.max(most)));
        assert!(most - least < 1.0, "{places:?}");
    }
}
