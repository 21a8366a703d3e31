//! Horizontal rules between lines: the sides of boxes, and separators.

use crate::page_structure::Line;
use pagewise_text::Bounds;

/// A rule so far below a baseline, in ems, does not underline it.
const UNDERLINE_EM: f32 = 0.3;
/// A rule below the words of a link underlines them if it is nearer than this, in ems.
const LINK_UNDERLINE_EM: f32 = 0.6;
/// A rule so far above a baseline, in ems, does not cross the line.
const HEIGHT_EM: f32 = 0.7;
/// A rule at most so far below a baseline, in ems, is directly below the line.
const NEAR_EM: f32 = 1.5;
/// So many rules between two lines are looked at.
const MAX_RULES: usize = 100;

/// The horizontal rules of a page in the frame of a column, by height.
#[derive(Debug, Default)]
pub(crate) struct Dividers {
    rules: Vec<Bounds>,
}

impl Dividers {
    pub(crate) fn of(rules: impl Iterator<Item = Bounds>) -> Self {
        let mut rules: Vec<Bounds> = rules.collect();
        rules.sort_by(|a, b| a.center().1.total_cmp(&b.center().1));
        Self { rules }
    }

    /// Whether a rule over half the width of the narrower line separates two lines.
    pub(super) fn is_between(&self, above: &Line, below: &Line) -> bool {
        let narrower = if above.bounds.width() < below.bounds.width() { above.bounds } else { below.bounds };
        self.has_rule(above, below.baseline - HEIGHT_EM * below.size, narrower)
    }

    /// Whether a rule over half the width of a line stands directly below it.
    pub(super) fn is_below(&self, line: &Line) -> bool {
        self.has_rule(line, line.baseline + NEAR_EM * line.size, line.bounds)
    }

    fn has_rule(&self, above: &Line, bottom: f32, width: Bounds) -> bool {
        let top = above.baseline + UNDERLINE_EM * above.size;
        let first = self.rules.partition_point(|rule| rule.center().1 < top);
        let mut near = self.rules.iter().skip(first).take_while(|rule| rule.center().1 < bottom).take(MAX_RULES);
        near.any(|rule| 2.0 * rule.shared_width(width) > width.width() && !underlines_link(above, rule))
    }
}

fn underlines_link(line: &Line, rule: &Bounds) -> bool {
    let linked = line.words.iter().filter(|word| word.target.is_some()).map(|word| word.bounds);
    rule.center().1 < line.baseline + LINK_UNDERLINE_EM * line.size
        && Bounds::around(linked).shared_width(*rule) > 0.9 * rule.width()
}
