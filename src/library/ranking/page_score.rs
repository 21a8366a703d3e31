//! What the text of a page adds to its score: phrases, nearness, headings and the lines at its top.

use std::collections::BTreeSet;

use super::matches::{Match, Matcher, WordMemory};
use super::query::{Query, QueryKind, QueryTerm};
use super::{saturated, to_float};
use crate::analysis::{LineKind, Stemmer, TokenKind, marked_lines, token_places};
use crate::index::StoredPage;

/// Weights of a ranking. Chosen by `benches/README.md`, "Ranked search".
#[derive(Debug, Clone, Copy)]
struct Weights {
    /// The cover of the document, and the pages beside it.
    around: f32,
    /// The words of the text, by how often they stand there.
    text: f32,
    /// Terms that stand near each other.
    near: f32,
    /// Terms in the order of the query, side by side.
    phrase: f32,
    /// A title or a heading that is the query.
    heading: f32,
    /// Terms in the first lines of the page.
    top: f32,
    /// A page of numbers.
    figures: f32,
    /// A page that the query names.
    named: f32,
    /// A line that looks like a heading, against a title of the outline.
    heading_line: f32,
    /// A term of which only another form stands there.
    inexact: f32,
    /// A term in a line that repeats.
    running: f32,
    /// A page that lists titles.
    contents: f32,
    /// The power of the share of the query that stands on the page.
    coverage: f32,
}

/// Of keywords, which the page that is looked for has close together.
const KEYWORDS: Weights = Weights {
    around: 2.0,
    text: 0.4,
    near: 3.5,
    phrase: 0.5,
    heading: 0.95,
    top: 0.07,
    figures: 0.0,
    named: 3.0,
    heading_line: 0.8,
    inexact: 0.7,
    running: 0.4,
    contents: 0.32,
    coverage: 0.25,
};

/// Of a question, whose words are not those of the page that answers it: how often they stand there tells more.
const QUESTION: Weights = Weights { text: 0.6, top: 0.15, ..KEYWORDS };

/// Of a question that a number answers: tables have it, and the lines above them say what they are.
const FIGURE: Weights = Weights { top: 0.5, figures: 0.5, ..QUESTION };

/// Words within which terms count as near each other.
const REACH: u32 = 48;

/// Matches that are compared with one match.
const MAX_NEAR_MATCHES: usize = 64;

/// Words of the longest phrase.
const MAX_PHRASE: i64 = 24;

/// Matches of one page that are looked at.
const MAX_MATCHES: usize = 4000;

/// Lines at the top of a page that tell what it is about.
const TOP_LINES: usize = 4;

/// Words with digits on a page that is all numbers.
const PAGE_OF_FIGURES: u32 = 100;

/// A page whose text was read.
pub(super) struct PageToScore<'a> {
    pub(super) stored: &'a StoredPage,
    pub(super) stemmer: &'a Stemmer,
    /// What each term weighs in its document.
    pub(super) weights: &'a [f32],
    /// What is around it adds.
    pub(super) around: f32,
    /// Its length against that of the middling page.
    pub(super) length: f32,
    /// The page, from 0.
    pub(super) page: u32,
}

/// The score of a page, and the part of its text that answers best.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassageScore {
    pub(super) score: f32,
    /// Bytes of the text.
    pub(super) place: Option<(usize, usize)>,
}

/// Scores pages for one query.
pub(super) struct Rescorer<'a> {
    query: &'a Query,
    matcher: Matcher<'a>,
    weights: &'static Weights,
    /// The sum of the weights of the query's terms, and of their roots.
    total: f32,
    roots: f32,
}

impl<'a> Rescorer<'a> {
    pub(super) fn new(query: &'a Query, weights: &[f32]) -> Self {
        let total = weights.iter().sum::<f32>().max(0.001);
        let roots = weights.iter().map(|weight| weight.sqrt()).sum::<f32>().max(0.001);
        let weights = match query.kind {
            QueryKind::Keywords => &KEYWORDS,
            QueryKind::Question => &QUESTION,
            QueryKind::Figure => &FIGURE,
        };
        Self { query, matcher: Matcher::new(&query.terms), weights, total, roots }
    }

