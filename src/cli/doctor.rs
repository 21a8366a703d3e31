//! `pagewise doctor`.

use super::arguments::Doctor;
use super::config::Config;
use super::open;
use super::pdf::as_json;
use super::print::Report;
use crate::tool::{DoctorResult, ToolError};

/// Answers `doctor`, which fails if something that a server needs does not work.
pub(super) fn run(arguments: &Doctor, config: &Config) -> Result<Report, ToolError> {
    let context_config = open::server_config(config)?;
    let mut result = DoctorResult::of(&context_config.diagnose());
    if arguments.store {
        result.add_store(context_config.inspect_store());
    }
    let is_failure = !result.is_healthy();
    Ok(Report { is_failure, ..Report::new(result.text(), as_json(&result)?) })
}
