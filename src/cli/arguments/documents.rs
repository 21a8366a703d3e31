//! The arguments of the commands that read a document: `text`, `tables`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::flags::PagesWord;
use crate::tool::{DocumentArguments, InfoArguments, TablesArguments, TextArguments};

/// Show a document's title, dates, sizes and other facts, and, with PAGES, what each page contains (words, images, links, fields)
/// and costs
#[derive(Debug, Args)]
#[command(mut_arg("selection", |argument| argument.help("Pages that are shown too, a line each (default: none)")))]
#[command(after_help = "Examples:
  pagewise info report.pdf --json
  pagewise info report.pdf 1-20")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: InfoArguments,
}

/// Print the text of a document's pages
///
/// Text is in reading order. A form feed separates pages of text; in Markdown, a comment with its number begins each page.
/// Notes, such as which pages have no text, go to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise text report.pdf 2-4
  pagewise text report.pdf 2-4 --format markdown
  pagewise text scan.pdf --ocr auto
  pagewise text report.pdf --format markdown --images pictures --out report.md
  pagewise text report.pdf --max-chars 200000 --json")]
pub(crate) struct Text {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TextArguments,
    /// Write the text to this file, replacing it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the pages' pictures to this folder, and link to them in the Markdown
    #[arg(long, value_name = "DIR")]
    pub(crate) images: Option<PathBuf>,
}

/// Print the tables of a PDF's pages
///
/// Tables are found by their rules and shading, or by the white space between their columns. Notes go to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise tables report.pdf 4
  pagewise tables report.pdf 4 --format csv > table.csv
  pagewise tables report.pdf 4 --out table.csv
  pagewise tables report.pdf --out tables
  pagewise tables report.pdf --json")]
pub(crate) struct Tables {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// How tables are written (default: markdown on a terminal, otherwise csv)
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<TableFormat>,
    /// Write all tables to this file (.csv, .md or .html), or each to a file in this folder; files there are replaced
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}

impl Tables {
    /// Whether the result is printed as JSON, without `--json`.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Some(TableFormat::Json)
    }
}

/// Show how a document differs from an earlier version
///
/// Pages are matched by their appearance and text. Of each page that differs, prints the changed words in context and the
/// new images.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise diff contract-v1.pdf contract-v2.pdf
  pagewise get-file contract-v2.pdf --against contract-v1.pdf --pages 1-20")]
#[command(mut_arg("path", |argument| argument.value_name("EARLIER").help("The earlier version")))]
pub(crate) struct Diff {
    #[command(flatten)]
    pub(crate) earlier: DocumentArguments,
    /// The later version
    #[arg(value_name = "LATER", index = 2)]
    pub(crate) later: String,
}

/// Write the files that are attached to a PDF
///
/// Files can be attached to the document or to one of its pages; pagewise info lists them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise attachments invoice.pdf --out-dir attached
  pagewise attachments invoice.pdf factur-x.xml")]
pub(crate) struct Attachments {
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
    /// Only the file of this name
    #[arg(value_name = "NAME", index = 2)]
    pub(crate) name: Option<String>,
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) out_dir: PathBuf,
}

/// List the images and drawn figures of a document's pages, or write them to files
///
/// Each is given once, even if many pages show it. JPEGs are kept as they are; other images become PNGs, with their masks
/// applied. A drawn figure is cut out of its page if it has a caption. get-file reads the path that is listed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise images report.pdf
  pagewise images report.pdf 2-4 --out-dir pictures
  pagewise get-file 'report.pdf#image=3.1'
  pagewise text report.pdf --format markdown --images pictures --out report.md")]
pub(crate) struct Images {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// Write each to a file in this folder
    #[arg(long, alias = "out", value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
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
