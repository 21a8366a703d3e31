//! Zones: the words and rules of each formula of a page.

use std::collections::BTreeMap;

use super::names::{
    has_limits, is_function, is_integral, is_math_letter, is_operator, is_piece, joins_terms, large_form, relates,
};
use super::parse::{MAX_SYMBOLS, SMALL};
use super::symbols::{AXIS_EM, has_ink, is_accent, is_accented, is_combining, own_baseline};
use crate::bounds::{NOTHING, center, holds, shared_width};
use crate::disjoint_sets::DisjointSets;
use pagewise_text::{Bounds, MathFont, PageLayout, Script, Word};

/// On a page with more words, or more words that may be parts of formulas, none are looked for.
const MAX_WORDS: usize = 20_000;
const MAX_PARTS: usize = 4_000;
/// Maximum rules of a page that are looked at.
const MAX_RULES: usize = 2_000;
/// Maximum neighbours that a part of a formula is compared with.
const MAX_NEIGHBOURS: usize = 120;

/// The rest of a broken line is one of so many next ones, begins so far before the end of its start, in ems, or after it,
/// and stands on the same baseline.
const MAX_BREAKS: usize = 6;
const REST_OVERLAP_EM: f32 = 3.0;
const REST_GAP_EM: f32 = 0.8;
const LEVEL_EM: f32 = 0.1;
/// The sign of a root stands so far after its line, and is no higher, in ems.
const ROOT_GAP_EM: f32 = 0.5;
const ROOT_EM: f32 = 1.3;

/// Maximum words of prose of a displayed formula; its distance from lines of text, and between its left and right margin, in
/// ems.
const MAX_PROSE: usize = 4;
const APART_EM: f32 = 8.0;
const CENTRED_EM: f32 = 5.0;

/// Dots that stand for what is left out.
const DOTS: usize = 3;

/// Maximum words of a line that stands within another.
const MAX_STRAYS: usize = 12;

/// Parts of one displayed formula stand beside each other at no larger gap, in ems: a wide space of TeX is two.
const DISPLAY_GAP_EM: f32 = 2.6;
/// Words of a run within a line of text stand no further apart, in ems.
const RUN_GAP_EM: f32 = 1.0;
/// What stands above or below a rule, in ems, is part of its fraction.
const FRACTION_GAP_EM: f32 = 0.9;
/// The rule of a fraction reaches so far over what it divides, in ems.
const COVERED_EM: f32 = 1.2;
/// A line of a paragraph stands so far below the one before, and begins so near to its left edge, in ems.
const TEXT_LEADING_EM: f32 = 1.5;
const TEXT_INDENT_EM: f32 = 2.0;
/// The rows that a high bracket opens reach so far from it, in ems.
const OPENED_EM: f32 = 14.0;
/// A limit stands so near to its operator, in ems.
const LIMIT_GAP_EM: f32 = 0.7;
/// The operator of a limit begins at most so far above it, in ems.
const LIMIT_REACH_EM: f32 = 4.0;
/// The pieces of a bracket stand so near to each other, in ems.
const PIECE_GAP_EM: f32 = 0.3;
/// A root, an operator or a part of a small fraction within a line of text has its middle so far above and below the
/// baseline, in ems, and begins so near to the line's own words.
const STRAY_EM: (f32, f32) = (1.1, 0.6);
const STRAY_GAP_EM: f32 = 0.4;
/// The number of a formula stands so far from it, in ems.
const TAG_GAP_EM: f32 = 0.4;
/// Beside a displayed formula is no text within so many ems.
const CLEAR_EM: f32 = 0.9;
/// What a high brace opens begins so near to it, in ems.
const CASES_GAP_EM: f32 = 1.5;
const HIGH_EM: f32 = 1.7;

/// The words and rules of one formula, by their indices in the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Zone {
    pub(super) words: Vec<usize>,
    /// Words of text among them.
    prose: Vec<usize>,
    pub(super) rules: Vec<usize>,
    pub(super) tag: Option<usize>,
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) is_displayed: bool,
    /// The brackets before the formula, which close elsewhere, with the word that they begin.
    pub(super) head: Option<(usize, String)>,
    /// The punctuation after the formula, with the word that it ends.
    pub(super) tail: Option<(usize, String)>,
}

impl Zone {
    pub(super) fn is_prose(&self, word: usize) -> bool {
        self.prose.binary_search(&word).is_ok()
    }

    /// What a word has of the formula: its text without what stands before and after the formula.
    pub(super) fn text<'w>(&self, index: usize, word: &'w Word) -> &'w str {
        let own = |end| Option::as_ref(end).filter(|(at, _): &&(usize, String)| *at == index);
        let text = own(&self.head).and_then(|(_, head)| word.text.strip_prefix(head.as_str())).unwrap_or(&word.text);
        own(&self.tail).and_then(|(_, tail)| text.strip_suffix(tail.as_str())).unwrap_or(text)
    }
}

/// The formulas of a page outside its tables. What `read` does not read as a displayed formula may have formulas in its lines.
pub(super) fn find<F>(page: &PageLayout, tables: &[Bounds], read: impl Fn(&Zone) -> Option<F>) -> Vec<F> {
    let has_sign =
        |word: &Word| word.math != MathFont::None || word.script != Script::Baseline || word.text.chars().any(is_sign);
    if page.words.len() > MAX_WORDS || !page.words.iter().any(has_sign) {
        return Vec::new();
    }
    let finder = Finder::new(page, tables);
    let mut taken = vec![false; page.words.len()];
    let mut found: Vec<F> = Vec::new();
    for zone in finder.displayed_zones() {
        if let Some(formula) = read(&zone) {
            zone.words
                .iter()
                .chain(&zone.tag)
                .for_each(|at| taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true));
            found.push(formula);
        }
    }
    let mut zones = Vec::new();
    finder.push_inline(&mut zones, &mut taken);
    found.extend(zones.iter().filter_map(read));
    found
}

