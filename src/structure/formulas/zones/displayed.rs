//! Displayed formulas: what links the parts of each, and what stands beside it.

use std::collections::BTreeMap;

use super::inline::joins;
use super::natures::has_letter;
use super::{
    Finder, HIGH_EM, LEVEL_EM, Line, MAX_NEIGHBOURS, MAX_PARTS, Nature, Zone, is_high, is_large, is_sum, is_tag,
    punctuation,
};
use crate::disjoint_sets::DisjointSets;
use crate::formulas::names::{has_limits, is_piece, joins_terms, relates, takes_limits};
use crate::formulas::parse::MAX_SYMBOLS;
use crate::formulas::symbols::{AXIS_EM, has_ink, is_accented, is_combining, own_baseline};
use crate::measures::SCRIPT_SIZE;
use pagewise_text::{Bounds, MathFont, Script, Word};

/// Dots that stand for what is left out.
const DOTS: usize = 3;
/// The largest gap, in ems, between parts of one displayed formula that stand beside each other. TeX's `\qquad` is two.
const DISPLAY_GAP_EM: f32 = 2.6;
/// What is nearer to a rule than this, in ems, is part of its fraction. An operator may be further below it: its upper limit is
/// between them.
const FRACTION_GAP_EM: f32 = 0.9;
const OPERATOR_GAP_EM: f32 = 1.0;
/// The rule of a fraction reaches so far over what it divides, in ems.
const COVERED_EM: f32 = 1.2;
/// The words of a side stand so near to each other, and reach over the rule by at most this, in ems.
const TERM_GAP_EM: f32 = 0.8;
const OVERHANG_EM: f32 = 0.3;
/// The rows that a high bracket opens reach so far from it, in ems.
const OPENED_EM: f32 = 14.0;
/// A limit stands so near to its operator, in ems.
const LIMIT_GAP_EM: f32 = 0.7;
/// The pieces of a bracket stand so near to each other, in ems.
const PIECE_GAP_EM: f32 = 0.3;
/// The number of a formula stands so far from it, in ems.
const TAG_GAP_EM: f32 = 0.4;
/// Numbers with more space between them than this, in ems, are cells of a row.
const VALUES_GAP_EM: f32 = 1.0;
/// Beside a displayed formula is no text within so many ems.
const CLEAR_EM: f32 = 0.9;
/// Words are beside a formula if this share of their height is. One side of a fraction within a line is lower or higher than
/// it; the number of two lines stands at half height between them.
const OVERLAP: f32 = 0.25;
/// What a high brace opens begins so near to it, in ems.
const CASES_GAP_EM: f32 = 1.5;

