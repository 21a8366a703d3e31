//! Text whose columns are kept by spaces, as in print.

use super::layout::{HasPlace, WordPlace, push_run, rows_of};
use super::page_layout::Bounds;
use super::page_words::{PageWords, PlacedWord};
use pagewise_base::script::{is_right_to_left, runs_left};

/// This share of the words is set more tightly than the grid.
const TIGHT_SHARE: usize = 4;

/// Words nearer than this share of an em are of one text, whose words are a space apart whatever their size.
const WORD_SPACE_EM: f32 = 0.5;
/// The same in text that runs to the left, so that its words keep their order.
const WIDE_SPACE_EM: f32 = 1.0;

/// The widest grid. Words beyond it follow each other.
const MAX_COLUMNS: usize = 400;

/// The narrowest column of the grid, in points.
const MIN_COLUMN_PT: f32 = 1.0;

/// The most empty lines between two rows.
const MAX_EMPTY_LINES: usize = 2;

/// The distance of rows in a paragraph, in ems. Larger distances are empty lines.
const LEADING_EM: f32 = 1.4;

impl PageWords {
    /// The page's text with columns kept by spaces, in logical order: where most of it runs to the left, lines begin at the
    /// right. Turned text follows the upright.
    #[must_use]
    pub fn columned_text(&self) -> String {
        let level: Vec<PlacedWord> = self.words.iter().map(PlacedWord::on_level_line).collect();
        let (upright, turned): (Vec<_>, Vec<_>) = level.iter().enumerate().partition(|(_, word)| word.turn == 0);
        let grid = Grid::of(&upright);
        let mut text = String::new();
        let mut last: Option<&Row<'_>> = None;
        let rows = rows_of(upright).into_iter().map(Row::of).collect::<Vec<_>>();
        for row in &rows {
            if let Some(last) = last {
                text.push_str(&"\n".repeat(1 + empty_lines(last, row)));
            }
            text.push_str(&grid.line(row));
            last = Some(row);
        }
        for line in turned.chunk_by(|(_, one), (_, other)| one.line == other.line) {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&plain_line(line));
        }
        text
    }
}

/// A word with its place in the reading order.
type Indexed<'w> = (usize, &'w PlacedWord);

impl HasPlace for Indexed<'_> {
    fn place(&self) -> WordPlace {
        let (order, PlacedWord { bounds, baseline, size, is_spaced, .. }) = *self;
        WordPlace { bounds: *bounds, baseline: *baseline, size: *size, order, is_spaced: *is_spaced }
    }
}

/// Words on one baseline, from left to right.
struct Row<'w> {
    words: Vec<Indexed<'w>>,
    baseline: f32,
    size: f32,
}

