//! Zones: the words and rules of each formula of a page.

mod displayed;
mod fractions;
mod inline;
mod lines;
mod natures;

use super::names::{is_math_letter, relates, takes_limits};
use super::symbols::{has_ink, is_large_form};
use fractions::Fraction;
use lines::Line;
use natures::{Nature, natures};
use pagewise_text::{Bounds, MathFont, PageLayout, Script, Word};

/// On a page with more words, or more words that may be parts of formulas, none are looked for.
const MAX_WORDS: usize = 20_000;
const MAX_PARTS: usize = 4_000;
/// Maximum rules of a page that are looked at.
const MAX_RULES: usize = 2_000;
/// Maximum neighbours that a part of a formula is compared with.
const MAX_NEIGHBOURS: usize = 120;

/// The rest of a line and the punctuation after a formula stand on its baseline within so many ems.
const LEVEL_EM: f32 = 0.1;

/// A line of a paragraph stands so far below the one before, and begins so near to its left edge, in ems.
const TEXT_LEADING_EM: f32 = 1.5;
const TEXT_INDENT_EM: f32 = 2.0;
/// What is higher, in ems, surrounds several rows.
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
    if !may_have_formulas(page) {
        return Vec::new();
    }
    let mut finder = Finder::new(page, tables);
    let mut taken = vec![false; page.words.len()];
    let mut found: Vec<F> = Vec::new();
    for mut zone in finder.displayed_zones() {
        // The number between two lines stands beside both.
        zone.tag = zone.tag.filter(|tag| taken.get(*tag) == Some(&false));
        if let Some(formula) = read(&zone) {
            zone.words
                .iter()
                .chain(&zone.tag)
                .for_each(|at| taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true));
            found.push(formula);
        }
    }
    finder.fractions = finder.fractions(&taken);
    let mut zones = Vec::new();
    finder.push_inline(&mut zones, &mut taken);
    found.extend(zones.iter().filter_map(read));
    found
}

/// The sides of the fractions of a page.
pub(super) fn fractions(page: &PageLayout) -> Vec<[Bounds; 2]> {
    if may_have_formulas(page) { Finder::new(page, &[]).fraction_sides() } else { Vec::new() }
}

fn may_have_formulas(page: &PageLayout) -> bool {
    let has_sign =
        |word: &Word| word.math != MathFont::None || word.script != Script::Baseline || word.text.chars().any(is_sign);
    page.words.len() <= MAX_WORDS && page.words.iter().any(has_sign)
}

fn is_sign(sign: char) -> bool {
    is_math_letter(sign) || takes_limits(sign) || sign == '√' || relates(sign) && !sign.is_ascii()
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
    /// The fractions within lines.
    fractions: Vec<Fraction>,
}

impl<'p> Finder<'p> {
    fn new(page: &'p PageLayout, tables: &[Bounds]) -> Self {
        let natures = natures(&page.words);
        let in_table = |word: &Word| tables.iter().any(|table| table.holds(word.bounds.center()));
        let is_tabled = page.words.iter().map(|word| word.turn != 0 || in_table(word)).collect();
        let mut rules: Vec<usize> = (0..page.rules.len())
            .filter(|at| page.rules.get(*at).is_some_and(|rule| rule.is_horizontal))
            .take(MAX_RULES)
            .collect();
        let top = |at: &usize| page.rules.get(*at).map_or(0.0, |rule| rule.bounds.y0);
        rules.sort_by(|a, b| top(a).total_cmp(&top(b)));
        let (lines, texts, fractions) = (Vec::new(), Vec::new(), Vec::new());
        let mut finder = Self { page, natures, lines, texts, rules, is_tabled, fractions };
        finder.add_lines();
        finder
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
        self.page.rules.get(at).map_or(Bounds::NOTHING, |rule| rule.bounds)
    }

    /// The rules whose middle is between two heights.
    fn rules_between(&self, top: f32, bottom: f32) -> impl Iterator<Item = usize> + '_ {
        let from = self.rules.partition_point(|at| self.rule(*at).y0 < top);
        self.rules.iter().skip(from).copied().take_while(move |at| self.rule(*at).y0 <= bottom).take(MAX_NEIGHBOURS)
    }

    /// Whether a line without words of text stands where the next line of a paragraph does.
    fn continues_text(&self, bounds: Bounds, baseline: f32, size: f32) -> bool {
        let from = self.texts.partition_point(|at| self.baseline(*at) < baseline - TEXT_LEADING_EM * size);
        let above = self.texts.iter().skip(from).take(MAX_NEIGHBOURS).filter_map(|at| self.lines.get(*at));
        let mut above = above.take_while(|line| line.baseline < baseline - 0.5 * size);
        let is_low = bounds.height() < HIGH_EM * size;
        is_low && above.any(|line| (line.bounds.x0 - bounds.x0).abs() < TEXT_INDENT_EM * size)
    }
}

/// Whether a text is the number of a formula.
fn is_tag(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '′' | '\'' | '*');
    inner.len() <= 8 && inner.chars().any(|sign| sign.is_ascii_digit()) && inner.chars().all(is_sign)
}

/// The punctuation at the end of a word that has more.
fn punctuation(text: &str) -> String {
    let stem = text.trim_end_matches([',', '.', ';', ':']);
    let is_leader = text.ends_with("..");
    let tail = text.strip_prefix(stem).unwrap_or_default();
    if stem.is_empty() && text.chars().count() > 1 || is_leader { String::new() } else { tail.to_owned() }
}

/// Whether a word is an operator or a bracket of something high.
fn is_large(word: &Word) -> bool {
    is_high(word) || word.text.chars().any(takes_limits)
}

/// Whether a word is a large operator.
fn is_sum(word: &Word) -> bool {
    is_large_form(word) || word.text.chars().any(takes_limits)
}

fn is_high(word: &Word) -> bool {
    has_ink(word) && word.bounds.height() > HIGH_EM * word.size
}
