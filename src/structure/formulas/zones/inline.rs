//! Finds formulas within lines of text: consecutive words of a line, with the scripts, limits and rules above and below.

use super::fractions::Fraction;
use super::natures::has_letter;
use super::{Finder, Line, MAX_NEIGHBOURS, MAX_PARTS, Nature, Zone, is_sum, punctuation};
use crate::formulas::names::{is_function, is_math_letter, joins_terms, relates};
use crate::formulas::parse::MAX_SYMBOLS;
use crate::formulas::symbols::{is_accent, is_accented};
use crate::list_marks::is_bullet;
use pagewise_text::{Bounds, MathFont, Script, Word};

/// Maximum words of a line that stands within another.
const MAX_STRAYS: usize = 12;
/// Words of a run within a line of text stand no further apart, in ems.
const RUN_GAP_EM: f32 = 1.0;
/// Where no space is between them, a script on a baseline of its own may be.
const TOUCHING_GAP_EM: f32 = 2.0;
/// A root, an operator or a part of a small fraction within a line of text has its middle so far above and below the
/// baseline, in ems, and begins so near to the line's own words.
const STRAY_EM: (f32, f32) = (1.1, 0.6);
const STRAY_GAP_EM: f32 = 0.4;
/// What belongs to a fraction within a line stands beside it within so many ems. A relation has .28 em of space.
const FRACTION_GAP_EM: f32 = 0.6;
/// Maximum characters of a run that are looked at for a sign that joins terms.
const MAX_EXPRESSION: usize = 200;

