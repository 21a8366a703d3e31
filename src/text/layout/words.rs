//! The words of a page, with their positions and styles.

use super::bidi::{BracketNaming, is_mark};
use super::hyphens::{HYPHENS, SOFT_HYPHEN};
use super::lines::{LineGlyph, TextLine};
use super::reading_order::TextBlock;
use super::scripts::Script;
use super::vertical_stacks::is_upright;
use crate::fonts::GlyphStyle;
use crate::glyphs::PlacedGlyph;
use crate::page_layout::{Bounds, MAX_WORDS, Word, to_points};
use hayro_interpret::kurbo::Rect;
use pagewise_base::clean::is_hidden;
use pagewise_base::script::is_right_to_left;

/// Glyphs whose sizes have a larger ratio are of two words: a letter and its superscript.
const SIZE_RATIO: f64 = 1.05;

/// Glyphs whose baselines differ by a larger share of an em are of two words.
const BASELINE_EM: f64 = 0.08;

/// The height of a line above its baseline and below it, as shares of an em. See also [`Bounds::baseline`].
pub(super) const ASCENT_EM: f64 = 0.8;
pub(super) const DESCENT_EM: f64 = 0.2;

/// The words of `blocks`. `styles` are the styles of their glyphs.
pub(crate) fn words_of(blocks: &[TextBlock], styles: &[GlyphStyle]) -> Vec<Word> {
    let brackets = BracketNaming::of(blocks.iter().flat_map(|block| &block.lines));
    let mut words = WordWriter { styles, words: Vec::new(), line: 0, block: 0 };
    for block in blocks {
        for line in &block.lines {
            words.add_line(line, brackets);
            words.line = words.line.saturating_add(1);
        }
        words.block = words.block.saturating_add(1);
    }
    words.words
}

struct WordWriter<'s> {
    styles: &'s [GlyphStyle],
    words: Vec<Word>,
    line: u32,
    block: u32,
}

/// A word that is being written.
struct OpenWord {
    text: String,
    extent: Rect,
    first: PlacedGlyph,
    baseline: f64,
    style: GlyphStyle,
    is_spaced: bool,
    script: Script,
}

impl OpenWord {
    fn new(LineGlyph { glyph, script, baseline, .. }: &LineGlyph, style: GlyphStyle, is_spaced: bool) -> Self {
        let (text, extent) = (String::new(), extent_of(glyph));
        Self { text, extent, first: glyph.clone(), baseline: *baseline, style, is_spaced, script: *script }
    }

    /// Whether `next` goes on with it, in the style `style`. A mark of a letter that is read to the left does
    /// wherever it stands. A sign of formulas that grows is a word of its own.
    fn continues_with(&self, next: &LineGlyph, style: GlyphStyle) -> bool {
        if is_mark(next) && !next.is_spaced && self.text.chars().any(is_right_to_left) {
            return true;
        }
        let (first, glyph) = (&self.first, &next.glyph);
        let (small, large) = (first.size.min(glyph.size), first.size.max(glyph.size));
        !next.is_spaced
            && self.script == next.script
            && first.ink == glyph.ink
            && is_same_style(self.style, style)
            && large <= small * SIZE_RATIO
            && (first.across - glyph.across).abs() <= small * BASELINE_EM
    }

    fn push(&mut self, text: &str, style: GlyphStyle, extent: Rect) {
        if self.style.is_guess {
            self.style = style;
        }
        self.text.extend(text.chars().filter(|character| !is_hidden(*character) || *character == SOFT_HYPHEN));
        self.extent = self.extent.union(extent);
    }
}

/// Whether two styles are the same, as far as they are known.
fn is_same_style(one: GlyphStyle, other: GlyphStyle) -> bool {
    one == other || (one.color == other.color && (one.is_guess || other.is_guess))
}

