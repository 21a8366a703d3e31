//! The tool `pdf`: asks another model about PDFs.

mod arguments;
mod ask_context;
mod details;
mod extract;
mod join;
mod load;
mod pack;
mod packed_pdf;
mod request_budget;

use serde_json::{Value, json};

pub use self::arguments::{AskArguments, MAX_PDFS};
pub use self::ask_context::AskContext;

use self::details::{AnsweredQuestion, FailedAttempt};
use self::load::{LoadBounds, MAX_BYTES, RequestedPdf, check_remote, named_pdfs};
use self::pack::PdfPacker;
use self::packed_pdf::PackedPdf;
use super::error::{ErrorCode, ToolError};
use super::truncate::{char_count, prefix_within_json};
use crate::context::{ResultBudget, json_length};
use pagewise_model::{ModelError, ModelName, ModelReply, ModelSession, ModelSettings, Question};

/// An answer of `pdf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskAnswer {
    /// The model's text.
    pub text: String,
    /// Remarks on the answer: whose content it is about, and what was not sent to the model.
    pub remarks: String,
    /// The same for programs.
    pub details: Value,
}

impl AskAnswer {
    /// The answer, truncated to `budget`.
    #[must_use]
    pub fn within(mut self, budget: ResultBudget) -> Self {
        let beside = json_length(&self.remarks).saturating_add(json_length(&self.details));
        let kept = prefix_within_json(&self.text, budget.bytes().saturating_sub(beside)).len();
        if kept < self.text.len() {
            let whole = char_count(&self.text);
            self.text.truncate(kept);
            let shown = char_count(&self.text);
            self.remarks.push_str(&format!(
                "\nThe answer is cut at {shown} of {whole} characters: the result has room for no more \
                 (max_result_bytes). Next call: pdf with a prompt that asks for a shorter answer, or for the rest."
            ));
            if let Value::Object(details) = &mut self.details {
                details.insert("truncated".to_owned(), json!(true));
            }
        }
        self
    }
}

/// The error if pages are requested under the strict setting.
const NO_NATIVE_PAGES: &str = "pages is not supported with native PDF providers";

/// Asks a model about PDFs. Blocks until one has answered or all have failed.
///
/// # Errors
/// `unsupported_pdf_reference` for a URL in sandbox mode or offline, `validation_error` for an invalid conversation,
/// `no_model`, the errors of the files if none can be read, and `model_error`, `timeout` or `limit_exceeded` if no
/// model answers.
pub fn ask(ask: &AskContext<'_>, arguments: &AskArguments) -> Result<AskAnswer, ToolError> {
    ask.caller.conversation(arguments.conversation.as_deref())?;
    let settings = ask.models.settings();
    let (max_bytes, setting) = match arguments.max_bytes() {
        Some(bytes) => (bytes, MAX_BYTES),
        None => (settings.pdf_max_bytes, "pdf_max_bytes_mb"),
    };
    let bounds = LoadBounds { max_bytes, setting, remote: settings.remote };
    check_remote(ask.context, arguments, &bounds)?;
    let chain = chain(settings, arguments)?;
    let session =
        ask.models.session(ask.listener, &ask.caller.cancellation).map_err(|error| unanswered(&[], &error))?;
    let mut requested: Vec<RequestedPdf> = Vec::new();
    for reference in named_pdfs(ask.context, arguments)? {
        if session.is_cancelled() {
            return Err(unanswered(&[], &ModelError::Cancelled));
        }
        let loaded = reference.load(ask, arguments, &bounds);
        // Several references may resolve to one file.
        if !requested.iter().any(|known| known.path == loaded.path) {
            requested.push(loaded);
        }
    }
    if requested.iter().all(|requested| requested.loaded.is_err()) {
        return Err(nothing_to_send(&requested));
    }
    let mut run = AskRun { ask, arguments, session, requested, max_bytes: bounds.max_bytes, attempts: Vec::new() };
    run.run(&chain)
}

/// The models to ask, in order.
fn chain(settings: &ModelSettings, arguments: &AskArguments) -> Result<Vec<ModelName>, ToolError> {
    if let Some(model) = arguments.model()? {
        settings.endpoint(&model).map_err(|error| not_askable(&error))?;
        return Ok(vec![model]);
    }
    settings.chain().ok_or_else(|| {
        ToolError::new(ErrorCode::NoModel, "No model is set up to answer questions about PDFs")
            .hint("Set ANTHROPIC_API_KEY, GEMINI_API_KEY or OPENAI_API_KEY, or name a model in pdf_model.primary.")
    })
}

fn not_askable(error: &ModelError) -> ToolError {
    ToolError::new(ErrorCode::NoModel, format!("The model cannot be asked: {error}"))
}

/// Asks one model after another.
struct AskRun<'a> {
    ask: &'a AskContext<'a>,
    arguments: &'a AskArguments,
    session: ModelSession<'a>,
    requested: Vec<RequestedPdf>,
    max_bytes: u64,
    attempts: Vec<FailedAttempt>,
}

/// Why an attempt failed.
enum AttemptFailure {
    /// The strict setting forbids pages for this model.
    Strict,
    /// Nothing could be packed for this model.
    Nothing(String),
    Model(ModelError),
}

