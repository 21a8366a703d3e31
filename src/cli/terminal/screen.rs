//! What texts are written for: the columns of a terminal, or a file or pipe, with or without colours.

use std::io::{self, IsTerminal as _};

use anstyle::{AnsiColor, Style};

/// What standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// Columns of the terminal; `None` if standard output is no terminal, and nothing is cut or wrapped.
    pub(crate) columns: Option<usize>,
    /// Whether texts have colours.
    pub(crate) has_colors: bool,
}

/// What a part of a text is. Each has its own colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A heading, or the name of a value.
    Heading,
    /// The path of a file.
    Path,
    /// The number of a page.
    Page,
    /// What was searched for.
    Match,
    /// What matters less than the text beside it.
    Faint,
    /// What works.
    Good,
    /// What does not.
    Bad,
}

/// Columns of a terminal that does not say how many it has.
const USUAL_COLUMNS: usize = 80;

/// The fewest columns that texts are laid out for.
const MIN_COLUMNS: usize = 20;

impl Screen {
    /// Standard output of this process.
    pub(crate) fn of_stdout() -> Self {
        let stdout = io::stdout();
        let columns = stdout.is_terminal().then(|| {
            let size = terminal_size::terminal_size_of(&stdout);
            size.map_or(USUAL_COLUMNS, |(columns, _)| usize::from(columns.0)).max(MIN_COLUMNS)
        });
        Self { columns, has_colors: is_colored(&stdout) }
    }

    /// Standard error of this process, where nothing is cut or wrapped.
    pub(crate) fn of_stderr() -> Self {
        Self { columns: None, has_colors: is_colored(&io::stderr()) }
    }

    pub(crate) fn is_terminal(self) -> bool {
        self.columns.is_some()
    }

    /// `text` in the colour of `part`.
    pub(crate) fn paint(self, part: Part, text: &str) -> String {
        if !self.has_colors || text.is_empty() {
            return text.to_owned();
        }
        let style = part.style();
        format!("{style}{text}{style:#}")
    }
}

impl Part {
    fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(anstyle::Color::Ansi(color)));
        match self {
            Self::Heading => Style::new().bold(),
            Self::Path => color(AnsiColor::Magenta),
            Self::Page | Self::Good => color(AnsiColor::Green),
            Self::Match | Self::Bad => color(AnsiColor::Red).bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }
}

/// By `--color`, else by `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM` and whether it is a terminal.
fn is_colored(stream: &impl anstream::stream::RawStream) -> bool {
    !matches!(anstream::AutoStream::choice(stream), anstream::ColorChoice::Never)
}