    fn terms(&self) -> &'a [QueryTerm] {
        &self.query.terms
    }

    pub(super) fn score(&self, page: &PageToScore<'_>, memory: &mut WordMemory) -> PassageScore {
        let weights = self.weights;
        let lines = Lines::of(&page.stored.text);
        let mut found = self.matcher.find(&page.stored.text, page.stemmer, memory);
        found.truncate(MAX_MATCHES);
        let scoring = Scoring { rescorer: self, page, lines: &lines, found: &found };
        let (near, place) = scoring.nearness();
        let factor = if page.stored.is_contents { weights.contents } else { 1.0 };
        let text = weights.text * scoring.text() + weights.near * near;
        let order = weights.phrase * scoring.phrase();
        let titles = weights.heading * scoring.heading(memory);
        let figures = weights.figures * self.total * figures(&page.stored.text);
        let score = weights.around * page.around + text + order + self.total * titles + weights.top * scoring.top();
        let score = (score + figures) * factor * scoring.coverage().powf(weights.coverage);
        let named = if self.is_named(page) { weights.named * self.total } else { 0.0 };
        PassageScore { score: score + named, place }
    }

    /// Whether the query names the page, by its number or its label.
    fn is_named(&self, page: &PageToScore<'_>) -> bool {
        self.query.page.is_some_and(|number| number == page.page + 1 || page.stored.label == number.to_string())
    }
}

/// How much of a page is numbers: from 0 to 1, which it is from [`PAGE_OF_FIGURES`] words with digits on.
fn figures(text: &str) -> f32 {
    let words = text.split_whitespace().filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    let count = words.zip(0..PAGE_OF_FIGURES).count();
    to_float(u32::try_from(count).unwrap_or(PAGE_OF_FIGURES)) / to_float(PAGE_OF_FIGURES)
}

/// The lines of a page.
struct Lines {
    lines: Vec<(LineKind, usize, usize)>,
    /// Where the lines at the top end.
    top: usize,
}

impl Lines {
    fn of(text: &str) -> Self {
        let lines = marked_lines(text).filter(|(_, start, end)| start < end).collect::<Vec<_>>();
        let own = lines.iter().filter(|(kind, _, _)| *kind != LineKind::Running);
        let top = own.take(TOP_LINES).last().map_or(0, |(_, _, end)| *end);
        Self { lines, top }
    }

    fn kind_at(&self, place: usize) -> LineKind {
        let line = self.lines.partition_point(|(_, _, end)| *end <= place);
        self.lines.get(line).map_or(LineKind::Text, |(kind, _, _)| *kind)
    }
}

/// A page while it is scored.
struct Scoring<'a> {
    rescorer: &'a Rescorer<'a>,
    page: &'a PageToScore<'a>,
    lines: &'a Lines,
    found: &'a [Match],
}

