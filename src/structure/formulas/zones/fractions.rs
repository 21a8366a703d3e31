//! Fractions within lines: a short rule with words right above and below it stands on the axis of a line.

use super::{Finder, LEVEL_EM, MAX_NEIGHBOURS, Nature};
use crate::formulas::symbols::AXIS_EM;
use crate::measures::SCRIPT_SIZE;
use pagewise_text::{Bounds, Script};

/// Maximum fractions of a page that are looked for.
const MAX_FRACTIONS: usize = 400;
/// The rule of a fraction is no longer, in ems of the words that it divides.
const MAX_WIDTH_EM: f32 = 16.0;
/// Largest distance from a rule to the words above and below it, in points, and in ems of these words. TeX leaves .23 em
/// below a numerator.
const REACH_PT: f32 = 30.0;
const REACH_EM: f32 = 0.55;
/// The boxes of words reach over the rule by at most this, in ems.
const OVERLAP_EM: f32 = 0.3;
/// The rule is as long as the longer side, but for this, in ems, and no side reaches over its ends by more.
const FIT_EM: f32 = 0.6;
const OVERHANG_EM: f32 = 0.25;
/// The words of the line begin and end so near to the fraction, in ems.
const BESIDE_EM: f32 = 1.5;
/// The letters of a fraction are smaller than those of its line by at most this factor. TeX makes them half as large in
/// scripts.
const SMALLEST: f32 = 0.45;
/// Maximum words of text in a fraction.
const MAX_PROSE: usize = 8;

/// A fraction within a line.
pub(super) struct Fraction {
    pub(super) words: Vec<usize>,
    pub(super) rule: usize,
    pub(super) bounds: Bounds,
    /// The line, as its place among those of the page.
    pub(super) line: usize,
}