impl Finder<'_> {
    pub(super) fn displayed_zones(&self) -> Vec<Zone> {
        let parts = self.parts();
        if parts.len() > MAX_PARTS {
            return Vec::new();
        }
        self.clusters(&parts).into_iter().filter_map(|cluster| self.displayed(cluster, &parts)).collect()
    }

    /// The words of lines without prose, from the top down, and the text of cases.
    fn parts(&self) -> Vec<usize> {
        let braces: Vec<&Word> =
            self.page.words.iter().filter(|word| is_high_brace(word)).take(MAX_NEIGHBOURS).collect();
        let is_case = |line: &Line| {
            braces.iter().any(|brace| {
                let gap = line.bounds.x0 - brace.bounds.x1;
                let middle = line.bounds.center().1;
                (-0.2 * line.size..CASES_GAP_EM * line.size).contains(&gap)
                    && brace.bounds.y0 < middle
                    && middle < brace.bounds.y1
            })
        };
        let own = self.lines.iter().filter(|line| !line.has_prose || line.is_set_apart || is_case(line));
        let mut parts: Vec<usize> = own
            .flat_map(|line| line.words.iter().copied())
            .filter(|at| self.is_tabled.get(*at) == Some(&false))
            .take(MAX_PARTS + 1)
            .collect();
        parts.sort_by(|a, b| self.top(*a).total_cmp(&self.top(*b)));
        parts
    }

    fn top(&self, word: usize) -> f32 {
        self.word(word).map_or(0.0, |word| word.bounds.y0)
    }

    /// Parts that belong together, and their rules.
    fn clusters(&self, parts: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut sets = DisjointSets::new(parts.len());
        let bounds =
            |at: usize| parts.get(at).and_then(|at| self.word(*at)).map_or(Bounds::NOTHING, |word| word.bounds);
        for one in 0..parts.len() {
            let Some(word) = parts.get(one).and_then(|at| self.word(*at)) else { continue };
            let reach = word.bounds.y1 + LIMIT_GAP_EM * word.size;
            let below = (one + 1..parts.len()).take_while(|other| bounds(*other).y0 <= reach).take(MAX_NEIGHBOURS);
            for other in below {
                let Some(next) = parts.get(other).and_then(|at| self.word(*at)) else { continue };
                if are_linked(word, next) {
                    sets.join(one, other);
                }
            }
        }
        let mut rules_of: Vec<(usize, usize)> = Vec::new();
        for rule in &self.rules {
            let own = self.linked_by(*rule, parts);
            if let Some(first) = own.first() {
                own.iter().for_each(|other| sets.join(*first, *other));
                rules_of.push((*first, *rule));
            }
        }
        let mut clusters: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for (at, part) in parts.iter().enumerate() {
            clusters.entry(sets.find(at)).or_default().0.push(*part);
        }
        for (first, rule) in rules_of {
            clusters.entry(sets.find(first)).or_default().1.push(rule);
        }
        clusters.into_values().collect()
    }

    /// The parts nearest above and below a rule, if it is that of a fraction, a root or an overline.
    fn linked_by(&self, rule: usize, parts: &[usize]) -> Vec<usize> {
        let rule = self.rule(rule);
        let from = parts.partition_point(|at| self.top(*at) < rule.y0 - 40.0);
        let near = parts.iter().enumerate().skip(from).take_while(|(_, at)| self.top(**at) < rule.y1 + 20.0);
        let near = near.take(MAX_NEIGHBOURS * 2).filter_map(|(place, at)| Some((place, self.word(*at)?)));
        let near: Vec<(usize, &Word)> = near.collect();
        let roots: Vec<(usize, &Word)> = near.iter().copied().filter(|(_, word)| is_root_of(word, rule)).collect();
        let depth = roots.iter().map(|(_, root)| root.bounds.y1).fold(rule.y1, f32::max);
        let (mut own, mut extent, mut size) = (Vec::new(), Bounds::NOTHING, 0.0_f32);
        for (at, word) in near {
            let ((x, y), slack) = (word.bounds.center(), 0.25 * word.size);
            let reach = FRACTION_GAP_EM * word.size;
            let is_above = y < rule.y0 && rule.y0 - word.bounds.y1 < reach;
            let reach_below = if is_large(word) { OPERATOR_GAP_EM * word.size } else { reach };
            let is_below = y > rule.y0 && (word.bounds.y0 - rule.y1 < reach_below || y < depth);
            if rule.x0 - slack < x && x < rule.x1 + slack && (is_above && roots.is_empty() || is_below) {
                own.push(at);
                (extent, size) = (extent.union(word.bounds), size.max(word.size));
            }
        }
        // What stands above and below reaches over the whole rule: it is no rule of a table or of the page.
        let is_covered = rule.width() - extent.width() < COVERED_EM * size;
        if own.is_empty() || roots.is_empty() && !is_covered {
            return Vec::new();
        }
        own.extend(roots.into_iter().map(|(at, _)| at));
        own
    }

    /// What stands above and below each rule of a fraction: terms of a formula, of which neither has a gap or is wider than
    /// the rule.
    pub(super) fn fraction_sides(&self) -> Vec<[Bounds; 2]> {
        let mut parts: Vec<usize> = (0..self.page.words.len()).filter(|at| self.nature(*at) != Nature::Prose).collect();
        parts.sort_by(|a, b| self.top(*a).total_cmp(&self.top(*b)));
        let sides = |rule: &usize| {
            let own: Vec<usize> =
                self.linked_by(*rule, &parts).into_iter().filter_map(|at| parts.get(at).copied()).collect();
            let is_math = own.iter().any(|at| self.nature(*at) == Nature::Math);
            let rule = self.rule(*rule);
            let (above, below): (Vec<&Word>, Vec<&Word>) =
                own.iter().filter_map(|at| self.word(*at)).partition(|word| word.bounds.center().1 < rule.y0);
            Some([term_over(rule, above)?, term_over(rule, below)?]).filter(|_| is_math)
        };
        self.rules.iter().filter_map(sides).collect()
    }

    /// The zone of a cluster, if it is a displayed formula.
    fn displayed(&self, (mut words, rules): (Vec<usize>, Vec<usize>), parts: &[usize]) -> Option<Zone> {
        words.sort_unstable();
        let tag = self.tag(&words, parts);
        words.retain(|at| Some(*at) != tag);
        if words.len() + rules.len() > MAX_SYMBOLS {
            return None;
        }
        let own = || words.iter().filter_map(|at| self.word(*at));
        let bounds = Bounds::around(own().map(|word| word.bounds));
        let size = own().map(|word| word.size).fold(0.0, f32::max);
        let signs = || own().flat_map(|word| word.text.chars());
        let is_math = words.iter().any(|at| self.nature(*at) == Nature::Math);
        let letters = signs().filter(|sign| sign.is_alphanumeric()).count();
        let has_structure = !rules.is_empty()
            || own().any(|word| word.script != Script::Baseline)
            || signs().any(|sign| takes_limits(sign) || is_combining(sign))
            || own().any(|word| is_accented(&word.text) || is_high(word));
        let has_variable =
            words.iter().any(|at| self.nature(*at) == Nature::Math && self.word(*at).is_some_and(has_letter));
        let has_relation = has_variable && signs().any(relates);
        let is_row = bounds.height() < HIGH_EM * size && self.has_values(&words);
        let is_other = is_row || own().any(|word| word.is_monospace);
        // A term alone is a label in a figure, unless it is centred below a line of text.
        let is_expression =
            has_relation || has_structure && (!rules.is_empty() || signs().any(joins_terms) || own().any(is_large));
        let text = own().map(|word| word.text.as_str()).collect::<String>();
        let may_stand_alone = has_variable && (has_structure || joins(&text));
        let is_expression = is_expression || may_stand_alone && self.is_centred_below_text(bounds, size);
        // A line that goes on from the one above.
        let has_terms = letters > 1 || letters == 1 && has_relation && text.starts_with(relates);
        let is_open = own().next_back().is_some_and(|last| last.text.ends_with('='));
        if !is_math || is_other || !has_terms || !is_expression || is_open || !self.is_clear(bounds, size, &words, tag)
        {
            return None;
        }
        let prose = words.iter().copied().filter(|at| self.nature(*at) == Nature::Prose).collect();
        // The place of an accent or of a root says nothing about the baseline.
        let is_full = |word: &&Word| {
            word.size >= SCRIPT_SIZE * size && !has_ink(word) && !is_accented(&word.text) && !word.text.contains('√')
        };
        let baseline = own().filter(is_full).map(own_baseline);
        let level = bounds.center().1 + AXIS_EM * size;
        let baseline = baseline.min_by(|a, b| (a - level).abs().total_cmp(&(b - level).abs())).unwrap_or(bounds.y1);
        if self.continues_text(bounds, baseline, size) {
            return None;
        }
        let last = words.iter().filter_map(|at| Some((*at, self.word(*at)?)));
        let last = last.max_by(|(_, a), (_, b)| a.bounds.x1.total_cmp(&b.bounds.x1));
        let is_level = |word: &Word| (own_baseline(word) - baseline).abs() < LEVEL_EM * size;
        let tail = last.filter(|(at, word)| is_level(word) && !self.ends_dots(*at));
        let tail = tail.map(|(at, word)| (at, punctuation(&word.text)));
        Some(Zone { words, prose, rules, tag, bounds, baseline, is_displayed: true, head: None, tail })
    }

    /// Whether two numbers with white space between them follow each other.
    fn has_values(&self, words: &[usize]) -> bool {
        let is_number = |word: &Word| word.math == MathFont::None && word.text.parse::<f32>().is_ok();
        words.windows(2).any(|pair| match pair {
            [a, b] => self.word(*a).zip(self.word(*b)).is_some_and(|(a, b)| {
                is_number(a) && is_number(b) && b.bounds.x0 - a.bounds.x1 > VALUES_GAP_EM * a.size
            }),
            _ => false,
        })
    }

    /// Whether a word is the last of three dots.
    fn ends_dots(&self, at: usize) -> bool {
        let is_dot = |at: &usize| self.word(*at).is_some_and(|word| word.text == ".");
        matches!((0..=at).rev().take_while(is_dot).take(DOTS + 1).count(), 2..=DOTS)
    }

    /// The number of a displayed formula.
    fn tag(&self, words: &[usize], parts: &[usize]) -> Option<usize> {
        let own = || words.iter().filter_map(|at| self.word(*at));
        let bounds = Bounds::around(own().filter(|word| !is_tag(&word.text)).map(|word| word.bounds));
        let tags = parts.iter().filter_map(|at| Some((*at, self.word(*at)?)));
        let tags = tags.filter(|(_, word)| is_tag(&word.text) && is_level(word, bounds)).take(MAX_NEIGHBOURS);
        let gap = |word: &Word| word.bounds.x0 - bounds.x1;
        let (right, left): (Vec<_>, Vec<_>) = tags.partition(|(_, word)| gap(word) > TAG_GAP_EM * word.size);
        let (at, tag) = right.into_iter().min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)))?;
        // Beyond other words, or where numbers stand at the left, it is that of a formula in another column.
        let between = Bounds { x0: bounds.x1, x1: tag.bounds.x0, ..tag.bounds };
        let is_free = self.has_none_in(between, |other| other == at || words.binary_search(&other).is_ok());
        let has_left = left.iter().any(|(_, word)| word.bounds.x1 < bounds.x0);
        (is_free && !has_left).then_some(at)
    }

    /// Whether no other words stand in or right beside a place.
    fn is_clear(&self, bounds: Bounds, size: f32, words: &[usize], tag: Option<usize>) -> bool {
        let around = Bounds { x0: bounds.x0 - CLEAR_EM * size, x1: bounds.x1 + CLEAR_EM * size, ..bounds };
        self.has_none_in(around, |at| words.binary_search(&at).is_ok() || Some(at) == tag)
    }

    /// Whether a place has no words but its own.
    fn has_none_in(&self, place: Bounds, is_own: impl Fn(usize) -> bool) -> bool {
        let is_in = |word: &Word| word.bounds.shared_width(place) > 0.0 && is_level(word, place);
        let near = self.lines.iter().filter(|line| line.bounds.y0 < place.y1 && place.y0 < line.bounds.y1);
        let mut others = near.flat_map(|line| line.words.iter().copied()).filter(|at| !is_own(*at));
        !others.any(|at| self.word(at).is_some_and(is_in))
    }
}

