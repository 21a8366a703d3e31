//! Rows of cells in aligned columns.

use super::layout::{cut, width};
use super::screen::{Part, Screen};

/// How the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    /// For numbers.
    Right,
}

/// A column: its heading, how its cells stand, and their colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) align: Align,
    pub(crate) part: Option<Part>,
}

/// Rows of cells, each row with as many cells as there are columns.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    rows: Vec<[String; N]>,
}

/// Spaces between two columns.
const GAP: &str = "  ";

impl<const N: usize> Table<N> {
    pub(crate) fn new(columns: [Column; N]) -> Self {
        Self { columns, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: [String; N]) {
        self.rows.push(row);
    }

    /// The table as lines, with headings if any column has one. Columns without a cell are left out. On a terminal, the
    /// last column is cut to what is left of the width.
    pub(crate) fn text(&self, screen: Screen) -> String {
        let widths = self.widths();
        let mut lines = Vec::with_capacity(self.rows.len() + 1);
        if self.columns.iter().any(|column| !column.heading.is_empty()) {
            let headings = self.columns.map(|column| column.heading.to_owned());
            lines.push(self.line(&headings, &widths, screen, |_| Some(Part::Faint)));
        }
        lines.extend(self.rows.iter().map(|row| self.line(row, &widths, screen, |column| column.part)));
        lines.join("\n")
    }

    /// The width of each column; 0 if it has no cell.
    fn widths(&self) -> [usize; N] {
        std::array::from_fn(|at| {
            let cell = |row: &[String; N]| row.get(at).map_or(0, |cell| width(cell));
            let widest = self.rows.iter().map(cell).max().unwrap_or_default();
            let heading = self.columns.get(at).map_or(0, |column| width(column.heading));
            if widest == 0 { 0 } else { widest.max(heading) }
        })
    }

    fn line(
        &self,
        cells: &[String; N],
        widths: &[usize; N],
        screen: Screen,
        part: impl Fn(&Column) -> Option<Part>,
    ) -> String {
        let last = widths.iter().rposition(|width| *width > 0);
        let (mut line, mut used) = (String::new(), 0);
        for (at, ((cell, column), columns)) in cells.iter().zip(&self.columns).zip(widths).enumerate() {
            if *columns == 0 {
                continue;
            }
            if used > 0 {
                line.push_str(GAP);
                used += GAP.len();
            }
            let room = screen.columns.filter(|_| Some(at) == last).map(|all| all.saturating_sub(used).max(MIN_CELL));
            let cell = room.map_or_else(|| cell.clone(), |room| cut(cell, room));
            let space = columns.saturating_sub(width(&cell));
            let painted = part(column).map_or_else(|| cell.clone(), |part| screen.paint(part, &cell));
            match column.align {
                Align::Right => line.push_str(&format!("{:space$}{painted}", "")),
                Align::Left if Some(at) == last => line.push_str(&painted),
                Align::Left => line.push_str(&format!("{painted}{:space$}", "")),
            }
            used += columns;
        }
        line.trim_end().to_owned()
    }
}

/// The narrowest column of a table.
const MIN_CELL: usize = 8;

impl Column {
    pub(crate) const fn left(heading: &'static str) -> Self {
        Self { heading, align: Align::Left, part: None }
    }

    pub(crate) const fn right(heading: &'static str) -> Self {
        Self { heading, align: Align::Right, part: None }
    }

    /// The same in the colour of `part`.
    pub(crate) const fn of(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_to_the_right_and_the_last_column_is_cut() {
        let mut table =
            Table::new([Column::right("PAGES"), Column::left(""), Column::left("FILE"), Column::left("TITLE")]);
        table.add(["8".into(), String::new(), "a.pdf".into(), "A Short Walk through a Printed Page".into()]);
        table.add(["1200".into(), String::new(), "縦書き.pdf".into(), String::new()]);
        let text = |columns| table.text(Screen { columns, has_colors: false });
        insta::assert_snapshot!(text(Some(40)), @r"
        PAGES  FILE        TITLE
            8  a.pdf       A Short Walk through…
         1200  縦書き.pdf
        ");
        assert!(text(None).contains("A Short Walk through a Printed Page"));
    }

    #[test]
    fn colours_do_not_move_columns() {
        let mut table = Table::new([Column::right("").of(Part::Page), Column::left("")]);
        table.add(["8".into(), "eight".into()]);
        table.add(["12".into(), "twelve".into()]);
        let text = table.text(Screen { columns: None, has_colors: true });
        assert_eq!(text, " \u{1b}[32m8\u{1b}[0m  eight\n\u{1b}[32m12\u{1b}[0m  twelve");
    }
}