impl<'w> Row<'w> {
    fn of(words: Vec<Indexed<'w>>) -> Self {
        let baseline = words.iter().map(|(_, word)| word.baseline).fold(f32::INFINITY, f32::min);
        let size = words.iter().map(|(_, word)| word.size).fold(0.0, f32::max);
        Self { words, baseline, size }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and is bounded")]
fn empty_lines(above: &Row<'_>, below: &Row<'_>) -> usize {
    let size = above.size.min(below.size).max(1.0);
    let lines = ((below.baseline - above.baseline) / (size * LEADING_EM)).round() as usize;
    lines.saturating_sub(1).min(MAX_EMPTY_LINES)
}

/// A grid of character columns.
struct Grid {
    text: Bounds,
    column: f32,
    /// Whether its columns are counted from the right.
    runs_left: bool,
}

impl Grid {
    fn of(words: &[Indexed]) -> Self {
        let width = |(_, word): &Indexed| {
            let characters = word.text.chars().map(|_| 1.0).sum::<f32>();
            (characters >= 2.0).then(|| word.bounds.width() / characters)
        };
        let mut widths = words.iter().filter_map(width).collect::<Vec<_>>();
        widths.sort_by(f32::total_cmp);
        let column = widths.get(widths.len() / TIGHT_SHARE).copied().unwrap_or(MIN_COLUMN_PT);
        let text = Bounds::around(words.iter().map(|(_, word)| word.bounds));
        let runs_left = runs_left(words.iter().map(|(_, word)| word.text.as_str()));
        Self { text, column: column.max(MIN_COLUMN_PT), runs_left }
    }

    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and is bounded")]
    fn column_of(&self, run: &[Indexed]) -> usize {
        let bounds = Bounds::around(run.iter().map(|(_, word)| word.bounds));
        let distance = if self.runs_left { self.text.x1 - bounds.x1 } else { bounds.x0 - self.text.x0 };
        ((distance / self.column).round() as usize).min(MAX_COLUMNS)
    }

    /// Whether a space is written between two words beside each other: the page has one there, or they are more than the width
    /// of a character apart.
    fn are_apart(&self, one: &PlacedWord, next: &PlacedWord) -> bool {
        let gap = (next.bounds.x0 - one.bounds.x1).max(one.bounds.x0 - next.bounds.x1);
        next.is_spaced || gap > self.column
    }

    fn line(&self, row: &Row<'_>) -> String {
        let is_backwards = |word: &PlacedWord| word.text.chars().any(is_right_to_left);
        let is_run = |(_, one): &Indexed, (_, next): &Indexed| {
            let is_wide = self.runs_left || is_backwards(one) && is_backwards(next);
            let space = if is_wide { WIDE_SPACE_EM } else { WORD_SPACE_EM };
            next.bounds.x0 - one.bounds.x1 < space * next.size || !self.are_apart(one, next)
        };
        let mut runs: Vec<Vec<Indexed>> = row.words.chunk_by(is_run).map(<[_]>::to_vec).collect();
        if self.runs_left {
            runs.reverse();
        }
        let (mut line, mut length) = (String::new(), 0);
        for mut run in runs {
            let place = (length + usize::from(length > 0)).max(self.column_of(&run));
            line.push_str(&" ".repeat(place - length));
            let from = line.len();
            if run.iter().any(|(_, word)| is_backwards(word)) {
                run.sort_by_key(|(order, _)| *order);
            }
            let mut before = None;
            for (_, word) in run {
                line.push_str(if before.is_some_and(|before| self.are_apart(before, word)) { " " } else { "" });
                push_run(&mut line, &word.text, word.script);
                before = Some(word);
            }
            length = place + line.get(from..).map_or(0, |shown| shown.chars().count());
        }
        line
    }
}

fn plain_line(words: &[Indexed]) -> String {
    let mut line = String::new();
    for (_, word) in words {
        if word.is_spaced && !line.is_empty() {
            line.push(' ');
        }
        push_run(&mut line, &word.text, word.script);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of a sketch, six points a character, one line of it every twelve points.
    fn page(sketch: &str) -> PageWords {
        let mut words = Vec::new();
        for (row, line) in (1_u8..).zip(sketch.lines()) {
            let mut at = 0_u8;
            for part in line.split(' ') {
                let length = u8::try_from(part.chars().count()).unwrap_or(u8::MAX);
                let (x0, baseline) = (f32::from(at) * 6.0, f32::from(row) * 12.0);
                if length > 0 {
                    words.push(PlacedWord {
                        text: part.to_owned(),
                        bounds: [x0, baseline - 8.0, x0 + f32::from(length) * 6.0, baseline + 2.0].into(),
                        baseline,
                        size: 10.0,
                        turn: 0,
                        is_spaced: true,
                        script: crate::Script::Baseline,
                        line: row.into(),
                        shift: [0.0; 2],
                    });
                }
                at += length + 1;
            }
        }
        PageWords { width: 600.0, height: 800.0, words }
    }

    #[test]
    fn columns_stay_where_they_are() {
        let sketch = "Name      Count   Price\napples       12    3.40\npears         7   11.00";
        assert_eq!(page(sketch).columned_text(), sketch);
    }

    #[test]
    fn far_rows_have_empty_lines_between_them_and_reading_order_does_not_matter() {
        let mut page = page("one\n\n\n\n\n\ntwo");
        page.words.reverse();
        assert_eq!(page.columned_text(), "one\n\n\ntwo");
    }

    #[test]
    fn lines_that_run_to_the_left_begin_at_the_right_in_logical_order() {
        // As seen: a value at the left, and at the right its label of two words.
        let mut page = page("2025 12      בב אא\n             דד גג");
        let order = ["אא", "בב", "2025", "12", "גג", "דד"];
        page.words.sort_by_key(|word| order.iter().position(|text| *text == word.text));
        assert_eq!(page.columned_text(), "אא בב      2025 12\nגג דד");
        page.words.iter_mut().filter(|word| word.text == "2025").for_each(|word| word.text = "a sentence".to_owned());
        assert_eq!(
            page.columned_text().lines().last(),
            Some("             גג דד"),
            "between text that runs to the right"
        );
    }

    #[test]
    fn turned_text_follows() {
        let mut page = page("aside\nmain text");
        page.words.first_mut().into_iter().for_each(|word| word.turn = 90);
        assert_eq!(page.columned_text(), "main text\naside");
    }

    #[test]
    fn a_word_far_out_has_a_bounded_place() {
        let mut page = page("ab cd");
        page.words.last_mut().into_iter().for_each(|word| word.bounds = [1e6, 0.0, 1e6 + 12.0, 10.0].into());
        assert_eq!(page.columned_text().len(), MAX_COLUMNS + 2);
    }
}
