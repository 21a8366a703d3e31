//! `pagewise ask`.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::json;

use super::arguments::Reading;
use super::config::Config;
use super::open;
use super::parameters::tool_arguments;
use super::print::{self, Report};
use crate::tool::{self, AskArguments, AskContext, Caller, ModelClient, NoReplyListener, ReplyListener, ToolError};

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
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// The model, as provider/model
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Largest size of each PDF, in MiB (default: the setting pdf_max_bytes_mb)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_bytes_mb: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Answers `ask`: prints the answer as it arrives, then the remarks on it.
pub(super) fn run(typed: &Ask, config: &Config) -> Result<Report, ToolError> {
    let arguments = AskArguments::parse(&tool_arguments([
        ("pdfs", json!(typed.paths)),
        ("prompt", json!(typed.prompt)),
        ("pages", json!(typed.pages)),
        ("model", json!(typed.model)),
        ("maxBytesMb", json!(typed.max_bytes_mb)),
        ("conversation", json!(typed.reading.conversation)),
    ]))?;
    let models = ModelClient::new(config.models.settings(config)?);
    let context = open::context(false, config)?;
    let printer = Printer::default();
    let listener: &dyn ReplyListener = if typed.reading.json.json { &NoReplyListener } else { &printer };
    let caller = Caller::direct();
    let world = AskContext { context: &context, models: &models, listener, caller: &caller };
    let answer = tool::ask(&world, &arguments)?;
    let json = json!({
        "content": [{ "type": "text", "text": answer.text }, { "type": "text", "text": answer.remarks }],
        "details": answer.details,
    });
    Ok(Report::new(format!("\n\n{}", answer.remarks), json))
}

/// Prints an answer as it arrives.
#[derive(Default)]
struct Printer {
    /// Whether standard output is closed.
    is_closed: AtomicBool,
}

impl Printer {
    fn print(&self, text: &str) {
        if !self.is_closed.load(Ordering::Relaxed) && print::part(text).is_err() {
            self.is_closed.store(true, Ordering::Relaxed);
        }
    }
}

impl ReplyListener for Printer {
    fn text(&self, more: &str) {
        self.print(more);
    }

    fn discard(&self) {
        self.print("\n[The answer broke off here. The text above does not belong to the next one.]\n");
    }
}
