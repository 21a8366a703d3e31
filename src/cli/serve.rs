//! `pagewise serve`.

use std::sync::Arc;

use serde_json::Value;

use super::config::Loaded;
use super::print::{Report, warning};
use super::settings;
use crate::serve::{ServerWorld, serve_stdio};
use crate::tool::{ErrorCode, FormArgument, Models, ToolError};

/// Serves until standard input ends.
pub(super) fn run(loaded: &Loaded) -> Result<Report, ToolError> {
    loaded.warnings.iter().for_each(|text| warning(text));
    let config = &loaded.config;
    let context = settings::server_context(config)?;
    let models = Models::new(config.models.settings(config.require_sandbox)?);
    let world = ServerWorld {
        models,
        conversation: context.mint(None)?,
        context: Arc::new(context),
        form: Some(config.form).filter(|form| *form != FormArgument::Auto),
        warn: warning,
    };
    let failed = |error: std::io::Error| ToolError::new(ErrorCode::WriteFailed, format!("Serving failed: {error}"));
    serve_stdio(world).map_err(failed)?;
    Ok(Report::new(String::new(), Value::Null))
}
