//! The arguments of the commands that read a document: `info`, `text`, `tables`, `search`, `outline`.

use clap::{Args, ValueEnum};

use super::flags::pages;
use super::flags::{DocumentFlags, Json, Password};

/// Show a PDF's title, dates, sizes and other facts
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise info report.pdf --json")]
pub(crate) struct Info {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
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
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(value_name = "PAGES", allow_negative_numbers = true, conflicts_with = "pages")]
    pub(crate) selection: Option<String>,
    /// The same as PAGES
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Stop after this many characters (default: never)
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<String>,
    /// How the text is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: TextFormat,
    /// Print hidden text too, after the text of its page
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Which pages are recognised from their pictures, which takes seconds a page
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) ocr: Ocr,
    /// With --json: the words of each page in their boxes
    #[arg(long)]
    pub(crate) boxes: bool,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Ocr {
    /// Those whose own text is not what a reader sees, such as scans
    Auto,
    /// All
    Always,
    /// None
    #[default]
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TextFormat {
    /// Lines in reading order
    #[default]
    Text,
    /// Columns kept by spaces, as in print
    Layout,
    /// Headings, lists, tables and whole paragraphs, without running heads
    Markdown,
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
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(value_name = "PAGES", allow_negative_numbers = true, conflicts_with = "pages")]
    pub(crate) selection: Option<String>,
    /// The same as PAGES
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// How tables are written (default: markdown on a terminal, otherwise csv)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<TableFormat>,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
}

impl Tables {
    /// Whether the result is printed as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.document.json.json || self.format == Some(TableFormat::Json)
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
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched; or a folder, or a pattern such as
    /// 'reports/**/*.pdf'. There may be several
    pub(crate) path: String,
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// Of several paths, those after the second, and the query
    #[arg(hide = true)]
    pub(crate) more: Vec<String>,
    /// Instead of a query: is this passage there, word for word?
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) quote: Option<String>,
    /// Read the query as a regular expression
    #[arg(long)]
    pub(crate) regex: bool,
    /// Distinguish upper and lower case
    #[arg(long)]
    pub(crate) case_sensitive: bool,
    /// Which pages are recognised from their pictures, within the time of the setting ocr_search_ms
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Ocr::Auto)]
    pub(crate) ocr: Ocr,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Show at most this many matches (default: 50, or 10 with --ranked)
    #[arg(long, value_name = "N")]
    pub(crate) max_results: Option<String>,
    /// The pages that answer the query best, the best first
    #[arg(long)]
    pub(crate) ranked: bool,
    /// With --ranked: only documents in this language, as ISO 639-3 names it: eng, deu, fra
    #[arg(long, value_name = "CODE", requires = "ranked")]
    pub(crate) language: Option<String>,
    /// With --ranked: only documents of these dates: 2023, 2023-05.., 2022..2023-06
    #[arg(long, value_name = "RANGE", requires = "ranked", allow_hyphen_values = true)]
    pub(crate) dates: Option<String>,
    /// With --ranked and --json: also where the passages stand on their pages
    #[arg(long, requires = "ranked")]
    pub(crate) boxes: bool,
    /// The conversation whose held pages are marked; for a responseId, the one that fetched it
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

impl Search {
    /// The paths, and the query, which is the last word unless a quote is looked for.
    pub(crate) fn paths_and_query(&self) -> (Vec<&String>, Option<&String>) {
        let mut paths = [&self.path].into_iter().chain(&self.query).chain(&self.more).collect::<Vec<_>>();
        let query = if self.quote.is_none() && paths.len() > 1 { paths.pop() } else { None };
        (paths, query)
    }
}

/// Show the outline of a PDF, with page numbers
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise outline report.pdf")]
pub(crate) struct Outline {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only this many levels
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) depth: Option<String>,
    /// At most this many entries (default: all)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_items: Option<String>,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
}
