//! The arguments of `pagewise ask`.

use clap::Args;

use super::flags::Json;
use crate::tool::AskArguments;

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
    #[command(flatten)]
    pub(crate) arguments: AskArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}
