//! Groups glyphs, in content order, into lines and words.

use super::bidi::BracketNaming;
use super::hyphens::NON_JOINER;
use super::scripts::{SCRIPT_GAP_EM, Script, push_run, scripts_of};
use super::word_gaps::{least_space, spaces_of};
use super::{accents, bidi};
use crate::glyphs::{PlacedGlyph, WritingDirection};
use pagewise_base::script::Letters;
use std::borrow::Cow;

/// How far a glyph may step back within a line, as a share of an em: kerning and accents.
const STEP_BACK_EM: f64 = 0.6;

/// How far a glyph may be off the baseline, as a share of an em: subscripts and superscripts.
const OFF_BASELINE_EM: f64 = 0.5;

/// A space that stands for a zero-width non-joiner leaves less room than this, in ems, and stands over the letter to its right.
const JOINT_EM: f64 = 0.03;

/// The baselines of parts of one line differ by no more than this share of an em.
pub(super) const PART_EM: f64 = 0.15;

/// The largest ratio of their sizes.
pub(super) const SIZE_RATIO: f64 = 1.25;

/// A small run with so many spaces, and on average more letters than this for each, is made of words. The letters that name notes
/// stand alone.
const MIN_SPACES: usize = 2;
const MEAN_LETTERS: usize = 3;

#[derive(Debug, Clone)]
pub(crate) struct LineGlyph {
    pub(crate) glyph: PlacedGlyph,
    /// Whether a space character is drawn before it.
    pub(crate) follows_space: bool,
    /// Whether a space precedes it.
    pub(crate) is_spaced: bool,
    pub(crate) script: Script,
    /// The baseline from which it is raised or lowered.
    pub(crate) baseline: f64,
}

impl LineGlyph {
    pub(crate) fn new(glyph: PlacedGlyph, follows_space: bool) -> Self {
        Self { baseline: glyph.across, glyph, follows_space, is_spaced: false, script: Script::Baseline }
    }

    /// The gap between `last` and this glyph, in ems. Text may be drawn from right to left.
    pub(super) fn gap_after(&self, last: &Self) -> f64 {
        let (last, next) = (&last.glyph, &self.glyph);
        (next.start - last.end).max(last.start - next.end) / last.size.max(next.size)
    }
}

/// A line of glyphs, in drawing order.
#[derive(Debug, Clone)]
pub(crate) struct TextLine {
    pub(crate) direction: WritingDirection,
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The baseline of its largest glyphs.
    pub(crate) across: f64,
    pub(crate) size: f64,
    /// The least gap that is a space, in ems.
    pub(crate) least_space: f64,
    pub(crate) glyphs: Vec<LineGlyph>,
    /// Whether it runs to the left because the text around it does.
    pub(super) is_among_left: bool,
}

impl TextLine {
    fn new(glyph: PlacedGlyph) -> Self {
        let PlacedGlyph { direction, start, end, across, size, .. } = glyph;
        let glyphs = vec![LineGlyph::new(glyph, false)];
        Self { direction, start, end, across, size, least_space: 0.0, glyphs, is_among_left: false }
    }

    /// A line of glyphs in drawing order; `None` without any.
    pub(super) fn of(glyphs: &[LineGlyph]) -> Option<Self> {
        let (first, rest) = glyphs.split_first()?;
        let mut line = Self::new(first.glyph.clone());
        rest.iter().for_each(|own| line.append(own.glyph.clone(), own.follows_space));
        line.measure();
        Some(line)
    }

    /// Whether another line has the same baseline and about the same size.
    pub(super) fn is_level_with(&self, other: &Self) -> bool {
        let (small, large) = (self.size.min(other.size), self.size.max(other.size));
        (self.across - other.across).abs() <= PART_EM * small && large <= SIZE_RATIO * small
    }

    fn append(&mut self, glyph: PlacedGlyph, follows_space: bool) {
        if self.compose_accent(&glyph) {
            return;
        }
        self.start = self.start.min(glyph.start);
        self.end = self.end.max(glyph.end);
        if glyph.size > self.size {
            (self.size, self.across) = (glyph.size, glyph.across);
        }
        self.glyphs.push(LineGlyph::new(glyph, follows_space));
    }

    /// Puts a zero-width non-joiner between two letters that run to the left, where a space is drawn over the right one. It
    /// follows that. Returns whether it did.
    fn add_joint(&mut self, space: &PlacedGlyph, next: &mut PlacedGlyph) -> bool {
        let Some(LineGlyph { glyph: last, .. }) = self.glyphs.last_mut() else { return false };
        let are_letters = [&*last, &*next].iter().all(|own| bidi::is_right_to_left(own.text.first()));
        let gap = (next.start - last.end).max(last.start - next.end);
        // Words of Nastaliq slope, and stand above each other's ends.
        let is_level = (next.across - last.across).abs() < PART_EM * next.size;
        let right = if last.start > next.start { last } else { next };
        let is_over = gap.max((space.start - right.start).abs()) < JOINT_EM * space.size;
        let is_joint = are_letters && is_level && is_over && space.end > space.start;
        if is_joint {
            right.text.push(NON_JOINER);
        }
        is_joint
    }

    /// Finds the spaces between the line's glyphs, and which of these are raised or lowered.
    pub(super) fn measure(&mut self) {
        self.least_space = least_space(&self.glyphs);
        let spaces = spaces_of(&self.glyphs, self.least_space);
        let scripts = scripts_of(&self.glyphs, self.size);
        for (own, (is_spaced, (script, baseline))) in self.glyphs.iter_mut().zip(spaces.into_iter().zip(scripts)) {
            (own.is_spaced, own.script, own.baseline) = (is_spaced, script, baseline);
        }
        self.set_off_words();
        self.drop_spaces_of_scripts();
    }

