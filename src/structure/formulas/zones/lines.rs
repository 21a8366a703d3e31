//! The lines of a page, as formulas need them: what a fraction or an exponent broke off is part of its line again.

use super::{Finder, LEVEL_EM, MAX_NEIGHBOURS, Nature, TEXT_INDENT_EM, is_tag};
use crate::formulas::symbols::{has_ink, is_accented};
use crate::measures::SCRIPT_SIZE;
use pagewise_text::{Bounds, Script, Word};
use std::ops::Range;

/// The rest of a broken line is one of so many next ones, begins so far before the end of its start, in ems, or after it,
/// and stands on the same baseline.
const MAX_BREAKS: usize = 6;
const REST_OVERLAP_EM: f32 = 3.0;
const REST_GAP_EM: f32 = 0.8;
/// Maximum words of prose of a displayed formula; its distance from lines of text, and between its left and right margin, in
/// ems.
const MAX_PROSE: usize = 4;
const APART_EM: f32 = 8.0;
const CENTRED_EM: f32 = 5.0;

impl Finder<'_> {
    pub(super) fn add_lines(&mut self) {
        let mut first = 0;
        for own in self.page.words.chunk_by(stand_together) {
            self.push_line(self.line(first, own));
            first += own.len();
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

    /// The line of words of which the first has this place.
    fn line(&self, first: usize, own: &[Word]) -> Line {
        let natures = self.natures.get(first..first + own.len()).unwrap_or_default();
        let prose = || own.iter().zip(natures).filter(|(_, nature)| **nature == Nature::Prose).map(|(word, _)| word);
        let size = own.iter().map(|word| word.size).fold(0.0, f32::max);
        // The accent of a letter stands above its baseline.
        let mut full = own.iter().filter(|word| !has_ink(word) && !is_accented(&word.text));
        let first_full = full.clone().find(|word| word.script == Script::Baseline).or_else(|| full.next());
        let baseline = prose().next().or(first_full).map_or(0.0, |word| word.baseline);
        let bounds = Bounds::around(own.iter().map(|word| word.bounds));
        let are = |has_style: fn(&Word) -> bool| 2 * prose().filter(|word| has_style(word)).count() > prose().count();
        Line {
            words: (first..first + own.len()).collect(),
            bounds,
            size,
            baseline,
            has_prose: prose().next().is_some(),
            is_set_apart: false,
            is_italic: are(|word| word.is_italic),
            is_bold: are(|word| word.is_bold),
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
        let own = Bounds::around(own.map(|word| word.bounds));
        let [above, below] = [-APART_EM, APART_EM].map(|distance| line.baseline + distance * em);
        self.is_centred(own, above..below, em)
    }

    pub(super) fn is_centred_below_text(&self, own: Bounds, em: f32) -> bool {
        self.is_centred(own, own.y0 - APART_EM * em..own.y0, em)
    }

    /// Whether a box is centred between the margins of a line of text with its baseline in `baselines`.
    fn is_centred(&self, own: Bounds, baselines: Range<f32>, em: f32) -> bool {
        let from = self.texts.partition_point(|at| self.baseline(*at) < baselines.start);
        let near = self.texts.iter().skip(from).take(MAX_NEIGHBOURS).filter_map(|at| self.lines.get(*at));
        let mut near = near.take_while(|other| other.baseline < baselines.end);
        near.any(|text| {
            let (left, right) = (own.x0 - text.bounds.x0, text.bounds.x1 - own.x1);
            left > TEXT_INDENT_EM * em && right > TEXT_INDENT_EM * em && (left - right).abs() < CENTRED_EM * em
        })
    }

    /// Appends a line. It may be the rest of an earlier one, which an index below an exponent or part of a fraction interrupted.
    fn push_line(&mut self, line: Line) {
        let mut right = f32::NEG_INFINITY;
        for start in self.lines.iter_mut().rev().take(MAX_BREAKS) {
            let em = start.size.max(line.size);
            let is_level = line.baseline > 0.0 && (line.baseline - start.baseline).abs() < LEVEL_EM * em;
            let gap = line.bounds.x0 - start.bounds.x1.max(right);
            if is_level && line.bounds.x0 > start.bounds.x1 - REST_OVERLAP_EM * em && gap < REST_GAP_EM * em {
                start.words.extend(line.words);
                start.bounds = start.bounds.union(line.bounds);
                start.size = start.size.max(line.size);
                if !start.has_prose {
                    (start.is_italic, start.is_bold) = (line.is_italic, line.is_bold);
                }
                start.has_prose |= line.has_prose;
                return;
            }
            // What stands above or below the line fills its gap.
            right = if start.has_prose { right } else { right.max(start.bounds.x1) };
        }
        self.lines.push(line);
    }
}

/// Whether a word stands on the line of the one before, or is a script of a script. Before a word on another baseline stand the words
/// of the lower side of a fraction, or an accent.
fn stand_together(one: &Word, next: &Word) -> bool {
    let is_level = (one.baseline - next.baseline).abs() < LEVEL_EM * one.size.max(next.size);
    let is_script = one.script != Script::Baseline && next.size < SCRIPT_SIZE * one.size;
    one.line == next.line && (is_level || is_script)
}

/// A line of the page's text.
pub(super) struct Line {
    pub(super) words: Vec<usize>,
    pub(super) bounds: Bounds,
    pub(super) size: f32,
    /// That of its first word of text, else of its first word.
    pub(super) baseline: f32,
    pub(super) has_prose: bool,
    /// Whether it is a displayed formula with words.
    pub(super) is_set_apart: bool,
    /// Whether its words are italic, so that italics are no evidence of a variable.
    pub(super) is_italic: bool,
    /// Whether its words are bold.
    pub(super) is_bold: bool,
}