impl Scoring<'_> {
    fn weight(&self, term: usize) -> f32 {
        self.page.weights.get(term).copied().unwrap_or(0.0)
    }

    fn blank(&self) -> Vec<f32> {
        vec![0.0; self.rescorer.terms().len()]
    }

    /// The weights of the terms, by how often they stand in the text.
    fn text(&self) -> f32 {
        let mut counts = self.blank();
        for one in self.found {
            let line = if self.lines.kind_at(one.start) == LineKind::Running { KEYWORDS.running } else { 1.0 };
            if let Some(count) = counts.get_mut(one.term) {
                *count += line * exactness(one);
            }
        }
        let added = counts.iter().zip(self.page.weights).filter(|(count, _)| **count > 0.0);
        added.map(|(count, weight)| weight * saturated(*count, self.page.length)).sum()
    }

    /// The share of the query that stands on the page.
    fn coverage(&self) -> f32 {
        let best = self.best_forms(self.found.iter());
        let held = best.iter().zip(self.page.weights).map(|(best, weight)| best * weight.sqrt()).sum::<f32>();
        (held / self.rescorer.roots).min(1.0)
    }

    /// For each term: 1 if the word stands there, less for another form, 0 for none.
    fn best_forms<'m>(&self, found: impl Iterator<Item = &'m Match>) -> Vec<f32> {
        let mut best = self.blank();
        for one in found {
            if let Some(best) = best.get_mut(one.term) {
                *best = best.max(exactness(one));
            }
        }
        best
    }

    fn sum_of<'m>(&self, found: impl Iterator<Item = &'m Match>) -> f32 {
        self.best_forms(found).iter().zip(self.page.weights).map(|(best, weight)| best * weight).sum()
    }

    /// The weights of the terms in the first lines.
    fn top(&self) -> f32 {
        let is_top = |one: &&Match| one.start < self.lines.top && self.lines.kind_at(one.start) != LineKind::Running;
        self.sum_of(self.found.iter().filter(is_top))
    }

    /// How much the best heading of the page is the query.
    fn heading(&self, memory: &mut WordMemory) -> f32 {
        let mut best = 0.0_f32;
        for title in &self.page.stored.begins {
            let found = self.rescorer.matcher.find(title, self.page.stemmer, memory);
            best = best.max(self.likeness(title, &found));
        }
        let headings = self.lines.lines.iter().filter(|(kind, _, _)| *kind == LineKind::Heading);
        for (_, start, end) in headings.filter(|_| !self.page.stored.is_contents) {
            let from = self.found.partition_point(|one| one.start < *start);
            let to = self.found.partition_point(|one| one.start < *end);
            let found = self.found.get(from..to).unwrap_or_default();
            if !found.is_empty() {
                let heading = self.page.stored.text.get(*start..*end).unwrap_or_default();
                best = best.max(KEYWORDS.heading_line * self.likeness(heading, found));
            }
        }
        best
    }

    /// How much a heading is the query: 1 if both have the same words.
    fn likeness(&self, heading: &str, found: &[Match]) -> f32 {
        let covered = self.sum_of(found.iter()) / self.rescorer.total;
        let mut words = 0;
        token_places(heading, |place| {
            words += u32::from(!matches!(place.kind, TokenKind::Piece | TokenKind::Compound));
        });
        let matched = found.iter().map(|one| one.position).collect::<BTreeSet<_>>().len();
        let matched = u32::try_from(matched).unwrap_or(u32::MAX);
        covered * covered * (0.3 + 0.7 * (to_float(matched) / to_float(words.max(1))).min(1.0))
    }

    /// The weight of the terms that stand close together, and where.
    fn nearness(&self) -> (f32, Option<(usize, usize)>) {
        let mut best = (0.0_f32, None);
        let mut window = Window { values: self.blank(), forms: self.blank() };
        for (at, first) in self.found.iter().enumerate() {
            let (mut sum, mut share) = (0.0_f32, 0.0_f32);
            window.clear();
            let near = self.found.iter().skip(at).take(MAX_NEAR_MATCHES);
            for one in near.take_while(|one| one.position.saturating_sub(first.position) <= REACH) {
                let weight = self.weight(one.term);
                let Some((value, form)) = window.add(one, first.position, weight) else { continue };
                sum += value;
                share += form * weight.sqrt() / self.rescorer.roots;
                if sum * share > best.0 {
                    best = (sum * share, Some((first.start, one.end)));
                }
            }
        }
        best
    }

    /// The weight of the words that stand in the text as in the query, in order and side by side.
    fn phrase(&self) -> f32 {
        let best = self.found.iter().enumerate().map(|(at, first)| self.phrase_from(first, at + 1));
        best.fold(0.0, f32::max)
    }

    fn phrase_from(&self, first: &Match, next: usize) -> f32 {
        let position = |term: usize| self.rescorer.terms().get(term).map_or(0, |term| term.position);
        let begin = position(first.term);
        let (mut sum, mut last) = (0.0, begin);
        for one in self.found.iter().skip(next).take(MAX_NEAR_MATCHES) {
            let in_text = i64::from(one.position) - i64::from(first.position);
            if in_text > MAX_PHRASE {
                break;
            }
            let in_query = position(one.term);
            if in_text == i64::from(in_query) - i64::from(begin) && in_query > last {
                let pair = self.weight(one.term) + if last == begin { self.weight(first.term) } else { 0.0 };
                sum += pair / to_float(in_query - last);
                last = in_query;
            }
        }
        sum
    }
}

fn exactness(one: &Match) -> f32 {
    if one.is_exact { 1.0 } else { KEYWORDS.inexact }
}

/// The best match of each term near a place.
struct Window {
    values: Vec<f32>,
    forms: Vec<f32>,
}

impl Window {
    fn clear(&mut self) {
        self.values.fill(0.0);
        self.forms.fill(0.0);
    }

    /// Adds a match. Returns what it adds to the best value and the best form of its term, if anything.
    fn add(&mut self, one: &Match, first: u32, weight: f32) -> Option<(f32, f32)> {
        let (value, form) = (self.values.get_mut(one.term)?, self.forms.get_mut(one.term)?);
        let closeness = 1.0 / (1.0 + to_float(one.position.saturating_sub(first)) / 24.0);
        let (new_form, new_value) = (exactness(one), weight * closeness * exactness(one));
        let gain = ((new_value - *value).max(0.0), (new_form - *form).max(0.0));
        *value = value.max(new_value);
        *form = form.max(new_form);
        (gain.0 > 0.0 || gain.1 > 0.0).then_some(gain)
    }
}