fn is_sign(sign: char) -> bool {
    is_math_letter(sign) || is_operator(sign) || is_integral(sign) || sign == '√' || relates(sign) && !sign.is_ascii()
}

/// What a word is among formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    Prose,
    /// A number, a bracket, punctuation, the name of a function.
    Neutral,
    /// A variable or a sign of formulas.
    Math,
}

/// A line of the page's text.
struct Line {
    words: Vec<usize>,
    bounds: Bounds,
    size: f32,
    /// That of its first word of text, else of its first word.
    baseline: f32,
    has_prose: bool,
    /// Whether it is a displayed formula with words.
    is_set_apart: bool,
    /// Whether its words are italic, so that italics are no evidence of a variable.
    is_italic: bool,
}

impl Line {
    /// Whether the sign of a root stands right after the line.
    fn precedes(&self, root: &Word) -> bool {
        let (em, middle) = (self.size, center(root.bounds).1);
        let gap = root.bounds.x0 - self.bounds.x1;
        (-0.2 * em..ROOT_GAP_EM * em).contains(&gap)
            && self.baseline - em < middle
            && middle < self.baseline + 0.2 * em
            && root.bounds.y1 - root.bounds.y0 < ROOT_EM * em
    }
}

struct Finder<'p> {
    page: &'p PageLayout,
    natures: Vec<Nature>,
    lines: Vec<Line>,
    /// The lines with prose and those that go on from them, by their baselines.
    texts: Vec<usize>,
    /// Horizontal rules, from top to bottom.
    rules: Vec<usize>,
    is_tabled: Vec<bool>,
}

impl<'p> Finder<'p> {
    fn new(page: &'p PageLayout, tables: &[Bounds]) -> Self {
        let natures = natures(&page.words);
        let in_table = |word: &Word| tables.iter().any(|table| holds(*table, center(word.bounds)));
        let is_tabled = page.words.iter().map(|word| word.turn != 0 || in_table(word)).collect();
        let mut rules: Vec<usize> = (0..page.rules.len())
            .filter(|at| page.rules.get(*at).is_some_and(|rule| rule.is_horizontal))
            .take(MAX_RULES)
            .collect();
        let top = |at: &usize| page.rules.get(*at).map_or(0.0, |rule| rule.bounds.y0);
        rules.sort_by(|a, b| top(a).total_cmp(&top(b)));
        let mut finder = Self { page, natures, lines: Vec::new(), texts: Vec::new(), rules, is_tabled };
        finder.add_lines();
        finder
    }

    fn add_lines(&mut self) {
        let mut first = 0;
        for own in self.page.words.chunk_by(|one, other| one.line == other.line) {
            let end = first + own.len();
            let has_prose = self.natures.get(first..end).unwrap_or_default().contains(&Nature::Prose);
            let size = own.iter().map(|word| word.size).fold(0.0, f32::max);
            let first_prose =
                own.iter().zip(self.natures.iter().skip(first)).find(|(_, nature)| **nature == Nature::Prose);
            // The accent of a letter stands above its baseline.
            let mut full = own.iter().filter(|word| !has_ink(word) && !is_accented(&word.text));
            let first_full = full.clone().find(|word| word.script == Script::Baseline).or_else(|| full.next());
            let baseline = first_prose.map(|(word, _)| word).or(first_full).map_or(0.0, |word| word.baseline);
            let bounds = own.iter().fold(NOTHING, |all, word| all.union(word.bounds));
            let prose = |is_italic: bool| {
                let natures = self.natures.iter().skip(first);
                own.iter()
                    .zip(natures)
                    .filter(|(word, nature)| **nature == Nature::Prose && word.is_italic == is_italic)
                    .count()
            };
            let is_italic = prose(true) > prose(false);
            let words = (first..end).collect();
            self.push_line(Line { words, bounds, size, baseline, has_prose, is_italic, is_set_apart: false });
            first = end;
        }
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by(|a, b| self.baseline(*a).total_cmp(&self.baseline(*b)));
        let (texts, others): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(|at| self.lines.get(*at).is_some_and(|line| line.has_prose));
        self.texts = texts;
        self.mark_set_apart();
        // A line without prose may go on from another one.
        for at in others {
            let Some(line) = self.lines.get(at) else { continue };
            if self.continues_text(line.bounds, line.baseline, line.size) {
                let place = self.texts.partition_point(|other| self.baseline(*other) <= line.baseline);
                self.texts.insert(place, at);
            }
        }
    }

    /// Finds the displayed formulas with a few words among the lines with prose: they are centred between lines of text.
    fn mark_set_apart(&mut self) {
        let is_apart = |at: &usize| self.lines.get(*at).is_some_and(|line| self.is_set_apart(line));
        let (apart, texts): (Vec<usize>, Vec<usize>) = self.texts.iter().partition(|at| is_apart(at));
        self.texts = texts;
        for at in apart {
            self.lines.iter_mut().skip(at).take(1).for_each(|line| line.is_set_apart = true);
        }
    }

