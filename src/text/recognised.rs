//! Text that an engine recognised in the picture of a page, laid out as the glyphs of a page are.
//!
//! A scan is rarely straight: the lines of a page are turned about its middle until most of them are level.

use super::glyphs::{GlyphText, PlacedGlyph, WritingDirection};
use super::layout::{TextBlock, TextLine, group_into_lines, join_lines, median, order_blocks, settle, words_of};
use super::main_engine::text_of;
use super::page_layout::{PageLayout, to_points};
use super::page_text::{PageKind, PageText, TextEngine};
use super::page_words::PageWords;
use crate::fonts::StyleIndex;
use hayro_interpret::kurbo::{Affine, Point, Vec2};
use std::f64::consts::FRAC_PI_2;

/// The em of a line, as a share of the thickness of its box.
const EM_SHARE: f64 = 0.7;

/// The distance of the baseline below the middle of the box, as a share of its thickness.
const BASELINE_SHARE: f64 = 0.2;

/// Lines at a larger angle to the page stand on their own: they are no part of the slant of the scan.
const MAX_SLANT: f64 = 0.35;

/// A recognised part of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct RecognisedText {
    /// The middle of its left edge, in points from the top left of the page.
    pub origin: [f64; 2],
    /// The direction of its text in radians, clockwise from the right.
    pub angle: f64,
    /// Its length along the text, in points.
    pub length: f64,
    /// Its height across the text, in points.
    pub thickness: f64,
    /// The characters, and the middle of each in points from the start.
    pub characters: Vec<(Box<str>, f64)>,
}

/// A recognised page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecognisedLayout {
    pub text: PageText,
    /// Its layout. Words stand where they would on a straight page.
    pub layout: PageLayout,
    /// Its words where they are seen.
    pub words: PageWords,
}

/// Lays out recognised text on a page of `width` by `height` points.
#[must_use]
pub fn lay_out_recognised(width: f64, height: f64, parts: &[RecognisedText]) -> RecognisedLayout {
    let slant = Slant::of(width, height, parts);
    let mut lines: Vec<TextLine> = parts.iter().flat_map(|part| group_into_lines(slant.glyphs(part))).collect();
    settle(&mut lines);
    lines.sort_by(|one, other| one.across.total_cmp(&other.across).then(one.start.total_cmp(&other.start)));
    let blocks = order(lines);
    let (text, joints) = text_of(&blocks);
    let kind = if text.is_empty() { PageKind::Empty } else { PageKind::Text };
    let text = PageText { text, joints, kind, engine: TextEngine::Recognition, ..PageText::default() };
    let (width, height) = (to_points(width), to_points(height));
    let layout = PageLayout { width, height, words: words_of(&blocks, &[]), ..PageLayout::default() };
    let words = PageWords::from(layout.clone());
    RecognisedLayout { text, layout, words }
}

/// The lines in blocks and in reading order. Ordering them once brings the lines of a column together; then they form
/// blocks.
fn order(lines: Vec<TextLine>) -> Vec<TextBlock> {
    let ordered = order_blocks(join_lines(lines)).into_iter().flat_map(|block| block.lines);
    order_blocks(ordered.collect())
}

/// The turn of a scan, in quarters and a rest.
struct Slant {
    /// The direction of most lines, in whole quarter turns.
    quarter: f64,
    /// Turns points of the page until most lines are level.
    straighten: Affine,
}

impl Slant {
    fn of(width: f64, height: f64, parts: &[RecognisedText]) -> Self {
        let quarters = parts.iter().map(|part| ((part.angle / FRAC_PI_2).round().rem_euclid(4.0), part.length));
        let length =
            |quarter: f64| quarters.clone().filter(|(own, _)| *own == quarter).map(|(_, length)| length).sum::<f64>();
        let lengths = [0.0, 1.0, 2.0, 3.0].map(|quarter| (quarter, length(quarter)));
        let most: (f64, f64) =
            lengths.into_iter().fold((0.0, 0.0), |most, own| if own.1 > most.1 { own } else { most });
        let quarter = most.0 * FRAC_PI_2;
        let level = |part: &&RecognisedText| part.length > 2.0 * part.thickness;
        let rests = parts.iter().filter(level).map(|part| rest(part.angle, quarter));
        let slant = median(rests.filter(|rest| rest.abs() < MAX_SLANT));
        let middle = Point::new(width / 2.0, height / 2.0);
        Self { quarter, straighten: Affine::rotate_about(-slant, middle) }
    }

