//! The arguments of the commands that write pages: `page`, `split`, `render`.

use std::path::PathBuf;

use clap::Args;

use super::flags::PagesWord;
use crate::tool::{PagesParameter, RenderArguments, TablesArguments};

/// Cut pages out of a PDF, each as a PDF of its own
///
/// One page becomes a file, several a folder of files. With --join, or an --out that ends with .pdf, they become one file.
/// A file is written completely or not at all. The same page always has the same bytes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise page report.pdf 3
  pagewise page report.pdf 3 --out page3.pdf --json
  pagewise page report.pdf 3-5,9 --out pages
  pagewise page report.pdf 3-5,9 --out part.pdf")]
pub(crate) struct Page {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// The file to write, or the folder for several pages; files there are replaced (default: named after the PDF, in the
    /// working directory)
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Write all pages into one PDF
    #[arg(long)]
    pub(crate) join: bool,
}

/// Cut each page of a PDF into a file of its own, or with --out all into one file
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
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// The folder to write to, where files are replaced (default: named after the PDF, in the working directory)
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// The one file to write, replacing it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Add the text of scans to a PDF, so that it can be searched and copied
///
/// Pages without usable text are read by OCR, and get a layer of invisible text. They look the same: the layer is appended,
/// and every byte of the file stays. The same file always gives the same bytes. Text cannot be added to an encrypted PDF.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise ocr scan.pdf --out searchable.pdf
  pagewise ocr scan.pdf 2-4 --out searchable.pdf --json")]
pub(crate) struct OcrLayer {
    #[command(flatten)]
    pub(crate) pages: PagesWord,
    #[command(flatten)]
    pub(crate) arguments: TablesArguments,
    /// The file to write, replacing it (default: named after the PDF, in the working directory)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Draw pages of a PDF as PNGs
///
/// Pages are drawn on white, with their annotations and form fields. One page is written to a file, several to a folder. With
/// --contact-sheet, up to 30 pages are drawn side by side in one file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise render report.pdf 3 --out page3.png
  pagewise render report.pdf 3-20 --out pictures
  pagewise render report.pdf --contact-sheet
  pagewise render report.pdf 3 --out top.png --dpi 200 --region 0,0,1,0.5
  pagewise render report.pdf --quote 'net income rose by 12.4 million'")]
pub(crate) struct Render {
    #[command(flatten)]
    pub(crate) word: PagesWord,
    #[command(flatten)]
    pub(crate) pages: PagesParameter,
    #[command(flatten)]
    pub(crate) arguments: RenderArguments,
    /// The file to write, or the folder for several pages; files there are replaced (default: named after the PDF, in the
    /// working directory)
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
}