/// Whether a word stands beside a place: their heights on the page overlap.
fn is_level(word: &Word, place: Bounds) -> bool {
    let overlap = word.bounds.y1.min(place.y1) - word.bounds.y0.max(place.y0);
    overlap > OVERLAP * word.bounds.height()
}

/// The box round the words of a side of a fraction.
fn term_over(rule: Bounds, mut words: Vec<&Word>) -> Option<Bounds> {
    words.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    let size = words.iter().map(|word| word.size).reduce(f32::max)?;
    let term = Bounds::around(words.iter().map(|word| word.bounds));
    let is_close = |pair: &[&Word]| matches!(pair, [a, b] if b.bounds.x0 - a.bounds.x1 < TERM_GAP_EM * size);
    let is_within = term.x0 > rule.x0 - OVERHANG_EM * size && term.x1 < rule.x1 + OVERHANG_EM * size;
    (is_within && words.windows(2).all(is_close)).then_some(term)
}

/// Whether a word is the sign of a root whose rule this is.
fn is_root_of(word: &Word, rule: Bounds) -> bool {
    let em = word.size;
    let is_beside = (word.bounds.x1 - rule.x0).abs() < 0.4 * em;
    is_beside && word.text.ends_with(['√', '⎷']) && word.bounds.y0 < rule.y1 + 0.4 * em && word.bounds.y1 > rule.y0
}

