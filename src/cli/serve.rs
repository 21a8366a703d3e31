//! `pagewise serve`.

use std::sync::Arc;

use serde_json::Value;

use super::config::Loaded;
use super::print::{Report, warning};
use super::settings;
use crate::serve::{ServerWorld, serve_stdio};
use crate::tool::{ErrorCode, FormArgument, ToolError};

/// Serves until standard input ends.
pub(super) fn run(loaded: &Loaded) -> Result<Report, ToolError> {
    loaded.warnings.iter().for_each(|text| warning(text));
    let config = &loaded.config;
    let world = ServerWorld {
        context: Arc::new(settings::server_context(config)?),
        conversation: settings::new_conversation(),
        form: Some(config.form).filter(|form| *form != FormArgument::Auto),
        warn: warning,
    };
    let failed = |error: std::io::Error| ToolError::new(ErrorCode::WriteFailed, format!("Serving failed: {error}"));
    serve_stdio(world).map_err(failed)?;
    Ok(Report::new(String::new(), Value::Null))
}