impl Finder<'_> {
    pub(super) fn push_inline(&self, zones: &mut Vec<Zone>, taken: &mut [bool]) {
        let is_text = |(at, line): &(usize, &Line)| {
            line.has_prose
                || self.continues_text(line.bounds, line.baseline, line.size)
                || self.fractions.iter().any(|fraction| fraction.line == *at)
        };
        for at in self.fractions.iter().flat_map(|fraction| &fraction.words) {
            taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true);
        }
        let (texts, others): (Vec<_>, Vec<_>) = self.lines.iter().enumerate().partition(is_text);
        let strays = self.strays(&others, &texts, taken);
        for (place, line) in texts {
            let mut run: Vec<usize> = Vec::new();
            for (nth, at) in self.line_parts(place).into_iter().enumerate() {
                let is_bullet = nth == 0 && self.word(at).is_some_and(|word| is_bullet(&word.text));
                let is_term = self.is_free(at, taken) && self.nature(at) != Nature::Prose && !is_bullet;
                let is_part = self.fraction(at).is_some() || is_term;
                if !is_part || !self.goes_on(&run, at) {
                    self.push_run(std::mem::take(&mut run), line, &strays, zones, taken);
                }
                if is_part {
                    run.push(at);
                }
            }
            self.push_run(run, line, &strays, zones, taken);
        }
    }

    /// Whether a word goes on with a run: near, and not after a space between two terms.
    fn goes_on(&self, run: &[usize], at: usize) -> bool {
        let Some(before) = run.last().copied() else { return true };
        if self.fraction(before).is_some() || self.fraction(at).is_some() {
            return !self.ends_sentence(run) && self.is_beside_fraction(before, at);
        }
        let (Some(last), Some(next)) = (self.word(before), self.word(at)) else { return true };
        let gap = next.bounds.x0 - last.bounds.x1;
        let joins = |sign: Option<char>| {
            sign.is_some_and(|sign| joins_terms(sign) || matches!(sign, ',' | '.' | '(' | '[' | '{' | '…'))
        };
        // Limits come after their operator, or without it, before what it stands before.
        let mut words = run.iter().rev().take(MAX_STRAYS + 1).map(|at| self.word(*at));
        let is_limit = match words.find(|word| word.is_none_or(|word| word.script == Script::Baseline)) {
            Some(host) => host.is_some_and(is_sum),
            None => run.len() <= MAX_STRAYS,
        };
        // A number in brackets after a space is a reference.
        let is_number = next.text.len() > 1
            && next.text.trim_start_matches(['(', '[']).starts_with(|sign: char| sign.is_ascii_digit());
        let is_reference = next.is_spaced && next.text.starts_with(['(', '[']) && (is_number || self.opens_number(at));
        if is_reference && !joins(last.text.chars().last()) {
            return false;
        }
        if next.is_spaced && self.ends_sentence(run) && !next.text.starts_with(['.', '…']) {
            return false;
        }
        let is_joined = is_limit
            || is_accent(last)
            || is_accent(next)
            || !next.is_spaced
            || next.script != Script::Baseline
            || joins(last.text.chars().last())
            || joins(next.text.chars().next())
            || next.text.starts_with([')', ']', '}'])
            || is_name(&last.text)
            || is_name(&next.text);
        let reach = if next.is_spaced { RUN_GAP_EM } else { TOUCHING_GAP_EM };
        is_joined && gap < reach * last.size.max(next.size) && gap > -3.0 * last.size
    }

    /// Whether two parts of a line, one of them a fraction, touch each other.
    fn is_beside_fraction(&self, before: usize, at: usize) -> bool {
        let (Some(last), Some(next)) = (self.part_bounds(before), self.part_bounds(at)) else { return false };
        let em = [before, at].into_iter().filter_map(|at| self.word(at)).map(|word| word.size).fold(0.0, f32::max);
        let em = if em > 0.0 { em } else { last.height().min(next.height()) / 2.0 };
        (-0.2 * em..FRACTION_GAP_EM * em).contains(&(next.x0 - last.x1))
    }

    /// Whether the stop at the end of a run is that of a sentence, and not one of several dots.
    fn ends_sentence(&self, run: &[usize]) -> bool {
        let last = |back: usize| run.len().checked_sub(back).and_then(|at| run.get(at)).and_then(|at| self.word(*at));
        let is_dots = |word: &Word| word.text.ends_with("..") || word.text == ".";
        let Some(word) = last(1).filter(|word| word.text.ends_with('.') && !word.text.ends_with("..")) else {
            return false;
        };
        word.text != "." || !last(2).is_some_and(is_dots)
    }

    /// Whether a word is an opening bracket, and a number touches it.
    fn opens_number(&self, at: usize) -> bool {
        let next = self.word(at + 1).filter(|next| !next.is_spaced && next.script == Script::Baseline);
        let is_bracket = self.word(at).is_some_and(|word| matches!(word.text.as_str(), "(" | "["));
        is_bracket && next.is_some_and(|next| next.text.starts_with(|sign: char| sign.is_ascii_digit()))
    }

    /// The words of short lines without prose, which may stand within lines of text, and the accents of these, by height.
    fn strays(&self, lines: &[(usize, &Line)], texts: &[(usize, &Line)], taken: &[bool]) -> Vec<usize> {
        let own = lines.iter().filter(|(_, line)| line.words.len() <= MAX_STRAYS).flat_map(|(_, line)| &line.words);
        let accents =
            texts.iter().flat_map(|(_, line)| &line.words).filter(|at| self.word(**at).is_some_and(is_accent));
        let mut strays: Vec<usize> =
            own.chain(accents).copied().filter(|at| self.is_free(*at, taken)).take(MAX_PARTS).collect();
        let middle = |at: &usize| self.word(*at).map_or(0.0, |word| word.bounds.center().1);
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
        let own = |run: &[usize]| Bounds::around(run.iter().filter_map(|at| self.part_bounds(*at)));
        let (size, baseline) = (line.size, line.baseline);
        let bounds = own(&run);
        let mut strays = self.strays_beside(bounds, line, strays, taken);
        // The accents of the run itself are strays of its line too.
        strays.retain(|at| !run.contains(at));
        let mut rules = self.rules_above(bounds, line);
        let fractions: Vec<&Fraction> = run.iter().filter_map(|at| self.fraction(*at)).collect();
        let has_both_sides = || {
            let mut strays = strays.clone();
            strays.sort_by(|a, b| self.left(*a).total_cmp(&self.left(*b)));
            let brackets = self.unmatched(&strays, 0);
            brackets.opening.is_empty() && brackets.closing.is_empty()
        };
        if !fractions.is_empty() && !has_both_sides() {
            // High brackets around fractions of which the run has one side alone.
            strays.retain(|at| self.word(*at).is_some_and(|word| !word.text.contains(BRACKETS)));
        }
        rules.extend(fractions.iter().map(|fraction| fraction.rule));
        let own = || run.iter().filter_map(|at| self.word(*at));
        let is_raised = |word: &Word| word.script != Script::Baseline || is_accented(&word.text);
        let text: String = own().map(|word| word.text.as_str()).collect();
        let has_structure = !strays.is_empty()
            || !rules.is_empty()
            || own().any(is_raised)
            || joins(text.get(head.len()..).unwrap_or_default());
        let is_formula = !rules.is_empty() || run.iter().any(|at| self.is_variable(*at, line));
        if !has_structure || !is_formula {
            return;
        }
        let head = run.first().copied().filter(|_| !head.is_empty()).map(|first| (first, head));
        let tail = run.last().copied();
        run.retain(|at| self.fraction(*at).is_none());
        run.extend(strays);
        let divided = || fractions.iter().flat_map(|fraction| fraction.words.iter().copied());
        run.extend(divided());
        let mut prose: Vec<usize> = divided().filter(|at| self.nature(*at) == Nature::Prose).collect();
        prose.sort_unstable();
        run.sort_unstable();
        let x = Bounds::around(run.iter().filter_map(|at| self.word(*at)).map(|word| word.bounds));
        let tail = tail.and_then(|at| Some((at, self.word(at)?)));
        let tail = tail.filter(|(_, word)| word.bounds.x1 >= x.x1).map(|(at, word)| (at, punctuation(&word.text)));
        let bounds = Bounds { x0: x.x0, x1: x.x1, y0: baseline - 0.8 * size, y1: baseline + 0.2 * size };
        run.iter().for_each(|at| taken.iter_mut().skip(*at).take(1).for_each(|taken| *taken = true));
        zones.push(Zone { words: run, prose, rules, tag: None, bounds, baseline, is_displayed: false, head, tail });
    }

    /// The strays that stand above or below a run of a line, or touch it.
    fn strays_beside(&self, run: Bounds, line: &Line, strays: &[usize], taken: &[bool]) -> Vec<usize> {
        let (size, baseline) = (line.size, line.baseline);
        let (top, bottom) = (baseline - STRAY_EM.0 * size, baseline + STRAY_EM.1 * size);
        let middle = |at: usize| self.word(at).map_or(0.0, |word| word.bounds.center().1);
        let from = strays.partition_point(|at| middle(*at) < top);
        let near = strays.iter().skip(from).copied().take_while(|at| middle(*at) <= bottom).take(MAX_NEIGHBOURS);
        let is_near = |at: &usize| {
            self.word(*at).is_some_and(|word| {
                taken.get(*at) == Some(&false)
                    && word.bounds.x0 < run.x1 + STRAY_GAP_EM * size
                    && run.x0 - STRAY_GAP_EM * size < word.bounds.x1
            })
        };
        near.filter(is_near).collect()
    }

    fn left(&self, word: usize) -> f32 {
        self.word(word).map_or(0.0, |word| word.bounds.x0)
    }

    /// The rules within the height of a line, between the ends of a run of it.
    fn rules_above(&self, run: Bounds, line: &Line) -> Vec<usize> {
        let (size, baseline) = (line.size, line.baseline);
        let is_over = |rule: Bounds| rule.x0 > run.x0 - 0.3 * size && rule.x1 < run.x1 + 0.3 * size;
        // The rule of a root is as high as its sign.
        let top = f32::min(baseline - 1.1 * size, run.y0 - 0.1 * size);
        let near = self.rules_between(top, baseline - 0.1 * size);
        let is_free = |at: &usize| !self.fractions.iter().any(|fraction| fraction.rule == *at);
        near.filter(|at| is_over(self.rule(*at)) && is_free(at)).collect()
    }

    /// Whether a word of a line is a variable: of a font of formulas, Greek, or an italic letter among upright words.
    fn is_variable(&self, at: usize, line: &Line) -> bool {
        let Some(word) = self.word(at) else { return false };
        let is_italic = word.is_italic && !line.is_italic;
        // A letter may have its accent, which is beyond ASCII.
        let is_letter = word.text.chars().filter(char::is_ascii).nth(1).is_none();
        let is_bold = word.is_bold && !line.is_bold && is_letter;
        word.text.chars().any(is_math_letter)
            || is_accented(&word.text)
            || has_letter(word) && (word.math != MathFont::None || is_italic || is_bold)
    }

    /// Removes what belongs to the sentence around a formula: punctuation at its ends, and brackets without their partner.
    ///
    /// Returns the opening brackets before the first word, and the words from an inner bracket on that is never closed.
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
                let is_bracket = |sign: char| matches!(sign, ')' | ']' | '}' | '.' | ',' | ';' | ':');
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
            } else if let Some(closing) = unmatched.closing.first().filter(|at| rest.is_empty() && **at + 1 < run.len())
            {
                rest = run.split_off(*closing + 1);
            } else {
                return (head, rest);
            }
        }
    }

    /// Whether a rule is right below a word.
    fn is_above_rule(&self, word: &Word) -> bool {
        let (x, y) = (word.bounds.center().0, word.bounds.y1);
        let mut rules = self.rules_between(y - 0.3 * word.size, y + 0.6 * word.size).map(|at| self.rule(at));
        rules.any(|rule| rule.x0 <= x && x <= rule.x1)
    }

    /// The places in a run of the words with brackets whose other sides are not in it. The first so many bytes are no part
    /// of it.
    fn unmatched(&self, run: &[usize], head: usize) -> LooseBrackets {
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut closing: Vec<(usize, char)> = Vec::new();
        for (at, word) in run.iter().enumerate().filter_map(|(at, word)| Some((at, self.word(*word)?))) {
            let own = if at == 0 { word.text.get(head..) } else { Some(word.text.as_str()) };
            for sign in own.unwrap_or_default().chars() {
                match sign {
                    '(' | '[' | '{' | '⌈' | '⌊' => open.push((at, sign)),
                    ')' | ']' | '}' | '⌉' | '⌋' if open.pop().is_none() => closing.push((at, sign)),
                    _ => {}
                }
            }
        }
        // The brackets of an open interval face outwards: `]0, 1[`.
        while let (Some(left), Some(right)) =
            (closing.iter().position(|(_, sign)| *sign == ']'), open.iter().rposition(|(_, sign)| *sign == '['))
        {
            closing.remove(left);
            open.remove(right);
        }
        let places = |brackets: Vec<(usize, char)>| brackets.into_iter().map(|(at, _)| at).collect();
        LooseBrackets { opening: places(open), closing: places(closing) }
    }
}

const BRACKETS: [char; 10] = ['(', '[', '{', '⌈', '⌊', ')', ']', '}', '⌉', '⌋'];

/// Brackets of a run without their other sides.
struct LooseBrackets {
    opening: Vec<usize>,
    closing: Vec<usize>,
}

/// The first `count` signs of a word if they are opening brackets before a letter.
fn opening_brackets(text: &str, count: usize) -> Option<&str> {
    let rest = text.trim_start_matches(['(', '[', '{', '⌈', '⌊']);
    let brackets = text.strip_suffix(rest).filter(|brackets| brackets.chars().count() == count)?;
    (count > 0 && rest.starts_with(char::is_alphabetic)).then_some(brackets)
}

/// Whether a text has two terms that a sign joins, or a function of something.
pub(super) fn joins(text: &str) -> bool {
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

fn is_name(text: &str) -> bool {
    is_function(text.trim_matches(|sign: char| !sign.is_alphabetic()))
}