impl WordWriter<'_> {
    fn add_line(&mut self, line: &TextLine, brackets: BracketNaming) {
        let mut open: Option<OpenWord> = None;
        let mut is_first = true;
        for line_glyph in line.logical_glyphs(brackets).iter() {
            let glyph = &line_glyph.glyph;
            let style = glyph.style.of(self.styles);
            if open.as_ref().is_some_and(|word| !word.continues_with(line_glyph, style)) {
                self.push(open.take());
            }
            let word = open.get_or_insert_with(|| OpenWord::new(line_glyph, style, is_first || line_glyph.is_spaced));
            is_first = false;
            let mut text = String::new();
            glyph.text.push_to(&mut text);
            if !text.contains(char::is_whitespace) {
                word.push(&text, style, extent_of(glyph));
                continue;
            }
            // A replacement text of several words shares its extent among them.
            let mut parts = parts_of(glyph, &text).into_iter();
            if let Some((part, extent)) = parts.next() {
                let is_alone = word.text.is_empty();
                word.push(part, style, extent);
                if is_alone {
                    word.extent = extent;
                }
            }
            for (part, extent) in parts {
                self.push(open.take());
                let mut word = OpenWord::new(line_glyph, style, true);
                word.extent = extent;
                word.push(part, style, extent);
                open = Some(word);
            }
        }
        self.push(open);
    }

    /// Ends a word.
    fn push(&mut self, word: Option<OpenWord>) {
        let Some(OpenWord { text, extent, first, baseline, style, is_spaced, script }) = word else { return };
        let text = without_soft_hyphens(text);
        if text.is_empty() || self.words.len() >= MAX_WORDS {
            return;
        }
        let GlyphStyle { font, style, color, .. } = style;
        let origin = first.direction.point(first.start, baseline);
        let turn = first.direction.degrees();
        let is_upright = matches!(turn, 0..45 | 136..225 | 316..);
        self.words.push(Word {
            text,
            bounds: Bounds::from(extent),
            baseline: to_points(if is_upright { origin.y } else { origin.x }),
            size: to_points(first.size),
            is_bold: style.is_bold,
            is_italic: style.is_italic,
            is_monospace: style.is_monospace,
            is_proportional: style.is_proportional,
            math: style.math,
            font,
            color,
            turn,
            is_spaced,
            script,
            line: self.line,
            block: self.block,
            mark: first.mark,
            shift: first.shift,
        });
    }
}

/// A soft hyphen at the end of a word is shown, and any other is not: after a hyphen it only allows a line to end.
fn without_soft_hyphens(text: String) -> String {
    if !text.contains(SOFT_HYPHEN) {
        return text;
    }
    let is_divided = text.ends_with(SOFT_HYPHEN);
    let mut shown = text.replace(SOFT_HYPHEN, "");
    shown.extend((is_divided && !shown.is_empty() && !shown.ends_with(HYPHENS)).then_some('-'));
    shown
}

/// The words of a glyph's text, each with its share of the glyph's extent.
fn parts_of<'t>(glyph: &PlacedGlyph, text: &'t str) -> Vec<(&'t str, Rect)> {
    let count = |text: &str| text.chars().map(|_| 1.0).sum::<f64>();
    let (all, length) = (count(text).max(1.0), glyph.end - glyph.start);
    let mut before = 0.0;
    let mut parts = Vec::new();
    for part in text.split(char::is_whitespace) {
        let (start, end) = (before, before + count(part));
        before = end + 1.0;
        if !part.is_empty() {
            let at = |place: f64| glyph.start + length * place / all;
            parts.push((part, extent_between(glyph, at(start), at(end))));
        }
    }
    parts
}

fn extent_of(glyph: &PlacedGlyph) -> Rect {
    extent_between(glyph, glyph.start, glyph.end)
}

