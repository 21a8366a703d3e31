//! Which models are asked, from the environment.

use std::env;
use std::time::Duration;

use serde_json::json;

use super::arguments::Sandbox;
use super::limits::set;
use crate::tool::{ModelChain, ModelName, ModelSettings, RemoteReferences, ToolError};

/// The defaults, with what the environment sets; keys and addresses out of the providers' own variables.
pub(super) fn from_environment(sandbox: Sandbox) -> Result<ModelSettings, ToolError> {
    let mut settings = ModelSettings::from_variables(&|name| env::var(name).ok());
    settings.pdf_model = chain("PAGEWISE_PDF_MODEL", "PAGEWISE_PDF_MODEL_FALLBACKS")?;
    settings.image_model = chain("PAGEWISE_IMAGE_MODEL", "PAGEWISE_IMAGE_MODEL_FALLBACKS")?;
    let mut megabytes = settings.pdf_max_bytes >> 20;
    set("PAGEWISE_PDF_MAX_BYTES_MB", &mut megabytes)?;
    settings.pdf_max_bytes = megabytes.saturating_mul(1 << 20);
    set("PAGEWISE_PDF_MAX_PAGES", &mut settings.pdf_max_pages)?;
    set("PAGEWISE_PDF_MAX_TEXT_CHARS", &mut settings.pdf_max_text_chars)?;
    set("PAGEWISE_PDF_IMAGE_DPI", &mut settings.pdf_image_dpi)?;
    set("PAGEWISE_PDF_MAX_OUTPUT_TOKENS", &mut settings.pdf_max_output_tokens)?;
    set("PAGEWISE_PDF_MAX_ANSWER_BYTES", &mut settings.pdf_max_answer_bytes)?;
    set("PAGEWISE_PDF_RETRIES", &mut settings.pdf_retries)?;
    set("PAGEWISE_STRICT_NATIVE_PAGES", &mut settings.strict_native_pages)?;
    settings.pdf_idle_timeout = duration("PAGEWISE_PDF_IDLE_TIMEOUT_MS", settings.pdf_idle_timeout)?;
    settings.pdf_timeout = duration("PAGEWISE_PDF_TIMEOUT_MS", settings.pdf_timeout)?;
    if env::var_os("PAGEWISE_PDF_REQUEST_BYTES").is_some() {
        let mut bytes = 0;
        set("PAGEWISE_PDF_REQUEST_BYTES", &mut bytes)?;
        settings.pdf_request_bytes = Some(bytes);
    }
    settings.text_only_models = list("PAGEWISE_TEXT_ONLY_MODELS");
    if sandbox.require_sandbox {
        settings.remote = RemoteReferences::Refused;
    }
    Ok(settings)
}

fn chain(primary: &str, fallbacks: &str) -> Result<Option<ModelChain>, ToolError> {
    let first = list(primary);
    let Some(primary) = first.first().map(|name| model(primary, name)).transpose()? else { return Ok(None) };
    let fallbacks = list(fallbacks).iter().map(|name| model(fallbacks, name)).collect::<Result<_, _>>()?;
    Ok(Some(ModelChain { primary, fallbacks }))
}

fn model(variable: &str, name: &str) -> Result<ModelName, ToolError> {
    ModelName::parse(name).ok_or_else(|| {
        let message = format!("Setting '{variable}' must be of the form provider/model");
        ToolError::validation(&message).with("value", json!(name))
    })
}

/// The parts between commas.
fn list(variable: &str) -> Vec<String> {
    let value = env::var(variable).unwrap_or_default();
    value.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn duration(variable: &str, default: Duration) -> Result<Duration, ToolError> {
    let mut milliseconds = u64::try_from(default.as_millis()).unwrap_or(u64::MAX);
    set(variable, &mut milliseconds)?;
    // Nothing could be waited for within no time; a year is for ever, and can be added to a clock.
    Ok(Duration::from_millis(milliseconds.clamp(1, 31_536_000_000)))
}
