//! The arguments of the commands that read a document: `info`, `text`, `tables`, `search`, `outline`.

use clap::{Args, ValueEnum};

use super::flags::{Json, PagesWord};
use crate::tool::{InfoArguments, OutlineArguments, SearchArguments, TablesArguments, TextArguments};

/// Show a PDF's title, dates, sizes and other facts
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise info report.pdf --json")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) arguments: InfoArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Print the text of a PDF's pages
///
/// In reading order. A form feed divides pages of text, and a comment with its number begins each page of Markdown. What is
/// said of the text, such as which pages have none, goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise text report.pdf 2-4
  pagewise text report.pdf 2-4 --format markdown
  pagewise text scan.pdf --ocr auto
  pagewise text report.pdf --max-chars 200000 --json")]
pub(crate) struct Text {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TextArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Print the tables of a PDF's pages
///
/// Tables are found by their lines and areas, or by the white space between their columns. What is said of them goes to
/// standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise tables report.pdf 4
  pagewise tables report.pdf 4 --format csv > table.csv
  pagewise tables report.pdf --json")]
pub(crate) struct Tables {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// How tables are written (default: markdown on a terminal, otherwise csv)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<TableFormat>,
    #[command(flatten)]
    pub(crate) json: Json,
}

impl Tables {
    /// Whether the result is printed as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.json.json || self.format == Some(TableFormat::Json)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Comma-separated values, an empty line between tables
    Csv,
    /// Markdown tables
    Markdown,
    /// HTML tables, with spans
    Html,
    /// The same as --json
    Json,
}

/// Find words in the text of a PDF, or of many
///
/// Pages without usable text are named, since a word on them cannot be found. With --ranked, the pages that answer the
/// query best come first, whatever document they are in. With the setting index=disk, their text is read only once.
#[derive(Debug, Args)]
#[command(
    override_usage = "pagewise search [OPTIONS] <PATH>... <QUERY>\n       pagewise search [OPTIONS] <PATH>... --quote <TEXT>"
)]
#[command(after_help = "Examples:
  pagewise search report.pdf \"net income\"
  pagewise search ~/papers \"net income\"
  pagewise search 'reports/**/2023-*.pdf' \"net income\"
  pagewise search ~/papers \"how income is taxed\" --ranked --set index=disk
  pagewise search report.pdf --quote \"net income rose by 12 %\"
  pagewise search report.pdf '\\b20[0-9]{2}\\b' --regex --pages 1-20 --json")]
pub(crate) struct Search {
    #[command(flatten)]
    arguments: SearchArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}

impl Search {
    /// The arguments: of the words that were typed the last one is the query, unless a quote is looked for.
    pub(crate) fn arguments(&self) -> SearchArguments {
        let SearchArguments { path, query, paths, quote, .. } = &self.arguments;
        let mut words = path.iter().chain(query).chain(paths).cloned().collect::<Vec<_>>();
        let query = if quote.is_none() && words.len() > 1 { words.pop() } else { None };
        SearchArguments { path: None, query, paths: words, ..self.arguments.clone() }
    }
}

/// Show the outline of a PDF, with page numbers
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise outline report.pdf")]
pub(crate) struct Outline {
    #[command(flatten)]
    pub(crate) arguments: OutlineArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}