impl Finder<'_> {
    /// The fractions within lines whose words are in no other formula.
    pub(super) fn fractions(&self, taken: &[bool]) -> Vec<Fraction> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let middle = |at: &usize| self.word(*at).map_or(0.0, |word| word.bounds.center().1);
        let mut words: Vec<usize> = (0..self.page.words.len()).filter(|at| self.is_free(*at, taken)).collect();
        words.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        let mut lines: Vec<usize> = (0..self.lines.len()).collect();
        lines.sort_by(|a, b| self.baseline(*a).total_cmp(&self.baseline(*b)));
        let mut used = vec![false; self.page.words.len()];
        let mut fractions: Vec<Fraction> = Vec::new();
        for rule in &self.rules {
            let y = self.rule(*rule).center().1;
            let from = words.partition_point(|at| middle(at) < y - REACH_PT);
            let near = words.iter().copied().skip(from).take_while(|at| middle(at) < y + REACH_PT);
            let near: Vec<usize> = near.take(4 * MAX_NEIGHBOURS).collect();
            let Some((own, size)) = self.divided_by(*rule, &near) else { continue };
            if own.iter().any(|at| used.get(*at) == Some(&true)) {
                continue;
            }
            let bounds = Bounds::around(own.iter().filter_map(|at| self.word(*at)).map(|word| word.bounds));
            let bounds = bounds.union(self.rule(*rule));
            let Some(line) = self.line_beside(*rule, bounds, size, &lines) else { continue };
            own.iter().for_each(|at| used.iter_mut().skip(*at).take(1).for_each(|used| *used = true));
            fractions.push(Fraction { words: own, rule: *rule, bounds, line });
            if fractions.len() == MAX_FRACTIONS {
                break;
            }
        }
        fractions
    }

    /// The words right above and below a rule that is as long as they are, and their size.
    fn divided_by(&self, rule: usize, near: &[usize]) -> Option<(Vec<usize>, f32)> {
        let line = self.rule(rule);
        let (mut above, mut below) = (Bounds::NOTHING, Bounds::NOTHING);
        let (mut own, mut size, mut prose) = (Vec::new(), 0.0_f32, 0);
        for (at, word) in near.iter().filter_map(|at| Some((*at, self.word(*at)?))) {
            let ((x, y), em) = (word.bounds.center(), word.size);
            let gap = if y < line.y0 { line.y0 - word.bounds.y1 } else { word.bounds.y0 - line.y1 };
            let is_within = line.x0 - OVERHANG_EM * em < x && x < line.x1 + OVERHANG_EM * em;
            if !is_within || own.len() > MAX_NEIGHBOURS || !(-OVERLAP_EM * em..REACH_EM * em).contains(&gap) {
                continue;
            }
            let side = if y < line.y0 { &mut above } else { &mut below };
            *side = side.union(word.bounds);
            size = size.max(em);
            prose += usize::from(self.nature(at) == Nature::Prose);
            own.push(at);
        }
        if own.is_empty() || above.width() <= 0.0 || below.width() <= 0.0 {
            return None;
        }
        // Exponents of the upper side and indices of the lower one are further from the rule.
        for (at, word) in near.iter().filter_map(|at| Some((*at, self.word(*at)?))) {
            let (x, y) = word.bounds.center();
            let is_within = line.x0 - OVERHANG_EM * size < x && x < line.x1 + OVERHANG_EM * size;
            let is_beside = above.y0 < y && y < line.y0 || line.y1 < y && y < below.y1;
            if word.size < SCRIPT_SIZE * size && is_within && is_beside && !own.contains(&at) {
                let side = if y < line.y0 { &mut above } else { &mut below };
                *side = side.union(Bounds { y0: side.y0, y1: side.y1, ..word.bounds });
                own.push(at);
            }
        }
        let (slack, longer) = (OVERHANG_EM * size, above.width().max(below.width()));
        let both = above.union(below);
        let fits = both.x0 > line.x0 - slack && both.x1 < line.x1 + slack && line.width() - longer < FIT_EM * size;
        let is_short = line.width() < MAX_WIDTH_EM * size && prose <= MAX_PROSE;
        // A rule within either side is that of another fraction or of a root.
        let is_nested = self.rules_between(both.y0 - OVERLAP_EM * size, both.y1).any(|other| {
            let middle = self.rule(other).center().0;
            other != rule && line.x0 < middle && middle < line.x1
        });
        own.sort_unstable();
        (fits && is_short && !is_nested).then_some((own, size))
    }

    /// The line on whose axis a rule stands, beside or between its words.
    fn line_beside(&self, rule: usize, fraction: Bounds, size: f32, lines: &[usize]) -> Option<usize> {
        let y = self.rule(rule).center().1;
        let from = lines.partition_point(|at| self.baseline(*at) < y);
        let near = lines.iter().copied().skip(from).take_while(|at| self.baseline(*at) < y + REACH_PT);
        let gap = |at: usize| {
            let line = self.lines.get(at)?;
            let em = line.size;
            let is_level = (line.baseline - y - AXIS_EM * em).abs() < LEVEL_EM * em;
            if !is_level || !(SMALLEST * em..=1.05 * em).contains(&size) {
                return None;
            }
            let words = line.words.iter().filter_map(|at| self.word(*at));
            let words = words.filter(|word| word.script == Script::Baseline && word.size > 0.9 * em);
            let gap = words.map(|word| (word.bounds.x0 - fraction.x1).max(fraction.x0 - word.bounds.x1));
            gap.reduce(f32::min).filter(|gap| (-0.1 * em..BESIDE_EM * em).contains(gap))
        };
        let near = near.take(MAX_NEIGHBOURS).filter_map(|at| Some((at, gap(at)?)));
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// A fraction of a run, in which it stands as a word after the last one of the page.
    pub(super) fn fraction(&self, at: usize) -> Option<&Fraction> {
        self.fractions.get(at.checked_sub(self.page.words.len())?)
    }

    /// The words of a line and the fractions in it, from left to right.
    pub(super) fn line_parts(&self, line: usize) -> Vec<usize> {
        let mut parts = self.lines.get(line).map(|line| line.words.clone()).unwrap_or_default();
        let own = || self.fractions.iter().enumerate().filter(|(_, fraction)| fraction.line == line);
        parts.retain(|part| !own().any(|(_, fraction)| fraction.words.binary_search(part).is_ok()));
        for (at, fraction) in own() {
            let x = fraction.bounds.center().0;
            let is_after = |part: &usize| self.part_bounds(*part).is_some_and(|bounds| bounds.center().0 > x);
            let place = parts.iter().position(is_after).unwrap_or(parts.len());
            parts.insert(place, self.page.words.len() + at);
        }
        parts
    }

    pub(super) fn part_bounds(&self, at: usize) -> Option<Bounds> {
        self.word(at).map(|word| word.bounds).or_else(|| self.fraction(at).map(|fraction| fraction.bounds))
    }
}
