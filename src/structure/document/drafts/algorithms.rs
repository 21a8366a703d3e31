//! Algorithms: steps between rules, below a label such as `Algorithm 1`. Each step is a line, as in code.

use super::dividers::Dividers;
use crate::caption_label::is_algorithm_label;
use crate::page_structure::Line;

/// The most lines of a label, and of an algorithm.
const MAX_LABEL_LINES: usize = 3;
const MAX_STEPS: usize = 200;

/// For each line of a column whether it is a step of an algorithm.
pub(super) fn steps(lines: &[&Line], dividers: &Dividers) -> Vec<bool> {
    let mut are_steps = vec![false; lines.len()];
    let is_ruled = |at: usize| match (lines.get(at), lines.get(at + 1)) {
        (Some(above), Some(below)) => above.baseline < below.baseline && dividers.is_between(above, below),
        (Some(last), None) => dividers.is_below(last),
        _ => false,
    };
    let is_label = |line: &Line| is_algorithm_label(line.words.iter().map(|word| word.text.as_str()));
    for label in (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| is_label(line))) {
        let Some(head) = (label..label + MAX_LABEL_LINES).find(|at| is_ruled(*at)) else { continue };
        let rules = (head + 1..lines.len()).take(MAX_STEPS).filter(|at| is_ruled(*at));
        // What goes in and what comes out may have rules of its own, above the first step.
        let is_numbered = |at: usize| {
            lines.get(at).and_then(|line| line.words.first()).is_some_and(|word| word.text.starts_with('1'))
        };
        let Some(end) = rules.clone().find(|at| !is_numbered(at + 1)) else { continue };
        are_steps.iter_mut().take(end + 1).skip(head + 1).for_each(|is_step| *is_step = true);
    }
    are_steps
}
