//! The arguments of the commands that cut pages.

use std::path::PathBuf;

use clap::Args;

use super::arguments::Reading;

/// Cut one page out of a PDF, as a PDF of its own
///
/// The file is written completely or not at all. The same page always has the same bytes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise page report.pdf 3 --out page3.pdf
  pagewise page report.pdf 3 --out page3.pdf --json")]
pub(crate) struct Page {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// The page, by 1-based number, label:iv or section:TITLE
    #[arg(allow_hyphen_values = true)]
    pub(crate) number: String,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Cut every page of a PDF into a file of its own, or pages of it into one file
///
/// With --out-dir, files are named {name}-{number}.pdf with padded numbers; an interrupt leaves only complete files. With
/// --out, all pages go into one PDF in which shared objects occur once; the same pages always have the same bytes.
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("to").args(["out_dir", "out"])),
    after_help = "Examples:
  pagewise split report.pdf --out-dir pages
  pagewise split report.pdf 10-20 --out-dir pages
  pagewise split report.pdf 10-20 --out chapter.pdf"
)]
pub(crate) struct Split {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(value_name = "PAGES", allow_hyphen_values = true, conflicts_with = "pages")]
    pub(crate) selection: Option<String>,
    /// The folder to write to; created if missing (default: named after the PDF, in the working directory)
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// The one file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The same as PAGES
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}
