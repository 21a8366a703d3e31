//! What the text of a page adds to its score: phrases, nearness, headings and the title.

use std::collections::BTreeSet;

use super::matches::{Match, Matcher, WordMemory};
use super::query::QueryTerm;
use super::weights::{WEIGHTS, to_float};
use crate::analysis::{LineKind, Stemmer, TokenKind, marked_lines, token_places};

/// Words within which terms count as near each other.
const REACH: u32 = 48;

/// Matches that are compared with one match.
const MAX_NEAR_MATCHES: usize = 64;

/// Words of the longest phrase.
const MAX_PHRASE: i64 = 24;

/// Matches of one page that are looked at.
const MAX_MATCHES: usize = 4000;

/// Another form of a word in a heading against the word itself.
const INEXACT_IN_HEADING: f32 = 0.85;

/// A page whose text was read.
pub(crate) struct PageToScore<'a> {
    /// The marked text.
    pub(crate) text: &'a str,
    pub(crate) stemmer: &'a Stemmer,
    pub(crate) is_contents: bool,
    /// Its score from the first stage.
    pub(crate) candidate: f32,
    /// The share of the query that stands in the title of the document.
    pub(crate) title: f32,
}

/// The score of a page, and the part of its text that answers best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassageScore {
    pub(crate) score: f32,
    /// Bytes of the text.
    pub(crate) place: Option<(usize, usize)>,
}

/// Scores pages for one query.
pub(crate) struct Rescorer<'a> {
    terms: &'a [QueryTerm],
    rarities: &'a [f32],
    total: f32,
    roots: f32,
    matcher: Matcher<'a>,
}

impl<'a> Rescorer<'a> {
    pub(crate) fn new(terms: &'a [QueryTerm], rarities: &'a [f32]) -> Self {
        let total = rarities.iter().sum::<f32>().max(0.001);
        let roots = rarities.iter().map(|rarity| rarity.sqrt()).sum::<f32>().max(0.001);
        Self { terms, rarities, total, roots, matcher: Matcher::new(terms) }
    }

    fn rarity(&self, term: usize) -> f32 {
        self.rarities.get(term).copied().unwrap_or(0.0)
    }

    /// The share of the query that stands in a title.
    pub(crate) fn title(&self, title: &str, stemmer: &Stemmer) -> f32 {
        let found = self.matcher.find(title, stemmer, &mut WordMemory::default());
        let held = found.into_iter().map(|one| one.term).collect::<BTreeSet<_>>();
        held.into_iter().map(|term| self.rarity(term)).sum::<f32>() / self.total
    }

    /// The score of a page.
    pub(crate) fn score(&self, page: &PageToScore<'_>, memory: &mut WordMemory) -> PassageScore {
        let mut found = self.matcher.find(page.text, page.stemmer, memory);
        found.truncate(MAX_MATCHES);
        let best = self.best_forms(&found);
        let (near, place) = self.nearness(&found);
        let factor = if page.is_contents { WEIGHTS.contents } else { 1.0 };
        let passages = factor * (WEIGHTS.near * near + WEIGHTS.phrase * self.phrase(&found));
        let headings = WEIGHTS.heading * self.heading(page, &found) + WEIGHTS.title * page.title;
        let score = page.candidate * self.exactness(&best) + passages + self.total * headings;
        PassageScore { score: score * self.coverage(&best).powf(WEIGHTS.coverage), place }
    }

    /// For each term: 1 if the word stands there, less for another form, 0 for none.
    fn best_forms(&self, found: &[Match]) -> Vec<f32> {
        let mut best = vec![0.0_f32; self.terms.len()];
        for one in found {
            if let Some(best) = best.get_mut(one.term) {
                *best = best.max(exactness(one));
            }
        }
        best
    }

    fn exactness(&self, best: &[f32]) -> f32 {
        let held = best.iter().enumerate().filter(|(_, best)| **best > 0.0);
        let (covered, present) = held.fold((0.0, 0.0), |(covered, present), (term, best)| {
            (covered + best * self.rarity(term), present + self.rarity(term))
        });
        if present > 0.0 { covered / present } else { 1.0 }
    }

    fn coverage(&self, best: &[f32]) -> f32 {
        best.iter().zip(self.rarities).map(|(best, rarity)| best * rarity.sqrt()).sum::<f32>() / self.roots
    }

