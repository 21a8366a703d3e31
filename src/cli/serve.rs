//! `pagewise serve`.

use std::sync::Arc;

use serde_json::Value;

use super::arguments::{Form, Sandbox, Serve};
use super::get_file::form_name;
use super::print::{Report, warning};
use super::{models, settings};
use crate::serve::{ServerWorld, serve_stdio};
use crate::tool::{ErrorCode, FormArgument, Models, ToolError};

/// Serves until standard input ends.
pub(super) fn run(typed: Serve, sandbox: Sandbox) -> Result<Report, ToolError> {
    let form = (typed.form != Form::Auto).then(|| FormArgument::parse(form_name(typed.form))).flatten();
    let context = settings::server_context(typed.root, typed.out_dir.as_deref(), sandbox)?;
    let models = Models::new(models::from_environment(sandbox)?);
    let world = ServerWorld {
        context: Arc::new(context),
        models,
        conversation: settings::new_conversation(),
        form,
        warn: warning,
    };
    let failed = |error: std::io::Error| ToolError::new(ErrorCode::WriteFailed, format!("Serving failed: {error}"));
    serve_stdio(world).map_err(failed)?;
    Ok(Report::new(String::new(), Value::Null))
}