fn extent_between(glyph: &PlacedGlyph, start: f64, end: f64) -> Rect {
    // In vertical writing, the position across is the middle of the column.
    let is_column = glyph.direction.degrees() == 90 && glyph.text.first().is_some_and(is_upright);
    let above = if is_column { 0.5 } else { ASCENT_EM } * glyph.size;
    let (top, bottom) = glyph.ink.unwrap_or((glyph.across - above, glyph.across - above + glyph.size));
    Rect::from_points(glyph.direction.point(start, top), glyph.direction.point(end, bottom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::{GlyphText, WritingDirection};
    use crate::layout::{group_into_lines, order_blocks};
    use hayro_interpret::kurbo::Vec2;

    fn glyphs(text: &str) -> Vec<PlacedGlyph> {
        PlacedGlyph::line(text, 100.0, 50.0, 10.0)
    }

    fn words(glyphs: Vec<PlacedGlyph>) -> Vec<Word> {
        words_of(&order_blocks(group_into_lines(glyphs)), &[])
    }

    #[test]
    fn words_end_at_spaces_and_keep_their_places() {
        let found = words(glyphs("to be"));
        let found = found.iter().map(|word| (word.text.as_str(), word.bounds.edges())).collect::<Vec<_>>();
        assert_eq!(found, [("to", [100.0, 42.0, 110.0, 52.0]), ("be", [115.0, 42.0, 125.0, 52.0])]);
    }

    #[test]
    fn letters_with_a_space_between_any_two_are_words_and_the_days_of_a_week_are_not() {
        let line = |text: &str, gap: f64| {
            let mut start = 100.0;
            let placed = glyphs(text).into_iter().map(|glyph| {
                let width = match glyph.text.first() {
                    Some('i' | 'l' | 't' | 'r' | 'f') => 3.0,
                    Some(' ') => gap,
                    _ => 6.0,
                };
                start += width;
                PlacedGlyph { start: start - width, end: start, ..glyph }
            });
            words(placed.collect()).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("a r t i c l e   i n f o", 4.0), "article info");
        assert_eq!(line("see a r t i c l e on", 4.0), "see article on");
        assert_eq!(line("m t w t f s s", 10.0), "m t w t f s s");
    }

    #[test]
    fn the_narrow_spaces_of_a_full_line_are_found_beside_a_tab() {
        let mut start = 100.0;
        let placed = "- a full line of a few words".chars().enumerate().map(|(at, sign)| {
            let width = if sign == ' ' { if at == 1 { 6.0 } else { 1.4 } } else { 5.0 };
            start += width;
            PlacedGlyph::character(sign, start - width, start, 50.0, 10.0)
        });
        let found = words(placed.filter(|glyph| !glyph.text.is_space()).collect());
        let found = found.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        assert_eq!(found, "- a full line of a few words");
    }

    #[test]
    fn a_part_that_is_set_tighter_than_the_rest_of_its_line_has_spaces() {
        let line = |tight: &str, rest: &str| {
            let mut start = 100.0;
            let signs = tight.chars().map(|sign| (sign, 1.4)).chain(rest.chars().map(|sign| (sign, 2.8)));
            let placed = signs.map(|(sign, space)| {
                let width = if sign == ' ' { space } else { 5.0 };
                start += width;
                PlacedGlyph::character(sign, start - width, start, 50.0, 10.0)
            });
            let found = words(placed.collect::<Vec<_>>().into_iter().filter(|glyph| !glyph.text.is_space()).collect());
            found.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        let rest = " The mix is made of several parts of one kind";
        assert_eq!(line("Table 1 Parts of all the data.", rest), format!("Table 1 Parts of all the data.{rest}"));
        // The signs of a program have room beside them.
        assert_eq!(line("model . detect ( image )", rest), format!("model.detect(image){rest}"));
    }

    #[test]
    fn ideographs_of_a_justified_line_have_no_spaces_between_them() {
        let mut start = 100.0;
        let placed = "本研究では、Discrete Element".chars().map(|sign| {
            let (width, gap) = if sign.is_ascii() { (5.0, 0.0) } else { (10.0, 3.0) };
            start += width + gap;
            PlacedGlyph::character(sign, start - width - gap, start - gap, 50.0, 10.0)
        });
        let found = words(placed.collect());
        assert_eq!(found.first().map(|word| word.text.as_str()), Some("本研究では、"));
    }

    #[test]
    fn a_sign_that_grows_is_a_word_of_its_own() {
        let mut line = glyphs("|∑|");
        for (glyph, height) in line.iter_mut().zip([6.0, 14.0, 6.0]) {
            glyph.ink = Some((50.0 - height, 50.0));
        }
        assert_eq!(words(line).into_iter().map(|word| word.text).collect::<Vec<_>>(), ["|", "∑", "|"]);
        assert_eq!(words(glyphs("|x|")).len(), 1);
    }

    #[test]
    fn a_superscript_is_a_word_of_its_own_without_a_space() {
        let mut line = glyphs("note");
        line.push(PlacedGlyph::character('1', 120.0, 123.0, 46.0, 6.0));
        let found = words(line);
        let found = found.iter().map(|word| (word.text.as_str(), word.is_spaced)).collect::<Vec<_>>();
        assert_eq!(found, [("note", true), ("1", false)]);
    }

    #[test]
    fn a_word_down_the_page_is_high_and_its_baseline_is_upright() {
        let direction = WritingDirection::of(Vec2::new(0.0, 1.0));
        let down = glyphs("down").into_iter().map(|glyph| PlacedGlyph { direction, ..glyph });
        let found = words(down.collect());
        let word = found.first().cloned().unwrap_or_default();
        assert_eq!((word.turn, word.bounds.edges(), word.baseline), (90, [-52.0, 100.0, -42.0, 120.0], -50.0));
    }

    #[test]
    fn a_soft_hyphen_is_shown_at_the_end_of_a_word_unless_it_follows_a_hyphen() {
        let shown = |text: &str| without_soft_hyphens(text.to_owned());
        assert_eq!(
            ["in\u{AD}ter\u{AD}", "non-\u{AD}", "non\u{2010}\u{AD}steroidal", "\u{AD}"].map(shown),
            ["inter-", "non-", "non\u{2010}steroidal", ""]
        );
    }

    #[test]
    fn the_words_of_a_replacement_text_share_its_place() {
        let glyph = PlacedGlyph {
            text: GlyphText::Many("ab cde".into()),
            ..PlacedGlyph::of_area(Rect::new(0.0, 0.0, 60.0, 10.0))
        };
        let found = words(vec![glyph]);
        let found = found.iter().map(|word| (word.text.as_str(), word.bounds.x0, word.bounds.x1)).collect::<Vec<_>>();
        assert_eq!(found, [("ab", 0.0, 20.0), ("cde", 30.0, 60.0)]);
    }
}
