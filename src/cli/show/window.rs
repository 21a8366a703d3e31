//! The terminal as a place for pictures: its protocol, its size in cells, and the size of a cell.

use super::inline::Cells;
#[cfg(any(not(unix), pagewise_portable))]
use super::protocol::TerminalAnswer;
use super::protocol::{Environment, Protocol};

/// A cell of a terminal that does not say how large it is, in pixels.
const USUAL_CELL: (u16, u16) = (10, 20);

/// The cells of a terminal that does not say how many it has.
const USUAL_CELLS: Cells = Cells { columns: 80, rows: 24 };

/// The most columns and rows that are drawn.
const MAX_CELLS: usize = 500;

/// Where pictures are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) protocol: Protocol,
    pub(super) cells: Cells,
    /// Width and height of a cell in pixels.
    pub(super) cell: (u16, u16),
    pub(super) has_true_colors: bool,
}

impl Window {
    /// That of standard output. Asks the terminal only if no protocol is wanted and its name does not say it.
    pub(super) fn of_stdout(wanted: Option<Protocol>) -> Self {
        let environment = Environment::of_process();
        let named = wanted.or_else(|| environment.protocol());
        let answer = if named.is_none() && environment.can_be_asked() { ask() } else { None };
        let answer = answer.unwrap_or_default();
        Self {
            protocol: named.unwrap_or_else(|| answer.protocol()),
            cells: cells(),
            cell: cell_size().or(answer.cell).unwrap_or(USUAL_CELL),
            has_true_colors: environment.has_true_colors() || wanted.is_some(),
        }
    }

    /// The pixels of a picture of `columns` and `rows`.
    pub(super) fn pixels(&self, cells: Cells) -> (f64, f64) {
        let whole = |count: usize, size: u16| f64::from(u32::try_from(count).unwrap_or(u32::MAX)) * f64::from(size);
        (whole(cells.columns, self.cell.0), whole(cells.rows, self.cell.1))
    }

    /// The cells that a picture of so many pixels covers.
    pub(super) fn covered(&self, width: f64, height: f64) -> Cells {
        Cells { columns: whole(width / f64::from(self.cell.0)), rows: whole(height / f64::from(self.cell.1)) }
    }
}

/// The next whole number of cells.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
fn whole(cells: f64) -> usize {
    // A hundredth of a cell is nothing to see.
    ((cells - 0.01).ceil() as usize).max(1)
}

fn cells() -> Cells {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let cells = size.map(|(columns, rows)| Cells { columns: columns.0.into(), rows: rows.0.into() });
    let Cells { columns, rows } = cells.unwrap_or(USUAL_CELLS);
    Cells { columns: columns.clamp(2, MAX_CELLS), rows: rows.clamp(2, MAX_CELLS) }
}

#[cfg(all(unix, not(pagewise_portable)))]
use super::query::{ask, cell_size};

/// On other systems, the environment alone says what a terminal can draw.
#[cfg(any(not(unix), pagewise_portable))]
fn ask() -> Option<TerminalAnswer> {
    None
}

#[cfg(any(not(unix), pagewise_portable))]
fn cell_size() -> Option<(u16, u16)> {
    None
}