    /// Sets words beside a larger sign, such as a bullet, on a baseline of their own: they are no script of it.
    fn set_off_words(&mut self) {
        for run in self.glyphs.chunk_by_mut(|one, other| one.script == other.script) {
            let spaces = run.iter().filter(|own| own.follows_space).count();
            let letters = run.iter().filter(|own| own.glyph.text.first().is_some_and(char::is_alphabetic)).count();
            let is_script = run.first().is_some_and(|own| own.script != Script::Baseline);
            if is_script && spaces >= MIN_SPACES && letters > MEAN_LETTERS * spaces {
                run.iter_mut().for_each(|own| (own.script, own.baseline) = (Script::Baseline, own.glyph.across));
                run.first_mut().into_iter().for_each(|first| first.is_spaced = true);
            }
        }
    }

    /// Takes back spaces beside superscripts. Some programs draw a space and then put the superscript in its place.
    fn drop_spaces_of_scripts(&mut self) {
        for at in 1..self.glyphs.len() {
            let Some([last, own]) = self.glyphs.get_mut(at - 1..=at) else { return };
            if last.script == Script::Raised || own.script == Script::Raised {
                own.is_spaced &=
                    own.gap_after(last) * last.glyph.size.max(own.glyph.size) > f64::from(SCRIPT_GAP_EM) * self.size;
            }
        }
    }

    /// Composes the last glyph with `glyph` if one is the other's accent. Returns whether it did.
    fn compose_accent(&mut self, glyph: &PlacedGlyph) -> bool {
        let Some(last) = self.glyphs.last_mut() else { return false };
        let Some(text) = accents::compose_accent(&last.glyph, glyph) else { return false };
        last.glyph.text = text;
        last.glyph.start = last.glyph.start.min(glyph.start);
        last.glyph.end = last.glyph.end.max(glyph.end);
        self.end = self.end.max(glyph.end);
        true
    }

    /// Whether `glyph` goes on with the line.
    fn continues_with(&self, glyph: &PlacedGlyph) -> bool {
        let Some(LineGlyph { glyph: last, .. }) = self.glyphs.last() else { return false };
        let size = last.size.max(glyph.size);
        let off = (glyph.across - last.across).abs().min((glyph.across - self.across).abs());
        if last.direction != glyph.direction || off > size * OFF_BASELINE_EM {
            return false;
        }
        let is_backwards = bidi::is_right_to_left(glyph.text.first()) || bidi::is_right_to_left(last.text.first());
        let (ahead, behind) = (glyph.start - last.end, last.start - glyph.end);
        ahead >= -size * STEP_BACK_EM
            || (is_backwards && behind >= -size * STEP_BACK_EM)
            || accents::are_negated(last, glyph)
    }

    fn letters(&self) -> Letters {
        Letters::of(self.glyphs.iter().filter_map(|own| own.glyph.text.first()))
    }

    /// Whether the line has right-to-left text.
    pub(crate) fn has_right_to_left_text(&self) -> bool {
        self.glyphs.iter().any(|line_glyph| bidi::is_right_to_left(line_glyph.glyph.text.first()))
    }

    /// The line's glyphs in logical order. `brackets` is the page's naming of brackets.
    pub(crate) fn logical_glyphs(&self, brackets: BracketNaming) -> Cow<'_, [LineGlyph]> {
        match self.has_right_to_left_text() {
            true => bidi::logical_order(self, brackets).into(),
            false => (&*self.glyphs).into(),
        }
    }

    /// The line's text in logical order. `brackets` is the page's naming of brackets.
    pub(crate) fn text(&self, brackets: BracketNaming) -> String {
        let glyphs = self.logical_glyphs(brackets);
        let mut text = String::with_capacity(glyphs.len() * 2);
        let mut run = String::new();
        for part in glyphs.chunk_by(|one, other| one.script == other.script && !other.is_spaced) {
            if !text.is_empty() && part.first().is_some_and(|first| first.is_spaced) {
                text.push(' ');
            }
            run.clear();
            part.iter().for_each(|own| own.glyph.text.push_to(&mut run));
            push_run(&mut text, &run, part.first().map(|first| first.script).unwrap_or_default());
        }
        text
    }
}

/// Groups glyphs into lines, in the order in which the lines begin.
pub(crate) fn group_into_lines(glyphs: Vec<PlacedGlyph>) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut space: Option<PlacedGlyph> = None;
    for mut glyph in glyphs {
        if glyph.text.is_space() {
            space = Some(glyph);
            continue;
        }
        let space = space.take();
        match lines.last_mut().filter(|line| line.continues_with(&glyph)) {
            Some(line) => {
                let is_joint = space.as_ref().is_some_and(|space| line.add_joint(space, &mut glyph));
                line.append(glyph, space.is_some() && !is_joint);
            }
            None => lines.push(TextLine::new(glyph)),
        }
    }
    lines.iter_mut().for_each(TextLine::measure);
    let signs = lines.iter().flat_map(|line| &line.glyphs).filter_map(|own| own.glyph.text.first());
    if Letters::of(signs).run_left() {
        lines.iter_mut().for_each(|line| line.is_among_left = line.letters().run_left_among_left());
    }
    lines
}