    fn is_set_apart(&self, line: &Line) -> bool {
        let count = |nature| line.words.iter().filter(|at| self.nature(**at) == nature).count();
        let (prose, math) = (count(Nature::Prose), count(Nature::Math));
        if prose == 0 || prose > MAX_PROSE || math <= 2 * prose {
            return false;
        }
        let em = line.size;
        let is_number = |at: &&usize| self.word(**at).is_some_and(|word| is_tag(&word.text));
        let own = line.words.iter().filter(|at| !is_number(at)).filter_map(|at| self.word(*at));
        let own = own.fold(NOTHING, |all, word| all.union(word.bounds));
        let from = self.texts.partition_point(|at| self.baseline(*at) < line.baseline - APART_EM * em);
        let near = self.texts.iter().skip(from).take(MAX_NEIGHBOURS).filter_map(|at| self.lines.get(*at));
        let mut near = near.take_while(|other| other.baseline < line.baseline + APART_EM * em);
        near.any(|text| {
            let (left, right) = (own.x0 - text.bounds.x0, text.bounds.x1 - own.x1);
            left > TEXT_INDENT_EM * em && right > TEXT_INDENT_EM * em && (left - right).abs() < CENTRED_EM * em
        })
    }

    /// Appends a line, or the rest of one of the last lines: indices below exponents and parts of fractions break lines.
    fn push_line(&mut self, line: Line) {
        if let Some(root) = self.root(&line)
            && let Some(start) = self.lines.iter_mut().rev().take(MAX_BREAKS).find(|start| start.precedes(root))
        {
            start.words.extend(line.words);
            start.bounds = start.bounds.union(line.bounds);
            return;
        }
        let is_rest_of = |start: &&mut Line| {
            let em = start.size.max(line.size);
            let gap = line.bounds.x0 - start.bounds.x1;
            line.baseline > 0.0
                && (line.baseline - start.baseline).abs() < LEVEL_EM * em
                && (-REST_OVERLAP_EM * em..REST_GAP_EM * em).contains(&gap)
        };
        match self.lines.iter_mut().rev().take(MAX_BREAKS).find(is_rest_of) {
            Some(start) => {
                start.words.extend(line.words);
                start.bounds = start.bounds.union(line.bounds);
                start.size = start.size.max(line.size);
                start.is_italic = if start.has_prose { start.is_italic } else { line.is_italic };
                start.has_prose |= line.has_prose;
            }
            None => self.lines.push(line),
        }
    }

