//! The arguments of `pagewise get-file`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::tool::GetFileArguments;

/// Read a file as an agent does: the summary or pages of a PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB or notebook
/// file; a text by lines; an image; a folder
///
/// Without --pdf-page and --pages, prints the summary of a document. PDFs and pictures are printed as one line each: --out-dir,
/// --emit or --json gives the pages themselves, --as text their text. With --conversation, pages that the conversation already
/// holds are named instead of sent again.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("part").args(["pdf_page", "pages"]).multiple(true)))]
#[command(after_help = "Examples:
  pagewise get-file report.pdf
  pagewise get-file report.pdf --pages 1-3,7 --out-dir pages
  pagewise get-file report.pdf --pages 1-3,7 --as mixed --json
  pagewise get-file report.pdf --pdf-page 0 --emit openai
  pagewise get-file report.pdf --pages \"section:Results\" --as text
  pagewise get-file 'report.pdf#attachment=data.xls' --emit raw > data.xls
  pagewise get-file report.pdf --pages 2 --as text --conversation review   (a second time: already provided)")]
pub(crate) struct GetFile {
    #[command(flatten)]
    pub(crate) arguments: GetFileArguments,
    /// Write the pages to this folder, each as a PDF, and print their paths
    #[arg(long, value_name = "DIR", requires = "part")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Print content blocks in a provider's shape, as a JSON array; raw prints the bytes of a page, image or attachment
    #[arg(long, value_enum, value_name = "SHAPE")]
    pub(crate) emit: Option<EmitShape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitShape {
    /// Messages API: document blocks
    Anthropic,
    /// Responses API: input_file
    #[value(name = "openai")]
    OpenAi,
    /// inlineData parts
    Gemini,
    /// Model Context Protocol: embedded resources
    Mcp,
    /// The bytes of a single page, image or attachment
    Raw,
}
