//! The arguments of `pagewise ask`.

use clap::Args;

use super::flags::DocumentFlags;
use super::flags::pages;

/// Ask a model about PDFs
///
/// The answer is printed as it arrives. Models and their keys come from the settings: PAGEWISE_PDF_MODEL_PRIMARY
/// (provider/model), ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENAI_API_KEY.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise ask report.pdf --prompt \"What was the net income?\"
  pagewise ask a.pdf b.pdf --prompt \"What changed?\" --model openai/gpt-5-mini --json
  pagewise ask scan.pdf --pages 1-3 --model compatible/qwen3-vl   (a server of your own: PAGEWISE_COMPATIBLE_BASE_URL)")]
pub(crate) struct Ask {
    /// The PDFs, at most ten: paths, ~, file://, URLs or responseIds
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// What to ask
    #[arg(long, value_name = "P")]
    pub(crate) prompt: Option<String>,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// The model, as provider/model
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Largest size of each PDF, in MiB (default: the setting pdf_max_bytes_mb)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_bytes_mb: Option<String>,
    #[command(flatten)]
    pub(crate) document: DocumentFlags,
}
