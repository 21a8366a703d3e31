//! `pagewise ask`.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::cli::config::Config;
use crate::cli::open;
use crate::cli::terminal::print::{self, Report};
use crate::tool::{self, AskArguments, AskContext, Caller, ToolArguments as _, ToolError};
use pagewise_model::{ModelClient, NoReplyListener, ReplyListener};

/// Answers `ask`: prints the answer as it arrives, then the remarks on it.
pub(crate) fn run(typed: &AskArguments, config: &Config) -> Result<Report, ToolError> {
    let arguments = typed.typed()?;
    let models = ModelClient::new(config.models.settings(config)?);
    let context = open::context(false, config)?;
    let printer = Printer::default();
    let listener: &dyn ReplyListener = if config.is_json { &NoReplyListener } else { &printer };
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