    /// The sign of a root, if a line has nothing else.
    fn root(&self, line: &Line) -> Option<&'p Word> {
        let [only] = line.words.as_slice() else { return None };
        self.word(*only).filter(|word| word.text == "√")
    }

    fn baseline(&self, line: usize) -> f32 {
        self.lines.get(line).map_or(0.0, |line| line.baseline)
    }

    fn word(&self, at: usize) -> Option<&'p Word> {
        self.page.words.get(at)
    }

    fn nature(&self, at: usize) -> Nature {
        self.natures.get(at).copied().unwrap_or(Nature::Prose)
    }

    fn is_free(&self, at: usize, taken: &[bool]) -> bool {
        self.is_tabled.get(at) == Some(&false) && taken.get(at) == Some(&false)
    }

    fn rule(&self, at: usize) -> Bounds {
        self.page.rules.get(at).map_or(NOTHING, |rule| rule.bounds)
    }

    /// The rules whose middle is between two heights.
    fn rules_between(&self, top: f32, bottom: f32) -> impl Iterator<Item = usize> + '_ {
        let from = self.rules.partition_point(|at| self.rule(*at).y0 < top);
        self.rules.iter().skip(from).copied().take_while(move |at| self.rule(*at).y0 <= bottom).take(MAX_NEIGHBOURS)
    }

    // Displayed formulas.

    fn displayed_zones(&self) -> Vec<Zone> {
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
                let middle = center(line.bounds).1;
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
        let top = |at: &usize| self.word(*at).map_or(0.0, |word| word.bounds.y0);
        parts.sort_by(|a, b| top(a).total_cmp(&top(b)));
        parts
    }

    /// Parts that belong together, and their rules.
    fn clusters(&self, parts: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut sets = DisjointSets::new(parts.len());
        let bounds = |at: usize| parts.get(at).and_then(|at| self.word(*at)).map_or(NOTHING, |word| word.bounds);
        for one in 0..parts.len() {
            let Some(word) = parts.get(one).and_then(|at| self.word(*at)) else { continue };
            let reach = word.bounds.y1 + LIMIT_GAP_EM * word.size;
            let below = (one + 1..parts.len()).take_while(|other| bounds(*other).y0 <= reach).take(MAX_NEIGHBOURS);
            for other in below {
                let Some(next) = parts.get(other).and_then(|at| self.word(*at)) else { continue };
                if are_linked(word, next) || are_rows(word, next) && self.is_limit_of_any(word, parts) {
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

    /// Whether a word is a limit of one of the parts near it.
    fn is_limit_of_any(&self, word: &Word, parts: &[usize]) -> bool {
        let top = |at: &usize| self.word(*at).map_or(0.0, |word| word.bounds.y0);
        let from = parts.partition_point(|at| top(at) < word.bounds.y0 - LIMIT_REACH_EM * word.size);
        let near = parts.iter().skip(from).take(MAX_NEIGHBOURS).filter_map(|at| self.word(*at));
        near.take_while(|operator| operator.bounds.y0 < word.bounds.y0).any(|operator| is_limit(operator, word))
    }

    /// The parts nearest above and below a rule, if it is that of a fraction, a root or an overline.
    fn linked_by(&self, rule: usize, parts: &[usize]) -> Vec<usize> {
        let rule = self.rule(rule);
        let top = |at: usize| parts.get(at).and_then(|at| self.word(*at)).map_or(0.0, |word| word.bounds.y0);
        let indices: Vec<usize> = (0..parts.len()).collect();
        let from = indices.partition_point(|at| top(*at) < rule.y0 - 40.0);
        let near = (from..parts.len()).take_while(|at| top(*at) < rule.y1 + 20.0).take(MAX_NEIGHBOURS * 2);
        let near: Vec<(usize, &Word)> = near.filter_map(|at| Some((at, self.word(*parts.get(at)?)?))).collect();
        let roots: Vec<(usize, &Word)> = near.iter().copied().filter(|(_, word)| is_root_of(word, rule)).collect();
        let depth = roots.iter().map(|(_, root)| root.bounds.y1).fold(rule.y1, f32::max);
        let (mut own, mut extent, mut size) = (Vec::new(), NOTHING, 0.0_f32);
        for (at, word) in near {
            let ((x, y), slack) = (center(word.bounds), 0.25 * word.size);
            let reach = FRACTION_GAP_EM * word.size;
            let is_above = y < rule.y0 && rule.y0 - word.bounds.y1 < reach;
            let is_below = y > rule.y0 && (word.bounds.y0 - rule.y1 < reach || y < depth);
            if rule.x0 - slack < x && x < rule.x1 + slack && (is_above && roots.is_empty() || is_below) {
                own.push(at);
                (extent, size) = (extent.union(word.bounds), size.max(word.size));
            }
        }
        // What stands above and below reaches over the whole rule: it is no rule of a table or of the page.
        let is_covered = (rule.x1 - rule.x0) - (extent.x1 - extent.x0) < COVERED_EM * size;
        if own.is_empty() || roots.is_empty() && !is_covered {
            return Vec::new();
        }
        own.extend(roots.into_iter().map(|(at, _)| at));
        own
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
        let bounds = own().fold(NOTHING, |all, word| all.union(word.bounds));
        let size = own().map(|word| word.size).fold(0.0, f32::max);
        let signs = || own().flat_map(|word| word.text.chars());
        let is_math = words.iter().any(|at| self.nature(*at) == Nature::Math);
        let letters = signs().filter(|sign| sign.is_alphanumeric()).count();
        let has_structure = !rules.is_empty()
            || own().any(|word| word.script != Script::Baseline)
            || signs().any(|sign| is_operator(sign) || is_integral(sign) || is_combining(sign))
            || own().any(|word| is_accented(&word.text) || is_high(word));
        let has_variable =
            words.iter().any(|at| self.nature(*at) == Nature::Math && self.word(*at).is_some_and(has_letter));
        let has_relation = has_variable && signs().any(relates);
        let is_code = own().any(|word| word.is_monospace);
        // A term alone is a label in a figure.
        let is_expression =
            has_relation || has_structure && (!rules.is_empty() || signs().any(joins_terms) || own().any(is_large));
        let is_open = own().next_back().is_some_and(|last| last.text.ends_with('='));
        if !is_math || is_code || letters < 2 || !is_expression || is_open || !self.is_clear(bounds, size, &words, tag)
        {
            return None;
        }
        let prose = words.iter().copied().filter(|at| self.nature(*at) == Nature::Prose).collect();
        // The place of an accent or of a root says nothing about the baseline.
        let is_full = |word: &&Word| {
            word.size >= SMALL * size && !has_ink(word) && !is_accented(&word.text) && !word.text.contains('√')
        };
        let baseline = own().filter(is_full).map(own_baseline);
        let level = center(bounds).1 + AXIS_EM * size;
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

    /// Whether a word is the last of three dots.
    fn ends_dots(&self, at: usize) -> bool {
        let is_dot = |at: &usize| self.word(*at).is_some_and(|word| word.text == ".");
        matches!((0..=at).rev().take_while(is_dot).take(DOTS + 1).count(), 2..=DOTS)
    }

    /// Whether a line without words of text stands where the next line of a paragraph does.
    fn continues_text(&self, bounds: Bounds, baseline: f32, size: f32) -> bool {
        let from = self.texts.partition_point(|at| self.baseline(*at) < baseline - TEXT_LEADING_EM * size);
        let above = self.texts.iter().skip(from).take(MAX_NEIGHBOURS).filter_map(|at| self.lines.get(*at));
        let mut above = above.take_while(|line| line.baseline < baseline - 0.5 * size);
        let is_low = bounds.y1 - bounds.y0 < HIGH_EM * size;
        is_low && above.any(|line| (line.bounds.x0 - bounds.x0).abs() < TEXT_INDENT_EM * size)
    }

    /// The number of a displayed formula.
    fn tag(&self, words: &[usize], parts: &[usize]) -> Option<usize> {
        let own = || words.iter().filter_map(|at| self.word(*at));
        let bounds = own().filter(|word| !is_tag(&word.text)).fold(NOTHING, |all, word| all.union(word.bounds));
        let is_right = |word: &Word| {
            let middle = center(word.bounds).1;
            word.bounds.x0 - bounds.x1 > TAG_GAP_EM * word.size && bounds.y0 < middle && middle < bounds.y1
        };
        let tags =
            parts.iter().copied().filter(|at| self.word(*at).is_some_and(|word| is_tag(&word.text) && is_right(word)));
        tags.take(MAX_NEIGHBOURS).min_by(|a, b| {
            let x = |at: usize| self.word(at).map_or(0.0, |word| word.bounds.x0);
            x(*a).total_cmp(&x(*b))
        })
    }

    /// Whether no other words stand in or right beside a place.
    fn is_clear(&self, bounds: Bounds, size: f32, words: &[usize], tag: Option<usize>) -> bool {
        let around = Bounds { x0: bounds.x0 - CLEAR_EM * size, x1: bounds.x1 + CLEAR_EM * size, ..bounds };
        let is_own = |at: usize| words.binary_search(&at).is_ok() || Some(at) == tag;
        let is_in = |word: &Word| {
            let (_, y) = center(word.bounds);
            shared_width(word.bounds, around) > 0.0 && around.y0 < y && y < around.y1
        };
        let near = self.lines.iter().filter(|line| line.bounds.y0 < bounds.y1 && bounds.y0 < line.bounds.y1);
        let mut others = near.flat_map(|line| line.words.iter().copied()).filter(|at| !is_own(*at));
        !others.any(|at| self.word(at).is_some_and(is_in))
    }

    // Formulas within lines of text.

    fn push_inline(&self, zones: &mut Vec<Zone>, taken: &mut [bool]) {
        let is_text = |line: &Line| line.has_prose || self.continues_text(line.bounds, line.baseline, line.size);
        let (texts, others): (Vec<&Line>, Vec<&Line>) = self.lines.iter().partition(|line| is_text(line));
        let strays = self.strays(&others, &texts, taken);
        for line in texts {
            let mut run: Vec<usize> = Vec::new();
            for at in &line.words {
                let is_part = self.is_free(*at, taken) && self.nature(*at) != Nature::Prose;
                if !is_part || !self.goes_on(&run, *at) {
                    self.push_run(std::mem::take(&mut run), line, &strays, zones, taken);
                }
                if is_part {
                    run.push(*at);
                }
            }
            self.push_run(run, line, &strays, zones, taken);
        }
    }

    /// Whether a word goes on with a run: near, and not after a space between two terms.
    fn goes_on(&self, run: &[usize], at: usize) -> bool {
        let (Some(last), Some(next)) = (run.last().and_then(|at| self.word(*at)), self.word(at)) else { return true };
        let gap = next.bounds.x0 - last.bounds.x1;
        let joins = |sign: Option<char>| {
            sign.is_some_and(|sign| joins_terms(sign) || matches!(sign, ',' | '.' | '(' | '[' | '{' | '…'))
        };
        // Limits come before what their operator stands before.
        let is_limit = run.len() <= MAX_STRAYS
            && run.iter().all(|at| self.word(*at).is_some_and(|word| word.script != Script::Baseline));
        // A number in brackets after a space is a reference.
        let is_number = next.text.len() > 1
            && next.text.trim_start_matches(['(', '[']).starts_with(|sign: char| sign.is_ascii_digit());
        let is_reference = next.is_spaced && next.text.starts_with(['(', '[']) && (is_number || self.opens_number(at));
        if is_reference && !joins(last.text.chars().last()) {
            return false;
        }
        let is_root = |word: &Word| word.text.ends_with('√');
        let is_joined = is_limit
            || is_root(last)
            || is_root(next)
            || !next.is_spaced
            || next.script != Script::Baseline
            || joins(last.text.chars().last())
            || joins(next.text.chars().next())
            || next.text.starts_with([')', ']', '}'])
            || is_name(&last.text)
            || is_name(&next.text);
        is_joined && gap < RUN_GAP_EM * last.size.max(next.size) && gap > -3.0 * last.size
    }

    /// Whether a word is a bracket before a number in the font of text.
    fn opens_number(&self, at: usize) -> bool {
        let next = self.word(at + 1).filter(|next| !next.is_spaced && next.script == Script::Baseline);
        let is_bracket = self.word(at).is_some_and(|word| matches!(word.text.as_str(), "(" | "["));
        is_bracket && next.is_some_and(|next| next.text.starts_with(|sign: char| sign.is_ascii_digit()))
    }

    /// The words of short lines without prose, which may stand within lines of text, and the accents of these, by height.
    fn strays(&self, lines: &[&Line], texts: &[&Line], taken: &[bool]) -> Vec<usize> {
        let own = lines.iter().filter(|line| line.words.len() <= MAX_STRAYS).flat_map(|line| &line.words);
        let accents = texts.iter().flat_map(|line| &line.words).filter(|at| self.word(**at).is_some_and(is_accent));
        let mut strays: Vec<usize> =
            own.chain(accents).copied().filter(|at| self.is_free(*at, taken)).take(MAX_PARTS).collect();
        let middle = |at: &usize| self.word(*at).map_or(0.0, |word| center(word.bounds).1);
        strays.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        strays
    }

    fn push_run(&self, mut run: Vec<usize>, line: &Line, strays: &[usize], zones: &mut Vec<Zone>, taken: &mut [bool]) {
        if run.len() > MAX_SYMBOLS / 4 || run.iter().all(|at| self.word(*at).is_some_and(is_accent)) {
            return;
        }
        let (head, rest) = self.trim(&mut run);
        if !rest.is_empty() {
            self.push_run(rest, line, strays, zones, taken);
        }
        let own = |run: &[usize]| {
            run.iter().filter_map(|at| self.word(*at)).fold(NOTHING, |all, word| all.union(word.bounds))
        };
        let (size, baseline) = (line.size, line.baseline);
        let bounds = own(&run);
        let (top, bottom) = (baseline - STRAY_EM.0 * size, baseline + STRAY_EM.1 * size);
        let middle = |at: usize| self.word(at).map_or(0.0, |word| center(word.bounds).1);
        let from = strays.partition_point(|at| middle(*at) < top);
        let near = strays.iter().skip(from).copied().take_while(|at| middle(*at) <= bottom).take(MAX_NEIGHBOURS);
        let is_near = |at: usize| {
            self.word(at).is_some_and(|word| {
                taken.get(at) == Some(&false)
                    && word.bounds.x0 < bounds.x1 + STRAY_GAP_EM * size
                    && bounds.x0 - STRAY_GAP_EM * size < word.bounds.x1
            })
        };
        let strays: Vec<usize> = near.filter(|at| is_near(*at)).collect();
        let rules = self.rules_between(baseline - 1.1 * size, baseline - 0.1 * size);
        let rules: Vec<usize> = rules
            .filter(|at| {
                let rule = self.rule(*at);
                rule.x0 > bounds.x0 - 0.3 * size && rule.x1 < bounds.x1 + 0.3 * size
            })
            .collect();
        // A rule below a word that is no part of the run makes no overline of it.
        let is_below_other = |rule: Bounds| {
            let others = line.words.iter().filter(|at| !run.contains(at));
            others.filter_map(|at| self.word(*at)).any(|word| {
                let (x, y) = center(word.bounds);
                rule.x0 <= x && x <= rule.x1 && y < rule.y0
            })
        };
        if rules.iter().any(|at| is_below_other(self.rule(*at))) {
            return;
        }
        let own = || run.iter().filter_map(|at| self.word(*at));
        let is_raised = |word: &Word| word.script != Script::Baseline || is_accented(&word.text);
        let text: String = own().map(|word| word.text.as_str()).collect();
        let has_structure =
            !strays.is_empty() || !rules.is_empty() || own().any(is_raised) || is_expression(text.get(head.len()..));
        let is_formula = !rules.is_empty() || run.iter().any(|at| self.is_variable(*at, line));
        if !has_structure || !is_formula {
            return;
        }
        let head = run.first().copied().filter(|_| !head.is_empty()).map(|first| (first, head));
        let tail = run.last().copied();
        run.extend(strays);
        run.sort_unstable();
        let x = run.iter().filter_map(|at| self.word(*at)).fold(NOTHING, |all, word| all.union(word.bounds));
        let tail = tail.and_then(|at| Some((at, self.word(at)?)));
        let tail = tail.filter(|(_, word)| word.bounds.x1 >= x.x1).map(|(at, word)| (at, punctuation(&word.text)));
        let bounds = Bounds { x0: x.x0, x1: x.x1, y0: baseline - 0.8 * size, y1: baseline + 0.2 * size };
        run.iter().for_each(|at| taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true));
        zones.push(Zone {
            words: run,
            prose: Vec::new(),
            rules,
            tag: None,
            bounds,
            baseline,
            is_displayed: false,
            head,
            tail,
        });
    }

    /// Whether a word of a line is a variable: of a font of formulas, Greek, or an italic letter among upright words.
    fn is_variable(&self, at: usize, line: &Line) -> bool {
        let Some(word) = self.word(at) else { return false };
        let is_italic = word.is_italic && !line.is_italic;
        word.text.chars().any(is_math_letter)
            || is_accented(&word.text)
            || has_letter(word) && (word.math != MathFont::None || is_italic)
    }

    /// Removes punctuation from the ends of a run, and brackets that have no partner in it. Returns the opening brackets that
    /// were taken off the first word, and the words from the first bracket on that nothing in the run closes.
    fn trim(&self, run: &mut Vec<usize>) -> (String, Vec<usize>) {
        let (mut head, mut rest) = (String::new(), Vec::new());
        let text = |at: Option<&usize>| at.and_then(|at| self.word(*at)).map(|word| (word.text.as_str(), word.script));
        let is_loose = |text: &str| {
            text.chars().all(|sign| {
                matches!(sign, '.' | ',' | ';' | ':' | '!' | '?' | '"' | '\'' | '“' | '”' | '’' | '‘' | '—' | '–')
            })
        };
        loop {
            let unmatched = self.unmatched(run, head.len());
            let is_at = |at: Option<usize>, side: &[usize]| at.is_some_and(|at| side.contains(&at));
            let last = run.len().checked_sub(1);
            let is_end = text(run.last()).is_some_and(|(text, script)| {
                let is_bracket = |sign: char| matches!(sign, ')' | ']' | '.' | ',' | ';' | ':');
                let is_loose_bracket = is_at(last, &unmatched.closing) && text.chars().all(is_bracket);
                script == Script::Baseline && (is_loose(text) || is_loose_bracket || is_at(last, &unmatched.opening))
            });
            // A raised number after a clause is the mark of a note.
            let before = run.len().checked_sub(2).and_then(|at| run.get(at));
            let is_mark = text(run.last()).is_some_and(|(_, script)| script == Script::Raised)
                && text(before).is_some_and(|(text, script)| {
                    script == Script::Baseline && text.ends_with(['.', ',', ';', ':', '!', '?', '"', '”', '’'])
                });
            let is_divided = run.first().and_then(|at| self.word(*at)).is_some_and(|word| self.is_above_rule(word));
            let is_start = text(run.first()).is_some_and(|(text, script)| {
                is_loose(text) || is_at(Some(0), &unmatched.opening) || script == Script::Raised && !is_divided
            });
            // What stands before a bracket that nothing opens is the number of an item.
            let label = unmatched.closing.first().filter(|at| **at < 2 && run.len() > **at + 1);
            let loose = unmatched.opening.iter().take_while(|at| **at == 0).count();
            if is_end || is_mark {
                run.pop();
            } else if let Some(brackets) = text(run.first()).and_then(|(text, _)| opening_brackets(text, loose)) {
                head.push_str(brackets);
            } else if is_start {
                run.remove(0);
                head.clear();
            } else if let Some(label) = label {
                run.drain(..=*label);
                head.clear();
            } else if let Some(opening) = unmatched.opening.first() {
                rest = run.split_off(*opening);
            } else {
                return (head, rest);
            }
        }
    }

    /// Whether a rule is right below a word.
    fn is_above_rule(&self, word: &Word) -> bool {
        let (x, y) = (center(word.bounds).0, word.bounds.y1);
        let mut rules = self.rules_between(y - 0.3 * word.size, y + 0.6 * word.size).map(|at| self.rule(at));
        rules.any(|rule| rule.x0 <= x && x <= rule.x1)
    }

    /// The places in a run of the words with brackets whose other sides are not in it. The first so many bytes are no part
    /// of it.
    fn unmatched(&self, run: &[usize], head: usize) -> LooseBrackets {
        let (mut open, mut closing) = (Vec::new(), Vec::new());
        for (at, word) in run.iter().enumerate().filter_map(|(at, word)| Some((at, self.word(*word)?))) {
            let own = if at == 0 { word.text.get(head..) } else { Some(word.text.as_str()) };
            for sign in own.unwrap_or_default().chars() {
                match sign {
                    '(' | '[' | '{' | '⌈' | '⌊' => open.push(at),
                    ')' | ']' | '}' | '⌉' | '⌋' if open.pop().is_none() => closing.push(at),
                    _ => {}
                }
            }
        }
        LooseBrackets { opening: open, closing }
    }
}

/// Brackets of a run without their other sides.
struct LooseBrackets {
    opening: Vec<usize>,
    closing: Vec<usize>,
}

fn has_letter(word: &Word) -> bool {
    word.text.chars().any(char::is_alphabetic)
}

/// Whether a text is the number of a formula.
fn is_tag(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '′' | '\'' | '*');
    inner.len() <= 8 && inner.chars().any(|sign| sign.is_ascii_digit()) && inner.chars().all(is_sign)
}

/// The first `count` signs of a word if they are opening brackets before a letter.
fn opening_brackets(text: &str, count: usize) -> Option<&str> {
    let rest = text.trim_start_matches(['(', '[', '{', '⌈', '⌊']);
    let brackets = text.strip_suffix(rest).filter(|brackets| brackets.chars().count() == count)?;
    (count > 0 && rest.starts_with(char::is_alphabetic)).then_some(brackets)
}

/// The punctuation at the end of a word that has more.
fn punctuation(text: &str) -> String {
    let stem = text.trim_end_matches([',', '.', ';', ':']);
    let is_leader = text.ends_with("..");
    let tail = text.strip_prefix(stem).unwrap_or_default();
    if stem.is_empty() && text.chars().count() > 1 || is_leader { String::new() } else { tail.to_owned() }
}

/// Whether a text has two terms that a sign joins, or a function of something.
fn is_expression(text: Option<&str>) -> bool {
    let text = text.unwrap_or_default();
    let is_joint = |sign: char| relates(sign) && sign != ':' || joins_terms(sign) && !sign.is_ascii() || sign == '+';
    let has_term = |side: Option<&str>| side.is_some_and(|side| side.contains(char::is_alphanumeric));
    let joins = |(at, sign): (usize, char)| match sign {
        '(' => has_letter_before(text.get(..at)) && text.get(at..).is_some_and(|rest| rest.contains(')')),
        _ => is_joint(sign) && has_term(text.get(..at)) && has_term(text.get(at..)),
    };
    text.char_indices().take(MAX_EXPRESSION).any(joins)
}

fn has_letter_before(text: Option<&str>) -> bool {
    text.is_some_and(|text| text.ends_with(char::is_alphabetic))
}

/// Maximum characters of a run that are looked at for a sign that joins terms.
const MAX_EXPRESSION: usize = 200;

fn is_name(text: &str) -> bool {
    is_function(text.trim_matches(|sign: char| !sign.is_alphabetic()))
}

fn is_high_brace(word: &Word) -> bool {
    let is_brace = word.text.chars().all(|sign| matches!(sign, '{' | '\u{23a7}'..='\u{23aa}'));
    is_brace && is_high(word)
}

/// Whether a word is an operator or a bracket of something high.
fn is_large(word: &Word) -> bool {
    is_high(word) || word.text.chars().any(|sign| is_operator(sign) || is_integral(sign))
}

fn is_high(word: &Word) -> bool {
    has_ink(word) && word.bounds.y1 - word.bounds.y0 > HIGH_EM * word.size
}

fn nature(word: &Word) -> Nature {
    if word.is_monospace {
        return Nature::Prose;
    }
    if word.math != MathFont::None || word.text.chars().any(is_sign) || is_accented(&word.text) {
        return Nature::Math;
    }
    let mut longest = 0;
    for part in word.text.split(|sign: char| !sign.is_alphabetic()) {
        longest = longest.max(if is_function(part) { 0 } else { part.chars().count() });
    }
    let is_small = word.script != Script::Baseline;
    // A product of variables, as no word is written.
    let is_product = word.text.chars().skip(1).any(char::is_uppercase) && word.text.chars().any(char::is_lowercase);
    let most = match word.is_italic {
        _ if is_small => 8,
        true if is_product => 4,
        true => 2,
        false => 0,
    };
    let is_attached = longest == 1 && !word.is_spaced;
    match longest {
        0 => Nature::Neutral,
        // Vectors and matrices are bold and upright.
        1 if word.is_bold => Nature::Math,
        2 if word.is_bold && is_product => Nature::Math,
        _ if longest > most && !is_attached => Nature::Prose,
        _ if word.is_italic => Nature::Math,
        _ => Nature::Neutral,
    }
}

/// The natures of words. An upright name that touches its argument or its index is no prose.
fn natures(words: &[Word]) -> Vec<Nature> {
    let mut natures: Vec<Nature> = words.iter().map(nature).collect();
    for (at, pair) in words.windows(2).enumerate() {
        if let [word, next] = pair
            && natures.get(at + 1) == Some(&Nature::Math)
            && natures.get(at) == Some(&Nature::Prose)
            && !next.is_spaced
            && word.line == next.line
            && (is_operator_name(word, next) || is_product(word, next))
        {
            natures.iter_mut().skip(at).take(1).for_each(|nature| *nature = Nature::Neutral);
        }
    }
    natures
}

/// Whether a word is a letter before another one, or are variables of which the last has an index.
fn is_product(word: &Word, next: &Word) -> bool {
    let letters = word.text.chars().map(|_| 1_usize).sum::<usize>();
    let has_script = match next.script {
        Script::Baseline => false,
        Script::Lowered => true,
        Script::Raised => next.text.starts_with(['−', '-']) || has_letter(next),
    };
    let most = if word.is_italic && has_script { MAX_PRODUCT } else { 1 };
    letters <= most && word.text.chars().all(char::is_alphabetic)
}

/// Maximum variables that are set as a word.
const MAX_PRODUCT: usize = 4;

/// Whether a word is the upright name of an operator whose argument or index touches it.
fn is_operator_name(word: &Word, next: &Word) -> bool {
    let stem = word.text.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let bracket = stem.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
    let length = stem.len() - bracket.len();
    let is_followed = match bracket {
        "" => next.script == Script::Lowered || next.text.starts_with(['{', '|', '∣']),
        "(" | "[" | "{" | "((" => next.script == Script::Baseline && has_letter(next),
        _ => false,
    };
    let is_upright = !word.is_italic && !word.is_monospace && word.script == Script::Baseline;
    is_upright && (2..=MAX_NAME).contains(&length) && is_followed
}

/// Maximum letters of an operator's name.
const MAX_NAME: usize = 8;

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
    if overlap > 0.25 * (a.y1 - a.y0).min(b.y1 - b.y0) {
        return gap < DISPLAY_GAP_EM * em && !is_tag(one) && !is_tag(other);
    }
    is_limit(one, other) || is_limit(other, one) || are_pieces(one, other)
}

/// Whether words of one size stand right below each other, as the rows of a limit do.
fn are_rows(one: &Word, other: &Word) -> bool {
    let gap = other.bounds.y0 - one.bounds.y1;
    let em = one.size;
    (one.size - other.size).abs() < 0.1 * em
        && (-0.3 * em..0.3 * em).contains(&gap)
        && shared_width(one.bounds, other.bounds) > -em
}

/// Whether words are pieces of one bracket or root, below each other.
fn are_pieces(one: &Word, other: &Word) -> bool {
    let (a, b) = (one.bounds, other.bounds);
    let gap = (b.y0 - a.y1).max(a.y0 - b.y1);
    let is_piece = |word: &Word| has_ink(word) && word.text.chars().all(is_piece);
    is_piece(one) && is_piece(other) && gap < PIECE_GAP_EM * one.size && shared_width(a, b) > 0.0
}

/// Whether a high bracket opens rows of which a word is part.
fn opens(bracket: &Word, other: &Word) -> bool {
    let (a, b) = (bracket.bounds, other.bounds);
    let is_open = |sign: char| matches!(sign, '(' | '[' | '{' | '\u{239b}'..='\u{239d}' | '\u{23a1}'..='\u{23a3}' | '\u{23a7}'..='\u{23aa}');
    let middle = center(b).1;
    is_high(bracket)
        && bracket.text.chars().all(is_open)
        && (0.0..OPENED_EM * bracket.size).contains(&(b.x0 - a.x1))
        && a.y0 < middle
        && middle < a.y1
        && !is_tag(&other.text)
}

/// Whether a word stands right above or below an operator, and is smaller.
fn is_limit(operator: &Word, limit: &Word) -> bool {
    let is_sum = |sign: char| is_operator(sign) || is_integral(sign) || has_ink(operator) && large_form(sign).is_some();
    let is_large = operator.text.chars().any(is_sum) || has_limits(&operator.text);
    let (a, b) = (operator.bounds, limit.bounds);
    let gap = (b.y0 - a.y1).max(a.y0 - b.y1);
    let x = center(b).0;
    is_large
        && limit.size < SMALL * operator.size
        && gap < LIMIT_GAP_EM * limit.size
        && a.x0 - 1.5 * operator.size < x
        && x < a.x1 + 1.5 * operator.size
}