    /// How much the best heading of the page is the query.
    fn heading(&self, page: &PageToScore<'_>, found: &[Match]) -> f32 {
        let mut best = 0.0_f32;
        let mut rest = found;
        for (kind, start, end) in marked_lines(page.text) {
            let before = rest.iter().take_while(|one| one.start < start).count();
            let within = rest.iter().skip(before).take_while(|one| one.start < end).count();
            let (line, after) = rest.get(before..).unwrap_or_default().split_at(within);
            rest = after;
            let weight = match kind {
                LineKind::Outline => 1.0,
                LineKind::Heading if !page.is_contents => WEIGHTS.heading_line,
                _ => continue,
            };
            if !line.is_empty() {
                let heading = page.text.get(start..end).unwrap_or_default();
                best = best.max(weight * self.likeness(heading, line));
            }
        }
        best
    }

    /// How much a heading is the query: 1 if both have the same words.
    fn likeness(&self, heading: &str, found: &[Match]) -> f32 {
        let mut held = vec![0.0_f32; self.terms.len()];
        for one in found {
            if let Some(held) = held.get_mut(one.term) {
                *held = held.max(if one.is_exact { 1.0 } else { INEXACT_IN_HEADING });
            }
        }
        let covered = held.iter().zip(self.rarities).map(|(held, rarity)| held * rarity).sum::<f32>() / self.total;
        let mut words = 0;
        token_places(heading, |place| {
            words += usize::from(!matches!(place.kind, TokenKind::Piece | TokenKind::Compound));
        });
        let matched = found.iter().map(|one| one.position).collect::<BTreeSet<_>>().len();
        covered * covered * (0.3 + 0.7 * (number(matched) / number(words.max(1))).min(1.0))
    }

    /// The weight of the terms that stand close together, and where.
    fn nearness(&self, found: &[Match]) -> (f32, Option<(usize, usize)>) {
        let mut best = (0.0_f32, None);
        let mut window = Window { values: vec![0.0; self.terms.len()], forms: vec![0.0; self.terms.len()] };
        for (at, first) in found.iter().enumerate() {
            let (mut sum, mut share) = (0.0_f32, 0.0_f32);
            window.clear();
            let near = found.iter().skip(at).take(MAX_NEAR_MATCHES);
            for one in near.take_while(|one| one.position.saturating_sub(first.position) <= REACH) {
                let Some((value, form)) = window.add(one, first.position, self.rarity(one.term)) else { continue };
                sum += value;
                share += form * self.rarity(one.term).sqrt() / self.roots;
                let value = sum * share.powf(WEIGHTS.near_coverage);
                if value > best.0 {
                    best = (value, Some((first.start, one.end)));
                }
            }
        }
        best
    }

    /// The weight of the words that stand in the text as in the query, in order and side by side.
    fn phrase(&self, found: &[Match]) -> f32 {
        let best = found.iter().enumerate().map(|(at, first)| self.phrase_from(first, found, at + 1));
        best.fold(0.0, f32::max)
    }

    fn phrase_from(&self, first: &Match, found: &[Match], next: usize) -> f32 {
        let position = |term: usize| self.terms.get(term).map_or(0, |term| term.position);
        let begin = position(first.term);
        let (mut sum, mut last) = (0.0, begin);
        for one in found.iter().skip(next).take(MAX_NEAR_MATCHES) {
            let in_text = i64::from(one.position) - i64::from(first.position);
            if in_text > MAX_PHRASE {
                break;
            }
            let in_query = position(one.term);
            if in_text == i64::from(in_query) - i64::from(begin) && in_query > last {
                let pair = self.rarity(one.term) + if last == begin { self.rarity(first.term) } else { 0.0 };
                sum += pair / to_float(in_query - last);
                last = in_query;
            }
        }
        sum
    }
}

fn exactness(one: &Match) -> f32 {
    if one.is_exact { 1.0 } else { WEIGHTS.inexact }
}

fn number(count: usize) -> f32 {
    to_float(u32::try_from(count).unwrap_or(u32::MAX))
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
    fn add(&mut self, one: &Match, first: u32, rarity: f32) -> Option<(f32, f32)> {
        let (value, form) = (self.values.get_mut(one.term)?, self.forms.get_mut(one.term)?);
        let closeness = 1.0 / (1.0 + to_float(one.position.saturating_sub(first)) / 24.0);
        let (new_form, new_value) = (exactness(one), rarity * closeness * exactness(one));
        let gain = ((new_value - *value).max(0.0), (new_form - *form).max(0.0));
        *value = value.max(new_value);
        *form = form.max(new_form);
        (gain.0 > 0.0 || gain.1 > 0.0).then_some(gain)
    }
}