impl AskRun<'_> {
    fn run(&mut self, chain: &[ModelName]) -> Result<AskAnswer, ToolError> {
        let mut failures = Vec::new();
        for name in chain {
            match self.attempt(name) {
                Ok((reply, packed)) => return Ok(self.answer(name, &reply, &packed)),
                Err(failure) => {
                    let error = self.ask.models.settings().redact(&failure.text());
                    self.attempts.push(FailedAttempt { name: name.clone(), error });
                    let is_over = matches!(failure, AttemptFailure::Model(ModelError::Cancelled));
                    failures.push(failure);
                    if is_over {
                        break;
                    }
                }
            }
        }
        Err(self.failed(&failures))
    }

    fn attempt(&mut self, name: &ModelName) -> Result<(ModelReply, Vec<PackedPdf>), AttemptFailure> {
        let settings = self.ask.models.settings();
        let endpoint = settings.endpoint(name).map_err(AttemptFailure::Model)?;
        let is_native = endpoint.provider.wire.is_native();
        if is_native && settings.strict_native_pages && self.arguments.pages.is_some() {
            return Err(AttemptFailure::Strict);
        }
        let limits = settings.limits(name);
        let packing = PdfPacker { ask: self.ask, settings, name, limits, max_bytes: self.max_bytes };
        let prompt = self.arguments.prompt();
        let mut packed = if is_native {
            packing.native(&mut self.requested, prompt)
        } else {
            packing.fallback(&mut self.requested, prompt)
        };
        let parts = packed.iter_mut().flat_map(|packed| std::mem::take(&mut packed.parts)).collect::<Vec<_>>();
        if parts.is_empty() {
            let reasons = packed.iter().filter_map(|packed| packed.refused.clone()).collect::<Vec<_>>();
            return Err(AttemptFailure::Nothing(reasons.join("; ")));
        }
        let question = Question { parts, prompt: prompt.to_owned() };
        let reply = self.session.ask(name, &question).map_err(AttemptFailure::Model)?;
        Ok((reply, packed))
    }

    fn answer(&self, name: &ModelName, reply: &ModelReply, packed: &[PackedPdf]) -> AskAnswer {
        let settings = self.ask.models.settings();
        let is_native = settings.endpoint(name).is_ok_and(|endpoint| endpoint.provider.wire.is_native());
        let answered =
            AnsweredQuestion { name, is_native, reply, requested: &self.requested, packed, attempts: &self.attempts };
        AskAnswer {
            text: reply.text.trim().to_owned(),
            remarks: answered.remarks(settings.pdf_max_output_tokens),
            details: answered.details(),
        }
    }

    fn failed(&self, failures: &[AttemptFailure]) -> ToolError {
        if failures.iter().all(|failure| matches!(failure, AttemptFailure::Strict)) {
            return ToolError::validation(NO_NATIVE_PAGES)
                .hint("Ask without pages, or name a model of another provider.")
                .command_hint("Ask without --pages, or name a model of another provider with --model.")
                .with("attempts", details::attempts(&self.attempts));
        }
        match failures {
            [AttemptFailure::Model(error)] => unanswered(&self.attempts, error),
            _ => failed(ErrorCode::ModelError, &self.attempts),
        }
    }
}

impl AttemptFailure {
    fn text(&self) -> String {
        match self {
            Self::Strict => NO_NATIVE_PAGES.to_owned(),
            Self::Nothing(reason) => reason.clone(),
            Self::Model(error) => error.to_string(),
        }
    }
}

/// The error if the only model that was asked failed, or none could be asked.
fn unanswered(attempts: &[FailedAttempt], error: &ModelError) -> ToolError {
    let code = match error {
        ModelError::UnknownProvider { .. } | ModelError::NoKey { .. } | ModelError::NoAddress { .. } => {
            ErrorCode::NoModel
        }
        ModelError::OverLimit { .. } | ModelError::TooLong { .. } => ErrorCode::LimitExceeded,
        ModelError::Timeout { .. } => ErrorCode::Timeout,
        ModelError::Refused { .. }
        | ModelError::Unreachable { .. }
        | ModelError::Broken { .. }
        | ModelError::Nonsense { .. }
        | ModelError::NoText { .. }
        | ModelError::Cancelled
        | ModelError::Unusable { .. } => ErrorCode::ModelError,
    };
    if attempts.is_empty() {
        return ToolError::new(code, format!("PDF model failed: {error}"));
    }
    let refusal = failed(code, attempts);
    match error {
        ModelError::Timeout { setting, limit_ms, .. } => {
            refusal.with("setting", json!(setting)).with("limit", json!(limit_ms))
        }
        ModelError::TooLong { setting, limit } => refusal.with("setting", json!(setting)).with("limit", json!(limit)),
        ModelError::Refused { status, .. } => refusal.with("status", json!(status)),
        _ => refusal,
    }
}

fn failed(code: ErrorCode, attempts: &[FailedAttempt]) -> ToolError {
    let failures = attempts.iter().map(|attempt| format!("{}: {}", attempt.name, attempt.error)).collect::<Vec<_>>();
    let message = match attempts {
        [only] => format!("PDF model failed ({}): {}", only.name, only.error),
        _ => format!("All PDF models failed. {}", failures.join(". ")),
    };
    ToolError::new(code, message).with("attempts", details::attempts(attempts))
}

/// The error of the only PDF. For several, the first error, with the others listed.
fn nothing_to_send(requested: &[RequestedPdf]) -> ToolError {
    let mut errors = requested.iter().filter_map(|requested| requested.loaded.as_ref().err());
    let Some(first) = errors.next().cloned() else { return ToolError::new(ErrorCode::PdfError, "No PDF was given") };
    if requested.len() == 1 { first } else { first.with("pdfs", details::pdfs(requested)) }
}

/// The `details` of an error of this tool: its code and data.
#[must_use]
pub fn error_details(error: &ToolError) -> Value {
    let mut details = error.data.clone();
    details.insert("error".to_owned(), json!(error.code));
    Value::Object(details)
}