    /// The glyphs of a part of a line, on the straightened page.
    fn glyphs(&self, part: &RecognisedText) -> Vec<PlacedGlyph> {
        let is_level = rest(part.angle, self.quarter).abs() < MAX_SLANT;
        let direction = WritingDirection::of(Vec2::from_angle(if is_level { self.quarter } else { part.angle }));
        let [x, y] = part.origin;
        let middle = Point::new(x, y) + Vec2::from_angle(part.angle) * (part.length / 2.0);
        let level = if is_level { self.straighten * middle } else { middle };
        let back = if is_level { self.straighten.inverse() } else { Affine::IDENTITY };
        let start = direction.along(level) - part.length / 2.0;
        let size = part.thickness * EM_SHARE;
        let across = direction.across(level) + part.thickness * BASELINE_SHARE;
        let glyph = |text: &str, from: f64, to: f64| {
            let place = direction.point(start + from, across);
            let seen = back * place;
            PlacedGlyph {
                text: glyph_text(text),
                direction,
                start: start + from,
                end: start + to,
                across,
                size,
                ink: None,
                style: StyleIndex::default(),
                mark: super::ContentMark::default(),
                shift: [place.x - seen.x, place.y - seen.y].map(to_points),
            }
        };
        let middles: Vec<f64> = part.characters.iter().map(|(_, at)| *at).collect();
        let bounds = cell_bounds(&middles, part.length);
        let cells = bounds.iter().zip(bounds.iter().skip(1));
        let glyphs = part.characters.iter().zip(cells).map(|((text, _), (from, to))| glyph(text, *from, *to));
        glyphs.filter(PlacedGlyph::is_finite).collect()
    }
}

/// The angle between two directions, from half a turn back to half a turn ahead.
fn rest(angle: f64, quarter: f64) -> f64 {
    let half = std::f64::consts::PI;
    (angle - quarter + half).rem_euclid(2.0 * half) - half
}

/// The bounds of characters along a line: half way between their middles.
fn cell_bounds(middles: &[f64], length: f64) -> Vec<f64> {
    let halves = middles.windows(2).filter_map(|pair| match pair {
        [one, other] => Some(f64::midpoint(*one, *other)),
        _ => None,
    });
    let halves: Vec<f64> = halves.collect();
    let beyond = |outer: Option<&f64>, inner: Option<&f64>| {
        let (outer, inner) = (outer.copied().unwrap_or(0.0), inner.copied());
        inner.map_or(outer, |inner| 2.0 * outer - inner).clamp(0.0, length.max(0.0))
    };
    let (first, last) = (beyond(middles.first(), halves.first()), beyond(middles.last(), halves.last()));
    let last = if halves.is_empty() { length } else { last };
    std::iter::once(first).chain(halves).chain(std::iter::once(last)).collect()
}

fn glyph_text(text: &str) -> GlyphText {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => GlyphText::One(character),
        _ => GlyphText::Many(text.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    /// A part of a line with a character each 5 points.
    fn part(text: &str, origin: [f64; 2], angle: f64) -> RecognisedText {
        let middles = (0_u32..).map(|at| 2.5 + 5.0 * f64::from(at));
        let characters: Vec<_> = text.chars().map(|character| character.to_string().into()).zip(middles).collect();
        let length = 5.0 * f64::from(u32::try_from(characters.len()).unwrap());
        RecognisedText { origin, angle, length, thickness: 12.0, characters }
    }

    fn text(parts: &[RecognisedText]) -> String {
        lay_out_recognised(600.0, 800.0, parts).text.text
    }

    #[test]
    fn lines_of_a_column_are_a_block_and_columns_follow_each_other() {
        let found = text(&[
            part("left one", [50.0, 100.0], 0.0),
            part("right one", [350.0, 101.0], 0.0),
            part("left two", [50.0, 114.0], 0.0),
            part("right two", [350.0, 115.0], 0.0),
        ]);
        assert_eq!(found, "left one\nleft two\n\nright one\nright two");
    }

    #[test]
    fn a_slanted_page_is_straightened_and_its_words_stay_where_they_are_seen() {
        let slant = 0.03_f64;
        let found = lay_out_recognised(
            600.0,
            800.0,
            &[part("a longer line of words", [50.0, 100.0], slant), part("next", [300.0, 107.5], slant)],
        );
        assert_eq!(found.text.text, "a longer line of words\n\nnext");
        let word = found.words.words.last().unwrap();
        assert!((f64::from(word.bounds.x0) - 300.0).abs() < 2.0, "{word:?}");
        assert!((f64::from(word.bounds.y0 + word.bounds.y1) / 2.0 - 107.5).abs() < 3.0, "{word:?}");
        let [first, last] = [0, 4].map(|at| found.words.words.get(at).unwrap());
        let drop = f64::from(last.baseline - first.baseline);
        assert!((drop - slant * f64::from(last.bounds.x0 - first.bounds.x0)).abs() < 0.1, "{drop}");
    }

    #[test]
    fn a_page_upside_down_is_read_from_its_bottom() {
        let half = std::f64::consts::PI;
        assert_eq!(text(&[part("two", [500.0, 100.0], half), part("one", [500.0, 114.0], half)]), "one\ntwo");
    }

    #[test]
    fn a_page_without_text_is_empty() {
        let found = lay_out_recognised(600.0, 800.0, &[]).text;
        assert_eq!((found.kind, found.text.as_str()), (PageKind::Empty, ""));
    }
}
