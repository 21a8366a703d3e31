//! The arguments of `pagewise show`.

use clap::Args;

use super::flags::DocumentFlags;
use crate::cli::show::Protocol;

/// Draw pages in the terminal
///
/// In the way that the terminal takes pictures: the protocol of kitty, that of iTerm2 or sixels, and otherwise in half
/// blocks. The terminal is asked, unless its name says what it can do. A page fits the terminal; of half blocks, its width.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise show report.pdf 3
  pagewise show report.pdf 3 --region 0,0,1,0.3
  pagewise show report.pdf 3-5 --fit-width
  pagewise show report.pdf 3 --protocol sixel > page3.sixel")]
pub(crate) struct Show {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// The pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE (default: the first)
    #[arg(value_name = "PAGES", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Draw in this way, also where standard output is no terminal (default: the best of the terminal)
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) protocol: Option<Protocol>,
    /// Fit the width of the terminal, and let a page be higher than it
    #[arg(long)]
    pub(crate) fit_width: bool,
    /// Pixels per inch, from 72 to 300, in place of fitting the terminal
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = "fit_width")]
    pub(crate) dpi: Option<String>,
    /// Only a part: left, top, right and bottom edge, as fractions of the page from 0 to 1
    #[arg(long, value_name = "L,T,R,B")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
}
