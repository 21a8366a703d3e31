//! Formulas as LaTeX, from the places of their words and rules.
//!
//! 1. `zones` finds the words of each formula: a run within a line of text, or a cluster that stands alone.
//! 2. `symbols` turns these words and the rules beside them into symbols.
//! 3. `parse` finds scripts, fractions, roots, limits and matrices by the places of the symbols. `latex` writes characters.
//!
//! A formula whose places are ambiguous stays text.

mod latex;
mod names;
mod parse;
mod symbols;
mod zones;

use super::page_structure::{Formula, LineWord, Style};
use pagewise_text::{Bounds, PageLayout, Rule, Word};

/// A formula of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundFormula {
    /// Its words, indices into those of the page, ascending.
    pub(crate) words: Vec<usize>,
    pub(crate) bounds: Bounds,
    pub(crate) baseline: f32,
    pub(crate) formula: Formula,
    /// Its words as text.
    text: String,
    /// The brackets before it, and the punctuation and the number after it, which are text.
    head: String,
    tail: String,
    tag: String,
}

impl FoundFormula {
    pub(crate) fn has_fraction(&self) -> bool {
        self.formula.latex.contains("\\frac")
    }

    /// The word that stands for it on its line, and the text that touches it.
    pub(crate) fn line_words(&self, page: &PageLayout) -> Vec<(LineWord, f32)> {
        let own = || self.words.iter().filter_map(|index| page.words.get(*index));
        let Some(first) = own().next() else { return Vec::new() };
        // Operators and accents may be larger than the letters beside them.
        let letters = own().filter(|word| word.text.contains(char::is_alphanumeric));
        let largest = letters.max_by(|a, b| a.size.total_cmp(&b.size)).unwrap_or(first);
        let style = Style { is_bold: false, is_italic: false, is_monospace: false, ..Style::of(largest) };
        let (bounds, is_spaced) = (self.bounds, first.is_spaced);
        let touching = |text: &str, x0: f32, x1: f32| {
            let (text, bounds) = (text.to_owned(), Bounds { x0, x1, ..bounds });
            LineWord { text, bounds, style, ..LineWord::default() }
        };
        let head = LineWord { is_spaced, ..touching(&self.head, bounds.x0, bounds.x0) };
        let formula = Some(Box::new(self.formula.clone()));
        let is_spaced = is_spaced && head.text.is_empty();
        let word = LineWord { formula, is_spaced, ..touching(&self.text, bounds.x0, bounds.x1) };
        let tail = touching(&self.tail, bounds.x1, bounds.x1);
        let tag = LineWord { is_spaced: true, ..touching(&self.tag, bounds.x1, bounds.x1) };
        let words = [head, word, tail, tag].into_iter().filter(|word| !word.text.is_empty());
        words.map(|word| (word, self.baseline)).collect()
    }
}

/// The formulas of a page outside its tables.
pub(crate) fn find(page: &PageLayout, tables: &[Bounds]) -> Vec<FoundFormula> {
    zones::find(page, tables, |zone| read(page, zone))
}

/// What stands above and below each rule that looks like that of a fraction, whether its formula can be read or not.
pub(crate) fn fractions(page: &PageLayout) -> Vec<[Bounds; 2]> {
    zones::fractions(page)
}

/// The text of a word beside formulas: a letter of a calligraphic, double-struck or Fraktur alphabet is one there too. `None`
/// if it is that of the page.
pub(crate) fn letters_of(word: &Word) -> Option<String> {
    let is_letter = word.text.chars().filter(|sign| sign.is_alphabetic()).count() == 1;
    latex::in_alphabet(&word.text, word.math).filter(|_| is_letter)
}

/// Reads a zone; `None` if the places of its symbols do not decide it.
fn read(page: &PageLayout, zone: &zones::Zone) -> Option<FoundFormula> {
    let rules = zone.rules.iter().filter_map(|index| page.rules.get(*index)).map(|Rule { bounds, .. }| *bounds);
    let symbols = symbols::of_words(page, zone, rules);
    let read = parse::read(symbols)?;
    // A dollar after a space closes no formula.
    let latex = read.latex.trim_end().to_owned();
    let mut text = String::new();
    for (index, word) in zone.words.iter().filter_map(|index| Some((*index, page.words.get(*index)?))) {
        text.push_str(if word.is_spaced && !text.is_empty() { " " } else { "" });
        text.push_str(zone.text(index, word));
    }
    let tag = zone.tag.and_then(|tag| page.words.get(tag));
    let bounds = tag.map_or(zone.bounds, |tag| zone.bounds.union(tag.bounds));
    let tag = tag.map(|tag| tag.text.clone()).unwrap_or_default();
    let mut words = zone.words.clone();
    words.extend(zone.tag);
    words.sort_unstable();
    let formula = Formula { latex, is_displayed: zone.is_displayed };
    let of = |end: &Option<(usize, String)>| end.as_ref().map(|(_, text)| text.clone()).unwrap_or_default();
    let (head, tail) = (of(&zone.head), of(&zone.tail));
    Some(FoundFormula { words, bounds, baseline: zone.baseline, formula, text, head, tail, tag })
}

#[cfg(test)]
mod tests;