/// Whether two words without prose are parts of one displayed formula.
fn are_linked(one: &Word, other: &Word) -> bool {
    let em = one.size.max(other.size);
    let (a, b) = (one.bounds, other.bounds);
    let overlap = a.y1.min(b.y1) - a.y0.max(b.y0);
    let gap = b.x0.max(a.x0) - a.x1.min(b.x1);
    let is_tag = |word: &Word| is_tag(&word.text) && gap > TAG_GAP_EM * em;
    if opens(one, other) || opens(other, one) {
        return true;
    }
    if overlap > 0.25 * a.height().min(b.height()) {
        return gap < DISPLAY_GAP_EM * em && !is_tag(one) && !is_tag(other);
    }
    is_limit(one, other) || is_limit(other, one) || are_pieces(one, other)
}

/// Whether words are pieces of one bracket or root, below each other.
fn are_pieces(one: &Word, other: &Word) -> bool {
    let (a, b) = (one.bounds, other.bounds);
    let gap = (b.y0 - a.y1).max(a.y0 - b.y1);
    let is_piece = |word: &Word| has_ink(word) && word.text.chars().all(is_piece);
    is_piece(one) && is_piece(other) && gap < PIECE_GAP_EM * one.size && a.shared_width(b) > 0.0
}

/// Whether a high bracket opens rows of which a word is part.
fn opens(bracket: &Word, other: &Word) -> bool {
    let (a, b) = (bracket.bounds, other.bounds);
    let is_open = |sign: char| matches!(sign, '(' | '[' | '{' | '\u{239b}'..='\u{239d}' | '\u{23a1}'..='\u{23a3}' | '\u{23a7}'..='\u{23aa}');
    let middle = b.center().1;
    is_high(bracket)
        && bracket.text.chars().all(is_open)
        && (0.0..OPENED_EM * bracket.size).contains(&(b.x0 - a.x1))
        && a.y0 < middle
        && middle < a.y1
        && !is_tag(&other.text)
}

/// Whether a word stands right above or below an operator, and is smaller.
fn is_limit(operator: &Word, limit: &Word) -> bool {
    let (a, b) = (operator.bounds, limit.bounds);
    let gap = (b.y0 - a.y1).max(a.y0 - b.y1);
    let x = b.center().0;
    (is_sum(operator) || has_limits(&operator.text))
        && limit.size < SCRIPT_SIZE * operator.size
        && gap < LIMIT_GAP_EM * limit.size
        && a.x0 - 1.5 * operator.size < x
        && x < a.x1 + 1.5 * operator.size
}

fn is_high_brace(word: &Word) -> bool {
    let is_brace = word.text.chars().all(|sign| matches!(sign, '{' | '\u{23a7}'..='\u{23aa}'));
    is_brace && is_high(word)
}
